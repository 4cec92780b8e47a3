/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives an array above a leaf, or the leaf's own, from the leaf's levels: which entries are its
 * slots, which slots are null, and where lists begin.
 *
 *     optional group a (LIST) { repeated group list { optional int32 element; } }
 *
 *     entries      R  0  1  0  0  0        [7, null], null, [], [9]
 *                  D  3  2  0  1  3
 *     a            slots where R <= 0 and D >= 0:   valid  1 0 1 1      (D >= 1)
 *     elements     slots where R <= 1 and D >= 2:   valid  1 0 1        (D >= 3)
 *     a's offsets  elements before each slot of a:         0 2 2 2 3
 */
#ifndef LAM_ARROW_ARRAY_ARRAY_LEVELS_H
#define LAM_ARROW_ARRAY_ARRAY_LEVELS_H

#include "arrow/array/array_owner.h"
#include "arrow/array/arrow_plan.h"
#include "kernel/kernel.h"

/* Levels of a batch, one byte each. */
typedef struct lam_leaf_levels {
    size_t count;              /* entries */
    const uint8_t *repetition; /* NULL when all are 0 */
    const uint8_t *definition; /* NULL when all are the leaf's maximum */
    uint8_t max_repetition;    /* of the leaf */
    const lam_kernels *kernels;
} lam_leaf_levels;

enum { LAM_LEVELS_BLOCK = 2048 };

/*
 * Writes the validity of a leaf's slots among at most LAM_LEVELS_BLOCK entries, a bit for each
 * slot; gives the number of slots.
 */
size_t lam_levels_leaf_bits(const lam_kernels *kernels, const uint8_t *definition, size_t count,
                            const lam_arrow_node *leaf, uint8_t *bits);

/*
 * Sets the length of a node's array, its number of nulls, and its buffer of validity when it has
 * nulls. Without `may_be_null` it has none, even if its slots are empty because a struct around it
 * is null.
 */
lam_status lam_levels_set_validity(const lam_leaf_levels *levels, const lam_arrow_node *node,
                                   bool may_be_null, lam_array_store *store,
                                   struct ArrowArray *array, lam_error *error);

/*
 * Makes the offsets of a LIST's slots, one more than there are slots, of 32 bits or 64. CORRUPT
 * when an entry continues a list that has no element, LIMIT when there are too many elements for 32
 * bits.
 */
lam_status lam_levels_offsets(const lam_leaf_levels *levels, const lam_arrow_node *list,
                              size_t slot_count, bool is_large, lam_array_store *store,
                              lam_array_block **ret_offsets, lam_error *error);

/*
 * True when two leaves below a struct imply the same about it and about all nodes above it. The
 * levels must be those of complete batches, or the check means nothing.
 */
bool lam_levels_agree(const lam_leaf_levels *a, const lam_leaf_levels *b,
                      const lam_arrow_node *above);

#endif
