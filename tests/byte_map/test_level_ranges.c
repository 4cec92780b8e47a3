/* SPDX-License-Identifier: Apache-2.0 */
/* Levels by hand: those that are the maximum are counted, whether or not they are shown. */
#include "byte_map/encodings/level_ranges.h"

#include <criterion/criterion.h>

#include "byte_map/range_lines.h"
#include "support/ending_input.h"

TestSuite(level_ranges);

/* Levels of a V1 page that begin at `at`, and what is found. */
typedef struct hand_levels {
    lam_byte_levels levels;
    const char *bytes;
    size_t size;
    size_t ends_at;
    uint64_t value_count;
} hand_levels;

static lam_status report_v1(lam_byte_walk *walk, const void *what, lam_error *error) {
    const hand_levels *hand = what;
    lam_byte_levels levels = hand->levels;
    lam_byte_view view = {(const uint8_t *)hand->bytes, hand->size, 10};
    size_t at = 0;
    LAM_TRY(lam_byte_levels_v1(walk, view, &at, &levels, error));
    cr_expect_eq(at, hand->ends_at, "%zu", at);
    cr_expect_eq(levels.value_count, hand->value_count, "%u", (unsigned)levels.value_count);
    return LAM_STATUS_OK;
}

#define LEVELS(encoding_of, most, triples)                                                         \
    {                                                                                              \
        .kind = LAM_BYTE_DEFINITION_LEVELS, .encoding = (encoding_of), .max_level = (most),        \
        .count = (triples)                                                                         \
    }
#define BYTES(text) text, sizeof text - 1

/* Encodings.md: 0 to 7 in 3 bits, the first in the highest bits: 05 39 77. */
Test(level_ranges, levels_of_v1_pages_are_counted_in_both_encodings) {
    static const struct {
        hand_levels hand;
        const char *lines;
    } cases[] = {
        {{LEVELS(LAM_ENCODING_BIT_PACKED, 7, 8), BYTES("\x05\x39\x77\xAA"), 3, 1},
         "0 10+3 definition_levels BIT_PACKED\n1 10+3 packed_group: 0 1 2 3 4 5 6 7\n"},
        {{LEVELS(LAM_ENCODING_BIT_PACKED, 1, 4), BYTES("\xB0"), 1, 3},
         "0 10+1 definition_levels BIT_PACKED\n1 10+1 packed_group: 1 0 1 1\n"},
        {{LEVELS(LAM_ENCODING_BIT_PACKED, 7, 8), BYTES("\x05\x39"), 2, 0},
         "0 10+2 unknown -- the bytes end inside the levels\n"},
        {{LEVELS(LAM_ENCODING_RLE, 1, 4), BYTES("\x02\0\0\0\x08\x01\xAA"), 6, 4},
         "0 10+6 definition_levels RLE\n1 10+4 runs_length: 2\n1 14+2 rle_run: 1\n"
         "2 14+1 run_header: 4 times\n2 15+1 run_value: 1\n"},
        {{LEVELS(LAM_ENCODING_RLE, 1, 4), BYTES("\x02\0\0\0\x08"), 5, 0},
         "0 10+5 unknown -- the bytes end inside the levels\n"},
        {{LEVELS(LAM_ENCODING_RLE, 1, 4), BYTES("\x02\0\0"), 3, 0},
         "0 10+3 unknown -- the bytes end inside the levels\n"},
        {{LEVELS(LAM_ENCODING_RLE, 1, 4), BYTES("\x02\0\0\0\0\0"), 6, 0},
         "0 10+6 definition_levels RLE\n1 10+4 runs_length: 2\n"
         "1 14+2 unknown -- a run of length 0\n"},
        {{LEVELS(LAM_ENCODING_PLAIN, 1, 4), BYTES("\x02\0\0"), 3, 0},
         "0 10+3 unknown -- levels of another encoding than RLE\n"},
        {{LEVELS(LAM_ENCODING_RLE, 0, 4), BYTES("\x02"), 0, 4}, ""},
        {{LEVELS(LAM_ENCODING_RLE, 1, 4), BYTES(""), 0, 4}, ""},
    };
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        lam_range_lines_expect(&walk, report_v1, &cases[i].hand, cases[i].lines);
}

/* --- V2 ------------------------------------------------------------------------------------ */

static lam_status report_v2(lam_byte_walk *walk, const void *what, lam_error *error) {
    const hand_levels *hand = what;
    lam_byte_levels levels = hand->levels;
    LAM_TRY(lam_byte_levels_v2(walk, 0, hand->size, &levels, error));
    cr_expect_eq(levels.value_count, hand->value_count, "%u", (unsigned)levels.value_count);
    return LAM_STATUS_OK;
}

Test(level_ranges, levels_of_v2_pages_are_read_from_the_file) {
    static const uint8_t bytes[] = {0x08, 0x01};
    lam_ending_input file = {.file = {bytes, sizeof bytes}};
    lam_input input = lam_ending_input_of(&file);
    hand_levels hand = {LEVELS(LAM_ENCODING_RLE, 1, 4), NULL, 2, 0, 4};
    lam_error error = lam_error_none();
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    walk.input = &input;
    lam_range_lines_expect(&walk, report_v2, &hand,
                           "0 0+2 definition_levels RLE\n1 0+2 rle_run: 1\n"
                           "2 0+1 run_header: 4 times\n2 1+1 run_value: 1\n");
    for (int i = 0; i < 2; i++) {
        lam_ending_input_again(&file, 1, 0);
        cr_assert_eq(report_v2(&walk, &hand, i == 0 ? &error : NULL), LAM_STATUS_IO);
    }
    cr_assert_eq(error.status, LAM_STATUS_IO);
    lam_ending_input_again(&file, 0, 0);
    walk.limit = 1;
    hand.value_count = 0;
    lam_range_lines_expect(&walk, report_v2, &hand,
                           "0 0+2 unknown -- 2 bytes are above the memory limit of 1 (option "
                           "memory_limit)\n");
}

Test(level_ranges, a_leaf_without_levels_has_as_many_values_as_triples) {
    static const uint8_t bytes[] = {0x08, 0x00};
    lam_ending_input file = {.file = {bytes, sizeof bytes}};
    lam_input input = lam_ending_input_of(&file);
    hand_levels none = {LEVELS(LAM_ENCODING_RLE, 0, 4), NULL, 0, 0, 4};
    lam_byte_walk walk = lam_range_lines_walk(NULL);
    walk.input = &input;
    lam_range_lines_expect(&walk, report_v2, &none, "");
    none.size = 2; /* of no use, but there */
    lam_range_lines_expect(&walk, report_v2, &none,
                           "0 0+2 definition_levels RLE\n1 0+1 rle_run: 0\n"
                           "2 0+1 run_header: 4 times\n"
                           "1 1+1 unknown -- bytes behind the last run\n");
}
