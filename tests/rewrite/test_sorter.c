/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that are sorted within little memory: through many runs and several merges, stably, with
 * nothing lost, and the memory that they may take is not passed.
 */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/rewrite.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"

enum { SORTER_ROWS = 120000, SORTER_KEYS = 500 };

/* A file of keys with many equal ones, their row numbers, and texts of some size. */
static lam_buffer make_file(uint64_t seed) {
    lam_random random = lam_random_start(lam_test_seed(seed));
    lam_test_writer file = lam_test_write(
        "message m { optional binary k (STRING); required int64 n; repeated binary t; }", NULL);
    for (int i = 0; i < SORTER_ROWS; i++) {
        char key[16];
        snprintf(key, sizeof key, "'key %d'", (int)lam_random_below(&random, SORTER_KEYS));
        const bool has_key = lam_random_chance(&random, 90);
        const uint64_t texts = lam_random_below(&random, 3);
        lam_test_put(&file, "{k: %s, n: %d, t: [%s, %s]}", has_key ? key : "null", i,
                     texts > 0 ? key : "null", texts > 1 ? key : "null");
    }
    return lam_test_written(&file);
}

/* As the output closes with its writer, its bytes are kept when it is finished. */
typedef struct kept_output {
    lam_trial_output trial;
} kept_output;

static lam_status open_kept(void *state, const char *folder, uint64_t number,
                            lam_output *ret_output, lam_error *error) {
    kept_output *kept = state;
    (void)folder, (void)number, (void)error;
    *ret_output = lam_trial_output_open(&kept->trial);
    return LAM_STATUS_OK;
}

/* Sorts a file by k, and with `by_both` by falling n behind it. */
static lam_status sort(const lam_buffer *file, const lam_rewrite_options *options, bool by_both,
                       kept_output *kept, lam_rewrite_report *report, lam_error *error) {
    const lam_rewrite_target target = {kept, open_kept};
    lam_rewrite *rewrite;
    lam_reader *reader = lam_test_open(file->data, file->size, NULL);
    cr_assert_eq(lam_rewrite_create(options, &rewrite, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_reader(rewrite, reader, "file", NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_sort_key(rewrite, "k", false, false, NULL), LAM_STATUS_OK);
    if (by_both)
        cr_assert_eq(lam_rewrite_add_sort_key(rewrite, "n", true, false, NULL), LAM_STATUS_OK);
    lam_status status = lam_rewrite_run(rewrite, &target, report, error);
    lam_rewrite_destroy(rewrite);
    lam_reader_close(reader);
    return status;
}

/* Key and number of each row; a null key is "~", behind all others. */
typedef struct sorted_row {
    char key[16];
    int64_t number;
} sorted_row;

static sorted_row *read_rows(lam_bytes bytes, size_t *ret_count) {
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    sorted_row *rows = calloc(SORTER_ROWS, sizeof *rows);
    size_t keys = 0, numbers = 0;
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        for (size_t leaf = 0; leaf < 2; leaf++) {
            lam_column_reader *column;
            lam_triples triples;
            cr_assert_eq(lam_column_reader_open(reader, i, leaf, &column, NULL), LAM_STATUS_OK);
            do {
                size_t value = 0;
                cr_assert_eq(lam_column_reader_read(column, SIZE_MAX, &triples, NULL),
                             LAM_STATUS_OK);
                for (size_t k = 0; k < triples.count; k++) {
                    bool is_null = triples.definition != NULL && triples.definition[k] == 0;
                    if (leaf == 1) {
                        rows[numbers++].number = ((const int64_t *)triples.values)[k];
                        continue;
                    }
                    lam_bytes key = {(const uint8_t *)"~", 1};
                    if (!is_null)
                        key = ((const lam_bytes *)triples.values)[value++];
                    memcpy(rows[keys++].key, key.data, key.size);
                }
            } while (triples.count > 0);
            lam_column_reader_close(column);
        }
    }
    cr_assert_eq(keys, numbers);
    lam_reader_close(reader);
    *ret_count = keys;
    return rows;
}

static void expect_sorted(lam_bytes bytes) {
    size_t count;
    sorted_row *rows = read_rows(bytes, &count);
    int64_t sum = 0;
    cr_assert_eq(count, SORTER_ROWS);
    for (size_t i = 0; i < count; i++) {
        sum += rows[i].number;
        if (i == 0)
            continue;
        int order = strcmp(rows[i - 1].key, rows[i].key);
        cr_assert(order < 0 || (order == 0 && rows[i - 1].number < rows[i].number), "row %zu", i);
    }
    cr_assert_eq(sum, (int64_t)SORTER_ROWS * (SORTER_ROWS - 1) / 2);
    free(rows);
}

/* Sorts with a limit; gives the bytes that were spilled, and the most memory that was in use. */
static uint64_t sort_file(const lam_buffer *file, uint64_t limit, size_t *ret_peak) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_writer_options writer = lam_writer_options_default();
    lam_rewrite_report report = lam_rewrite_report_default();
    lam_error error = lam_error_none();
    kept_output kept = {{0}};
    options.allocator = &allocator;
    options.memory_limit = limit;
    options.writer = &writer;
    cr_assert_eq(sort(file, &options, false, &kept, &report, &error), LAM_STATUS_OK, "%s",
                 error.message);
    expect_sorted(lam_buffer_bytes(&kept.trial.bytes));
    lam_trial_output_free(&kept.trial);
    cr_assert_eq(counter.live_bytes, 0);
    *ret_peak = counter.peak_bytes;
    return report.spilled_bytes;
}

Test(sorter, a_sort_that_exceeds_memory_gives_the_same_rows_as_one_that_does_not) {
    size_t little, much;
    lam_buffer file = make_file(1);
    cr_assert_eq(sort_file(&file, 0, &much), 0);
    /* About 12 MB of rows within 1 MiB: more runs than are merged at once. */
    cr_assert_gt(sort_file(&file, 1 << 20, &little), 1 << 20);
    cr_assert_lt(little, much / 2, "%zu of %zu bytes", little, much);
    lam_buffer_finish(&file);
}

Test(sorter, a_spill_folder_that_is_missing_is_named) {
    lam_buffer file = make_file(2);
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_error error = lam_error_none();
    kept_output kept = {{0}};
    options.memory_limit = 1 << 20;
    options.spill_folder = "/nowhere/at/all";
    cr_assert_eq(sort(&file, &options, false, &kept, NULL, &error), LAM_STATUS_IO);
    cr_assert_not_null(strstr(error.message, "/nowhere/at/all"), "%s", error.message);
    lam_buffer_finish(&file);
}

/* --- Numbers ------------------------------------------------------------------------------- */

/* Rows of two numbers; the first has few values, so that equal keys meet in a merge. */
static lam_buffer make_numbers(int64_t rows) {
    lam_test_writer file =
        lam_test_write("message m { required int64 k; required int64 n; }", NULL);
    for (int64_t i = 0; i < rows; i++)
        lam_test_put(&file, "{k: %lld, n: %lld}", (long long)((rows - i) / 1000), (long long)i);
    return lam_test_written(&file);
}

static lam_status sort_numbers(const lam_buffer *file, bool by_both, kept_output *kept,
                               lam_rewrite_report *report) {
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_error error = lam_error_none();
    *report = lam_rewrite_report_default();
    options.memory_limit = 1 << 20;
    lam_status status = sort(file, &options, by_both, kept, report, &error);
    cr_assert(status == LAM_STATUS_OK || error.message[0] != '\0');
    return status;
}

/* The numbers of rows rise, or fall where they are a key, among rows of one key. */
static void expect_numbers(lam_bytes bytes, int64_t rows, bool by_both) {
    int64_t before[2] = {-1, -1}, count = 0;
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_column_reader *columns[2];
        lam_triples triples[2] = {{.count = 1}};
        for (size_t k = 0; k < 2; k++)
            cr_assert_eq(lam_column_reader_open(reader, i, k, &columns[k], NULL), LAM_STATUS_OK);
        while (triples[0].count > 0) {
            int64_t row[2];
            for (size_t k = 0; k < 2; k++) {
                cr_assert_eq(lam_column_reader_read(columns[k], 1, &triples[k], NULL),
                             LAM_STATUS_OK);
                row[k] = triples[k].count > 0 ? *(const int64_t *)triples[k].values : 0;
            }
            if (triples[0].count == 0)
                break;
            bool follows = by_both ? row[1] < before[1] : row[1] > before[1];
            cr_assert(row[0] > before[0] || (row[0] == before[0] && follows), "%lld",
                      (long long)count);
            memcpy(before, row, sizeof row);
            count++;
        }
        lam_column_reader_close(columns[0]);
        lam_column_reader_close(columns[1]);
    }
    cr_assert_eq(count, rows);
    lam_reader_close(reader);
}

Test(sorter, equal_numbers_stay_in_their_order_through_a_merge) {
    static const int64_t rows[] = {0, 1, 60000};
    for (size_t i = 0; i < 3; i++)
        for (int by_both = 0; by_both < 2; by_both++) {
            lam_buffer file = make_numbers(rows[i]);
            lam_rewrite_report report;
            kept_output kept = {{0}};
            cr_assert_eq(sort_numbers(&file, by_both != 0, &kept, &report), LAM_STATUS_OK);
            cr_assert_eq(report.spilled_bytes > 0, rows[i] > 1);
            expect_numbers(lam_buffer_bytes(&kept.trial.bytes), rows[i], by_both != 0);
            lam_trial_output_free(&kept.trial);
            lam_buffer_finish(&file);
        }
}

/* Files of the process may not grow beyond a size: what a full disk is to runs that are spilled. */
Test(sorter, runs_that_no_longer_fit_end_the_sort) {
    lam_buffer file = make_numbers(60000);
    struct rlimit before, limit;
    lam_rewrite_report report;
    size_t failures = 0;
    lam_status status = LAM_STATUS_IO;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    cr_assert_neq(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    limit = before;
    for (limit.rlim_cur = 0; status != LAM_STATUS_OK; limit.rlim_cur += 8 + limit.rlim_cur / 8) {
        kept_output kept = {{0}};
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        status = sort_numbers(&file, false, &kept, &report);
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO);
        cr_assert_eq(kept.trial.finished, status == LAM_STATUS_OK);
        failures += status != LAM_STATUS_OK;
        lam_trial_output_free(&kept.trial);
    }
    cr_assert_gt(failures, 10);
    lam_buffer_finish(&file);
}

/* --- Rows that grow -------------------------------------------------------------------------- */

/* `rows` texts in falling order, of which the first half is short and the others are long. */
static lam_buffer make_growing(int64_t rows, size_t length) {
    lam_test_writer file = lam_test_write("message m { required int64 k; required binary t; }",
                                          LAM_TEST_WRITER(.dictionary = LAM_SWITCH_OFF));
    uint8_t *text = calloc(1, length);
    for (int64_t i = rows; i-- > 0;) {
        const lam_bytes value = {text, i < rows / 2 ? length : 3};
        const lam_triples row[] = {{.count = 1, .value_count = 1, .values = &i},
                                   {.count = 1, .value_count = 1, .values = &value}};
        lam_test_put_triples(&file, row, 1);
    }
    free(text);
    return lam_test_written(&file);
}

/* Sorts by k; the rows are numbered from 0. Gives the bytes that were spilled. */
static uint64_t sort_growing(const lam_buffer *file, uint64_t limit, int64_t rows) {
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite_report report = lam_rewrite_report_default();
    kept_output kept = {{0}};
    lam_error error = lam_error_none();
    int64_t next = 0;
    options.memory_limit = limit;
    cr_assert_eq(sort(file, &options, false, &kept, &report, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_reader *reader = lam_test_open(kept.trial.bytes.data, kept.trial.bytes.size, NULL);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_column_reader *column;
        lam_triples triples = {.count = 1};
        cr_assert_eq(lam_column_reader_open(reader, i, 0, &column, NULL), LAM_STATUS_OK);
        while (triples.count > 0) {
            cr_assert_eq(lam_column_reader_read(column, SIZE_MAX, &triples, NULL), LAM_STATUS_OK);
            for (size_t k = 0; k < triples.count; k++)
                cr_assert_eq(((const int64_t *)triples.values)[k], next++);
        }
        lam_column_reader_close(column);
    }
    cr_assert_eq(next, rows);
    lam_reader_close(reader);
    lam_trial_output_free(&kept.trial);
    return report.spilled_bytes;
}

/* The blocks of later runs have fewer rows then. */
Test(sorter, rows_may_grow_from_run_to_run) {
    lam_buffer file = make_growing(6000, 2000);
    cr_assert_gt(sort_growing(&file, 1 << 20, 6000), 0);
    lam_buffer_finish(&file);
}

/* With more memory, blocks are larger, up to a size. */
Test(sorter, blocks_are_not_larger_with_any_memory) {
    lam_buffer file = make_growing(1200, 20000);
    cr_assert_gt(sort_growing(&file, 40 << 20, 1200), 0);
    lam_buffer_finish(&file);
}
