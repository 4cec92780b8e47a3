/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives from a schema, once, how each field shows in JSON: one node per field, at the field's
 * index, with its form, the meaning of its values, and its name as it is printed.
 *
 * The nodes are made in preorder, so a group decides the form of its repeated child before that
 * child has its turn: the child of a LIST or MAP is no array of its own, and a wrapper or entry
 * keeps the form that it was given. A field is shown if the projection has a leaf of it.
 * (LogicalTypes.md, "Lists", "Maps", with their backward-compatibility rules)
 *
 *     optional group tags (LIST) {            LIST       "tags":[
 *       repeated group list {                 WRAPPER
 *         optional binary element (STRING);   LEAF       "x","y"]
 */
#include "json/parse/json_shape.h"

#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "schema/nesting.h"
#include "text/json_string.h"

static lam_logical_kind json_shape_kind_of(const lam_field *field) {
    return field->logical_type.kind;
}

/*
 * A schema, of a file too, has annotations that go with the physical type alone (logical_type.c):
 * DATE is of 32 bits, TIMESTAMP of 64.
 */
static lam_json_meaning meaning_of_int(const lam_field *leaf, bool wide) {
    switch (json_shape_kind_of(leaf)) {
    case LAM_LOGICAL_DECIMAL:
        return LAM_JSON_MEANS_DECIMAL;
    case LAM_LOGICAL_DATE:
        return LAM_JSON_MEANS_DATE;
    case LAM_LOGICAL_TIME:
        return LAM_JSON_MEANS_TIME;
    case LAM_LOGICAL_TIMESTAMP:
        return LAM_JSON_MEANS_TIMESTAMP;
    case LAM_LOGICAL_INTEGER:
        if (!leaf->logical_type.is_signed)
            return wide ? LAM_JSON_MEANS_UINT64 : LAM_JSON_MEANS_UINT32;
        break;
    default:
        break;
    }
    return wide ? LAM_JSON_MEANS_INT64 : LAM_JSON_MEANS_INT32;
}

/* Annotations of a fixed length are those of leaves of that length. */
static lam_json_meaning meaning_of_bytes(const lam_field *leaf) {
    switch (json_shape_kind_of(leaf)) {
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        return LAM_JSON_MEANS_TEXT;
    case LAM_LOGICAL_DECIMAL:
        return LAM_JSON_MEANS_DECIMAL;
    case LAM_LOGICAL_UUID:
        return LAM_JSON_MEANS_UUID;
    case LAM_LOGICAL_INTERVAL:
        return LAM_JSON_MEANS_INTERVAL;
    case LAM_LOGICAL_TIMESTAMP:
        return LAM_JSON_MEANS_TIMESTAMP_96;
    case LAM_LOGICAL_FLOAT16:
        return LAM_JSON_MEANS_FLOAT16;
    default:
        return LAM_JSON_MEANS_BYTES;
    }
}

/* UNKNOWN comes first: its leaves may have any physical type. */
lam_json_meaning lam_json_meaning_of(const lam_field *leaf) {
    if (json_shape_kind_of(leaf) == LAM_LOGICAL_UNKNOWN)
        return LAM_JSON_MEANS_NOTHING;
    switch (leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        return LAM_JSON_MEANS_BOOLEAN;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return meaning_of_int(leaf, leaf->physical_type == LAM_PHYSICAL_INT64);
    case LAM_PHYSICAL_INT96:
        return LAM_JSON_MEANS_INT96;
    case LAM_PHYSICAL_FLOAT:
        return LAM_JSON_MEANS_FLOAT;
    case LAM_PHYSICAL_DOUBLE:
        return LAM_JSON_MEANS_DOUBLE;
    default:
        return meaning_of_bytes(leaf);
    }
}

/* --- Lists and maps -------------------------------------------------------------------------- */

/* Keys of an object are text, and never null. */
static bool is_text_key(const lam_field *key) {
    return key->repetition == LAM_REPETITION_REQUIRED &&
           key->physical_type == LAM_PHYSICAL_BYTE_ARRAY &&
           (json_shape_kind_of(key) == LAM_LOGICAL_STRING ||
            json_shape_kind_of(key) == LAM_LOGICAL_ENUM);
}

/*
 * True when the map can be an object: text keys, and no child that the projection leaves out. A map
 * without its values would lose its keys' meaning, one without keys could not be an object.
 */
static bool is_object_map(const lam_json_shape *shape, const lam_field *map) {
    const lam_field *entry = lam_child_at(map, 0);
    for (size_t i = 0; i < entry->child_count; i++)
        if (!lam_json_node_of(shape, lam_child_at(entry, i))->shown)
            return false;
    return is_text_key(lam_child_at(entry, 0));
}

/* --- The nodes, parents before children ------------------------------------------------------ */

/* Gives the repeated child of a list or map its form; it is no array of its own. */
static void shape_repeated(lam_json_shape *shape, const lam_field *group, lam_json_form form) {
    lam_json_node *child = &shape->nodes[lam_child_at(group, 0)->index];
    child->is_array = false;
    child->form = (uint8_t)form;
}

/*
 * Sets the form of a group, and that of its repeated child. A group whose parent has set its form
 * is left alone: the repeated child of a map printed as objects, say, may look like a list itself.
 */
static void shape_group(lam_json_shape *shape, lam_json_node *node) {
    const lam_field *field = node->field;
    if (node->form == LAM_JSON_FORM_WRAPPER || node->form == LAM_JSON_FORM_ENTRY || node->is_entry)
        return;
    if (field->index == 0) {
        node->form = LAM_JSON_FORM_OBJECT;
    } else if (lam_is_map(field)) {
        bool object = is_object_map(shape, field);
        node->form = object ? LAM_JSON_FORM_MAP : LAM_JSON_FORM_LIST;
        shape_repeated(shape, field, object ? LAM_JSON_FORM_ENTRY : LAM_JSON_FORM_OBJECT);
        shape->nodes[lam_child_at(field, 0)->index].is_entry = !object;
    } else if (lam_is_list(field)) {
        const lam_field *child = lam_child_at(field, 0);
        lam_json_form form = lam_list_has_wrapper(field) ? LAM_JSON_FORM_WRAPPER
                             : lam_is_group(child)       ? LAM_JSON_FORM_OBJECT
                                                         : LAM_JSON_FORM_LEAF;
        node->form = LAM_JSON_FORM_LIST;
        shape_repeated(shape, field, form);
    } else {
        node->form = LAM_JSON_FORM_OBJECT;
    }
}

/*
 * Marks every field that has a projected leaf, from the last to the first, so that children come
 * before their parents. Groups without leaves show when all is projected. The root always shows.
 */
static void show(lam_json_shape *shape, const bool *leaves) {
    const lam_schema *schema = shape->schema;
    for (size_t i = schema->field_count; i > 0; i--) {
        const lam_field *field = &schema->fields[i - 1];
        lam_json_node *node = &shape->nodes[i - 1];
        if (!lam_is_group(field))
            node->shown = leaves == NULL || leaves[field->first_leaf];
        else if (field->leaf_count == 0)
            node->shown = leaves == NULL;
        if (node->shown)
            shape->nodes[field->parent].shown = true;
    }
    shape->nodes[0].shown = true;
}

/*
 * Sets the name, and prints `"name":` once instead of once for each record. A name that is not
 * UTF-8 shows with U+FFFD. The entries of maps in files may have other names; in JSON they are
 * "key" and "value".
 */
static lam_status name_node(lam_json_shape *shape, lam_json_node *node, lam_buffer *lead,
                            lam_error *error) {
    static const char *const entry_names[] = {"key", "value"};
    const lam_field *field = node->field;
    node->name = field->name;
    node->name_size = field->name_size;
    /* The members of an entry that prints as an object. */
    if (field->index > 0 && lam_json_node_of(shape, lam_parent_of(field))->is_entry) {
        node->name = entry_names[field->ordinal];
        node->name_size = strlen(node->name);
    }
    lam_buffer_clear(lead);
    LAM_TRY(lam_json_string_print(lead, node->name, node->name_size, true, error));
    lead->data[lead->size++] = ':'; /* there is room after a string */
    char *copy;
    LAM_TRY(lam_arena_copy(&shape->arena, lead->data, lead->size, &copy, error));
    node->lead = copy;
    node->lead_size = lead->size;
    return LAM_STATUS_OK;
}

/* Parents come before their children here. */
static lam_status shape_nodes(lam_json_shape *shape, const bool *free_leaves, lam_buffer *lead,
                              lam_error *error) {
    const lam_schema *schema = shape->schema;
    for (size_t i = 0; i < schema->field_count; i++) {
        lam_json_node *node = &shape->nodes[i];
        const lam_field *field = &schema->fields[i];
        LAM_TRY(name_node(shape, node, lead, error));
        if (lam_is_group(field)) {
            shape_group(shape, node);
        } else {
            /* Free JSON counts only if the leaf can hold it, whatever the caller marked. */
            bool is_free = free_leaves != NULL && free_leaves[field->first_leaf] &&
                           json_shape_kind_of(field) == LAM_LOGICAL_JSON;
            node->meaning = (uint8_t)(is_free ? LAM_JSON_MEANS_FREE : lam_json_meaning_of(field));
        }
    }
    return LAM_STATUS_OK;
}

/* The projection is marked before the forms are set, because a map's form depends on it. */
lam_status lam_json_shape_init(lam_json_shape *shape, const lam_schema *schema, const bool *leaves,
                               const bool *free_leaves, const lam_allocator *allocator,
                               lam_error *error) {
    lam_status status;
    lam_buffer lead;
    lam_buffer_init(&lead, allocator);
    lam_arena_init(&shape->arena, allocator, 0);
    shape->schema = lam_schema_share(schema);
    shape->omits_nulls = false;
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&shape->arena, schema->field_count, &shape->nodes, error));
    for (size_t i = 0; i < schema->field_count; i++) {
        const lam_field *field = &schema->fields[i];
        shape->nodes[i].field = field;
        shape->nodes[i].children = schema->children + field->children;
        shape->nodes[i].is_array = lam_is_repeated(field);
        /* Counted, so that a reader need only compare a number to know that none is missing. */
        if (field->repetition == LAM_REPETITION_REQUIRED && field->leaf_count > 0 && i > 0)
            shape->nodes[field->parent].required++;
    }
    show(shape, leaves);
    LAM_TRY_OUT(shape_nodes(shape, free_leaves, &lead, error));
out:
    lam_buffer_finish(&lead);
    if (status != LAM_STATUS_OK)
        lam_json_shape_finish(shape);
    return status;
}

void lam_json_shape_finish(lam_json_shape *shape) {
    lam_arena_finish(&shape->arena);
    lam_schema_destroy(shape->schema);
    shape->schema = NULL;
    shape->nodes = NULL;
}
