/*
 * Goes through ranges of wanted rows in batches, which are rows to read together. Rows between
 * ranges that are close to each other cost less to read and drop than to pass over one by one.
 *
 *     ranges       10-11, 13-15, 20-21              900-5000
 *     batches    10 ............. 21  marked      900 .... 5000  whole
 *     marks         1 0 1 1 0 0 0 0 0 1
 */
#ifndef LAM_SCAN_ROW_CURSOR_H
#define LAM_SCAN_ROW_CURSOR_H

#include "scan/row_ranges.h"

enum { LAM_ROW_BATCH_ROWS = 4096 /* of one that is marked */ };

typedef struct lam_row_batch {
    uint64_t begin;
    uint64_t rows;        /* 0: there is none left */
    uint64_t wanted_rows; /* the first and the last of them at least */
    bool is_whole;        /* all are wanted */
} lam_row_batch;

typedef struct lam_row_cursor {
    const lam_row_ranges *ranges; /* borrowed */
    size_t next;                  /* the range that is open, or comes next */
    uint64_t row;                 /* rows before this were given */
    /* Of a batch that is not whole: marks[0] is 0, marks[1 + i] is 1 where row `i` is wanted.
     * NULL where nobody asks. */
    uint8_t *marks;
} lam_row_cursor;

/*
 * `marks` is room for 1 + LAM_ROW_BATCH_ROWS bytes, or for one more than the ranges reach where that
 * is less; borrowed as the ranges are; NULL: batches are not marked.
 */
void lam_row_cursor_init(lam_row_cursor *cursor, const lam_row_ranges *ranges, uint8_t *marks);

/* True when no row is left. */
static inline bool lam_row_cursor_at_end(const lam_row_cursor *cursor) {
    return cursor->next == lam_row_ranges_count(cursor->ranges);
}

/* Goes to where another cursor over the same ranges stands. */
static inline void lam_row_cursor_go(lam_row_cursor *cursor, const lam_row_cursor *other) {
    cursor->next = other->next;
    cursor->row = other->row;
}

/* The next batch with at most `most` wanted rows, which must be above 0. */
lam_row_batch lam_row_cursor_next(lam_row_cursor *cursor, uint64_t most);

#endif
