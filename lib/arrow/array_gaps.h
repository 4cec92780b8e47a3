/*
 * Empty slots put into an array that is finished: a list of fixed size has as many elements when it
 * is null, and Parquet has none of them.
 */
#ifndef LAM_ARROW_ARRAY_GAPS_H
#define LAM_ARROW_ARRAY_GAPS_H

#include "arrow/array_owner.h"
#include "arrow/arrow_plan.h"

/*
 * Makes `list_count` groups of `width` slots of an array made by lam_nesting_build: those where
 * `valid` has a 1 are the slots that are there, in order, and the others are new, null where the
 * node may be null. NOMEM leaves an array that can only be released.
 */
lam_status lam_array_put_gaps(struct ArrowArray *array, const lam_arrow_node *node,
                              const uint8_t *valid, size_t list_count, size_t width,
                              lam_array_store *store, lam_error *error);

#endif
