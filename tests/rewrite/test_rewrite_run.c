/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are rewritten in memory: the same rows in every way of rewriting, true metadata, and
 * clean ends where memory or an output fails.
 */
#include <criterion/criterion.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/details.h>
#include <lamella/rewrite.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "support/failing_alloc.h"

enum { RUN_RECORDS = 200, RUN_FILES = 64 };

static const char run_shape[] =
    "message m { required int64 a; optional binary s; repeated group g {"
    "            required int32 x; optional double y; } optional boolean b; required int96 t;"
    "            optional fixed(3) f; }";

/* The outputs of a rewrite. */
typedef struct run_outputs {
    lam_trial_output files[RUN_FILES];
    size_t count;
    size_t fail_at_write; /* of the first */
} run_outputs;

static lam_status open_trial(void *state, const char *folder, uint64_t number,
                             lam_output *ret_output, lam_error *error) {
    run_outputs *outputs = state;
    (void)folder, (void)number, (void)error;
    cr_assert_lt(outputs->count, RUN_FILES);
    outputs->files[outputs->count].fail_at_write = outputs->fail_at_write;
    *ret_output = lam_trial_output_open(&outputs->files[outputs->count++]);
    return LAM_STATUS_OK;
}

static void free_outputs(run_outputs *outputs) {
    for (size_t i = 0; i < outputs->count; i++) {
        cr_assert(outputs->files[i].closed);
        lam_trial_output_free(&outputs->files[i]);
    }
}

/* What a test chooses. */
typedef struct run_choice {
    lam_writer_options writer;
    const char *sort_key;
    bool descending;
    const char *where;
    const char *partition;
    uint64_t split_rows;
    uint64_t memory_limit;
    const lam_allocator *allocator;
    lam_rewrite_report report;
    lam_rewrite_progress progress; /* the last that was reported */
    size_t progress_calls;
} run_choice;

static run_choice no_choice(void) {
    run_choice choice = {.writer = lam_writer_options_default(),
                         .report = lam_rewrite_report_default()};
    return choice;
}

static lam_status choose(lam_rewrite *rewrite, const run_choice *choice, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    if (choice->sort_key != NULL)
        status =
            lam_rewrite_add_sort_key(rewrite, choice->sort_key, choice->descending, false, error);
    if (status == LAM_STATUS_OK && choice->where != NULL)
        status = lam_rewrite_set_where(rewrite, choice->where, error);
    if (status == LAM_STATUS_OK && choice->partition != NULL)
        status = lam_rewrite_add_partition(rewrite, choice->partition, error);
    if (status == LAM_STATUS_OK && choice->split_rows != 0)
        status = lam_rewrite_set_split(rewrite, choice->split_rows, 0, error);
    return status;
}

static void note_progress(void *state, const lam_rewrite_progress *progress) {
    run_choice *choice = state;
    cr_assert_eq(progress->struct_size, sizeof *progress);
    cr_assert_gt(progress->rows_done, choice->progress.rows_done);
    cr_assert_leq(progress->rows_done, progress->rows_total);
    choice->progress = *progress;
    choice->progress_calls++;
}

static lam_status run_rewrite(const lam_reader *const *readers, size_t count, run_choice *choice,
                              run_outputs *outputs, lam_error *error) {
    const lam_rewrite_target target = {outputs, open_trial};
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite *rewrite;
    options.writer = &choice->writer;
    options.allocator = choice->allocator;
    options.memory_limit = choice->memory_limit;
    choice->progress = (lam_rewrite_progress){.rows_done = 0};
    options.progress = note_progress;
    options.progress_state = choice;
    lam_status status = lam_rewrite_create(&options, &rewrite, error);
    if (status != LAM_STATUS_OK)
        return status;
    for (size_t i = 0; i < count && status == LAM_STATUS_OK; i++)
        status = lam_rewrite_add_reader(rewrite, readers[i], i == 0 ? "first" : "second", error);
    if (status == LAM_STATUS_OK)
        status = choose(rewrite, choice, error);
    if (status == LAM_STATUS_OK)
        status = lam_rewrite_run(rewrite, &target, &choice->report, error);
    lam_rewrite_destroy(rewrite);
    return status;
}

static lam_file_sample run_sample(uint64_t seed, const lam_writer_options *options) {
    lam_random random = lam_random_start(lam_test_seed(seed));
    lam_file_sample sample;
    lam_file_sample_init(&sample, lam_test_schema(run_shape), RUN_RECORDS, 70, &random);
    lam_file_sample_write(&sample, options, NULL);
    return sample;
}

static lam_status refuse_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)error;
    cr_assert_lt(finding->rule->severity, LAM_SEVERITY_ERROR, "%s", finding->message);
    return LAM_STATUS_OK;
}

static lam_reader *open_output(const run_outputs *outputs, size_t index) {
    const lam_buffer *bytes = &outputs->files[index].bytes;
    lam_input input = lam_input_memory(bytes->data, bytes->size);
    lam_error error = lam_error_none();
    cr_assert(outputs->files[index].finished);
    cr_assert_eq(lam_check(&input, NULL, refuse_finding, NULL, NULL, &error), LAM_STATUS_OK, "%s",
                 error.message);
    return lam_test_open_input(&input, NULL);
}

static lam_writer_options small_file(void) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 32;
    options.page_rows = 7;
    options.auto_bloom_filters = true;
    return options;
}

/* --- Row groups that stay ------------------------------------------------------------------ */

Test(rewrite_run, every_way_of_writing_keeps_all_rows) {
    lam_writer_options small = small_file();
    for (int way = 0; way < 10; way++) {
        run_outputs outputs = {.count = 0};
        run_choice choice = no_choice();
        lam_error error = lam_error_none();
        small.data_page_version = 1 + way % 2;
        lam_file_sample sample = run_sample((uint64_t)way, &small);
        const lam_reader *reader = lam_file_sample_open(&sample, NULL);
        choice.writer.codec = way == 1   ? LAM_CODEC_SNAPPY
                              : way == 2 ? LAM_CODEC_UNCOMPRESSED
                              : way == 3 ? LAM_CODEC_GZIP
                                         : LAM_CODEC_DEFAULT;
        choice.writer.page_bytes = way == 4 ? 64 : 0;
        choice.writer.data_page_version = way == 5 ? 2 : 0;
        choice.writer.compat = way == 6 ? LAM_COMPAT_MAX : LAM_COMPAT_DEFAULT;
        choice.writer.row_group_rows = way == 7 ? 13 : way == 8 ? 150 : 0;
        choice.split_rows = way == 9 ? RUN_RECORDS : 0;
        lam_status status = run_rewrite(&reader, 1, &choice, &outputs, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "way %d: %s", way, error.message);
        cr_assert_eq(choice.report.rows, RUN_RECORDS);
        lam_reader *written = open_output(&outputs, 0);
        lam_file_sample_expect_all(&sample, written, NULL);
        lam_reader_close(written);
        lam_reader_close((lam_reader *)(uintptr_t)reader);
        free_outputs(&outputs);
        lam_file_sample_finish(&sample);
    }
}

Test(rewrite_run, a_file_without_changes_is_copied_byte_by_byte) {
    lam_writer_options small = small_file();
    run_outputs outputs = {.count = 0};
    run_choice choice = no_choice();
    lam_file_sample sample = run_sample(3, &small);
    const lam_reader *reader = lam_file_sample_open(&sample, NULL);
    cr_assert_eq(run_rewrite(&reader, 1, &choice, &outputs, NULL), LAM_STATUS_OK);
    cr_assert_eq(choice.report.chunks_copied, 7 * 7);
    cr_assert_eq(choice.report.chunks_encoded, 0);
    cr_assert_eq(outputs.files[0].bytes.size, sample.bytes.size);
    cr_assert_eq(memcmp(outputs.files[0].bytes.data, sample.bytes.data, sample.bytes.size), 0);
    lam_reader_close((lam_reader *)(uintptr_t)reader);
    free_outputs(&outputs);
    lam_file_sample_finish(&sample);
}

/*
 * Pages with statistics in their headers: those came out as other bytes when a page got another
 * codec, because they were borrowed from a window that had moved on. So a file is recompressed
 * there and back, and compared with itself.
 */
Test(rewrite_run, another_codec_and_back_gives_the_same_file) {
    lam_writer_options small = small_file();
    run_outputs there = {.count = 0}, back = {.count = 0};
    run_choice choice = no_choice();
    small.codec = LAM_CODEC_SNAPPY;
    lam_file_sample sample = run_sample(4, &small);
    const lam_reader *reader = lam_file_sample_open(&sample, NULL);
    choice.writer.codec = LAM_CODEC_GZIP;
    cr_assert_eq(run_rewrite(&reader, 1, &choice, &there, NULL), LAM_STATUS_OK);
    cr_assert_eq(choice.report.chunks_recompressed, 7 * 7);
    const lam_reader *middle = open_output(&there, 0);
    choice.writer.codec = LAM_CODEC_SNAPPY;
    cr_assert_eq(run_rewrite(&middle, 1, &choice, &back, NULL), LAM_STATUS_OK);
    cr_assert_eq(back.files[0].bytes.size, sample.bytes.size);
    cr_assert_eq(memcmp(back.files[0].bytes.data, sample.bytes.data, sample.bytes.size), 0);
    lam_reader_close((lam_reader *)(uintptr_t)middle);
    lam_reader_close((lam_reader *)(uintptr_t)reader);
    free_outputs(&there);
    free_outputs(&back);
    lam_file_sample_finish(&sample);
}

/* --- Rows that move ------------------------------------------------------------------------ */

/* All values of a required int64 column, in order; the number of them. */
static size_t read_numbers(const lam_reader *reader, int64_t *numbers) {
    size_t count = 0;
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_column_reader *column;
        lam_triples triples;
        cr_assert_eq(lam_column_reader_open(reader, i, 0, &column, NULL), LAM_STATUS_OK);
        do {
            cr_assert_eq(lam_column_reader_read(column, SIZE_MAX, &triples, NULL), LAM_STATUS_OK);
            for (size_t k = 0; k < triples.value_count; k++)
                numbers[count++] = ((const int64_t *)triples.values)[k];
        } while (triples.count > 0);
        lam_column_reader_close(column);
    }
    return count;
}

static int compare_numbers(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

Test(rewrite_run, sorted_rows_are_all_there_and_their_order_is_stated) {
    static int64_t before[RUN_RECORDS], after[RUN_RECORDS];
    lam_writer_options small = small_file();
    for (int descending = 0; descending < 2; descending++) {
        run_outputs outputs = {.count = 0};
        run_choice choice = no_choice();
        lam_sorting_column stated = lam_sorting_column_default();
        lam_file_sample sample = run_sample(5, &small);
        const lam_reader *reader = lam_file_sample_open(&sample, NULL);
        choice.sort_key = "a";
        choice.descending = descending != 0;
        cr_assert_eq(run_rewrite(&reader, 1, &choice, &outputs, NULL), LAM_STATUS_OK);
        lam_reader *written = open_output(&outputs, 0); /* lam_check compares the rows, too */
        cr_assert_eq(lam_reader_sorting_column(written, 0, 0, &stated, NULL), LAM_STATUS_OK);
        cr_assert_eq(stated.leaf_index, 0);
        cr_assert_eq(stated.descending, choice.descending);
        cr_assert_eq(read_numbers(reader, before), RUN_RECORDS);
        cr_assert_eq(read_numbers(written, after), RUN_RECORDS);
        qsort(before, RUN_RECORDS, sizeof *before, compare_numbers);
        for (size_t i = 0; i < RUN_RECORDS; i++)
            cr_assert_eq(after[i], before[descending ? RUN_RECORDS - 1 - i : i]);
        lam_reader_close(written);
        lam_reader_close((lam_reader *)(uintptr_t)reader);
        free_outputs(&outputs);
        lam_file_sample_finish(&sample);
    }
}

Test(rewrite_run, files_are_split_by_rows_in_their_order) {
    lam_writer_options small = small_file();
    run_outputs outputs = {.count = 0};
    run_choice choice = no_choice();
    static int64_t before[RUN_RECORDS], after[RUN_RECORDS];
    size_t count = 0;
    lam_file_sample sample = run_sample(6, &small);
    const lam_reader *reader = lam_file_sample_open(&sample, NULL);
    choice.split_rows = 30;
    cr_assert_eq(run_rewrite(&reader, 1, &choice, &outputs, NULL), LAM_STATUS_OK);
    cr_assert_eq(outputs.count, 7);
    cr_assert_eq(choice.report.files, 7);
    for (size_t i = 0; i < outputs.count; i++) {
        lam_reader *written = open_output(&outputs, i);
        cr_assert_eq(lam_reader_row_count(written), i < 6 ? 30 : 20);
        count += read_numbers(written, after + count);
        lam_reader_close(written);
    }
    cr_assert_eq(read_numbers(reader, before), count);
    cr_assert_arr_eq(before, after, sizeof before);
    lam_reader_close((lam_reader *)(uintptr_t)reader);
    free_outputs(&outputs);
    lam_file_sample_finish(&sample);
}

Test(rewrite_run, only_rows_of_a_condition_are_written) {
    lam_writer_options small = small_file();
    run_outputs outputs = {.count = 0};
    run_choice choice = no_choice();
    static int64_t before[RUN_RECORDS], after[RUN_RECORDS];
    size_t wanted = 0;
    lam_file_sample sample = run_sample(7, &small);
    const lam_reader *reader = lam_file_sample_open(&sample, NULL);
    choice.where = "a >= 0";
    cr_assert_eq(run_rewrite(&reader, 1, &choice, &outputs, NULL), LAM_STATUS_OK);
    cr_assert_eq(read_numbers(reader, before), RUN_RECORDS);
    for (size_t i = 0; i < RUN_RECORDS; i++)
        if (before[i] >= 0)
            before[wanted++] = before[i];
    lam_reader *written = open_output(&outputs, 0);
    cr_assert_eq(read_numbers(written, after), wanted);
    cr_assert_arr_eq(before, after, wanted * sizeof *before);
    lam_reader_close(written);
    lam_reader_close((lam_reader *)(uintptr_t)reader);
    free_outputs(&outputs);
    lam_file_sample_finish(&sample);
}

/* --- Ends ---------------------------------------------------------------------------------- */

static run_choice choice_of(int way) {
    run_choice choice = no_choice();
    choice.writer.codec = way == 0 ? LAM_CODEC_SNAPPY : LAM_CODEC_DEFAULT;
    choice.writer.page_bytes = way == 1 ? 64 : 0;
    choice.sort_key = way == 2 ? "s" : NULL;
    choice.partition = way == 3 ? "b" : NULL;
    choice.where = way == 4 ? "a > 0" : NULL;
    return choice;
}

Test(rewrite_run, progress_ends_with_all_rows_whatever_is_done_with_them) {
    lam_writer_options small = small_file();
    lam_file_sample sample = run_sample(11, &small);
    const lam_reader *reader = lam_file_sample_open(&sample, NULL);
    for (int way = 0; way < 6; way++) {
        run_outputs outputs = {.count = 0};
        run_choice choice = way < 5 ? choice_of(way) : no_choice();
        if (way == 2)
            choice.where = "a >= 0";
        cr_assert_eq(run_rewrite(&reader, 1, &choice, &outputs, NULL), LAM_STATUS_OK);
        uint64_t again = way == 2 ? choice.report.rows : 0; /* sorted rows count twice */
        cr_assert_eq(choice.progress.rows_done, RUN_RECORDS + again, "way %d", way);
        cr_assert_eq(choice.progress.rows_total, RUN_RECORDS + again, "way %d", way);
        cr_assert_geq(choice.progress_calls, lam_reader_row_group_count(reader), "way %d", way);
        free_outputs(&outputs);
    }
    lam_reader_close((lam_reader *)(uintptr_t)reader);
    lam_file_sample_finish(&sample);
}

Test(rewrite_run, memory_that_fails_anywhere_is_reported_and_nothing_leaks) {
    lam_writer_options small = small_file();
    lam_file_sample sample = run_sample(8, &small);
    const lam_reader *reader = lam_file_sample_open(&sample, NULL);
    for (int way = 0; way < 5; way++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at += 1 + fail_at / 16) {
            lam_failing_alloc counter = {.fail_at = fail_at};
            lam_allocator allocator = lam_failing_allocator(&counter);
            run_outputs outputs = {.count = 0};
            run_choice choice = choice_of(way);
            lam_error error = lam_error_none();
            choice.allocator = &allocator;
            status = run_rewrite(&reader, 1, &choice, &outputs, &error);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "way %d, %zu: %s", way,
                      fail_at, error.message);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
            free_outputs(&outputs);
        }
    }
    lam_reader_close((lam_reader *)(uintptr_t)reader);
    lam_file_sample_finish(&sample);
}

Test(rewrite_run, an_output_that_fails_ends_the_rewrite_and_is_never_finished) {
    lam_writer_options small = small_file();
    lam_file_sample sample = run_sample(9, &small);
    const lam_reader *reader = lam_file_sample_open(&sample, NULL);
    for (int way = 0; way < 5; way++) {
        lam_status status = LAM_STATUS_IO;
        for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at += 1 + fail_at / 8) {
            run_outputs outputs = {.fail_at_write = fail_at};
            run_choice choice = choice_of(way);
            status = run_rewrite(&reader, 1, &choice, &outputs, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO);
            for (size_t i = 0; i < outputs.count; i++)
                cr_assert_not(outputs.files[i].failed && outputs.files[i].finished);
            free_outputs(&outputs);
        }
    }
    lam_reader_close((lam_reader *)(uintptr_t)reader);
    lam_file_sample_finish(&sample);
}
