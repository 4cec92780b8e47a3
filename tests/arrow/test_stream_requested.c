/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of random columns, read as they are and as somebody asks for them: what is asked for is
 * given, and the values are the same.
 */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "arrow/array_flaw.h"
#include "arrow/opened_stream.h"
#include "arrow/random_requests.h"
#include "arrow/same_slots.h"
#include "arrow/write_sample.h"
#include "arrow_text.h"

/* A stream row by row, whatever its batches. */
typedef struct row_stream {
    struct ArrowArrayStream stream;
    lam_arrow_field field;
    struct ArrowArray batch;
    int64_t at;
} row_stream;

static row_stream open_rows(const lam_reader *reader, lam_arena *arena,
                            const lam_arrow_read_options *options) {
    row_stream rows = {.stream = lam_opened_stream(reader, options)};
    struct ArrowSchema schema;
    cr_assert_eq(rows.stream.get_schema(&rows.stream, &schema), 0);
    cr_assert_eq(lam_arrow_field_import(&schema, arena, &rows.field, NULL), LAM_STATUS_OK);
    schema.release(&schema);
    return rows;
}

/* Moves to the next row, which is the first at first; false at the end. */
static bool next_row(row_stream *rows, uint64_t seed) {
    if (rows->batch.release != NULL && ++rows->at < rows->batch.length)
        return true;
    if (rows->batch.release != NULL)
        rows->batch.release(&rows->batch);
    rows->at = 0;
    rows->batch = lam_opened_stream_next(&rows->stream);
    if (rows->batch.release == NULL)
        return false;
    const char *flaw = lam_array_flaw(&rows->field, &rows->batch);
    cr_assert_null(flaw, "seed %" PRIu64 ": %s", seed, flaw);
    return true;
}

static void expect_same_rows(row_stream *own, row_stream *other, uint64_t seed) {
    for (int64_t row = 0; next_row(own, seed); row++) {
        cr_assert(next_row(other, seed), "seed %" PRIu64 ": row %" PRId64, seed, row);
        cr_assert(lam_same_slot(&own->field, &own->batch, own->at, &other->field, &other->batch,
                                other->at),
                  "seed %" PRIu64 ": row %" PRId64, seed, row);
    }
    cr_assert_not(next_row(other, seed), "seed %" PRIu64, seed);
}

/* Indexes may have been too narrow for the dictionaries of the file. */
static void allow_wide_indexes(const lam_arrow_field *found, lam_arrow_field *expected) {
    if (found->is_dictionary && found->index_kind == LAM_ARROW_INT32 &&
        expected->index_kind < LAM_ARROW_INT32)
        expected->index_kind = LAM_ARROW_INT32;
    for (size_t i = 0; i < expected->child_count && i < found->child_count; i++)
        allow_wide_indexes(&found->children[i], &expected->children[i]);
}

static void expect_type(const lam_arrow_field *found, lam_arrow_field *expected,
                        const lam_arrow_field *own, const lam_arrow_field *requested,
                        uint64_t seed) {
    allow_wide_indexes(found, expected);
    char *found_text = text_of(found), *expected_text = text_of(expected);
    char *own_text = text_of(own), *requested_text = text_of(requested);
    cr_assert_str_eq(found_text, expected_text,
                     "seed %" PRIu64 ": %s\nasked for %s\ngives     %s\nexpected  %s", seed,
                     own_text, requested_text, found_text, expected_text);
    free(found_text);
    free(expected_text);
    free(own_text);
    free(requested_text);
}

/* Reads the rows with a request, and expects its types and the values of the columns. */
static void check_request(const lam_reader *reader, lam_arena *arena,
                          const lam_arrow_read_options *options, const lam_arrow_field *requested,
                          lam_arrow_field *expected, uint64_t seed) {
    lam_allocator heap = lam_allocator_default();
    lam_arrow_read_options asking = *options;
    struct ArrowSchema schema;
    cr_assert_eq(lam_arrow_field_export(requested, &heap, &schema, NULL), LAM_STATUS_OK);
    asking.requested = &schema;
    row_stream own = open_rows(reader, arena, options), given = open_rows(reader, arena, &asking);
    schema.release(&schema); /* borrowed for the call alone */
    expect_type(&given.field, expected, &own.field, requested, seed);
    expect_same_rows(&own, &given, seed);
    own.stream.release(&own.stream);
    given.stream.release(&given.stream);
}

static void check_plain(const lam_reader *reader, lam_arena *arena, uint64_t seed) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    row_stream own = open_rows(reader, arena, &options);
    options.dictionaries = LAM_SWITCH_OFF;
    row_stream plain = open_rows(reader, arena, &options);
    char *text = text_of(&plain.field);
    cr_assert_null(strchr(text, '{'), "seed %" PRIu64 ": %s", seed, text);
    free(text);
    expect_same_rows(&own, &plain, seed);
    own.stream.release(&own.stream);
    plain.stream.release(&plain.stream);
}

static void check_file(const lam_reader *reader, lam_random *random, uint64_t seed) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_arena arena = arrow_arena();
    options.batch_rows = lam_random_chance(random, 50) ? 0 : 1 + lam_random_below(random, 20);
    row_stream own = open_rows(reader, &arena, &options);
    own.stream.release(&own.stream);
    /* What is there already can be asked for. */
    lam_arrow_field expected = own.field;
    check_request(reader, &arena, &options, &own.field, &expected, seed);
    for (int i = 0; i < 3; i++) {
        lam_arrow_field requested = lam_random_request(random, &arena, &own.field, &expected);
        check_request(reader, &arena, &options, &requested, &expected, seed);
    }
    check_plain(reader, &arena, seed);
    lam_arena_finish(&arena);
}

/* Writes the array with ARROW:schema, so that columns have all the types there are. */
static void write_file(const lam_write_sample *sample, lam_trial_output *trial, uint64_t seed) {
    lam_error error = lam_error_none();
    lam_arrow_writer *arrow;
    lam_writer *writer = lam_write_sample_open(sample, trial);
    cr_assert_eq(lam_arrow_writer_create(writer, &sample->arrow_schema, NULL, &arrow, NULL), 0);
    cr_assert_eq(lam_write_sample_slices(sample, arrow, NULL, &error), LAM_STATUS_OK,
                 "seed %" PRIu64 ": %s", seed, error.message);
    cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    lam_arrow_writer_destroy(arrow);
    lam_writer_close(writer);
}

Test(stream_requested, random_columns_are_given_as_asked_for_with_the_same_values) {
    uint64_t first = lam_test_seed(1);
    for (uint64_t seed = first; seed < first + 1000; seed++) {
        lam_random random = lam_random_start(seed);
        lam_write_sample sample;
        lam_trial_output trial = {0};
        lam_write_sample_start(&sample, &random, 150);
        write_file(&sample, &trial, seed);
        lam_reader *reader = lam_test_open(trial.bytes.data, trial.bytes.size, NULL);
        check_file(reader, &random, seed);
        lam_reader_close(reader);
        lam_trial_output_free(&trial);
        lam_write_sample_stop(&sample);
    }
}
