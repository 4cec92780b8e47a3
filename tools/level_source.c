/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns as the commands on levels read them. In: a reader or a shredder, a leaf and a range of
 * records. Out: runs of triples that are cut to the range. The invariant: a record begins where the
 * repetition level is 0, and the first record of a row group has the number of all rows before it,
 * as the footer states them.
 */
#include "level_source.h"

unsigned level_repetition(const lam_triples *run, size_t index) {
    return run->repetition == NULL ? 0 : run->repetition[index];
}

unsigned level_definition(const lam_triples *run, const lam_field *leaf, size_t index) {
    return run->definition == NULL ? lam_field_max_definition(leaf) : run->definition[index];
}

uint64_t level_source_end(const level_source *source) {
    return source->reader != NULL ? lam_reader_row_count(source->reader)
                                  : source->first + lam_shredder_record_count(source->shredder);
}

/* Bytes of one element of lam_triples.values. */
static size_t element_size(const lam_field *leaf) {
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BYTE_ARRAY:
        return sizeof(lam_bytes);
    default:
        return (size_t)lam_field_type_length(leaf);
    }
}

static size_t count_values(const lam_triples *run, const lam_field *leaf, size_t begin,
                           size_t end) {
    unsigned max_d = lam_field_max_definition(leaf);
    size_t count = 0;
    if (run->definition == NULL)
        return end - begin;
    for (size_t i = begin; i < end; i++)
        count += run->definition[i] == max_d;
    return count;
}

static lam_triples slice(const lam_triples *run, const lam_field *leaf, size_t begin, size_t end) {
    size_t passed = count_values(run, leaf, 0, begin);
    lam_triples part = *run;
    part.count = end - begin;
    part.value_count = count_values(run, leaf, begin, end);
    if (part.repetition != NULL)
        part.repetition += begin;
    if (part.definition != NULL)
        part.definition += begin;
    if (part.values != NULL)
        part.values = (const uint8_t *)part.values + passed * element_size(leaf);
    return part;
}

level_cursor level_cursor_start(const level_source *source, const lam_field *leaf,
                                level_range range) {
    level_cursor cursor = {source, leaf, range, NULL, 0, 0, 0, range.count == 0};
    return cursor;
}

void level_cursor_end(level_cursor *cursor) {
    lam_column_reader_close(cursor->column);
    cursor->column = NULL;
}

/* Opens the column chunk of the next row group that has records of the range. */
static lam_status open_group(level_cursor *cursor, uint64_t *next_first, lam_error *error) {
    const lam_reader *reader = cursor->source->reader;
    while (cursor->row_group < lam_reader_row_group_count(reader)) {
        lam_row_group_info info = {sizeof info, 0, 0, 0, 0, 0, 0};
        size_t group = cursor->row_group++;
        lam_status status = lam_reader_row_group(reader, group, &info, error);
        if (status != LAM_STATUS_OK)
            return status;
        cursor->group_first = *next_first;
        *next_first += info.row_count;
        if (*next_first <= cursor->range.first)
            continue;
        cursor->begun = 0;
        return lam_column_reader_open(reader, group, lam_field_first_leaf(cursor->leaf),
                                      &cursor->column, error);
    }
    cursor->is_over = true;
    return LAM_STATUS_OK;
}

/* The rows of the row groups that were opened or passed. */
static lam_status rows_before(const level_cursor *cursor, uint64_t *ret_rows, lam_error *error) {
    *ret_rows = 0;
    for (size_t i = 0; i < cursor->row_group; i++) {
        lam_row_group_info info = {sizeof info, 0, 0, 0, 0, 0, 0};
        lam_status status = lam_reader_row_group(cursor->source->reader, i, &info, error);
        if (status != LAM_STATUS_OK)
            return status;
        *ret_rows += info.row_count;
    }
    return LAM_STATUS_OK;
}

static lam_status next_run(level_cursor *cursor, lam_triples *ret_run, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    uint64_t rows;
    ret_run->count = 0;
    while (status == LAM_STATUS_OK && !cursor->is_over) {
        if (cursor->column == NULL) {
            status = rows_before(cursor, &rows, error);
            if (status == LAM_STATUS_OK)
                status = open_group(cursor, &rows, error);
            continue;
        }
        status = lam_column_reader_read(cursor->column, SIZE_MAX, ret_run, error);
        if (status != LAM_STATUS_OK || ret_run->count > 0)
            return status;
        level_cursor_end(cursor);
    }
    return status;
}

/* The records of a shredder are one run. */
static void shredder_run(level_cursor *cursor, lam_triples *ret_run) {
    cursor->is_over = true;
    cursor->group_first = cursor->source->first;
    *ret_run = lam_shredder_triples(cursor->source->shredder, lam_field_first_leaf(cursor->leaf));
}

/* Cuts a run to the range; `*ret_record` is the record of its first triple. */
static void cut(level_cursor *cursor, lam_triples *run, uint64_t *ret_record) {
    uint64_t first = cursor->range.first, count = cursor->range.count;
    size_t begin = run->count, end = run->count;
    for (size_t i = 0; i < end; i++) {
        cursor->begun += level_repetition(run, i) == 0;
        uint64_t record = cursor->group_first + (cursor->begun == 0 ? 0 : cursor->begun - 1);
        if (record < first)
            continue;
        if (record - first >= count) {
            cursor->is_over = true;
            end = i;
        } else if (begin > i) {
            begin = i;
            *ret_record = record;
        }
    }
    *run = slice(run, cursor->leaf, begin < end ? begin : end, end);
}

lam_status level_cursor_read(level_cursor *cursor, lam_triples *ret_run, uint64_t *ret_record,
                             lam_error *error) {
    lam_triples run = {0};
    while (!cursor->is_over && run.count == 0) {
        if (cursor->source->reader == NULL) {
            shredder_run(cursor, &run);
        } else {
            lam_status status = next_run(cursor, &run, error);
            if (status != LAM_STATUS_OK)
                return status;
        }
        cut(cursor, &run, ret_record);
    }
    *ret_run = run;
    return LAM_STATUS_OK;
}

static lam_status read_source(void *state, lam_triples *ret_triples, lam_error *error) {
    uint64_t record = 0;
    return level_cursor_read(state, ret_triples, &record, error);
}

lam_triple_source level_cursor_source(level_cursor *cursor) {
    lam_triple_source source = {cursor, read_source};
    return source;
}
