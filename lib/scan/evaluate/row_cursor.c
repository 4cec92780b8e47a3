/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts ranges of wanted rows into batches that are worth reading at once: takes ranges, in order,
 * and gives batches, each either one complete range (or its beginning), or several short ranges
 * with the rows between them and a mark for each row.
 *
 * Skipping costs a call and often a partial page for each column; reading and dropping a row costs
 * little more than reading it. So short ranges that are close together become one marked batch, and
 * long ranges stay whole, since whole batches need no marks and no second pass. The invariant:
 * every wanted row is in exactly one batch, batches rise, and the first and last row of each are
 * wanted.
 */
#include "scan/evaluate/row_cursor.h"

#include <string.h>

enum {
    LONG_RANGE = 512, /* rows of a range that gets batches of its own */
    NEAR_ROWS = 64    /* most unwanted rows between ranges of one batch */
};

void lam_row_cursor_init(lam_row_cursor *cursor, const lam_row_ranges *ranges, uint8_t *marks) {
    cursor->ranges = ranges;
    cursor->next = 0;
    cursor->row = 0;
    cursor->marks = marks;
    cursor->offsets = NULL;
}

void lam_row_cursor_init_offsets(lam_row_cursor *cursor, const lam_row_ranges *ranges,
                                 uint16_t *offsets) {
    lam_row_cursor_init(cursor, ranges, NULL);
    cursor->offsets = offsets;
}

/*
 * Gives the remainder of the next range; UINT64_MAX for both ends if there is none, which is beyond
 * any comparison below.
 */
static lam_row_range row_cursor_peek(const lam_row_cursor *cursor) {
    lam_row_range range = {UINT64_MAX, UINT64_MAX};
    if (cursor->next < lam_row_ranges_count(cursor->ranges))
        range = lam_row_ranges_at(cursor->ranges, cursor->next);
    if (range.begin < cursor->row)
        range.begin = cursor->row;
    return range;
}

/* Moves the cursor to `end`, past rows of the next range; a range that ends there is done. */
static void row_cursor_take(lam_row_cursor *cursor, lam_row_range range, uint64_t end) {
    cursor->row = end;
    cursor->next += end == range.end;
}

static uint64_t row_cursor_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/*
 * Most unwanted rows before a range that joins a batch. Runs are read faster than they are picked,
 * so only few rows are worth a long gap.
 */
static uint64_t row_cursor_near(const lam_row_cursor *cursor, lam_row_range range) {
    return cursor->offsets != NULL && range.end - range.begin <= NEAR_ROWS ? LAM_ROW_BATCH_ROWS
                                                                           : NEAR_ROWS;
}

/*
 * Lists rows `from` to `to` - 1. Ranges of a few rows are all written alike, as their lengths
 * cannot be predicted; surplus rows are overwritten by the next.
 */
static inline void row_cursor_list(uint16_t *offsets, size_t from, size_t to) {
    for (size_t i = 0; i < LAM_ROW_OFFSETS_SLACK; i++)
        offsets[i] = (uint16_t)(from + i);
    for (size_t i = LAM_ROW_OFFSETS_SLACK; i < to - from; i++)
        offsets[i] = (uint16_t)(from + i);
}

/* Notes rows `from` to `to` - 1 of the batch as wanted, by marks or by offsets. */
static inline void row_cursor_note(lam_row_cursor *cursor, const lam_row_batch *batch, size_t from,
                                   size_t to) {
    if (cursor->marks != NULL) {
        memset(cursor->marks + 1 + batch->rows, 0, from - (size_t)batch->rows);
        memset(cursor->marks + 1 + from, 1, to - from);
    }
    if (cursor->offsets != NULL)
        row_cursor_list(cursor->offsets + batch->wanted_rows, from, to);
}

/*
 * Fills a marked batch: takes ranges while they are short, near the batch, within its size, and the
 * number of wanted rows allows. `range` comes next and is short. A range may be cut by the size or
 * by `most`; its remainder begins the next batch.
 */
static void row_cursor_mark(lam_row_cursor *cursor, lam_row_range range, uint64_t most,
                            lam_row_batch *batch) {
    uint64_t room = batch->begin + LAM_ROW_BATCH_ROWS;
    if (cursor->marks != NULL)
        cursor->marks[0] = 0;
    while (batch->wanted_rows < most && range.begin < room &&
           range.end - range.begin < LONG_RANGE &&
           range.begin - (batch->begin + batch->rows) <= row_cursor_near(cursor, range)) {
        uint64_t end = row_cursor_least(row_cursor_least(range.end, room),
                                        range.begin + most - batch->wanted_rows);
        /* Rows of the batch, by their offset from its first row. */
        size_t from = (size_t)(range.begin - batch->begin), to = (size_t)(end - batch->begin);
        row_cursor_note(cursor, batch, from, to);
        batch->rows = to;
        batch->wanted_rows += to - from;
        row_cursor_take(cursor, range, end);
        range = row_cursor_peek(cursor);
    }
}

/*
 * A short range alone still goes through the marks, and is whole if it was not joined with others.
 */
lam_row_batch lam_row_cursor_next(lam_row_cursor *cursor, uint64_t most) {
    lam_row_batch batch = {0};
    lam_row_range range = row_cursor_peek(cursor);
    if (range.begin == UINT64_MAX)
        return batch;
    batch.begin = range.begin;
    uint64_t length = range.end - range.begin;
    if (length >= LONG_RANGE) {
        batch.rows = row_cursor_least(length, most);
        batch.wanted_rows = batch.rows;
        row_cursor_take(cursor, range, range.begin + batch.rows);
    } else {
        row_cursor_mark(cursor, range, most, &batch);
    }
    batch.is_whole = batch.rows == batch.wanted_rows;
    return batch;
}
