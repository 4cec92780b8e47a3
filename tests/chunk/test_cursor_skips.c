/* SPDX-License-Identifier: Apache-2.0 */
/* What a cursor passes over: rows, pages, and what follows the last value of a chunk. */
#include <criterion/criterion.h>
#include <lamella/format.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "chunk/page_bench.h"
#include "support/ending_input.h"

#define REQUIRED "message m { required int32 a; }"
#define REPEATED "message m { repeated int32 a; }"

static const uint8_t whole[] = {0, 0, 0, 0}, goes_on[] = {1, 0, 0, 0};

static lam_column_cursor *open_cursor(lam_page_bench *bench, int64_t values, uint64_t rows,
                                      const lam_input *input) {
    lam_column_cursor *cursor;
    lam_page_bench_state(bench, values, rows);
    lam_column_chunk chunk = lam_chunk_sample_chunk(&bench->made.sample, &bench->bytes);
    chunk.input = input == NULL ? &bench->bytes : input;
    cr_assert_eq(lam_column_cursor_create(&chunk, &bench->made.sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    return cursor;
}

static void close_cursor(lam_page_bench *bench, lam_column_cursor *cursor) {
    lam_column_cursor_destroy(cursor);
    lam_page_bench_finish(bench);
}

static lam_meta_page_location location_of(const lam_page_bench *bench, int64_t row) {
    return (lam_meta_page_location){.offset = (int64_t)lam_page_bench_end(bench),
                                    .first_row_index = row};
}

static int32_t first_value(lam_column_cursor *cursor) {
    lam_triples triples;
    cr_assert_eq(lam_column_cursor_read(cursor, 1, &triples, NULL), LAM_STATUS_OK);
    cr_assert_eq(triples.value_count, 1);
    return *(const int32_t *)triples.values;
}

/* --- The offset index ------------------------------------------------------------------------ */

Test(cursor_skips, pages_that_the_index_lacks_are_skipped_by_their_headers) {
    lam_page_bench bench;
    lam_meta_page_location locations[2];
    lam_page_bench_start(&bench, REQUIRED, 1);
    locations[0] = location_of(&bench, 0);
    lam_page_bench_ints(&bench, 4, 1);
    locations[1] = location_of(&bench, 4);
    lam_page_bench_ints(&bench, 4, 2);
    locations[1].offset += 1; /* where no page begins */
    lam_page_bench_ints(&bench, 4, 3);
    lam_column_cursor *cursor = open_cursor(&bench, 12, 12, NULL);
    lam_column_cursor_use_locations(cursor, locations, 2, false);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 9, NULL), LAM_STATUS_OK);
    cr_assert_eq(first_value(cursor), 3);
    close_cursor(&bench, cursor);
}

Test(cursor_skips, an_index_that_states_more_rows_than_values_opens_the_page) {
    lam_page_bench bench;
    lam_error error;
    lam_page_bench_start(&bench, REPEATED, 1);
    lam_meta_page_location location = location_of(&bench, 0);
    lam_page_bench_repeated(&bench, whole, 4);
    lam_column_cursor *cursor = open_cursor(&bench, 4, 5, NULL);
    lam_column_cursor_use_locations(cursor, &location, 1, false);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 5, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_CHUNK_ROWS);
    close_cursor(&bench, cursor);
}

/* A page that the index has, and behind it one that begins inside of a record. */
static lam_column_cursor *open_pages(lam_page_bench *bench, int32_t version, bool has_both,
                                     lam_meta_page_location *locations) {
    lam_page_bench_start(bench, REPEATED, version);
    locations[0] = location_of(bench, 0);
    lam_page_bench_repeated(bench, whole, 4);
    locations[1] = location_of(bench, 4);
    locations[1].offset += has_both ? 0 : 1;
    lam_page_bench_repeated(bench, goes_on, 4);
    lam_column_cursor *cursor = open_cursor(bench, 8, 7, NULL);
    lam_column_cursor_use_locations(cursor, locations, 2, false);
    return cursor;
}

/* Levels of the next triples, at most nine, as a text of digits. */
static void expect_levels(lam_column_cursor *cursor, uint64_t rows, const char *levels) {
    lam_triples triples = {.count = 1};
    size_t at = 0;
    while (triples.count > 0) {
        lam_error error = lam_error_none();
        cr_assert_eq(lam_column_cursor_read_rows(cursor, 9, &rows, &triples, &error), LAM_STATUS_OK,
                     "%s", error.message);
        for (size_t i = 0; i < triples.count; i++, at++)
            cr_assert_eq(levels[at], '0' + (triples.repetition == NULL ? 0 : triples.repetition[i]),
                         "%s, at %zu", levels, at);
    }
    cr_assert_eq(levels[at], 0, "%zu triples, not %s", at, levels);
}

Test(cursor_skips, a_page_of_the_index_may_begin_inside_a_record) {
    for (int i = 0; i < 4; i++) {
        int32_t version = 1 + i / 2;
        lam_page_bench bench;
        lam_meta_page_location locations[2];
        for (uint64_t row = 0; row < 7; row++) {
            lam_column_cursor *cursor = open_pages(&bench, version, i % 2 == 0, locations);
            cr_assert_eq(lam_column_cursor_skip_to(cursor, row, NULL), LAM_STATUS_OK);
            expect_levels(cursor, 1, row == 3 ? "01" : "0");
            expect_levels(cursor, 9, &"00001000"[row < 3 ? row + 1 : row + 2]);
            close_cursor(&bench, cursor);
        }
        lam_column_cursor *cursor = open_pages(&bench, version, i % 2 == 0, locations);
        expect_levels(cursor, 4, "00001");
        expect_levels(cursor, 0, "");
        cr_assert_eq(lam_column_cursor_skip_to(cursor, 6, NULL), LAM_STATUS_OK);
        expect_levels(cursor, 9, "0");
        close_cursor(&bench, cursor);
    }
}

Test(cursor_skips, what_follows_a_page_is_peeked_at_and_stays_to_be_read) {
    for (int32_t version = 1; version <= 2; version++) {
        lam_page_bench bench;
        lam_meta_page_location locations[2];
        lam_page_bench_start(&bench, REPEATED, version);
        for (int i = 0; i < 2; i++) {
            locations[i] = location_of(&bench, 4 * i);
            lam_page_bench_repeated(&bench, whole, 4);
            lam_hand_made_other(&bench.made, 1);
        }
        lam_column_cursor *cursor = open_cursor(&bench, 8, 8, NULL);
        lam_column_cursor_use_locations(cursor, locations, 2, true);
        cr_assert_eq(lam_column_cursor_skip_to(cursor, 2, NULL), LAM_STATUS_OK);
        expect_levels(cursor, 2, "00");
        cr_assert(cursor->next_begins);
        uint64_t opened = lam_column_cursor_page_bytes(cursor);
        expect_levels(cursor, 0, "");
        cr_assert_eq(lam_column_cursor_page_bytes(cursor), opened); /* the second is not opened */
        expect_levels(cursor, 9, "0000");
        close_cursor(&bench, cursor);
    }
}

/* Where the page behind is damaged, nothing shows that a record has ended. */
Test(cursor_skips, a_page_that_cannot_be_peeked_at_is_opened) {
    lam_page_bench bench;
    lam_error error;
    lam_triples triples;
    uint64_t rows = 4;
    lam_page_bench_start(&bench, REPEATED, 1);
    lam_meta_page_location location = location_of(&bench, 0);
    lam_page_bench_repeated(&bench, whole, 4);
    lam_page_bench_bytes(&bench, "????????????????", 16);
    lam_column_cursor *cursor = open_cursor(&bench, 8, 8, NULL);
    lam_column_cursor_use_locations(cursor, &location, 1, false);
    cr_assert_eq(lam_column_cursor_read_rows(cursor, 9, &rows, &triples, NULL), LAM_STATUS_OK);
    cr_assert_eq(triples.count, 4);
    cr_assert_eq(lam_column_cursor_read_rows(cursor, 9, &rows, &triples, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_PAGE_HEADER);
    close_cursor(&bench, cursor);
}

/* A stop between the pages that are passed leaves the cursor where the same call works again. */
Test(cursor_skips, a_skip_by_the_index_may_be_stopped_and_done_again) {
    lam_page_bench bench;
    lam_meta_page_location locations[5];
    lam_page_bench_start(&bench, REPEATED, 1);
    for (int i = 0; i < 5; i++) {
        locations[i] = location_of(&bench, 4 * i);
        lam_page_bench_repeated(&bench, i == 4 ? goes_on : whole, 4);
    }
    for (size_t i = 1; i <= 5; i++) {
        lam_ending_input ending = {.file = {NULL, 0}};
        lam_input input = lam_ending_input_of(&ending);
        lam_column_cursor *cursor = open_cursor(&bench, 20, 19, &input);
        ending.file = lam_buffer_bytes(&bench.made.sample.bytes);
        cursor->chunk.stop = &ending.stop;
        lam_column_cursor_use_locations(cursor, locations, 5, false);
        lam_ending_input_again(&ending, 0, i);
        (void)lam_column_cursor_skip_to(cursor, 16, NULL);
        lam_ending_input_again(&ending, 0, 0);
        cr_assert_eq(lam_column_cursor_skip_to(cursor, 16, NULL), LAM_STATUS_OK);
        expect_levels(cursor, 9, "000");
        lam_column_cursor_destroy(cursor);
    }
    lam_page_bench_finish(&bench);
}

/* A page of four nulls or values of which the index has five rows, or one record less. */
static lam_status read_miscounted(int32_t version, bool decides, lam_error *error) {
    lam_page_bench bench;
    lam_meta_page_location locations[2];
    lam_triples triples;
    uint64_t rows = 1;
    lam_page_bench_start(&bench, REPEATED, version);
    locations[0] = location_of(&bench, 0);
    lam_page_bench_repeated(&bench, whole, 4);
    locations[1] = location_of(&bench, 5);
    lam_page_bench_repeated(&bench, whole, 4);
    lam_column_cursor *cursor = open_cursor(&bench, 8, 8, NULL);
    lam_column_cursor_use_locations(cursor, locations, 2, decides);
    lam_status status = lam_column_cursor_skip_to(cursor, 4, error);
    if (status == LAM_STATUS_OK)
        status = lam_column_cursor_read_rows(cursor, 9, &rows, &triples, error);
    if (status == LAM_STATUS_OK)
        cr_assert_eq(cursor->triples, 5);
    close_cursor(&bench, cursor);
    return status;
}

Test(cursor_skips, a_page_of_other_rows_than_those_that_chose_rows_is_a_failure) {
    for (int32_t version = 1; version <= 2; version++) {
        lam_error error = lam_error_none();
        cr_assert_eq(read_miscounted(version, false, &error), LAM_STATUS_OK, "%s", error.message);
        cr_assert_eq(read_miscounted(version, true, &error), LAM_STATUS_CORRUPT);
        cr_assert_eq(error.code, LAM_ERROR_CODE_OFFSET_INDEX_ROWS);
    }
}

/* --- Numbers of the chunk -------------------------------------------------------------------- */

Test(cursor_skips, a_page_of_more_values_than_the_chunk_is_not_skipped) {
    lam_page_bench bench;
    lam_error error;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_ints(&bench, 4, 1);
    lam_column_cursor *cursor = open_cursor(&bench, 2, 8, NULL);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 6, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_CHUNK_VALUES);
    close_cursor(&bench, cursor);
}

Test(cursor_skips, after_a_failure_nothing_is_read_or_skipped) {
    lam_page_bench bench;
    lam_error error;
    lam_triples triples;
    int32_t value;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_bytes(&bench, "????????????????", 16);
    lam_column_cursor *cursor = open_cursor(&bench, 4, 4, NULL);
    cr_assert_not(lam_column_cursor_can_pick(cursor, true)); /* no page is open */
    cr_assert_eq(lam_column_cursor_read(cursor, 1, &triples, NULL), LAM_STATUS_CORRUPT);
    cr_assert_eq(lam_column_cursor_read_values(cursor, 1, &value, &error), LAM_STATUS_STATE);
    cr_assert_eq(error.code, LAM_ERROR_CODE_READER_FAILED);
    cr_assert_eq(lam_column_cursor_skip_values(cursor, 1, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 0, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 2, NULL), LAM_STATUS_STATE);
    close_cursor(&bench, cursor);
}

/* --- Repetition levels of V2 pages ----------------------------------------------------------- */

enum { MANY = 4000 };

/* A page of records of two values each. */
static void add_many(lam_page_bench *bench) {
    uint8_t *levels = malloc(MANY);
    for (size_t i = 0; i < MANY; i++)
        levels[i] = i % 2;
    lam_page_bench_repeated(bench, levels, MANY);
    free(levels);
}

Test(cursor_skips, a_page_of_no_values_has_no_levels_to_count) {
    lam_page_bench bench;
    lam_page_bench_start(&bench, REPEATED, 2);
    lam_page_bench_repeated(&bench, whole, 0);
    lam_page_bench_repeated(&bench, whole, 4);
    lam_page_bench_repeated(&bench, whole, 4);
    lam_column_cursor *cursor = open_cursor(&bench, 8, 8, NULL);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 5, NULL), LAM_STATUS_OK);
    cr_assert_eq(first_value(cursor), 7);
    cr_assert_eq(cursor->rows, 6);
    close_cursor(&bench, cursor);
}

Test(cursor_skips, levels_that_are_not_there_are_not_counted) {
    static const uint8_t levels[] = {4 << 1, 1}, values[16] = {0};
    lam_page_bench bench;
    lam_error error;
    lam_page_sections sections = {.value_count = 4, .row_count = 4};
    sections.definition = (lam_bytes){levels, sizeof levels};
    sections.values = (lam_bytes){values, sizeof values};
    lam_page_bench_start(&bench, REPEATED, 2);
    lam_hand_made_data(&bench.made, &sections);
    lam_column_cursor *cursor = open_cursor(&bench, 4, 4, NULL);
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 2, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_RLE_RUNS);
    close_cursor(&bench, cursor);
}

Test(cursor_skips, levels_above_the_memory_limit_are_not_read) {
    lam_page_bench bench;
    lam_error error;
    lam_page_bench_start(&bench, REPEATED, 2);
    add_many(&bench);
    lam_column_cursor *cursor = open_cursor(&bench, MANY, MANY / 2, NULL);
    cursor->chunk.memory_limit = cursor->reader.memory_limit = MANY / 8;
    cr_assert_eq(lam_column_cursor_skip_to(cursor, 2, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_MEMORY_LIMIT);
    close_cursor(&bench, cursor);
}

Test(cursor_skips, reads_of_levels_may_fail) {
    lam_page_bench bench;
    lam_status status = LAM_STATUS_IO;
    size_t i = 0;
    lam_page_bench_start(&bench, REPEATED, 2);
    add_many(&bench);
    add_many(&bench);
    lam_page_bench_state(&bench, 2 * MANY, MANY);
    while (status == LAM_STATUS_IO) {
        lam_error error = lam_error_none();
        lam_ending_input ending = {.file = {NULL, 0}};
        lam_input input = lam_ending_input_of(&ending);
        lam_column_cursor *cursor = open_cursor(&bench, 2 * MANY, MANY, &input);
        ending.file = lam_buffer_bytes(&bench.made.sample.bytes);
        lam_ending_input_again(&ending, ++i, 0);
        status = lam_column_cursor_skip_to(cursor, MANY - 1, &error);
        cr_assert(status == LAM_STATUS_IO || (status == LAM_STATUS_OK && i > 4));
        cr_assert(status == LAM_STATUS_OK || strcmp(error.message, LAM_ENDING_MESSAGE) == 0);
        lam_column_cursor_destroy(cursor);
    }
    lam_page_bench_finish(&bench);
}

/* --- Dictionaries ---------------------------------------------------------------------------- */

Test(cursor_skips, a_dictionary_is_loaded_before_the_first_page_only) {
    static const uint8_t entry[4] = {7};
    lam_page_bench bench;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_ints(&bench, 4, 1);
    lam_page_bench_ints(&bench, 4, 2);
    lam_column_cursor *cursor = open_cursor(&bench, 8, 8, NULL);
    cr_assert_eq(first_value(cursor), 1);
    cr_assert_eq(lam_column_cursor_load_dictionary(cursor, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_column_cursor_dictionary(cursor));
    cr_assert_eq(first_value(cursor), 1);
    lam_column_cursor_destroy(cursor);
    cursor = open_cursor(&bench, 0, 0, NULL); /* a chunk without pages */
    cr_assert_eq(lam_column_cursor_load_dictionary(cursor, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_column_cursor_dictionary(cursor));
    lam_column_cursor_destroy(cursor);
    lam_hand_made_dictionary(&bench.made, 1, (lam_bytes){entry, sizeof entry});
    lam_page_bench_finish(&bench);
}

Test(cursor_skips, reads_of_a_dictionary_may_fail) {
    enum { ENTRIES = 40000 };
    uint8_t *entries = calloc(ENTRIES, 4);
    lam_page_bench bench;
    lam_status status = LAM_STATUS_IO;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_hand_made_dictionary(&bench.made, ENTRIES, (lam_bytes){entries, (size_t)ENTRIES * 4});
    lam_page_bench_ints(&bench, 4, 1);
    for (size_t i = 1; status == LAM_STATUS_IO; i++) {
        lam_error error = lam_error_none();
        lam_page_bench_state(&bench, 4, 4);
        lam_ending_input ending = {.file = lam_buffer_bytes(&bench.made.sample.bytes)};
        lam_input input = lam_ending_input_of(&ending);
        lam_column_cursor *cursor = open_cursor(&bench, 4, 4, &input);
        lam_ending_input_again(&ending, i, 0);
        status = lam_column_cursor_load_dictionary(cursor, &error);
        cr_assert(status == LAM_STATUS_IO || (status == LAM_STATUS_OK && i > 2));
        cr_assert(status == LAM_STATUS_OK || strcmp(error.message, LAM_ENDING_MESSAGE) == 0);
        lam_column_cursor_destroy(cursor);
    }
    lam_page_bench_finish(&bench);
    free(entries);
}

/* --- Behind the last value ------------------------------------------------------------------- */

static void add_other(lam_page_bench *bench, int32_t type, size_t size) {
    uint8_t *body = calloc(1, size);
    lam_meta_page_header header = {.type = type};
    header.compressed_page_size = header.uncompressed_page_size = (int32_t)size;
    lam_page_bench_page(bench, &header, body, size);
    free(body);
}

static lam_status read_to_end(lam_column_cursor *cursor, size_t *ret_count, lam_error *error) {
    lam_triples triples = {.count = 1};
    lam_status status = LAM_STATUS_OK;
    *ret_count = 0;
    while (status == LAM_STATUS_OK && triples.count > 0) {
        status = lam_column_cursor_read(cursor, SIZE_MAX, &triples, error);
        *ret_count += status == LAM_STATUS_OK ? triples.count : 0;
    }
    return status;
}

Test(cursor_skips, pages_without_values_and_noise_behind_the_last_value_are_ignored) {
    lam_page_bench bench;
    size_t count;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_ints(&bench, 4, 1);
    add_other(&bench, LAM_PAGE_DATA, 3); /* without the header of its type */
    add_other(&bench, LAM_PAGE_DATA_V2, 3);
    add_other(&bench, 1, 3);
    lam_page_bench_bytes(&bench, "????????????????", 16);
    lam_column_cursor *cursor = open_cursor(&bench, 4, 4, NULL);
    cr_assert_eq(read_to_end(cursor, &count, NULL), LAM_STATUS_OK);
    cr_assert_eq(count, 4);
    close_cursor(&bench, cursor);
}

Test(cursor_skips, a_header_that_never_ends_behind_the_last_value_is_ignored) {
    enum { SIZE = 17 << 20 };
    static const uint8_t string[] = {0x15, 0, 0x98, 0x80, 0x80, 0x80, 0x10}; /* of 32 MiB */
    uint8_t *zeros = calloc(1, SIZE);
    lam_page_bench bench;
    size_t count;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_ints(&bench, 4, 1);
    lam_page_bench_bytes(&bench, string, sizeof string);
    lam_page_bench_bytes(&bench, zeros, SIZE);
    free(zeros);
    lam_column_cursor *cursor = open_cursor(&bench, 4, 4, NULL);
    cr_assert_eq(read_to_end(cursor, &count, NULL), LAM_STATUS_OK);
    cr_assert_eq(count, 4);
    close_cursor(&bench, cursor);
}

Test(cursor_skips, reads_behind_the_last_value_may_fail_or_be_stopped) {
    lam_page_bench bench;
    lam_page_bench_start(&bench, REQUIRED, 1);
    lam_page_bench_ints(&bench, 4, 1);
    add_other(&bench, 1, 70000);
    add_other(&bench, 1, 70000);
    add_other(&bench, 1, 70000);
    lam_page_bench_state(&bench, 4, 4);
    for (size_t i = 1; i <= 6; i++) {
        lam_error error = lam_error_none();
        size_t count;
        lam_ending_input ending = {.file = lam_buffer_bytes(&bench.made.sample.bytes)};
        lam_input input = lam_ending_input_of(&ending);
        lam_column_cursor *cursor = open_cursor(&bench, 4, 4, &input);
        ending.file = lam_buffer_bytes(&bench.made.sample.bytes);
        cursor->chunk.stop = &ending.stop;
        lam_ending_input_again(&ending, i % 2 == 1 ? (i + 1) / 2 : 0, i % 2 == 1 ? 0 : i / 2);
        lam_status status = read_to_end(cursor, &count, i == 3 ? NULL : &error);
        cr_assert(status == (i % 2 == 1 ? LAM_STATUS_IO : LAM_STATUS_CANCELLED) ||
                      (i == 6 && status == LAM_STATUS_OK),
                  "%zu: %d", i, (int)status);
        cr_assert_eq(count, i <= 2 ? count : 4);
        lam_column_cursor_destroy(cursor);
    }
    lam_page_bench_finish(&bench);
}

/* --- Caches ---------------------------------------------------------------------------------- */

Test(cursor_skips, a_cursor_that_takes_pages_keeps_none_and_has_no_memory_of_the_callers) {
    lam_page_bench bench;
    lam_page_cache cache;
    lam_cached_chunk *cached;
    lam_page_bench_start(&bench, REQUIRED, 1);
    const lam_allocator other = bench.made.sample.allocator;
    lam_page_cache_init(&cache, NULL, 1 << 20, &other);
    cr_assert_eq(lam_page_cache_add_chunk(&cache, 0, &cached, NULL), LAM_STATUS_OK);
    lam_page_bench_ints(&bench, 4, 1);
    lam_column_cursor *cursor = open_cursor(&bench, 4, 4, NULL);
    lam_column_cursor_take_pages(cursor, &cache);
    lam_allocator none = {0};
    lam_column_cursor_use_page_memory(cursor, &none);
    cr_assert(cursor->reader.body.allocator.allocate == other.allocate);
    cr_assert_eq(lam_column_cursor_keep_last_pages(cursor, NULL), LAM_STATUS_OK);
    cr_assert_eq(first_value(cursor), 1);
    lam_column_cursor_destroy(cursor);
    lam_page_cache_finish(&cache);
    lam_page_bench_finish(&bench);
}
