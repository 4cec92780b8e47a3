/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The old LZ4 codec in its four forms, bare blocks, Hadoop's and frames, put together by hand and
 * changed byte by byte.
 */
#include "codec/codec_lz4.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/bytes.h"
#include "support/random.h"

/* Three literals, a copy of ten from three back, five literals: "abc" six times. */
#define BLOCK                                                                                      \
    "\x36"                                                                                         \
    "abc\x03\x00\x50"                                                                              \
    "bcabc"
#define SIX "abcabcabcabcabcabc"
#define XYZ_BLOCK                                                                                  \
    "\x30"                                                                                         \
    "xyz"

/* Hadoop: sizes with the highest byte first. */
#define PART(size) "\x00\x00\x00" size
#define SIZED(size) "\x00\x00\x00" size
#define HADOOP PART("\x12") SIZED("\x0C") BLOCK

/* A frame with one stored block. */
#define MAGIC "\x04\x22\x4D\x18"
#define STORED_ABC                                                                                 \
    "\x03\x00\x00\x80"                                                                             \
    "abc"
#define END "\x00\x00\x00\x00"
#define FRAME MAGIC "\x60\x40\x82" STORED_ABC END
#define SKIPPABLE                                                                                  \
    "\x5A\x2A\x4D\x18\x02\x00\x00\x00"                                                             \
    "??"

/* Both sides in heap blocks of exactly their size. */
static lam_status decompress(const void *bytes, size_t size, const void *expected,
                             size_t expected_size) {
    uint8_t *from = malloc(size), *to = malloc(expected_size);
    memcpy(from, bytes, size);
    lam_bytes in = {from, size};
    lam_status status = lam_lz4_decompress(in, to, expected_size, NULL);
    if (status == LAM_STATUS_OK && expected_size > 0)
        cr_assert_eq(memcmp(to, expected, expected_size), 0);
    free(from);
    free(to);
    return status;
}

#define DECOMPRESS(literal, expected)                                                              \
    decompress(literal, sizeof(literal) - 1, expected, sizeof(expected) - 1)

/* Nothing short of the whole is right, and nothing behind it. */
static void expect_all_of_it(const char *bytes, size_t size, const char *expected,
                             size_t expected_size) {
    cr_assert_eq(decompress(bytes, size, expected, expected_size), LAM_STATUS_OK);
    cr_assert_eq(decompress(bytes, size, expected, expected_size - 1), LAM_STATUS_CORRUPT);
    cr_assert_eq(decompress(bytes, size, expected, expected_size + 1), LAM_STATUS_CORRUPT);
    for (size_t cut = 0; cut < size; cut++)
        cr_assert_eq(decompress(bytes, cut, expected, expected_size), LAM_STATUS_CORRUPT, "%zu",
                     cut);
    char *longer = malloc(size + 1);
    memcpy(longer, bytes, size);
    longer[size] = 0;
    cr_assert_eq(decompress(longer, size + 1, expected, expected_size), LAM_STATUS_CORRUPT);
    free(longer);
}

#define ALL_OF_IT(literal, expected)                                                               \
    expect_all_of_it(literal, sizeof(literal) - 1, expected, sizeof(expected) - 1)

Test(codec_lz4, a_bare_block_is_read) {
    ALL_OF_IT(BLOCK, SIX);
    ALL_OF_IT(XYZ_BLOCK, "xyz");
}

Test(codec_lz4, a_hadoop_part_of_one_block_is_read) {
    ALL_OF_IT(HADOOP, SIX);
}

Test(codec_lz4, a_hadoop_part_may_have_several_blocks) {
    ALL_OF_IT(PART("\x15") SIZED("\x0C") BLOCK SIZED("\x04") XYZ_BLOCK, SIX "xyz");
    ALL_OF_IT(PART("\x18") SIZED("\x04") XYZ_BLOCK SIZED("\x0C") BLOCK SIZED("\x04") XYZ_BLOCK,
              "xyz" SIX "xyz");
}

Test(codec_lz4, hadoop_parts_may_follow_each_other) {
    ALL_OF_IT(HADOOP PART("\x03") SIZED("\x04") XYZ_BLOCK HADOOP, SIX "xyz" SIX);
}

Test(codec_lz4, a_hadoop_block_does_not_reach_into_the_one_before) {
    /* A copy of four from three back at the start of the second block. */
    cr_assert_eq(DECOMPRESS(PART("\x08") SIZED("\x04") XYZ_BLOCK SIZED("\x05") "\x00\x03\x00\x10"
                                                                               "y",
                            "xyzxyzxy"),
                 LAM_STATUS_CORRUPT);
}

Test(codec_lz4, a_hadoop_part_gives_what_it_states) {
    cr_assert_eq(DECOMPRESS(PART("\x11") SIZED("\x0C") BLOCK, SIX), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(PART("\x13") SIZED("\x0C") BLOCK, SIX), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(PART("\x12") SIZED("\x0B") BLOCK, SIX), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(PART("\x12") SIZED("\x0D") BLOCK, SIX), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(PART("\x12") SIZED("\x00") SIZED("\x0C") BLOCK, SIX),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF" BLOCK, SIX), LAM_STATUS_CORRUPT);
}

Test(codec_lz4, nothing_has_four_forms) {
    cr_assert_eq(DECOMPRESS("\x00", ""), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(PART("\x00"), ""), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(PART("\x00") SIZED("\x01") "\x00", ""), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(MAGIC "\x60\x40\x82" END, ""), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(HADOOP PART("\x00"), SIX), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS("\x00\x00", ""), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS("\x01", ""), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(BLOCK, ""), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(HADOOP, ""), LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(FRAME, ""), LAM_STATUS_CORRUPT);
}

Test(codec_lz4, frames_are_read_one_or_several) {
    ALL_OF_IT(FRAME, "abc");
    ALL_OF_IT(MAGIC "\x60\x40\x82\x0C\x00\x00\x00" BLOCK END, SIX);
    cr_assert_eq(DECOMPRESS(FRAME FRAME, "abcabc"), LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(SKIPPABLE FRAME SKIPPABLE SKIPPABLE FRAME SKIPPABLE, "abcabc"),
                 LAM_STATUS_OK);
    cr_assert_eq(DECOMPRESS(FRAME "\x5A\x2A\x4D\x18\x03\x00\x00\x00"
                                  "??",
                            "abc"),
                 LAM_STATUS_CORRUPT);
}

Test(codec_lz4, the_checksums_of_a_frame_are_verified) {
    ALL_OF_IT(MAGIC "\x64\x40\xA7" STORED_ABC END "\xFF\x53\xD1\x32", "abc");
    cr_assert_eq(DECOMPRESS(MAGIC "\x64\x40\xA7" STORED_ABC END "\xFF\x53\xD1\x33", "abc"),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(DECOMPRESS(MAGIC "\x60\x40\x83" STORED_ABC END, "abc"), LAM_STATUS_CORRUPT);
}

/* --- Frames put together ------------------------------------------------------------------- */

typedef struct frame_text {
    uint8_t bytes[500];
    size_t size;
} frame_text;

static void put(frame_text *f, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        f->bytes[f->size++] = ((const uint8_t *)bytes)[i];
}

static void put_le32(frame_text *f, uint32_t number) {
    uint8_t bytes[4];
    lam_store_le32(bytes, number);
    put(f, bytes, 4);
}

/* Magic number, flags, block maximum, and what else the flags bring. */
static frame_text start_frame(uint8_t flags, uint8_t block_max, const void *more,
                              size_t more_size) {
    frame_text f = {.size = 0};
    put(&f, MAGIC, 4);
    put(&f, &flags, 1);
    put(&f, &block_max, 1);
    put(&f, more, more_size);
    uint8_t check = (uint8_t)(XXH32(f.bytes + 4, f.size - 4, 0) >> 8);
    put(&f, &check, 1);
    return f;
}

static lam_status decompress_frame(const frame_text *f, const char *expected) {
    return decompress(f->bytes, f->size, expected, strlen(expected));
}

/* "abc" stored, then a copy of nine from three back and the literals "!!!!!". */
static lam_status try_linked(uint8_t flags) {
    frame_text f = start_frame(flags, 0x40, NULL, 0);
    put(&f, STORED_ABC, 7);
    put_le32(&f, 9);
    put(&f, "\x05\x03\x00\x50!!!!!", 9);
    put_le32(&f, 0);
    return decompress_frame(&f, "abcabcabcabc!!!!!");
}

Test(codec_lz4, only_linked_blocks_of_a_frame_reach_into_those_before) {
    cr_assert_eq(try_linked(0x40), LAM_STATUS_OK);
    cr_assert_eq(try_linked(0x60), LAM_STATUS_CORRUPT);
}

Test(codec_lz4, a_linked_block_does_not_reach_into_the_frame_before) {
    frame_text f = start_frame(0x60, 0x40, NULL, 0), second = start_frame(0x40, 0x40, NULL, 0);
    put(&f, STORED_ABC END, 11);
    put_le32(&second, 9);
    put(&second, "\x05\x03\x00\x50!!!!!", 9);
    put_le32(&second, 0);
    put(&f, second.bytes, second.size);
    cr_assert_eq(decompress_frame(&f, "abcabcabcabc!!!!!"), LAM_STATUS_CORRUPT);
}

Test(codec_lz4, the_checksum_of_each_block_is_verified) {
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
        frame_text f = start_frame(0x70, 0x40, NULL, 0);
        put(&f, STORED_ABC, 7);
        put_le32(&f, XXH32("abc", 3, 0));
        put_le32(&f, 12);
        put(&f, BLOCK, 12);
        put_le32(&f, XXH32(BLOCK, 12, 0) + wrong);
        put_le32(&f, 0);
        cr_assert_eq(decompress_frame(&f, "abc" SIX), wrong ? LAM_STATUS_CORRUPT : LAM_STATUS_OK);
    }
}

Test(codec_lz4, a_frame_that_states_its_size_gives_it) {
    for (uint8_t size = 2; size < 5; size++) {
        uint8_t stated[8] = {size};
        frame_text f = start_frame(0x68, 0x70, stated, 8);
        put(&f, STORED_ABC END, 11);
        cr_assert_eq(decompress_frame(&f, "abc"), size == 3 ? LAM_STATUS_OK : LAM_STATUS_CORRUPT);
    }
}

Test(codec_lz4, flags_that_no_frame_has_and_dictionaries_are_corrupt) {
    static const uint8_t flags[] = {0x20, 0xA0, 0x62};
    for (size_t i = 0; i < sizeof flags; i++) {
        frame_text f = start_frame(flags[i], 0x40, NULL, 0);
        put(&f, STORED_ABC END, 11);
        cr_assert_eq(decompress_frame(&f, "abc"), LAM_STATUS_CORRUPT);
    }
    static const uint8_t block_max[] = {0x30, 0x41, 0xC0};
    for (size_t i = 0; i < sizeof block_max; i++) {
        frame_text f = start_frame(0x60, block_max[i], NULL, 0);
        put(&f, STORED_ABC END, 11);
        cr_assert_eq(decompress_frame(&f, "abc"), LAM_STATUS_CORRUPT);
    }
    frame_text f = start_frame(0x61, 0x40, "dict", 4);
    put(&f, STORED_ABC END, 11);
    cr_assert_eq(decompress_frame(&f, "abc"), LAM_STATUS_CORRUPT);
}

Test(codec_lz4, a_block_above_the_maximum_of_its_frame_is_corrupt) {
    static uint8_t zeros[65537];
    static uint8_t bytes[sizeof zeros + 100];
    for (uint32_t size = 65536; size <= 65537; size++) {
        frame_text f = start_frame(0x60, 0x40, NULL, 0);
        put_le32(&f, size | 0x80000000u);
        memcpy(bytes, f.bytes, f.size);
        memset(bytes + f.size, 0, size + 4);
        cr_assert_eq(decompress(bytes, f.size + size + 4, zeros, size),
                     size == 65536 ? LAM_STATUS_OK : LAM_STATUS_CORRUPT);
    }
}

Test(codec_lz4, changed_bytes_give_an_error_or_the_stated_size) {
    static const char *const forms[] = {
        HADOOP PART("\x03") SIZED("\x04") XYZ_BLOCK,
        MAGIC "\x60\x40\x82\x0C\x00\x00\x00" BLOCK STORED_ABC END,
        BLOCK,
    };
    static const size_t sizes[] = {32, 34, 12}, expected_sizes[] = {21, 21, 18};
    lam_random random = lam_random_start(lam_test_seed(57));
    for (int round = 0; round < 60000; round++) {
        size_t form = (size_t)round % 3, size = sizes[form];
        uint8_t *changed = malloc(size), *back = malloc(expected_sizes[form]);
        memcpy(changed, forms[form], size);
        for (uint64_t n = lam_random_below(&random, 3) + 1; n > 0; n--)
            changed[lam_random_below(&random, size)] = (uint8_t)lam_random_next(&random);
        lam_bytes in = {changed, size};
        lam_status status = lam_lz4_decompress(in, back, expected_sizes[form], NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT);
        free(changed);
        free(back);
    }
}

Test(codec_lz4, what_is_none_of_the_forms_is_named) {
    uint8_t out[3];
    lam_error error = lam_error_none();
    lam_bytes in = {(const uint8_t *)"\xFF\xFF", 2};
    cr_assert_eq(lam_lz4_decompress(in, out, 3, &error), LAM_STATUS_CORRUPT);
    cr_assert_str_eq(error.message, "2 bytes of LZ4 give 3 bytes neither as frames nor as Hadoop's "
                                    "blocks nor as one block");
}

Test(codec_lz4, a_page_beyond_what_the_library_counts_is_corrupt) {
    uint8_t out[3] = {1, 2, 3};
    lam_bytes in = {(const uint8_t *)"\x00", 1};
    cr_assert_eq(lam_lz4_decompress(in, out, (size_t)INT32_MAX + 1, NULL), LAM_STATUS_CORRUPT);
    cr_assert(out[0] == 1 && out[1] == 2 && out[2] == 3);
}
