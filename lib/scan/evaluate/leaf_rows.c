/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the wanted rows of one leaf: takes ranges of rows, and gives batches of their triples; the
 * column cursor skips the rows between the ranges.
 *
 * Each leaf moves over the ranges independently; so leaves are at different ranges, but all give
 * triples of the same records. The invariant: a range is read to the end of its last record before
 * the next one begins.
 */
#include "scan/evaluate/leaf_rows.h"

#include "base/error.h"

void lam_leaf_rows_start(lam_leaf_rows *rows, lam_column_cursor *cursor, uint64_t row_count) {
    rows->cursor = cursor;
    rows->row_count = row_count;
    rows->row_groups++;
    rows->range = 0;
    rows->rows_left = 0;
}

void lam_leaf_rows_stop(lam_leaf_rows *rows) {
    lam_column_cursor_destroy(rows->cursor);
    lam_column_cursor_destroy(rows->resting);
    rows->cursor = NULL;
    rows->resting = NULL;
}

void lam_leaf_rows_rest(lam_leaf_rows *rows) {
    if (rows->cursor == NULL)
        return;
    rows->resting = rows->cursor;
    rows->cursor = NULL;
}

bool lam_leaf_rows_resume(lam_leaf_rows *rows) {
    if (rows->resting == NULL)
        return false;
    rows->cursor = rows->resting;
    rows->resting = NULL;
    rows->range = 0;
    rows->rows_left = 0;
    return true;
}

/* Skips to the next range of wanted rows; false if there is none. */
static lam_status next_range(lam_leaf_rows *rows, bool *ret_more, lam_error *error) {
    *ret_more = rows->range < lam_row_ranges_count(rows->ranges);
    if (!*ret_more)
        return LAM_STATUS_OK;
    lam_row_range range = lam_row_ranges_at(rows->ranges, rows->range++);
    LAM_TRY(lam_column_cursor_skip_to(rows->cursor, range.begin, error));
    rows->rows_left = range.end - range.begin;
    if (range.end == rows->row_count)
        rows->rows_left = UINT64_MAX; /* to the end, so that a chunk of too many rows shows */
    return LAM_STATUS_OK;
}

/* Reads as values if the caller takes no indexes. */
static lam_status read_wanted(lam_leaf_rows *rows, lam_triples *ret_triples, bool *ret_indexes,
                              lam_error *error) {
    bool more = true;
    lam_triples triples = {0};
    while (more) {
        if (ret_indexes == NULL)
            LAM_TRY(lam_column_cursor_read_rows(rows->cursor, SIZE_MAX, &rows->rows_left, &triples,
                                                error));
        else
            LAM_TRY(lam_column_cursor_read_entries(rows->cursor, SIZE_MAX, &rows->rows_left,
                                                   &triples, ret_indexes, error));
        if (triples.count > 0)
            break;
        LAM_TRY(next_range(rows, &more, error));
    }
    *ret_triples = triples;
    return LAM_STATUS_OK;
}

lam_status lam_leaf_rows_read(void *state, lam_triples *ret_triples, lam_error *error) {
    return read_wanted(state, ret_triples, NULL, error);
}

lam_status lam_leaf_rows_read_entries(lam_leaf_rows *rows, lam_triples *ret_triples,
                                      bool *ret_indexes, lam_error *error) {
    return read_wanted(rows, ret_triples, ret_indexes, error);
}
