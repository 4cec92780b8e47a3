/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the order of a column means when chunks of a file go into another one as they are. Nobody
 * but its writer knows how values of a logical type are compared that this version does not know:
 * bounds and sorted rows stay true only if the new file states exactly the same type.
 */
#ifndef LAM_FILE_COPY_KEPT_ORDER_H
#define LAM_FILE_COPY_KEPT_ORDER_H

#include <lamella/reader.h>

#include "chunk/write/chunk_write.h"
#include "meta/metadata.h"

/* True when `own`, the leaf of the new file, compares values as the leaf of the old one does. */
bool lam_kept_order_is_known(const lam_field *leaf, const lam_field *own);

/*
 * True when a leaf's bounds mean the same for `own` in the new footer, which `options` make, as in
 * the old one.
 */
bool lam_kept_order_is_same(const lam_reader *reader, size_t leaf_index, const lam_field *own,
                            const lam_chunk_options *options);

/*
 * True when the old footer states an order of a leaf that this version knows. In another one the
 * meaning of its counts of NaNs is unknown.
 */
bool lam_kept_order_is_stated(const lam_reader *reader, size_t leaf_index);

/*
 * True when rows that are sorted by a leaf, after the leaves before it, stay so by `own`. Not if
 * the writer has one of the `faults`, a set of lam_fault, that say it does not order its values
 * right.
 */
bool lam_kept_order_sorts(const lam_field *leaf, const lam_field *own, uint32_t faults);

#endif
