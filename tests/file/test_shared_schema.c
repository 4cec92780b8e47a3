/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One schema serves several writers, readers and threads, and lives until the last of them lets it
 * go.
 */
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/dremel.h>
#include <lamella/filter.h>
#include <lamella/projection.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <pthread.h>

#include "file/file_sample.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

#define SCHEMA "message m { required int64 time; repeated binary tag (STRING); }"

typedef struct handles {
    lam_schema *schema;
    const lam_field *time, *tag;
} handles;

static handles parse(const lam_allocator *allocator) {
    handles found = {0};
    cr_assert_eq(lam_schema_parse_text(SCHEMA, allocator, &found.schema, NULL), LAM_STATUS_OK);
    found.time = lam_schema_find(found.schema, "time");
    found.tag = lam_schema_find(found.schema, "tag");
    return found;
}

static lam_writer *open_memory(const lam_schema *schema) {
    lam_output output;
    lam_writer *writer;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_open(schema, &output, NULL, &writer, NULL), LAM_STATUS_OK);
    return writer;
}

static lam_status put_record(const lam_record_sink *sink, const handles *fields, int64_t time,
                             lam_error *error) {
    lam_begin(sink, NULL);
    lam_put_int64(sink, fields->time, time, NULL);
    for (int64_t i = 0; i < time % 3; i++)
        lam_put_string(sink, fields->tag, "tag", NULL);
    return lam_end(sink, error);
}

Test(shared_schema, files_in_a_row_are_written_with_the_same_fields) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    handles fields = parse(&allocator);
    lam_error error = lam_error_none();
    for (int file = 0; file < 3; file++) {
        lam_writer *writer = open_memory(fields.schema);
        cr_assert_eq(lam_writer_schema(writer), fields.schema);
        lam_record_sink sink = lam_writer_sink(writer);
        for (int64_t i = 0; i < 10; i++)
            cr_assert_eq(put_record(&sink, &fields, i, &error), LAM_STATUS_OK, "%s", error.message);
        cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_OK);
        cr_assert_eq(lam_writer_record_count(writer), 10);
        lam_writer_close(writer);
    }
    lam_schema_destroy(fields.schema);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(shared_schema, what_was_made_from_a_schema_outlives_the_callers_hold) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    handles fields = parse(&allocator);
    lam_record_sink nobody = {0};
    lam_writer *writer = open_memory(fields.schema);
    lam_shredder *shredder;
    lam_record_checker *checker;
    lam_automaton *automaton;
    lam_filter_builder *builder;
    lam_projection *projection;
    cr_assert_eq(lam_shredder_create(fields.schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_checker_create(fields.schema, &nobody, NULL, &checker, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_automaton_create(fields.schema, NULL, NULL, &automaton, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_create(fields.schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_projection_create(fields.schema, NULL, &projection, NULL), LAM_STATUS_OK);
    lam_schema_destroy(fields.schema);
    lam_record_sink sink = lam_writer_sink(writer);
    cr_assert_eq(put_record(&sink, &fields, 2, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
    sink = lam_shredder_sink(shredder);
    cr_assert_eq(put_record(&sink, &fields, 2, NULL), LAM_STATUS_OK);
    lam_shredder_destroy(shredder);
    sink = lam_record_checker_sink(checker);
    cr_assert_eq(put_record(&sink, &fields, 2, NULL), LAM_STATUS_OK);
    lam_record_checker_destroy(checker);
    cr_assert_eq(lam_automaton_leaf(automaton, 1), fields.tag);
    lam_automaton_destroy(automaton);
    cr_assert_eq(lam_projection_add(projection, "tag", NULL), LAM_STATUS_OK);
    lam_projection_destroy(projection);
    cr_assert_gt(counter.live_bytes, 0);
    lam_filter_builder_destroy(builder); /* the last one */
    cr_assert_eq(counter.live_bytes, 0);
}

Test(shared_schema, records_of_a_reader_go_straight_to_a_writer_of_its_schema) {
    handles fields = parse(NULL);
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_writer *writer;
    lam_record_reader *records;
    lam_error error = lam_error_none();
    uint64_t count;
    cr_assert_eq(lam_writer_open(fields.schema, &output, NULL, &writer, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_writer_sink(writer);
    for (int64_t i = 0; i < 10; i++)
        cr_assert_eq(put_record(&sink, &fields, i, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
    lam_reader *reader = lam_test_open(trial.bytes.data, trial.bytes.size, NULL);
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    writer = open_memory(lam_reader_schema(reader));
    sink = lam_writer_sink(writer);
    cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &count, &error), LAM_STATUS_OK,
                 "%s", error.message);
    lam_record_reader_close(records);
    lam_reader_close(reader);
    cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_OK); /* the schema is still there */
    cr_assert_eq(lam_writer_record_count(writer), 10);
    lam_writer_close(writer);
    lam_schema_destroy(fields.schema);
    lam_trial_output_free(&trial);
}

enum { THREADS = 2, FILES = 200 };

static void *write_files(void *argument) {
    const handles *fields = argument;
    for (int i = 0; i < FILES; i++) {
        lam_writer *writer = open_memory(fields->schema);
        lam_record_sink sink = lam_writer_sink(writer);
        cr_assert_eq(put_record(&sink, fields, i, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
        lam_writer_close(writer);
    }
    lam_schema_destroy(fields->schema); /* each thread has a hold: here it is the caller's own */
    return NULL;
}

Test(shared_schema, threads_write_files_of_one_schema_and_the_last_one_frees_it) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    handles fields = parse(&allocator);
    pthread_t threads[THREADS];
    handles each[THREADS];
    for (int i = 0; i < THREADS; i++) {
        each[i] = fields;
        each[i].schema = lam_schema_share(fields.schema);
    }
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, write_files, &each[i]), 0);
    lam_schema_destroy(fields.schema);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    cr_assert_eq(counter.live_bytes, 0);
}

/* NULL as an earlier call leaves it that failed. */
Test(shared_schema, nothing_to_write_with_is_an_error_in_words) {
    handles fields = parse(NULL);
    lam_output none = {0};
    lam_writer *writer = NULL;
    lam_error error = lam_error_none();
    lam_output output;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_open(NULL, &output, NULL, &writer, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no schema (NULL)");
    cr_assert_eq(lam_writer_open(fields.schema, &none, NULL, &writer, &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_writer_open(fields.schema, NULL, NULL, &writer, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no output to write to");
    cr_assert_eq(lam_writer_open_file(fields.schema, NULL, NULL, &writer, &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no path (NULL)");
    cr_assert_eq(lam_writer_open_file(NULL, "/no/such/folder/x", NULL, &writer, &error),
                 LAM_STATUS_INVALID);
    cr_assert_null(writer);
    lam_record_sink sink = lam_writer_sink(NULL);
    cr_assert_eq(put_record(&sink, &fields, 2, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no receiver of records (NULL)");
    cr_assert_eq(lam_writer_finish(NULL, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no writer (NULL)");
    cr_assert_null(lam_writer_schema(NULL));
    lam_output_close(&output);
    lam_schema_destroy(fields.schema);
}

Test(shared_schema, nothing_to_read_from_is_an_error_in_words) {
    lam_error error = lam_error_none();
    lam_input none = {0};
    lam_reader *reader = NULL;
    lam_record_reader *records = NULL;
    lam_column_reader *column = NULL;
    cr_assert_eq(lam_reader_open(&none, NULL, &reader, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no input to read from");
    cr_assert_eq(lam_reader_open_file(NULL, NULL, &reader, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no path (NULL)");
    cr_assert_null(lam_reader_schema(reader));
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_column_reader_open(reader, 0, 0, &column, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no reader (NULL)");
}
