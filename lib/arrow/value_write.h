/* The values of a leaf for a batch of rows, as its column has them. */
#ifndef LAM_ARROW_VALUE_WRITE_H
#define LAM_ARROW_VALUE_WRITE_H

#include "arrow/level_write.h"
#include "base/buffer.h"

/* Scratch that lives from batch to batch. */
typedef struct lam_value_memory {
    lam_buffer slots;    /* of a dictionary: where its values are */
    lam_buffer values;   /* as Arrow has them, without gaps */
    lam_buffer elements; /* as Parquet has them */
} lam_value_memory;

void lam_value_memory_init(lam_value_memory *memory, const lam_allocator *allocator);
void lam_value_memory_finish(lam_value_memory *memory);

/*
 * Gives `leaf->triples.value_count` elements of lam_triples.values, borrowed from the memory or
 * from the array itself. INVALID, with path and row, for a value that does not fit the column; with
 * `check` also for those that would be written as they are.
 */
lam_status lam_value_write(lam_value_memory *memory, const lam_leaf_batch *leaf, bool check,
                           const void **ret_values, lam_error *error);

#endif
