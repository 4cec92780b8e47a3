/* The steps of level_write.h: what a frontier becomes at runs, at nulls and at lists. */
#ifndef LAM_ARROW_LEVEL_FRONTIER_H
#define LAM_ARROW_LEVEL_FRONTIER_H

#include "arrow/level_write.h"
#include "base/buffer.h"

typedef struct lam_level_frontier {
    size_t count;                 /* entries */
    size_t present;               /* of them: the counts of the ranges together */
    uint8_t level;                /* the definition level of the present; the others are below it */
    const uint8_t *repetition;    /* NULL when all are 0 */
    const uint8_t *definition;    /* NULL when all are present */
    const lam_slot_range *ranges; /* the slots of the present */
    size_t range_count;
} lam_level_frontier;

/* Room for what one step makes. */
typedef struct lam_frontier_memory {
    lam_buffer repetition;
    lam_buffer definition;
    lam_buffer ranges;
} lam_frontier_memory;

void lam_frontier_memory_init(lam_frontier_memory *memory, const lam_allocator *allocator);
void lam_frontier_memory_finish(lam_frontier_memory *memory);

/* From slots of a RUN_END_ENCODED to those of its values. */
lam_status lam_frontier_through_runs(const lam_level_frontier *frontier, const lam_array_view *view,
                                     lam_frontier_memory *memory, lam_level_frontier *ret_frontier,
                                     lam_error *error);

/*
 * A byte for each present slot, 0 where it is null; NULL when none is. Entries of a dictionary that
 * are null count. `room` holds them.
 */
lam_status lam_frontier_valid(const lam_level_frontier *frontier, const lam_array_view *view,
                              lam_buffer *room, const uint8_t **ret_valid, lam_error *error);

/* Raises the level of entries that are not null: `level` + 1 for these, the others stay. `ranges`
 * are cut down to those when asked for. */
lam_status lam_frontier_without_nulls(const lam_level_frontier *frontier, const uint8_t *valid,
                                      bool with_ranges, lam_frontier_memory *memory,
                                      lam_level_frontier *ret_frontier, lam_error *error);

/* From slots of a struct to those of its children. */
lam_status lam_frontier_shift(const lam_level_frontier *frontier, int64_t offset,
                              lam_frontier_memory *memory, lam_level_frontier *ret_frontier,
                              lam_error *error);

/* From the lists, none of them null, to their elements. `lengths` is scratch. */
lam_status lam_frontier_through_lists(const lam_level_frontier *frontier,
                                      const lam_array_view *view, const lam_arrow_node *node,
                                      lam_frontier_memory *memory, lam_buffer *lengths,
                                      lam_level_frontier *ret_frontier, lam_error *error);

/* The row, from 0, of the entry with that number among the entries of a level. */
int64_t lam_level_row(size_t count, const uint8_t *repetition, const uint8_t *definition,
                      uint8_t level, size_t index);

#endif
