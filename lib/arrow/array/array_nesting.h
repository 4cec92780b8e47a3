/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the arrays of a batch together: one struct array from the levels and the values of each
 * leaf. What several leaves share is made once, from the first of them; the others are checked
 * against it.
 */
#ifndef LAM_ARROW_ARRAY_ARRAY_NESTING_H
#define LAM_ARROW_ARRAY_ARRAY_NESTING_H

#include "arrow/array/array_levels.h"

/*
 * `levels` and `leaves` have an element for each leaf of the plan; the arrays are moved into the
 * result. CORRUPT, with the path of the field, when leaves contradict each other, a list does not
 * have its fixed size, or a key of a map is null; LIMIT when null lists of fixed size would have
 * more than `empty_most` elements; NOMEM. After a failure some of `leaves` may have been released.
 */
lam_status lam_nesting_build(const lam_arrow_plan *plan, uint64_t row_count,
                             const lam_leaf_levels *levels, struct ArrowArray *leaves,
                             uint64_t empty_most, lam_array_store *store,
                             struct ArrowArray *ret_array, lam_error *error);

#endif
