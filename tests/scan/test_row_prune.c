/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of a row group metadata alone leave to a condition: ranges between the borders of
 * pages, and what ruled out the rest. The file is known, so that each range is known from the rule
 * that bounds decide.
 */
#include "scan/prune/row_prune.h"

#include <criterion/criterion.h>
#include <lamella/filter_text.h>
#include <stdio.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/test_file.h"

enum { PRUNE_ROWS = 20, PRUNE_PAGE = 5 };

/*
 * One row group of 20 rows: n rises from 0 by 10 in pages of 5 rows, s is a letter of its page with
 * all rows of the third page null, and x is a number below 100 that has no order.
 */
static lam_buffer write_known(void) {
    lam_test_writer file = lam_test_write(
        "message m { required int32 n; optional binary s (STRING); required int32 x; }",
        LAM_TEST_WRITER(.page_rows = PRUNE_PAGE));
    cr_assert_eq(lam_writer_set_bloom_filter(file.writer, "x", 0.0001, PRUNE_ROWS, NULL),
                 LAM_STATUS_OK);
    for (int i = 0; i < PRUNE_ROWS; i++) {
        const char *s[] = {"'a'", "'b'", "null", "'d'"};
        lam_test_put(&file, "{n: %d, s: %s, x: %d}", 10 * i, s[i / PRUNE_PAGE], i * 37 % 100);
    }
    return lam_test_written(&file);
}

/* The ranges as text, "0-5" or "0-5!" where all rows are wanted for sure. */
static lam_status prune_text(const lam_reader *reader, const char *condition, bool by_pages,
                             const lam_allocator *allocator, char *text, lam_prune_cause *ret_cause,
                             lam_error *error) {
    lam_row_prune prune;
    lam_filter *filter;
    cr_assert_eq(lam_filter_parse(lam_reader_schema(reader), condition, strlen(condition), NULL,
                                  NULL, &filter, error),
                 LAM_STATUS_OK, "%s: %s", condition, error->message);
    lam_row_prune_init(&prune, 1 << 20, allocator);
    lam_status status = lam_row_prune_group(&prune, reader, filter, 0, by_pages, error);
    *text = '\0';
    for (size_t i = 0; status == LAM_STATUS_OK && i < lam_row_prune_count(&prune); i++) {
        const lam_candidate_range range = lam_row_prune_at(&prune, i);
        text += sprintf(text, "%s%d-%d%s", i > 0 ? " " : "", (int)range.begin, (int)range.end,
                        range.is_wanted ? "!" : "");
    }
    *ret_cause = prune.cause;
    lam_row_prune_finish(&prune);
    lam_filter_destroy(filter);
    return status;
}

/* Bounds of strings may be cut, so that a page of equal ones is never sure to equal a literal. */
static const struct {
    const char *condition;
    const char *by_pages; /* the ranges with the page index, and without */
    const char *by_chunk;
    lam_prune_cause cause; /* of no range, with the page index */
} prune_cases[] = {
    {"n < 0", "", "", LAM_PRUNE_STATISTICS},
    {"n > 190", "", "", LAM_PRUNE_STATISTICS},
    {"n >= 0", "0-20!", "0-20!", LAM_PRUNE_NOTHING},
    {"n < 50", "0-5!", "0-20", LAM_PRUNE_NOTHING},
    {"n <= 50", "0-5! 5-10", "0-20", LAM_PRUNE_NOTHING},
    {"n >= 30", "0-5 5-20!", "0-20", LAM_PRUNE_NOTHING},
    {"n = 120", "10-15", "0-20", LAM_PRUNE_NOTHING},
    {"n = 45", "", "0-20", LAM_PRUNE_PAGES},
    {"n = 10 or n = 170", "0-5 15-20", "0-20", LAM_PRUNE_NOTHING},
    {"n > 60 and n < 140", "5-15", "0-20", LAM_PRUNE_NOTHING},
    {"not n < 100", "10-20!", "0-20", LAM_PRUNE_NOTHING},
    {"s = 'b'", "5-10", "0-20", LAM_PRUNE_NOTHING},
    {"s = 'c'", "", "0-20", LAM_PRUNE_PAGES},
    {"s = 'e'", "", "", LAM_PRUNE_STATISTICS},
    {"s is null", "10-15!", "0-20", LAM_PRUNE_NOTHING},
    {"s is not null", "0-10! 15-20!", "0-20", LAM_PRUNE_NOTHING},
    {"s != 'a'", "5-10! 15-20!", "0-20", LAM_PRUNE_NOTHING},
    {"s = 'a' and n > 40", "", "0-20", LAM_PRUNE_PAGES},
    {"s = 'a' or n = 100", "0-5 10-15", "0-20", LAM_PRUNE_NOTHING},
    {"x = 1", "", "", LAM_PRUNE_BLOOM},
};

Test(row_prune, ranges_are_those_that_bounds_and_filters_leave) {
    lam_buffer bytes = write_known();
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    const lam_allocator heap = lam_allocator_default();
    for (size_t i = 0; i < 2 * sizeof prune_cases / sizeof *prune_cases; i++) {
        const bool by_pages = i % 2 == 0;
        const char *condition = prune_cases[i / 2].condition;
        const char *expected = by_pages ? prune_cases[i / 2].by_pages : prune_cases[i / 2].by_chunk;
        lam_error error = lam_error_none();
        lam_prune_cause cause;
        char text[256];
        cr_assert_eq(prune_text(reader, condition, by_pages, &heap, text, &cause, &error),
                     LAM_STATUS_OK, "%s: %s", condition, error.message);
        cr_expect_str_eq(text, expected, "%s, %s pages: %s", condition, by_pages ? "by" : "without",
                         text);
        if (by_pages)
            cr_expect_eq(cause, prune_cases[i / 2].cause, "%s: %d", condition, (int)cause);
    }
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}

Test(row_prune, without_pruning_all_rows_are_one_range_that_is_not_decided) {
    const lam_allocator heap = lam_allocator_default();
    lam_row_prune prune;
    lam_row_prune_init(&prune, 1 << 20, &heap);
    cr_assert_eq(lam_row_prune_nothing(&prune, 7, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_row_prune_count(&prune), 1);
    cr_expect_eq(lam_row_prune_at(&prune, 0).end, 7);
    cr_expect_not(lam_row_prune_at(&prune, 0).is_wanted);
    cr_assert_eq(lam_row_prune_nothing(&prune, 0, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_row_prune_count(&prune), 0);
    lam_row_prune_finish(&prune);
}

Test(row_prune, each_allocation_may_fail_and_the_ranges_are_then_as_before) {
    lam_buffer bytes = write_known();
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc failing = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_error error = lam_error_none();
        lam_prune_cause cause;
        char text[256];
        status = prune_text(reader, "s = 'a' or n = 100", true, &allocator, text, &cause, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        if (status == LAM_STATUS_OK)
            cr_expect_str_eq(text, "0-5 10-15");
        cr_assert_eq(failing.live_bytes, 0);
    }
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}
