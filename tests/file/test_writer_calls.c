/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of a writer at the wrong time, those that find no memory, and rows that are written leaf by
 * leaf: when there is room for many of them at once.
 */
#include <criterion/criterion.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/write/file_writer.h"
#include "support/failing_alloc.h"

enum { CALL_ROWS = 1 << 14, BATCH = 1024, SOME_ROWS = 10 };

static int32_t call_numbers[CALL_ROWS];

/* A writer on a trial output whose memory may end. */
typedef struct called_file {
    lam_schema *schema;
    lam_trial_output trial;
    lam_failing_alloc counter;
    lam_allocator allocator;
    lam_writer *writer;
    lam_record_sink sink;
} called_file;

static void start(called_file *file, const char *schema, lam_writer_options options) {
    memset(file, 0, sizeof *file);
    file->allocator = lam_failing_allocator(&file->counter);
    file->schema = lam_test_schema(schema);
    options.allocator = &file->allocator;
    lam_output output = lam_trial_output_open(&file->trial);
    cr_assert_eq(lam_writer_open(file->schema, &output, &options, &file->writer, NULL),
                 LAM_STATUS_OK);
    file->sink = lam_writer_sink(file->writer);
}

static void start_numbers(called_file *file) {
    start(file, "required int32 a;", lam_writer_options_default());
}

static void stop(called_file *file) {
    lam_writer_close(file->writer);
    cr_assert_eq(file->counter.live_bytes, 0);
    cr_assert_eq(file->counter.wrong_sizes, 0);
    lam_trial_output_free(&file->trial);
    lam_schema_destroy(file->schema);
}

static void put_number(called_file *file) {
    const lam_field *leaf = lam_schema_leaf(lam_writer_schema(file->writer), 0);
    cr_assert_eq(file->sink.begin(file->sink.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(file->sink.put(file->sink.state, leaf, (lam_value){.int32 = 5}, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(file->sink.end(file->sink.state, NULL), LAM_STATUS_OK);
}

/* --- At the wrong time ----------------------------------------------------------------------- */

Test(writer_calls, options_out_of_range_make_no_file) {
    lam_schema *schema = lam_test_schema("required int32 a;");
    lam_writer_options options = lam_writer_options_default();
    lam_writer *writer;
    options.struct_size--;
    cr_assert_eq(lam_writer_open_file(schema, "no folder/no file", &options, &writer, NULL),
                 LAM_STATUS_INVALID);
    lam_schema_destroy(schema);
}

Test(writer_calls, choices_come_before_the_first_record_begins) {
    called_file file;
    lam_error error = lam_error_none();
    start_numbers(&file);
    cr_assert_eq(file.sink.begin(file.sink.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_set_encoding(file.writer, "a", LAM_ENCODING_PLAIN, &error),
                 LAM_STATUS_STATE);
    cr_assert_str_eq(error.message, "encodings are chosen before the first record");
    size_t rows;
    cr_assert_eq(lam_writer_start_rows(file.writer, 1, &rows, &error), LAM_STATUS_STATE);
    cr_assert_eq(error.code, LAM_ERROR_CODE_RECORD_OPEN);
    stop(&file);
}

Test(writer_calls, nothing_is_taken_before_a_record_or_behind_the_end_of_the_file) {
    called_file file;
    lam_error error = lam_error_none();
    const lam_triples column = {1, 1, NULL, NULL, call_numbers};
    size_t rows;
    start_numbers(&file);
    const lam_field *leaf = lam_schema_leaf(lam_writer_schema(file.writer), 0);
    cr_assert_eq(file.sink.put(file.sink.state, leaf, (lam_value){.int32 = 5}, &error),
                 LAM_STATUS_STATE);
    cr_assert_eq(error.code, LAM_ERROR_CODE_RECORD_NOT_OPEN);
    cr_assert_eq(file.sink.end(file.sink.state, &error), LAM_STATUS_STATE);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.sink.put(file.sink.state, leaf, (lam_value){.int32 = 5}, &error),
                 LAM_STATUS_STATE);
    cr_assert_eq(error.code, LAM_ERROR_CODE_WRITER_FINISHED);
    cr_assert_eq(lam_writer_set_encoding(file.writer, "a", LAM_ENCODING_PLAIN, &error),
                 LAM_STATUS_STATE);
    cr_assert_eq(error.code, LAM_ERROR_CODE_WRITER_FINISHED);
    cr_assert_eq(lam_writer_start_rows(file.writer, 1, &rows, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_writer_write_checked(file.writer, &column, 1, NULL), LAM_STATUS_STATE);
    stop(&file);
}

/* --- Without memory -------------------------------------------------------------------------- */

static lam_status write_one(called_file *file, lam_error *error) {
    const lam_triples column = {1, 1, NULL, NULL, call_numbers};
    return lam_writer_write_checked(file->writer, &column, 1, error);
}

static lam_status start_one(called_file *file, lam_error *error) {
    size_t rows;
    return lam_writer_start_rows(file->writer, 1, &rows, error);
}

/* Records of the verbs are moved first. Half of that poisons; the room for columns does not. */
Test(writer_calls, records_that_find_no_memory_when_rows_follow_poison_the_writer) {
    static lam_status (*const calls[])(called_file *, lam_error *) = {write_one, start_one};
    for (size_t i = 0; i < 2; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        size_t poisoned = 0;
        for (size_t n = 1; status != LAM_STATUS_OK; n++) {
            called_file file;
            lam_error error = lam_error_none(), later = lam_error_none();
            start_numbers(&file);
            for (size_t k = 0; k < SOME_ROWS; k++)
                put_number(&file);
            file.counter.fail_at = file.counter.requests + n;
            status = calls[i](&file, &error);
            file.counter.fail_at = 0;
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s", error.message);
            if (calls[i](&file, &later) == LAM_STATUS_STATE) {
                cr_assert_eq(status, LAM_STATUS_NOMEM);
                cr_assert_eq(later.code, LAM_ERROR_CODE_WRITER_FAILED);
                poisoned++;
            }
            stop(&file);
        }
        cr_assert_gt(poisoned, 0, "call %zu", i);
    }
}

/* Some of the leaves may have the encoding by then, and others not. */
Test(writer_calls, an_encoding_that_finds_no_memory_poisons_the_writer) {
    static const lam_encoding encodings[] = {LAM_ENCODING_RLE_DICTIONARY,
                                             LAM_ENCODING_DELTA_BINARY_PACKED};
    for (size_t i = 0; i < 2; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t n = 1; status != LAM_STATUS_OK; n++) {
            called_file file;
            lam_writer_options options = lam_writer_options_default();
            options.dictionary = LAM_SWITCH_OFF;
            start(&file, "required group g { required int32 a; required int32 b; }", options);
            file.counter.fail_at = file.counter.requests + n;
            status = lam_writer_set_encoding(file.writer, "g", encodings[i], NULL);
            file.counter.fail_at = 0;
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
            cr_assert_eq(lam_writer_end_row_group(file.writer, NULL),
                         status == LAM_STATUS_OK ? LAM_STATUS_OK : LAM_STATUS_STATE);
            stop(&file);
        }
    }
}

/* --- Rows of leaves -------------------------------------------------------------------------- */

static void add_rows(called_file *file, size_t rows) {
    while (rows > 0) {
        size_t most;
        cr_assert_eq(lam_writer_start_rows(file->writer, rows, &most, NULL), LAM_STATUS_OK);
        cr_assert(most > 0 && most <= rows);
        const lam_triples column = {most, most, NULL, NULL, call_numbers};
        cr_assert_eq(lam_writer_add_leaf(file->writer, 0, &column, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_writer_end_rows(file->writer, most, NULL), LAM_STATUS_OK);
        rows -= most;
    }
}

/* The number of rows between two checks grows to that of a batch while rows are small. */
static void fill(called_file *file, lam_writer_options options) {
    start(file, "required int32 a;", options);
    cr_assert_not(lam_writer_has_room(file->writer, BATCH, 12 * BATCH), "rows are unknown yet");
    add_rows(file, 4 * BATCH);
}

Test(writer_calls, there_is_room_for_whole_batches_that_no_check_could_divide) {
    called_file file;
    fill(&file, lam_writer_options_default());
    cr_expect(lam_writer_has_room(file.writer, BATCH, 12 * BATCH));
    cr_expect(lam_writer_has_room(file.writer, 4 * BATCH, 48 * BATCH));
    cr_expect_not(lam_writer_has_room(file.writer, BATCH - 1, 12 * BATCH));
    cr_expect_not(lam_writer_has_room(file.writer, BATCH, UINT64_MAX));
    cr_expect_not(lam_writer_has_room(file.writer, UINT64_C(1) << 40, 12 * BATCH));
    cr_expect_not(lam_writer_has_room(file.writer, BATCH, 100 << 20));
    add_rows(&file, SOME_ROWS);
    cr_expect_not(lam_writer_has_room(file.writer, BATCH, 12 * BATCH), "a batch is begun");
    cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
    cr_expect(lam_writer_has_room(file.writer, BATCH, 12 * BATCH));
    stop(&file);
}

Test(writer_calls, pages_that_end_within_a_batch_leave_no_room) {
    called_file file;
    lam_writer_options options = lam_writer_options_default();
    options.page_bytes = 1000;
    fill(&file, options);
    cr_expect_not(lam_writer_has_room(file.writer, BATCH, 12 * BATCH));
    stop(&file);
    options = lam_writer_options_default();
    options.page_rows = BATCH - 1;
    fill(&file, options);
    cr_expect_not(lam_writer_has_room(file.writer, BATCH, 12 * BATCH));
    stop(&file);
}

Test(writer_calls, no_rows_are_ended_as_none) {
    called_file file;
    start_numbers(&file);
    cr_assert_eq(lam_writer_end_rows(file.writer, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_record_count(file.writer), 0);
    add_rows(&file, SOME_ROWS);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_record_count(file.writer), SOME_ROWS);
    stop(&file);
}
