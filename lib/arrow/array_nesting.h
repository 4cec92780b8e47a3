/*
 * The arrays of a batch put together: from the levels and the values of each leaf to one struct
 * array. What several leaves have in common is made once, of the first of them; the others are
 * held against it.
 */
#ifndef LAM_ARROW_ARRAY_NESTING_H
#define LAM_ARROW_ARRAY_NESTING_H

#include "arrow/array_levels.h"

/*
 * `levels` and `leaves` have an element for each leaf of the plan; the arrays are moved into the
 * result. CORRUPT, with the path of the field, when leaves contradict each other, a list of fixed
 * size has another one, or a key of a map is null; LIMIT when null lists of fixed size would have
 * more than `empty_most` elements, NOMEM. Then some of `leaves` may have
 * been released.
 */
lam_status lam_nesting_build(const lam_arrow_plan *plan, uint64_t row_count,
                             const lam_leaf_levels *levels, struct ArrowArray *leaves,
                             uint64_t empty_most, lam_array_store *store,
                             struct ArrowArray *ret_array, lam_error *error);

#endif
