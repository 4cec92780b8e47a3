/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the rare steps of a slot walk over columns with their sources: reads batches, and refuses
 * levels that contradict each other.
 *
 * The invariant (slot_walk.h has the picture): after each slot every column is at a triple of the
 * slot around it, as the levels of both prove.
 */
#include "dremel/slot_walk.h"

#include <string.h>

#include "schema/leaf_error.h"

void lam_slot_column_init(lam_slot_column *column, const lam_field *leaf, const lam_field *field) {
    memset(column, 0, sizeof *column);
    column->leaf = leaf;
    column->slots = lam_slots_of(field);
    lam_slots_least(leaf, column->least);
}

/* With a definition level of 0 before it, only a record may come first. */
void lam_slot_walk_start(lam_slot_walk *walk, size_t rows_max) {
    walk->rows = 0;
    walk->rows_max = rows_max;
    for (size_t i = 0; i < walk->column_count; i++) {
        walk->columns[i].batch.count = 0;
        walk->columns[i].next = 0;
        walk->columns[i].definition = 0;
    }
}

/* Reads the next batch of a column; its count is 0 at the end, and after a failure. */
lam_status lam_slot_walk_read(lam_slot_walk *walk, lam_slot_column *column, lam_error *error) {
    lam_triples batch = {0};
    column->batch.count = 0;
    column->next = 0;
    column->next_value = 0;
    LAM_TRY(column->source.read(column->source.state, &batch, error));
    column->batch = batch;
    return walk->on_batch == NULL
               ? LAM_STATUS_OK
               : walk->on_batch(walk->state, (size_t)(column - walk->columns), error);
}

/* --- Records without levels ------------------------------------------------------------------ */

lam_status lam_slot_walk_plain_rows(lam_slot_walk *walk, size_t *ret_count, lam_error *error) {
    size_t count = walk->rows_max - walk->rows;
    for (size_t i = 0; i < walk->column_count; i++) {
        lam_slot_column *column = &walk->columns[i];
        if (lam_slot_column_is_spent(column))
            LAM_TRY(lam_slot_walk_read(walk, column, error));
        size_t left = column->batch.count - column->next;
        if (column->batch.repetition != NULL || column->batch.definition != NULL)
            left = 0;
        count = count < left ? count : left;
    }
    *ret_count = count;
    return LAM_STATUS_OK;
}

void lam_slot_walk_pass(lam_slot_walk *walk, size_t count) {
    walk->rows += count;
    for (size_t i = 0; count > 0 && i < walk->column_count; i++) {
        lam_slot_column *column = &walk->columns[i];
        column->next += count;
        column->next_value += count;
        column->repetition = 0;
        column->definition = column->leaf->max_definition;
    }
}

/* --- Refusals -------------------------------------------------------------------------------- */

static lam_status slot_walk_fail(const lam_slot_column *column, const char *what,
                                 lam_error *error) {
    return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, column->leaf, "%s", what);
}

/* The leading column's triple begins a record too many, or none although it is the first. */
lam_status lam_slot_walk_fail_next(const lam_slot_walk *walk, lam_error *error) {
    const lam_slot_column *leading = walk->columns;
    if (walk->rows == 0)
        return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, leading->leaf,
                              "repetition level %u where the record needs 0", leading->repetition);
    LAM_FAIL(error, LAM_STATUS_STATE, "a source gives more than %zu records", walk->rows_max);
}

lam_status lam_slot_walk_fail_element(const lam_slot_column *column, lam_error *error) {
    return slot_walk_fail(column, "another element of a list that is empty", error);
}

/* Blames the later of two columns, as an assembler does that reads them in the schema's order. */
static lam_status slot_walk_fail_pair(const lam_slot_column *a, const lam_slot_column *b,
                                      lam_error *error) {
    const lam_slot_column *first = a->leaf->first_leaf < b->leaf->first_leaf ? a : b,
                          *second = first == a ? b : a;
    if (first->repetition != second->repetition)
        return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, second->leaf,
                              "repetition level %u where the record needs %u", second->repetition,
                              first->repetition);
    return lam_field_fail(error, LAM_ERROR_CODE_LEVELS_AGREE, second->leaf,
                          "definition level %u contradicts the columns before", second->definition);
}

/* --- Columns that follow --------------------------------------------------------------------- */

/*
 * Moves from the current triple, which followed one of definition level `before`, to the next slot:
 * the inside of the last slot is passed.
 */
static lam_status slot_walk_pass_inside(lam_slot_walk *walk, lam_slot_column *column,
                                        uint8_t before, bool *ret_any, lam_error *error) {
    while (*ret_any && column->repetition > column->slots.repetition) {
        if (!lam_slots_may_follow(column->least, before, column->repetition, column->definition))
            return lam_slot_walk_fail_element(column, error);
        before = column->definition;
        LAM_TRY(lam_slot_walk_take(walk, column, ret_any, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Takes a column to the slot of the leading one whose next triple, after one of definition level
 * `before`, is not there: it is inside the slot before, or contradicts the leading column.
 */
lam_status lam_slot_walk_catch_up(lam_slot_walk *walk, lam_slot_column *column, uint8_t before,
                                  lam_error *error) {
    const lam_slot_column *leading = walk->columns;
    bool any = column->batch.count > 0;
    LAM_TRY(slot_walk_pass_inside(walk, column, before, &any, error));
    if (!any)
        return slot_walk_fail(column, "the column ends before the others", error);
    if (column->repetition != leading->repetition ||
        !lam_slots_agree(column->slots, column->definition, leading->definition))
        return slot_walk_fail_pair(column, leading, error);
    return LAM_STATUS_OK;
}

/* The leading column has ended, and so must the others. */
lam_status lam_slot_walk_end(lam_slot_walk *walk, lam_error *error) {
    for (size_t i = 1; i < walk->column_count; i++) {
        lam_slot_column *column = &walk->columns[i];
        uint8_t before = column->definition;
        bool any;
        LAM_TRY(lam_slot_walk_take(walk, column, &any, error));
        LAM_TRY(slot_walk_pass_inside(walk, column, before, &any, error));
        if (any)
            return slot_walk_fail(column, "the column continues after others have ended", error);
    }
    return LAM_STATUS_OK;
}
