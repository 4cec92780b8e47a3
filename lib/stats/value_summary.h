/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and bounds of a page or a column chunk, from its levels and values. (parquet.thrift,
 * Statistics and SizeStatistics)
 */
#ifndef LAM_STATS_VALUE_SUMMARY_H
#define LAM_STATS_VALUE_SUMMARY_H

#include "base/buffer.h"
#include "stats/value_order.h"

/* Counts and bounds so far. The same struct serves a page and, merged from pages, a chunk. */
typedef struct lam_value_summary {
    const lam_kernels *kernels;
    lam_value_order order;
    size_t repetition_levels; /* maximum level + 1 */
    size_t definition_levels;
    uint64_t value_count; /* without nulls */
    uint64_t nan_count;
    uint64_t byte_count; /* of BYTE_ARRAY values, without their lengths */
    bool has_bounds;
    bool bounds_are_nan; /* all values are NaN, in total order */
    lam_buffer min;      /* PLAIN bytes */
    lam_buffer max;
    uint64_t *histograms; /* by repetition level, then by definition level */
} lam_value_summary;

/* Starts empty. NOMEM; finish is allowed then, too. */
lam_status lam_value_summary_init(lam_value_summary *summary, const lam_kernels *kernels,
                                  const lam_field *leaf, lam_value_order order,
                                  const lam_allocator *allocator, lam_error *error);
void lam_value_summary_finish(lam_value_summary *summary);
/* Forgets all counts and keeps the memory. */
void lam_value_summary_clear(lam_value_summary *summary);

static inline uint64_t *lam_value_summary_repetition(const lam_value_summary *summary) {
    return summary->histograms;
}

static inline uint64_t *lam_value_summary_definition(const lam_value_summary *summary) {
    return summary->histograms + summary->repetition_levels;
}

/* Adds `count` elements of lam_triples.values; the caller adds to the histograms itself. NOMEM. */
lam_status lam_value_summary_add(lam_value_summary *summary, const void *values, size_t count,
                                 lam_error *error);

/*
 * Widens the bounds by `count` elements and counts the NaNs among them; counts nothing else. NOMEM.
 */
lam_status lam_value_summary_bound(lam_value_summary *summary, const void *values, size_t count,
                                   lam_error *error);

/*
 * Widens the bounds without counting: `min` and `max` are PLAIN bytes, and NaNs in total order when
 * `are_nan`. Has no effect if the column has no order. NOMEM.
 */
lam_status lam_value_summary_widen(lam_value_summary *summary, lam_bytes min, lam_bytes max,
                                   bool are_nan, lam_error *error);

/* Adds everything that `other`, of the same leaf and order, has counted. NOMEM. */
lam_status lam_value_summary_merge(lam_value_summary *summary, const lam_value_summary *other,
                                   lam_error *error);

#endif
