/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of Arrow arrays become those of their column, each kind with its limits; what does not fit
 * is refused with its row.
 */
#include <lamella/column.h>
#include <lamella/writer.h>

#include "arrow/write/value_convert.h"
#include "arrow/write/value_decimal.h"
#include "arrow/write/value_write.h"

#include "arrow/hand_arrays.h"
#include "support/host_order.h"
#include "support/test_file.h"

/* Writes one value and reads it back as the column has it. */
static lam_triples written(hand_writer *hand, const char *type, const void *value,
                           lam_reader **ret_reader, lam_column_reader **ret_column) {
    lam_error error = lam_error_none();
    hand_array column = HAND(1, 2, NULL, value);
    *hand = hand_open(type);
    cr_assert_eq(hand_write(hand, hand_at(&column), 1, &error), LAM_STATUS_OK, "%s: %s", type,
                 error.message);
    *ret_reader = hand_read(hand);
    cr_assert_eq(lam_column_reader_open(*ret_reader, 0, 0, ret_column, NULL), LAM_STATUS_OK);
    lam_triples triples;
    cr_assert_eq(lam_column_reader_read(*ret_column, 10, &triples, NULL), LAM_STATUS_OK);
    cr_assert_eq(triples.value_count, 1);
    return triples;
}

static void becomes(const char *type, const void *value, const void *expected, size_t size) {
    hand_writer hand;
    lam_reader *reader;
    lam_column_reader *column;
    lam_triples triples = written(&hand, type, value, &reader, &column);
    cr_assert_eq(memcmp(triples.values, expected, size), 0, "%s", type);
    lam_column_reader_close(column);
    lam_reader_close(reader);
    hand_close(&hand);
}

/* The second of two values is refused; as a null it is not looked at. */
static void refused(const char *type, const void *values, const char *reason) {
    static const uint8_t first[] = {0x01};
    char message[200];
    lam_error error = lam_error_none();
    hand_array column = HAND(2, 2, NULL, values);
    hand_writer hand = hand_open(type);
    snprintf(message, sizeof message, "a: row 1: %s", reason);
    cr_assert_eq(hand_write(&hand, hand_at(&column), 2, &error), LAM_STATUS_INVALID, "%s", type);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(lam_writer_record_count(hand.writer), 0);
    column.buffers[0] = first;
    cr_assert_eq(hand_write(&hand, hand_at(&column), 2, &error), LAM_STATUS_OK, "%s",
                 error.message);
    hand_close(&hand);
}

/* --- Numbers --------------------------------------------------------------------------------- */

Test(value_convert, integers_of_8_and_16_bits_are_widened_by_their_sign) {
    becomes("a?:c", (const int8_t[]){-128}, (const int32_t[]){-128}, 4);
    becomes("a?:C", (const uint8_t[]){255}, (const int32_t[]){255}, 4);
    becomes("a?:s", (const int16_t[]){INT16_MIN}, (const int32_t[]){INT16_MIN}, 4);
    becomes("a?:S", (const uint16_t[]){UINT16_MAX}, (const int32_t[]){UINT16_MAX}, 4);
    becomes("a?:I", (const uint32_t[]){UINT32_MAX}, (const int32_t[]){-1}, 4);
    becomes("a?:L", (const uint64_t[]){UINT64_MAX}, (const int64_t[]){-1}, 8);
}

Test(value_convert, half_floats_are_little_endian) {
    becomes("a?:e", (const uint16_t[]){0x3C01}, "\x01\x3C", 2);
}

Test(value_convert, booleans_are_bits) {
    becomes("a?:b", (const uint8_t[]){0x01}, (const uint8_t[]){1}, 1);
    becomes("a?:b", (const uint8_t[]){0xFE}, (const uint8_t[]){0}, 1);
}

/* --- Dates and times ------------------------------------------------------------------------- */

static const char not_a_day[] = "a date is not a whole day, or beyond 32 bits of days";
static const char not_in_the_day[] = "a time is outside of the day";

Test(value_convert, dates_in_milliseconds_are_whole_days) {
    const int64_t day = 86400000;
    becomes("a?:tdm", (const int64_t[]){-3 * day}, (const int32_t[]){-3}, 4);
    becomes("a?:tdm", (const int64_t[]){INT32_MAX * day}, (const int32_t[]){INT32_MAX}, 4);
    becomes("a?:tdm", (const int64_t[]){INT32_MIN * day}, (const int32_t[]){INT32_MIN}, 4);
    refused("a?:tdm", (const int64_t[]){day, day + 1}, not_a_day);
    refused("a?:tdm", (const int64_t[]){day, -1}, not_a_day);
    refused("a?:tdm", (const int64_t[]){day, (INT32_MAX + INT64_C(1)) * day}, not_a_day);
    refused("a?:tdm", (const int64_t[]){day, (INT32_MIN - INT64_C(1)) * day}, not_a_day);
}

Test(value_convert, times_are_less_than_a_day) {
    becomes("a?:tts", (const int32_t[]){86399}, (const int32_t[]){86399000}, 4);
    becomes("a?:ttm", (const int32_t[]){86399999}, (const int32_t[]){86399999}, 4);
    refused("a?:tts", (const int32_t[]){0, 86400}, not_in_the_day);
    refused("a?:tts", (const int32_t[]){0, -1}, not_in_the_day);
    refused("a?:ttm", (const int32_t[]){0, 86400000}, not_in_the_day);
    refused("a?:ttm", (const int32_t[]){0, -1}, not_in_the_day);
    refused("a?:ttu", (const int64_t[]){0, INT64_C(86400000000)}, not_in_the_day);
    refused("a?:ttu", (const int64_t[]){0, -1}, not_in_the_day);
    refused("a?:ttn", (const int64_t[]){0, INT64_C(86400000000000)}, not_in_the_day);
    refused("a?:ttn", (const int64_t[]){0, INT64_MIN}, not_in_the_day);
}

Test(value_convert, timestamps_in_seconds_become_milliseconds) {
    static const char reason[] = "a timestamp in seconds is beyond 64 bits of milliseconds";
    const int64_t most = INT64_MAX / 1000;
    becomes("a?:tss:", (const int64_t[]){-1}, (const int64_t[]){-1000}, 8);
    becomes("a?:tss:UTC", (const int64_t[]){most}, (const int64_t[]){most * 1000}, 8);
    becomes("a?:tss:", (const int64_t[]){-most}, (const int64_t[]){-most * 1000}, 8);
    becomes("a?:tsn:", (const int64_t[]){INT64_MIN}, (const int64_t[]){INT64_MIN}, 8);
    refused("a?:tss:", (const int64_t[]){0, most + 1}, reason);
    refused("a?:tss:", (const int64_t[]){0, -most - 1}, reason);
}

Test(value_convert, intervals_are_three_numbers_without_sign) {
    static const char reason[] =
        "an interval has a negative part, a part of a millisecond, or too many of them";
    struct {
        int32_t months, days;
        int64_t nanos;
    } parts[] = {{2, 48, 7000000}, {2, 48, 7000001}};
    becomes("a?:tiM", (const int32_t[]){14}, "\x0E\0\0\0\0\0\0\0\0\0\0\0", 12);
    becomes("a?:tiD", (const int32_t[]){3, 500}, "\0\0\0\0\x03\0\0\0\xF4\x01\0\0", 12);
    becomes("a?:tin", parts, "\x02\0\0\0\x30\0\0\0\x07\0\0\0", 12);
    refused("a?:tiM", (const int32_t[]){1, -1}, reason);
    refused("a?:tiD", (const int32_t[]){1, 1, 1, -1}, reason);
    refused("a?:tiD", (const int32_t[]){1, 1, -1, 1}, reason);
    refused("a?:tin", parts, reason);
    parts[1].nanos = -1000000;
    refused("a?:tin", parts, reason);
    parts[1].nanos = (UINT32_MAX + INT64_C(1)) * 1000000;
    refused("a?:tin", parts, reason);
    parts[1].nanos = UINT32_MAX * INT64_C(1000000);
    becomes("a?:tin", parts + 1, "\x02\0\0\0\x30\0\0\0\xFF\xFF\xFF\xFF", 12);
}

/* --- Decimals -------------------------------------------------------------------------------- */

/* Numbers of some limbs, each given with its lowest one first; until the next call. */
static const void *decimals(size_t count, size_t limbs, const int64_t *parts) {
    static int64_t numbers[8];
    cr_assert_leq(count * limbs, 8);
    for (size_t i = 0; i < count * limbs; i++)
        numbers[i - i % limbs + lam_test_byte_place(limbs, i % limbs)] = parts[i];
    return numbers;
}

static const char too_many_digits[] = "a decimal has more digits than its precision";

Test(value_convert, decimals_take_the_form_that_their_digits_fit) {
    const int64_t wide[] = {-5, -1, -1, -1};
    becomes("a?:d:9,2,32", (const int32_t[]){-999999999}, (const int32_t[]){-999999999}, 4);
    becomes("a?:d:5,2,64", wide, (const int32_t[]){-5}, 4);
    becomes("a?:d:5,2", decimals(1, 2, wide), (const int32_t[]){-5}, 4);
    becomes("a?:d:18,2,64", wide, (const int64_t[]){-5}, 8);
    becomes("a?:d:18,2", decimals(1, 2, wide), (const int64_t[]){-5}, 8);
    becomes("a?:d:18,2,256", decimals(1, 4, wide), (const int64_t[]){-5}, 8);
    becomes("a?:d:19,2", decimals(1, 2, wide), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFB", 9);
    becomes("a?:d:30,2", decimals(1, 2, (const int64_t[]){0x0102030405060708, -0x0B0C0D0E}),
            "\xFF\xF4\xF3\xF2\xF2\x01\x02\x03\x04\x05\x06\x07\x08", 13);
    becomes("a?:d:38,2", decimals(1, 2, (const int64_t[]){0x0102030405060708, 0x090A0B0C0D0E0F}),
            "\x00\x09\x0A\x0B\x0C\x0D\x0E\x0F\x01\x02\x03\x04\x05\x06\x07\x08", 16);
    becomes("a?:d:40,2,256", decimals(1, 4, wide),
            "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFB", 17);
}

Test(value_convert, decimals_have_no_more_digits_than_their_precision) {
    const int64_t ten_20[] = {0, 0, INT64_C(0x6BC75E2D63100000), 5};    /* 10^20 */
    const int64_t less_20[] = {0, 0, INT64_C(-0x6BC75E2D63100000), -6}; /* -10^20 */
    refused("a?:d:3,0,32", (const int32_t[]){999, 1000}, too_many_digits);
    refused("a?:d:3,0,32", (const int32_t[]){-999, -1000}, too_many_digits);
    refused("a?:d:3,0,32", (const int32_t[]){0, INT32_MIN}, too_many_digits);
    refused("a?:d:12,0,64", (const int64_t[]){999999999999, 1000000000000}, too_many_digits);
    refused("a?:d:12,0,64", (const int64_t[]){0, INT64_MIN}, too_many_digits);
    refused("a?:d:3,0,64", (const int64_t[]){999, INT64_C(1) << 32}, too_many_digits);
    const int64_t ten_18 = INT64_C(1000000000000000000);
    refused("a?:d:18,0", decimals(2, 2, (const int64_t[]){0, 0, ten_18, 0}), too_many_digits);
    refused("a?:d:18,0", decimals(2, 2, (const int64_t[]){0, 0, -ten_18, -1}), too_many_digits);
    refused("a?:d:18,0", decimals(2, 2, (const int64_t[]){0, 0, 1, 1}), too_many_digits);
    refused("a?:d:18,0", decimals(2, 2, (const int64_t[]){0, 0, 1, -1}), too_many_digits);
    refused("a?:d:18,0", decimals(2, 2, (const int64_t[]){0, 0, INT64_MIN, -1}), too_many_digits);
    becomes("a?:d:18,0", decimals(1, 2, (const int64_t[]){1 - ten_18, -1}),
            (const int64_t[]){1 - ten_18}, 8);
    refused("a?:d:20,0", decimals(2, 2, ten_20), too_many_digits);
    refused("a?:d:20,0", decimals(2, 2, less_20), too_many_digits);
    refused("a?:d:38,0", decimals(2, 2, (const int64_t[]){0, 0, 0, INT64_MIN}), too_many_digits);
    becomes("a?:d:21,0", decimals(1, 2, ten_20 + 2), "\x05\x6B\xC7\x5E\x2D\x63\x10\x00\x00", 9);
    const int64_t wide[] = {0, 0, 0, 0, 0, 0, 1, 0}; /* 2^128 */
    refused("a?:d:38,0,256", decimals(2, 4, wide), too_many_digits);
    becomes("a?:d:39,0,256", decimals(1, 4, wide + 4), "\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 17);
}

/* --- Strings --------------------------------------------------------------------------------- */

Test(value_convert, strings_are_utf_8_each_by_itself) {
    static const char reason[] = "a: row 1: a string is not UTF-8, or has 2 GiB or more";
    int32_t offsets[] = {0, 2, 4};
    lam_error error = lam_error_none();
    hand_array column = HAND(2, 3, NULL, offsets, "a\xC3\xA4z");
    hand_writer hand = hand_open("a:u");
    cr_assert_eq(hand_write(&hand, hand_at(&column), 2, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "a: row 0: a string is not UTF-8, or has 2 GiB or more");
    offsets[1] = 3;
    cr_assert_eq(hand_write(&hand, hand_at(&column), 2, &error), LAM_STATUS_OK, "%s",
                 error.message);
    column.buffers[2] = "abc\xFF";
    cr_assert_eq(hand_write(&hand, hand_at(&column), 2, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, reason);
    column.array.length = 1; /* what lies behind does not count */
    cr_assert_eq(hand_write(&hand, hand_at(&column), 1, &error), LAM_STATUS_OK, "%s",
                 error.message);
    hand_close(&hand);
    column.array.length = 2;
    hand = hand_open("a:z");
    cr_assert_eq(hand_write(&hand, hand_at(&column), 2, &error), LAM_STATUS_OK, "%s",
                 error.message);
    hand_close(&hand);
}

/* --- What no array of a test can hold, and forms that other columns have --------------------- */

/* The bytes are not looked at. */
Test(value_convert, a_value_of_two_gigabytes_is_refused) {
    const int64_t offsets[] = {0, 1, (int64_t)INT32_MAX + 2};
    hand_array column = HAND(2, 3, NULL, offsets, "x");
    hand_writer hand = hand_open("a?:Z");
    lam_error error = lam_error_none();
    cr_assert_eq(hand_write(&hand, hand_at(&column), 2, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "a: row 1: a value has 2 GiB or more");
    hand_close(&hand);
}

static lam_schema *schema_with(const char *leaf) {
    char text[100];
    snprintf(text, sizeof text, "message m { required %s; }", leaf);
    lam_schema *schema = lam_test_parse(text);
    return schema;
}

Test(value_convert, half_floats_have_their_lowest_byte_first_whatever_the_machine_has) {
    static const uint16_t halves[] = {0x3C01, 0xFFFE};
    const lam_arrow_type type = {.kind = LAM_ARROW_FLOAT16};
    lam_schema *schema = schema_with("fixed(2) a (FLOAT16)");
    uint8_t elements[4];
    cr_assert_eq(
        lam_value_convert(&type, lam_schema_leaf(schema, 0), (const uint8_t *)halves, 2, elements),
        2);
    cr_assert_arr_eq(elements, "\x01\x3C\xFE\xFF", 4);
    lam_schema_destroy(schema);
}

Test(value_convert, types_that_stay_the_same_are_left_alone) {
    static const int32_t numbers[] = {1, 2};
    const lam_arrow_type type = {.kind = LAM_ARROW_INT32};
    lam_schema *schema = schema_with("int32 a");
    uint8_t elements[8] = {77};
    cr_assert_eq(
        lam_value_convert(&type, lam_schema_leaf(schema, 0), (const uint8_t *)numbers, 2, elements),
        2);
    cr_assert_eq(elements[0], 77);
    lam_schema_destroy(schema);
}

/* A decimal of 128 bits in more bytes than it has, or in as few as hold it. */
Test(value_convert, decimals_go_into_as_many_bytes_as_the_column_has) {
    for (size_t size = 5; size <= 20; size++) {
        for (int64_t number = -123456; number <= 123456; number += 246912) {
            char leaf[30];
            uint8_t value[16], element[20];
            const lam_arrow_type type = {
                .kind = LAM_ARROW_DECIMAL, .bit_width = 128, .precision = 10};
            snprintf(leaf, sizeof leaf, "fixed(%zu) a", size);
            lam_schema *schema = schema_with(leaf);
            for (size_t i = 0; i < 16; i++)
                value[lam_test_byte_place(16, i)] =
                    (uint8_t)(i < 8 ? number >> 8 * i : number >> 63);
            cr_assert_eq(lam_decimal_convert(&type, lam_schema_leaf(schema, 0), value, 1, element),
                         1);
            for (size_t i = 0; i < size; i++)
                cr_assert_eq(element[size - 1 - i],
                             (uint8_t)(i < 8 ? number >> 8 * i : number >> 63), "%zu bytes", size);
            cr_assert_not(lam_decimal_is_same(32, lam_schema_leaf(schema, 0)));
            lam_schema_destroy(schema);
        }
    }
}

Test(value_convert, more_values_than_memory_can_have_are_nomem) {
    lam_arena arena = arrow_arena();
    lam_allocator heap = lam_allocator_default();
    lam_schema *schema = schema_with("int32 a");
    const lam_arrow_node node = {.leaf = lam_schema_leaf(schema, 0)};
    lam_array_view *view;
    lam_value_memory memory;
    const void *values;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_array_view_create(fields_of(&arena, "a:{c}i")->children, &arena, &view, NULL),
                 LAM_STATUS_OK);
    const lam_leaf_batch leaf = {
        .node = &node, .view = view, .triples = {.value_count = SIZE_MAX / 8}};
    lam_value_memory_init(&memory, lam_kernels_get(), &heap);
    cr_assert_eq(lam_value_write(&memory, &leaf, false, &values, &error), LAM_STATUS_NOMEM);
    cr_assert_not_null(strstr(error.message, "no memory for"), "%s", error.message);
    lam_value_memory_finish(&memory);
    lam_schema_destroy(schema);
    lam_arena_finish(&arena);
}
