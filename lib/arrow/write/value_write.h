/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the values that a column stores from a leaf of a batch: gathers them from the array,
 * converts them, and checks them.
 */
#ifndef LAM_ARROW_WRITE_VALUE_WRITE_H
#define LAM_ARROW_WRITE_VALUE_WRITE_H

#include "arrow/write/level_write.h"
#include "base/buffer.h"
#include "base/list.h"

/* Scratch that is kept from batch to batch. */
typedef struct lam_value_memory {
    const lam_kernels *kernels;
    LAM_LIST(lam_slot_range) slots; /* the slots that indexes of a dictionary mean */
    lam_buffer values;              /* in their Arrow form, without gaps */
    lam_buffer elements;            /* in their Parquet form */
} lam_value_memory;

void lam_value_memory_init(lam_value_memory *memory, const lam_kernels *kernels,
                           const lam_allocator *allocator);
void lam_value_memory_finish(lam_value_memory *memory);

/*
 * Gives `leaf->triples.value_count` elements of lam_triples.values, borrowed from the memory or
 * from the array itself until the next call. INVALID, with path and row, for a value that the
 * column cannot hold; values that are written as they are get this check only with `check`.
 */
lam_status lam_value_write(lam_value_memory *memory, const lam_leaf_batch *leaf, bool check,
                           const void **ret_values, lam_error *error);

#endif
