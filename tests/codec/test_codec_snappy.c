/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snappy blocks written by hand; what cannot be a block is corrupt, and no exception leaves the
 * library without memory.
 */
#include "codec/codec_snappy.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_malloc.h"

static lam_status decompress(const char *bytes, size_t size, uint8_t *out, size_t out_size) {
    lam_bytes in = {(const uint8_t *)bytes, size};
    return lam_snappy_decompress(in, out, out_size, NULL);
}

Test(codec_snappy, a_block_is_its_length_literals_and_copies) {
    /* Length 9; a literal of three bytes; a copy of six from three back. */
    uint8_t out[9];
    cr_assert_eq(decompress("\x09\x08"
                            "abc\x09\x03",
                            7, out, 9),
                 LAM_STATUS_OK);
    cr_assert_arr_eq(out, "abcabcabc", 9);
}

Test(codec_snappy, a_copy_from_before_the_start_is_corrupt) {
    uint8_t out[9];
    cr_assert_eq(decompress("\x09\x08"
                            "abc\x09\x04",
                            7, out, 9),
                 LAM_STATUS_CORRUPT);
}

Test(codec_snappy, a_length_of_4_gib_in_front_of_nothing_is_corrupt) {
    uint8_t out[9];
    cr_assert_eq(decompress("\xFF\xFF\xFF\xFF\x0F", 5, out, 9), LAM_STATUS_CORRUPT);
    cr_assert_eq(decompress("\xFF\xFF\xFF\xFF\xFF\x0F", 6, out, 9), LAM_STATUS_CORRUPT);
}

/* libsnappy threw std::bad_alloc through its C interface, which ended the process. */
Test(codec_snappy, without_memory_it_fails_and_no_exception_leaves_it) {
    enum { SIZE = 100000 };
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    size_t requests = 1;
    uint8_t *bytes = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * i >> 7);
    lam_bytes in = {bytes, SIZE};
    for (size_t n = 1; n <= requests + 1; n++) {
        lam_error error = lam_error_none();
        lam_buffer_init(&out, &allocator);
        lam_fail_malloc_at(n);
        lam_status status = lam_snappy_compress(in, &out, &error);
        requests = lam_fail_malloc_end();
        cr_assert_eq(status, n <= requests ? LAM_STATUS_NOMEM : LAM_STATUS_OK, "request %zu: %s", n,
                     error.message);
        if (status != LAM_STATUS_OK)
            cr_expect_eq(out.size, 0);
        else
            cr_assert_eq(lam_snappy_decompress(lam_buffer_bytes(&out), bytes, SIZE, NULL),
                         LAM_STATUS_OK);
        lam_buffer_finish(&out);
    }
    cr_expect_gt(requests, 0);
    free(bytes);
}

Test(codec_snappy, the_beginning_of_a_block_is_what_its_elements_give) {
    static const struct {
        const char *block;
        size_t size;
        const char *out; /* at most eight bytes */
    } cases[] = {
        {"\x06\x04"
         "ab\x01\x02",
         6, "ababab"}, /* a copy of 4 from 2 back */
        {"\x06\x04"
         "ab\x0E\x02\0",
         7, "ababab"}, /* with 2 bytes of offset */
        {"\x06\x04"
         "ab\x0F\x02\0\0\0",
         9, "ababab"}, /* with 4 */
        {"\xFF\x01\x04"
         "ab\x19\x02",
         7, "abababab"}, /* more than there is room for */
        {"\x06\x14"
         "abc",
         5, "abc"}, /* a literal that is cut short */
        {"\x06\xF0\x05"
         "abcdef",
         9, "abcdef"}, /* one byte of length */
        {"\x06\xFC\x05\0\0\0"
         "abcdef",
         12, "abcdef"}, /* four */
        {"\x06\x04"
         "ab\x01\x03",
         6, "ab"}, /* a copy from before the start */
        {"\x06\x04"
         "ab\x01\0",
         6, "ab"},
        {"\x06\x04"
         "ab\x01",
         5, "ab"},
        {"\x06\xF0", 2, ""},
        {"\x06", 1, ""},
        {"\xFF\xFF\xFF\xFF\xFF\x0F\0"
         "a",
         8, ""},
        {"", 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *in = malloc(cases[i].size), out[8];
        memcpy(in, cases[i].block, cases[i].size);
        size_t given = lam_snappy_decompress_prefix((lam_bytes){in, cases[i].size}, out, 8);
        cr_assert_eq(given, strlen(cases[i].out), "case %zu: %zu", i, given);
        cr_assert_eq(memcmp(out, cases[i].out, given), 0, "case %zu", i);
        free(in);
    }
}

Test(codec_snappy, more_than_a_page_holds_is_refused_unread) {
    lam_allocator allocator = lam_allocator_default();
    lam_error error;
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(
        lam_snappy_compress((lam_bytes){(const uint8_t *)"a", (size_t)INT32_MAX + 1}, &out, &error),
        LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    cr_assert_eq(out.capacity, 0);
}
