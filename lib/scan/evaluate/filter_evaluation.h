/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the rows of a row group that a filter wants, exactly: the columns of the filter are read
 * only where metadata could not decide.
 */
#ifndef LAM_SCAN_EVALUATE_FILTER_EVALUATION_H
#define LAM_SCAN_EVALUATE_FILTER_EVALUATION_H

#include "chunk/read/page_cache.h"
#include "scan/prune/row_prune.h"
#include "scan/prune/row_ranges.h"

/* How the rows were found. */
typedef struct lam_filter_evaluation {
    uint64_t page_bytes; /* of data pages that were opened, uncompressed */
    bool by_dictionary;  /* no row is wanted, as no entry of the dictionaries is */
} lam_filter_evaluation;

/*
 * Adds the wanted rows of all ranges of `prune`, which lam_row_prune_group has filled for this row
 * group, to `ranges`. With `trusts_stats`, a chunk that states that all its pages are dictionary
 * encoded is believed. Pages that have a wanted row go to `page_cache`. Fails as reading the
 * columns does; with OFFSET_INDEX_ROWS if the page index by which rows were ruled out is wrong.
 */
lam_status lam_filter_evaluate(const lam_reader *reader, const lam_filter *filter, size_t row_group,
                               const lam_row_prune *prune, bool trusts_stats,
                               lam_page_cache *page_cache, lam_row_ranges *ranges,
                               lam_filter_evaluation *ret_evaluation, lam_error *error);

#endif
