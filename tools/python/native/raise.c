/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns failures of the library into exceptions: a status and an error come in, and the exception
 * that a Python programmer expects is set.
 *
 *     IO, with the errno of the system   OSError: FileNotFoundError, PermissionError, ...
 *     NOMEM                              MemoryError
 *     CORRUPT                            CorruptError     \
 *     UNSUPPORTED                        UnsupportedError  } Error, which is a ValueError
 *     LIMIT                              LimitError       /
 *     all else                           Error
 */
#include "binding.h"

#include <errno.h>
#include <string.h>

/* Sets an attribute to a number, or None where it is -1. Takes no part in errors: all may fail. */
static int set_number(PyObject *exception, const char *name, int64_t number) {
    PyObject *value = number < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(number);
    int result = value == NULL ? -1 : PyObject_SetAttrString(exception, name, value);
    Py_XDECREF(value);
    return result;
}

static int set_text(PyObject *exception, const char *name, const char *text) {
    PyObject *value = text[0] == '\0'
                          ? Py_NewRef(Py_None)
                          : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    int result = value == NULL ? -1 : PyObject_SetAttrString(exception, name, value);
    Py_XDECREF(value);
    return result;
}

static PyObject *class_of(const lampy_state *state, lam_status status) {
    switch (status) {
    case LAM_STATUS_CORRUPT:
        return state->corrupt;
    case LAM_STATUS_UNSUPPORTED:
        return state->unsupported;
    case LAM_STATUS_LIMIT:
        return state->limit;
    default:
        return state->error;
    }
}

/* OSError chooses its own class by errno. The message already names the file. */
static void raise_system(const lam_error *error) {
    int number = error->os_error;
    if (number == 0)
        number = error->code == LAM_ERROR_CODE_FILE_MISSING  ? ENOENT
                 : error->code == LAM_ERROR_CODE_FILE_EXISTS ? EEXIST
                 : error->code == LAM_ERROR_CODE_DISK_FULL   ? ENOSPC
                 : error->code == LAM_ERROR_CODE_FILE_BUSY   ? EBUSY
                                                             : EIO;
    PyObject *exception = PyObject_CallFunction(PyExc_OSError, "is", number, error->message);
    if (exception != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
}

PyObject *lampy_raise(lampy_state *state, lam_status status, const lam_error *error) {
    if (PyErr_Occurred() != NULL)
        return NULL;
    if (status == LAM_STATUS_NOMEM) {
        PyErr_NoMemory();
        return NULL;
    }
    if (status == LAM_STATUS_IO) {
        raise_system(error);
        return NULL;
    }
    PyObject *type = class_of(state, status);
    PyObject *message =
        PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
    PyObject *exception =
        message == NULL ? NULL : PyObject_CallFunctionObjArgs(type, message, NULL);
    if (exception != NULL && set_text(exception, "code", lam_error_code_name(error->code)) == 0 &&
        set_number(exception, "row_group", error->row_group) == 0 &&
        set_number(exception, "column", error->column) == 0 &&
        set_number(exception, "row", error->row) == 0 &&
        set_number(exception, "offset", error->offset) == 0 &&
        set_text(exception, "column_path", error->column_path) == 0)
        PyErr_SetObject(type, exception);
    Py_XDECREF(exception);
    Py_XDECREF(message);
    return NULL;
}

/* The stable ABI of 3.11 has exceptions as three objects; the traceback goes along. */
void lampy_keep_exception(PyObject **slot) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL && value != NULL)
        PyException_SetTraceback(value, traceback);
    if (*slot == NULL)
        *slot = Py_XNewRef(value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

bool lampy_restore_exception(PyObject **slot) {
    PyObject *raised = *slot;
    if (raised == NULL)
        return false;
    *slot = NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(raised), raised);
    Py_DECREF(raised);
    return true;
}

static int raise_now(void *argument) {
    PyObject *exception = argument;
    (void)lampy_restore_exception(&exception);
    return -1;
}

void lampy_raise_later(void) {
    PyObject *exception = NULL;
    lampy_keep_exception(&exception);
    if (exception == NULL || Py_AddPendingCall(raise_now, exception) == 0)
        return;
    Py_DECREF(exception);
    PyErr_SetInterrupt(); /* too much is pending */
}

/* Adds a class to the module; its attributes are None until a failure sets them. */
static int add_exception(PyObject *module, const char *name, const char *text, PyObject *base,
                         PyObject **ret_class) {
    char full[64];
    PyOS_snprintf(full, sizeof full, "lamella.%s", name);
    *ret_class = PyErr_NewExceptionWithDoc(full, text, base, NULL);
    return *ret_class == NULL ? -1 : PyModule_AddObjectRef(module, name, *ret_class);
}

int lampy_add_exceptions(PyObject *module, lampy_state *state) {
    static const char *const members[] = {"code", "row_group", "column",
                                          "row",  "offset",    "column_path"};
    if (add_exception(module, "Error", "A file, record or argument that Lamella cannot take.",
                      PyExc_ValueError, &state->error) < 0)
        return -1;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (PyObject_SetAttrString(state->error, members[i], Py_None) < 0)
            return -1;
    return add_exception(module, "CorruptError", "A file that contradicts the format or itself.",
                         state->error, &state->corrupt) < 0 ||
                   add_exception(module, "UnsupportedError",
                                 "Valid Parquet that this build does not handle.", state->error,
                                 &state->unsupported) < 0 ||
                   add_exception(module, "LimitError", "A limit would be passed.", state->error,
                                 &state->limit) < 0
               ? -1
               : 0;
}
