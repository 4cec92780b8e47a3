/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the row of a value that its Arrow type refuses, and names it in the error.
 *
 *     definition    1 0 1 1 0 1      values        0 . 1 2 . 3
 *     repetition    0 0 1 0 0 1      row           0 1 1 2 3 3
 *
 * Takes the number of the value among those of some entries, and the levels of the entries; gives
 * an error whose message starts with the path of the leaf, and whose row is set.
 */
#ifndef LAM_ARROW_READ_LEAF_FAULT_H
#define LAM_ARROW_READ_LEAF_FAULT_H

#include "schema/tree.h"

/* Entries of a leaf. Levels are NULL where they are all 0, or all the maximum. */
typedef struct lam_leaf_entries {
    const uint8_t *repetition;
    const uint8_t *definition;
    size_t count;
} lam_leaf_entries;

/* Counts the rows that begin up to and including the entry of a value. */
size_t lam_leaf_fault_row(const lam_field *leaf, const lam_leaf_entries *entries, size_t value);

/*
 * Puts the path of the leaf before the message, and the row of the row group into the error. NULL
 * is allowed.
 */
void lam_leaf_fault_name(const lam_field *leaf, uint64_t row, lam_error *error);

#endif
