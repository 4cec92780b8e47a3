/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gzip members written by hand from RFC 1952: headers of every form, several members, checksums,
 * and what is none.
 */
#include "codec/codec_gzip.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Members of one stored block each. (RFC 1952, section 2.3; RFC 1951, section 3.2.4) */
#define HEADER "\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\xFF"
#define ABC_BLOCK                                                                                  \
    "\x01\x03\x00\xFC\xFF"                                                                         \
    "abc"
#define ABC_TRAILER "\xC2\x41\x24\x35\x03\x00\x00\x00"
#define ABC HEADER ABC_BLOCK ABC_TRAILER
#define EMPTY                                                                                      \
    HEADER "\x01\x00\x00\xFF\xFF"                                                                  \
           "\x00\x00\x00\x00\x00\x00\x00\x00"

/* Both sides in heap blocks of exactly their size. */
static lam_status decompress(const char *bytes, size_t size, const char *expected,
                             size_t expected_size) {
    lam_gzip gzip = {0};
    uint8_t *from = malloc(size), *to = malloc(expected_size);
    memcpy(from, bytes, size);
    lam_bytes in = {from, size};
    lam_status status = lam_gzip_decompress(&gzip, in, to, expected_size, NULL);
    if (status == LAM_STATUS_OK && expected_size > 0)
        cr_assert_eq(memcmp(to, expected, expected_size), 0);
    lam_gzip_finish(&gzip);
    free(from);
    free(to);
    return status;
}

#define DECOMPRESS(literal, expected)                                                              \
    decompress(literal, sizeof(literal) - 1, expected, sizeof(expected) - 1)

Test(codec_gzip, a_stored_member_is_its_bytes) {
    cr_assert_eq(DECOMPRESS(ABC, "abc"), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(EMPTY, ""), LAM_STATUS_OK);
}

Test(codec_gzip, members_may_follow_each_other_and_be_empty) {
    cr_assert_eq(DECOMPRESS(ABC ABC, "abcabc"), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(EMPTY ABC EMPTY EMPTY ABC EMPTY, "abcabc"), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(EMPTY EMPTY, ""), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(ABC ABC, "abc"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(ABC ABC, "abcabca"), LAM_STATUS_CORRUPT);
}

Test(codec_gzip, members_cut_short_are_corrupt_at_every_byte) {
    for (size_t cut = 0; cut < sizeof(ABC ABC) - 1; cut++)
        cr_assert_eq(decompress(ABC ABC, cut, "abcabc", 6), LAM_STATUS_CORRUPT, "%zu", cut);
}

Test(codec_gzip, a_header_may_have_an_extra_field_a_name_a_comment_and_a_checksum) {
    cr_assert_eq(DECOMPRESS("\x1F\x8B\x08\x1E\x00\x00\x00\x00\x00\xFF"
                            "\x02\x00xy"
                            "name\0"
                            "why\0"
                            "\x18\x93" ABC_BLOCK ABC_TRAILER,
                            "abc"),
                 LAM_STATUS_OK);
}

Test(codec_gzip, zlib_data_and_bare_deflate_are_corrupt) {
    cr_assert_eq(DECOMPRESS("\x78\x01" ABC_BLOCK "\x02\x4D\x01\x27", "abc"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(ABC_BLOCK, "abc"), LAM_STATUS_CORRUPT);
}

Test(codec_gzip, bytes_behind_a_member_are_corrupt_zeros_too) {
    cr_assert_eq(DECOMPRESS(ABC "\x00", "abc"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(ABC "\x1F\x8B", "abc"), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(ABC "................................", "abc"), LAM_STATUS_CORRUPT);
}

Test(codec_gzip, checksum_and_length_are_verified) {
    cr_assert_eq(DECOMPRESS(HEADER "\x01\x03\x00\xFC\xFF"
                                   "abd" ABC_TRAILER,
                            "abd"),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(HEADER ABC_BLOCK "\xC2\x41\x24\x35\x04\x00\x00\x00", "abc"),
                 LAM_STATUS_CORRUPT);
}

Test(codec_gzip, a_level_may_follow_another) {
    lam_gzip gzip = {0};
    lam_allocator allocator = lam_allocator_default();
    static uint8_t data[3000];
    lam_bytes in = {data, sizeof data};
    static const int32_t levels[] = {1, 9, 9, 0, 12, 1};
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * i >> 5);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        cr_assert_eq(lam_gzip_compress(&gzip, levels[i], in, &out, NULL), LAM_STATUS_OK);
        cr_assert_eq(decompress((const char *)out.data, out.size, (const char *)data, sizeof data),
                     LAM_STATUS_OK);
        lam_buffer_finish(&out);
    }
    lam_gzip_finish(&gzip);
}

Test(codec_gzip, more_than_a_page_holds_is_refused_unread) {
    lam_allocator allocator = lam_allocator_default();
    lam_gzip gzip = {0};
    lam_error error;
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_gzip_compress(&gzip, 0,
                                   (lam_bytes){(const uint8_t *)"a", (size_t)INT32_MAX + 1}, &out,
                                   &error),
                 LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    cr_assert_null(gzip.compressor);
}

/* libdeflate gives none for a level that it does not have, as it does without memory. */
Test(codec_gzip, where_there_is_no_compressor_the_next_call_makes_one) {
    lam_allocator allocator = lam_allocator_default();
    lam_gzip gzip = {0};
    lam_buffer out;
    lam_bytes in = {(const uint8_t *)"abc", 3};
    uint8_t back[3];
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_gzip_compress(&gzip, 6, in, &out, NULL), LAM_STATUS_OK);
    lam_buffer_clear(&out);
    cr_assert_eq(lam_gzip_compress(&gzip, 99, in, &out, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(out.size, 0);
    cr_assert_eq(lam_gzip_compress(&gzip, 6, in, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_gzip_decompress(&gzip, lam_buffer_bytes(&out), back, 3, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(back, "abc", 3);
    lam_buffer_finish(&out);
    lam_gzip_finish(&gzip);
}
