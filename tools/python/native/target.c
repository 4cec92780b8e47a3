/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens outputs on paths and on objects with a write method, which is called with bytes, with the
 * GIL. The invariant: an exception of it is kept for the caller of the call that failed, and
 * nothing more is written.
 */
#include "target.h"

#include <stdlib.h>
#include <string.h>

int lampy_target_init(lampy_target *target, PyObject *object) {
    memset(target, 0, sizeof *target);
    PyObject *bytes = NULL;
    target->write = PyObject_GetAttrString(object, "write");
    if (target->write != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return target->write == NULL ? -1 : 0;
    PyErr_Clear();
    if (!PyUnicode_FSConverter(object, &bytes))
        return -1;
    Py_ssize_t size = PyBytes_Size(bytes);
    target->path = malloc((size_t)size + 1);
    if (target->path == NULL)
        PyErr_NoMemory();
    else
        memcpy(target->path, PyBytes_AsString(bytes), (size_t)size + 1);
    Py_DECREF(bytes);
    return target->path == NULL ? -1 : 0;
}

void lampy_target_finish(lampy_target *target) {
    free(target->path);
    target->path = NULL;
    Py_CLEAR(target->write);
    Py_CLEAR(target->raised);
}

bool lampy_target_restore(lampy_target *target) {
    return lampy_restore_exception(&target->raised);
}

/* A raw file may take fewer bytes than it is given: the rest is given again. */
static int write_all(lampy_target *target, const char *data, size_t size) {
    while (size > 0) {
        PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
        PyObject *result =
            bytes == NULL ? NULL : PyObject_CallFunctionObjArgs(target->write, bytes, NULL);
        size_t taken = size;
        if (result != NULL && PyLong_Check(result)) {
            Py_ssize_t count = PyLong_AsSsize_t(result);
            if (count <= 0 || (size_t)count > size)
                PyErr_SetString(PyExc_OSError,
                                "write() took another number of bytes than it was given");
            else
                taken = (size_t)count;
        }
        Py_XDECREF(bytes);
        Py_XDECREF(result);
        if (PyErr_Occurred() != NULL)
            return -1;
        data += taken;
        size -= taken;
    }
    return 0;
}

static lam_status target_write(void *state, const void *data, size_t size, lam_error *error) {
    lampy_target *target = state;
    PyGILState_STATE gil = PyGILState_Ensure();
    int result = write_all(target, data, size);
    if (result < 0) {
        lampy_keep_exception(&target->raised);
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
        error->code = LAM_ERROR_CODE_CALLBACK;
        PyOS_snprintf(error->message, sizeof error->message,
                      "the target of the file raised an exception");
    }
    PyGILState_Release(gil);
    return result < 0 ? LAM_STATUS_IO : LAM_STATUS_OK;
}

static lam_status target_finish(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static void target_close(void *state) {
    (void)state;
}

lam_status lampy_target_open(lampy_target *target, lam_output *ret_output, lam_error *error) {
    if (target->path != NULL)
        return lam_output_create_file(target->path, NULL, NULL, ret_output, error);
    *ret_output = (lam_output){target, target_write, target_finish, target_close};
    return LAM_STATUS_OK;
}
