/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes levels from arrays, for one batch of rows, from the root of the tree down, visiting each
 * node once. A frontier is carried down: the entries so far, one for each triple that every leaf
 * below will at least have, with their levels, and the slots of the present ones.
 *
 *     [{x: [7, 8]}, null, {x: []}, {x: null}]          optional group a { optional group x (LIST)
 *                                                        { repeated group list { required e } } }
 *
 *     node    entries  repetition  definition    present, and their slots
 *     root       4      0 0 0 0     0 0 0 0      all: 0 to 3 of the rows
 *     a          4      0 0 0 0     1 0 1 1      0 2 3: slots 0, 2 and 3 of x
 *     a.x        4      0 0 0 0     2 0 2 1      0 2
 *     a.x.e      5      0 1 0 0 0   3 3 0 2 1    0 1: slots 0 and 1 of e
 *
 * Levels that are all 0, or all those of a present entry, are not written. (Dremel paper, section
 * 4.1)
 */
#ifndef LAM_ARROW_WRITE_LEVEL_WRITE_H
#define LAM_ARROW_WRITE_LEVEL_WRITE_H

#include <lamella/record.h>

#include "arrow/array/array_view.h"
#include "arrow/array/arrow_plan.h"
#include "kernel/kernel.h"

/* Consecutive slots of one view. */
typedef struct lam_slot_range {
    int64_t start;
    int64_t count;
} lam_slot_range;

/* One leaf of a batch. Everything is borrowed for the visit. */
typedef struct lam_leaf_batch {
    const lam_arrow_node *node;
    const lam_array_view *view;   /* of the values or their indexes; run ends are resolved */
    lam_triples triples;          /* without values: these are in the slots */
    const lam_slot_range *ranges; /* slots of the leaf, nulls among them */
    size_t range_count;
    size_t slot_count;    /* in all ranges */
    const uint8_t *valid; /* a byte per slot, 0 where it is null; NULL: none is null */
    int64_t first_row;    /* of the batch, counted in the array */
} lam_leaf_batch;

typedef struct lam_leaf_visitor {
    void *state;
    lam_status (*visit)(void *state, const lam_leaf_batch *leaf, lam_error *error);
} lam_leaf_visitor;

typedef struct lam_level_writer lam_level_writer;

/*
 * Borrows a plan of writing and the views of its arrays, made by lam_array_view_create of the root
 * node's `array`. The views must be attached to the array that is written. NOMEM.
 */
lam_status lam_level_writer_create(const lam_arrow_plan *plan, const lam_kernels *kernels,
                                   lam_array_view *root, const lam_allocator *allocator,
                                   lam_level_writer **ret_writer, lam_error *error);
void lam_level_writer_destroy(lam_level_writer *writer);

/*
 * Visits all leaves in schema order, with the given rows of the array, which must have been checked
 * (array_check.h). INVALID, with path and row, when a field that is not nullable has a null; LIMIT
 * when the batch has 2^31 triples or more; else the first failure of a visit.
 */
lam_status lam_level_write(lam_level_writer *writer, int64_t first_row, int64_t row_count,
                           const lam_leaf_visitor *visitor, lam_error *error);

/*
 * Once the array is checked: finds the leaves that may have a value or null to refuse. Returns
 * whether there are any. lam_level_write_checked then visits these leaves only, and otherwise does
 * the same as lam_level_write.
 */
bool lam_level_needs_check(lam_level_writer *writer);
lam_status lam_level_write_checked(lam_level_writer *writer, int64_t first_row, int64_t row_count,
                                   const lam_leaf_visitor *visitor, lam_error *error);

/* Leaves of a plan. */
typedef struct lam_leaf_range {
    size_t first;
    size_t end; /* past the last */
} lam_leaf_range;

/*
 * The same as lam_level_write, or lam_level_write_checked with `checks`, for some leaves only. The
 * levels above them are made for each call.
 */
lam_status lam_level_write_leaves(lam_level_writer *writer, lam_leaf_range leaves, bool checks,
                                  int64_t first_row, int64_t row_count,
                                  const lam_leaf_visitor *visitor, lam_error *error);

/* An upper bound of the triples of any leaf in these rows. */
int64_t lam_level_count(const lam_level_writer *writer, int64_t first_row, int64_t row_count);

/* Returns the row of a value, given its number among the values of the batch. */
int64_t lam_leaf_batch_row(const lam_leaf_batch *leaf, size_t value_index);

#endif
