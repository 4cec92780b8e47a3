/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that are passed over are those that reading would give, whatever page headers say of them.
 */
#include <criterion/criterion.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "chunk/chunk_sample.h"
#include "chunk/hand_made.h"
#include "encoding/plain.h"

#define NESTED "message m { repeated group g { optional int32 a; } }"
#define REPEATED "message m { optional group g { repeated int32 a; } }"
#define FLAT "message m { optional int32 a; }"

enum { MOST_PAGES = 200, MOST_LOCATIONS = MOST_PAGES };

/* How the counts of a page header come to be wrong. */
typedef enum lie {
    LIE_NOT,
    LIE_ZERO,   /* parquet-go of hangxie */
    LIE_VALUES, /* pyarrow before 12, parquet.js: triples */
    LIE_RANDOM,
    LIES
} lie;

/* Where pages begin, and what the offset index makes of it. */
typedef enum cut {
    CUT_ANYWHERE,   /* without an index */
    CUT_AT_RECORDS, /* as an index requires it */
    CUT_INSIDE,     /* of records; the index counts those that began before: arrow-go */
    CUT_BACK,       /* the same, but it counts back to the record that goes on */
    CUT_SHIFTED,    /* at records, and one number of the index is wrong by one */
    CUTS
} cut;

typedef struct made_column {
    lam_hand_made made;
    lam_triple_column column;
    lam_meta_page_location locations[MOST_LOCATIONS];
    size_t page_count;
    lam_input input;
} made_column;

static uint32_t told(lie kind, uint32_t truth, uint32_t triples, lam_random *random) {
    switch (kind) {
    case LIE_ZERO:
        return 0;
    case LIE_VALUES:
        return triples;
    case LIE_RANDOM:
        return (uint32_t)lam_random_below(random, 2 * (uint64_t)triples + 2);
    default:
        return truth;
    }
}

static void append_levels(lam_buffer *out, const uint8_t *levels, size_t count, uint8_t max_level) {
    lam_rle_encoder encoder;
    if (max_level == 0)
        return;
    lam_rle_encoder_init(&encoder, lam_kernels_get(), lam_bit_width(max_level), out);
    cr_assert_eq(lam_rle_write_levels(&encoder, levels, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
}

static uint8_t level_at(const uint8_t *levels, size_t at, uint8_t all) {
    return levels == NULL ? all : levels[at];
}

/* A page of the triples from `from` on, of which `*values` are before them. */
static void append_page(made_column *m, size_t from, size_t count, size_t *values, lie kind,
                        lam_random *random) {
    const lam_field *leaf = m->made.sample.leaf;
    const lam_triples *all = &m->column.triples;
    lam_buffer out[3];
    uint8_t *r = malloc(count), *d = malloc(count);
    uint32_t rows = 0, present = 0;
    for (size_t i = 0; i < 3; i++)
        lam_buffer_init(&out[i], &m->made.sample.allocator);
    for (size_t i = 0; i < count; i++) {
        r[i] = level_at(all->repetition, from + i, 0);
        d[i] = level_at(all->definition, from + i, leaf->max_definition);
        rows += r[i] == 0;
        present += d[i] == leaf->max_definition;
    }
    append_levels(&out[0], r, count, leaf->max_repetition);
    append_levels(&out[1], d, count, leaf->max_definition);
    const lam_value_layout layout = {LAM_PHYSICAL_INT32, 4};
    cr_assert_eq(
        lam_plain_append(layout, (const int32_t *)all->values + *values, present, &out[2], NULL),
        LAM_STATUS_OK);
    lam_page_sections sections = {.value_count = (uint32_t)count};
    sections.null_count = told(kind, (uint32_t)count - present, (uint32_t)count, random);
    sections.row_count = told(kind, rows, (uint32_t)count, random);
    sections.repetition = lam_buffer_bytes(&out[0]);
    sections.definition = lam_buffer_bytes(&out[1]);
    sections.values = lam_buffer_bytes(&out[2]);
    lam_hand_made_data(&m->made, &sections);
    *values += present;
    for (size_t i = 0; i < 3; i++)
        lam_buffer_finish(&out[i]);
    free(r);
    free(d);
}

static size_t record_of(const lam_triple_column *column, size_t triple) {
    size_t record = 0;
    while (record < column->record_count && column->starts[record] < triple)
        record++;
    return record;
}

/* Where a page ends that begins at a triple; each has the beginning of a record. */
static size_t end_of_page(const made_column *m, size_t at, cut how, lam_random *random) {
    const lam_triple_column *column = &m->column;
    size_t triples = column->triples.count;
    size_t end = at + 1 + (size_t)lam_random_below(random, 1 + triples / 20);
    end = end < triples ? end : triples;
    size_t begun = record_of(column, at), next = record_of(column, end);
    if (how == CUT_AT_RECORDS || how == CUT_SHIFTED)
        return column->starts[next];
    if (how == CUT_ANYWHERE)
        return end;
    while (end < triples && record_of(column, end) == begun)
        end++;
    return record_of(column, end) < column->record_count ? end : triples;
}

/* Makes one number of the index too small or too large, as far as they still rise. */
static void shift_one(made_column *m, lam_random *random) {
    if (m->page_count < 2)
        return;
    size_t index = 1 + (size_t)lam_random_below(random, m->page_count - 1);
    lam_meta_page_location *page = &m->locations[index];
    int64_t end =
        index + 1 < m->page_count ? page[1].first_row_index : (int64_t)m->column.record_count;
    if (lam_random_chance(random, 50) && page->first_row_index + 1 < end)
        page->first_row_index++;
    else if (page->first_row_index - 1 > page[-1].first_row_index)
        page->first_row_index--;
}

/* Cuts a column into pages, with headers that lie. */
static void make_column(made_column *m, const char *schema, int32_t version, cut how, lie kind,
                        lam_random *random) {
    memset(m, 0, sizeof *m);
    lam_hand_made_start(&m->made, schema, version);
    size_t records = 1 + (size_t)lam_random_below(random, 300);
    lam_triple_shape shape = {.record_count = records, .null_percent = 30, .more_percent = 60};
    lam_triple_column_init(&m->column, m->made.sample.leaf, &shape, random);
    size_t triples = m->column.triples.count, values = 0;
    for (size_t at = 0, end; at < triples; at = end) {
        end = end_of_page(m, at, how, random);
        cr_assert_lt(m->page_count, MOST_LOCATIONS);
        lam_meta_page_location *location = &m->locations[m->page_count++];
        size_t begun = record_of(&m->column, at);
        location->offset = (int64_t)(LAM_SAMPLE_OFFSET + m->made.pages.size);
        location->first_row_index =
            (int64_t)(how == CUT_BACK && m->column.starts[begun] != at ? begun - 1 : begun);
        append_page(m, at, end - at, &values, kind, random);
    }
    if (how == CUT_SHIFTED)
        shift_one(m, random);
    lam_chunk_sample_set(&m->made.sample, m->made.pages.data, m->made.pages.size, (int64_t)triples,
                         records);
}

static void finish_column(made_column *m) {
    lam_triple_column_finish(&m->column);
    lam_hand_made_finish(&m->made);
}

static lam_column_cursor *open_column(made_column *m, bool uses_index) {
    lam_column_chunk chunk = lam_chunk_sample_chunk(&m->made.sample, &m->input);
    lam_column_cursor *cursor;
    cr_assert_eq(lam_column_cursor_create(&chunk, &m->made.sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    if (uses_index)
        lam_column_cursor_use_locations(cursor, m->locations, m->page_count, false);
    return cursor;
}

/* Reads `rows` rows to their last triple and compares them. */
static void read_rows(lam_column_cursor *cursor, uint64_t rows, lam_triple_match *match,
                      lam_random *random) {
    for (lam_triples run = {.count = 1}; run.count > 0;) {
        lam_error error = lam_error_none();
        size_t most = 1 + (size_t)lam_random_below(random, 40);
        cr_assert_eq(lam_column_cursor_read_rows(cursor, most, &rows, &run, &error), LAM_STATUS_OK,
                     "%s", error.message);
        cr_assert(lam_triple_match_next(match, &run), "after triple %zu", match->at);
    }
    cr_assert_eq(rows, 0);
}

static void expect_any_way(made_column *m, bool uses_index, lam_random *random) {
    lam_column_cursor *cursor = open_column(m, uses_index);
    lam_triple_match match = {&m->column, 0, 0};
    for (size_t at = 0, rows; at < m->column.record_count; at += rows) {
        lam_error error = lam_error_none();
        size_t left = m->column.record_count - at;
        uint64_t most = lam_random_chance(random, 50) ? 5 : left;
        rows = (size_t)lam_random_below(random, (most < left ? most : left) + 1);
        if (lam_random_chance(random, 40)) {
            read_rows(cursor, rows, &match, random);
        } else {
            cr_assert_eq(lam_column_cursor_skip_to(cursor, at + rows, &error), LAM_STATUS_OK, "%s",
                         error.message);
            match.at = m->column.starts[at + rows];
            match.value_at = m->column.value_starts[at + rows];
        }
        cr_assert_eq(match.at, m->column.starts[at + rows]);
    }
    read_rows(cursor, 0, &match, random);
    cr_assert(lam_triple_match_at_end(&match));
    lam_column_cursor_destroy(cursor);
}

/*
 * Whole pages were passed over by num_rows, and by indexes of pages that begin inside of records:
 * rows were lost where they count something else.
 */
Test(page_rows, rows_that_are_passed_over_are_those_that_reading_gives) {
    static const char *const schemas[] = {FLAT, NESTED, REPEATED};
    uint64_t seed = lam_test_seed(12);
    for (int round = 0; round < 1500; round++) {
        lam_random random = lam_random_start(seed + (uint64_t)round);
        made_column m;
        cut how = (cut)(round / 3 % CUTS);
        int32_t version = 1 + (int32_t)lam_random_below(&random, 2);
        make_column(&m, schemas[round % 3], version, how, (lie)lam_random_below(&random, LIES),
                    &random);
        expect_any_way(&m, false, &random);
        if (how != CUT_ANYWHERE)
            expect_any_way(&m, true, &random);
        finish_column(&m);
    }
}

static const uint8_t four[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};

static lam_bytes bytes_of(const void *data, size_t size) {
    lam_bytes bytes = {data, size};
    return bytes;
}

static lam_status skip(lam_hand_made *made, int64_t triples, uint64_t rows, uint64_t skipped,
                       const lam_meta_page_location *pages, size_t page_count, bool decides) {
    lam_input input;
    lam_column_cursor *cursor;
    lam_triples run;
    lam_error error = lam_error_none();
    uint64_t one = 1;
    lam_chunk_sample_set(&made->sample, made->pages.data, made->pages.size, triples, rows);
    lam_column_chunk chunk = lam_chunk_sample_chunk(&made->sample, &input);
    cr_assert_eq(lam_column_cursor_create(&chunk, &made->sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    if (page_count > 0)
        lam_column_cursor_use_locations(cursor, pages, page_count, decides);
    lam_status status = lam_column_cursor_skip_to(cursor, skipped, &error);
    if (status == LAM_STATUS_OK)
        status = lam_column_cursor_read_rows(cursor, 4, &one, &run, &error);
    cr_assert_eq(error.status, status);
    if (status != LAM_STATUS_OK)
        cr_assert_gt(error.offset, 0, "%s", error.message);
    lam_column_cursor_destroy(cursor);
    return status;
}

/* Four elements in records that begin where `repetition` has a 0 bit. */
static lam_page_sections nested_page(const uint8_t *repetition, uint32_t stated_rows) {
    static const uint8_t twos[] = {8, 2};
    lam_page_sections sections = {.value_count = 4, .row_count = stated_rows};
    sections.repetition = bytes_of(repetition, 2);
    sections.definition = bytes_of(twos, 2);
    sections.values = bytes_of(four, sizeof four);
    return sections;
}

Test(page_rows, only_the_levels_of_a_page_that_is_passed_over_are_looked_at) {
    static const uint8_t two_rows[] = {3, 0xA};
    for (uint32_t stated_rows = 0; stated_rows <= 4; stated_rows++) {
        lam_hand_made made;
        lam_hand_made_start(&made, NESTED, 2);
        lam_page_sections sections = nested_page(two_rows, stated_rows);
        sections.values.size = 3; /* which nobody could decode */
        lam_hand_made_data(&made, &sections);
        sections = nested_page(two_rows, stated_rows);
        lam_hand_made_data(&made, &sections);
        cr_assert_eq(skip(&made, 8, 4, 2, NULL, 0, false), LAM_STATUS_OK);
        cr_assert_eq(skip(&made, 8, 4, 3, NULL, 0, false), LAM_STATUS_OK);
        cr_assert_eq(skip(&made, 8, 4, 1, NULL, 0, false), LAM_STATUS_CORRUPT);
        cr_assert_eq(skip(&made, 8, 3, 3, NULL, 0, false), LAM_STATUS_CORRUPT);
        lam_hand_made_finish(&made);
    }
}

Test(page_rows, levels_that_cannot_be_are_corrupt_where_they_are_passed_over_too) {
    static const uint8_t good[] = {3, 0xA}, inside[] = {3, 0xB}, short_run[] = {6, 0};
    static const uint8_t above[] = {8, 1}, *const wrong[] = {inside, short_run};
    lam_hand_made made;
    lam_hand_made_start(&made, NESTED, 2);
    for (size_t i = 0; i < 2; i++) {
        lam_page_sections sections = nested_page(wrong[i], 9);
        lam_buffer_clear(&made.pages);
        lam_hand_made_data(&made, &sections);
        sections = nested_page(good, 9);
        lam_hand_made_data(&made, &sections);
        cr_assert_eq(skip(&made, 8, 4, 3, NULL, 0, false), LAM_STATUS_CORRUPT);
    }
    lam_page_sections sections = nested_page(above, 9);
    lam_buffer_clear(&made.pages);
    lam_hand_made_data(&made, &sections);
    cr_assert_eq(skip(&made, 4, 1, 1, NULL, 0, false), LAM_STATUS_CORRUPT); /* no record begins */
    lam_hand_made_finish(&made);
    static const uint8_t too_high[] = {2, 0, 6, 3};
    lam_hand_made_start(&made, "message m { repeated group g { repeated int32 a; } }", 2);
    sections = nested_page(good, 9);
    sections.repetition = bytes_of(too_high, sizeof too_high);
    lam_hand_made_data(&made, &sections);
    lam_hand_made_data(&made, &sections);
    cr_assert_eq(skip(&made, 8, 2, 2, NULL, 0, false), LAM_STATUS_CORRUPT);
    lam_hand_made_finish(&made);
}

/*
 * An index that is wrong is forgotten, but it is a failure where rows were chosen by it: those that
 * it hides are in other rows than it states.
 */
Test(page_rows, an_offset_index_is_believed_as_far_as_the_levels_confirm_it) {
    static const uint8_t two_rows[] = {3, 0xA};
    for (uint32_t stated_rows = 0; stated_rows <= 4; stated_rows++) {
        lam_hand_made made;
        lam_meta_page_location pages[2] = {{.offset = LAM_SAMPLE_OFFSET}};
        lam_hand_made_start(&made, NESTED, 2);
        lam_page_sections sections = nested_page(two_rows, stated_rows);
        lam_hand_made_data(&made, &sections);
        pages[1].offset = (int64_t)(LAM_SAMPLE_OFFSET + made.pages.size);
        lam_hand_made_data(&made, &sections);
        pages[1].first_row_index = 2;
        for (uint64_t row = 1; row < 4; row++) {
            pages[1].first_row_index = 2;
            cr_assert_eq(skip(&made, 8, 4, row, pages, 2, true), LAM_STATUS_OK);
            pages[1].first_row_index = 3;
            cr_assert_eq(skip(&made, 8, 4, row, pages, 2, false), LAM_STATUS_OK);
            cr_assert_eq(skip(&made, 8, 4, row, pages, 2, true), LAM_STATUS_CORRUPT);
        }
        lam_hand_made_finish(&made);
    }
}
