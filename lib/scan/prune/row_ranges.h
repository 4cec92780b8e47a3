/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wanted rows of a row group: ranges in ascending order that neither overlap nor touch.
 */
#ifndef LAM_SCAN_PRUNE_ROW_RANGES_H
#define LAM_SCAN_PRUNE_ROW_RANGES_H

#include "base/list.h"

typedef struct lam_row_range {
    uint64_t begin;
    uint64_t end; /* the row after the last; above begin */
} lam_row_range;

typedef struct lam_row_ranges {
    LAM_LIST(lam_row_range) list;
    uint64_t rows; /* in all of them */
} lam_row_ranges;

void lam_row_ranges_init(lam_row_ranges *ranges, const lam_allocator *allocator);
void lam_row_ranges_finish(lam_row_ranges *ranges);
void lam_row_ranges_clear(lam_row_ranges *ranges);

static inline size_t lam_row_ranges_count(const lam_row_ranges *ranges) {
    return ranges->list.count;
}

static inline lam_row_range lam_row_ranges_at(const lam_row_ranges *ranges, size_t index) {
    return ranges->list.items[index];
}

/* The row after the last; 0 if there are no ranges. */
static inline uint64_t lam_row_ranges_end(const lam_row_ranges *ranges) {
    size_t count = lam_row_ranges_count(ranges);
    return count > 0 ? lam_row_ranges_at(ranges, count - 1).end : 0;
}

/* Adds rows that follow all others; an empty range has no effect. NOMEM. */
lam_status lam_row_ranges_add(lam_row_ranges *ranges, uint64_t begin, uint64_t end,
                              lam_error *error);

/*
 * Adds rows by bits: row `begin` + i where bit i is 1, for `count` bits, the lowest of a byte
 * first. NOMEM.
 */
lam_status lam_row_ranges_add_bits(lam_row_ranges *ranges, uint64_t begin, const uint8_t *bits,
                                   size_t count, lam_error *error);

/* The row at `index` among the rows of all ranges, which must be more than `index`. */
uint64_t lam_row_ranges_row(const lam_row_ranges *ranges, uint64_t index);

/* Drops the first `skip` rows, and all after the `most` rows that follow them. */
void lam_row_ranges_cut(lam_row_ranges *ranges, uint64_t skip, uint64_t most);

#endif
