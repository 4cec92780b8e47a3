/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that all headers of a chunk share are put back into a damaged one; its own numbers are
 * never guessed.
 */
#include "damage/chunk/header_restore.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/buffer.h"
#include "meta/compact.h"
#include "meta/metadata.h"
#include "support/random.h"

enum { ROOM = 64 };

typedef struct written_header {
    uint8_t bytes[ROOM];
    size_t size;
} written_header;

static written_header write_header(bool is_v2, bool has_crc, int32_t number) {
    lam_allocator allocator = lam_allocator_default();
    lam_meta_data_page_header v1 = {
        .num_values = number, .definition_level_encoding = 3, .repetition_level_encoding = 3};
    lam_meta_data_page_header_v2 v2 = {.num_values = number,
                                       .num_nulls = number / 2,
                                       .num_rows = number,
                                       .encoding = 8,
                                       .definition_levels_byte_length = number / 8,
                                       .is_compressed = true};
    lam_meta_page_header header = {.has = has_crc ? LAM_META_PAGE_HEADER_HAS_CRC : 0,
                                   .type = is_v2 ? 3 : 0,
                                   .uncompressed_page_size = number * 4,
                                   .compressed_page_size = number * 3,
                                   .crc = number * 77777,
                                   .data_page_header = is_v2 ? NULL : &v1,
                                   .data_page_header_v2 = is_v2 ? &v2 : NULL};
    written_header written;
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    cr_assert_eq(lam_meta_write_page_header(&header, &buffer, NULL), LAM_STATUS_OK);
    cr_assert_leq(buffer.size, sizeof written.bytes);
    memset(written.bytes, 0xEE, sizeof written.bytes);
    memcpy(written.bytes, buffer.data, buffer.size);
    written.size = buffer.size;
    lam_buffer_finish(&buffer);
    return written;
}

static size_t restore(const written_header *pattern, written_header *damaged) {
    return lam_header_restore((lam_bytes){pattern->bytes, pattern->size}, damaged->bytes,
                              sizeof damaged->bytes);
}

Test(header_restore, bytes_that_all_headers_share_come_back_and_numbers_stay) {
    for (int kind = 0; kind < 4; kind++) {
        written_header pattern = write_header(kind % 2, kind / 2, 20);
        written_header whole = write_header(kind % 2, kind / 2, 7000);
        written_header damaged = whole;
        memset(damaged.bytes, 0xFF, 3);
        damaged.bytes[whole.size - 1] = 0x15;
        cr_assert_eq(restore(&pattern, &damaged), whole.size);
        cr_assert_arr_eq(damaged.bytes, whole.bytes, sizeof whole.bytes);
    }
}

Test(header_restore, a_whole_header_is_left_alone) {
    written_header pattern = write_header(true, true, 20), whole = write_header(true, true, 99);
    cr_assert_eq(restore(&pattern, &whole), 0);
}

/* A header with another size in it would lead to where somebody else wants it. */
Test(header_restore, no_number_is_taken_from_the_pattern) {
    written_header pattern = write_header(false, false, 20);
    written_header damaged = write_header(false, false, 20);
    damaged.bytes[0] ^= 0xFF;
    damaged.bytes[3] ^= 0x12; /* of uncompressed_page_size */
    uint8_t number = damaged.bytes[3];
    cr_assert_eq(restore(&pattern, &damaged), pattern.size);
    cr_assert_eq(damaged.bytes[3], number);
}

Test(header_restore, whatever_the_bytes_are_nothing_is_read_or_written_behind_them) {
    lam_random random = lam_random_start(lam_test_seed(3));
    for (int i = 0; i < 20000; i++) {
        written_header pattern = write_header(i % 2, i / 2 % 2, 1 + i), damaged = pattern;
        size_t size = (size_t)lam_random_below(&random, sizeof damaged.bytes + 1);
        for (size_t k = 0; k < size; k++) {
            if (lam_random_chance(&random, 20))
                damaged.bytes[k] = (uint8_t)lam_random_below(&random, 256);
            if (lam_random_chance(&random, 3))
                pattern.bytes[k] = (uint8_t)lam_random_below(&random, 256);
        }
        written_header before = damaged;
        size_t restored = lam_header_restore(
            (lam_bytes){pattern.bytes, (size_t)lam_random_below(&random, pattern.size + 1)},
            damaged.bytes, size);
        cr_assert_leq(restored, size);
        cr_assert_arr_eq(damaged.bytes + size, before.bytes + size, sizeof damaged.bytes - size);
    }
}

Test(header_restore, other_structs_and_statistics_are_no_pattern) {
    static const uint8_t patterns[][8] = {
        {0x18, 1, 'x', 0},          /* a string */
        {0x1C, 0x15, 2, 0, 0},      /* a struct as field 1 */
        {0x5C, 0x1C, 0x15, 2, 0},   /* a struct in a struct */
        {0x15, 0x80, 0x80, 0x80, 0} /* an enumerator of more bytes */
    };
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        uint8_t bytes[8] = {0xFF, 0xFF, 0xFF, 0xFF};
        cr_assert_eq(
            lam_header_restore((lam_bytes){patterns[i], sizeof patterns[i]}, bytes, sizeof bytes),
            0);
    }
}
