/* SPDX-License-Identifier: Apache-2.0 */
/* Options by their names in a dict; what is None or missing keeps its default. */
#ifndef LAMPY_KEYWORDS_H
#define LAMPY_KEYWORDS_H

#include "binding.h"

/* The value of an option; NULL where it is missing or None, or there is no dict. Borrowed. */
PyObject *lampy_keyword(PyObject *dict, const char *name);

/* A number from 0 on. -1 with a TypeError or OverflowError. */
int lampy_keyword_number(PyObject *dict, const char *name, uint64_t *ret_number);

/* The truth of a value. -1 with an exception. */
int lampy_keyword_flag(PyObject *dict, const char *name, bool *ret_flag);

/* A text; borrowed from the value, and with its size, which may be NULL. -1 with an exception. */
int lampy_keyword_text(PyObject *dict, const char *name, const char **ret_text,
                       Py_ssize_t *ret_size);

#endif
