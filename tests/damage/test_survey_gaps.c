/* SPDX-License-Identifier: Apache-2.0 */
/* Surveys of chunks of which some bytes cannot be read. */
#include <criterion/criterion.h>
#include <string.h>

#include "chunk/damaged_chunk.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"
#include "support/random.h"

#define REQUIRED "message m { required int64 v; }"
#define OPTIONAL "message m { optional binary v (STRING); }"
#define NESTED "message m { optional group g (LIST) { repeated group list { optional int64 v; } } }"

enum {
    GAP_PIECE = 4096, /* what fails is tried again in pieces of this size */
    GAP_RECORDS = 10000
};

typedef struct gap_chunk {
    lam_damaged_chunk chunk;
    lam_ending_input ending;
    lam_input input;
} gap_chunk;

static void make_gap_chunk(gap_chunk *trial, const char *schema, int32_t version, bool dictionary,
                           bool crc, uint64_t seed) {
    memset(trial, 0, sizeof *trial);
    lam_damaged_chunk_start(&trial->chunk, schema, version, dictionary);
    trial->chunk.sample.options.crc = crc;
    lam_damaged_chunk_write(&trial->chunk, GAP_RECORDS, seed);
    trial->ending.file = lam_buffer_bytes(&trial->chunk.sample.bytes);
    trial->input = lam_ending_input_of(&trial->ending);
    trial->chunk.through = &trial->input;
    trial->chunk.passes_unreadable = true;
}

static void set_gap(gap_chunk *trial, uint64_t begin, uint64_t end) {
    trial->ending.gap_begin = begin;
    trial->ending.gap_end = end;
    trial->ending.gap_reads = 0;
}

static uint64_t end_of_page(const lam_damaged_chunk *chunk, size_t page) {
    return (uint64_t)chunk->locations[page].offset +
           (uint64_t)chunk->locations[page].compressed_page_size;
}

/* The rows of the pages of which some byte is in the gap, widened to whole pieces of a size. */
static uint64_t rows_in(const gap_chunk *trial, uint64_t piece) {
    const lam_damaged_chunk *chunk = &trial->chunk;
    uint64_t begin = trial->ending.gap_begin / piece * piece, rows = 0;
    uint64_t end = (trial->ending.gap_end + piece - 1) / piece * piece;
    for (size_t i = 0; i < chunk->pages; i++) {
        uint64_t next = i + 1 < chunk->pages ? (uint64_t)chunk->locations[i + 1].first_row_index
                                             : chunk->sample.row_count;
        if ((uint64_t)chunk->locations[i].offset < end && end_of_page(chunk, i) > begin)
            rows += next - (uint64_t)chunk->locations[i].first_row_index;
    }
    return rows;
}

Test(survey_gaps, a_page_that_cannot_be_read_is_lost_alone) {
    gap_chunk trial;
    make_gap_chunk(&trial, REQUIRED, 1, false, false, 1);
    trial.chunk.uses_locations = true;
    uint64_t at = (uint64_t)trial.chunk.locations[9].offset + 300;
    set_gap(&trial, at, at + 1);
    lam_damaged_chunk_survey(&trial.chunk);
    cr_assert_eq(lam_damaged_chunk_expect_no_wrong_row(&trial.chunk), rows_in(&trial, GAP_PIECE));
    size_t count;
    const lam_page_loss *losses = lam_page_survey_losses(trial.chunk.survey, &count);
    cr_assert_eq(count, 1);
    cr_assert_eq(losses[0].error.status, LAM_STATUS_IO);
    cr_assert_str_eq(losses[0].error.message, LAM_ENDING_MESSAGE);
    cr_assert_eq(losses[0].error.column, 0);
    lam_damaged_chunk_finish(&trial.chunk);
}

Test(survey_gaps, a_failed_read_ends_the_survey_unless_it_is_passed) {
    gap_chunk trial;
    lam_error error = lam_error_none();
    make_gap_chunk(&trial, REQUIRED, 1, false, true, 1);
    set_gap(&trial, (uint64_t)trial.chunk.locations[9].offset, end_of_page(&trial.chunk, 9));
    trial.chunk.passes_unreadable = false;
    cr_assert_eq(lam_damaged_chunk_try_survey(&trial.chunk, &trial.chunk.sample.allocator, &error),
                 LAM_STATUS_IO);
    cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
    cr_assert_null(trial.chunk.survey);
    lam_damaged_chunk_finish(&trial.chunk);
}

/* Zeros in the stead of bytes would decode where pages have no checksums. */
Test(survey_gaps, whatever_cannot_be_read_no_row_is_wrong) {
    static const char *const kinds[] = {REQUIRED, OPTIONAL, NESTED};
    uint64_t seed = lam_test_seed(41), lost = 0;
    for (uint64_t round = 0; round < 150; round++) {
        lam_random random = lam_random_start(seed + round);
        gap_chunk trial;
        bool has_dictionary = lam_random_chance(&random, 30);
        make_gap_chunk(&trial, kinds[round % 3], 1 + (int32_t)lam_random_below(&random, 2),
                       has_dictionary, lam_random_chance(&random, 50), seed + round);
        trial.chunk.uses_locations = lam_random_chance(&random, 50);
        size_t size = trial.chunk.sample.bytes.size;
        uint64_t at = LAM_SAMPLE_OFFSET + lam_random_below(&random, size - LAM_SAMPLE_OFFSET);
        set_gap(&trial, at, at + 1 + lam_random_below(&random, 9000));
        lam_damaged_chunk_survey(&trial.chunk);
        uint64_t rows = lam_damaged_chunk_expect_no_wrong_row(&trial.chunk);
        cr_assert_geq(rows, rows_in(&trial, 1), "round %d", (int)round);
        if (trial.chunk.uses_locations && !has_dictionary)
            cr_assert_leq(rows, rows_in(&trial, GAP_PIECE), "round %d", (int)round);
        lost += rows;
        lam_damaged_chunk_finish(&trial.chunk);
    }
    cr_assert_lt(lost, 150 * GAP_RECORDS / 2);
}

/* Each attempt of a dying disk may take seconds. */
Test(survey_gaps, what_cannot_be_read_is_not_tried_again_and_again) {
    gap_chunk trial;
    make_gap_chunk(&trial, OPTIONAL, 1, true, false, 3);
    size_t size = trial.chunk.sample.bytes.size;
    set_gap(&trial, 0, size);
    lam_damaged_chunk_survey(&trial.chunk);
    cr_assert_eq(trial.chunk.survey->lost_rows, GAP_RECORDS);
    size_t failed = trial.ending.gap_reads, pieces = size / GAP_PIECE + 2;
    cr_assert_leq(failed, 4 * pieces);
    lam_damaged_chunk_finish(&trial.chunk);
}

/* Of what was found to be sound nothing is taken for zeros when it fails later. */
Test(survey_gaps, what_fails_behind_the_survey_fails_the_read) {
    gap_chunk trial;
    make_gap_chunk(&trial, REQUIRED, 1, false, false, 1);
    uint64_t begin = (uint64_t)trial.chunk.locations[9].offset;
    set_gap(&trial, begin, begin + 1);
    lam_damaged_chunk_survey(&trial.chunk);
    set_gap(&trial, 0, trial.chunk.sample.bytes.size);
    lam_column_chunk given = lam_damaged_chunk_open(&trial.chunk);
    lam_column_cursor *cursor;
    lam_triples triples;
    cr_assert_eq(lam_column_cursor_create(&given, &trial.chunk.sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_column_cursor_read(cursor, SIZE_MAX, &triples, NULL), LAM_STATUS_IO);
    lam_column_cursor_destroy(cursor);
    lam_damaged_chunk_finish(&trial.chunk);
}

Test(survey_gaps, memory_may_run_out_anywhere) {
    gap_chunk trial;
    make_gap_chunk(&trial, OPTIONAL, 1, true, true, 12);
    uint64_t at = (uint64_t)trial.chunk.locations[60].offset;
    set_gap(&trial, at, at + 5000);
    trial.chunk.uses_locations = true;
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t i = 1; status == LAM_STATUS_NOMEM; i++) {
        lam_failing_alloc counter = {.fail_at = i};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = lam_damaged_chunk_try_survey(&trial.chunk, &allocator, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert(status != LAM_STATUS_OK ||
                  trial.chunk.survey->lost_rows == rows_in(&trial, GAP_PIECE));
        lam_damaged_chunk_drop_survey(&trial.chunk);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    lam_damaged_chunk_survey(&trial.chunk);
    lam_damaged_chunk_finish(&trial.chunk);
}
