/* SPDX-License-Identifier: Apache-2.0 */
/* LZ4_RAW blocks written by hand, with their memory on the allocator. */
#include "codec/codec_lz4_raw.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_alloc.h"

/* Both sides in heap blocks of exactly their size. */
static lam_status decompress(const void *bytes, size_t size, const void *expected,
                             size_t expected_size) {
    uint8_t *from = malloc(size), *to = malloc(expected_size);
    memcpy(from, bytes, size);
    lam_bytes in = {from, size};
    lam_status status = lam_lz4_raw_decompress(in, to, expected_size, NULL);
    if (status == LAM_STATUS_OK && expected_size > 0)
        cr_assert_eq(memcmp(to, expected, expected_size), 0);
    free(from);
    free(to);
    return status;
}

#define DECOMPRESS(literal, expected)                                                              \
    decompress(literal, sizeof(literal) - 1, expected, sizeof(expected) - 1)

/* Three literals, a copy of ten from three back, five literals. (LZ4 Block Format Description) */
#define SIX_TIMES_ABC                                                                              \
    "\x36"                                                                                         \
    "abc\x03\x00\x50"                                                                              \
    "bcabc"

Test(codec_lz4_raw, a_block_is_literals_and_copies) {
    cr_assert_eq(DECOMPRESS(SIX_TIMES_ABC, "abcabcabcabcabcabc"), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS("\xF0\x02"
                            "ABCDEFGHIJKLMNOPQ",
                            "ABCDEFGHIJKLMNOPQ"),
                 LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS("\x00", ""), LAM_STATUS_OK);
}

Test(codec_lz4_raw, a_copy_from_before_the_start_is_corrupt) {
    cr_assert_eq(DECOMPRESS("\x36"
                            "abc\x04\x00\x50"
                            "bcabc",
                            "abcabcabcabcabcabc"),
                 LAM_STATUS_CORRUPT);
}

Test(codec_lz4_raw, a_block_must_give_the_stated_size_and_be_all) {
    cr_assert_eq(DECOMPRESS(SIX_TIMES_ABC, "abcabcabcabcabcab"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(SIX_TIMES_ABC, "abcabcabcabcabcabca"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(SIX_TIMES_ABC "\x00", "abcabcabcabcabcabc"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(SIX_TIMES_ABC, ""), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS("\x00", "a"), LAM_STATUS_CORRUPT);
    for (size_t cut = 0; cut < sizeof SIX_TIMES_ABC - 1; cut++)
        cr_assert_eq(decompress(SIX_TIMES_ABC, cut, "abcabcabcabcabcabc", 18), LAM_STATUS_CORRUPT);
}

Test(codec_lz4_raw, a_page_beyond_what_the_library_counts_is_corrupt) {
    uint8_t byte = 0;
    lam_bytes in = {&byte, 1};
    cr_assert_eq(lam_lz4_raw_decompress(in, &byte, (size_t)INT32_MAX + 1, NULL),
                 LAM_STATUS_CORRUPT);
}

Test(codec_lz4_raw, the_table_lives_on_the_allocator_and_is_used_again) {
    static uint8_t data[3000];
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_allocator heap = lam_allocator_default();
    lam_lz4_raw lz4 = {&allocator, NULL};
    lam_bytes in = {data, sizeof data};
    lam_buffer out;
    lam_buffer_init(&out, &heap);
    cr_assert_eq(lam_lz4_raw_compress(&lz4, in, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(counter.requests, 1);
    cr_assert_eq(lam_lz4_raw_compress(&lz4, in, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(counter.requests, 1);
    lam_buffer_finish(&out);
    lam_lz4_raw_finish(&lz4);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(codec_lz4_raw, more_than_the_library_counts_is_refused_unread) {
    lam_allocator allocator = lam_allocator_default();
    lam_lz4_raw lz4 = {&allocator, NULL};
    uint8_t byte = 0;
    lam_bytes in = {&byte, (size_t)INT32_MAX + 1};
    lam_error error;
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_lz4_raw_compress(&lz4, in, &out, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    cr_assert_null(lz4.table);
    cr_assert_eq(lam_lz4_raw_decompress(in, &byte, 1, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_PAGE_BODY);
}
