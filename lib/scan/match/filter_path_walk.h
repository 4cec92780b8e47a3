/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates conditions on paths of VARIANTs by levels: the columns that can hold a path are read
 * side by side, slot by slot, and no record is assembled.
 */
#ifndef LAM_SCAN_MATCH_FILTER_PATH_WALK_H
#define LAM_SCAN_MATCH_FILTER_PATH_WALK_H

#include <lamella/dremel.h>

#include "scan/condition/filter_path.h"

typedef struct lam_path_walk lam_path_walk;

/*
 * Creates a walk for the tests that are marked, all of which have paths; `tests` has a bool for
 * each test of the filter. The filter is borrowed until destroy. NOMEM.
 */
lam_status lam_path_walk_create(const lam_filter *filter, const bool *tests,
                                const lam_allocator *allocator, lam_path_walk **ret_walk,
                                lam_error *error);
void lam_path_walk_destroy(lam_path_walk *walk);

/*
 * The columns to read. Tests of one path share theirs; a leaf that different paths need is a column
 * of each.
 */
size_t lam_path_walk_column_count(const lam_path_walk *walk);
const lam_field *lam_path_walk_leaf(const lam_path_walk *walk, size_t column);
/*
 * Sets where the triples of a column come from. Its levels must be at most the leaf's, as those of
 * a cursor are.
 */
void lam_path_walk_set_source(lam_path_walk *walk, size_t column, lam_triple_source source);

/*
 * Reads `count` records, which are all that the sources give, and sets `outcomes[test][0]` and on
 * for each marked test. Gives how many records there were; fewer mean that the columns have ended.
 * CORRUPT, with the path of a column, for bytes that are not a VARIANT, and for levels that
 * contradict those of the other columns; failures of the sources.
 */
lam_status lam_path_walk_rows(lam_path_walk *walk, size_t count, uint8_t *const *outcomes,
                              size_t *ret_rows, lam_error *error);

#endif
