/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers within a limit of memory: a file of any size is written, in smaller row groups and pages,
 * and what cannot be written is refused with its place.
 */
#include <criterion/criterion.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"

TestSuite(writer_memory);

enum { WRITER_LIMIT = 2 << 20, WRITER_BESIDE = 4 << 10, WRITER_ROWS = 4000, WRITER_TEXT = 4000 };

/* A writer whose requests are counted; the output's memory is not among them. */
typedef struct bounded_writer {
    lam_failing_alloc counter;
    lam_allocator allocator;
    lam_trial_output trial;
    lam_schema *schema;
    lam_writer *writer;
    lam_record_sink sink;
} bounded_writer;

static const char bounded_schema[] =
    "message m { required int64 a; optional binary s; repeated int32 r; }";

static void open_bounded(bounded_writer *bounded, uint64_t limit, const lam_budget *budget,
                         uint32_t threads) {
    lam_writer_options options = lam_writer_options_default();
    lam_allocator of_budget;
    memset(bounded, 0, sizeof *bounded);
    bounded->allocator = lam_failing_allocator(&bounded->counter);
    bounded->schema = lam_test_schema(bounded_schema);
    options.allocator = &bounded->allocator;
    if (budget != NULL) {
        of_budget = lam_budget_allocator((lam_budget *)(uintptr_t)budget);
        options.allocator = &of_budget;
    }
    options.memory_limit = limit;
    options.thread_count = threads;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_output output = lam_trial_output_open(&bounded->trial);
    cr_assert_eq(lam_writer_open(bounded->schema, &output, &options, &bounded->writer, NULL),
                 LAM_STATUS_OK);
    bounded->sink = lam_writer_sink(bounded->writer);
}

static void close_bounded(bounded_writer *bounded) {
    lam_writer_close(bounded->writer);
    cr_assert_eq(bounded->counter.live_bytes, 0);
    cr_assert_eq(bounded->counter.wrong_sizes, 0);
    lam_schema_destroy(bounded->schema);
    lam_trial_output_free(&bounded->trial);
}

/* A record with a text that no other has, and `elements` numbers. */
static lam_status put_bounded(bounded_writer *bounded, int64_t row, size_t text, size_t elements,
                              lam_error *error) {
    char *bytes = malloc(text);
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < text; i++)
        bytes[i] = (char)((uint64_t)row * 2654435761u >> i % 24);
    lam_begin(&bounded->sink, NULL);
    lam_put_int64(&bounded->sink, lam_schema_leaf(bounded->schema, 0), row, NULL);
    lam_put_bytes(&bounded->sink, lam_schema_leaf(bounded->schema, 1), bytes, text, NULL);
    for (size_t i = 0; i < elements && status == LAM_STATUS_OK; i++)
        status =
            lam_put_int32(&bounded->sink, lam_schema_leaf(bounded->schema, 2), (int32_t)i, NULL);
    free(bytes);
    return lam_end(&bounded->sink, error);
}

static uint64_t rows_of_file(const bounded_writer *bounded, size_t *ret_groups) {
    lam_reader *reader = lam_test_open(bounded->trial.bytes.data, bounded->trial.bytes.size, NULL);
    uint64_t rows = lam_reader_row_count(reader);
    *ret_groups = lam_reader_row_group_count(reader);
    lam_reader_close(reader);
    return rows;
}

/* 16 MB of texts that do not repeat: the dictionary, the pages and the row group all end early. */
static void write_much(bounded_writer *bounded) {
    lam_error error = lam_error_none();
    size_t groups;
    for (int64_t row = 0; row < WRITER_ROWS; row++)
        cr_assert_eq(put_bounded(bounded, row, WRITER_TEXT, (size_t)(row % 50), &error),
                     LAM_STATUS_OK, "row %d: %s", (int)row, error.message);
    cr_assert_eq(lam_writer_finish(bounded->writer, &error), LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(rows_of_file(bounded, &groups), WRITER_ROWS);
    cr_assert_gt(groups, 8, "%zu", groups);
}

Test(writer_memory, a_file_of_any_size_is_written_within_the_limit) {
    for (uint32_t threads = 1; threads <= 2; threads++) {
        static bounded_writer bounded;
        open_bounded(&bounded, WRITER_LIMIT, NULL, threads);
        write_much(&bounded);
        cr_assert_leq(bounded.counter.peak_bytes, WRITER_LIMIT + WRITER_BESIDE);
        close_bounded(&bounded);
    }
}

Test(writer_memory, a_budget_bounds_a_writer_as_its_own_limit_does) {
    static bounded_writer bounded;
    lam_budget *budget;
    cr_assert_eq(lam_budget_create(NULL, WRITER_LIMIT, &budget, NULL), LAM_STATUS_OK);
    open_bounded(&bounded, 0, budget, 1);
    write_much(&bounded);
    close_bounded(&bounded);
    cr_assert_leq(lam_budget_peak(budget), WRITER_LIMIT);
    cr_assert_gt(lam_budget_peak(budget), WRITER_LIMIT / 8);
    cr_assert_eq(lam_budget_used(budget), 0);
    lam_budget_destroy(budget);
}

/* Once the shredder has the record it can be written or not; before, it is dropped alone. */
Test(writer_memory, a_value_above_the_limit_is_refused_with_its_column) {
    static bounded_writer bounded;
    lam_error error = lam_error_none();
    open_bounded(&bounded, WRITER_LIMIT, NULL, 1);
    cr_assert_eq(put_bounded(&bounded, 0, 10, 1, &error), LAM_STATUS_OK);
    cr_assert_eq(put_bounded(&bounded, 1, WRITER_LIMIT, 1, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_MEMORY_LIMIT);
    cr_assert_not_null(strstr(error.message, "memory limit of 2097152"), "%s", error.message);
    cr_assert_leq(bounded.counter.peak_bytes, WRITER_LIMIT + WRITER_BESIDE);
    close_bounded(&bounded);
}

Test(writer_memory, a_record_without_end_is_refused_and_others_go_on) {
    static bounded_writer bounded;
    lam_error error = lam_error_none();
    size_t groups;
    open_bounded(&bounded, WRITER_LIMIT, NULL, 1);
    cr_assert_eq(put_bounded(&bounded, 0, 10, 1, &error), LAM_STATUS_OK);
    cr_assert_eq(put_bounded(&bounded, 1, 10, 100000000, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_MEMORY_LIMIT);
    cr_assert_leq(bounded.counter.peak_bytes, WRITER_LIMIT + WRITER_BESIDE);
    cr_assert_eq(put_bounded(&bounded, 2, 10, 1, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(bounded.writer, &error), LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(rows_of_file(&bounded, &groups), 2);
    close_bounded(&bounded);
}

/* Whole columns: what cannot be encoded poisons the writer, and names column and row. */
Test(writer_memory, columns_above_the_limit_are_refused_with_column_and_row) {
    static bounded_writer bounded;
    lam_error error = lam_error_none();
    uint8_t *text = calloc(1, WRITER_LIMIT);
    int64_t numbers[2] = {0, 1};
    lam_bytes texts[2] = {{text, 1}, {text, WRITER_LIMIT}};
    uint8_t definition[2] = {1, 1}, none[2] = {0, 0};
    lam_triples columns[3] = {
        {.count = 2, .value_count = 2, .values = numbers},
        {.count = 2, .value_count = 2, .values = texts, .definition = definition},
        {.count = 2, .definition = none, .repetition = none}};
    open_bounded(&bounded, WRITER_LIMIT, NULL, 1);
    cr_assert_eq(lam_writer_write_triples(bounded.writer, columns, 1, &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_writer_write_triples(bounded.writer, columns, 2, &error), LAM_STATUS_LIMIT,
                 "%s", error.message);
    cr_assert_eq(error.column, 1);
    cr_assert_str_eq(error.column_path, "s");
    cr_assert_eq(error.row_group, 0);
    cr_assert_eq(error.row, 0);
    cr_assert_eq(lam_writer_finish(bounded.writer, &error), LAM_STATUS_STATE);
    cr_assert_not(bounded.trial.finished);
    free(text);
    close_bounded(&bounded);
}

/* --- Columns ------------------------------------------------------------------------------- */

enum { MANY_COLUMNS = 5000, IDLE_COLUMN = 256, OPEN_COLUMN = 6400 };

static lam_schema *many_columns(void) {
    lam_buffer text;
    lam_allocator heap = lam_allocator_default();
    lam_buffer_init(&text, &heap);
    cr_assert_eq(lam_buffer_append(&text, "message m {", 11, NULL), LAM_STATUS_OK);
    for (int i = 0; i < MANY_COLUMNS; i++) {
        char field[64];
        int size = snprintf(field, sizeof field, "optional binary c%d (STRING);", i);
        cr_assert_eq(lam_buffer_append(&text, field, (size_t)size, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_buffer_append(&text, "}", 2, NULL), LAM_STATUS_OK);
    lam_schema *schema = lam_test_parse((const char *)text.data);
    lam_buffer_finish(&text);
    return schema;
}

/* A column took 6.7 KB before the first record, and 10.2 KB with a row group. */
Test(writer_memory, a_column_costs_little_before_it_has_values_and_not_much_then) {
    static lam_failing_alloc counting;
    lam_schema *schema = many_columns();
    lam_allocator allocator = lam_failing_allocator(&counting);
    lam_test_writer file = lam_test_write_as(schema, LAM_TEST_WRITER(.allocator = &allocator));
    cr_assert_leq(counting.live_bytes, (size_t)MANY_COLUMNS * IDLE_COLUMN);
    lam_record_sink sink = file.sink;
    for (int row = 0; row < 3; row++) {
        lam_begin(&sink, NULL);
        for (size_t i = 0; i < MANY_COLUMNS; i++)
            lam_put_bytes(&sink, lam_schema_leaf(schema, i), "text", 4, NULL);
        cr_assert_eq(lam_end(&sink, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    cr_assert_leq(counting.peak_bytes, (size_t)MANY_COLUMNS * OPEN_COLUMN);
    lam_test_drop(&file);
    cr_assert_eq(counting.live_bytes, 0);
    lam_schema_destroy(schema);
}
