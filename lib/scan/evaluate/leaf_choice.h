/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses, among the columns of a row group that a projection of VARIANTs may need, the ones that
 * are not empty there.
 */
#ifndef LAM_SCAN_EVALUATE_LEAF_CHOICE_H
#define LAM_SCAN_EVALUATE_LEAF_CHOICE_H

#include "file/read/file_reader.h"
#include "variant/shred/variant_projection.h"

/*
 * Sets an element of `leaves` for each leaf of the schema. Each VARIANT with wanted paths keeps at
 * least one leaf, which shows where the VARIANT is present. Fails if a column is unreadable.
 */
lam_status lam_leaf_choose(const lam_reader *reader, const lam_projection *projection,
                           size_t row_group, bool *leaves, lam_error *error);

#endif
