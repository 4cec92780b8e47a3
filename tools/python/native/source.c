/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens inputs on what Python programs have.
 *
 *     "a.parquet", Path    lam_input_open_file
 *     memoryview           lam_input_memory; the buffer is exported until the last input is closed
 *     (size, read_at)      callbacks that take the GIL; bytes-like objects come back
 *
 * The invariant: nothing is called of Python without the GIL, and no call waits for anything while
 * it holds the GIL. A callback may raise anything and lie about sizes: its exception is kept for
 * the caller of the call that failed, and a wrong size is a failure of that read.
 */
#include "source.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lampy_source {
    atomic_size_t holders;
    char *path;    /* of a file, or NULL */
    bool has_view; /* `view` is exported */
    Py_buffer view;
    PyObject *read_at; /* a callable, or NULL */
    uint64_t size;     /* with `read_at` */
    PyObject *raised;  /* by read_at, first; NULL: none */
};

/* --- Making ----------------------------------------------------------------------------------- */

static int take_path(lampy_source *source, PyObject *object) {
    PyObject *bytes;
    if (!PyUnicode_FSConverter(object, &bytes))
        return -1;
    char *text;
    Py_ssize_t size;
    int result = PyBytes_AsStringAndSize(bytes, &text, &size);
    if (result == 0) {
        source->path = malloc((size_t)size + 1);
        if (source->path == NULL)
            PyErr_NoMemory();
        else
            memcpy(source->path, text, (size_t)size + 1);
    }
    Py_DECREF(bytes);
    return source->path == NULL ? -1 : 0;
}

static int take_ranges(lampy_source *source, PyObject *tuple) {
    PyObject *size, *read_at;
    if (!PyArg_ParseTuple(tuple, "OO:source", &size, &read_at))
        return -1;
    source->size = PyLong_AsUnsignedLongLong(size);
    source->read_at = Py_NewRef(read_at);
    return PyErr_Occurred() != NULL ? -1 : 0;
}

lampy_source *lampy_source_new(PyObject *object) {
    lampy_source *source = calloc(1, sizeof *source);
    if (source == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    atomic_init(&source->holders, 1);
    int result;
    if (PyTuple_Check(object))
        result = take_ranges(source, object);
    else if (PyMemoryView_Check(object)) {
        result = PyObject_GetBuffer(object, &source->view, PyBUF_SIMPLE);
        source->has_view = result == 0;
    } else
        result = take_path(source, object);
    if (result < 0) {
        lampy_source_drop(source);
        return NULL;
    }
    return source;
}

lampy_source *lampy_source_keep(lampy_source *source) {
    atomic_fetch_add(&source->holders, 1);
    return source;
}

/* After the interpreter has ended there is nothing to give back to. */
void lampy_source_drop(lampy_source *source) {
    if (source == NULL || atomic_fetch_sub(&source->holders, 1) > 1)
        return;
    if ((source->has_view || source->read_at != NULL) && Py_IsInitialized()) {
        PyGILState_STATE gil = PyGILState_Ensure();
        if (source->has_view)
            PyBuffer_Release(&source->view);
        Py_CLEAR(source->read_at);
        Py_CLEAR(source->raised);
        PyGILState_Release(gil);
    }
    free(source->path);
    free(source);
}

const char *lampy_source_path(const lampy_source *source) {
    return source->path;
}

bool lampy_source_uses_python(const lampy_source *source) {
    return source->read_at != NULL;
}

/* --- Exceptions of callbacks ------------------------------------------------------------------ */

bool lampy_source_restore(lampy_source *source) {
    return lampy_restore_exception(&source->raised);
}

static lam_status fail_read(lam_error *error, const char *message) {
    if (error != NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
        error->code = LAM_ERROR_CODE_CALLBACK;
        PyOS_snprintf(error->message, sizeof error->message, "%s", message);
    }
    return LAM_STATUS_IO;
}

/* --- Callbacks of inputs ---------------------------------------------------------------------- */

/* Copies what read_at gave, if it is as long as was asked. */
static lam_status take_range(lampy_source *source, PyObject *range, size_t size, void *buffer,
                             lam_error *error) {
    Py_buffer view;
    if (range == NULL || PyObject_GetBuffer(range, &view, PyBUF_SIMPLE) < 0) {
        lampy_keep_exception(&source->raised);
        return fail_read(error, "the source of the file raised an exception");
    }
    bool fits = view.len == (Py_ssize_t)size;
    if (fits)
        memcpy(buffer, view.buf, size);
    PyBuffer_Release(&view);
    return fits
               ? LAM_STATUS_OK
               : fail_read(error, "the source of the file gave another number of bytes than asked");
}

static lam_status ranges_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                 lam_error *error) {
    lampy_source *source = state;
    if (!Py_IsInitialized())
        return fail_read(error, "the interpreter has ended");
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *range =
        PyObject_CallFunction(source->read_at, "Kn", (unsigned long long)offset, (Py_ssize_t)size);
    lam_status status = take_range(source, range, size, buffer, error);
    Py_XDECREF(range);
    PyGILState_Release(gil);
    return status;
}

static void ranges_close(void *state) {
    lampy_source_drop(state);
}

/* --- Memory with an owner --------------------------------------------------------------------- */

static lam_status view_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    const lampy_source *source = state;
    (void)error;
    memcpy(buffer, (const char *)source->view.buf + offset, size);
    return LAM_STATUS_OK;
}

static const uint8_t *view_borrow(void *state, uint64_t offset, size_t size) {
    const lampy_source *source = state;
    (void)size;
    return (const uint8_t *)source->view.buf + offset;
}

/* A file has its own descriptor for each input, so that it may be renamed or removed meanwhile. */
lam_status lampy_source_open(lampy_source *source, lam_input *ret_input, lam_error *error) {
    if (source->path != NULL)
        return lam_input_open_file(source->path, NULL, ret_input, error);
    lampy_source_keep(source);
    if (source->has_view)
        *ret_input = (lam_input){source, (uint64_t)source->view.len, view_read_at, view_borrow,
                                 ranges_close};
    else
        *ret_input = (lam_input){source, source->size, ranges_read_at, NULL, ranges_close};
    return LAM_STATUS_OK;
}

lam_status lampy_source_reader(lampy_source *source, lam_reader **ret_reader, lam_error *error) {
    lam_input input;
    lam_status status = lampy_source_open(source, &input, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_reader_open(&input, NULL, ret_reader, error);
    if (status != LAM_STATUS_OK)
        lam_input_close(&input);
    return status;
}
