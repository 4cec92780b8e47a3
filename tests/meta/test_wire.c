/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, field heads and counts of the compact protocol, to their limits. */
#include "meta/wire.h"

#include <criterion/criterion.h>
#include <string.h>

static lam_wire_reader reader_on(const void *bytes, size_t size, lam_error *error) {
    return (lam_wire_reader){bytes, (const uint8_t *)bytes + size, bytes, NULL, NULL,
                             error, LAM_ERROR_CODE_FOOTER,         false};
}

static lam_buffer room(size_t size) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    cr_assert_eq(lam_buffer_reserve(&buffer, size, NULL), LAM_STATUS_OK);
    return buffer;
}

Test(wire, numbers_come_back_as_they_went) {
    static const int64_t NUMBERS[] = {0,         -1,        1,         -2,        63,
                                      -64,       64,        8191,      8192,      INT16_MIN,
                                      INT16_MAX, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        lam_buffer buffer = room(LAM_WIRE_VARINT_MAX);
        lam_wire_put_varint(&buffer, lam_to_zigzag((uint64_t)NUMBERS[i]));
        lam_wire_reader in = reader_on(buffer.data, buffer.size, NULL);
        int64_t number;
        cr_assert_eq(lam_wire_read_i64(&in, &number), LAM_STATUS_OK);
        cr_assert_eq(number, NUMBERS[i]);
        cr_assert_eq(lam_wire_left(&in), 0);
        for (size_t size = 0; size < buffer.size; size++) {
            in = reader_on(buffer.data, size, NULL);
            cr_assert_eq(lam_wire_read_i64(&in, &number), LAM_STATUS_CORRUPT);
            cr_assert(in.ended);
        }
        lam_buffer_finish(&buffer);
    }
}

/* Few bytes and many are read in two ways, by what is left of the input. */
Test(wire, a_number_ends_where_it_ends_whatever_is_behind_it) {
    for (unsigned bit = 0; bit <= 64; bit++) {
        uint64_t number = bit == 0 ? 0 : UINT64_MAX >> (64 - bit), found;
        lam_buffer buffer = room(LAM_WIRE_VARINT_MAX + 4);
        lam_wire_put_varint(&buffer, number);
        size_t size = buffer.size;
        for (size_t behind = 0; behind <= 4; behind++) {
            lam_wire_reader in = reader_on(buffer.data, size + behind, NULL);
            memset(buffer.data + size, behind % 2 == 0 ? 0xFF : 0, 4);
            cr_assert_eq(lam_wire_read_varint(&in, &found), LAM_STATUS_OK);
            cr_assert_eq(found, number);
            cr_assert_eq(in.at, buffer.data + size);
        }
        lam_buffer_finish(&buffer);
    }
    static const char *const longer[] = {"\x85\x00\x7F", "\x85\x80\x00\x7F", "\x85\x80\x80\x00"};
    for (size_t i = 0; i < 3; i++) { /* with zeros that a writer need not write */
        uint64_t found;
        lam_wire_reader in = reader_on(longer[i], 4, NULL);
        cr_assert_eq(lam_wire_read_varint(&in, &found), LAM_STATUS_OK);
        cr_assert_eq(found, 5);
        cr_assert_eq((size_t)(in.at - in.start), i + 2);
    }
}

Test(wire, a_number_that_does_not_fit_is_corrupt) {
    lam_error error = lam_error_none();
    uint64_t whole;
    int32_t number;
    int16_t small;
    static const uint8_t MOST[] = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01";
    lam_wire_reader in = reader_on(MOST, 10, &error);
    cr_assert_eq(lam_wire_read_varint(&in, &whole), LAM_STATUS_OK);
    cr_assert_eq(whole, UINT64_MAX);
    in = reader_on("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", 10, &error);
    cr_assert_eq(lam_wire_read_varint(&in, &whole), LAM_STATUS_CORRUPT);
    cr_assert_not(in.ended);
    in = reader_on("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, &error);
    cr_assert_eq(lam_wire_read_varint(&in, &whole), LAM_STATUS_CORRUPT);
    in = reader_on("\xFF\xFF\xFF\xFF\x0F", 5, &error);
    cr_assert_eq(lam_wire_read_i32(&in, &number), LAM_STATUS_OK);
    cr_assert_eq(number, INT32_MIN);
    in = reader_on("\x80\x80\x80\x80\x10", 5, &error);
    cr_assert_eq(lam_wire_read_i32(&in, &number), LAM_STATUS_CORRUPT);
    in = reader_on("\x80\x80\x04", 3, &error);
    cr_assert_eq(lam_wire_read_i16(&in, &small), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.offset, 0);
}

Test(wire, a_field_id_is_a_step_or_stands_whole) {
    static const int32_t IDS[] = {1, 15, 16, 17, 32, 33, 1000, 32767};
    lam_buffer buffer = room(100);
    int32_t last_id = 0;
    for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
        lam_wire_put_field_head(&buffer, last_id, IDS[i], LAM_WIRE_I32);
        last_id = IDS[i];
    }
    cr_assert_eq(buffer.size, 1 + 1 + 1 + 1 + 1 + 1 + 3 + 4);
    lam_wire_reader in = reader_on(buffer.data, buffer.size, NULL);
    int32_t id = 0;
    for (size_t i = 0; i < sizeof IDS / sizeof IDS[0]; i++) {
        uint8_t type;
        cr_assert_eq(lam_wire_read_field_head(&in, &id, &type), LAM_STATUS_OK);
        cr_assert_eq(id, IDS[i]);
        cr_assert_eq(type, LAM_WIRE_I32);
    }
    lam_buffer_finish(&buffer);
}

Test(wire, a_field_head_without_type_or_with_too_large_an_id_is_corrupt) {
    int32_t id = 0;
    uint8_t type;
    lam_wire_reader in = reader_on("\x10", 1, NULL);
    cr_assert_eq(lam_wire_read_field_head(&in, &id, &type), LAM_STATUS_CORRUPT);
    in = reader_on("\x1D", 1, NULL);
    cr_assert_eq(lam_wire_read_field_head(&in, &id, &type), LAM_STATUS_CORRUPT);
    id = INT16_MAX;
    in = reader_on("\x15", 1, NULL);
    cr_assert_eq(lam_wire_read_field_head(&in, &id, &type), LAM_STATUS_CORRUPT);
    in = reader_on("\x05\x80\x80\x04", 4, NULL);
    cr_assert_eq(lam_wire_read_field_head(&in, &id, &type), LAM_STATUS_CORRUPT);
}

/* Values of each type, to their last byte. */
static const struct {
    uint8_t type;
    const char *bytes;
    size_t size;
} VALUES[] = {
    {LAM_WIRE_TRUE, "", 0},
    {LAM_WIRE_FALSE, "", 0},
    {LAM_WIRE_I8, "\xFF", 1},
    {LAM_WIRE_I16, "\x80\x01", 2},
    {LAM_WIRE_I32, "\x80\x80\x80\x80\x01", 5},
    {LAM_WIRE_I64, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10},
    {LAM_WIRE_DOUBLE, "12345678", 8},
    {LAM_WIRE_BINARY,
     "\x03"
     "abc",
     4},
    {LAM_WIRE_LIST, "\x01", 1},
    {LAM_WIRE_LIST, "\x32\x01\x02\x01", 4},
    {LAM_WIRE_SET,
     "\xF8\x02\x01"
     "a\x00",
     5},
    {LAM_WIRE_MAP, "\x00", 1},
    {LAM_WIRE_MAP,
     "\x02\x8C\x01"
     "k\x15\x02\x00\x00\x11\x00",
     10},
    {LAM_WIRE_STRUCT, "\x11\x02\x05\x15\x02\x1B\x01\x33\x01\x02\x19\x1C\x00\x00", 14},
};

Test(wire, what_nobody_knows_is_passed_over_to_its_last_byte) {
    for (size_t i = 0; i < sizeof VALUES / sizeof VALUES[0]; i++) {
        lam_error error = lam_error_none();
        lam_wire_reader in = reader_on(VALUES[i].bytes, VALUES[i].size, &error);
        cr_assert_eq(lam_wire_skip(&in, VALUES[i].type), LAM_STATUS_OK, "value %zu: %s", i,
                     error.message);
        cr_assert_eq(lam_wire_left(&in), 0, "value %zu", i);
        for (size_t size = 0; size < VALUES[i].size; size++) {
            in = reader_on(VALUES[i].bytes, size, NULL);
            cr_assert_eq(lam_wire_skip(&in, VALUES[i].type), LAM_STATUS_CORRUPT);
            cr_assert(in.ended, "value %zu cut to %zu", i, size);
        }
    }
}

Test(wire, nesting_ends_at_its_limit) {
    uint8_t bytes[200];
    memset(bytes, 0x19, sizeof bytes); /* a list of one list of one list ... */
    bytes[LAM_WIRE_SKIP_DEPTH - 1] = 0x15;
    bytes[LAM_WIRE_SKIP_DEPTH] = 0;
    lam_error error = lam_error_none();
    lam_wire_reader in = reader_on(bytes, sizeof bytes, &error);
    cr_assert_eq(lam_wire_skip(&in, LAM_WIRE_LIST), LAM_STATUS_OK);
    cr_assert_eq(in.at - in.start, LAM_WIRE_SKIP_DEPTH + 1);
    bytes[LAM_WIRE_SKIP_DEPTH - 1] = 0x19;
    in = reader_on(bytes, sizeof bytes, &error);
    cr_assert_eq(lam_wire_skip(&in, LAM_WIRE_LIST), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.offset, LAM_WIRE_SKIP_DEPTH);
    memset(bytes, 0x1C, sizeof bytes);
    in = reader_on(bytes, sizeof bytes, &error);
    cr_assert_eq(lam_wire_skip(&in, LAM_WIRE_STRUCT), LAM_STATUS_CORRUPT);
    cr_assert_not(in.ended);
}

Test(wire, a_count_never_promises_more_than_the_bytes_hold) {
    lam_wire_reader in = reader_on("\xF5\xFF\xFF\xFF\xFF\x07", 6, NULL);
    cr_assert_eq(lam_wire_skip(&in, LAM_WIRE_LIST), LAM_STATUS_CORRUPT);
    cr_assert(in.ended);
    in = reader_on("\xF5\xFF\xFF\xFF\xFF\x0F", 6, NULL);
    cr_assert_eq(lam_wire_skip(&in, LAM_WIRE_LIST), LAM_STATUS_CORRUPT);
    cr_assert_not(in.ended);
    in = reader_on("\xFF\xFF\xFF\xFF\x07\x55\x00", 7, NULL);
    cr_assert_eq(lam_wire_skip(&in, LAM_WIRE_MAP), LAM_STATUS_CORRUPT);
    cr_assert(in.ended);
    in = reader_on("\xFF\xFF\xFF\xFF\x0F", 5, NULL);
    cr_assert_eq(lam_wire_skip(&in, LAM_WIRE_BINARY), LAM_STATUS_CORRUPT);
    cr_assert_not(in.ended);
}

Test(wire, a_bool_in_a_list_is_a_byte_of_three_kinds) {
    bool value = false;
    lam_wire_reader in = reader_on("\x01\x02\x00\x03", 4, NULL);
    cr_assert_eq(lam_wire_read_list_bool(&in, &value), LAM_STATUS_OK);
    cr_assert(value);
    cr_assert_eq(lam_wire_read_list_bool(&in, &value), LAM_STATUS_OK);
    cr_assert_not(value);
    cr_assert_eq(lam_wire_read_list_bool(&in, &value), LAM_STATUS_OK);
    cr_assert_not(value);
    cr_assert_eq(lam_wire_read_list_bool(&in, &value), LAM_STATUS_CORRUPT);
}
