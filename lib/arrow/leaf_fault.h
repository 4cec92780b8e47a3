/*
 * The row of a value that its Arrow type does not take.
 *
 *     definition   1 0 1 1 0 1      values        0 . 1 2 . 3
 *     repetition   0 0 1 0 0 1      rows behind   0 1 1 2 3 3
 *
 * Comes in: the number of the value among those of some entries, and the entries' levels. Goes out:
 * an error whose message says path and row first.
 */
#ifndef LAM_ARROW_LEAF_FAULT_H
#define LAM_ARROW_LEAF_FAULT_H

#include "schema/tree.h"

/* Entries of a leaf; levels are NULL where they are all 0, or all those of values. */
typedef struct lam_leaf_entries {
    const uint8_t *repetition;
    const uint8_t *definition;
    size_t count;
} lam_leaf_entries;

/* How many rows begin with the entries up to that of a value, it included. */
size_t lam_leaf_fault_row(const lam_field *leaf, const lam_leaf_entries *entries, size_t value);

/* Puts leaf and row, of the row group, in front of the message. NULL is allowed. */
void lam_leaf_fault_name(const lam_field *leaf, uint64_t row, lam_error *error);

#endif
