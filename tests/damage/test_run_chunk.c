/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading around the holes of a damaged chunk: runs of rows that begin inside of records, and
 * surveys that contradict themselves.
 */
#include "damage/chunk/run_chunk.h"

#include <criterion/criterion.h>
#include <lamella/format.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread/stop.h"
#include "chunk/page_bench.h"
#include "support/ending_input.h"

#define REQUIRED "message m { required int32 a; }"
#define REPEATED "message m { repeated int32 a; }"

static const lam_survey_hints nothing_known, with_crcs = {.has_crcs = true};
static const uint8_t goes_on[] = {1, 1, 0, 0}, two_records[] = {0, 1, 0, 1};

static lam_column_cursor *open_survey(lam_page_bench *bench, const lam_page_survey *survey) {
    const lam_allocator *allocator = &bench->made.sample.allocator;
    lam_column_cursor *cursor;
    lam_derived_chunk *runs;
    lam_column_chunk chunk = bench->chunk;
    chunk.verify_crc = true;
    cr_assert_eq(lam_run_chunk_create(&chunk, survey, allocator, &runs, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_column_cursor_create_derived(&chunk, runs, allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    return cursor;
}

/* Three pages of which the middle one does not match its checksum. */
static void make_repeated(lam_page_bench *bench, int32_t version) {
    lam_page_bench_start(bench, REPEATED, version);
    bench->made.writer.crc = true;
    lam_page_bench_repeated(bench, two_records, 4);
    lam_page_bench_repeated(bench, two_records, 4);
    bench->made.pages.data[bench->made.pages.size - 1] ^= 1;
    lam_page_bench_repeated(bench, goes_on, 4);
    lam_page_bench_repeated(bench, two_records, 4);
    lam_page_bench_state(bench, 16, 8);
    lam_page_bench_survey(bench, with_crcs);
}

/* --- Runs that begin inside of a record ------------------------------------------------------ */

Test(run_chunk, a_run_that_begins_inside_of_a_record_is_read_from_the_next_one) {
    static const uint64_t lost[][2] = {{1, 4}};
    for (int32_t version = 1; version <= 2; version++)
        for (uint64_t row = 4; row < 8; row++) {
            lam_page_bench bench;
            lam_triples triples;
            uint64_t rows = UINT64_MAX;
            make_repeated(&bench, version);
            lam_page_bench_expect_losses(&bench, lost, 1);
            lam_column_cursor *cursor = open_survey(&bench, bench.survey);
            cr_assert_eq(lam_column_cursor_skip_to(cursor, row, NULL), LAM_STATUS_OK);
            size_t count = 0;
            do {
                cr_assert_eq(lam_column_cursor_read_rows(cursor, SIZE_MAX, &rows, &triples, NULL),
                             LAM_STATUS_OK);
                if (count == 0)
                    cr_assert(triples.repetition == NULL || triples.repetition[0] == 0);
                count += triples.count;
            } while (triples.count > 0);
            static const size_t counts[] = {6, 5, 4, 2};
            cr_assert_eq(count, counts[row - 4], "row %llu: %zu", (unsigned long long)row, count);
            lam_column_cursor_destroy(cursor);
            lam_page_bench_finish(&bench);
        }
}

Test(run_chunk, a_chunk_with_lost_rows_ends_at_its_last_row) {
    lam_page_bench bench;
    lam_triples triples;
    make_repeated(&bench, 1);
    lam_column_cursor *cursor = open_survey(&bench, bench.survey);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 8, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lam_column_cursor_read(cursor, SIZE_MAX, &triples, NULL), LAM_STATUS_OK);
        cr_assert_eq(triples.count, 0);
    }
    lam_column_cursor_destroy(cursor);
    lam_page_bench_finish(&bench);
}

Test(run_chunk, a_cursor_that_failed_does_not_skip) {
    lam_page_bench bench;
    lam_error error;
    lam_triples triples;
    make_repeated(&bench, 1);
    lam_column_cursor *cursor = open_survey(&bench, bench.survey);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 2, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_PAGE_CRC);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 4, &error), LAM_STATUS_STATE);
    cr_assert_eq(error.code, LAM_ERROR_CODE_READER_FAILED);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 0, &error), LAM_STATUS_STATE);
    cr_assert_eq(lam_column_cursor_read(cursor, 1, &triples, NULL), LAM_STATUS_STATE);
    lam_column_cursor_destroy(cursor);
    lam_page_bench_finish(&bench);
}

/* --- Surveys that contradict themselves ------------------------------------------------------ */

/* Two pages of four rows, and a survey of these runs in which no row is said to be lost but one. */
static void make_survey(lam_page_bench *bench, const lam_page_run *runs, size_t count,
                        lam_page_survey *survey) {
    const lam_page_loss loss = {.first_row = 100, .end_row = 101, .error = lam_error_none()};
    lam_page_bench_start(bench, REQUIRED, 1);
    lam_page_bench_ints(bench, 4, 1);
    lam_page_bench_ints(bench, 4, 2);
    lam_page_bench_state(bench, 8, 8);
    lam_page_bench_survey(bench, nothing_known);
    memset(survey, 0, sizeof *survey);
    survey->row_count = 8;
    LAM_LIST_INIT(&survey->runs, &bench->made.sample.allocator);
    LAM_LIST_INIT(&survey->losses, &bench->made.sample.allocator);
    cr_assert_eq(LAM_LIST_APPEND(&survey->runs, runs, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(LAM_LIST_ADD(&survey->losses, &loss, NULL), LAM_STATUS_OK);
}

Test(run_chunk, a_row_is_lost_where_a_run_does_not_begin_or_end_with_it) {
    for (int i = 0; i < 3; i++) {
        lam_page_bench bench;
        lam_page_survey survey;
        lam_error error = lam_error_none();
        lam_triples triples = {.count = 1};
        lam_page_run runs[2] = {{.begin = LAM_SAMPLE_OFFSET, .triples = 4, .begun = 4},
                                {.triples = 4, .first_row = 4, .begun = 4, .end_row = 8}};
        lam_page_bench_start(&bench, REQUIRED, 1);
        lam_page_bench_ints(&bench, 4, 1);
        runs[0].end = runs[1].begin = lam_page_bench_end(&bench);
        runs[1].end = 2 * runs[0].end - LAM_SAMPLE_OFFSET;
        lam_page_bench_finish(&bench);
        runs[0].end_row = i == 1 ? 6 : 4;   /* two rows more than it has */
        runs[1].first_row = i == 2 ? 3 : 4; /* a row that the other one has */
        make_survey(&bench, runs, 2, &survey);
        lam_column_cursor *cursor = open_survey(&bench, &survey);
        lam_status status = LAM_STATUS_OK;
        size_t count = 0;
        while (status == LAM_STATUS_OK && triples.count > 0) {
            status = lam_column_cursor_read(cursor, SIZE_MAX, &triples, &error);
            count += status == LAM_STATUS_OK ? triples.count : 0;
        }
        cr_assert_eq(status, i == 0 ? LAM_STATUS_OK : LAM_STATUS_CORRUPT);
        cr_assert_eq(error.code, i == 0 ? LAM_ERROR_CODE_NONE : LAM_ERROR_CODE_CHUNK_ROWS);
        cr_assert_eq(count, i == 0 ? 8 : 4);
        lam_column_cursor_destroy(cursor);
        LAM_LIST_FINISH(&survey.runs);
        LAM_LIST_FINISH(&survey.losses);
        lam_page_bench_finish(&bench);
    }
}

/* --- The dictionary -------------------------------------------------------------------------- */

/* A dictionary of a page of indexes, and another page that is damaged. */
static void make_indexes(lam_page_bench *bench, uint32_t entries) {
    static const uint8_t indexes[] = {1, 8, 1}; /* of one bit: four times 1 */
    lam_page_sections sections = {.value_count = 4, .row_count = 4};
    uint8_t *values = calloc(entries, 4);
    sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
    sections.values = (lam_bytes){indexes, sizeof indexes};
    lam_page_bench_start(bench, REQUIRED, 1);
    bench->made.writer.crc = true;
    lam_hand_made_dictionary(&bench->made, entries, (lam_bytes){values, (size_t)entries * 4});
    lam_hand_made_data(&bench->made, &sections);
    lam_hand_made_data(&bench->made, &sections);
    bench->made.pages.data[bench->made.pages.size - 1] ^= 1;
    lam_page_bench_state(bench, 8, 8);
    lam_page_bench_survey(bench, with_crcs);
    cr_assert(bench->survey->has_dictionary);
    cr_assert_eq(bench->survey->lost_rows, 4);
    free(values);
}

Test(run_chunk, the_dictionary_of_a_damaged_chunk_is_read_with_its_rows) {
    lam_page_bench bench;
    lam_triples triples;
    make_indexes(&bench, 2);
    lam_column_cursor *cursor = open_survey(&bench, bench.survey);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lam_column_cursor_load_dictionary(cursor, NULL), LAM_STATUS_OK);
        cr_assert_null(lam_column_cursor_dictionary(cursor));
    }
    cr_assert_eq(lam_column_cursor_read(cursor, SIZE_MAX, &triples, NULL), LAM_STATUS_OK);
    cr_assert_eq(triples.count, 4);
    cr_assert_eq(lam_column_cursor_load_dictionary(cursor, NULL), LAM_STATUS_OK);
    lam_column_cursor_destroy(cursor);
    lam_page_bench_finish(&bench);
}

Test(run_chunk, reads_of_the_dictionary_and_of_a_run_may_fail) {
    lam_page_bench bench;
    lam_status status = LAM_STATUS_IO;
    make_indexes(&bench, 40000);
    lam_ending_input ending = {.file = lam_buffer_bytes(&bench.made.sample.bytes)};
    lam_input input = lam_ending_input_of(&ending);
    bench.chunk.input = &input;
    for (size_t i = 1; status == LAM_STATUS_IO; i++) {
        lam_error error = lam_error_none();
        lam_triples triples = {.count = 0};
        lam_column_cursor *cursor = open_survey(&bench, bench.survey);
        lam_ending_input_again(&ending, i, 0);
        status = i % 2 == 0 ? lam_column_cursor_skip_to(cursor, 1, &error) : LAM_STATUS_OK;
        if (status == LAM_STATUS_OK)
            status = lam_column_cursor_read(cursor, 3, &triples, &error);
        cr_assert(status == LAM_STATUS_IO || (status == LAM_STATUS_OK && triples.count == 3));
        cr_assert(status == LAM_STATUS_OK || strcmp(error.message, LAM_ENDING_MESSAGE) == 0);
        cr_assert(status == LAM_STATUS_IO || i > 2);
        lam_column_cursor_destroy(cursor);
    }
    lam_page_bench_finish(&bench);
}

Test(run_chunk, pages_of_a_damaged_chunk_are_not_kept_in_a_cache) {
    lam_page_bench bench;
    lam_page_cache cache;
    lam_triples triples;
    make_repeated(&bench, 1);
    lam_page_cache_init(&cache, NULL, 1 << 20, &bench.made.sample.allocator);
    lam_column_cursor *cursor = open_survey(&bench, bench.survey);
    cr_assert_eq(lam_column_cursor_keep_pages(cursor, &cache, NULL), LAM_STATUS_OK);
    cr_assert_eq(cursor->source, &cursor->file.source);
    cr_assert_eq(lam_column_cursor_read(cursor, 2, &triples, NULL), LAM_STATUS_OK);
    cr_assert_eq(triples.count, 2);
    cr_assert_eq(lam_column_cursor_keep_last_pages(cursor, NULL), LAM_STATUS_OK);
    lam_column_cursor_destroy(cursor);
    lam_page_cache_finish(&cache);
    lam_page_bench_finish(&bench);
}
