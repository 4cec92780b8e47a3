/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks of leaves that a file lacks: as many triples as the group around them has entries, in
 * pages of bounded size, and nothing behind when memory ends.
 */
#include "file/absent_chunk.h"

#include <criterion/criterion.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/footer_edit.h"
#include "support/failing_alloc.h"

enum { PATTERN = 5, MANY_ROWS = (1 << 20) + 10, SMALL_LIMIT = 1000 };

static const char list_shape[] = "message m { repeated group h { required int32 x; } }";
static const char optional_shape[] = "message m { optional group g { optional int32 x; } }";

/* A file in memory, and what is written for a leaf that its group lacks. */
typedef struct absent_trial {
    lam_file_sample sample;
    lam_reader *reader;
    lam_absent_leaf leaf;
    lam_failing_alloc counter; /* of what is written */
    lam_allocator allocator;
    lam_arena arena;
    lam_buffer out;
    lam_meta_column_chunk chunk;
} absent_trial;

static void write_levels(absent_trial *trial, const char *shape, const lam_triples *column,
                         size_t record_count) {
    lam_random random = lam_random_start(1);
    lam_trial_output written = {0};
    lam_output output = lam_trial_output_open(&written);
    lam_writer_options options = lam_writer_options_default();
    lam_writer *writer;
    options.row_group_rows = 2 * MANY_ROWS;
    lam_file_sample_init(&trial->sample, lam_test_schema(shape), 1, 100, &random);
    cr_assert_eq(lam_writer_open(trial->sample.schema, &output, &options, &writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_write_triples(writer, column, record_count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_writer_close(writer);
    trial->sample.bytes = written.bytes;
}

/* Opens the file, in which a leaf of the group of this path is missing; NULL: of the root. */
static void open_trial(absent_trial *trial, const char *path) {
    lam_allocator heap = lam_allocator_default();
    trial->reader = lam_file_sample_open(&trial->sample, NULL);
    const lam_field *root = lam_schema_root(trial->reader->schema);
    const lam_field *group = path == NULL ? root : lam_schema_find(trial->reader->schema, path);
    cr_assert_not_null(group);
    trial->leaf = (lam_absent_leaf){.group = group,
                                    .physical_type = LAM_PHYSICAL_INT32,
                                    .max_repetition = group->max_repetition,
                                    .max_definition = group->max_definition + 1};
    trial->counter = (lam_failing_alloc){0};
    trial->allocator = lam_failing_allocator(&trial->counter);
    lam_arena_init(&trial->arena, &heap, 0);
    lam_buffer_init(&trial->out, &trial->allocator);
}

static lam_status write_absent(absent_trial *trial, lam_error *error) {
    return lam_absent_chunk_write(trial->reader, 0, &trial->leaf, 0, &trial->arena, &trial->out,
                                  &trial->chunk, error);
}

static void close_trial(absent_trial *trial) {
    lam_buffer_finish(&trial->out);
    cr_assert_eq(trial->counter.live_bytes, 0);
    cr_assert_eq(trial->counter.wrong_sizes, 0);
    lam_arena_finish(&trial->arena);
    lam_reader_close(trial->reader);
    lam_file_sample_finish(&trial->sample);
}

/* Fails each request once, until the chunk is written; nothing is appended before. */
static void sweep_memory(absent_trial *trial) {
    lam_status status = LAM_STATUS_NOMEM;
    size_t failures = 0;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_error error = lam_error_none();
        trial->counter.fail_at = trial->counter.requests + n;
        status = write_absent(trial, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s", error.message);
        if (status != LAM_STATUS_OK) {
            failures++;
            cr_assert_eq(trial->out.size, 0);
        }
        lam_buffer_finish(&trial->out);
    }
    cr_assert_geq(failures, 3);
}

/* Entries that do not repeat in a regular way are packed, and take memory at each length. */
Test(absent_chunk, levels_of_any_number_end_cleanly_where_memory_does) {
    static const uint8_t repetition[PATTERN] = {0, 1, 0, 0, 1},
                         definition[PATTERN] = {1, 1, 0, 1, 1};
    static const size_t counts[] = {1, 233, 236, 240, 468, 471, 472, 1000};
    static int32_t values[1000];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint8_t levels[2][1000];
        absent_trial trial = {0};
        lam_triples column = {counts[i], 0, levels[0], levels[1], values};
        size_t records = 0;
        for (size_t k = 0; k < counts[i]; k++) {
            levels[0][k] = repetition[k % PATTERN];
            levels[1][k] = definition[k % PATTERN];
            records += levels[0][k] == 0;
            column.value_count += levels[1][k];
        }
        write_levels(&trial, list_shape, &column, records);
        open_trial(&trial, "h");
        sweep_memory(&trial);
        cr_assert_eq(trial.chunk.meta_data->num_values, (int64_t)counts[i]);
        cr_assert_eq(trial.chunk.meta_data->statistics->null_count, (int64_t)counts[i]);
        close_trial(&trial);
    }
}

Test(absent_chunk, a_page_has_a_million_triples_and_the_rest_of_a_row) {
    static uint8_t definition[MANY_ROWS];
    absent_trial trial = {0};
    const lam_triples column = {MANY_ROWS, 0, NULL, definition, NULL};
    write_levels(&trial, optional_shape, &column, MANY_ROWS);
    open_trial(&trial, "g");
    sweep_memory(&trial);
    cr_assert_eq(trial.chunk.meta_data->num_values, MANY_ROWS);
    cr_assert_eq(trial.chunk.meta_data->encoding_stats.count, 1);
    cr_assert_eq(trial.chunk.meta_data->encoding_stats.items[0].count, 2);
    close_trial(&trial);
}

/* Makes the one row group of the trial's file have other rows, whatever its chunk has. */
static void state_rows(absent_trial *trial, int64_t rows) {
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &trial->sample.bytes);
    lam_meta_row_group *group = (lam_meta_row_group *)(uintptr_t)edit.meta.row_groups.items;
    edit.meta.num_rows = group->num_rows = rows;
    lam_footer_edit_column(&edit, 0, 0)->num_values = rows;
    lam_footer_edit_end(&edit);
}

Test(absent_chunk, a_row_group_without_rows_has_no_page) {
    static const uint8_t definition[1];
    const lam_triples column = {1, 0, NULL, definition, NULL};
    static const char *const groups[] = {NULL, "g"};
    for (size_t i = 0; i < 2; i++) {
        absent_trial trial = {0};
        write_levels(&trial, optional_shape, &column, 1);
        state_rows(&trial, 0);
        open_trial(&trial, groups[i]);
        cr_assert_eq(write_absent(&trial, NULL), LAM_STATUS_OK);
        cr_assert_eq(trial.out.size, 0);
        cr_assert_eq(trial.chunk.meta_data->num_values, 0);
        cr_assert_eq(trial.chunk.meta_data->encoding_stats.count, 0);
        close_trial(&trial);
    }
}

Test(absent_chunk, more_rows_than_memory_may_have_are_a_limit) {
    static const uint8_t definition[1];
    const lam_triples column = {1, 0, NULL, definition, NULL};
    lam_error error = lam_error_none();
    absent_trial trial = {0};
    write_levels(&trial, optional_shape, &column, 1);
    state_rows(&trial, INT64_MAX);
    open_trial(&trial, NULL);
    trial.reader->memory_limit = SMALL_LIMIT;
    cr_assert_eq(write_absent(&trial, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_MEMORY_LIMIT);
    cr_assert_eq(trial.out.size, 0);
    close_trial(&trial);
}
