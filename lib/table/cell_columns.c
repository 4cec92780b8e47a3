/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flattens the groups of a schema: the shape that JSON has in, columns and steps out. Only an
 * object that is not repeated is flattened; a list, a map or a VARIANT is one cell. The invariant:
 * a column is a leaf or holds whole values, so no row has more than one cell of it.
 */
#include "table/cell_columns.h"

#include "base/error.h"

static bool is_flattened(const lam_json_node *node) {
    return node->form == LAM_JSON_FORM_OBJECT && !node->is_array;
}

/* A leaf of INT96 whose bytes are no time prints them as text, which has no fraction. */
static bool is_time(const lam_json_node *node) {
    return node->form == LAM_JSON_FORM_LEAF && !node->is_array &&
           (node->meaning == LAM_JSON_MEANS_TIME || node->meaning == LAM_JSON_MEANS_TIMESTAMP ||
            node->meaning == LAM_JSON_MEANS_TIMESTAMP_96 || node->meaning == LAM_JSON_MEANS_INT96);
}

static lam_status copy_path(const lam_field *field, lam_arena *arena, const char **ret_path,
                            lam_error *error) {
    void *memory;
    size_t size = lam_field_path(field, NULL, 0) + 1;
    LAM_TRY(lam_arena_array(arena, size, 1, &memory, error));
    (void)lam_field_path(field, memory, size);
    *ret_path = memory;
    return LAM_STATUS_OK;
}

/* Goes through the fields in preorder; what is inside of a cell is passed over. */
static lam_status add_steps(const lam_json_shape *shape, const lam_json_node *group,
                            lam_arena *arena, lam_cell_columns *columns, lam_error *error) {
    for (size_t i = 0; i < group->field->child_count; i++) {
        const lam_json_node *node = lam_json_child(shape, group, i);
        if (!node->shown)
            continue;
        lam_cell_step *step = &columns->steps[columns->step_count++];
        step->is_group = is_flattened(node);
        step->first_cell = columns->count;
        if (step->is_group) {
            LAM_TRY(add_steps(shape, node, arena, columns, error));
        } else {
            LAM_TRY(copy_path(node->field, arena, &columns->names[columns->count], error));
            columns->are_times[columns->count] = is_time(node);
            columns->count++;
        }
        step->end_cell = columns->count;
        step->next = columns->step_count;
    }
    return LAM_STATUS_OK;
}

lam_status lam_cell_columns_make(const lam_json_shape *shape, lam_arena *arena,
                                 lam_cell_columns *ret_columns, lam_error *error) {
    lam_cell_columns columns = {NULL, 0, NULL, NULL, 0};
    size_t most = shape->schema->field_count;
    void *memory;
    LAM_TRY(lam_arena_array(arena, most, sizeof *columns.steps, &memory, error));
    columns.steps = memory;
    LAM_TRY(lam_arena_array(arena, most, sizeof *columns.names, &memory, error));
    columns.names = memory;
    LAM_TRY(lam_arena_array(arena, most, sizeof *columns.are_times, &memory, error));
    columns.are_times = memory;
    LAM_TRY(add_steps(shape, &shape->nodes[0], arena, &columns, error));
    *ret_columns = columns;
    return LAM_STATUS_OK;
}
