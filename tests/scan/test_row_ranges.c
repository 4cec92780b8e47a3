/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of rows are cut, joined and made of bits. */
#include "scan/prune/row_ranges.h"

#include <criterion/criterion.h>

#include "support/random.h"

enum { ROWS = 60 };

Test(row_ranges, cutting_keeps_the_rows_between_skip_and_most) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_allocator allocator = lam_allocator_default();
    lam_row_ranges ranges;
    lam_row_ranges_init(&ranges, &allocator);
    for (int round = 0; round < 5000; round++) {
        bool wanted[ROWS];
        lam_row_ranges_clear(&ranges);
        for (size_t i = 0; i < ROWS; i++)
            wanted[i] = lam_random_chance(&random, 50);
        for (size_t i = 0; i < ROWS; i++)
            if (wanted[i])
                cr_assert_eq(lam_row_ranges_add(&ranges, i, i + 1, NULL), LAM_STATUS_OK);
        uint64_t skip = lam_random_below(&random, ROWS), most = lam_random_below(&random, ROWS);
        lam_row_ranges_cut(&ranges, skip, most);
        uint64_t passed = 0, kept = 0;
        for (size_t i = 0; i < ROWS; i++) {
            bool keep = wanted[i] && passed++ >= skip && kept < most;
            kept += keep;
            bool found = false;
            for (size_t k = 0; k < lam_row_ranges_count(&ranges); k++) {
                lam_row_range range = lam_row_ranges_at(&ranges, k);
                cr_assert_lt(range.begin, range.end);
                found = found || (range.begin <= i && i < range.end);
            }
            cr_assert_eq(found, keep);
        }
        cr_assert_eq(ranges.rows, kept);
    }
    lam_row_ranges_finish(&ranges);
}

Test(row_ranges, ranges_that_touch_are_one) {
    lam_allocator allocator = lam_allocator_default();
    lam_row_ranges ranges;
    lam_row_ranges_init(&ranges, &allocator);
    cr_assert_eq(lam_row_ranges_add(&ranges, 0, 5, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_row_ranges_add(&ranges, 5, 5, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_row_ranges_add(&ranges, 5, 8, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_row_ranges_add(&ranges, 9, 10, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_row_ranges_count(&ranges), 2);
    cr_expect_eq(ranges.rows, 9);
    lam_row_ranges_finish(&ranges);
}

/* Several calls that follow each other, with gaps and without, at any number of bits. */
Test(row_ranges, rows_by_bits_are_the_same_as_rows_one_by_one) {
    lam_random random = lam_random_start(lam_test_seed(2));
    lam_allocator allocator = lam_allocator_default();
    lam_row_ranges ranges, expected;
    lam_row_ranges_init(&ranges, &allocator);
    lam_row_ranges_init(&expected, &allocator);
    for (int round = 0; round < 5000; round++) {
        uint64_t row = lam_random_below(&random, 100);
        lam_row_ranges_clear(&ranges);
        lam_row_ranges_clear(&expected);
        for (int call = 0; call < 3; call++) {
            uint8_t bits[32] = {0};
            size_t count = lam_random_below(&random, 8 * sizeof bits + 1);
            unsigned percent = (unsigned[]){0, 10, 50, 97, 100}[lam_random_below(&random, 5)];
            for (size_t i = 0; i < count; i++) {
                bool is_wanted = lam_random_chance(&random, percent);
                bits[i / 8] = (uint8_t)(bits[i / 8] | is_wanted << i % 8);
                if (is_wanted)
                    cr_assert_eq(lam_row_ranges_add(&expected, row + i, row + i + 1, NULL),
                                 LAM_STATUS_OK);
            }
            cr_assert_eq(lam_row_ranges_add_bits(&ranges, row, bits, count, NULL), LAM_STATUS_OK);
            row += count + lam_random_below(&random, 2);
        }
        cr_assert_eq(ranges.rows, expected.rows);
        cr_assert_eq(lam_row_ranges_count(&ranges), lam_row_ranges_count(&expected));
        for (size_t i = 0; i < lam_row_ranges_count(&ranges); i++) {
            cr_assert_eq(lam_row_ranges_at(&ranges, i).begin,
                         lam_row_ranges_at(&expected, i).begin);
            cr_assert_eq(lam_row_ranges_at(&ranges, i).end, lam_row_ranges_at(&expected, i).end);
        }
    }
    lam_row_ranges_finish(&ranges);
    lam_row_ranges_finish(&expected);
}
