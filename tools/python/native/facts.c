/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills dicts with what is known. The invariant: the first exception stays, and what is made after
 * it is dropped, so that only the end of a dict has to ask.
 */
#include "facts.h"

#include <string.h>

void lampy_add(PyObject *dict, const char *name, PyObject *value) {
    if (value != NULL && PyErr_Occurred() == NULL)
        PyDict_SetItemString(dict, name, value);
    Py_XDECREF(value);
}

void lampy_add_number(PyObject *dict, const char *name, int64_t number) {
    lampy_add(dict, name, number < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(number));
}

PyObject *lampy_text(const char *text) {
    return text == NULL ? Py_NewRef(Py_None)
                        : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *lampy_done(PyObject *made) {
    if (PyErr_Occurred() != NULL)
        Py_CLEAR(made);
    return made;
}
