/* SPDX-License-Identifier: Apache-2.0 */
/* Recovery records by their bytes. Any changed bit is found. */
#include "file/write/recovery_record.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/failing_alloc.h"

static const lam_recovery_header header = {LAM_RECOVERY_ROW_GROUP,
                                           0,
                                           3,
                                           0x1122334455,
                                           {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

static lam_buffer record_of(const char *body, size_t size) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    lam_bytes bytes = {(const uint8_t *)body, size};
    cr_assert_eq(lam_recovery_record_write(&header, bytes, &out, NULL), LAM_STATUS_OK);
    return out;
}

Test(recovery_record, a_record_is_these_bytes) {
    static const char golden[] = "PLAM\x02\x01\x00\x00\x02\x00\x00\x00"
                                 "\x03\x00\x00\x00\x00\x00\x00\x00\x55\x44\x33\x22\x11\x00\x00\x00"
                                 "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A\x0B\x0C\x0D\x0E\x0F\x10"
                                 "hi";
    lam_buffer out = record_of("hi", 2);
    cr_assert_eq(out.size, LAM_RECOVERY_HEADER_SIZE + 2 + LAM_RECOVERY_CRC_SIZE);
    cr_assert_eq(memcmp(out.data, golden, sizeof golden - 1), 0);
    cr_assert(lam_recovery_record_check(lam_buffer_bytes(&out)));
    lam_buffer_finish(&out);
}

Test(recovery_record, what_was_written_is_read) {
    lam_buffer out = record_of("", 0);
    lam_recovery_header read;
    cr_assert(lam_recovery_header_read(out.data, &read));
    cr_assert_eq(read.kind, header.kind);
    cr_assert_eq(read.size, 0);
    cr_assert_eq(read.sequence, header.sequence);
    cr_assert_eq(read.synced, header.synced);
    cr_assert_eq(memcmp(read.file_id, header.file_id, LAM_RECOVERY_ID_SIZE), 0);
    lam_buffer_finish(&out);
}

Test(recovery_record, every_changed_bit_is_found) {
    lam_buffer out = record_of("body", 4);
    for (size_t bit = 0; bit < 8 * out.size; bit++) {
        out.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_assert(!lam_recovery_record_check(lam_buffer_bytes(&out)), "bit %zu", bit);
        out.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    lam_buffer_finish(&out);
}

Test(recovery_record, headers_of_other_kinds_and_versions_are_refused) {
    static const struct {
        size_t at;
        uint8_t byte;
    } changes[] = {{0, 'Q'}, {3, '1'}, {4, 0}, {4, 5}, {5, 0}, {5, 2}, {6, 1}, {7, 1}, {11, 0x80}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        lam_buffer out = record_of("", 0);
        lam_recovery_header read = {.sequence = 99};
        out.data[changes[i].at] = changes[i].byte;
        cr_assert(!lam_recovery_header_read(out.data, &read), "%zu", i);
        lam_buffer_finish(&out);
    }
}

Test(recovery_record, a_body_that_does_not_fit_its_size_is_above_the_limit) {
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_bytes body = {(const uint8_t *)"x", (size_t)INT32_MAX + 1};
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_recovery_record_write(&header, body, &out, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    cr_assert_eq(out.size, 0);
    lam_buffer_finish(&out);
}

Test(recovery_record, without_memory_nothing_is_appended) {
    lam_failing_alloc failing = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&failing);
    lam_bytes body = {(const uint8_t *)"x", 1};
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_recovery_record_write(&header, body, &out, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(out.size, 0);
    lam_buffer_finish(&out);
}
