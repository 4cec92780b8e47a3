/* SPDX-License-Identifier: Apache-2.0 */
/* Wanted rows as stretches to be read together, however far apart they are. */
#include "scan/evaluate/row_cursor.h"

#include <criterion/criterion.h>

#include "support/random.h"

enum { ROWS = 20000 };

/* Ranges of any lengths and gaps, also as a byte per row. */
static void fill(lam_row_ranges *ranges, uint8_t *wanted, lam_random *random) {
    static const uint64_t sizes[] = {1, 4, 100, 600, 5000};
    uint64_t longest = sizes[lam_random_below(random, 5)];
    uint64_t widest = sizes[lam_random_below(random, 5)];
    lam_row_ranges_clear(ranges);
    memset(wanted, 0, ROWS);
    for (uint64_t at = lam_random_below(random, widest + 1); at < ROWS;) {
        uint64_t end = at + 1 + lam_random_below(random, longest);
        end = end < ROWS ? end : ROWS;
        cr_assert_eq(lam_row_ranges_add(ranges, at, end, NULL), LAM_STATUS_OK);
        memset(wanted + at, 1, end - at);
        at = end + 1 + lam_random_below(random, widest);
    }
}

static void expect_batch(const lam_row_cursor *cursor, lam_row_batch batch, const uint8_t *wanted,
                         uint64_t row) {
    uint64_t count = 0;
    cr_assert_leq(row, batch.begin);
    cr_assert_leq(batch.begin + batch.rows, (uint64_t)ROWS);
    for (uint64_t i = row; i < batch.begin; i++)
        cr_assert_eq(wanted[i], 0, "row %llu is passed over", (unsigned long long)i);
    for (uint64_t i = 0; i < batch.rows; i++) {
        bool is_wanted = wanted[batch.begin + i] != 0;
        count += is_wanted;
        if (batch.is_whole)
            cr_assert(is_wanted);
        else
            cr_assert_eq(cursor->marks[1 + i], is_wanted);
    }
    cr_assert_eq(count, batch.wanted_rows);
    cr_assert(wanted[batch.begin] && wanted[batch.begin + batch.rows - 1]);
    cr_assert(batch.is_whole ||
              (batch.rows <= LAM_ROW_BATCH_ROWS && cursor->marks[0] == 0 && count < batch.rows));
}

/* The most rows to ask a cursor for. */
static uint64_t any_most(lam_random *random, uint64_t left) {
    return lam_random_chance(random, 50) ? left : 1 + lam_random_below(random, 3000);
}

Test(row_cursor, stretches_hold_all_wanted_rows_in_order_and_mark_the_others) {
    lam_allocator allocator = lam_allocator_default();
    lam_random random = lam_random_start(lam_test_seed(1));
    static uint8_t wanted[ROWS], marks[1 + LAM_ROW_BATCH_ROWS];
    lam_row_ranges ranges;
    lam_row_ranges_init(&ranges, &allocator);
    for (int round = 0; round < 500; round++) {
        lam_row_cursor cursor;
        uint64_t row = 0, left, most;
        fill(&ranges, wanted, &random);
        lam_row_cursor_init(&cursor, &ranges, marks);
        for (left = ranges.rows; left > 0;) {
            most = any_most(&random, left);
            lam_row_batch batch = lam_row_cursor_next(&cursor, most);
            cr_assert_gt(batch.wanted_rows, 0);
            cr_assert_leq(batch.wanted_rows, most);
            expect_batch(&cursor, batch, wanted, row);
            row = batch.begin + batch.rows;
            left -= batch.wanted_rows;
        }
        cr_assert_eq(lam_row_cursor_next(&cursor, 1).rows, 0);
    }
    lam_row_ranges_finish(&ranges);
}

Test(row_cursor, rows_far_apart_are_stretches_of_their_own) {
    lam_allocator allocator = lam_allocator_default();
    static uint8_t marks[1 + LAM_ROW_BATCH_ROWS];
    lam_row_ranges ranges;
    lam_row_cursor cursor;
    lam_row_ranges_init(&ranges, &allocator);
    for (uint64_t i = 0; i < 3; i++)
        cr_assert_eq(lam_row_ranges_add(&ranges, 10000 * i, 10000 * i + 2, NULL), LAM_STATUS_OK);
    lam_row_cursor_init(&cursor, &ranges, marks);
    for (uint64_t i = 0; i < 3; i++) {
        lam_row_batch batch = lam_row_cursor_next(&cursor, 1000);
        cr_expect_eq(batch.begin, 10000 * i);
        cr_expect_eq(batch.rows, 2);
        cr_expect(batch.is_whole);
    }
    lam_row_ranges_finish(&ranges);
}

Test(row_cursor, a_cursor_without_marks_gives_the_same_stretches) {
    lam_allocator allocator = lam_allocator_default();
    lam_random random = lam_random_start(lam_test_seed(2));
    static uint8_t wanted[ROWS], marks[1 + LAM_ROW_BATCH_ROWS];
    lam_row_ranges ranges;
    lam_row_ranges_init(&ranges, &allocator);
    for (int round = 0; round < 100; round++) {
        lam_row_cursor marked, plain;
        fill(&ranges, wanted, &random);
        lam_row_cursor_init(&marked, &ranges, marks);
        lam_row_cursor_init(&plain, &ranges, NULL);
        for (lam_row_batch one = {.rows = 1}, other; one.rows > 0;) {
            uint64_t most = 1 + lam_random_below(&random, 3000);
            one = lam_row_cursor_next(&marked, most);
            other = lam_row_cursor_next(&plain, most);
            cr_assert_eq(one.begin, other.begin);
            cr_assert_eq(one.rows, other.rows);
            cr_assert_eq(one.wanted_rows, other.wanted_rows);
            cr_assert_eq(one.is_whole, other.is_whole);
            lam_row_cursor_go(&plain, &marked);
        }
    }
    lam_row_ranges_finish(&ranges);
}

/* Wanted rows of a batch by their offsets, which are all that is known of them. */
static void expect_offsets(const uint16_t *offsets, lam_row_batch batch, const uint8_t *wanted) {
    size_t count = 0;
    for (uint64_t i = 0; i < batch.rows; i++)
        if (wanted[batch.begin + i] != 0)
            cr_assert_eq(offsets[count++], i);
    cr_assert_eq(count, batch.wanted_rows);
    cr_assert_leq(batch.rows, (uint64_t)LAM_ROW_BATCH_ROWS);
}

Test(row_cursor, a_cursor_with_offsets_lists_the_wanted_rows_and_ends_where_others_do) {
    lam_allocator allocator = lam_allocator_default();
    lam_random random = lam_random_start(lam_test_seed(3));
    static uint8_t wanted[ROWS];
    static uint16_t offsets[LAM_ROW_BATCH_ROWS + LAM_ROW_OFFSETS_SLACK];
    lam_row_ranges ranges;
    lam_row_ranges_init(&ranges, &allocator);
    for (int round = 0; round < 500; round++) {
        lam_row_cursor cursor;
        uint64_t row = 0, left, most;
        fill(&ranges, wanted, &random);
        lam_row_cursor_init_offsets(&cursor, &ranges, offsets);
        for (left = ranges.rows; left > 0;) {
            most = any_most(&random, left);
            lam_row_batch batch = lam_row_cursor_next(&cursor, most);
            cr_assert(batch.wanted_rows > 0 && batch.wanted_rows <= most);
            for (; row < batch.begin; row++)
                cr_assert_eq(wanted[row], 0);
            if (!batch.is_whole)
                expect_offsets(offsets, batch, wanted);
            row = batch.begin + batch.rows;
            left -= batch.wanted_rows;
        }
        cr_assert_eq(row, lam_row_ranges_end(&ranges));
        cr_assert(lam_row_cursor_at_end(&cursor));
    }
    lam_row_ranges_finish(&ranges);
}

/* Single rows are worth a long gap where they are listed, and long ranges are not. */
Test(row_cursor, listed_rows_share_a_batch_over_long_gaps) {
    lam_allocator allocator = lam_allocator_default();
    static uint16_t offsets[LAM_ROW_BATCH_ROWS + LAM_ROW_OFFSETS_SLACK];
    lam_row_ranges ranges;
    lam_row_cursor cursor;
    lam_row_ranges_init(&ranges, &allocator);
    for (uint64_t i = 0; i < 3; i++)
        cr_assert_eq(lam_row_ranges_add(&ranges, 1000 * i, 1000 * i + 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_row_ranges_add(&ranges, 3000, 3300, NULL), LAM_STATUS_OK);
    lam_row_cursor_init_offsets(&cursor, &ranges, offsets);
    cr_expect_eq(lam_row_cursor_next(&cursor, 1000).rows, 2001);
    cr_expect_eq(offsets[1], 1000);
    cr_expect_eq(offsets[2], 2000);
    cr_expect_eq(lam_row_cursor_next(&cursor, 1000).rows, 300);
    lam_row_ranges_finish(&ranges);
}
