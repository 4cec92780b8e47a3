/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns side by side, slot by slot, without records: leaves at or below a field have the same
 * slots of it (dremel/slots.h), so that a step of one is a step of all. One column leads. Here `x`
 * leads by its own slots, and `id` follows by those of `a`:
 *
 *     repeated group a { required id; repeated x; }        R of a: 1, of x: 2
 *
 *                                       x          id         slot
 *                                       r d        r d
 *     {a: [{id: 5, x: [7, 8]},          0 2  7     0 1  5     x = 7 beside id = 5
 *                                       2 2  8     stays      x = 8 beside id = 5, as 2 > 1
 *          {id: 6}]}                    1 1        1 1  6     x missing beside id = 6
 *     {a: []}                           0 0        0 0        neither
 *
 * A column may have slots of a field further up than the leading one, and then stays where it is
 * for some of the slots; it may have further triples inside its slots, which it passes. Levels to
 * which no record shreds are refused with the words of the assembler; if two columns contradict
 * each other, at the later one in the schema.
 */
#ifndef LAM_DREMEL_SLOT_WALK_H
#define LAM_DREMEL_SLOT_WALK_H

#include <lamella/dremel.h>

#include "base/error.h"
#include "dremel/slots.h"

/* A column, and its current triple. */
typedef struct lam_slot_column {
    const lam_field *leaf;
    lam_triple_source source;
    lam_triples batch;
    size_t next;        /* the triple of the batch after the current one */
    size_t next_value;  /* the value after the current one, if that has one */
    uint8_t repetition; /* of the current triple */
    uint8_t definition;
    lam_slots slots; /* by which it takes steps: of a field at or above the leaf */
    uint8_t least[LAM_SCHEMA_DEPTH_MAX + 1]; /* by repetition level (lam_slots_least) */
} lam_slot_column;

typedef struct lam_slot_walk {
    lam_slot_column *columns; /* the first one leads */
    size_t column_count;
    size_t rows;     /* records that have begun */
    size_t rows_max; /* that the sources may give */
    /* Called after each read of a column, whose last batch is gone; or NULL. */
    lam_status (*on_batch)(void *state, size_t column, lam_error *error);
    void *state;
} lam_slot_walk;

/*
 * Makes a column of a leaf and the slots of a field at or above it. The source is set by the
 * caller; its levels must be at most the leaf's, as those of a cursor are.
 */
void lam_slot_column_init(lam_slot_column *column, const lam_field *leaf, const lam_field *field);

/* Starts on the next records of the sources, at most `rows_max`. */
void lam_slot_walk_start(lam_slot_walk *walk, size_t rows_max);

/* The steps of lam_slot_walk_next that few slots need: see there. */
lam_status lam_slot_walk_read(lam_slot_walk *walk, lam_slot_column *column, lam_error *error);
lam_status lam_slot_walk_end(lam_slot_walk *walk, lam_error *error);
lam_status lam_slot_walk_catch_up(lam_slot_walk *walk, lam_slot_column *column, uint8_t before,
                                  lam_error *error);
lam_status lam_slot_walk_fail_next(const lam_slot_walk *walk, lam_error *error);
lam_status lam_slot_walk_fail_element(const lam_slot_column *column, lam_error *error);

/*
 * Gives how many of the next triples are a record and a value of each column, as the batches have
 * no levels; reads batches when the last ones have ended. 0 if there are levels.
 */
lam_status lam_slot_walk_plain_rows(lam_slot_walk *walk, size_t *ret_count, lam_error *error);
/* Passes that many records, or fewer: their values begin at `next_value` of each column. */
void lam_slot_walk_pass(lam_slot_walk *walk, size_t count);

static inline bool lam_slot_column_is_spent(const lam_slot_column *column) {
    return column->next == column->batch.count;
}

static inline bool lam_slot_column_has_value(const lam_slot_column *column) {
    return column->definition == column->leaf->max_definition;
}

/* Goes to the next triple of the batch, which is not spent. */
static inline void lam_slot_column_step(lam_slot_column *column) {
    size_t at = column->next++;
    column->repetition = column->batch.repetition == NULL ? 0 : column->batch.repetition[at];
    column->definition = column->batch.definition == NULL ? column->leaf->max_definition
                                                          : column->batch.definition[at];
    column->next_value += lam_slot_column_has_value(column);
}

/* Takes the next triple; false at the end. */
static inline lam_status lam_slot_walk_take(lam_slot_walk *walk, lam_slot_column *column,
                                            bool *ret_any, lam_error *error) {
    if (lam_slot_column_is_spent(column))
        LAM_TRY(lam_slot_walk_read(walk, column, error));
    *ret_any = column->batch.count > 0;
    if (*ret_any)
        lam_slot_column_step(column);
    return LAM_STATUS_OK;
}

/*
 * Takes the next triple of the leading column: the record's first, or another element of a list
 * that has some.
 */
static inline lam_status lam_slot_walk_lead(lam_slot_walk *walk, bool *ret_any, lam_error *error) {
    lam_slot_column *leading = walk->columns;
    uint8_t before = leading->definition;
    LAM_TRY(lam_slot_walk_take(walk, leading, ret_any, error));
    if (!*ret_any)
        return LAM_STATUS_OK;
    if (leading->repetition == 0)
        return walk->rows++ < walk->rows_max ? LAM_STATUS_OK : lam_slot_walk_fail_next(walk, error);
    if (walk->rows == 0)
        return lam_slot_walk_fail_next(walk, error);
    if (!lam_slots_may_follow(leading->least, before, leading->repetition, leading->definition))
        return lam_slot_walk_fail_element(leading, error);
    return LAM_STATUS_OK;
}

/*
 * Goes to the next slot of the leading column, and in each of the others to the slot around it or
 * at it; the current levels are then those of the columns' slots. False after the last one, when
 * all columns have ended. CORRUPT, with the path of a column, for levels that no record shreds to;
 * STATE for more than `rows_max` records; failures of sources and of `on_batch`.
 */
static inline lam_status lam_slot_walk_next(lam_slot_walk *walk, bool *ret_any, lam_error *error) {
    lam_slot_column *leading = walk->columns;
    do {
        LAM_TRY(lam_slot_walk_lead(walk, ret_any, error));
        if (!*ret_any)
            return lam_slot_walk_end(walk, error);
    } while (leading->repetition > leading->slots.repetition);
    for (size_t i = 1; i < walk->column_count; i++) {
        lam_slot_column *column = &walk->columns[i];
        uint8_t before = column->definition;
        bool any;
        if (leading->repetition > column->slots.repetition)
            continue;
        LAM_TRY(lam_slot_walk_take(walk, column, &any, error));
        if (!any || column->repetition != leading->repetition ||
            !lam_slots_agree(column->slots, column->definition, leading->definition))
            LAM_TRY(lam_slot_walk_catch_up(walk, column, before, error));
    }
    return LAM_STATUS_OK;
}

#endif
