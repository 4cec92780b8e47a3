/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out what each field of a schema is in Python: a schema and the leaves that are wanted come
 * in, and an array of nodes, one for each field, goes out.
 *
 *     optional group tags (LIST)              LIST      ["a", None]
 *       repeated group list                   ELEMENT
 *         optional binary element (STRING)    VALUE
 *     optional group m (MAP)                  MAP       [("k", 1)]
 *       repeated group key_value              ENTRY
 *     repeated group point                    STRUCT    [{"x": 1}], is_repeated
 *
 * (LogicalTypes.md, sections "Lists" and "Maps")
 */
#include "shape.h"

#include <string.h>

static lampy_kind kind_of(const lam_field *field) {
    const lam_field *parent = lam_field_parent(field);
    if (lam_field_is_leaf(field))
        return LAMPY_VALUE;
    if (lam_field_logical_type(field)->kind == LAM_LOGICAL_VARIANT)
        return LAMPY_VARIANT;
    if (lam_field_list_element(field) != NULL)
        return LAMPY_LIST;
    if (lam_field_map_entry(field) != NULL)
        return LAMPY_MAP;
    if (parent != NULL && lam_field_map_entry(parent) == field)
        return LAMPY_ENTRY;
    const lam_field *element = parent == NULL ? NULL : lam_field_list_element(parent);
    return element != NULL && element != field ? LAMPY_ELEMENT : LAMPY_STRUCT;
}

static bool is_wanted(const lam_field *field, const bool *leaves) {
    size_t first = lam_field_first_leaf(field), count = lam_field_leaf_count(field);
    for (size_t i = 0; leaves != NULL && i < count; i++)
        if (leaves[first + i])
            return true;
    return leaves == NULL || count == 0;
}

/* Names that are no UTF-8 come from files of others alone. */
static int name_node(lampy_node *node) {
    const char *name = lam_field_name(node->field);
    PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogateescape");
    if (text == NULL)
        return -1;
    PyUnicode_InternInPlace(&text);
    node->name = text;
    return 0;
}

/* The element of a list without a wrapper is repeated by the list, not by itself. */
static bool repeats_alone(const lam_field *field) {
    const lam_field *parent = lam_field_parent(field);
    return lam_field_repetition(field) == LAM_REPETITION_REPEATED && parent != NULL &&
           lam_field_list_element(parent) == NULL && lam_field_map_entry(parent) == NULL;
}

/* After the nodes of all children, which come after it. */
int lampy_node_struct(const lampy_shape *shape, lampy_node *node) {
    node->kind = LAMPY_STRUCT;
    node->blank = PyDict_New();
    for (size_t i = 0; node->blank != NULL && i < lam_field_child_count(node->field); i++) {
        const lampy_node *child = lampy_node_of(shape, lam_field_child(node->field, i));
        node->has_lists = node->has_lists || (child->is_wanted && child->is_repeated);
        if (child->is_wanted && PyDict_SetItem(node->blank, child->name, Py_None) < 0)
            return -1;
    }
    return node->blank == NULL ? -1 : 0;
}

int lampy_shape_init(lampy_shape *shape, lampy_state *state, const lam_schema *schema,
                     const bool *leaves) {
    memset(shape, 0, sizeof *shape);
    shape->schema = schema;
    shape->state = state;
    size_t count = lam_schema_field_count(schema);
    shape->nodes = PyMem_Calloc(count, sizeof *shape->nodes);
    if (shape->nodes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    shape->count = count;
    for (size_t i = count; i-- > 0;) {
        lampy_node *node = &shape->nodes[i];
        node->field = lam_schema_field(schema, i);
        node->kind = kind_of(node->field);
        node->is_wanted = is_wanted(node->field, leaves);
        node->is_repeated = repeats_alone(node->field);
        node->is_optional = lam_field_repetition(node->field) == LAM_REPETITION_OPTIONAL;
        if (name_node(node) < 0 ||
            (node->kind == LAMPY_STRUCT && lampy_node_struct(shape, node) < 0)) {
            lampy_shape_finish(shape);
            return -1;
        }
    }
    return 0;
}

void lampy_shape_finish(lampy_shape *shape) {
    for (size_t i = 0; i < shape->count; i++) {
        Py_CLEAR(shape->nodes[i].name);
        Py_CLEAR(shape->nodes[i].blank);
    }
    PyMem_Free(shape->nodes);
    memset(shape, 0, sizeof *shape);
}
