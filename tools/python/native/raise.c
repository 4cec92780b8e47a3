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

/*
 * OSError chooses its own class by errno, and adds the name of the file to what it shows, which the
 * message therefore loses.
 */
static void raise_system(const lam_error *error, const char *path) {
    int number = error->os_error;
    const char *message = error->message;
    size_t size = path == NULL ? 0 : strlen(path);
    if (number == 0)
        number = error->code == LAM_ERROR_CODE_FILE_MISSING  ? ENOENT
                 : error->code == LAM_ERROR_CODE_FILE_EXISTS ? EEXIST
                 : error->code == LAM_ERROR_CODE_DISK_FULL   ? ENOSPC
                 : error->code == LAM_ERROR_CODE_FILE_BUSY   ? EBUSY
                                                             : EIO;
    if (size > 0 && strncmp(message, path, size) == 0 && strncmp(message + size, ": ", 2) == 0)
        message += size + 2;
    PyObject *name = path == NULL ? NULL : PyUnicode_DecodeFSDefault(path);
    PyObject *text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    PyObject *exception = text == NULL ? NULL
                          : name == NULL
                              ? PyObject_CallFunction(PyExc_OSError, "iO", number, text)
                              : PyObject_CallFunction(PyExc_OSError, "iOO", number, text, name);
    if (exception != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
    Py_XDECREF(text);
    Py_XDECREF(name);
}

static int set_path(PyObject *exception, const char *path) {
    PyObject *name = path == NULL ? Py_NewRef(Py_None) : PyUnicode_DecodeFSDefault(path);
    int result = name == NULL ? -1 : PyObject_SetAttrString(exception, "filename", name);
    Py_XDECREF(name);
    return result;
}

PyObject *lampy_raise(lampy_state *state, lam_status status, const lam_error *error) {
    return lampy_raise_at(state, status, error, NULL);
}

PyObject *lampy_raise_at(lampy_state *state, lam_status status, const lam_error *error,
                         const char *path) {
    if (PyErr_Occurred() != NULL)
        return NULL;
    if (status == LAM_STATUS_NOMEM) {
        PyErr_NoMemory();
        return NULL;
    }
    if (status == LAM_STATUS_IO) {
        raise_system(error, path);
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
        set_text(exception, "column_path", error->column_path) == 0 &&
        set_path(exception, path) == 0)
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
    static const char *const members[] = {"code",   "row_group",   "column",  "row",
                                          "offset", "column_path", "filename"};
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
