/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of wanted rows are those that a cursor goes through. */
#include "scan/evaluate/row_list.h"

#include <criterion/criterion.h>

#include "support/failing_alloc.h"
#include "support/random.h"

enum { ROWS = 20000 };

/* Ranges of any lengths and gaps. */
static void fill(lam_row_ranges *ranges, lam_random *random) {
    static const uint64_t sizes[] = {1, 4, 100, 600, 5000};
    uint64_t longest = sizes[lam_random_below(random, 5)];
    uint64_t widest = sizes[lam_random_below(random, 5)];
    lam_row_ranges_clear(ranges);
    for (uint64_t at = lam_random_below(random, widest + 1); at < ROWS;) {
        uint64_t end = at + 1 + lam_random_below(random, longest);
        end = end < ROWS ? end : ROWS;
        cr_assert_eq(lam_row_ranges_add(ranges, at, end, NULL), LAM_STATUS_OK);
        at = end + 1 + lam_random_below(random, widest);
    }
}

/* Compares the rows of a list with those of the ranges from number `first` on. */
static void expect_rows(const lam_row_list *list, const lam_row_ranges *ranges, uint64_t first,
                        uint64_t count) {
    uint64_t seen = first;
    for (size_t i = 0; i < lam_row_list_count(list); i++) {
        const lam_row_list_item *item = lam_row_list_at(list, i);
        const uint16_t *offsets = lam_row_list_offsets(list, item);
        cr_assert_eq(offsets == NULL, item->batch.is_whole);
        for (uint64_t k = 0; k < item->batch.wanted_rows; k++, seen++) {
            uint64_t row = item->batch.begin + (offsets == NULL ? k : offsets[k]);
            cr_assert_eq(row, lam_row_ranges_row(ranges, seen));
            cr_assert_lt(row, item->batch.begin + item->batch.rows);
        }
    }
    cr_assert_eq(seen, first + count);
}

Test(row_list, the_rows_of_a_list_are_those_that_follow_the_cursor) {
    lam_allocator allocator = lam_allocator_default();
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_row_ranges ranges;
    lam_row_list list;
    lam_row_ranges_init(&ranges, &allocator);
    lam_row_list_init(&list, &allocator);
    for (int round = 0; round < 20; round++) {
        lam_row_cursor cursor;
        fill(&ranges, &random);
        lam_row_cursor_init(&cursor, &ranges, NULL);
        for (uint64_t first = 0, some; first < ranges.rows; first += some) {
            uint64_t left = ranges.rows - first;
            some = lam_random_chance(&random, 50) ? left : 1 + lam_random_below(&random, 3000);
            some = some < left ? some : left;
            cr_assert_eq(lam_row_list_make(&list, &cursor, some, NULL), LAM_STATUS_OK);
            expect_rows(&list, &ranges, first, some);
            lam_row_cursor_go(&cursor, &list.end);
        }
        cr_assert(lam_row_cursor_at_end(&cursor));
    }
    lam_row_list_finish(&list);
    lam_row_ranges_finish(&ranges);
}

Test(row_list, a_list_that_finds_no_memory_is_empty) {
    lam_allocator allocator = lam_allocator_default();
    lam_row_ranges ranges;
    lam_row_cursor cursor;
    lam_status status = LAM_STATUS_NOMEM;
    lam_row_ranges_init(&ranges, &allocator);
    for (uint64_t row = 0; row < ROWS; row += 2)
        cr_assert_eq(lam_row_ranges_add(&ranges, row, row + 1, NULL), LAM_STATUS_OK);
    lam_row_cursor_init(&cursor, &ranges, NULL);
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc failing = {.fail_at = fail_at};
        lam_allocator counted = lam_failing_allocator(&failing);
        lam_row_list list;
        lam_row_list_init(&list, &counted);
        status = lam_row_list_make(&list, &cursor, ranges.rows, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(lam_row_list_count(&list) == 0, status != LAM_STATUS_OK);
        lam_row_list_finish(&list);
        cr_assert_eq(failing.live_bytes, 0);
    }
    lam_row_ranges_finish(&ranges);
}
