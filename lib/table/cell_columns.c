/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flattens the groups of a schema: takes its shape in JSON, and gives columns and steps. Only an
 * object that is not repeated is flattened; a list, a map or a VARIANT is one cell. A column is
 * always a leaf or holds complete values, so no row has more than one cell of it.
 *
 * A column is called by its names with dots between, as they are, so columns of one level keep
 * their names. Columns that would have the same name are called by their paths:
 *
 *     group a { b }        a.b        "a.b"      beside group a { b }      a.b   "a.b"
 *     "full name"          full name  "a.b"      alone                     a.b
 */
#include "table/cell_columns.h"

#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "schema/path_text.h"

static bool is_flattened(const lam_json_node *node) {
    return node->form == LAM_JSON_FORM_OBJECT && !node->is_array;
}

/* A leaf of INT96 whose bytes are no time prints them as text, which has no fraction. */
static bool is_time(const lam_json_node *node) {
    return node->form == LAM_JSON_FORM_LEAF && !node->is_array &&
           (node->meaning == LAM_JSON_MEANS_TIME || node->meaning == LAM_JSON_MEANS_TIMESTAMP ||
            node->meaning == LAM_JSON_MEANS_TIMESTAMP_96 || node->meaning == LAM_JSON_MEANS_INT96);
}

/* Copies a field's text from `print`, which is lam_field_path or lam_field_label. */
static lam_status copy_printed(const lam_field *field,
                               size_t (*print)(const lam_field *field, char *buffer, size_t size),
                               lam_arena *arena, const char **ret_text, lam_error *error) {
    char *text;
    size_t size = print(field, NULL, 0) + 1;
    LAM_TRY(LAM_ARENA_ARRAY(arena, size, &text, error));
    (void)print(field, text, size);
    *ret_text = text;
    return LAM_STATUS_OK;
}

/* The column before one that is called alike, or LAM_HASH_INDEX_NONE; then it is in the index. */
static lam_status find_namesake(const lam_cell_columns *columns, uint32_t column,
                                lam_hash_index *index, uint32_t *ret_namesake, lam_error *error) {
    const char *name = columns->names[column];
    uint32_t hash = lam_hash_index_hash(index, name, strlen(name)), found;
    LAM_HASH_INDEX_FIND(index, hash, found, strcmp(columns->names[found], name) == 0);
    *ret_namesake = found;
    return found == LAM_HASH_INDEX_NONE ? lam_hash_index_add(index, hash, column, error)
                                        : LAM_STATUS_OK;
}

/* Marks the columns that are called like others. */
static lam_status mark_namesakes(const lam_cell_columns *columns, bool *marks,
                                 const lam_allocator *allocator, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_hash_index index;
    uint32_t namesake;
    lam_hash_index_init(&index, allocator);
    for (uint32_t i = 0; i < columns->count; i++) {
        LAM_TRY_OUT(find_namesake(columns, i, &index, &namesake, error));
        if (namesake != LAM_HASH_INDEX_NONE)
            marks[namesake] = marks[i] = true;
    }
out:
    lam_hash_index_finish(&index);
    return status;
}

/* Calls columns by their paths if their names are not enough. */
static lam_status distinguish_columns(const lam_cell_columns *columns,
                                      const lam_field *const *fields, lam_arena *arena,
                                      lam_error *error) {
    bool *marks;
    LAM_TRY(LAM_ARENA_ARRAY(arena, columns->count + 1, &marks, error));
    LAM_TRY(mark_namesakes(columns, marks, &arena->allocator, error));
    for (size_t i = 0; i < columns->count; i++)
        if (marks[i])
            LAM_TRY(copy_printed(fields[i], lam_field_path, arena, &columns->names[i], error));
    return LAM_STATUS_OK;
}

/* Goes through the fields in preorder; the inside of a cell is passed over. */
static lam_status add_steps(const lam_json_shape *shape, const lam_json_node *group,
                            lam_arena *arena, lam_cell_columns *columns, const lam_field **fields,
                            lam_error *error) {
    for (size_t i = 0; i < group->field->child_count; i++) {
        const lam_json_node *node = lam_json_child(shape, group, i);
        if (!node->shown)
            continue;
        lam_cell_step *step = &columns->steps[columns->step_count++];
        step->is_group = is_flattened(node);
        step->first_cell = columns->count;
        if (step->is_group) {
            LAM_TRY(add_steps(shape, node, arena, columns, fields, error));
        } else {
            LAM_TRY(copy_printed(node->field, lam_field_label, arena,
                                 &columns->names[columns->count], error));
            columns->are_times[columns->count] = is_time(node);
            fields[columns->count++] = node->field;
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
    const lam_field **fields;
    LAM_TRY(LAM_ARENA_ARRAY(arena, most, &columns.steps, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, most, &columns.names, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, most, &columns.are_times, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, most, &fields, error));
    LAM_TRY(add_steps(shape, &shape->nodes[0], arena, &columns, fields, error));
    LAM_TRY(distinguish_columns(&columns, fields, arena, error));
    *ret_columns = columns;
    return LAM_STATUS_OK;
}
