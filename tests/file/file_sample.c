/* SPDX-License-Identifier: Apache-2.0 */
/* Writes records or triples to a file in memory, opens it, and compares what comes back. */
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
