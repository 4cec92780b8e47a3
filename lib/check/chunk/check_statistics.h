/* SPDX-License-Identifier: Apache-2.0 */
/* What the footer, a page or an index states about values: counts and bounds. */
#ifndef LAM_CHECK_CHUNK_CHECK_STATISTICS_H
#define LAM_CHECK_CHUNK_CHECK_STATISTICS_H

#include "check/chunk/chunk_check.h"

/*
 * Compares statistics with what was counted. `what` names them in messages, as in "the statistics
 * of the page".
 */
lam_status lam_check_statistics(lam_chunk_check *chunk, const char *what,
                                lam_check_location location, const lam_meta_statistics *statistics,
                                const lam_value_summary *summary, uint64_t null_count);
/* `null_count` counts triples without a value. */
lam_status lam_check_null_count(lam_chunk_check *chunk, const char *what,
                                lam_check_location location, int64_t stated,
                                const lam_value_summary *summary, uint64_t null_count);
/* Histograms of levels and the bytes of byte arrays, for the complete chunk. */
lam_status lam_check_size_statistics(lam_chunk_check *chunk);

/* Bounds in the column's order, as statistics or the column index state them. */
typedef struct lam_stated_bounds {
    const char *what;
    lam_check_location location;
    bool has_min;
    bool has_max;
    lam_bytes min;
    lam_bytes max;
    int min_exact; /* 1 exact, 0 perhaps shortened, -1 not stated */
    int max_exact;
} lam_stated_bounds;

lam_status lam_check_bounds(lam_chunk_check *chunk, const lam_stated_bounds *stated,
                            const lam_value_summary *summary);
/*
 * False when a bound cannot be a value of the column, even shortened, or the column has no order.
 */
bool lam_bound_compares(const lam_value_order *order, lam_bytes bound);

/*
 * Reports the first level whose `stated` count differs from the `actual` one; both have `count`
 * elements.
 */
lam_status lam_check_histogram(lam_chunk_check *chunk, const char *what,
                               lam_check_location location, const int64_t *stated,
                               const uint64_t *actual, size_t count);

#endif
