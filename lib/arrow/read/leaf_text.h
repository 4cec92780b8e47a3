/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts byte arrays and strings into Arrow buffers, with offsets or as views: the forms OFFSETS and
 * VIEWS of leaf_values.h.
 */
#ifndef LAM_ARROW_READ_LEAF_TEXT_H
#define LAM_ARROW_READ_LEAF_TEXT_H

#include "arrow/read/leaf_values.h"

/* As lam_leaf_values_append. */
lam_status lam_leaf_text_append(lam_leaf_values *values, const lam_bytes *elements, size_t count,
                                lam_error *error);

/*
 * Appends strings of a dictionary, which `entries` of the same form holds, complete and checked, by
 * their indexes, which are inside it. For OFFSETS. LIMIT as in lam_leaf_values_append.
 */
lam_status lam_leaf_text_append_entries(lam_leaf_values *values, const lam_leaf_values *entries,
                                        const uint32_t *indexes, size_t count, lam_error *error);

/* As lam_leaf_values_spread, for OFFSETS. */
void lam_leaf_text_spread(lam_leaf_values *values, const uint8_t *bits, size_t count);

#endif
