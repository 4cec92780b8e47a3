/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares columns of two files, pair by pair of leaves, without making records, and finds the rows
 * that may differ. Pages, row groups, encodings and codecs of both files may differ; levels and
 * values are compared as they come out of the pages. The invariant: a row that is not marked has
 * equal levels and equal bytes of values in every pair, so that it prints alike. A marked one may
 * still be equal (two NaNs with other bits). Two column chunks are open at a time.
 */
#include <lamella/column.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

enum {
    BLOCK = 4096,          /* triples that are compared at once */
    BITS_MOST = 1 << 23,   /* of rows that may differ */
    SHIFTED_ROWS = 1 << 16 /* from this many rows on, half of them different, files are shifted */
};

/* The position in one file's column. */
typedef struct column_cursor {
    const diff_file *file;
    const lam_field *leaf;
    const uint8_t *depth; /* by definition level */
    size_t row_group;     /* the next to open */
    size_t value_size;    /* 0: lam_bytes */
    uint8_t max_definition;
    lam_column_reader *column;
    lam_triples run;
    size_t at;    /* triples of the run that are consumed */
    size_t value; /* values of them */
    bool is_over;
} column_cursor;

static size_t size_of_values(const lam_field *leaf) {
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BYTE_ARRAY:
        return 0;
    case LAM_PHYSICAL_BOOLEAN:
        return 1;
    default:
        return (size_t)lam_field_type_length(leaf);
    }
}

static int cursor_fail(column_cursor *cursor, const lam_error *error) {
    (void)tool_fail(cursor->file->name, error);
    return DIFF_TROUBLE;
}

/* Makes sure that there is a triple, unless the column has ended. */
static int cursor_fill(column_cursor *cursor) {
    lam_error error = lam_error_none();
    while (cursor->at == cursor->run.count && !cursor->is_over) {
        if (cursor->column == NULL) {
            cursor->is_over = cursor->row_group >= lam_reader_row_group_count(cursor->file->reader);
            if (cursor->is_over)
                break;
            if (lam_column_reader_open(cursor->file->reader, cursor->row_group,
                                       lam_field_first_leaf(cursor->leaf), &cursor->column,
                                       &error) != LAM_STATUS_OK)
                return cursor_fail(cursor, &error);
            cursor->row_group++;
        }
        cursor->at = cursor->value = 0;
        if (lam_column_reader_read(cursor->column, SIZE_MAX, &cursor->run, &error) !=
            LAM_STATUS_OK) {
            cursor->run.count = 0;
            return cursor_fail(cursor, &error);
        }
        if (cursor->run.count == 0) {
            lam_column_reader_close(cursor->column);
            cursor->column = NULL;
        }
    }
    return TOOL_OK;
}

static uint8_t repetition_at(const column_cursor *cursor, size_t index) {
    return cursor->run.repetition == NULL ? 0 : cursor->run.repetition[index];
}

static uint8_t definition_at(const column_cursor *cursor, size_t index) {
    return cursor->run.definition == NULL ? cursor->max_definition : cursor->run.definition[index];
}

static void cursor_advance(column_cursor *cursor, size_t count, size_t values) {
    cursor->at += count;
    cursor->value += values;
}

static void cursor_step(column_cursor *cursor) {
    cursor_advance(cursor, 1, definition_at(cursor, cursor->at) == cursor->max_definition);
}

/* Passes the remainder of a row, or `rows` complete rows. */
static int cursor_skip_row(column_cursor *cursor) {
    int result = cursor_fill(cursor);
    while (result == TOOL_OK && !cursor->is_over && repetition_at(cursor, cursor->at) != 0) {
        cursor_step(cursor);
        result = cursor_fill(cursor);
    }
    return result;
}

static int cursor_skip_rows(column_cursor *cursor, uint64_t rows) {
    lam_error error = lam_error_none();
    lam_row_group_info info = lam_row_group_info_default();
    while (rows > 0 && cursor->row_group < lam_reader_row_group_count(cursor->file->reader)) {
        if (lam_reader_row_group(cursor->file->reader, cursor->row_group, &info, &error) !=
            LAM_STATUS_OK)
            return cursor_fail(cursor, &error);
        if (info.row_count > rows)
            break;
        rows -= info.row_count;
        cursor->row_group++;
    }
    int result = cursor_fill(cursor);
    for (; result == TOOL_OK && !cursor->is_over && rows > 0; rows--) {
        cursor_step(cursor);
        result = cursor_skip_row(cursor);
    }
    return result;
}

/* --- Comparing ----------------------------------------------------------------------------- */

typedef struct comparison {
    column_cursor a, b;
    diff_dirt *dirt;
    bool has_same_levels; /* definition levels of both mean the same */
    uint64_t rows;        /* begun */
    uint64_t dirty_rows;
} comparison;

static void mark_row(comparison *c) {
    uint64_t bit = (c->rows - 1) >> c->dirt->shift;
    if (c->rows - 1 >= c->dirt->clean_end)
        return;
    c->dirty_rows++;
    c->dirt->bits[bit / 8] |= (uint8_t)(1u << (bit % 8));
}

static size_t count_equal(const uint8_t *levels, size_t count, uint8_t level) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += levels[i] == level;
    return found;
}

static bool has_equal_repetitions(const comparison *c, size_t count) {
    const uint8_t *a = c->a.run.repetition, *b = c->b.run.repetition;
    if (a != NULL && b != NULL)
        return memcmp(a + c->a.at, b + c->b.at, count) == 0;
    if (a != NULL)
        return count_equal(a + c->a.at, count, 0) == count;
    return b == NULL || count_equal(b + c->b.at, count, 0) == count;
}

static bool has_equal_definitions(const comparison *c, size_t count) {
    const uint8_t *a = c->a.run.definition, *b = c->b.run.definition;
    if (a == NULL && b == NULL)
        return true;
    if (a != NULL && b != NULL && c->has_same_levels)
        return memcmp(a + c->a.at, b + c->b.at, count) == 0;
    for (size_t i = 0; i < count; i++)
        if (c->a.depth[definition_at(&c->a, c->a.at + i)] !=
            c->b.depth[definition_at(&c->b, c->b.at + i)])
            return false;
    return true;
}

static bool has_equal_values(const comparison *c, size_t count) {
    if (count == 0)
        return true;
    if (c->a.value_size > 0)
        return memcmp((const uint8_t *)c->a.run.values + c->a.value * c->a.value_size,
                      (const uint8_t *)c->b.run.values + c->b.value * c->b.value_size,
                      count * c->a.value_size) == 0;
    const lam_bytes *a = (const lam_bytes *)c->a.run.values + c->a.value;
    const lam_bytes *b = (const lam_bytes *)c->b.run.values + c->b.value;
    for (size_t i = 0; i < count; i++)
        if (a[i].size != b[i].size || (a[i].size > 0 && a[i].data != b[i].data &&
                                       memcmp(a[i].data, b[i].data, a[i].size) != 0))
            return false;
    return true;
}

static size_t values_among(const column_cursor *cursor, size_t count) {
    if (cursor->run.definition == NULL)
        return count;
    return count_equal(cursor->run.definition + cursor->at, count, cursor->max_definition);
}

/* Passes a block of triples if they are all equal. */
static bool pass_equal_block(comparison *c, size_t count) {
    if (!has_equal_repetitions(c, count) || !has_equal_definitions(c, count))
        return false;
    size_t values = values_among(&c->a, count);
    if (!has_equal_values(c, values))
        return false;
    c->rows +=
        c->a.run.repetition == NULL ? count : count_equal(c->a.run.repetition + c->a.at, count, 0);
    cursor_advance(&c->a, count, values);
    cursor_advance(&c->b, count, values);
    return true;
}

/* Compares one triple of each; the remainder of a row that differs is passed over. */
static int compare_triple(comparison *c) {
    uint8_t a = repetition_at(&c->a, c->a.at), b = repetition_at(&c->b, c->b.at);
    bool is_equal = a == b;
    if (is_equal) {
        c->rows += a == 0;
        bool has_value = definition_at(&c->a, c->a.at) == c->a.max_definition;
        is_equal = has_equal_definitions(c, 1) && (!has_value || has_equal_values(c, 1));
        cursor_step(&c->a);
        cursor_step(&c->b);
    }
    if (is_equal)
        return TOOL_OK;
    mark_row(c);
    int result = cursor_skip_row(&c->a);
    return result == TOOL_OK ? cursor_skip_row(&c->b) : result;
}

/* Compares up to a block, or as much as both have in memory. */
static int compare_block(comparison *c) {
    size_t left_a = c->a.run.count - c->a.at, left_b = c->b.run.count - c->b.at;
    size_t count = left_a < left_b ? left_a : left_b;
    count = count < BLOCK ? count : BLOCK;
    if (pass_equal_block(c, count))
        return TOOL_OK;
    int result = TOOL_OK;
    for (size_t i = 0; i < count && result == TOOL_OK; i++) {
        result = cursor_fill(&c->a);
        if (result == TOOL_OK)
            result = cursor_fill(&c->b);
        if (result != TOOL_OK || c->a.is_over || c->b.is_over)
            break;
        result = compare_triple(c);
    }
    return result;
}

/* When most rows after the first that differs differ, too, no column needs to continue after it. */
static bool is_shifted(comparison *c) {
    uint64_t first, end;
    if (c->dirty_rows < SHIFTED_ROWS / 2 || !diff_dirt_next(c->dirt, 0, &first, &end) ||
        c->dirty_rows < (c->rows - first) / 2)
        return false;
    c->dirt->clean_end = first;
    return true;
}

static int compare_all(comparison *c) {
    int result = TOOL_OK;
    uint64_t next_check = SHIFTED_ROWS;
    while (result == TOOL_OK) {
        result = cursor_fill(&c->a);
        if (result == TOOL_OK)
            result = cursor_fill(&c->b);
        if (result != TOOL_OK || c->rows > c->dirt->clean_end)
            break;
        if (c->a.is_over || c->b.is_over) {
            /* The remainder that one has of a row that the other ended. */
            if (c->rows > 0 && ((!c->a.is_over && repetition_at(&c->a, c->a.at) != 0) ||
                                (!c->b.is_over && repetition_at(&c->b, c->b.at) != 0)))
                mark_row(c);
            break;
        }
        if (c->rows >= next_check && is_shifted(c))
            break;
        next_check = c->rows >= next_check ? c->rows + SHIFTED_ROWS : next_check;
        result = compare_block(c);
    }
    return result;
}

static column_cursor cursor_begin(const diff_match *match, const diff_pair *pair, int side) {
    const diff_file *file = &match->files[side];
    const lam_field *leaf = lam_schema_leaf(file->schema, pair->leaves[side]);
    column_cursor cursor = {.file = file,
                            .leaf = leaf,
                            .depth = pair->depth[side],
                            .value_size = size_of_values(leaf),
                            .max_definition = lam_field_max_definition(leaf)};
    return cursor;
}

static int compare_pair(const diff_match *match, const diff_pair *pair, diff_dirt *dirt) {
    comparison c = {
        .a = cursor_begin(match, pair, 0), .b = cursor_begin(match, pair, 1), .dirt = dirt};
    c.has_same_levels = c.a.max_definition == c.b.max_definition &&
                        memcmp(c.a.depth, c.b.depth, c.a.max_definition + (size_t)1) == 0;
    int result = cursor_skip_rows(&c.a, dirt->first[0]);
    if (result == TOOL_OK)
        result = cursor_skip_rows(&c.b, dirt->first[1]);
    if (result == TOOL_OK)
        result = compare_all(&c);
    lam_column_reader_close(c.a.column);
    lam_column_reader_close(c.b.column);
    return result;
}

int diff_compare_columns(const diff_match *match, uint64_t first_a, uint64_t first_b,
                         diff_dirt *ret_dirt) {
    uint64_t left_a = match->files[0].rows - first_a, left_b = match->files[1].rows - first_b;
    diff_dirt dirt = {.first = {first_a, first_b}, .rows = left_a < left_b ? left_a : left_b};
    dirt.clean_end = match->has_all_pairs ? dirt.rows : 0;
    while (dirt.rows >> dirt.shift > BITS_MOST)
        dirt.shift++;
    dirt.bits = tool_allocate((size_t)((dirt.rows >> dirt.shift) / 8 + 1), 1);
    *ret_dirt = dirt;
    int result = TOOL_OK;
    for (size_t i = 0; i < match->pair_count && result == TOOL_OK && ret_dirt->clean_end > 0; i++)
        result = compare_pair(match, &match->pairs[i], ret_dirt);
    return result;
}

static bool is_dirty(const diff_dirt *dirt, uint64_t row) {
    uint64_t bit = row >> dirt->shift;
    return row >= dirt->clean_end || (dirt->bits[bit / 8] >> (bit % 8) & 1) != 0;
}

/* The first row after the bit of a row; after eight bits if these are `same`. */
static uint64_t pass_bits(const diff_dirt *dirt, uint64_t row, uint8_t same) {
    const uint64_t bit = row >> dirt->shift;
    const uint64_t next = bit % 8 == 0 && dirt->bits[bit / 8] == same ? bit + 8 : bit + 1;
    const uint64_t first = next << dirt->shift;
    return first < dirt->clean_end ? first : dirt->clean_end;
}

/* Bits are passed, not rows: there may be 2^40 of these, and no bytes of a file that ended it. */
bool diff_dirt_next(const diff_dirt *dirt, uint64_t from, uint64_t *ret_first, uint64_t *ret_end) {
    while (from < dirt->clean_end && !is_dirty(dirt, from))
        from = pass_bits(dirt, from, 0);
    if (from >= dirt->rows)
        return false;
    *ret_first = from;
    while (from < dirt->clean_end && is_dirty(dirt, from))
        from = pass_bits(dirt, from, 0xFF);
    *ret_end = from >= dirt->clean_end ? dirt->rows : from;
    return true;
}

void diff_dirt_finish(diff_dirt *dirt) {
    free(dirt->bits);
    dirt->bits = NULL;
}
