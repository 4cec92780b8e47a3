/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wanted rows of one leaf in one row group after the other: moves a column cursor over the
 * ranges of the scan, and lends the triples of their rows.
 */
#ifndef LAM_SCAN_EVALUATE_LEAF_ROWS_H
#define LAM_SCAN_EVALUATE_LEAF_ROWS_H

#include "chunk/read/column_cursor.h"
#include "scan/prune/row_ranges.h"

/* One projected leaf, and how far its wanted rows are read. */
typedef struct lam_leaf_rows {
    const lam_row_ranges *ranges; /* of the scan; borrowed */
    size_t leaf_index;
    lam_column_cursor *cursor;  /* NULL if the open row group does not need it */
    lam_column_cursor *resting; /* in its place between ranges that are given one by one */
    uint64_t row_groups;        /* in which it was opened so far */
    uint64_t row_count;         /* of the open row group, as the footer states it */
    size_t range;               /* index of the next range */
    uint64_t rows_left;         /* of the open range */
} lam_leaf_rows;

/* Starts before the first range of a row group with a cursor, which becomes its own. */
void lam_leaf_rows_start(lam_leaf_rows *rows, lam_column_cursor *cursor, uint64_t row_count);
void lam_leaf_rows_stop(lam_leaf_rows *rows);
/* Puts the cursor aside, after the rows read from the ranges. */
void lam_leaf_rows_rest(lam_leaf_rows *rows);
/* Starts before the first of other ranges, further on, with the cursor that rests; false: none. */
bool lam_leaf_rows_resume(lam_leaf_rows *rows);

/*
 * Lends the next batch of wanted triples, as the `read` of a lam_triple_source whose state is a
 * lam_leaf_rows; count 0 after the last range.
 */
lam_status lam_leaf_rows_read(void *state, lam_triples *ret_triples, lam_error *error);
/* The same as lam_column_cursor_read_entries does. */
lam_status lam_leaf_rows_read_entries(lam_leaf_rows *rows, lam_triples *ret_triples,
                                      bool *ret_indexes, lam_error *error);

#endif
