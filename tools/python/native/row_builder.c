/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes dicts of records: the events of the record reader come in, with each VARIANT as one value,
 * and a dict for each record goes into a list.
 *
 *     begin                push {"id": None, "tags": None}
 *     put id 7                  {"id": 7, ...}
 *     open tags            push []
 *     open list            push an element, None
 *     put element "a"           the element is "a"
 *     close list           pop  ["a"]
 *     close tags           pop  {"id": 7, "tags": ["a"]}
 *     end                  pop, into the list of records
 *
 * The invariant: frames[0 .. depth) hold a new reference each; a failed verb leaves an exception,
 * and the next begin drops all frames.
 */
#include "rows.h"

#include <string.h>

/* What is being made. */
typedef struct frame {
    const lampy_node *node;
    PyObject *object; /* the dict or list; of an element or entry, the value so far; NULL: None */
    PyObject *key;    /* of an entry */
} frame;

struct lampy_builder {
    lampy_state *state;
    lampy_shape shape;
    lam_variant_assembler *assembler;
    frame *frames;
    size_t depth;
    PyObject *list;       /* of records; borrowed */
    unsigned work;        /* values since others could have the GIL */
    bool is_apart;        /* the GIL is held from begin to end */
    PyThreadState *saved; /* while it is given up; or NULL */
};

/* --- Where a value belongs -------------------------------------------------------------------- */

/* Appends to the list of a repeated field that no LIST annotates. Takes over the value. */
static int append_repeated(PyObject *dict, const lampy_node *node, PyObject *value) {
    PyObject *list = PyDict_GetItemWithError(dict, node->name); /* borrowed */
    int result = -1;
    if (list != NULL && list != Py_None) {
        result = PyList_Append(list, value);
    } else if (PyErr_Occurred() == NULL && (list = PyList_New(0)) != NULL) {
        result = PyList_Append(list, value) < 0 ? -1 : PyDict_SetItem(dict, node->name, list);
        Py_DECREF(list);
    }
    Py_DECREF(value);
    return result;
}

static void replace(PyObject **slot, PyObject *value) {
    PyObject *before = *slot;
    *slot = value;
    Py_XDECREF(before);
}

/*
 * Lets other threads in, and handles signals, as the interpreter does after some milliseconds. -1
 * with the exception of a handler.
 */
static int rest(lampy_builder *builder) {
    enum { LONG_WORK = 1 << 15 };
    if (++builder->work < LONG_WORK)
        return 0;
    builder->work = 0;
    Py_BEGIN_ALLOW_THREADS;
    Py_END_ALLOW_THREADS;
    return PyErr_CheckSignals();
}

/* Hands a value to the frame around it. Takes over the value, which is NULL after an exception. */
static lam_status deliver(lampy_builder *builder, const lampy_node *node, PyObject *value) {
    if (value == NULL)
        return LAM_STATUS_INVALID;
    frame *around = &builder->frames[builder->depth - 1];
    int result = 0;
    switch (around->node->kind) {
    case LAMPY_STRUCT:
        if (node->is_repeated) {
            result = append_repeated(around->object, node, value);
            break;
        }
        result = PyDict_SetItem(around->object, node->name, value);
        Py_DECREF(value);
        break;
    case LAMPY_LIST:
    case LAMPY_MAP:
        result = PyList_Append(around->object, value);
        Py_DECREF(value);
        break;
    case LAMPY_ENTRY:
        if (lam_field_ordinal(node->field) == 0) {
            replace(&around->key, value);
            break;
        }
        /* fallthrough */
    default:
        replace(&around->object, value);
        break;
    }
    return result < 0 || rest(builder) < 0 ? LAM_STATUS_INVALID : LAM_STATUS_OK;
}

/* --- Frames ----------------------------------------------------------------------------------- */

static void drop_frames(lampy_builder *builder) {
    while (builder->depth > 0) {
        frame *top = &builder->frames[--builder->depth];
        Py_CLEAR(top->object);
        Py_CLEAR(top->key);
    }
}

static lam_status push(lampy_builder *builder, const lampy_node *node) {
    frame *top = &builder->frames[builder->depth];
    memset(top, 0, sizeof *top);
    top->node = node;
    if (node->kind == LAMPY_STRUCT)
        top->object = PyDict_Copy(node->blank);
    else if (node->kind == LAMPY_LIST || node->kind == LAMPY_MAP)
        top->object = PyList_New(0);
    else {
        builder->depth++;
        return LAM_STATUS_OK;
    }
    if (top->object == NULL)
        return LAM_STATUS_INVALID;
    builder->depth++;
    return LAM_STATUS_OK;
}

/* A repeated field without elements has no events, so its list is made when its group ends. */
static int fill_lists(const lampy_builder *builder, const lampy_node *node, PyObject *dict) {
    for (size_t i = 0; i < lam_field_child_count(node->field); i++) {
        const lampy_node *child = lampy_node_of(&builder->shape, lam_field_child(node->field, i));
        if (!child->is_repeated || !child->is_wanted ||
            PyDict_GetItemWithError(dict, child->name) != Py_None)
            continue;
        PyObject *list = PyList_New(0);
        int result = list == NULL ? -1 : PyDict_SetItem(dict, child->name, list);
        Py_XDECREF(list);
        if (result < 0)
            return -1;
    }
    return 0;
}

/* The finished object of the innermost frame, which is gone. NULL with an exception. */
static PyObject *pop(lampy_builder *builder) {
    frame top = builder->frames[--builder->depth];
    PyObject *result = top.object;
    if (top.node->kind == LAMPY_ENTRY) {
        result = PyTuple_Pack(2, top.key == NULL ? Py_None : top.key,
                              top.object == NULL ? Py_None : top.object);
        Py_XDECREF(top.object);
        Py_XDECREF(top.key);
    } else if (top.node->kind == LAMPY_ELEMENT && result == NULL) {
        result = Py_NewRef(Py_None);
    } else if (top.node->has_lists && fill_lists(builder, top.node, result) < 0) {
        Py_CLEAR(result);
    }
    return result;
}

/* --- Verbs ------------------------------------------------------------------------------------ */

static lam_status builder_begin(void *state, lam_error *error) {
    lampy_builder *builder = state;
    (void)error;
    lampy_builder_join(builder);
    drop_frames(builder);
    return push(builder, &builder->shape.nodes[0]);
}

static lam_status builder_open(void *state, const lam_field *group, lam_error *error) {
    lampy_builder *builder = state;
    (void)error;
    return push(builder, lampy_node_of(&builder->shape, group));
}

static lam_status builder_put(void *state, const lam_field *leaf, lam_value value,
                              lam_error *error) {
    lampy_builder *builder = state;
    (void)error;
    return deliver(builder, lampy_node_of(&builder->shape, leaf),
                   lampy_value_out(builder->state, leaf, value));
}

static lam_status builder_close(void *state, const lam_field *group, lam_error *error) {
    lampy_builder *builder = state;
    (void)error;
    return deliver(builder, lampy_node_of(&builder->shape, group), pop(builder));
}

static lam_status builder_variant(void *state, const lam_field *group, lam_variant variant,
                                  lam_error *error) {
    lampy_builder *builder = state;
    (void)error;
    return deliver(builder, lampy_node_of(&builder->shape, group),
                   lampy_variant_out(builder->state, variant));
}

static lam_status builder_end(void *state, lam_error *error) {
    lampy_builder *builder = state;
    (void)error;
    PyObject *record = pop(builder);
    int result = record == NULL ? -1 : PyList_Append(builder->list, record);
    Py_XDECREF(record);
    if (result == 0 && builder->is_apart)
        builder->saved = PyEval_SaveThread();
    return result < 0 ? LAM_STATUS_INVALID : LAM_STATUS_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

static size_t deepest(const lam_schema *schema) {
    size_t depth = 0;
    for (size_t i = 0; i < lam_schema_field_count(schema); i++) {
        size_t here = lam_field_depth(lam_schema_field(schema, i));
        depth = here > depth ? here : depth;
    }
    return depth;
}

static bool has_variants(const lampy_shape *shape) {
    for (size_t i = 0; i < shape->count; i++)
        if (shape->nodes[i].kind == LAMPY_VARIANT && shape->nodes[i].is_wanted)
            return true;
    return false;
}

static lam_record_sink verbs(lampy_builder *builder) {
    return (lam_record_sink){builder,       builder_begin, builder_open, builder_put,
                             builder_close, builder_end,   NULL};
}

lampy_builder *lampy_builder_new(lampy_state *state, const lam_schema *schema, const bool *leaves,
                                 const lam_projection *projection) {
    lampy_builder *builder = PyMem_Calloc(1, sizeof *builder);
    lam_error error = lam_error_none();
    if (builder == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    builder->state = state;
    if (lampy_shape_init(&builder->shape, state, schema, leaves) < 0) {
        lampy_builder_free(builder);
        return NULL;
    }
    builder->frames = PyMem_Calloc(deepest(schema) + 2, sizeof *builder->frames);
    if (builder->frames == NULL) {
        PyErr_NoMemory();
        lampy_builder_free(builder);
        return NULL;
    }
    if (!has_variants(&builder->shape))
        return builder;
    lam_variant_sink next = {verbs(builder), builder_variant};
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    options.projection = projection;
    lam_status status =
        lam_variant_assembler_create(schema, projection == NULL ? leaves : NULL, &options, &next,
                                     NULL, &builder->assembler, &error);
    if (status != LAM_STATUS_OK) {
        lampy_raise(state, status, &error);
        lampy_builder_free(builder);
        return NULL;
    }
    /* A group of which only some columns are wanted is a struct of these. */
    for (size_t i = 0; i < builder->shape.count; i++) {
        lampy_node *node = &builder->shape.nodes[i];
        if (node->kind == LAMPY_VARIANT &&
            !lam_variant_assembler_takes(builder->assembler, node->field) &&
            lampy_node_struct(&builder->shape, node) < 0) {
            lampy_builder_free(builder);
            return NULL;
        }
    }
    return builder;
}

void lampy_builder_part(lampy_builder *builder) {
    builder->is_apart = true;
    builder->saved = PyEval_SaveThread();
}

void lampy_builder_join(lampy_builder *builder) {
    if (builder->saved != NULL)
        PyEval_RestoreThread(builder->saved);
    builder->saved = NULL;
}

void lampy_builder_free(lampy_builder *builder) {
    if (builder == NULL)
        return;
    drop_frames(builder);
    lam_variant_assembler_destroy(builder->assembler);
    PyMem_Free(builder->frames);
    lampy_shape_finish(&builder->shape);
    PyMem_Free(builder);
}

lam_record_sink lampy_builder_sink(lampy_builder *builder, PyObject *list) {
    builder->list = list;
    return builder->assembler != NULL ? lam_variant_assembler_sink(builder->assembler)
                                      : verbs(builder);
}
