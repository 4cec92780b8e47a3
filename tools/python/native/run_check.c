/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a file while Python stays responsive: the check runs in a thread of its own, and the
 * caller waits for it in short steps, between which signals are looked at. An interrupt stops the
 * check within such a step.
 */
#include "dataset.h"

#include <string.h>

typedef struct check_job {
    lam_input input;
    lam_stop stop;
    lam_status status;
    lam_error error;
    PyObject *findings;      /* a list */
    PyThread_type_lock done; /* held until the check has ended */
} check_job;

static void add(PyObject *dict, const char *name, PyObject *value) {
    if (value != NULL && PyErr_Occurred() == NULL)
        PyDict_SetItemString(dict, name, value);
    Py_XDECREF(value);
}

static PyObject *number_of(int64_t number) {
    return number < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(number);
}

static PyObject *text_of(const char *text) {
    return text == NULL ? Py_NewRef(Py_None)
                        : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* In the thread of the check, with the GIL for as long as the dict is made. */
static lam_status found(void *state, const lam_finding *finding, lam_error *error) {
    check_job *job = state;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *dict = PyDict_New();
    (void)error;
    if (dict != NULL) {
        add(dict, "rule", text_of(finding->rule->id));
        add(dict, "severity", text_of(lam_severity_name(finding->severity)));
        add(dict, "message", text_of(finding->message));
        add(dict, "column", text_of(finding->path));
        add(dict, "row_group", number_of(finding->row_group));
        add(dict, "row", number_of(finding->row));
        add(dict, "offset", number_of(finding->offset));
        add(dict, "section", text_of(finding->rule->section));
        if (PyErr_Occurred() == NULL)
            PyList_Append(job->findings, dict);
        Py_DECREF(dict);
    }
    bool failed = PyErr_Occurred() != NULL;
    PyErr_Clear();
    PyGILState_Release(gil);
    return failed ? LAM_STATUS_NOMEM : LAM_STATUS_OK;
}

static void run(void *argument) {
    check_job *job = argument;
    lam_check_options options = lam_check_options_default();
    options.stop = &job->stop;
    job->status = lam_check(&job->input, &options, found, job, NULL, &job->error);
    PyThread_release_lock(job->done);
}

/* True when it has ended within a step. */
static bool waits(check_job *job) {
    PyLockStatus got;
    Py_BEGIN_ALLOW_THREADS;
    got = PyThread_acquire_lock_timed(job->done, 50000, 0);
    Py_END_ALLOW_THREADS;
    return got == PY_LOCK_ACQUIRED;
}

/* Runs to the end, or to the end that an interrupt makes. */
static void run_watched(check_job *job) {
    PyThread_acquire_lock(job->done, WAIT_LOCK);
    if (PyThread_start_new_thread(run, job) == (unsigned long)-1) {
        PyErr_SetString(PyExc_RuntimeError, "no thread could be started");
        return;
    }
    PyObject *type = NULL, *value = NULL, *traceback = NULL;
    while (!waits(job))
        if (type == NULL && PyErr_CheckSignals() < 0) {
            lam_stop_request(&job->stop);
            PyErr_Fetch(&type, &value, &traceback);
        }
    PyErr_Restore(type, value, traceback);
}

PyObject *lampy_check(PyObject *object, PyObject *nothing) {
    lampy_files *files = ((lampy_dataset *)object)->files;
    check_job job = {.error = lam_error_none()};
    lam_status status;
    (void)nothing;
    Py_BEGIN_ALLOW_THREADS;
    status = lampy_source_open(lampy_files_source(files, 0), &job.input, &job.error);
    Py_END_ALLOW_THREADS;
    if (status != LAM_STATUS_OK)
        return lampy_files_raise(lampy_state_of(object), files, status, &job.error);
    job.done = PyThread_allocate_lock();
    job.findings = PyList_New(0);
    if (job.done != NULL && job.findings != NULL)
        run_watched(&job);
    else
        PyErr_NoMemory();
    if (PyErr_Occurred() == NULL && job.status != LAM_STATUS_OK)
        lampy_files_raise(lampy_state_of(object), files, job.status, &job.error);
    Py_BEGIN_ALLOW_THREADS;
    lam_input_close(&job.input);
    Py_END_ALLOW_THREADS;
    if (job.done != NULL)
        PyThread_free_lock(job.done);
    if (PyErr_Occurred() != NULL)
        Py_CLEAR(job.findings);
    return job.findings;
}
