/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives a sink with dicts: a dict comes in, and the events of one record go out, the fields in
 * the order of the schema.
 *
 *     {"id": 7, "tags": ["a", None]}
 *
 *     begin  put id 7  open tags  open list  put element "a"  close  open list  close  close
 *
 * None, and a key that is missing, is no value; but a VARIANT that must be there has a None of its
 * own. A key that the schema lacks is refused: the keys that were found are counted, and only where
 * there are more in the dict is the one looked for.
 *
 * The invariant: every open has its close unless the call fails; the record is then dropped.
 */
#include "feeder.h"

#include <string.h>

struct lampy_feeder {
    lampy_state *state;
    lampy_shape shape;
    lam_variant_builder *builder;    /* NULL without VARIANTs */
    lam_variant_shredder **variants; /* by lam_field_index; NULL but for VARIANTs */
    const lam_record_sink *sink;     /* of the record that is fed */
};

static int feed_one(lampy_feeder *feeder, const lampy_node *node, PyObject *object);
static int feed_field(lampy_feeder *feeder, const lampy_node *node, PyObject *object);

static int check(lampy_feeder *feeder, lam_status status, const lam_error *error) {
    if (status == LAM_STATUS_OK)
        return 0;
    lampy_raise(feeder->state, status, error);
    return -1;
}

static int open_group(lampy_feeder *feeder, const lampy_node *node) {
    lam_error error = lam_error_none();
    return check(feeder, lam_open(feeder->sink, node->field, &error), &error);
}

static int close_group(lampy_feeder *feeder, const lampy_node *node) {
    lam_error error = lam_error_none();
    return check(feeder, lam_close(feeder->sink, node->field, &error), &error);
}

/* --- Values ----------------------------------------------------------------------------------- */

static int feed_value(lampy_feeder *feeder, const lampy_node *node, PyObject *object) {
    uint8_t scratch[LAMPY_SCRATCH];
    lam_error error = lam_error_none();
    lam_value value;
    PyObject *owner;
    int result = lampy_value_in(feeder->state, node->field, object, scratch, &value, &owner);
    if (result == 0)
        result = check(feeder, feeder->sink->put(feeder->sink->state, node->field, value, &error),
                       &error);
    Py_XDECREF(owner);
    return result;
}

static int feed_variant(lampy_feeder *feeder, const lampy_node *node, PyObject *object) {
    lam_error error = lam_error_none();
    lam_variant variant;
    lam_variant_builder_clear(feeder->builder);
    if (lampy_variant_in(feeder->state, feeder->builder, object) < 0)
        return -1;
    lam_status status = lam_variant_builder_finish(feeder->builder, &variant, &error);
    if (status == LAM_STATUS_OK)
        status = lam_variant_shredder_write(feeder->variants[lam_field_index(node->field)], variant,
                                            feeder->sink, &error);
    return check(feeder, status, &error);
}

static bool is_nothing(const lampy_node *node, PyObject *object) {
    return object == Py_None && !(node->kind == LAMPY_VARIANT && !node->is_optional);
}

/* --- Groups ----------------------------------------------------------------------------------- */

/* A key that no child has is an error that names it. */
static int refuse_key(lampy_feeder *feeder, const lampy_node *node, PyObject *dict) {
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &key, &value)) {
        int known = PyDict_Contains(node->blank, key);
        if (known == 0) {
            char path[128];
            lam_field_path(node->field, path, sizeof path);
            PyErr_Format(feeder->state->error, "%s%sthe schema has no field %R", path,
                         path[0] == '\0' ? "" : ": ", key);
        }
        if (known <= 0)
            return -1;
    }
    return 0;
}

static int feed_members(lampy_feeder *feeder, const lampy_node *node, PyObject *dict) {
    Py_ssize_t found = 0;
    size_t count = lam_field_child_count(node->field);
    for (size_t i = 0; i < count; i++) {
        const lampy_node *child = lampy_node_of(&feeder->shape, lam_field_child(node->field, i));
        PyObject *value = PyDict_GetItemWithError(dict, child->name); /* borrowed */
        if (value == NULL) {
            if (PyErr_Occurred() != NULL)
                return -1;
            continue;
        }
        found++;
        if (is_nothing(child, value))
            continue;
        Py_INCREF(value);
        int result = feed_field(feeder, child, value);
        Py_DECREF(value);
        if (result < 0)
            return -1;
    }
    return found == PyDict_Size(dict) ? 0 : refuse_key(feeder, node, dict);
}

static int feed_struct(lampy_feeder *feeder, const lampy_node *node, PyObject *object) {
    if (!PyDict_Check(object))
        return lampy_fail_type(node->field, "a dict", object);
    return open_group(feeder, node) < 0 || feed_members(feeder, node, object) < 0 ||
                   close_group(feeder, node) < 0
               ? -1
               : 0;
}

/* An element that is None needs the repeated group around it to be there, with nothing in it. */
static int feed_element(lampy_feeder *feeder, const lampy_node *node, PyObject *object) {
    const lam_field *repeated = lam_field_child(node->field, 0);
    const lampy_node *entry = lampy_node_of(&feeder->shape, repeated);
    if (entry->kind != LAMPY_ELEMENT) {
        if (is_nothing(entry, object))
            return lampy_fail_type(entry->field, "an element, which cannot be None here", object);
        return feed_one(feeder, entry, object);
    }
    const lampy_node *element = lampy_node_of(&feeder->shape, lam_field_child(repeated, 0));
    if (open_group(feeder, entry) < 0 ||
        (!is_nothing(element, object) && feed_field(feeder, element, object) < 0))
        return -1;
    return close_group(feeder, entry);
}

/* Any iterable but text and dicts, which would be taken apart by mistake. */
static int feed_each(lampy_feeder *feeder, const lampy_node *node, PyObject *object,
                     int (*feed)(lampy_feeder *feeder, const lampy_node *node, PyObject *object)) {
    if (PyUnicode_Check(object) || PyBytes_Check(object) || PyDict_Check(object))
        return lampy_fail_type(node->field, "a list", object);
    PyObject *iterator = PyObject_GetIter(object), *element;
    if (iterator == NULL)
        return PyErr_ExceptionMatches(PyExc_TypeError)
                   ? lampy_fail_type(node->field, "a list", object)
                   : -1;
    int result = 0;
    while (result == 0 && (element = PyIter_Next(iterator)) != NULL) {
        result = feed(feeder, node, element);
        Py_DECREF(element);
    }
    Py_DECREF(iterator);
    return PyErr_Occurred() != NULL ? -1 : result;
}

/* A tuple of key and value. */
static int feed_entry(lampy_feeder *feeder, const lampy_node *node, PyObject *pair) {
    const lam_field *entry = lam_field_map_entry(node->field);
    PyObject *parts[2] = {NULL, NULL};
    if (!PyTuple_Check(pair) && !PyList_Check(pair))
        return lampy_fail_type(node->field, "a pair of key and value", pair);
    if (PySequence_Size(pair) != 2)
        return lampy_fail_type(node->field, "a pair of key and value", pair);
    int result = open_group(feeder, lampy_node_of(&feeder->shape, entry));
    for (int i = 0; i < 2 && result == 0; i++) {
        const lam_field *child = lam_field_child(entry, (size_t)i);
        const lampy_node *part = child == NULL ? NULL : lampy_node_of(&feeder->shape, child);
        parts[i] = PySequence_GetItem(pair, i);
        if (parts[i] == NULL)
            result = -1;
        else if (part != NULL && !is_nothing(part, parts[i]))
            result = feed_field(feeder, part, parts[i]);
        Py_XDECREF(parts[i]);
    }
    return result < 0 ? -1 : close_group(feeder, lampy_node_of(&feeder->shape, entry));
}

static int feed_map(lampy_feeder *feeder, const lampy_node *node, PyObject *object) {
    PyObject *pairs = PyDict_Check(object) ? PyDict_Items(object) : Py_NewRef(object);
    int result = pairs == NULL ? -1 : feed_each(feeder, node, pairs, feed_entry);
    Py_XDECREF(pairs);
    return result;
}

static int feed_one(lampy_feeder *feeder, const lampy_node *node, PyObject *object) {
    switch (node->kind) {
    case LAMPY_VALUE:
        return feed_value(feeder, node, object);
    case LAMPY_VARIANT:
        return feed_variant(feeder, node, object);
    case LAMPY_LIST:
    case LAMPY_MAP:
        break;
    default:
        return feed_struct(feeder, node, object);
    }
    if (open_group(feeder, node) < 0 ||
        (node->kind == LAMPY_MAP ? feed_map(feeder, node, object)
                                 : feed_each(feeder, node, object, feed_element)) < 0)
        return -1;
    return close_group(feeder, node);
}

/* An object that is not None; a list of such objects for a field that is repeated by itself. */
static int feed_field(lampy_feeder *feeder, const lampy_node *node, PyObject *object) {
    return node->is_repeated ? feed_each(feeder, node, object, feed_one)
                             : feed_one(feeder, node, object);
}

/* Tells the sink that the record cannot be finished, so that none is open. */
static void drop_record(const lam_record_sink *sink) {
    lam_error error = lam_error_none();
    error.status = LAM_STATUS_INVALID;
    (void)sink->fail(sink->state, &error, NULL);
    (void)lam_end(sink, NULL);
}

int lampy_feeder_feed(lampy_feeder *feeder, PyObject *record, const lam_record_sink *sink) {
    lam_error error = lam_error_none();
    const lampy_node *root = &feeder->shape.nodes[0];
    feeder->sink = sink;
    if (!PyDict_Check(record))
        return lampy_fail_type(root->field, "a dict", record);
    if (check(feeder, lam_begin(sink, &error), &error) < 0)
        return -1;
    int result = feed_members(feeder, root, record);
    if (result < 0)
        drop_record(sink);
    return result;
}

/* --- Making ----------------------------------------------------------------------------------- */

static lam_status make_variants(lampy_feeder *feeder, lam_error *error) {
    lam_variant_shredder_options options = lam_variant_shredder_options_default();
    lam_status status = LAM_STATUS_OK;
    options.trusted = true;
    for (size_t i = 0; i < feeder->shape.count && status == LAM_STATUS_OK; i++) {
        const lampy_node *node = &feeder->shape.nodes[i];
        if (node->kind != LAMPY_VARIANT)
            continue;
        if (feeder->builder == NULL)
            status = lam_variant_builder_create(NULL, NULL, &feeder->builder, error);
        if (status == LAM_STATUS_OK)
            status = lam_variant_shredder_create(node->field, &options, NULL, &feeder->variants[i],
                                                 error);
    }
    return status;
}

lampy_feeder *lampy_feeder_new(lampy_state *state, const lam_schema *schema) {
    lampy_feeder *feeder = PyMem_Calloc(1, sizeof *feeder);
    lam_error error = lam_error_none();
    if (feeder == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    feeder->state = state;
    feeder->variants = PyMem_Calloc(lam_schema_field_count(schema), sizeof *feeder->variants);
    if (feeder->variants == NULL || lampy_shape_init(&feeder->shape, state, schema, NULL) < 0) {
        if (feeder->variants == NULL)
            PyErr_NoMemory();
        lampy_feeder_free(feeder);
        return NULL;
    }
    lam_status status = make_variants(feeder, &error);
    if (status != LAM_STATUS_OK) {
        lampy_raise(state, status, &error);
        lampy_feeder_free(feeder);
        return NULL;
    }
    return feeder;
}

void lampy_feeder_free(lampy_feeder *feeder) {
    if (feeder == NULL)
        return;
    for (size_t i = 0; i < feeder->shape.count; i++)
        lam_variant_shredder_destroy(feeder->variants[i]);
    lam_variant_builder_destroy(feeder->builder);
    PyMem_Free(feeder->variants);
    lampy_shape_finish(&feeder->shape);
    PyMem_Free(feeder);
}
