/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the order of a column means where chunks of a file go into another one as they are. A
 * logical type that this version does not know is not written, so that the column gets the order of
 * its physical type, whatever the order was in which its writer compared and sorted.
 */
#ifndef LAM_FILE_KEPT_ORDER_H
#define LAM_FILE_KEPT_ORDER_H

#include <lamella/reader.h>

#include "chunk/chunk_write.h"
#include "meta/metadata.h"

/* True when a leaf of the file is of a type that the new footer states, too. */
bool lam_kept_order_is_known(const lam_reader *reader, size_t leaf_index);

/*
 * True when bounds of a leaf of the file mean in the new footer, which `options` make, what they
 * mean in the old one.
 */
bool lam_kept_order_is_same(const lam_reader *reader, size_t leaf_index,
                            const lam_chunk_options *options);

/*
 * True when the old footer states an order of a leaf that this version knows. In another one nobody
 * can tell what its counts of NaNs mean.
 */
bool lam_kept_order_is_stated(const lam_reader *reader, size_t leaf_index);

/*
 * Gives how many of the sorting columns, from the first one on, stay true. Not one whose writer has
 * one of the `faults`, a set of lam_fault, that say it does not order its values right.
 */
uint32_t lam_kept_order_sorting(const lam_reader *reader, uint32_t faults,
                                const lam_meta_sorting_column_list *columns);

#endif
