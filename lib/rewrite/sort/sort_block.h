/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A batch of rows as bytes, for the spill file of a sort. The bytes are of this process and machine
 * alone, so they are not checked.
 *
 *     rows  { triples  values  has levels  [repetition] [definition] [sizes] values } for each leaf
 */
#ifndef LAM_REWRITE_SORT_SORT_BLOCK_H
#define LAM_REWRITE_SORT_SORT_BLOCK_H

#include "rewrite/sort/sort_gather.h"

/* Appends a batch to `out`. NOMEM. */
lam_status lam_sort_block_write(const lam_schema *schema, const lam_triples *columns, size_t rows,
                                lam_buffer *out, lam_error *error);
/*
 * Sets the columns of a batch to those of a block, which is borrowed while they are used, and finds
 * its rows. `views` is memory for the views of byte arrays, one buffer for each leaf. NOMEM.
 */
lam_status lam_sort_block_read(lam_bytes block, lam_buffer *views, lam_sort_batch *batch,
                               lam_error *error);

#endif
