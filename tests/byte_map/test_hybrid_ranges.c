/* SPDX-License-Identifier: Apache-2.0 */
/* Runs and packed groups: they say what the decoder reads, and name what it refuses. */
#include "byte_map/encodings/hybrid_ranges.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoding/rle.h"
#include "support/random.h"

TestSuite(hybrid_ranges);

enum { NUMBERS_MOST = 3000 };

/* Numbers as ranges say them, and lines of the ranges. */
typedef struct heard {
    uint32_t numbers[NUMBERS_MOST];
    size_t count;
    char lines[2000];
    size_t size;
} heard;

static lam_status hear(void *state, const lam_byte_range *range, bool *expand, lam_error *error) {
    heard *all = state;
    (void)expand;
    (void)error;
    int size = snprintf(all->lines + all->size, sizeof all->lines - all->size,
                        "%u %s %u+%u%s%s%s%s\n", range->depth, lam_byte_kind_name(range->kind),
                        (unsigned)range->begin, (unsigned)range->length,
                        range->value == NULL ? "" : ": ", range->value == NULL ? "" : range->value,
                        range->note == NULL ? "" : " -- ", range->note == NULL ? "" : range->note);
    if (size > 0 && (size_t)size < sizeof all->lines - all->size)
        all->size += (size_t)size;
    if (range->kind == LAM_BYTE_RLE_RUN)
        for (int64_t i = 0; i < range->count; i++)
            all->numbers[all->count++] = (uint32_t)strtoul(range->value, NULL, 10);
    if (range->kind != LAM_BYTE_PACKED_GROUP)
        return LAM_STATUS_OK;
    cr_assert_eq((size_t)range->first, all->count);
    const char *next = range->value;
    for (int64_t i = 0; i < range->count; i++) {
        char *end;
        all->numbers[all->count++] = (uint32_t)strtoul(next, &end, 10);
        next = end;
    }
    return LAM_STATUS_OK;
}

static void walk_runs(heard *all, const void *bytes, size_t size, unsigned width, uint64_t count) {
    lam_byte_walk walk = {.visitor = hear, .state = all};
    lam_byte_view view = {bytes, size, 0};
    all->count = all->size = 0;
    all->lines[0] = '\0';
    cr_assert_eq(lam_byte_runs(&walk, view, width, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(walk.depth, 0);
}

Test(hybrid_ranges, say_what_was_encoded) {
    static heard all;
    static uint32_t numbers[NUMBERS_MOST];
    lam_random random = lam_random_start(11);
    for (int round = 0; round < 300; round++) {
        lam_allocator allocator = lam_allocator_default();
        lam_buffer bytes;
        lam_rle_encoder encoder;
        unsigned width = 1 + (unsigned)lam_random_below(&random, 32);
        size_t count = (size_t)lam_random_below(&random, 500);
        for (size_t i = 0; i < count; i++)
            numbers[i] = i > 0 && lam_random_chance(&random, 70)
                             ? numbers[i - 1]
                             : (uint32_t)(lam_random_next(&random) >> (64 - width));
        lam_buffer_init(&bytes, &allocator);
        lam_rle_encoder_init(&encoder, lam_kernels_get(), width, &bytes);
        cr_assert_eq(lam_rle_write_indexes(&encoder, numbers, count, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
        walk_runs(&all, bytes.data, bytes.size, width, count);
        cr_assert_eq(all.count, count, "round %d", round);
        cr_assert_eq(memcmp(all.numbers, numbers, count * sizeof *numbers), 0, "round %d", round);
        lam_buffer_finish(&bytes);
    }
}

Test(hybrid_ranges, the_example_of_the_specification) {
    static heard all;
    /* The numbers 0 to 7 in 3 bits each. */
    walk_runs(&all, "\x03\x88\xC6\xFA\x08\x05", 6, 3, 12);
    cr_assert_str_eq(all.lines, "0 bit_packed_run 0+4\n"
                                "1 run_header 0+1: 8 packed\n"
                                "1 packed_group 1+3: 0 1 2 3 4 5 6 7\n"
                                "0 rle_run 4+2: 5\n"
                                "1 run_header 4+1: 4 times\n"
                                "1 run_value 5+1: 5\n");
}

Test(hybrid_ranges, groups_behind_the_last_number_are_padding) {
    static heard all;
    walk_runs(&all, "\x05\xFF\x00", 3, 1, 3);
    cr_assert_str_eq(all.lines, "0 bit_packed_run 0+3\n"
                                "1 run_header 0+1: 16 packed\n"
                                "1 packed_group 1+1: 1 1 1\n"
                                "1 padding 2+1\n");
}

Test(hybrid_ranges, damage_is_named) {
    static const struct {
        const char *bytes;
        size_t size;
        unsigned width;
        const char *lines;
    } cases[] = {
        {"\x00\x01", 2, 1, "0 unknown 0+2 -- a run of length 0\n"},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x01", 12, 1,
         "0 unknown 0+12 -- the bytes end inside the header of a run\n"},
        {"\x80", 1, 1, "0 unknown 0+1 -- the bytes end inside the header of a run\n"},
        {"\x04\x01", 2, 9, "0 unknown 0+2 -- the bytes end inside a run\n"},
        {"\x04", 1, 33, "0 unknown 0+1 -- bit width 33\n"},
        {"\xFF\xFF\xFF\xFF\xFF\x7F", 6, 1,
         "0 unknown 0+6 -- a run of more numbers than a page can have\n"},
        {"\x08\x01\x00", 3, 1,
         "0 rle_run 0+2: 1\n1 run_header 0+1: 4 times\n1 run_value 1+1: 1\n"
         "0 unknown 2+1 -- bytes behind the last run\n"},
    };
    static heard all;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        walk_runs(&all, cases[i].bytes, cases[i].size, cases[i].width, 4);
        cr_expect_str_eq(all.lines, cases[i].lines, "case %zu: %s", i, all.lines);
    }
}

/* Encodings.md: 0 to 7 in 3 bits, the first in the highest bits: 05 39 77. */
Test(hybrid_ranges, deprecated_levels_begin_with_the_highest_bit) {
    static heard all;
    lam_byte_walk walk = {.visitor = hear, .state = &all};
    lam_byte_view view = {(const uint8_t *)"\x05\x39\x77", 3, 0};
    lam_byte_packed packed = {.bit_width = 3, .count = 8, .is_reversed = true};
    all.count = all.size = 0;
    cr_assert_eq(lam_byte_groups(&walk, view, &packed, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(all.lines, "0 packed_group 0+3: 0 1 2 3 4 5 6 7\n");
}
