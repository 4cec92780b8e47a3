#include "scan/row_cursor.h"

#include <string.h>

enum {
    LONG_RANGE = 512, /* rows that are worth a batch of their own */
    NEAR_ROWS = 64    /* between ranges of one batch, at most */
};

void lam_row_cursor_init(lam_row_cursor *cursor, const lam_row_ranges *ranges, uint8_t *marks) {
    cursor->ranges = ranges;
    cursor->next = 0;
    cursor->row = 0;
    cursor->marks = marks;
}

/* What is left of the next range. */
static lam_row_range row_cursor_peek(const lam_row_cursor *cursor) {
    lam_row_range range = {UINT64_MAX, UINT64_MAX};
    if (cursor->next < lam_row_ranges_count(cursor->ranges))
        range = lam_row_ranges_at(cursor->ranges, cursor->next);
    if (range.begin < cursor->row)
        range.begin = cursor->row;
    return range;
}

/* Takes rows of the next range up to `end`. */
static void row_cursor_take(lam_row_cursor *cursor, lam_row_range range, uint64_t end) {
    cursor->row = end;
    cursor->next += end == range.end;
}

static uint64_t row_cursor_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Adds to the marks what belongs to the batch; `range` comes next and is not long. */
static void row_cursor_mark(lam_row_cursor *cursor, lam_row_range range, uint64_t most,
                            lam_row_batch *batch) {
    uint64_t room = batch->begin + LAM_ROW_BATCH_ROWS;
    if (cursor->marks != NULL)
        cursor->marks[0] = 0;
    while (batch->wanted_rows < most && range.begin < room &&
           range.end - range.begin < LONG_RANGE &&
           range.begin - (batch->begin + batch->rows) <= NEAR_ROWS) {
        uint64_t end = row_cursor_least(row_cursor_least(range.end, room),
                                        range.begin + most - batch->wanted_rows);
        size_t from = (size_t)(range.begin - batch->begin), to = (size_t)(end - batch->begin);
        if (cursor->marks != NULL) {
            memset(cursor->marks + 1 + batch->rows, 0, from - (size_t)batch->rows);
            memset(cursor->marks + 1 + from, 1, to - from);
        }
        batch->rows = to;
        batch->wanted_rows += to - from;
        row_cursor_take(cursor, range, end);
        range = row_cursor_peek(cursor);
    }
}

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
