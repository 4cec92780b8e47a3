/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks of random triples that tests damage, a survey of them, and the comparison of what comes
 * back with what was written.
 */
#include "chunk/damaged_chunk.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <string.h>

/* Rows of the column in which a triple begins. */
static int64_t row_of(const lam_damaged_chunk *chunk, size_t triple) {
    int64_t row = 0;
    while (chunk->column.starts[row] < triple)
        row++;
    return row;
}

/* Lists the pages of the sound chunk, as an offset index has them. */
static void list_pages(lam_damaged_chunk *chunk) {
    lam_chunk_range range = {LAM_SAMPLE_OFFSET, chunk->sample.bytes.size - LAM_SAMPLE_OFFSET, 0};
    lam_input input = lam_input_memory(chunk->sample.bytes.data, chunk->sample.bytes.size);
    lam_page_walk walk;
    size_t triples = 0;
    lam_page_walk_init(&walk, &input, range, &chunk->sample.allocator);
    while (!lam_page_walk_at_end(&walk)) {
        lam_meta_page_header header;
        uint64_t offset;
        cr_assert_eq(lam_page_walk_next(&walk, &header, &offset, NULL), LAM_STATUS_OK);
        if (header.type == LAM_PAGE_DICTIONARY)
            continue;
        cr_assert_lt(chunk->pages, LAM_DAMAGED_PAGES);
        chunk->headers[chunk->pages] = (size_t)(walk.body - offset);
        chunk->locations[chunk->pages++] =
            (lam_meta_page_location){.offset = (int64_t)offset,
                                     .compressed_page_size = (int32_t)(walk.next - offset),
                                     .first_row_index = row_of(chunk, triples)};
        triples += (size_t)(header.type == LAM_PAGE_DATA ? header.data_page_header->num_values
                                                         : header.data_page_header_v2->num_values);
    }
    lam_page_walk_finish(&walk);
}

void lam_damaged_chunk_start(lam_damaged_chunk *chunk, const char *schema, int32_t version,
                             bool dictionary) {
    memset(chunk, 0, sizeof *chunk);
    lam_chunk_sample_init(&chunk->sample, schema);
    chunk->sample.options.page_rows = 100;
    chunk->sample.options.page_version = version;
    chunk->sample.options.use_dictionary = dictionary;
}

void lam_damaged_chunk_write(lam_damaged_chunk *chunk, size_t records, uint64_t seed) {
    lam_random random = lam_random_start(seed);
    lam_triple_shape shape = {.record_count = records,
                              .null_percent = 10,
                              .more_percent = 60,
                              .distinct = chunk->sample.options.use_dictionary ? 50 : 0,
                              .bytes_max = 20};
    lam_triple_column_init(&chunk->column, chunk->sample.leaf, &shape, &random);
    lam_chunk_sample_write(&chunk->sample, &chunk->column, NULL);
    list_pages(chunk);
}

void lam_damaged_chunk_make(lam_damaged_chunk *chunk, const char *schema, int32_t version,
                            bool dictionary, uint64_t seed) {
    lam_damaged_chunk_start(chunk, schema, version, dictionary);
    lam_damaged_chunk_write(chunk, LAM_DAMAGED_RECORDS, seed);
}

lam_column_chunk lam_damaged_chunk_open(lam_damaged_chunk *chunk) {
    lam_column_chunk given = lam_chunk_sample_chunk(&chunk->sample, &chunk->bytes);
    given.input = &chunk->patched.input;
    given.verify_crc = true;
    given.stop = chunk->stop;
    return given;
}

lam_status lam_damaged_chunk_try_survey(lam_damaged_chunk *chunk, const lam_allocator *allocator,
                                        lam_error *error) {
    lam_survey_hints hints = {.has_crcs = chunk->sample.options.crc,
                              .is_cut = chunk->is_cut,
                              .passes_unreadable = chunk->passes_unreadable};
    if (chunk->uses_locations) {
        hints.locations = chunk->locations;
        hints.count = chunk->pages;
    }
    (void)lam_chunk_sample_chunk(&chunk->sample, &chunk->bytes);
    lam_patched_input_init(&chunk->patched, chunk->through == NULL ? &chunk->bytes : chunk->through,
                           allocator);
    lam_column_chunk given = lam_damaged_chunk_open(chunk);
    return lam_page_survey_create(&given, hints, &chunk->patched, allocator, &chunk->survey, error);
}

void lam_damaged_chunk_survey(lam_damaged_chunk *chunk) {
    cr_assert_eq(lam_damaged_chunk_try_survey(chunk, &chunk->sample.allocator, NULL),
                 LAM_STATUS_OK);
}

void lam_damaged_chunk_drop_survey(lam_damaged_chunk *chunk) {
    lam_page_survey_destroy(chunk->survey);
    chunk->survey = NULL;
    lam_patched_input_finish(&chunk->patched);
}

void lam_damaged_chunk_finish(lam_damaged_chunk *chunk) {
    lam_damaged_chunk_drop_survey(chunk);
    lam_triple_column_finish(&chunk->column);
    lam_chunk_sample_finish(&chunk->sample);
}

uint8_t *lam_damaged_chunk_byte(lam_damaged_chunk *chunk, uint64_t offset) {
    cr_assert_lt(offset, chunk->sample.bytes.size);
    return chunk->sample.bytes.data + offset;
}

uint8_t *lam_damaged_chunk_header(lam_damaged_chunk *chunk, size_t page) {
    return lam_damaged_chunk_byte(chunk, (uint64_t)chunk->locations[page].offset);
}

uint8_t *lam_damaged_chunk_body(lam_damaged_chunk *chunk, size_t page) {
    return lam_damaged_chunk_header(chunk, page) + chunk->headers[page];
}

/* --- What comes back ------------------------------------------------------------------------- */

/* A cursor over what the survey has left of the chunk. */
static lam_column_cursor *open_rest(lam_damaged_chunk *chunk) {
    const lam_allocator *allocator = &chunk->sample.allocator;
    lam_column_chunk given = lam_damaged_chunk_open(chunk);
    lam_column_cursor *cursor;
    lam_derived_chunk *runs;
    if (chunk->survey == NULL) {
        cr_assert_eq(lam_column_cursor_create(&given, allocator, &cursor, NULL), LAM_STATUS_OK);
        return cursor;
    }
    cr_assert_eq(lam_run_chunk_create(&given, chunk->survey, allocator, &runs, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_column_cursor_create_derived(&given, runs, allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    return cursor;
}

/* Reads rows of the chunk, and compares them with those that were written. */
static void expect_rows(lam_damaged_chunk *chunk, uint64_t first, uint64_t end) {
    lam_column_cursor *cursor = open_rest(chunk);
    lam_triple_match match = {&chunk->column, chunk->column.starts[first],
                              chunk->column.value_starts[first]};
    lam_triples triples = {.count = 1};
    uint64_t left = end - first;
    cr_assert_eq(lam_column_cursor_skip_to(cursor, first, NULL), LAM_STATUS_OK);
    while (triples.count > 0) {
        cr_assert_eq(lam_column_cursor_read_rows(cursor, SIZE_MAX, &left, &triples, NULL),
                     LAM_STATUS_OK);
        cr_assert(triples.count == 0 || lam_triple_match_next(&match, &triples));
        if (left == 0 && chunk->sample.leaf->max_repetition == 0)
            break;
    }
    cr_assert_eq(left, 0);
    cr_assert_eq(match.at, chunk->column.starts[end]);
    lam_column_cursor_destroy(cursor);
}

/* Reading a lost row fails with what the survey says of it. */
static void expect_lost(lam_damaged_chunk *chunk, const lam_page_loss *loss, uint64_t row) {
    lam_column_cursor *cursor = open_rest(chunk);
    lam_error error = lam_error_none();
    uint64_t rows = 1;
    lam_triples triples;
    lam_status status = lam_column_cursor_skip_to(cursor, row, &error);
    if (status == LAM_STATUS_OK)
        status = lam_column_cursor_read_rows(cursor, SIZE_MAX, &rows, &triples, &error);
    cr_assert_eq(status, loss->error.status);
    cr_assert_eq(error.code, loss->error.code);
    cr_assert_str_eq(error.message, loss->error.message);
    lam_column_cursor_destroy(cursor);
}

/* All rows are either what was written, or lost; gives how many are lost. */
uint64_t lam_damaged_chunk_expect_no_wrong_row(lam_damaged_chunk *chunk) {
    size_t count = 0;
    const lam_page_loss *losses = NULL;
    uint64_t row = 0, lost = 0;
    if (chunk->survey != NULL)
        losses = lam_page_survey_losses(chunk->survey, &count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_leq(row, losses[i].first_row);
        cr_assert_lt(losses[i].first_row, losses[i].end_row);
        if (row < losses[i].first_row)
            expect_rows(chunk, row, losses[i].first_row);
        expect_lost(chunk, &losses[i], losses[i].first_row);
        expect_lost(chunk, &losses[i], losses[i].end_row - 1);
        row = losses[i].end_row;
        lost += row - losses[i].first_row;
    }
    cr_assert_leq(row, chunk->sample.row_count);
    if (row < chunk->sample.row_count)
        expect_rows(chunk, row, chunk->sample.row_count);
    return lost;
}

/* The rows of pages `first` to `end` - 1. */
void lam_damaged_chunk_expect_loss(const lam_damaged_chunk *chunk, size_t first, size_t end) {
    size_t count;
    const lam_page_loss *losses = lam_page_survey_losses(chunk->survey, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(losses[0].first_row, (uint64_t)chunk->locations[first].first_row_index);
    cr_assert_eq(losses[0].end_row, (uint64_t)chunk->locations[end].first_row_index);
}
