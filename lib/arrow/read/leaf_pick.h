/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Picks, among the entries of a leaf and their values, those of wanted rows, and moves them
 * together.
 *
 *     rows wanted                  1 0 1
 *     entries (R D, maximum 2)     0 2 | 1 1 | 0 2 | 0 2      of rows 0 0 1 2
 *     picks                        entries 0 1 3, values 0 2, all_values 3
 */
#ifndef LAM_ARROW_READ_LEAF_PICK_H
#define LAM_ARROW_READ_LEAF_PICK_H

#include "arrow/array/array_levels.h"

/* What was picked of at most LAM_LEVELS_BLOCK entries: their positions, in ascending order. */
typedef struct lam_leaf_picks {
    size_t entry_count;
    size_t value_count;
    size_t all_values;                  /* values of all entries, picked or not */
    uint16_t entries[LAM_LEVELS_BLOCK]; /* positions among the entries */
    uint16_t values[LAM_LEVELS_BLOCK];  /* positions among the values */
} lam_leaf_picks;

/*
 * Picks among `count` entries. `marks` as in lam_row_cursor; `*row` counts the rows of the batch
 * that have begun, before and after. Levels are NULL where they are all 0, or all `max_definition`.
 */
void lam_leaf_pick(const uint8_t *marks, size_t *row, const uint8_t *repetition,
                   const uint8_t *definition, size_t count, uint8_t max_definition,
                   lam_leaf_picks *picks);

/*
 * The same for a flat leaf, by the wanted rows: `rows` ascend from `first`, the row of the first
 * entry, to below `first` + `count`.
 */
void lam_leaf_pick_rows(const lam_kernels *kernels, const uint16_t *rows, size_t row_count,
                        size_t first, const uint8_t *definition, size_t count,
                        uint8_t max_definition, lam_leaf_picks *picks);

/* Moves the picked levels to `to`, which may be `from` or before it. */
void lam_leaf_pick_levels(const lam_leaf_picks *picks, const uint8_t *from, uint8_t *to);

/*
 * Moves the elements of `size` bytes at `positions` together at the start of `elements`, whose
 * first element has position `first`.
 */
void lam_leaf_pick_elements(const uint16_t *positions, size_t count, size_t first, void *elements,
                            size_t size);

#endif
