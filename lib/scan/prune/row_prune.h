/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides by metadata alone which rows of a row group a filter may want: first the entire row group
 * by its statistics and Bloom filters, then the ranges between the borders of the pages of all
 * columns that the filter uses.
 */
#ifndef LAM_SCAN_PRUNE_ROW_PRUNE_H
#define LAM_SCAN_PRUNE_ROW_PRUNE_H

#include <lamella/pruning.h>

#include "base/list.h"
#include "scan/prune/trusted_metadata.h"

/* Rows that must be read to be decided, or that are all wanted. */
typedef struct lam_candidate_range {
    uint64_t begin;
    uint64_t end;
    bool is_wanted;
} lam_candidate_range;

/* Which metadata ruled out an entire row group. */
typedef enum lam_prune_cause {
    LAM_PRUNE_NOTHING,
    LAM_PRUNE_STATISTICS,
    LAM_PRUNE_BLOOM,
    LAM_PRUNE_PAGES
} lam_prune_cause;

typedef struct lam_row_prune {
    lam_arena arena;                         /* metadata of the current row group */
    lam_claimed_bytes claimed;               /* around it */
    LAM_LIST(lam_candidate_range) ranges;    /* in order, neighbours of one kind joined */
    uint64_t rows;                           /* in all ranges */
    uint64_t row_count;                      /* of the row group */
    const struct lam_pruned_column *columns; /* of the filter, in the arena: prune_watch.h */
    size_t column_count;
    lam_prune_cause cause;          /* why there are none; NOTHING if there are some */
    uint64_t page_count;            /* pages of the filter's columns, if the page index was used */
    uint64_t pages_pruned;          /* of those, without a row in any range */
    uint64_t bytes_read;            /* of indexes and Bloom filters */
    const lam_pruning_watch *watch; /* NULL after init: none */
    struct lam_watched_group *watched; /* of the watch, in the arena */
} lam_row_prune;

/* `budget` bounds the memory of indexes and filters; those without room are not used. */
void lam_row_prune_init(lam_row_prune *prune, size_t budget, const lam_allocator *allocator);
void lam_row_prune_finish(lam_row_prune *prune);

/*
 * Decides about a row group and replaces the results of the one before; the page index counts with
 * `by_pages`. IO, NOMEM, or a column that cannot be read.
 */
lam_status lam_row_prune_group(lam_row_prune *prune, const lam_reader *reader,
                               const lam_filter *filter, size_t row_group, bool by_pages,
                               lam_error *error);

/* Instead of pruning: one range of all rows, none of them decided. NOMEM. */
lam_status lam_row_prune_nothing(lam_row_prune *prune, uint64_t row_count, lam_error *error);

/* How a cursor that evaluates the ranges uses the offset index of a leaf. */
lam_index_use lam_row_prune_index_use(const lam_row_prune *prune, const lam_field *leaf);
/* The same to a cursor that reads rows of the ranges, once they are evaluated. */
lam_index_use lam_row_prune_later_use(const lam_row_prune *prune, const lam_field *leaf);

static inline size_t lam_row_prune_count(const lam_row_prune *prune) {
    return prune->ranges.count;
}

static inline lam_candidate_range lam_row_prune_at(const lam_row_prune *prune, size_t index) {
    return prune->ranges.items[index];
}

#endif
