/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves over ranges of wanted rows in batches of rows to read together. Rows between ranges that
 * are close to each other cost less to read and drop than to skip. In a flat leaf, a row is found
 * by its position: there the batch may have any gaps.
 *
 *     ranges      [10, 11)  [13, 15)  [20, 21)           [900, 5000)
 *     batches      10 .................. 20  marked      900 ... 4999  whole
 *     marks         1 0 0 1 1 0 0 0 0 0 1
 */
#ifndef LAM_SCAN_EVALUATE_ROW_CURSOR_H
#define LAM_SCAN_EVALUATE_ROW_CURSOR_H

#include "scan/prune/row_ranges.h"

enum {
    LAM_ROW_BATCH_ROWS = 4096, /* of one that is marked */
    LAM_ROW_OFFSETS_SLACK = 8  /* offsets that may be written after those of the batch */
};

typedef struct lam_row_batch {
    uint64_t begin;
    uint64_t rows;        /* 0: no row is left */
    uint64_t wanted_rows; /* the first and the last row at least */
    bool is_whole;        /* all are wanted */
} lam_row_batch;

typedef struct lam_row_cursor {
    const lam_row_ranges *ranges; /* borrowed */
    size_t next;                  /* index of the range that is open or comes next */
    uint64_t row;                 /* rows before this one are done */
    /*
     * Marks of a batch that is not whole: marks[0] is 0, marks[1 + i] is 1 if row `i` is wanted.
     * NULL if marks are not needed.
     */
    uint8_t *marks;
    /*
     * Or the wanted rows of such a batch, which count from its first row. Batches then reach over
     * longer gaps: NULL if they are not needed.
     */
    uint16_t *offsets;
} lam_row_cursor;

/*
 * `marks` has room for 1 + LAM_ROW_BATCH_ROWS bytes, or for 1 + the end of the last range if that
 * is less; borrowed as the ranges are. NULL: batches are not marked.
 */
void lam_row_cursor_init(lam_row_cursor *cursor, const lam_row_ranges *ranges, uint8_t *marks);

/*
 * The same, with room for LAM_ROW_BATCH_ROWS offsets, or as many as the last range ends at if that
 * is less, and LAM_ROW_OFFSETS_SLACK more; borrowed.
 */
void lam_row_cursor_init_offsets(lam_row_cursor *cursor, const lam_row_ranges *ranges,
                                 uint16_t *offsets);

/* True when no row is left. */
static inline bool lam_row_cursor_at_end(const lam_row_cursor *cursor) {
    return cursor->next == lam_row_ranges_count(cursor->ranges);
}

/* Moves to the position of another cursor over the same ranges. */
static inline void lam_row_cursor_go(lam_row_cursor *cursor, const lam_row_cursor *other) {
    cursor->next = other->next;
    cursor->row = other->row;
}

/* Gives the next batch, with at most `most` wanted rows, which must be above 0. */
lam_row_batch lam_row_cursor_next(lam_row_cursor *cursor, uint64_t most);

#endif
