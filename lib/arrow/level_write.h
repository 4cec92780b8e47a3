/*
 * Levels from arrays, for a batch of rows: down from the root, each node once. What comes down is
 * a frontier: the entries so far, one for each triple that any leaf below will have at least, with
 * their levels, and the slots of those that are present so far.
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
 * Levels that are all 0, or all those of a present entry, are not written down.
 */
#ifndef LAM_ARROW_LEVEL_WRITE_H
#define LAM_ARROW_LEVEL_WRITE_H

#include <lamella/record.h>

#include "arrow/array_view.h"
#include "arrow/arrow_plan.h"

/* Slots side by side, of one view. */
typedef struct lam_slot_range {
    int64_t start;
    int64_t count;
} lam_slot_range;

/* What a batch holds of a leaf. Everything is borrowed for the visit. */
typedef struct lam_leaf_batch {
    const lam_arrow_node *node;
    const lam_array_view *view;   /* of the values, or of their indexes; run ends are resolved */
    lam_triples triples;          /* without values */
    const lam_slot_range *ranges; /* the slots of its present entries, nulls among them */
    size_t range_count;
    size_t slot_count;    /* in all ranges */
    const uint8_t *valid; /* a byte per slot, 0 where it is null; NULL when none is */
    int64_t first_row;    /* of the batch */
} lam_leaf_batch;

typedef struct lam_leaf_visitor {
    void *state;
    lam_status (*visit)(void *state, const lam_leaf_batch *leaf, lam_error *error);
} lam_leaf_visitor;

typedef struct lam_level_writer lam_level_writer;

/*
 * The plan of writing is borrowed, and views of its arrays (lam_array_view_create of the root
 * node's `array`), which are those of the array that is written. NOMEM.
 */
lam_status lam_level_writer_create(const lam_arrow_plan *plan, lam_array_view *root,
                                   const lam_allocator *allocator, lam_level_writer **ret_writer,
                                   lam_error *error);
void lam_level_writer_destroy(lam_level_writer *writer);

/*
 * Visits all leaves, in schema order, with a batch of the rows of the array, which is checked.
 * INVALID with the path and the row when a field without nulls has one; LIMIT when the batch has
 * 2^31 triples or more; what a visit returns.
 */
lam_status lam_level_write(lam_level_writer *writer, int64_t first_row, int64_t row_count,
                           const lam_leaf_visitor *visitor, lam_error *error);

/*
 * After the array is checked: whether one of its values or nulls may be refused. Then the leaves
 * that it is in are those that lam_level_write_checked visits, as lam_level_write does.
 */
bool lam_level_needs_check(lam_level_writer *writer);
lam_status lam_level_write_checked(lam_level_writer *writer, int64_t first_row, int64_t row_count,
                                   const lam_leaf_visitor *visitor, lam_error *error);

/* How many triples, or more, the leaf has that has most of them in a batch. */
int64_t lam_level_count(const lam_level_writer *writer, int64_t first_row, int64_t row_count);

/* The row in which the value of that number is, counted among the batch's values. */
int64_t lam_leaf_batch_row(const lam_leaf_batch *leaf, size_t value_index);

#endif
