/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the keywords of a read apart: a dict comes in, and a query with texts of its own goes out.
 * The invariant: a query that is finished, or was never filled, is all zeros and may be finished.
 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text, size_t size) {
    char *copy = malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

/* The value of a keyword; NULL where it is missing or None. Borrowed. */
static PyObject *keyword(PyObject *keywords, const char *name) {
    PyObject *value = keywords == NULL ? NULL : PyDict_GetItemString(keywords, name);
    return value == Py_None ? NULL : value;
}

static int take_text(PyObject *keywords, const char *name, char **ret_text) {
    PyObject *value = keyword(keywords, name);
    if (value == NULL)
        return 0;
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(value, &size);
    if (text == NULL)
        return -1;
    if (memchr(text, '\0', (size_t)size) != NULL) {
        PyErr_Format(PyExc_ValueError, "%s holds a NUL character", name);
        return -1;
    }
    *ret_text = copy_text(text, (size_t)size);
    if (*ret_text == NULL)
        PyErr_NoMemory();
    return *ret_text == NULL ? -1 : 0;
}

/* A number from 0 to `most`. */
static int take_number(PyObject *keywords, const char *name, uint64_t most, uint64_t *ret_number) {
    PyObject *value = keyword(keywords, name);
    if (value == NULL)
        return 0;
    PyObject *index = PyNumber_Index(value);
    if (index == NULL)
        return -1;
    unsigned long long number = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (PyErr_Occurred() != NULL || number > most) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s is out of range", name);
        return -1;
    }
    *ret_number = number;
    return 0;
}

int lampy_query_parse(PyObject *keywords, lampy_query *ret_query) {
    lampy_query query;
    memset(&query, 0, sizeof query);
    uint64_t threads = 1;
    PyObject *limit = keyword(keywords, "limit"), *dictionaries = keyword(keywords, "dictionaries");
    int with_dictionaries = dictionaries == NULL ? 1 : PyObject_IsTrue(dictionaries);
    if (with_dictionaries < 0 || take_text(keywords, "select", &query.select) < 0 ||
        take_text(keywords, "where", &query.where) < 0 ||
        take_number(keywords, "limit", UINT64_MAX, &query.limit) < 0 ||
        take_number(keywords, "batch_rows", INT32_MAX, &query.batch_rows) < 0 ||
        take_number(keywords, "threads", 1024, &threads) < 0) {
        lampy_query_finish(&query);
        return -1;
    }
    query.threads = (uint32_t)threads;
    query.plain = !with_dictionaries;
    query.is_empty = limit != NULL && query.limit == 0;
    *ret_query = query;
    return 0;
}

int lampy_query_copy(const lampy_query *query, lampy_query *ret_copy) {
    lampy_query copy = *query;
    copy.select = query->select == NULL ? NULL : copy_text(query->select, strlen(query->select));
    copy.where = query->where == NULL ? NULL : copy_text(query->where, strlen(query->where));
    if ((copy.select == NULL) != (query->select == NULL) ||
        (copy.where == NULL) != (query->where == NULL)) {
        lampy_query_finish(&copy);
        PyErr_NoMemory();
        return -1;
    }
    *ret_copy = copy;
    return 0;
}

void lampy_query_finish(lampy_query *query) {
    free(query->select);
    free(query->where);
    memset(query, 0, sizeof *query);
}
