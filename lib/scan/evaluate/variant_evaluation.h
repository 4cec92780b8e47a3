/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on paths of VARIANTs that metadata and one column cannot decide: the columns that can
 * hold the paths are read side by side, and no others.
 */
#ifndef LAM_SCAN_EVALUATE_VARIANT_EVALUATION_H
#define LAM_SCAN_EVALUATE_VARIANT_EVALUATION_H

#include "scan/prune/row_prune.h"

typedef struct lam_variant_evaluation lam_variant_evaluation;

/*
 * Decides for each test of a filter whether it needs more than its leaf in this row group: whether
 * it is a path of which some residual may have values. Statistics count only with `trusts_stats`.
 * Fails if a column is unreadable.
 */
lam_status lam_variant_evaluation_choose(const lam_reader *reader, const lam_filter *filter,
                                         size_t row_group, bool trusts_stats, bool *needs_variant,
                                         lam_error *error);

/*
 * Opens the columns of a row group for the marked tests; `tests` has one bool for each of the
 * filter's. `prune` has ruled out rows. Pages go to `page_cache`. All arguments are
 * borrowed until destroy. Fails as opening a column does.
 */
lam_status lam_variant_evaluation_create(const lam_reader *reader, const lam_filter *filter,
                                         const bool *tests, size_t row_group,
                                         const lam_row_prune *prune, lam_page_cache *page_cache,
                                         lam_variant_evaluation **ret_evaluation, lam_error *error);
void lam_variant_evaluation_destroy(lam_variant_evaluation *evaluation);

/*
 * Finds the outcomes of `count` rows from `row` on, which must not precede those of the last call,
 * and puts them at `outcomes[test]` for each marked test. Fails as reading the columns does.
 */
lam_status lam_variant_evaluation_rows(lam_variant_evaluation *evaluation, uint64_t row,
                                       size_t count, uint8_t *const *outcomes, lam_error *error);

/* Moves the open pages to the page cache, too; only destroy is allowed after that. NOMEM. */
lam_status lam_variant_evaluation_cache_last_pages(lam_variant_evaluation *evaluation,
                                                   lam_error *error);

/* Bytes of the data pages that were opened, uncompressed. */
uint64_t lam_variant_evaluation_page_bytes(const lam_variant_evaluation *evaluation);

#endif
