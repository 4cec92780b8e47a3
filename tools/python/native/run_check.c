/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a file: its input comes in, and a list of findings goes out, each a dict. An interrupt
 * ends the check, which may run in a thread of its own; findings take the GIL one by one.
 */
#include "dataset.h"

#include "facts.h"
#include "watch.h"

typedef struct check_job {
    lam_input input;
    lam_stop stop;
    lam_status status;
    lam_error error;
    PyObject *findings; /* a list */
} check_job;

/* In the thread of the check; with the GIL for as long as the dict is made. */
static lam_status found(void *state, const lam_finding *finding, lam_error *error) {
    check_job *job = state;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *dict = PyDict_New();
    (void)error;
    if (dict != NULL) {
        lampy_add(dict, "rule", lampy_text(finding->rule->id));
        lampy_add(dict, "severity", lampy_text(lam_severity_name(finding->severity)));
        lampy_add(dict, "message", lampy_text(finding->message));
        lampy_add(dict, "column", lampy_text(finding->path));
        lampy_add_number(dict, "row_group", finding->row_group);
        lampy_add_number(dict, "row", finding->row);
        lampy_add_number(dict, "offset", finding->offset);
        lampy_add(dict, "section", lampy_text(finding->rule->section));
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
        return lampy_files_raise(lampy_state_of(object), files, 0, status, &job.error);
    job.findings = PyList_New(0);
    if (job.findings != NULL &&
        lampy_watch(run, &job, &job.stop, lampy_files_use_python(files)) == 0 &&
        PyErr_Occurred() == NULL && job.status != LAM_STATUS_OK)
        lampy_files_raise(lampy_state_of(object), files, 0, job.status, &job.error);
    Py_BEGIN_ALLOW_THREADS;
    lam_input_close(&job.input);
    Py_END_ALLOW_THREADS;
    if (PyErr_Occurred() != NULL)
        Py_CLEAR(job.findings);
    return job.findings;
}
