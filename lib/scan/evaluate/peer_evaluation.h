/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions that compare two columns, or test the values that a map has for a key: both columns
 * are read side by side.
 */
#ifndef LAM_SCAN_EVALUATE_PEER_EVALUATION_H
#define LAM_SCAN_EVALUATE_PEER_EVALUATION_H

#include "scan/prune/row_prune.h"

typedef struct lam_peer_evaluation lam_peer_evaluation;

/*
 * Opens the columns of all tests of a filter that have a peer, in one row group; gives NULL if none
 * has. `prune` has ruled out rows. Pages go to `page_cache`. All arguments are borrowed
 * until destroy. Fails as opening a column does.
 */
lam_status lam_peer_evaluation_create(const lam_reader *reader, const lam_filter *filter,
                                      size_t row_group, const lam_row_prune *prune,
                                      lam_page_cache *page_cache,
                                      lam_peer_evaluation **ret_evaluation, lam_error *error);
void lam_peer_evaluation_destroy(lam_peer_evaluation *evaluation);

/*
 * Finds the outcomes of `count` rows from `row` on, which must not precede those of the last call,
 * and puts them at `outcomes[test]` for each test with a peer. Does nothing for NULL. Fails as
 * reading the columns does.
 */
lam_status lam_peer_evaluation_rows(lam_peer_evaluation *evaluation, uint64_t row, size_t count,
                                    uint8_t *const *outcomes, lam_error *error);

/* Moves the open pages to the page cache, too; only destroy is allowed after that. NOMEM. */
lam_status lam_peer_evaluation_cache_last_pages(lam_peer_evaluation *evaluation, lam_error *error);

/* Bytes of the data pages that were opened, uncompressed. */
uint64_t lam_peer_evaluation_page_bytes(const lam_peer_evaluation *evaluation);

#endif
