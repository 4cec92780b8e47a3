/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes values of a leaf without gaps, all of a piece of a chunk batch or some. */
#ifndef LAM_ARROW_READ_LEAF_BLOCK_H
#define LAM_ARROW_READ_LEAF_BLOCK_H

#include "arrow/read/leaf_column.h"

/*
 * Consecutive values of a chunk batch and which of them are wanted: those at `positions`, in
 * ascending order, or all when it is NULL. Positions count from the first value of a block of
 * entries; this may be a piece of those values.
 */
typedef struct lam_leaf_block {
    bool is_dictionary; /* stored as indexes into the chunk's dictionary */
    size_t count;
    const uint16_t *positions;
    size_t position_count;
} lam_leaf_block;

/* How many values need room in `column->values` while a block is read: all, or the wanted ones. */
size_t lam_leaf_block_room(const lam_leaf_column *column, const lam_leaf_block *values);

/*
 * Appends the wanted values to `column->values`, which has that room, to be spread over
 * slots by the caller. When the type refuses a value, `column->fault` is its position.
 */
lam_status lam_leaf_block_read(lam_leaf_column *column, const lam_leaf_block *values,
                               lam_error *error);

#endif
