/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts rows that need not fit memory. */
#ifndef LAM_REWRITE_SORT_SORTER_H
#define LAM_REWRITE_SORT_SORTER_H

#include "rewrite/flow/rewrite_flow.h"

typedef struct lam_sorter lam_sorter;

/*
 * For the rows of a rewrite, which is borrowed until destroy. `keys` are `key_count` sort keys by
 * leaves of all columns; `memory` is the bytes that the sorter may hold.
 */
lam_status lam_sorter_create(lam_rewrite *rewrite, const lam_rewrite_key *keys, size_t key_count,
                             uint64_t memory, lam_sorter **ret_sorter, lam_error *error);
/* NULL is allowed. */
void lam_sorter_destroy(lam_sorter *sorter);

/* Takes rows in their present order. */
lam_row_sink lam_sorter_sink(lam_sorter *sorter);
/* All rows are taken: notes in the choices of leaves which sort columns have NaNs. */
void lam_sorter_note_nans(const lam_sorter *sorter);
/* Gives all rows in order. Rows with equal keys are in the order in which they were taken. */
lam_status lam_sorter_give(lam_sorter *sorter, const lam_row_sink *sink, lam_error *error);

#endif
