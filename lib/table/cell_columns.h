/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of a table, and the steps that find their cells in a line of JSON.
 *
 *     fields that show            steps                         columns
 *     id                          cell 0                        id
 *     user { name, tags }         group of cells 1 to 2         user.name
 *                                 cell 1, cell 2                user.tags
 *
 * The invariant: the steps are in the order in which the JSON writer prints the members, and those
 * inside a group follow it.
 */
#ifndef LAM_TABLE_CELL_COLUMNS_H
#define LAM_TABLE_CELL_COLUMNS_H

#include "base/arena.h"
#include "json/parse/json_shape.h"

typedef struct lam_cell_step {
    bool is_group;
    size_t first_cell; /* the cell of the step; the first one inside a group */
    size_t end_cell;
    size_t next; /* the step after it and its inside */
} lam_cell_step;

typedef struct lam_cell_columns {
    lam_cell_step *steps;
    size_t step_count;
    const char **names; /* by cell */
    bool *are_times;    /* by cell: its texts are those of times */
    size_t count;
} lam_cell_columns;

/* All memory comes from `arena`. NOMEM. */
lam_status lam_cell_columns_make(const lam_json_shape *shape, lam_arena *arena,
                                 lam_cell_columns *ret_columns, lam_error *error);

#endif
