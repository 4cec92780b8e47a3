/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes single options out of a dict: a name comes in, and its value goes out as a number, a truth
 * or a text. The invariant: what is written is the value, or nothing where the option is missing,
 * None or wrong. Names are checked by the Python side, which lists them.
 */
#include "keywords.h"

PyObject *lampy_keyword(PyObject *dict, const char *name) {
    PyObject *value = dict == NULL ? NULL : PyDict_GetItemString(dict, name);
    return value == Py_None ? NULL : value;
}

int lampy_keyword_number(PyObject *dict, const char *name, uint64_t *ret_number) {
    PyObject *value = lampy_keyword(dict, name);
    PyObject *index = value == NULL ? NULL : PyNumber_Index(value);
    if (index == NULL)
        return value == NULL ? 0 : -1;
    unsigned long long number = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (PyErr_Occurred() != NULL)
        return -1;
    *ret_number = number;
    return 0;
}

int lampy_keyword_flag(PyObject *dict, const char *name, bool *ret_flag) {
    PyObject *value = lampy_keyword(dict, name);
    int truth = value == NULL ? *ret_flag : PyObject_IsTrue(value);
    if (truth < 0)
        return -1;
    *ret_flag = truth > 0;
    return 0;
}

int lampy_keyword_text(PyObject *dict, const char *name, const char **ret_text,
                       Py_ssize_t *ret_size) {
    PyObject *value = lampy_keyword(dict, name);
    const char *text = value == NULL ? NULL : PyUnicode_AsUTF8AndSize(value, ret_size);
    if (text == NULL)
        return value == NULL ? 0 : -1;
    *ret_text = text;
    return 0;
}
