/* SPDX-License-Identifier: Apache-2.0 */
#include "chunk/page_survey.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "chunk/chunk_sample.h"
#include "support/failing_alloc.h"

#define REQUIRED "message m { required int64 a; }"
#define OPTIONAL "message m { optional binary a; }"
#define NESTED "message m { repeated group g { optional int32 a; } }"

enum { RECORDS = 2000, PAGES = 200 };

/* --- Damaged chunks -------------------------------------------------------------------------- */

typedef struct damaged_chunk {
    lam_chunk_sample sample;
    lam_triple_column column;
    lam_meta_page_location locations[PAGES]; /* of the data pages */
    size_t headers[PAGES];                   /* bytes of each */
    size_t pages;
    bool uses_locations;
    lam_input bytes;
    lam_patched_input patched;
    lam_page_survey *survey;
} damaged_chunk;

/* Rows of the column in which a triple begins. */
static int64_t row_of(const damaged_chunk *chunk, size_t triple) {
    int64_t row = 0;
    while (chunk->column.starts[row] < triple)
        row++;
    return row;
}

/* Lists the pages of the sound chunk, as an offset index has them. */
static void list_pages(damaged_chunk *chunk) {
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
        cr_assert_lt(chunk->pages, PAGES);
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

static void make_chunk(damaged_chunk *chunk, const char *schema, int32_t version, bool dictionary,
                       uint64_t seed) {
    lam_random random = lam_random_start(seed);
    memset(chunk, 0, sizeof *chunk);
    lam_chunk_sample_init(&chunk->sample, schema);
    chunk->sample.options.page_rows = 100;
    chunk->sample.options.page_version = version;
    chunk->sample.options.use_dictionary = dictionary;
    lam_triple_shape shape = {.record_count = RECORDS,
                              .null_percent = 10,
                              .more_percent = 60,
                              .distinct = dictionary ? 50 : 0,
                              .bytes_max = 20};
    lam_triple_column_init(&chunk->column, chunk->sample.leaf, &shape, &random);
    lam_chunk_sample_write(&chunk->sample, &chunk->column, NULL);
    list_pages(chunk);
}

static lam_column_chunk chunk_of(damaged_chunk *chunk) {
    lam_column_chunk given = lam_chunk_sample_chunk(&chunk->sample, &chunk->bytes);
    given.input = &chunk->patched.input;
    given.verify_crc = true;
    given.survey = chunk->survey;
    return given;
}

static lam_status try_survey(damaged_chunk *chunk, const lam_allocator *allocator) {
    lam_survey_hints hints = {.has_crcs = true};
    if (chunk->uses_locations) {
        hints.locations = chunk->locations;
        hints.count = chunk->pages;
    }
    (void)lam_chunk_sample_chunk(&chunk->sample, &chunk->bytes);
    lam_patched_input_init(&chunk->patched, &chunk->bytes, allocator);
    lam_column_chunk given = chunk_of(chunk);
    return lam_page_survey_create(&given, hints, &chunk->patched, allocator, &chunk->survey, NULL);
}

static void survey_chunk(damaged_chunk *chunk) {
    cr_assert_eq(try_survey(chunk, &chunk->sample.allocator), LAM_STATUS_OK);
}

static void drop_survey(damaged_chunk *chunk) {
    lam_page_survey_destroy(chunk->survey);
    chunk->survey = NULL;
    lam_patched_input_finish(&chunk->patched);
}

static void free_chunk(damaged_chunk *chunk) {
    drop_survey(chunk);
    lam_triple_column_finish(&chunk->column);
    lam_chunk_sample_finish(&chunk->sample);
}

static uint8_t *byte_at(damaged_chunk *chunk, uint64_t offset) {
    cr_assert_lt(offset, chunk->sample.bytes.size);
    return chunk->sample.bytes.data + offset;
}

static uint8_t *header_of(damaged_chunk *chunk, size_t page) {
    return byte_at(chunk, (uint64_t)chunk->locations[page].offset);
}

static uint8_t *body_of(damaged_chunk *chunk, size_t page) {
    return header_of(chunk, page) + chunk->headers[page];
}

/* --- What comes back ------------------------------------------------------------------------- */

/* Reads rows of the chunk, and compares them with those that were written. */
static void expect_rows(damaged_chunk *chunk, uint64_t first, uint64_t end) {
    lam_column_chunk given = chunk_of(chunk);
    lam_column_cursor *cursor;
    lam_triple_match match = {&chunk->column, chunk->column.starts[first],
                              chunk->column.value_starts[first]};
    lam_triples triples = {.count = 1};
    uint64_t left = end - first;
    cr_assert_eq(lam_column_cursor_create(&given, &chunk->sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
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
static void expect_lost(damaged_chunk *chunk, const lam_page_loss *loss, uint64_t row) {
    lam_column_chunk given = chunk_of(chunk);
    lam_column_cursor *cursor;
    lam_error error = lam_error_none();
    uint64_t rows = 1;
    lam_triples triples;
    cr_assert_eq(lam_column_cursor_create(&given, &chunk->sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    lam_status status = lam_column_cursor_skip_to(cursor, row, &error);
    if (status == LAM_STATUS_OK)
        status = lam_column_cursor_read_rows(cursor, SIZE_MAX, &rows, &triples, &error);
    cr_assert_eq(status, loss->error.status);
    cr_assert_eq(error.code, loss->error.code);
    cr_assert_str_eq(error.message, loss->error.message);
    lam_column_cursor_destroy(cursor);
}

/* All rows are either what was written, or lost; gives how many are lost. */
static uint64_t expect_no_wrong_row(damaged_chunk *chunk) {
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
    cr_assert_leq(row, RECORDS);
    if (row < RECORDS)
        expect_rows(chunk, row, RECORDS);
    return lost;
}

/* The rows of pages `first` to `end` - 1. */
static void expect_loss(const damaged_chunk *chunk, size_t first, size_t end) {
    size_t count;
    const lam_page_loss *losses = lam_page_survey_losses(chunk->survey, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(losses[0].first_row, (uint64_t)chunk->locations[first].first_row_index);
    cr_assert_eq(losses[0].end_row, (uint64_t)chunk->locations[end].first_row_index);
}

/* --- One page -------------------------------------------------------------------------------- */

static const char *const schemas[] = {REQUIRED, OPTIONAL};

Test(page_survey, a_whole_chunk_has_no_survey) {
    damaged_chunk chunk;
    make_chunk(&chunk, OPTIONAL, 1, true, 1);
    survey_chunk(&chunk);
    cr_assert_null(chunk.survey);
    free_chunk(&chunk);
}

Test(page_survey, a_page_that_does_not_match_its_checksum_loses_its_own_rows) {
    for (int i = 0; i < 8; i++) {
        damaged_chunk chunk;
        make_chunk(&chunk, schemas[i % 2], 1 + i / 4, i % 4 < 2, 2);
        chunk.uses_locations = i % 2 == 0;
        *body_of(&chunk, 3) ^= 0x40;
        survey_chunk(&chunk);
        cr_assert_not_null(chunk.survey);
        expect_loss(&chunk, 3, 4);
        cr_assert_eq(expect_no_wrong_row(&chunk), (uint64_t)(chunk.locations[4].first_row_index -
                                                             chunk.locations[3].first_row_index));
        free_chunk(&chunk);
    }
}

Test(page_survey, a_page_without_a_header_loses_its_own_rows) {
    for (int i = 0; i < 4; i++) {
        damaged_chunk chunk;
        make_chunk(&chunk, schemas[i % 2], 1, false, 3);
        chunk.uses_locations = i < 2;
        memset(header_of(&chunk, 5), 0, chunk.headers[5]);
        survey_chunk(&chunk);
        cr_assert_not_null(chunk.survey);
        expect_loss(&chunk, 5, 6);
        (void)expect_no_wrong_row(&chunk);
        free_chunk(&chunk);
    }
}

Test(page_survey, pages_between_two_lost_headers_are_found_by_the_offset_index_alone) {
    for (int i = 0; i < 2; i++) {
        damaged_chunk chunk;
        make_chunk(&chunk, REQUIRED, 1, false, 4);
        chunk.uses_locations = i == 0;
        memset(header_of(&chunk, 2), 0, chunk.headers[2]);
        memset(header_of(&chunk, 9), 0, chunk.headers[9]);
        survey_chunk(&chunk);
        cr_assert_not_null(chunk.survey);
        uint64_t lost = expect_no_wrong_row(&chunk), page = 100;
        cr_assert_eq(lost, i == 0 ? 2 * page : 8 * page);
        cr_assert_eq(chunk.survey->unplaced_pages, i == 0 ? 0 : 6);
        free_chunk(&chunk);
    }
}

Test(page_survey, two_lost_bodies_leave_the_pages_between_them) {
    damaged_chunk chunk;
    make_chunk(&chunk, OPTIONAL, 2, false, 5);
    *body_of(&chunk, 2) ^= 1;
    *body_of(&chunk, 9) ^= 1;
    survey_chunk(&chunk);
    cr_assert_eq(expect_no_wrong_row(&chunk), 200);
    cr_assert_eq(chunk.survey->losses.size / sizeof(lam_page_loss), 2);
    free_chunk(&chunk);
}

Test(page_survey, a_record_that_may_go_on_in_a_lost_page_is_lost_too) {
    damaged_chunk chunk;
    size_t count;
    make_chunk(&chunk, NESTED, 1, false, 6);
    *body_of(&chunk, 4) ^= 1;
    survey_chunk(&chunk);
    const lam_page_loss *losses = lam_page_survey_losses(chunk.survey, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(losses[0].first_row, (uint64_t)chunk.locations[4].first_row_index - 1);
    cr_assert_eq(losses[0].end_row, (uint64_t)chunk.locations[5].first_row_index);
    (void)expect_no_wrong_row(&chunk);
    drop_survey(&chunk);
    chunk.uses_locations = true;
    survey_chunk(&chunk);
    expect_loss(&chunk, 4, 5);
    (void)expect_no_wrong_row(&chunk);
    free_chunk(&chunk);
}

Test(page_survey, a_damaged_dictionary_loses_the_pages_that_refer_to_it) {
    damaged_chunk chunk;
    size_t count;
    make_chunk(&chunk, OPTIONAL, 1, true, 7);
    cr_assert_gt(chunk.sample.dictionary_size, 0);
    *byte_at(&chunk, (uint64_t)chunk.locations[0].offset - 1) ^= 1;
    survey_chunk(&chunk);
    cr_assert_not_null(chunk.survey);
    cr_assert_not(chunk.survey->has_dictionary);
    const lam_page_loss *losses = lam_page_survey_losses(chunk.survey, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(losses[0].error.code, LAM_ERROR_CODE_PAGE_CRC);
    cr_assert_eq(expect_no_wrong_row(&chunk), RECORDS);
    free_chunk(&chunk);
}

Test(page_survey, an_index_that_contradicts_a_sound_page_is_not_believed) {
    damaged_chunk chunk;
    make_chunk(&chunk, REQUIRED, 1, false, 8);
    chunk.uses_locations = true;
    chunk.locations[7].first_row_index += 3;
    *body_of(&chunk, 12) ^= 1;
    survey_chunk(&chunk);
    cr_assert_eq(expect_no_wrong_row(&chunk), 300);
    free_chunk(&chunk);
}

/* --- Headers --------------------------------------------------------------------------------- */

/* A repair that dropped the checksum of a damaged page made a sound page of it. */
Test(page_survey, any_bit_of_a_header_costs_no_other_page_and_no_wrong_row) {
    for (int i = 0; i < 4; i++) {
        size_t repaired = 0;
        damaged_chunk chunk;
        make_chunk(&chunk, i < 2 ? REQUIRED : NESTED, 1 + i % 2, i == 3, 9);
        chunk.uses_locations = i % 2 == 0;
        for (size_t bit = 0; bit < 8 * chunk.headers[6]; bit++) {
            uint8_t *byte = header_of(&chunk, 6) + bit / 8;
            *byte ^= (uint8_t)(1u << bit % 8);
            survey_chunk(&chunk);
            cr_assert_leq(expect_no_wrong_row(&chunk), 101, "bit %zu, kind %d", bit, i);
            repaired += chunk.survey == NULL || chunk.survey->lost_rows == 0;
            drop_survey(&chunk);
            *byte ^= (uint8_t)(1u << bit % 8);
        }
        cr_assert_geq(repaired, 8 * chunk.headers[6] * 9 / 10, "%zu of %zu", repaired,
                      8 * chunk.headers[6]);
        survey_chunk(&chunk);
        free_chunk(&chunk);
    }
}

Test(page_survey, two_wrong_bits_of_a_header_are_not_guessed) {
    damaged_chunk chunk;
    make_chunk(&chunk, REQUIRED, 1, false, 10);
    header_of(&chunk, 6)[0] ^= 0x03;
    survey_chunk(&chunk);
    cr_assert_not_null(chunk.survey);
    expect_loss(&chunk, 6, 7);
    cr_assert_eq(chunk.survey->repaired, 0);
    free_chunk(&chunk);
}

/* --- Anything -------------------------------------------------------------------------------- */

Test(page_survey, whatever_is_damaged_no_row_is_wrong) {
    uint64_t seed = lam_test_seed(11);
    for (uint64_t round = 0; round < 300; round++) {
        static const char *const kinds[] = {REQUIRED, OPTIONAL, NESTED};
        lam_random random = lam_random_start(seed + round);
        damaged_chunk chunk;
        make_chunk(&chunk, kinds[round % 3], 1 + (int32_t)lam_random_below(&random, 2),
                   lam_random_chance(&random, 50), seed + round);
        chunk.uses_locations = lam_random_chance(&random, 50);
        for (uint64_t i = 1 + lam_random_below(&random, 3); i > 0; i--) {
            size_t room = chunk.sample.bytes.size - LAM_SAMPLE_OFFSET;
            size_t at = LAM_SAMPLE_OFFSET + (size_t)lam_random_below(&random, room);
            size_t size =
                lam_random_chance(&random, 50) ? 1 : (size_t)lam_random_below(&random, 900);
            size = size < chunk.sample.bytes.size - at ? size : chunk.sample.bytes.size - at;
            for (size_t k = 0; k < size; k++)
                *byte_at(&chunk, at + k) = (uint8_t)lam_random_below(&random, 256);
        }
        survey_chunk(&chunk);
        (void)expect_no_wrong_row(&chunk);
        free_chunk(&chunk);
    }
}

Test(page_survey, memory_may_run_out_anywhere) {
    damaged_chunk chunk;
    make_chunk(&chunk, OPTIONAL, 1, true, 12);
    *body_of(&chunk, 3) ^= 1;
    memset(header_of(&chunk, 8), 0, chunk.headers[8]);
    chunk.uses_locations = true;
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t i = 1; status == LAM_STATUS_NOMEM; i++) {
        lam_failing_alloc counter = {.fail_at = i};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = try_survey(&chunk, &allocator);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert(status != LAM_STATUS_OK || chunk.survey->lost_rows == 200);
        drop_survey(&chunk);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    survey_chunk(&chunk);
    free_chunk(&chunk);
}
