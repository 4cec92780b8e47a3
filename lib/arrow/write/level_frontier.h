/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares the steps of level_write.h: how a frontier changes at run ends, nulls, structs and
 * lists. Each step reads one frontier and makes the next, in memory that it is given; the two never
 * share that memory, but the next may borrow what the step does not change.
 */
#ifndef LAM_ARROW_WRITE_LEVEL_FRONTIER_H
#define LAM_ARROW_WRITE_LEVEL_FRONTIER_H

#include "arrow/write/level_write.h"
#include "base/buffer.h"
#include "base/list.h"

typedef struct lam_level_frontier {
    size_t count;                 /* entries */
    size_t present;               /* of these; the sum of the counts of the ranges */
    uint8_t level;                /* the definition level of present entries; others have less */
    const uint8_t *repetition;    /* NULL when all are 0 */
    const uint8_t *definition;    /* NULL when all are present */
    const lam_slot_range *ranges; /* the slots of the present */
    size_t range_count;
} lam_level_frontier;

/* The memory of one step, used again for each batch. */
typedef struct lam_frontier_memory {
    lam_buffer repetition; /* uint8_t */
    lam_buffer definition; /* uint8_t */
    LAM_LIST(lam_slot_range) ranges;
} lam_frontier_memory;

void lam_frontier_memory_init(lam_frontier_memory *memory, const lam_allocator *allocator);
void lam_frontier_memory_finish(lam_frontier_memory *memory);

/*
 * Goes from slots of a RUN_END_ENCODED to the slots of its values: a slot per row, so a run is
 * repeated.
 */
lam_status lam_frontier_through_runs(const lam_level_frontier *frontier, const lam_array_view *view,
                                     lam_frontier_memory *memory, lam_level_frontier *ret_frontier,
                                     lam_error *error);

/*
 * Makes a byte for each present slot, in `room`: 0 where it is null. `ret_valid` is NULL when no
 * slot is null. A slot is also null when its index means a null of its dictionary.
 */
lam_status lam_frontier_valid(const lam_kernels *kernels, const lam_level_frontier *frontier,
                              const lam_array_view *view, lam_buffer *room,
                              const uint8_t **ret_valid, lam_error *error);

/*
 * Raises the level to `level` + 1; entries of null slots keep theirs and are no longer present.
 * With `with_ranges` the ranges lose the null slots, else they stay as they are.
 */
lam_status lam_frontier_without_nulls(const lam_level_frontier *frontier, const uint8_t *valid,
                                      bool with_ranges, lam_frontier_memory *memory,
                                      lam_level_frontier *ret_frontier, lam_error *error);

/* Goes from slots of a struct to those of its children, which start `offset` later. */
lam_status lam_frontier_shift(const lam_level_frontier *frontier, int64_t offset,
                              lam_frontier_memory *memory, lam_level_frontier *ret_frontier,
                              lam_error *error);

/*
 * Goes from lists, none of them null, to their elements. `lengths` is scratch. LIMIT when the batch
 * then has 2^31 entries or more.
 */
lam_status lam_frontier_through_lists(const lam_level_frontier *frontier,
                                      const lam_array_view *view, const lam_arrow_node *node,
                                      lam_frontier_memory *memory, lam_buffer *lengths,
                                      lam_level_frontier *ret_frontier, lam_error *error);

/* Returns the row, from 0, of entry number `index` among the entries of `level`. */
int64_t lam_level_row(size_t count, const uint8_t *repetition, const uint8_t *definition,
                      uint8_t level, size_t index);

#endif
