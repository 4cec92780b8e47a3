/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inserts empty slots into a finished array: a null list of fixed size has its elements in Arrow,
 * and none of them in Parquet.
 */
#ifndef LAM_ARROW_ARRAY_ARRAY_GAPS_H
#define LAM_ARROW_ARRAY_ARRAY_GAPS_H

#include "arrow/array/array_owner.h"
#include "arrow/array/arrow_plan.h"
#include "kernel/kernel.h"

/*
 * Turns an array made by lam_nesting_build into `list_count` groups of `width` slots: groups where
 * bit i of `valid` is 1 take the present slots, in order, and the others are new slots, null where
 * the node may be null. NOMEM or LIMIT leaves an array that can only be released.
 */
lam_status lam_array_put_gaps(const lam_kernels *kernels, struct ArrowArray *array,
                              const lam_arrow_node *node, const uint8_t *valid, size_t list_count,
                              size_t width, lam_array_store *store, lam_error *error);

#endif
