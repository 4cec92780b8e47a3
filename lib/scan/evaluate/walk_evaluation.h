/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions that one column cannot decide: on paths inside VARIANTs whose values may be in several
 * columns, on two columns, and on the values that a map has for a key. The columns of such a test
 * are read side by side, and no others.
 */
#ifndef LAM_SCAN_EVALUATE_WALK_EVALUATION_H
#define LAM_SCAN_EVALUATE_WALK_EVALUATION_H

#include "scan/prune/row_prune.h"

typedef struct lam_walk_evaluation lam_walk_evaluation;

/*
 * Decides for each test of a filter whether it is on a path that needs more than its leaf in this
 * row group: whether some residual of it may have values. Statistics count only with
 * `trusts_stats`. Fails if a column is unreadable.
 */
lam_status lam_walk_evaluation_choose(const lam_reader *reader, const lam_filter *filter,
                                      size_t row_group, bool trusts_stats, bool *needs_variant,
                                      lam_error *error);

/*
 * Opens the columns of a row group for the tests with a peer and for those that are marked;
 * `needs_variant` has one bool for each of the filter's. Gives NULL if there are none. `prune` has
 * ruled out rows. Pages go to `page_cache`. All arguments are borrowed until destroy. Fails as
 * opening a column does.
 */
lam_status lam_walk_evaluation_create(const lam_reader *reader, const lam_filter *filter,
                                      const bool *needs_variant, size_t row_group,
                                      const lam_row_prune *prune, lam_page_cache *page_cache,
                                      lam_walk_evaluation **ret_evaluation, lam_error *error);
void lam_walk_evaluation_destroy(lam_walk_evaluation *evaluation);

/*
 * Finds the outcomes of `count` rows from `row` on, which must not precede those of the last call,
 * and puts them at `outcomes[test]` for each of the tests. Has no effect for NULL. Fails as reading
 * the columns does.
 */
lam_status lam_walk_evaluation_rows(lam_walk_evaluation *evaluation, uint64_t row, size_t count,
                                    uint8_t *const *outcomes, lam_error *error);

/* Moves the open pages to the page cache, too; only destroy is allowed after that. NOMEM. */
lam_status lam_walk_evaluation_cache_last_pages(lam_walk_evaluation *evaluation, lam_error *error);

/* Bytes of the data pages that were opened, uncompressed. */
uint64_t lam_walk_evaluation_page_bytes(const lam_walk_evaluation *evaluation);

#endif
