/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of a row group a condition wants once its columns are read: exact ranges, found in
 * what pruning left, with dictionaries believed where they may be, and failures passed on.
 */
#include "scan/evaluate/filter_evaluation.h"

#include <criterion/criterion.h>
#include <lamella/filter_text.h>
#include <stdio.h>
#include <string.h>

#include "support/ending_input.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

/* 12 rows in pages of 4: numbers with nulls, few words, and a list. */
static lam_buffer write_dozen(void) {
    return lam_test_file(
        "message m { optional int32 n; required binary w (STRING); optional group l (LIST) {"
        " repeated group list { optional int32 element; } } required int32 k; }",
        "{n: 5, w: 'x', l: [1, 2], k: 0}   {n: 7, w: 'y', l: [], k: 9}"
        "{w: 'x', l: [null], k: 1}         {n: 5, w: 'x', k: 8}"
        "{n: 1, w: 'y', l: [3, 2], k: 2}   {n: 2, w: 'y', l: [9], k: 7}"
        "{n: 3, w: 'y', l: [null, 9], k: 3} {w: 'y', k: 6}"
        "{n: 5, w: 'z', l: [2], k: 4}      {n: 5, w: 'x', l: [4], k: 5}"
        "{n: 9, w: 'x', l: [5], k: 5}      {w: 'z', l: [6], k: 5}",
        LAM_TEST_WRITER(.page_rows = 4));
}

typedef struct found_rows {
    char text[128]; /* "0-2 5-6" */
    lam_filter_evaluation how;
} found_rows;

/* Evaluates all rows, or with `prunes` those that metadata leave. */
static lam_status find_rows(const lam_reader *reader, const char *condition, bool prunes,
                            const lam_allocator *allocator, found_rows *ret_found,
                            lam_error *error) {
    lam_row_prune prune;
    lam_row_ranges ranges;
    lam_page_cache cache;
    lam_filter *filter;
    cr_assert_eq(lam_filter_parse(lam_reader_schema(reader), condition, strlen(condition), NULL,
                                  NULL, &filter, error),
                 LAM_STATUS_OK, "%s: %s", condition, error->message);
    memset(ret_found, 0, sizeof *ret_found);
    lam_row_prune_init(&prune, 1 << 20, allocator);
    lam_row_ranges_init(&ranges, allocator);
    lam_page_cache_init(&cache, NULL, 0, allocator);
    lam_status status = prunes ? lam_row_prune_group(&prune, reader, filter, 0, true, error)
                               : lam_row_prune_nothing(&prune, 12, error);
    if (status == LAM_STATUS_OK)
        status = lam_filter_evaluate(reader, filter, 0, &prune, true, &cache, &ranges,
                                     &ret_found->how, error);
    char *text = ret_found->text;
    for (size_t i = 0; status == LAM_STATUS_OK && i < lam_row_ranges_count(&ranges); i++)
        text += sprintf(text, "%s%d-%d", i > 0 ? " " : "", (int)lam_row_ranges_at(&ranges, i).begin,
                        (int)lam_row_ranges_at(&ranges, i).end);
    lam_page_cache_finish(&cache);
    lam_row_ranges_finish(&ranges);
    lam_row_prune_finish(&prune);
    lam_filter_destroy(filter);
    return status;
}

static const struct {
    const char *condition;
    const char *rows; /* worked out from the records above */
} evaluation_cases[] = {
    {"n = 5", "0-1 3-4 8-10"},
    {"n != 5", "1-2 4-7 10-11"},
    {"not n = 5", "1-2 4-7 10-11"},
    {"n is null", "2-3 7-8 11-12"},
    {"w = 'x'", "0-1 2-4 9-11"},
    {"w in ('y', 'z')", "1-2 4-9 11-12"},
    {"w like 'q%'", ""},
    {"n = 5 and w = 'x'", "0-1 3-4 9-10"},
    {"n = 5 or w = 'y'", "0-2 3-10"},
    {"n > 100 and w = 'x'", ""},
    {"l[] = 2", "0-1 4-5 8-9"},
    {"l[] > 4", "5-7 10-12"},
    {"l is null", "3-4 7-8"},
    {"n < k", "1-2 3-6"},
    {"w >= 'x'", "0-12"},
};

Test(filter_evaluation, rows_are_those_whose_values_pass) {
    lam_buffer bytes = write_dozen();
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    const lam_allocator heap = lam_allocator_default();
    for (size_t i = 0; i < 2 * sizeof evaluation_cases / sizeof *evaluation_cases; i++) {
        const char *condition = evaluation_cases[i / 2].condition;
        found_rows found;
        lam_error error = lam_error_none();
        cr_assert_eq(find_rows(reader, condition, i % 2 == 0, &heap, &found, &error), LAM_STATUS_OK,
                     "%s: %s", condition, error.message);
        cr_expect_str_eq(found.text, evaluation_cases[i / 2].rows, "%s, %s pruning: %s", condition,
                         i % 2 == 0 ? "after" : "without", found.text);
    }
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}

Test(filter_evaluation, a_dictionary_without_the_word_decides_before_any_data_page) {
    lam_buffer bytes = write_dozen();
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    const lam_allocator heap = lam_allocator_default();
    found_rows found;
    cr_assert_eq(find_rows(reader, "w = 'xy'", false, &heap, &found, &(lam_error){0}),
                 LAM_STATUS_OK);
    cr_expect(found.how.by_dictionary);
    cr_expect_eq(found.how.page_bytes, 0);
    cr_assert_eq(find_rows(reader, "w = 'x'", false, &heap, &found, &(lam_error){0}),
                 LAM_STATUS_OK);
    cr_expect_not(found.how.by_dictionary);
    cr_expect_gt(found.how.page_bytes, 0);
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}

Test(filter_evaluation, each_read_and_request_for_memory_may_fail) {
    lam_buffer bytes = write_dozen();
    lam_ending_input ending = {.file = lam_buffer_bytes(&bytes)};
    lam_input input = lam_ending_input_of(&ending);
    found_rows found;
    lam_status status = LAM_STATUS_NOMEM;
    lam_reader *reader = lam_test_open_input(&input, NULL);
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc failing = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_error error = lam_error_none();
        status = find_rows(reader, "n = 5 or l[] = 2", true, &allocator, &found, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(failing.live_bytes, 0);
    }
    const lam_allocator heap = lam_allocator_default();
    status = LAM_STATUS_IO;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_error error = lam_error_none();
        lam_ending_input_again(&ending, n, 0);
        status = find_rows(reader, "n = 5 or l[] = 2", true, &heap, &found, &error);
        cr_assert_eq(status, ending.reads < n ? LAM_STATUS_OK : LAM_STATUS_IO, "read %zu", n);
    }
    cr_expect_str_eq(found.text, "0-1 3-5 8-10");
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}
