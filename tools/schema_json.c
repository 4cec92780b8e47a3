/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schema as a tree of objects: fields in, JSON out. The invariant: fields come in the order of
 * the schema, each after its group, so that the leaves are in the order of the columns.
 */
#define _POSIX_C_SOURCE 200809L
#include "schema_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { DEPTH_MOST = 256 };

static const char *const repetitions[] = {"required", "optional", "repeated"};

/* The name of a physical type in message text; NULL for a group. */
static const char *physical_name(const lam_field *field) {
    static const char *const names[] = {"boolean", "int32",  "int64",  "int96",
                                        "float",   "double", "binary", "fixed_len_byte_array"};
    return lam_field_is_leaf(field) ? names[lam_field_physical_type(field)] : NULL;
}

static void print_json_members(const lam_field *field) {
    const lam_logical_type *logical = lam_field_logical_type(field);
    tool_print("{\"name\":");
    tool_print_text(lam_field_name(field), strlen(lam_field_name(field)));
    if (lam_field_parent(field) != NULL)
        tool_print(",\"repetition\":\"%s\"", repetitions[lam_field_repetition(field)]);
    if (physical_name(field) != NULL)
        tool_print(",\"type\":\"%s\"", physical_name(field));
    if (lam_field_is_leaf(field) &&
        lam_field_physical_type(field) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        tool_print(",\"length\":%" PRId32, lam_field_type_length(field));
    if (logical->kind != LAM_LOGICAL_NONE) {
        size_t size = lam_logical_type_print(logical, NULL, 0) + 1;
        char *text = tool_allocate(size, 1);
        lam_logical_type_print(logical, text, size);
        tool_print(",\"logical_type\":");
        tool_print_text(text, strlen(text));
        free(text);
    }
    if (lam_field_has_id(field))
        tool_print(",\"field_id\":%" PRId32, lam_field_id(field));
    tool_print(",\"max_repetition\":%u,\"max_definition\":%u", lam_field_max_repetition(field),
               lam_field_max_definition(field));
}

/* A tree in preorder, without recursion: a schema may be deep. */
void schema_print_json(const lam_schema *schema) {
    const lam_field *field = lam_schema_root(schema);
    size_t at[DEPTH_MOST] = {0}, depth = 0; /* the next child of each open group */
    print_json_members(field);
    while (field != NULL) {
        size_t children = lam_field_child_count(field);
        if (at[depth] < children && depth + 1 < DEPTH_MOST) {
            tool_print(at[depth] == 0 ? ",\"fields\":[" : ",");
            field = lam_field_child(field, at[depth]++);
            at[++depth] = 0;
            print_json_members(field);
            continue;
        }
        tool_print(lam_field_is_leaf(field) ? "}" : children == 0 ? ",\"fields\":[]}" : "]}");
        field = lam_field_parent(field);
        depth -= field != NULL;
    }
}
