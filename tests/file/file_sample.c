/* SPDX-License-Identifier: Apache-2.0 */
#include "file/file_sample.h"

#include <criterion/criterion.h>
#include <lamella/dremel.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/write/file_writer.h"
#include "schema/tree.h"

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

lam_schema *lam_test_schema(const char *text) {
    lam_schema *schema;
    lam_error error = lam_error_none();
    lam_status status = lam_schema_parse(text, strlen(text), NULL, &schema, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    schema->is_of_file = true; /* a writer takes groups that only files have */
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

/* --- Records --------------------------------------------------------------------------------- */

void lam_file_sample_init(lam_file_sample *sample, lam_schema *schema, size_t record_count,
                          unsigned presence, lam_random *random) {
    lam_allocator allocator = lam_allocator_default();
    memset(sample, 0, sizeof *sample);
    sample->schema = schema;
    lam_arena_init(&sample->arena, &allocator, 0);
    lam_buffer_init(&sample->bytes, &allocator);
    sample->records = lam_tree_alloc(&sample->arena, record_count, sizeof *sample->records);
    sample->record_count = record_count;
    for (size_t i = 0; i < record_count; i++)
        sample->records[i] = lam_tree_random(random, schema, presence, &sample->arena);
}

void lam_file_sample_finish(lam_file_sample *sample) {
    lam_buffer_finish(&sample->bytes);
    lam_arena_finish(&sample->arena);
    lam_schema_destroy(sample->schema);
}

static void drive(const lam_schema *schema, const lam_tree_item *record,
                  const lam_record_sink *sink) {
    lam_error error = lam_error_none();
    lam_status status = lam_tree_drive(schema, record, sink, NULL, false, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
}

static void write_as_triples(const lam_file_sample *sample, lam_writer *writer,
                             lam_random *splits) {
    size_t leaf_count = lam_schema_leaf_count(sample->schema);
    lam_triples *columns = calloc(leaf_count + 1, sizeof *columns);
    lam_shredder *shredder;
    cr_assert_eq(lam_shredder_create(sample->schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    for (size_t done = 0; done < sample->record_count;) {
        size_t left = sample->record_count - done;
        size_t count = lam_random_chance(splits, 5)
                           ? left
                           : (size_t)lam_random_below(splits, left < 50 ? left + 1 : 50);
        for (size_t i = 0; i < count; i++)
            drive(sample->schema, &sample->records[done + i], &sink);
        for (size_t leaf = 0; leaf < leaf_count; leaf++)
            columns[leaf] = lam_shredder_triples(shredder, leaf);
        lam_error error = lam_error_none();
        lam_status status = lam_writer_write_triples(writer, columns, count, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
        lam_shredder_clear(shredder);
        done += count;
    }
    lam_shredder_destroy(shredder);
    free(columns);
}

void lam_file_sample_write(lam_file_sample *sample, const lam_writer_options *options,
                           lam_random *splits) {
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_writer *writer;
    lam_error error = lam_error_none();
    const lam_writer_inside inside = {sample->kernels != NULL ? sample->kernels : lam_kernels_get(),
                                      NULL, 0, false};
    lam_status status =
        lam_writer_open_with(&inside, sample->schema, &output, options, &writer, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    if (splits != NULL) {
        write_as_triples(sample, writer, splits);
    } else {
        lam_record_sink sink = lam_writer_sink(writer);
        for (size_t i = 0; i < sample->record_count; i++)
            drive(lam_writer_schema(writer), &sample->records[i], &sink);
    }
    cr_assert_eq(lam_writer_record_count(writer), sample->record_count);
    status = lam_writer_finish(writer, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    lam_writer_close(writer);
    cr_assert(trial.finished && trial.closed && trial.calls_after_end == 0);
    lam_buffer_finish(&sample->bytes);
    sample->bytes = trial.bytes;
}

lam_writer_options lam_file_sample_open_to_changes(int way) {
    lam_writer_options options = lam_writer_options_default();
    options.page_crc = LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.auto_bloom_filters = true;
    options.page_rows = 10;
    options.row_group_rows = 30;
    options.data_page_version = 1 + (way & 1);
    options.dictionary = way & 2 ? LAM_SWITCH_OFF : LAM_SWITCH_DEFAULT;
    options.float_total_order = way == 3;
    return options;
}

lam_reader *lam_file_sample_open(const lam_file_sample *sample, const lam_reader_options *options) {
    lam_input input = lam_input_memory(sample->bytes.data, sample->bytes.size);
    lam_reader *reader;
    lam_error error = lam_error_none();
    lam_status status = lam_reader_open(&input, options, &reader, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    return reader;
}

void lam_file_sample_expect(lam_file_sample *sample, const lam_tree_builder *builder,
                            const bool *leaves, size_t first, size_t count) {
    const lam_field *root = lam_schema_root(sample->schema);
    cr_assert_eq(builder->ended, count);
    cr_assert_eq(builder->misordered, 0);
    for (size_t i = 0; i < count; i++) {
        lam_tree_item want = sample->records[first + i];
        if (leaves != NULL)
            want = lam_tree_project(root, &want, leaves, &sample->arena);
        cr_assert(lam_tree_equals(root, &want, &builder->records.items[i]), "record %zu",
                  first + i);
    }
}

void lam_file_sample_expect_all(lam_file_sample *sample, const lam_reader *reader,
                                const bool *leaves) {
    lam_record_reader *records;
    lam_tree_builder builder;
    lam_error error = lam_error_none();
    uint64_t count = 0;
    lam_tree_builder_init(&builder, lam_reader_schema(reader), &sample->arena);
    lam_record_sink sink = lam_tree_builder_sink(&builder);
    cr_assert_eq(lam_record_reader_open(reader, leaves, &records, NULL), LAM_STATUS_OK);
    lam_status status = lam_record_reader_read(records, &sink, UINT64_MAX, &count, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(count, sample->record_count);
    lam_file_sample_expect(sample, &builder, leaves, 0, sample->record_count);
    lam_record_reader_close(records);
}
