/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the keywords of a read apart: a dict comes in, and a query with texts of its own goes out.
 * The invariant: a query that is finished, or was never filled, is all zeros and may be finished.
 */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

#include "keywords.h"

static char *copy_text(const char *text, size_t size) {
    char *copy = malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

static int take_text(PyObject *keywords, const char *name, char **ret_text) {
    const char *text = NULL;
    Py_ssize_t size;
    if (lampy_keyword_text(keywords, name, &text, &size) < 0)
        return -1;
    if (text == NULL)
        return 0;
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
    uint64_t number = *ret_number;
    int result = lampy_keyword_number(keywords, name, &number);
    if (result < 0 && !PyErr_ExceptionMatches(PyExc_OverflowError))
        return -1;
    if (result < 0 || number > most) {
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
    bool has_dictionaries = true;
    if (lampy_keyword_flag(keywords, "dictionaries", &has_dictionaries) < 0 ||
        take_text(keywords, "select", &query.select) < 0 ||
        take_text(keywords, "where", &query.where) < 0 ||
        take_number(keywords, "limit", UINT64_MAX, &query.limit) < 0 ||
        take_number(keywords, "batch_rows", INT32_MAX, &query.batch_rows) < 0 ||
        take_number(keywords, "threads", 1024, &threads) < 0) {
        lampy_query_finish(&query);
        return -1;
    }
    query.threads = (uint32_t)threads;
    query.plain = !has_dictionaries;
    query.is_empty = query.limit == 0 && lampy_keyword(keywords, "limit") != NULL;
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
