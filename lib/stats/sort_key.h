/* SPDX-License-Identifier: Apache-2.0 */
/* The order of rows by one of their columns. (parquet.thrift, SortingColumn) */
#ifndef LAM_STATS_SORT_KEY_H
#define LAM_STATS_SORT_KEY_H

#include "stats/value_order.h"

typedef struct lam_sort_key {
    lam_value_order order;
    bool descending;
    bool nulls_first;
} lam_sort_key;

/* The value of a row in the column: PLAIN bytes or a null. */
typedef struct lam_sort_cell {
    bool is_null;
    lam_bytes value;
} lam_sort_cell;

typedef enum lam_sort_verdict {
    LAM_SORT_BEFORE, /* the first row comes before the second */
    LAM_SORT_EQUAL,
    LAM_SORT_BEHIND,
    LAM_SORT_UNKNOWN /* one has a NaN, which is ordered in total order only */
} lam_sort_verdict;

/* Compares two rows by their cells. */
lam_sort_verdict lam_sort_key_compare(const lam_sort_key *key, lam_sort_cell first,
                                      lam_sort_cell second);

#endif
