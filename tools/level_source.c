/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads columns for the commands on levels: from a reader or a shredder, runs of a leaf's triples
 * that are cut to a range of records. The invariant: a record begins where the repetition level is
 * 0, and the first record of a row group has the number of all rows before it, as the footer states
 * them.
 */
#include "level_source.h"

#include <stdio.h>

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

/* `passed` values come before the triple `begin`. */
static lam_triples slice(const lam_triples *run, const lam_field *leaf, size_t begin, size_t end,
                         size_t passed) {
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
    level_cursor cursor = {source, leaf, range, NULL, 0, 0, 0, 0, 0, 0, 0, range.count == 0};
    return cursor;
}

void level_cursor_end(level_cursor *cursor) {
    lam_column_reader_close(cursor->column);
    cursor->column = NULL;
}

/* Opens the column chunk of the next row group that has records of the range. */
static lam_status open_group(level_cursor *cursor, lam_error *error) {
    const lam_reader *reader = cursor->source->reader;
    while (cursor->row_group < lam_reader_row_group_count(reader)) {
        lam_row_group_info info = {sizeof info, 0, 0, 0, 0, 0, 0};
        size_t group = cursor->row_group++;
        lam_status status = lam_reader_row_group(reader, group, &info, error);
        if (status != LAM_STATUS_OK)
            return status;
        cursor->group_first = cursor->next_first;
        cursor->next_first += info.row_count;
        if (cursor->next_first <= cursor->range.first)
            continue;
        cursor->begun = 0;
        return lam_column_reader_open(reader, group, lam_field_first_leaf(cursor->leaf),
                                      &cursor->column, error);
    }
    cursor->is_over = true;
    return LAM_STATUS_OK;
}

static lam_status next_run(level_cursor *cursor, lam_triples *ret_run, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    ret_run->count = 0;
    while (status == LAM_STATUS_OK && !cursor->is_over) {
        if (cursor->column == NULL) {
            status = open_group(cursor, error);
            continue;
        }
        status = lam_column_reader_read(cursor->column, SIZE_MAX, ret_run, error);
        if (status != LAM_STATUS_OK || ret_run->count > 0)
            return status;
        level_cursor_end(cursor);
    }
    return status;
}

/* The next triples of a shredder, few at a time, so that a stop takes effect soon. */
static lam_status shredder_run(level_cursor *cursor, lam_triples *ret_run, lam_error *error) {
    enum { TRIPLES_AT_ONCE = 4096 };
    const level_source *source = cursor->source;
    const lam_field *leaf = cursor->leaf;
    lam_triples all = lam_shredder_triples(source->shredder, lam_field_first_leaf(leaf));
    size_t left = all.count - cursor->triple;
    size_t end = cursor->triple + (left < TRIPLES_AT_ONCE ? left : TRIPLES_AT_ONCE);
    if (source->stop != NULL && lam_stop_is_due(source->stop)) {
        *error = lam_error_none();
        error->status = LAM_STATUS_CANCELLED;
        snprintf(error->message, sizeof error->message, "the time limit has expired");
        return LAM_STATUS_CANCELLED;
    }
    cursor->group_first = source->first;
    *ret_run = slice(&all, leaf, cursor->triple, end, cursor->value);
    cursor->triple = end;
    cursor->value += ret_run->value_count;
    cursor->is_over = end == all.count;
    return LAM_STATUS_OK;
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
    begin = begin < end ? begin : end;
    if (cursor->source->triples_most > 0 &&
        end - begin >= cursor->source->triples_most - cursor->given) {
        end = begin + (size_t)(cursor->source->triples_most - cursor->given);
        cursor->is_over = true;
    }
    *run = slice(run, cursor->leaf, begin, end, count_values(run, cursor->leaf, 0, begin));
    cursor->given += run->count;
}

lam_status level_cursor_read(level_cursor *cursor, lam_triples *ret_run, uint64_t *ret_record,
                             lam_error *error) {
    lam_triples run = {0};
    while (!cursor->is_over && run.count == 0) {
        lam_status status = cursor->source->reader == NULL ? shredder_run(cursor, &run, error)
                                                           : next_run(cursor, &run, error);
        if (status != LAM_STATUS_OK)
            return status;
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
