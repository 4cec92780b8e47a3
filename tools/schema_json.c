/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the fields of a schema as one JSON object, in which each group has its fields. Uses only
 * public headers and tool_print, so that this runs wherever the library does. Fields always come in
 * the order of the schema.
 */
#include "schema_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { DEPTH_MOST = 256 };

const char *schema_repetition_name(const lam_field *field) {
    static const char *const names[] = {[LAM_REPETITION_REQUIRED] = "required",
                                        [LAM_REPETITION_OPTIONAL] = "optional",
                                        [LAM_REPETITION_REPEATED] = "repeated",
                                        [LAM_REPETITION_VECTOR] = "vector"};
    return names[lam_field_repetition(field)];
}

const char *schema_physical_name(const lam_field *field) {
    static const char *const names[] = {"boolean", "int32",  "int64",  "int96",
                                        "float",   "double", "binary", "fixed_len_byte_array"};
    return lam_field_is_leaf(field) ? names[lam_field_physical_type(field)] : NULL;
}

const char *schema_level_reason(const lam_field *field) {
    const lam_field *parent = lam_field_parent(field);
    if (parent == NULL)
        return "the record itself: adds nothing";
    if (lam_field_list_element(parent) != NULL)
        return "may be empty: d; may have further elements: r";
    if (lam_field_map_entry(parent) == field)
        return "may be empty: d; may have further entries: r";
    switch (lam_field_repetition(field)) {
    case LAM_REPETITION_REQUIRED:
        return "always there, once: adds nothing";
    case LAM_REPETITION_OPTIONAL:
        return "may be null: d";
    case LAM_REPETITION_VECTOR:
        return "a vector, whose columns are not read: adds nothing";
    default:
        return "may be missing: d; may come again: r";
    }
}

static lam_status print_logical_type(const lam_logical_type *logical, lam_error *error) {
    size_t size = lam_logical_type_print(logical, NULL, 0);
    char *text = malloc(size + 1);
    if (text == NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_NOMEM;
        snprintf(error->message, sizeof error->message, "out of memory");
        return LAM_STATUS_NOMEM;
    }
    lam_logical_type_print(logical, text, size + 1);
    tool_print(",\"logical_type\":");
    tool_print_text(text, size);
    free(text);
    return LAM_STATUS_OK;
}

static lam_status print_json_members(const lam_field *field, lam_error *error) {
    int32_t id;
    lam_status status = LAM_STATUS_OK;
    const lam_logical_type *logical = lam_field_logical_type(field);
    tool_print("{\"name\":");
    tool_print_text(lam_field_name(field), strlen(lam_field_name(field)));
    if (lam_field_parent(field) != NULL)
        tool_print(",\"repetition\":\"%s\"", schema_repetition_name(field));
    if (schema_physical_name(field) != NULL)
        tool_print(",\"type\":\"%s\"", schema_physical_name(field));
    if (lam_field_is_leaf(field) &&
        lam_field_physical_type(field) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        tool_print(",\"length\":%" PRId32, lam_field_type_length(field));
    if (logical->kind != LAM_LOGICAL_NONE)
        status = print_logical_type(logical, error);
    if (lam_field_id(field, &id))
        tool_print(",\"field_id\":%" PRId32, id);
    tool_print(",\"max_repetition\":%u,\"max_definition\":%u,\"why\":\"%s\"",
               lam_field_max_repetition(field), lam_field_max_definition(field),
               schema_level_reason(field));
    return status;
}

/* A tree in preorder, without recursion: a schema may be deep. */
lam_status schema_print_json(const lam_schema *schema, lam_error *error) {
    const lam_field *field = lam_schema_root(schema);
    size_t at[DEPTH_MOST] = {0}, depth = 0; /* the next child of each open group */
    lam_status status = print_json_members(field, error);
    while (field != NULL && status == LAM_STATUS_OK) {
        size_t children = lam_field_child_count(field);
        if (at[depth] < children && depth + 1 < DEPTH_MOST) {
            tool_print(at[depth] == 0 ? ",\"fields\":[" : ",");
            field = lam_field_child(field, at[depth]++);
            at[++depth] = 0;
            status = print_json_members(field, error);
            continue;
        }
        tool_print(lam_field_is_leaf(field) ? "}" : children == 0 ? ",\"fields\":[]}" : "]}");
        field = lam_field_parent(field);
        depth -= field != NULL;
    }
    tool_print("\n");
    return status;
}
