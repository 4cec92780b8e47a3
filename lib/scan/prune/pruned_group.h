/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row group that row_prune.c prunes: the metadata of its columns, and the outcomes that they
 * rule out.
 */
#ifndef LAM_SCAN_PRUNE_PRUNED_GROUP_H
#define LAM_SCAN_PRUNE_PRUNED_GROUP_H

#include "scan/prune/row_prune.h"

/* A column whose metadata the filter uses. */
typedef struct lam_pruned_column {
    lam_meta_column_chunk chunk; /* decoded with the first kind that is read */
    lam_trusted_metadata index;  /* of its chunk; names its leaf, too */
    size_t page;                 /* the page in which the current range begins */
    bool is_compared;            /* with literals, by a test; else it is only a residual */
} lam_pruned_column;

/* A test and the columns that decide it. */
typedef struct lam_pruned_test {
    const lam_pruned_column *leaf;       /* NULL: metadata cannot decide the test */
    const lam_pruned_column *other;      /* of a peer, else NULL */
    const lam_pruned_column **residuals; /* if none has values, the leaf alone decides */
    size_t residual_count;
} lam_pruned_test;

/* The row group that is pruned; arrays are in the arena of `prune`. */
typedef struct lam_pruned_group {
    lam_row_prune *prune;
    const lam_reader *reader;
    const lam_filter *filter;
    size_t row_group;
    uint64_t row_count;
    lam_pruned_column *columns; /* each leaf of the filter once */
    size_t column_count;
    lam_pruned_test *pruning; /* one per test of the filter */
    lam_outcome_set *tests;   /* possible outcomes in the current range */
    lam_outcome_set *stack;
} lam_pruned_group;

/* The facts of a column's chunk, or of its current page. */
lam_filter_facts lam_pruned_facts(const lam_pruned_column *column, bool by_page);

/* The possible outcomes of the filter, by chunks or by the current pages, and those of `tests`. */
lam_outcome_set lam_pruned_outcomes(lam_pruned_group *group, bool by_page);
/* The row at which the next page of any column begins; the row count after all pages. */
uint64_t lam_pruned_next_border(const lam_pruned_group *group);
/* Moves every column to the page that holds row `border`. */
void lam_pruned_pass_border(lam_pruned_group *group, uint64_t border);

#endif
