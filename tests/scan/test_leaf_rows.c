/* SPDX-License-Identifier: Apache-2.0 */
/* The triples of wanted rows, read in batches of any size from a file of many pages. */
#include "scan/evaluate/leaf_rows.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "file/file_sample.h"
#include "scan/prune/trusted_metadata.h"
#include "support/random.h"

enum { ROWS = 3000, ENTRIES = 5 };

static const char *const WORDS[ENTRIES] = {"", "a", "bb", "ccc", "dddd"};

/* A file of one row group with many pages: numbers that rise, a word of a few, and lists. */
static lam_reader *write_rows(lam_trial_output *trial) {
    lam_test_writer file = lam_test_write(
        "message m { required int32 n; optional binary w (STRING); repeated int32 l; }",
        LAM_TEST_WRITER(.page_rows = 37));
    for (int i = 0; i < ROWS; i++) {
        char word[16] = "null", items[64] = "";
        if (i % 7 != 0)
            snprintf(word, sizeof word, "'%s'", WORDS[i % ENTRIES]);
        for (int k = 0, end = 0; k < i % 4; k++)
            end += snprintf(items + end, sizeof items - (size_t)end, "%d,", i + k);
        lam_test_put(&file, "{n: %d, w: %s, l: [%s]}", i, word, items);
    }
    trial->bytes = lam_test_written(&file);
    return lam_test_open(trial->bytes.data, trial->bytes.size, NULL);
}

/* Random ranges, or all rows for a chance of 100. */
static void choose(lam_row_ranges *ranges, bool *wanted, unsigned chance, lam_random *random) {
    lam_row_ranges_clear(ranges);
    for (uint64_t row = 0; row < ROWS; row++) {
        bool again = row > 0 && lam_random_chance(random, 80);
        wanted[row] = again ? wanted[row - 1] : lam_random_chance(random, chance);
        if (wanted[row])
            cr_assert_eq(lam_row_ranges_add(ranges, row, row + 1, NULL), LAM_STATUS_OK);
    }
}

static void start(lam_leaf_rows *rows, const lam_reader *reader, const lam_row_ranges *ranges,
                  size_t leaf, lam_arena *arena) {
    lam_column_cursor *cursor;
    uint64_t index_bytes = 0;
    *rows = (lam_leaf_rows){.ranges = ranges, .leaf_index = leaf};
    cr_assert_eq(
        lam_cursor_open(reader, 0, leaf, LAM_INDEX_UNUSED, arena, &index_bytes, &cursor, NULL),
        LAM_STATUS_OK);
    lam_leaf_rows_start(rows, cursor, ROWS);
}

/* Numbers of the wanted rows, in their order. */
static void expect_numbers(lam_leaf_rows *rows, const bool *wanted) {
    lam_triples triples;
    size_t row = 0;
    do {
        cr_assert_eq(lam_leaf_rows_read(rows, &triples, NULL), LAM_STATUS_OK);
        const int32_t *numbers = triples.values;
        for (size_t i = 0; i < triples.value_count; i++, row++) {
            while (row < ROWS && !wanted[row])
                row++;
            cr_assert_eq(numbers[i], (int32_t)row);
        }
    } while (triples.count > 0);
    while (row < ROWS && !wanted[row])
        row++;
    cr_assert_eq(row, (size_t)ROWS);
}

/* Words as indexes of the dictionary, or as values. */
static void expect_words(lam_leaf_rows *rows, const bool *wanted, bool as_entries) {
    lam_triples triples;
    bool indexes = false;
    size_t row = 0;
    do {
        cr_assert_eq(as_entries ? lam_leaf_rows_read_entries(rows, &triples, &indexes, NULL)
                                : lam_leaf_rows_read(rows, &triples, NULL),
                     LAM_STATUS_OK);
        for (size_t i = 0, value = 0; i < triples.count; i++, row++) {
            while (row < ROWS && !wanted[row])
                row++;
            bool present = triples.definition == NULL || triples.definition[i] == 1;
            cr_assert_eq(present, row % 7 != 0);
            if (!present)
                continue;
            const lam_bytes *word = (const lam_bytes *)triples.values + value;
            if (indexes)
                word = (const lam_bytes *)lam_column_cursor_dictionary(rows->cursor)->values +
                       ((const uint32_t *)triples.values)[value];
            value++;
            cr_assert_eq(word->size, row % ENTRIES);
            cr_assert_eq(memcmp(word->data, WORDS[row % ENTRIES], word->size), 0);
        }
        cr_assert(triples.count == 0 || indexes == as_entries);
    } while (triples.count > 0);
}

/* Entries of the lists, and where each row begins. */
static void expect_lists(lam_leaf_rows *rows, const bool *wanted) {
    lam_triples triples;
    size_t row = SIZE_MAX;
    int32_t next = 0;
    do {
        cr_assert_eq(lam_leaf_rows_read(rows, &triples, NULL), LAM_STATUS_OK);
        for (size_t i = 0, value = 0; i < triples.count; i++) {
            if (triples.repetition == NULL || triples.repetition[i] == 0) {
                for (row++; row < ROWS && !wanted[row];)
                    row++;
                next = (int32_t)row;
            }
            if (triples.definition == NULL || triples.definition[i] == 1)
                cr_assert_eq(((const int32_t *)triples.values)[value++], next++);
            else
                cr_assert_eq(row % 4, 0);
        }
    } while (triples.count > 0);
}

Test(leaf_rows, the_triples_are_those_of_the_wanted_rows) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_allocator allocator = lam_allocator_default();
    lam_trial_output trial = {0};
    lam_reader *reader = write_rows(&trial);
    static bool wanted[ROWS];
    lam_row_ranges ranges;
    lam_arena arena;
    lam_row_ranges_init(&ranges, &allocator);
    lam_arena_init(&arena, &allocator, 0);
    for (unsigned round = 0; round < 60; round++) {
        lam_leaf_rows rows;
        choose(&ranges, wanted, (unsigned[]){0, 5, 50, 100}[round % 4], &random);
        for (size_t leaf = 0; leaf < 4; leaf++) {
            start(&rows, reader, &ranges, leaf < 2 ? leaf : leaf - 1, &arena);
            if (leaf == 0)
                expect_numbers(&rows, wanted);
            else if (leaf < 3)
                expect_words(&rows, wanted, leaf == 2);
            else
                expect_lists(&rows, wanted);
            lam_leaf_rows_stop(&rows);
            cr_assert_null(rows.cursor);
        }
    }
    lam_arena_finish(&arena);
    lam_row_ranges_finish(&ranges);
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
}
