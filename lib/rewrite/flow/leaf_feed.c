/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the wanted rows of a leaf in batches of as many rows as all other leaves: a cursor of the
 * source's chunk, ranges of rows, and the map to the target give triples of the target.
 *
 *     page    | 0 1 2 3 4 | 5 6 7 ...        batches of 4 rows
 *     lent      0 1 2 3     .                is in one page: as the cursor lends it
 *     copied            4 5 6 7              from two pages: gathered in memory
 *
 * The invariant: a batch has complete records, as many as its ranges have rows. Leaves that repeat
 * are always gathered, as the end of a record only shows when the next one begins.
 */
#include "rewrite/flow/leaf_feed.h"

#include <inttypes.h>

#include "base/error.h"
#include "schema/leaf_error.h"

void lam_leaf_feed_init(lam_leaf_feed *feed, const lam_leaf_map *map,
                        const lam_allocator *allocator) {
    memset(feed, 0, sizeof *feed);
    feed->map = map;
    feed->allocator = *allocator;
    lam_leaf_scratch_init(&feed->scratch, allocator);
}

void lam_leaf_feed_finish(lam_leaf_feed *feed) {
    lam_leaf_feed_stop(feed);
    if (feed->map != NULL)
        lam_leaf_scratch_finish(&feed->scratch);
    if (feed->has_rows)
        lam_column_buffer_finish(&feed->rows);
    feed->has_rows = false;
}

void lam_leaf_feed_start(lam_leaf_feed *feed, lam_column_cursor *cursor, const lam_field *source) {
    feed->cursor = cursor;
    feed->source = source;
    if (cursor == NULL || feed->has_rows)
        return;
    lam_column_buffer_init(&feed->rows, source, &feed->allocator);
    feed->has_rows = true;
}

void lam_leaf_feed_stop(lam_leaf_feed *feed) {
    lam_column_cursor_destroy(feed->cursor);
    feed->cursor = NULL;
}

/* --- Gathering ----------------------------------------------------------------------------- */

/* Levels that a run leaves out are all 0, or all the leaf's maximum. */
static void append_levels(uint8_t *to, const uint8_t *from, size_t count, uint8_t otherwise) {
    if (from != NULL)
        memcpy(to, from, count);
    else
        memset(to, otherwise, count);
}

/* The elements of byte arrays are views of bytes that are copied, too. */
static lam_status append_values(lam_column_buffer *column, const lam_triples *triples,
                                lam_error *error) {
    size_t size = column->element_size;
    while (column->value_capacity - column->value_count < triples->value_count)
        LAM_TRY(lam_column_grow_values(column, error));
    if (triples->value_count == 0) /* the column may have no memory for values yet */
        return LAM_STATUS_OK;
    uint8_t *to = column->values + column->value_count * size;
    if (column->physical_type != LAM_PHYSICAL_BYTE_ARRAY) {
        memcpy(to, triples->values, triples->value_count * size);
        return LAM_STATUS_OK;
    }
    const lam_bytes *from = triples->values;
    lam_bytes *views = (lam_bytes *)(void *)to;
    for (size_t i = 0; i < triples->value_count; i++) {
        views[i].size = from[i].size;
        LAM_TRY(
            lam_byte_store_push(&column->bytes, from[i], column->allocator, &views[i].data, error));
    }
    return LAM_STATUS_OK;
}

lam_status lam_triples_append(lam_column_buffer *column, const lam_triples *triples,
                              lam_error *error) {
    while (column->capacity - column->count < triples->count)
        LAM_TRY(lam_column_grow_levels(column, error));
    LAM_TRY(append_values(column, triples, error));
    if (column->repetition != NULL)
        append_levels(column->repetition + column->count, triples->repetition, triples->count, 0);
    if (column->definition != NULL)
        append_levels(column->definition + column->count, triples->definition, triples->count,
                      column->max_definition);
    column->count += triples->count;
    column->value_count += triples->value_count;
    return LAM_STATUS_OK;
}

/* Empties the column and keeps its memory. */
static void empty_column(lam_column_buffer *column) {
    memset(&column->mark, 0, sizeof column->mark);
    lam_column_rewind(column);
}

/* --- Reading ------------------------------------------------------------------------------- */

static lam_status fail_short(const lam_leaf_feed *feed, uint64_t missing, lam_error *error) {
    lam_status status = lam_error_set(error, LAM_ERROR_CODE_CHUNK_ROWS,
                                      "the chunk ends %" PRIu64 " rows too early", missing);
    lam_error_of_leaf(error, feed->source);
    return status;
}

/* Appends the rows of one range; the cursor is before it. */
static lam_status gather_range(lam_leaf_feed *feed, uint64_t rows, lam_error *error) {
    lam_triples triples;
    while (rows > 0) {
        LAM_TRY(lam_column_cursor_read_rows(feed->cursor, SIZE_MAX, &rows, &triples, error));
        /* unreachable: the cursor itself refuses a chunk of fewer rows than its row group */
        if (triples.count == 0)
            return fail_short(feed, rows, error);
        LAM_TRY(lam_triples_append(&feed->rows, &triples, error));
    }
    while (feed->rows.max_repetition > 0) {
        LAM_TRY(lam_column_cursor_read_rows(feed->cursor, SIZE_MAX, &rows, &triples, error));
        if (triples.count == 0)
            break;
        LAM_TRY(lam_triples_append(&feed->rows, &triples, error));
    }
    return LAM_STATUS_OK;
}

/* Lends values that are in one piece, or gathers them. */
static lam_status read_source(lam_leaf_feed *feed, const lam_row_range *ranges, size_t range_count,
                              lam_triples *ret_triples, lam_error *error) {
    lam_triples triples;
    uint64_t left = ranges[0].end - ranges[0].begin;
    empty_column(&feed->rows);
    LAM_TRY(lam_column_cursor_skip_to(feed->cursor, ranges[0].begin, error));
    if (range_count == 1 && feed->source->max_repetition == 0) {
        LAM_TRY(lam_column_cursor_read_rows(feed->cursor, SIZE_MAX, &left, &triples, error));
        /* unreachable: likewise */
        if (triples.count == 0)
            return fail_short(feed, left, error);
        if (left == 0) {
            *ret_triples = triples;
            return LAM_STATUS_OK;
        }
        LAM_TRY(lam_triples_append(&feed->rows, &triples, error));
    }
    LAM_TRY(gather_range(feed, left, error));
    for (size_t i = 1; i < range_count; i++) {
        LAM_TRY(lam_column_cursor_skip_to(feed->cursor, ranges[i].begin, error));
        LAM_TRY(gather_range(feed, ranges[i].end - ranges[i].begin, error));
    }
    *ret_triples = lam_column_triples(&feed->rows, feed->rows.count, feed->rows.value_count);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_feed_read(lam_leaf_feed *feed, const lam_row_range *ranges, size_t range_count,
                              uint64_t rows, lam_triples *ret_triples, lam_error *error) {
    lam_triples triples;
    size_t position;
    if (feed->cursor == NULL)
        return lam_leaf_map_nulls(feed->map, (size_t)rows, &feed->scratch, ret_triples, error);
    LAM_TRY(read_source(feed, ranges, range_count, &triples, error));
    if (feed->map->is_same) {
        *ret_triples = triples;
        return LAM_STATUS_OK;
    }
    return lam_leaf_map_apply(feed->map, &triples, &feed->scratch, ret_triples, &position, error);
}

/* --- Pace ---------------------------------------------------------------------------------- */

enum { PACE_FIRST_ROWS = 16, PACE_SHARE = 32 };

lam_feed_pace lam_feed_pace_start(uint64_t bound, uint64_t most) {
    lam_feed_pace pace = {most, most, bound / PACE_SHARE};
    if (bound != 0 && most > PACE_FIRST_ROWS)
        pace.rows = PACE_FIRST_ROWS;
    return pace;
}

void lam_feed_pace_note(lam_feed_pace *pace, uint64_t bytes) {
    if (pace->bytes == 0)
        return;
    if (bytes > pace->bytes)
        pace->rows = pace->rows > 1 ? pace->rows / 2 : 1;
    else if (bytes < pace->bytes / 2)
        pace->rows = pace->rows < pace->most / 2 ? 2 * pace->rows : pace->most;
}

uint64_t lam_feed_byte_count(const lam_field *leaf, const lam_triples *triples) {
    uint64_t bytes = 2 * (uint64_t)triples->count;
    if (leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
        return bytes + (uint64_t)triples->value_count * lam_field_type_length(leaf);
    const lam_bytes *values = triples->values;
    for (size_t i = 0; i < triples->value_count; i++)
        bytes += sizeof *values + values[i].size;
    return bytes;
}
