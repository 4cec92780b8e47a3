/* Of the entries of a leaf, and of its values, those of the rows that are wanted. */
#ifndef LAM_ARROW_LEAF_PICK_H
#define LAM_ARROW_LEAF_PICK_H

#include "arrow/array_levels.h"

/* What was picked of at most LAM_LEVELS_BLOCK entries: places, in order. */
typedef struct lam_leaf_picks {
    size_t entry_count;
    size_t value_count;
    size_t all_values; /* that the entries have, picked or not */
    uint16_t entries[LAM_LEVELS_BLOCK];
    uint16_t values[LAM_LEVELS_BLOCK];
} lam_leaf_picks;

/*
 * Picks among `count` entries. `marks` is as in lam_row_cursor; `*row` counts the rows that have
 * begun. Levels are NULL where they are all 0, or all `max_definition`.
 */
void lam_leaf_pick(const uint8_t *marks, size_t *row, const uint8_t *repetition,
                   const uint8_t *definition, size_t count, uint8_t max_definition,
                   lam_leaf_picks *picks);

/* Moves the levels that were picked to `to`, which may be `from`, or in front of it. */
void lam_leaf_pick_levels(const lam_leaf_picks *picks, const uint8_t *from, uint8_t *to);

/*
 * Moves elements of `size` bytes to the front: those whose places are `positions`, counted from
 * `first`.
 */
void lam_leaf_pick_elements(const uint16_t *positions, size_t count, size_t first, void *elements,
                            size_t size);

#endif
