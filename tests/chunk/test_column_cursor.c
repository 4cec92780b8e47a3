/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cursor over a chunk reads and skips any number of rows, in calls of any size, and checks what
 * it passes.
 */
#include <criterion/criterion.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "chunk/chunk_sample.h"
#include "chunk/hand_made.h"
#include "support/failing_alloc.h"

enum { ROOM = 5000 }; /* triples asked for at most */

static const char *const schemas[] = {
    "message m { required int32 a; }",
    "message m { optional int64 a; }",
    "message m { optional binary a; }",
    "message m { required fixed(5) a; }",
    "message m { optional boolean a; }",
    "message m { repeated double a; }",
    "message m { repeated group g { optional int32 a; } }",
    "message m { optional group g { repeated group h { repeated binary a; } } }",
};

static void write_sample(lam_chunk_sample *sample, lam_triple_column *column, const char *schema,
                         size_t records, lam_random *random) {
    static const unsigned percents[] = {0, 3, 50, 100};
    lam_chunk_sample_init(sample, schema);
    sample->options.page_rows = 1 + lam_random_below(random, records);
    sample->options.page_version = 1 + (int32_t)lam_random_below(random, 2);
    sample->options.codec = lam_random_chance(random, 50) ? LAM_CODEC_SNAPPY : LAM_CODEC_ZSTD;
    sample->options.use_dictionary = lam_random_chance(random, 70);
    sample->options.dictionary_bytes = lam_random_chance(random, 50) ? 1 << 20 : 100;
    lam_triple_shape shape = {.record_count = records,
                              .null_percent = percents[lam_random_below(random, 4)],
                              .more_percent = 60,
                              .distinct = lam_random_chance(random, 50) ? 20 : 0,
                              .bytes_max = 20};
    lam_triple_column_init(column, sample->leaf, &shape, random);
    lam_chunk_sample_write(sample, column, NULL);
}

static lam_column_cursor *open_sample(const lam_chunk_sample *sample, lam_input *input) {
    lam_column_chunk chunk = lam_chunk_sample_chunk(sample, input);
    lam_column_cursor *cursor;
    cr_assert_eq(lam_column_cursor_create(&chunk, &sample->allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    return cursor;
}

typedef struct batch_memory {
    uint8_t repetition[ROOM];
    uint8_t definition[ROOM];
    uint8_t values[ROOM * sizeof(lam_bytes)];
    uint32_t indexes[ROOM];
} batch_memory;

/* Values of a batch by their indexes, as a caller who keeps the dictionary would have them. */
static void read_by_indexes(lam_column_cursor *cursor, size_t count, size_t size, batch_memory *m) {
    cr_assert_eq(lam_column_cursor_read_indexes(cursor, count, m->indexes, NULL), LAM_STATUS_OK);
    const lam_dictionary *dictionary = lam_column_cursor_dictionary(cursor);
    for (size_t i = 0; i < count; i++) {
        cr_assert_lt(m->indexes[i], dictionary->count);
        memcpy(m->values + i * size, (const uint8_t *)dictionary->values + m->indexes[i] * size,
               size);
    }
}

/* Reads up to `rows` rows to their last triple and compares them; gives how many there were. */
static uint64_t read_rows(lam_column_cursor *cursor, uint64_t rows, lam_triple_match *match,
                          lam_random *random) {
    batch_memory *m = malloc(sizeof *m);
    size_t size = lam_element_size(match->column->leaf);
    uint64_t done = 0;
    for (lam_batch batch = {.count = 1}; batch.count > 0; done += batch.row_count) {
        size_t most = 1 + (size_t)lam_random_below(random, ROOM);
        memset(m->repetition, 0xEE, ROOM);
        memset(m->definition, 0xEE, ROOM);
        cr_assert_eq(lam_column_cursor_read_levels(cursor, most, rows - done, m->repetition,
                                                   m->definition, &batch, NULL),
                     LAM_STATUS_OK);
        cr_assert_leq(batch.count, most);
        cr_assert_leq(batch.row_count, rows - done);
        lam_triples run = {batch.count, batch.value_count, NULL, NULL, m->values};
        run.repetition = batch.has_repetition ? m->repetition : NULL;
        run.definition = batch.has_definition ? m->definition : NULL;
        if (batch.is_dictionary && lam_random_chance(random, 50))
            read_by_indexes(cursor, batch.value_count, size, m);
        else
            cr_assert_eq(lam_column_cursor_read_values(cursor, batch.value_count, m->values, NULL),
                         LAM_STATUS_OK);
        cr_assert(lam_triple_match_next(match, &run), "after triple %zu", match->at);
    }
    free(m);
    return done;
}

static void expect_record(const lam_triple_match *match, size_t record) {
    cr_assert_eq(match->at, match->column->starts[record]);
    cr_assert_eq(match->value_at, match->column->value_starts[record]);
}

Test(column_cursor, any_number_of_rows_is_read_to_the_end_of_its_last_record_or_skipped) {
    uint64_t seed = lam_test_seed(77);
    for (int round = 0; round < 400; round++) {
        lam_random random = lam_random_start(seed + (uint64_t)round);
        lam_chunk_sample sample;
        lam_triple_column column;
        lam_input input;
        size_t records = 1 + (size_t)lam_random_below(&random, 3000), at = 0;
        write_sample(&sample, &column, schemas[round % 8], records, &random);
        lam_column_cursor *cursor = open_sample(&sample, &input);
        lam_triple_match match = {&column, 0, 0};
        while (at < records) {
            uint64_t most = lam_random_chance(&random, 50) ? 10 : 2 * records;
            uint64_t rows = lam_random_below(&random, most);
            uint64_t left = rows < records - at ? rows : records - at;
            if (lam_random_chance(&random, 50)) {
                cr_assert_eq(lam_column_cursor_skip_to(cursor, at + left, NULL), LAM_STATUS_OK,
                             "seed %llu", (unsigned long long)seed);
                match.at = column.starts[at + left];
                match.value_at = column.value_starts[at + left];
            } else {
                cr_assert_eq(read_rows(cursor, rows, &match, &random), left, "seed %llu",
                             (unsigned long long)seed);
            }
            at += left;
            expect_record(&match, at);
        }
        cr_assert_eq(read_rows(cursor, 10, &match, &random), 0);
        cr_assert_eq(read_rows(cursor, 0, &match, &random), 0);
        lam_column_cursor_destroy(cursor);
        lam_triple_column_finish(&column);
        lam_chunk_sample_finish(&sample);
    }
}

Test(column_cursor, values_of_a_batch_may_be_read_in_several_calls) {
    lam_random random = lam_random_start(lam_test_seed(5));
    lam_chunk_sample sample;
    lam_triple_column column;
    lam_input input;
    write_sample(&sample, &column, schemas[0], 500, &random);
    lam_column_cursor *cursor = open_sample(&sample, &input);
    size_t done = 0;
    for (lam_batch batch = {.count = 1}; batch.count > 0;) {
        cr_assert_eq(lam_column_cursor_read_levels(cursor, 100, 500, NULL, NULL, &batch, NULL),
                     LAM_STATUS_OK);
        cr_assert(!batch.has_repetition && !batch.has_definition);
        for (size_t left = batch.value_count, some; left > 0; left -= some, done += some) {
            int32_t values[100];
            some = left < 7 ? left : 7;
            cr_assert_eq(lam_column_cursor_read_values(cursor, some, values, NULL), LAM_STATUS_OK);
            cr_assert_eq(memcmp(values, (const int32_t *)column.triples.values + done, some * 4),
                         0);
        }
    }
    cr_assert_eq(done, 500);
    lam_column_cursor_destroy(cursor);
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

static const uint8_t four[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};

static lam_status skip_and_read(lam_hand_made *made, int64_t value_count, uint64_t row_count,
                                uint64_t skip, int32_t *ret_first) {
    lam_input input;
    lam_batch batch;
    lam_chunk_sample_set(&made->sample, made->pages.data, made->pages.size, value_count, row_count);
    lam_column_cursor *cursor = open_sample(&made->sample, &input);
    lam_status status = lam_column_cursor_skip_to(cursor, skip, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_column_cursor_read_levels(cursor, 1, 1, NULL, NULL, &batch, NULL);
    if (status == LAM_STATUS_OK && batch.count > 0)
        status = lam_column_cursor_read_values(cursor, 1, ret_first, NULL);
    lam_column_cursor_destroy(cursor);
    return status;
}

Test(column_cursor, a_page_of_rows_that_are_skipped_is_not_opened) {
    for (int32_t version = 1; version <= 2; version++) {
        lam_hand_made made;
        lam_page_sections broken = {.value_count = 4, .row_count = 4};
        lam_page_sections good = {.value_count = 4, .row_count = 4, .values = {four, sizeof four}};
        int32_t first = 0;
        lam_hand_made_start(&made, schemas[0], version);
        lam_hand_made_data(&made, &broken);
        lam_hand_made_data(&made, &good);
        cr_assert_eq(skip_and_read(&made, 8, 8, 4, &first), LAM_STATUS_OK);
        cr_assert_eq(first, 1);
        cr_assert_eq(skip_and_read(&made, 8, 8, 6, &first), LAM_STATUS_OK);
        cr_assert_eq(first, 3);
        cr_assert_eq(skip_and_read(&made, 8, 8, 3, &first), LAM_STATUS_CORRUPT);
        cr_assert_eq(skip_and_read(&made, 8, 8, 8, &first), LAM_STATUS_OK); /* to the end */
        lam_hand_made_finish(&made);
    }
}

Test(column_cursor, rows_that_are_skipped_are_counted_and_must_be_those_of_the_row_group) {
    lam_hand_made made;
    lam_page_sections sections = {.value_count = 4, .row_count = 4, .values = {four, sizeof four}};
    int32_t first = 0;
    lam_hand_made_start(&made, schemas[0], 1);
    lam_hand_made_data(&made, &sections);
    lam_hand_made_data(&made, &sections);
    cr_assert_eq(skip_and_read(&made, 8, 8, 8, &first), LAM_STATUS_OK);
    cr_assert_eq(skip_and_read(&made, 8, 9, 8, &first), LAM_STATUS_CORRUPT);
    cr_assert_eq(skip_and_read(&made, 8, 7, 7, &first), LAM_STATUS_CORRUPT);
    cr_assert_eq(skip_and_read(&made, 7, 7, 7, &first), LAM_STATUS_CORRUPT);
    cr_assert_eq(skip_and_read(&made, 0, 7, 7, &first), LAM_STATUS_CORRUPT);
    lam_hand_made_finish(&made);
}

/* Rows alone were counted, and a chunk that claims more values than rows was read to its last
 * row. */
Test(column_cursor, values_that_are_missing_behind_the_last_row_are_missed) {
    lam_hand_made made;
    lam_input input;
    lam_batch batch;
    int32_t values[4];
    lam_page_sections sections = {.value_count = 4, .row_count = 4, .values = {four, sizeof four}};
    lam_hand_made_start(&made, schemas[0], 1);
    lam_hand_made_data(&made, &sections);
    for (int64_t count = 4; count <= 5; count++) {
        lam_chunk_sample_set(&made.sample, made.pages.data, made.pages.size, count, 4);
        lam_column_cursor *cursor = open_sample(&made.sample, &input);
        cr_assert_eq(lam_column_cursor_read_levels(cursor, 4, 4, NULL, NULL, &batch, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_column_cursor_read_values(cursor, 4, values, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_column_cursor_read_levels(cursor, 0, 0, NULL, NULL, &batch, NULL),
                     count == 4 ? LAM_STATUS_OK : LAM_STATUS_CORRUPT);
        lam_column_cursor_destroy(cursor);
    }
    lam_hand_made_finish(&made);
}

Test(column_cursor, indexes_are_checked_like_values) {
    static const uint8_t high[] = {8, 3, 3, 4, 1, 2}, width[] = {33, 3, 0, 0, 0, 0};
    const uint8_t *const wrong[] = {high, width};
    for (size_t i = 0; i < 2; i++) {
        lam_hand_made made;
        lam_input input;
        lam_batch batch;
        uint32_t indexes[4];
        lam_page_sections sections = {.value_count = 4, .row_count = 4, .values = {wrong[i], 6}};
        sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
        lam_bytes values = {four, sizeof four};
        lam_hand_made_start(&made, schemas[0], 1);
        lam_hand_made_dictionary(&made, 4, values);
        lam_hand_made_data(&made, &sections);
        lam_chunk_sample_set(&made.sample, made.pages.data, made.pages.size, 4, 4);
        lam_column_cursor *cursor = open_sample(&made.sample, &input);
        cr_assert_eq(lam_column_cursor_read_levels(cursor, 4, 4, NULL, NULL, &batch, NULL),
                     LAM_STATUS_OK);
        cr_assert(batch.is_dictionary);
        cr_assert_eq(lam_column_cursor_read_indexes(cursor, 4, indexes, NULL), LAM_STATUS_CORRUPT);
        cr_assert_eq(lam_column_cursor_read_levels(cursor, 4, 4, NULL, NULL, &batch, NULL),
                     LAM_STATUS_STATE);
        lam_column_cursor_destroy(cursor);
        lam_hand_made_finish(&made);
    }
}

Test(column_cursor, every_allocation_may_fail) {
    lam_random random = lam_random_start(9);
    lam_chunk_sample sample;
    lam_triple_column column;
    write_sample(&sample, &column, schemas[6], 300, &random);
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_input input;
        lam_column_chunk chunk = lam_chunk_sample_chunk(&sample, &input);
        lam_column_cursor *cursor = NULL;
        lam_status status = lam_column_cursor_create(&chunk, &allocator, &cursor, NULL);
        if (status == LAM_STATUS_OK)
            status = lam_column_cursor_skip_to(cursor, 150, NULL);
        lam_batch batch = {.count = 1};
        while (status == LAM_STATUS_OK && batch.count > 0) {
            uint8_t repetition[100], definition[100];
            int32_t values[100];
            status = lam_column_cursor_read_levels(cursor, 100, 1000, repetition, definition,
                                                   &batch, NULL);
            if (status == LAM_STATUS_OK)
                status = lam_column_cursor_read_values(cursor, batch.value_count, values, NULL);
        }
        lam_column_cursor_destroy(cursor);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
    }
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}
