/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens capsules and fills them: the objects of __arrow_c_schema__, __arrow_c_array__ and
 * __arrow_c_stream__ come in, and structs of the C data interface go out, and the other way.
 *
 * The invariant: a struct belongs to one holder. One whose content was moved out of its capsule is
 * refused, and one in a capsule is released with it.
 */
#include "capsules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- In --------------------------------------------------------------------------------------- */

static void *taken(lampy_state *state) {
    PyErr_SetString(state->error, "a capsule whose content was taken already");
    return NULL;
}

struct ArrowArrayStream *lampy_stream_of(lampy_state *state, PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    return stream != NULL && stream->release == NULL ? taken(state) : stream;
}

const struct ArrowSchema *lampy_arrow_schema_of(lampy_state *state, PyObject *capsule) {
    const struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    return schema != NULL && schema->release == NULL ? taken(state) : schema;
}

const struct ArrowArray *lampy_array_of(lampy_state *state, PyObject *capsule) {
    const struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
    return array != NULL && array->release == NULL ? taken(state) : array;
}

lam_status lampy_stream_failed(struct ArrowArrayStream *stream, int failure, lam_error *error) {
    const char *message = stream->get_last_error(stream);
    lam_status status = failure == ENOMEM ? LAM_STATUS_NOMEM
                        : failure == EIO  ? LAM_STATUS_IO
                                          : LAM_STATUS_INVALID;
    error->status = status;
    error->os_error = status == LAM_STATUS_IO ? failure : 0;
    PyOS_snprintf(error->message, sizeof error->message, "%s",
                  message == NULL ? "the stream failed" : message);
    return status;
}

lam_status lampy_schema_next(struct ArrowArrayStream *stream, struct ArrowSchema *ret_schema,
                             lam_error *error) {
    memset(ret_schema, 0, sizeof *ret_schema);
    int failure = stream->get_schema(stream, ret_schema);
    return failure == 0 ? LAM_STATUS_OK : lampy_stream_failed(stream, failure, error);
}

lam_status lampy_array_next(struct ArrowArrayStream *stream, struct ArrowArray *ret_array,
                            bool *ret_more, lam_error *error) {
    memset(ret_array, 0, sizeof *ret_array);
    int failure = stream->get_next(stream, ret_array);
    if (failure != 0)
        return lampy_stream_failed(stream, failure, error);
    *ret_more = ret_array->release != NULL;
    return LAM_STATUS_OK;
}

/* --- Out -------------------------------------------------------------------------------------- */

static void drop_schema(PyObject *capsule) {
    struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (schema != NULL && schema->release != NULL)
        schema->release(schema);
    free(schema);
}

PyObject *lampy_schema_capsule(struct ArrowSchema *schema) {
    struct ArrowSchema *moved = malloc(sizeof *moved);
    PyObject *capsule;
    if (moved == NULL) {
        schema->release(schema);
        return PyErr_NoMemory();
    }
    *moved = *schema;
    schema->release = NULL;
    capsule = PyCapsule_New(moved, "arrow_schema", drop_schema);
    if (capsule == NULL) {
        moved->release(moved);
        free(moved);
    }
    return capsule;
}

PyObject *lampy_stream_schema_of(PyObject *module, PyObject *capsule) {
    lampy_state *state = lampy_state_of_module(module);
    struct ArrowArrayStream *stream = lampy_stream_of(state, capsule);
    struct ArrowSchema schema;
    lam_error error = lam_error_none();
    lam_status status;
    if (stream == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = lampy_schema_next(stream, &schema, &error);
    Py_END_ALLOW_THREADS;
    return status == LAM_STATUS_OK ? lampy_schema_capsule(&schema)
                                   : lampy_raise(state, status, &error);
}

/* --- Schemas ---------------------------------------------------------------------------------- */

lam_schema *lampy_schema_of(lampy_state *state, PyObject *object) {
    lam_error error = lam_error_none();
    lam_schema *schema = NULL;
    lam_status status;
    Py_ssize_t size;
    if (PyUnicode_Check(object)) {
        const char *text = PyUnicode_AsUTF8AndSize(object, &size);
        if (text == NULL)
            return NULL;
        status = lam_schema_parse(text, (size_t)size, NULL, &schema, &error);
    } else {
        const struct ArrowSchema *arrow = lampy_arrow_schema_of(state, object);
        if (arrow == NULL)
            return NULL;
        status = lam_arrow_import_schema(arrow, NULL, &schema, &error);
    }
    if (status != LAM_STATUS_OK)
        lampy_raise(state, status, &error);
    return schema;
}

PyObject *lampy_message_make(PyObject *module, PyObject *capsule) {
    lam_schema *schema = lampy_schema_of(lampy_state_of_module(module), capsule);
    PyObject *message = schema == NULL ? NULL : lampy_message_of(schema);
    lam_schema_destroy(schema);
    return message;
}

PyObject *lampy_message_of(const lam_schema *schema) {
    size_t size = lam_schema_print(schema, NULL, 0);
    char *text = malloc(size + 1);
    if (text == NULL)
        return PyErr_NoMemory();
    lam_schema_print(schema, text, size + 1);
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
    free(text);
    return message;
}
