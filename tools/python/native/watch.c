/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps Python responsive while the library works: the call comes in, and the main thread, which
 * alone handles signals, is free to look at them every 10 milliseconds.
 *
 * A call that is quick, or reads through Python, where signals are handled anyway, is made here.
 *
 * The invariant: nothing returns before the call has ended, so that it may use what is on the stack
 * of its caller.
 */
#include "watch.h"

typedef struct watched {
    void (*run)(void *argument);
    void *argument;
    PyThread_type_lock done; /* held until the call has ended */
} watched;

static void run_watched(void *argument) {
    watched *call = argument;
    call->run(call->argument);
    PyThread_release_lock(call->done);
}

/* True when the call has ended within a step. */
static bool has_ended(const watched *call) {
    PyLockStatus got;
    Py_BEGIN_ALLOW_THREADS;
    got = PyThread_acquire_lock_timed(call->done, 10000, 0);
    Py_END_ALLOW_THREADS;
    return got == PY_LOCK_ACQUIRED;
}

static int call_here(void (*run)(void *argument), void *argument) {
    Py_BEGIN_ALLOW_THREADS;
    run(argument);
    Py_END_ALLOW_THREADS;
    (void)PyErr_CheckSignals();
    return 0;
}

int lampy_watch(void (*run)(void *argument), void *argument, lam_stop *stop, bool here) {
    if (here)
        return call_here(run, argument);
    watched call = {run, argument, PyThread_allocate_lock()};
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    if (call.done == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyThread_acquire_lock(call.done, WAIT_LOCK);
    if (PyThread_start_new_thread(run_watched, &call) == (unsigned long)-1) {
        PyThread_free_lock(call.done);
        PyErr_SetString(PyExc_RuntimeError, "no thread could be started");
        return -1;
    }
    while (!has_ended(&call))
        if (type == NULL && PyErr_CheckSignals() < 0) {
            lam_stop_request(stop);
            PyErr_Fetch(&type, &value, &traceback);
        }
    PyThread_free_lock(call.done);
    if (type == NULL) /* a quick call is over before the first look */
        (void)PyErr_CheckSignals();
    else
        PyErr_Restore(type, value, traceback);
    return 0;
}
