/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that are divided among folders and files: which there are, more folders than files that are
 * open at once, and row groups that end early because all together take too much memory.
 */
#include <criterion/criterion.h>
#include <lamella/rewrite.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"

enum { DIVIDE_TEST_FILES = 200, DIVIDE_TEXT = 2000, DIVIDE_MOST_ROWS = 2000 };

typedef struct divide_trial {
    lam_buffer bytes;
    lam_reader *reader;
    size_t fail_open_at;   /* the file that cannot be opened, from 1; 0 never */
    size_t fail_finish_at; /* the file that cannot be finished, likewise */
    size_t fail_write_at;  /* the write of each file that fails, likewise */
    lam_trial_output files[DIVIDE_TEST_FILES];
    char folders[DIVIDE_TEST_FILES][32];
    size_t count;
    lam_rewrite_report report;
} divide_trial;

/* What to divide by. */
typedef struct divide_choice {
    const char *partitions[2];
    uint64_t split_rows;
    const lam_allocator *allocator;
} divide_choice;

static lam_status open_divided(void *state, const char *folder, uint64_t number,
                               lam_output *ret_output, lam_error *error) {
    divide_trial *trial = state;
    (void)number;
    cr_assert_lt(trial->count, DIVIDE_TEST_FILES);
    if (trial->count + 1 == trial->fail_open_at) {
        error->status = LAM_STATUS_IO;
        snprintf(error->message, sizeof error->message, "no room for %s", folder);
        return LAM_STATUS_IO;
    }
    snprintf(trial->folders[trial->count], sizeof *trial->folders, "%s", folder);
    trial->files[trial->count].fail_at_finish = trial->count + 1 == trial->fail_finish_at;
    trial->files[trial->count].fail_at_write = trial->fail_write_at;
    *ret_output = lam_trial_output_open(&trial->files[trial->count++]);
    return LAM_STATUS_OK;
}

/* Row i has i % first in k and i % second in b, and a text of `size` bytes. */
static void start_divide(divide_trial *trial, size_t rows, int32_t first, int32_t second,
                         size_t size, const lam_allocator *allocator) {
    static int32_t k[DIVIDE_MOST_ROWS], b[DIVIDE_MOST_ROWS];
    static lam_bytes s[DIVIDE_MOST_ROWS];
    static uint8_t text[DIVIDE_TEXT + DIVIDE_MOST_ROWS];
    lam_writer_options options = lam_writer_options_default();
    lam_reader_options reading = lam_reader_options_default();
    lam_random random = lam_random_start(lam_test_seed(31));
    memset(trial, 0, sizeof *trial);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)lam_random_below(&random, 256);
    for (size_t i = 0; i < rows; i++) {
        k[i] = (int32_t)i % first;
        b[i] = (int32_t)i % second;
        s[i] = (lam_bytes){text + i, size};
    }
    const lam_triples columns[] = {{.count = rows, .value_count = rows, .values = k},
                                   {.count = rows, .value_count = rows, .values = b},
                                   {.count = rows, .value_count = rows, .values = s}};
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.row_group_rows = 500;
    options.dictionary = LAM_SWITCH_OFF;
    lam_test_writer file = lam_test_write(
        "message m { required int32 k; required int32 b; required binary s; }", &options);
    if (rows > 0)
        lam_test_put_triples(&file, columns, rows);
    trial->files[0].bytes = lam_test_written(&file);
    trial->bytes = trial->files[0].bytes;
    memset(trial->files, 0, sizeof *trial->files);
    reading.allocator = allocator;
    trial->reader = lam_test_open(trial->bytes.data, trial->bytes.size, &reading);
}

static void free_divided(divide_trial *trial) {
    for (size_t i = 0; i < trial->count; i++) {
        cr_assert(trial->files[i].closed);
        lam_trial_output_free(&trial->files[i]);
    }
    memset(trial->files, 0, sizeof trial->files);
    trial->count = 0;
}

static void end_divide(divide_trial *trial) {
    free_divided(trial);
    lam_reader_close(trial->reader);
    lam_buffer_finish(&trial->bytes);
}

static lam_status run_divide(divide_trial *trial, const divide_choice *choice, lam_error *error) {
    const lam_rewrite_target target = {trial, open_divided};
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite *rewrite;
    free_divided(trial);
    options.allocator = choice->allocator;
    options.memory_limit = 1 << 20;
    trial->report = lam_rewrite_report_default();
    lam_status status = lam_rewrite_create(&options, &rewrite, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_rewrite_add_reader(rewrite, trial->reader, "input", error);
    for (size_t i = 0; i < 2 && choice->partitions[i] != NULL && status == LAM_STATUS_OK; i++)
        status = lam_rewrite_add_partition(rewrite, choice->partitions[i], error);
    if (status == LAM_STATUS_OK && choice->split_rows != 0)
        status = lam_rewrite_set_split(rewrite, choice->split_rows, 0, error);
    if (status == LAM_STATUS_OK)
        status = lam_rewrite_run(rewrite, &target, &trial->report, error);
    lam_rewrite_destroy(rewrite);
    return status;
}

static lam_reader *open_divided_file(const divide_trial *trial, size_t index) {
    const lam_buffer *bytes = &trial->files[index].bytes;
    cr_assert(trial->files[index].finished);
    return lam_test_open(bytes->data, bytes->size, NULL);
}

/* Every file is whole; gives the rows in all of them. */
static uint64_t count_divided_rows(const divide_trial *trial) {
    uint64_t rows = 0;
    for (size_t i = 0; i < trial->count; i++) {
        lam_reader *reader = open_divided_file(trial, i);
        rows += lam_reader_row_count(reader);
        lam_reader_close(reader);
    }
    return rows;
}

Test(rewrite_divide, folders_of_two_partitions_lie_in_each_other) {
    static divide_trial trial;
    const divide_choice choice = {.partitions = {"k", "b"}};
    start_divide(&trial, 60, 3, 2, 5, NULL);
    cr_assert_eq(run_divide(&trial, &choice, NULL), LAM_STATUS_OK);
    cr_assert_eq(trial.count, 6);
    for (size_t i = 0; i < trial.count; i++) {
        char folder[32];
        bool is_there = false;
        snprintf(folder, sizeof folder, "k=%zu/b=%zu", i % 3, i % 2);
        for (size_t at = 0; at < trial.count; at++)
            is_there = is_there || strcmp(trial.folders[at], folder) == 0;
        cr_assert(is_there, "%s", folder);
    }
    cr_assert_eq(count_divided_rows(&trial), 60);
    end_divide(&trial);
}

/* Rows of further folders are put off and sorted. */
Test(rewrite_divide, more_folders_than_open_files_have_one_file_each) {
    static divide_trial trial;
    const divide_choice choice = {.partitions = {"k"}};
    start_divide(&trial, 600, 150, 2, 5, NULL);
    cr_assert_eq(run_divide(&trial, &choice, NULL), LAM_STATUS_OK);
    cr_assert_eq(trial.count, 150);
    cr_assert_eq(count_divided_rows(&trial), 600);
    end_divide(&trial);
}

/* 4 MB of rows in 20 folders within 1 MiB: no row group may have all rows of its folder. */
Test(rewrite_divide, row_groups_end_early_where_all_together_exceed_the_limit) {
    static divide_trial trial;
    const divide_choice choice = {.partitions = {"k"}};
    size_t groups = 0;
    start_divide(&trial, DIVIDE_MOST_ROWS, 20, 2, DIVIDE_TEXT, NULL);
    cr_assert_eq(run_divide(&trial, &choice, NULL), LAM_STATUS_OK);
    cr_assert_eq(trial.count, 20);
    for (size_t i = 0; i < trial.count; i++) {
        lam_reader *reader = open_divided_file(&trial, i);
        groups += lam_reader_row_group_count(reader);
        lam_reader_close(reader);
    }
    cr_assert_gt(groups, 20);
    cr_assert_eq(count_divided_rows(&trial), DIVIDE_MOST_ROWS);
    end_divide(&trial);
}

Test(rewrite_divide, without_rows_there_is_one_empty_file_but_no_folder) {
    static divide_trial trial;
    const divide_choice split = {.split_rows = 10}, partition = {.partitions = {"k"}};
    lam_error error = lam_error_none();
    start_divide(&trial, 0, 1, 1, 0, NULL);
    cr_assert_eq(run_divide(&trial, &split, NULL), LAM_STATUS_OK);
    cr_assert_eq(trial.count, 1);
    cr_assert_eq(count_divided_rows(&trial), 0);
    cr_assert_eq(run_divide(&trial, &partition, NULL), LAM_STATUS_OK);
    cr_assert_eq(trial.count, 0);
    trial.fail_open_at = 1;
    cr_assert_eq(run_divide(&trial, &split, &error), LAM_STATUS_IO);
    cr_assert_not_null(strstr(error.message, "no room for"), "%s", error.message);
    end_divide(&trial);
}

Test(rewrite_divide, partitions_of_all_columns_leave_nothing_to_write) {
    static divide_trial trial;
    const divide_choice choice = {.partitions = {"k", "b"}};
    lam_error error = lam_error_none();
    lam_test_writer file =
        lam_test_write("message m { required int32 k; required int32 b; }", NULL);
    trial.files[0].bytes = lam_test_written(&file);
    trial.bytes = trial.files[0].bytes;
    memset(trial.files, 0, sizeof *trial.files);
    trial.reader = lam_test_open(trial.bytes.data, trial.bytes.size, NULL);
    cr_assert_eq(run_divide(&trial, &choice, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no column is left beside the partitions");
    cr_assert_eq(trial.count, 0);
    end_divide(&trial);
}

/* --- Ends ---------------------------------------------------------------------------------- */

Test(rewrite_divide, a_file_that_cannot_be_opened_or_finished_ends_the_rewrite) {
    static divide_trial trial;
    const divide_choice choice = {.partitions = {"k"}};
    lam_error error = lam_error_none();
    start_divide(&trial, 100, 50, 2, 5, NULL);
    for (trial.fail_open_at = 1; trial.fail_open_at <= 50; trial.fail_open_at += 7) {
        cr_assert_eq(run_divide(&trial, &choice, &error), LAM_STATUS_IO);
        cr_assert_not_null(strstr(error.message, "no room for k="), "%s", error.message);
        cr_assert_eq(trial.count + 1, trial.fail_open_at);
    }
    trial.fail_open_at = 0;
    trial.fail_finish_at = 1;
    cr_assert_eq(run_divide(&trial, &choice, NULL), LAM_STATUS_IO);
    cr_assert_not(trial.files[0].finished);
    end_divide(&trial);
}

/* Of 100 folders, 32 have their files open, and then those of the others take turns. */
Test(rewrite_divide, a_file_that_cannot_be_finished_for_another_one_ends_the_rewrite) {
    static divide_trial trial;
    const divide_choice choice = {.partitions = {"k"}};
    start_divide(&trial, 200, 100, 2, 5, NULL);
    for (trial.fail_finish_at = 1; trial.fail_finish_at <= 100; trial.fail_finish_at += 11) {
        cr_assert_eq(run_divide(&trial, &choice, NULL), LAM_STATUS_IO);
        cr_assert_geq(trial.count, trial.fail_finish_at);
        cr_assert_not(trial.files[trial.fail_finish_at - 1].finished);
    }
    end_divide(&trial);
}

Test(rewrite_divide, a_row_group_that_cannot_be_written_early_ends_the_rewrite) {
    static divide_trial trial;
    const divide_choice choice = {.partitions = {"k"}};
    start_divide(&trial, DIVIDE_MOST_ROWS, 20, 2, DIVIDE_TEXT, NULL);
    for (trial.fail_write_at = 1; trial.fail_write_at < 5; trial.fail_write_at++)
        cr_assert_eq(run_divide(&trial, &choice, NULL), LAM_STATUS_IO);
    end_divide(&trial);
}

static void sweep_divide(const divide_choice *given, size_t rows, int32_t folders) {
    static divide_trial trial;
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    divide_choice choice = *given;
    lam_status status = LAM_STATUS_NOMEM;
    choice.allocator = &allocator;
    start_divide(&trial, rows, folders, 2, 5, &allocator);
    size_t live = counter.live_bytes;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at += 1 + fail_at / 32) {
        lam_error error = lam_error_none();
        counter.fail_at = counter.requests + fail_at;
        counter.fails_on = true;
        status = run_divide(&trial, &choice, &error);
        counter.fail_at = 0;
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu: %s", fail_at,
                  error.message);
        cr_assert_eq(counter.live_bytes, live, "request %zu", fail_at);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    end_divide(&trial);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(rewrite_divide, memory_that_fails_anywhere_ends_the_division) {
    const divide_choice split = {.split_rows = 10}, folders = {.partitions = {"k"}},
                        nested = {.partitions = {"b", "k"}};
    sweep_divide(&split, 0, 1);
    sweep_divide(&nested, 6, 3);
    sweep_divide(&folders, 40, 40);
    for (int32_t more = 33; more < 36; more++)
        sweep_divide(&folders, (size_t)more, more);
}
