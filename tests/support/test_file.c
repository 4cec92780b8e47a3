/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes files into memory and opens them. In: a schema's text, and records as text or triples.
 * Out: the bytes of a file, or a reader of them. The invariant: nothing fails unseen.
 */
#include "support/test_file.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "schema/tree.h"
#include "support/record_text.h"

/* In memcheck, reports bytes of an output that were never written to. (tests/memcheck) */
#if defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define LAM_EXPECT_DEFINED(data, size) (void)VALGRIND_CHECK_MEM_IS_DEFINED(data, size)
#endif
#endif
#ifndef LAM_EXPECT_DEFINED
#define LAM_EXPECT_DEFINED(data, size) ((void)(data), (void)(size))
#endif

lam_schema *lam_test_parse(const char *text) {
    lam_schema *schema;
    lam_error error = lam_error_none();
    const lam_status status = lam_schema_parse(text, strlen(text), NULL, &schema, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", text, error.message);
    return schema;
}

lam_schema *lam_test_schema(const char *text) {
    lam_schema *schema = lam_test_parse(text);
    schema->is_of_file = true;
    return schema;
}

lam_schema *lam_test_vector_schema(void) {
    lam_schema_builder *builder;
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lam_schema_builder_begin_group(
                         builder, i == 0 ? "list" : "g",
                         i == 0 ? LAM_REPETITION_VECTOR : LAM_REPETITION_REQUIRED, NULL, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_schema_builder_add_leaf(builder, "element", LAM_REPETITION_REQUIRED,
                                                 LAM_PHYSICAL_FLOAT, NULL, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_schema_builder_add_leaf(builder, "a", LAM_REPETITION_REQUIRED,
                                             LAM_PHYSICAL_FLOAT, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    return schema;
}

/* --- Output ---------------------------------------------------------------------------------- */

static bool is_over(const lam_trial_output *trial) {
    return trial->failed || trial->finished || trial->closed;
}

static lam_status trial_write(void *state, const void *data, size_t size, lam_error *error) {
    lam_trial_output *trial = state;
    trial->calls_after_end += is_over(trial);
    LAM_EXPECT_DEFINED(data, size);
    if (++trial->writes == trial->fail_at_write) {
        trial->failed = true;
        LAM_FAIL(error, LAM_STATUS_IO, "no space left on trial");
    }
    return lam_buffer_append(&trial->bytes, data, size, error);
}

static lam_status trial_finish(void *state, lam_error *error) {
    lam_trial_output *trial = state;
    trial->calls_after_end += is_over(trial);
    if (trial->fail_at_finish) {
        trial->failed = true;
        LAM_FAIL(error, LAM_STATUS_IO, "no sync on trial");
    }
    trial->finished = true;
    return LAM_STATUS_OK;
}

static void trial_close(void *state) {
    lam_trial_output *trial = state;
    trial->calls_after_end += trial->closed;
    trial->closed = true;
}

lam_output lam_trial_output_open(lam_trial_output *trial) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(&trial->bytes, &allocator);
    lam_output output = {trial, trial_write, trial_finish, trial_close};
    return output;
}

void lam_trial_output_free(lam_trial_output *trial) {
    lam_buffer_finish(&trial->bytes);
}

/* --- Writing --------------------------------------------------------------------------------- */

static void must(lam_status status, const lam_error *error) {
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error->message);
}

lam_test_writer lam_test_write_as(const lam_schema *schema, const lam_writer_options *options) {
    lam_test_writer file = {.trial = calloc(1, sizeof *file.trial)};
    lam_error error = lam_error_none();
    lam_output output = lam_trial_output_open(file.trial);
    must(lam_writer_open(schema, &output, options, &file.writer, &error), &error);
    file.sink = lam_writer_sink(file.writer);
    return file;
}

lam_test_writer lam_test_write(const char *schema, const lam_writer_options *options) {
    lam_schema *parsed = lam_test_schema(schema);
    const lam_test_writer file = lam_test_write_as(parsed, options);
    lam_schema_destroy(parsed);
    return file;
}

void lam_test_put(lam_test_writer *file, const char *format, ...) {
    lam_error error = lam_error_none();
    va_list arguments;
    va_start(arguments, format);
    must(lam_vtell(lam_writer_schema(file->writer), &file->sink, &error, format, arguments),
         &error);
    va_end(arguments);
}

void lam_test_put_triples(lam_test_writer *file, const lam_triples *columns, size_t rows) {
    lam_error error = lam_error_none();
    must(lam_writer_write_triples(file->writer, columns, rows, &error), &error);
}

lam_buffer lam_test_written(lam_test_writer *file) {
    lam_error error = lam_error_none();
    must(lam_writer_finish(file->writer, &error), &error);
    lam_writer_close(file->writer);
    const lam_buffer bytes = file->trial->bytes;
    free(file->trial);
    return bytes;
}

void lam_test_drop(lam_test_writer *file) {
    lam_writer_close(file->writer);
    cr_assert(file->trial->closed && file->trial->calls_after_end == 0);
    lam_trial_output_free(file->trial);
    free(file->trial);
}

lam_buffer lam_test_file(const char *schema, const char *records,
                         const lam_writer_options *options) {
    lam_test_writer file = lam_test_write(schema, options);
    lam_error error = lam_error_none();
    must(lam_tell(lam_writer_schema(file.writer), &file.sink, records, &error), &error);
    return lam_test_written(&file);
}

lam_buffer lam_test_file_of(const char *schema, const lam_triples *columns, size_t rows,
                            const lam_writer_options *options) {
    lam_test_writer file = lam_test_write(schema, options);
    lam_test_put_triples(&file, columns, rows);
    return lam_test_written(&file);
}

/* --- Reading --------------------------------------------------------------------------------- */

lam_reader *lam_test_open(const void *data, size_t size, const lam_reader_options *options) {
    lam_input input = lam_input_memory(data, size);
    return lam_test_open_input(&input, options);
}

lam_reader *lam_test_open_input(lam_input *input, const lam_reader_options *options) {
    lam_error error = lam_error_none();
    lam_reader *reader;
    must(lam_reader_open(input, options, &reader, &error), &error);
    return reader;
}
