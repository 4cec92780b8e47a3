/* SPDX-License-Identifier: Apache-2.0 */
/* Dicts of what a file states or a check finds: None stands for what is not stated. */
#ifndef LAMPY_FACTS_H
#define LAMPY_FACTS_H

#include "binding.h"

/* Adds a value, which is taken over and may be NULL. After an exception it does nothing more. */
void lampy_add(PyObject *dict, const char *name, PyObject *value);
/* Adds a number, which is not stated where it is -1. */
void lampy_add_number(PyObject *dict, const char *name, int64_t number);

/* A str; None for NULL. NULL with an exception. */
PyObject *lampy_text(const char *text);

/* The dict or list, or NULL, without it, after an exception. */
PyObject *lampy_done(PyObject *made);

#endif
