/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all sources of the Python extension share: the state of the module, and how a failure of the
 * library becomes an exception.
 *
 * Only the stable ABI of Python 3.11 is used, and no state outside of the module's own, so that one
 * file serves all later versions and each interpreter has its own classes. Types of the module
 * cannot be derived from: the type of an object is then the one that holds the state.
 */
#ifndef LAMPY_BINDING_H
#define LAMPY_BINDING_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <lamella/lamella.h>

/* One for each interpreter that imports the module. */
typedef struct lampy_state {
    /* Exceptions: Error, a ValueError, and what is derived from it by the kind of fault. */
    PyObject *error;
    PyObject *corrupt;
    PyObject *unsupported;
    PyObject *limit;
    /* Types of the module. */
    PyObject *dataset_type;
    PyObject *stream_type;
    PyObject *rows_type;
    PyObject *writer_type;
    PyObject *logger_type;
    /* Classes and objects of the standard library that values become; NULL until they are needed,
     * as their imports take longer than all else. */
    PyObject *date;      /* datetime.date */
    PyObject *time;      /* datetime.time */
    PyObject *datetime;  /* datetime.datetime */
    PyObject *timedelta; /* datetime.timedelta */
    PyObject *utc;       /* datetime.timezone.utc */
    PyObject *epoch;     /* datetime.datetime(1970, 1, 1) */
    PyObject *epoch_utc; /* the same in UTC */
    PyObject *decimal;   /* decimal.Decimal */
    PyObject *uuid;      /* uuid.UUID */
} lampy_state;

/* The state of the module that a type, or the type of an object of the module, belongs to. */
lampy_state *lampy_state_of(PyObject *object);
lampy_state *lampy_state_of_module(PyObject *module);

/* uuid.UUID and decimal.Decimal, imported when first needed. Borrowed; NULL with an exception. */
PyObject *lampy_uuid(lampy_state *state);
PyObject *lampy_decimal(lampy_state *state);
/* Imports what the state has of datetime. -1 with an exception. */
int lampy_times(lampy_state *state);

/*
 * Sets the exception that a failure is: OSError for one of the system, MemoryError, else Error or
 * what is derived from it, with code, row_group, column, row and offset. An exception that is set
 * already, by a callback of the failed call, stays. Returns NULL.
 */
PyObject *lampy_raise(lampy_state *state, lam_status status, const lam_error *error);
/* The same with the path of the file, or NULL, as attribute filename. */
PyObject *lampy_raise_at(lampy_state *state, lam_status status, const lam_error *error,
                         const char *path);

/*
 * An exception of a callback waits in a slot while the library returns: the first is kept, later
 * ones are dropped. Restoring sets it and empties the slot; true when there was one. With the GIL.
 */
void lampy_keep_exception(PyObject **slot);
bool lampy_restore_exception(PyObject **slot);

/*
 * Has the main thread raise the exception that is set when it is back in Python; none is set then.
 * For what may not be raised where it is met, and is no failure of the call: KeyboardInterrupt.
 */
void lampy_raise_later(void);

/* Creates the exceptions and adds them to the module. -1 with an exception. */
int lampy_add_exceptions(PyObject *module, lampy_state *state);

#endif
