/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterates over the rows of files: files and a query come in, and dicts go out, one after the
 * other.
 *
 * Records are read in batches into a list, which is emptied before the next batch is read. Objects
 * are made with the GIL, and so pages are decoded with it, but not where a condition may have to
 * look at a whole file for the next record; then the builder takes the GIL for each of them.
 *
 * The invariant: `records` and `filter` were made for `reader`, and are closed before it. One
 * thread reads at a time: `is_busy` refuses others, which come in while the GIL is given up.
 */
#include "rows.h"

#include <string.h>

#include "watch.h"

enum { BATCH = 256 };

typedef struct rows {
    PyObject ob_base;
    lampy_files *files;
    lampy_query query;
    size_t next; /* the file to be opened next */
    uint64_t left;
    lampy_reader reader;
    lam_filter *filter;
    lam_projection *projection;
    lam_record_reader *records;
    lampy_builder *builder;
    PyObject *batch; /* a list of dicts, of which those before `given` are gone */
    Py_ssize_t given;
    bool is_busy;
    lam_stop stop;
} rows;

static void end_file(rows *self) {
    lam_record_reader_close(self->records);
    lampy_builder_free(self->builder);
    lam_projection_destroy(self->projection);
    lam_filter_destroy(self->filter);
    lampy_reader_close(&self->reader);
    self->records = NULL;
    self->builder = NULL;
    self->projection = NULL;
    self->filter = NULL;
}

static lam_status open_records(rows *self, lam_error *error) {
    lam_scan_options options = lam_scan_options_default();
    lam_status status = lampy_files_open(self->files, self->next, &self->reader, error);
    const lam_schema *schema =
        status == LAM_STATUS_OK ? lam_reader_schema(self->reader.shown) : NULL;
    if (status == LAM_STATUS_OK && self->query.where != NULL)
        status = lam_filter_parse(schema, self->query.where, strlen(self->query.where), NULL, NULL,
                                  &self->filter, error);
    if (status == LAM_STATUS_OK && self->query.select != NULL)
        status = lam_projection_parse(schema, self->query.select, strlen(self->query.select), NULL,
                                      &self->projection, error);
    options.filter = self->filter;
    options.projection = self->projection;
    options.max_records = self->left;
    options.stop = &self->stop;
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_open_scan(self->reader.shown, &options, &self->records, error);
    return status;
}

static int begin_file(lampy_state *state, rows *self) {
    lam_error error = lam_error_none();
    lam_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = open_records(self, &error);
    Py_END_ALLOW_THREADS;
    if (status != LAM_STATUS_OK) {
        lampy_files_raise(state, self->files, self->next, status, &error);
        return -1;
    }
    self->next++;
    self->builder =
        lampy_builder_new(state, lam_reader_schema(self->reader.shown),
                          self->projection == NULL ? NULL : lam_projection_leaves(self->projection),
                          self->projection);
    return self->builder == NULL ? -1 : 0;
}

/* A read whose records are made one by one with the GIL. */
typedef struct read_job {
    rows *self;
    PyObject *list;
    uint64_t most;
    uint64_t count;
    lam_status status;
    lam_error error;
    PyObject *type, *value, *traceback; /* what making a record raised */
} read_job;

static lam_status read_records(rows *self, PyObject *list, uint64_t most, uint64_t *ret_count,
                               lam_error *error) {
    lam_record_sink sink = lampy_builder_sink(self->builder, list);
    return lam_record_reader_read(self->records, &sink, most, ret_count, error);
}

static void run_read(void *argument) {
    read_job *job = argument;
    PyGILState_STATE gil = PyGILState_Ensure();
    lampy_builder_part(job->self->builder);
    job->status = read_records(job->self, job->list, job->most, &job->count, &job->error);
    lampy_builder_join(job->self->builder);
    PyErr_Fetch(&job->type, &job->value, &job->traceback);
    PyGILState_Release(gil);
}

/* An exception of a signal comes before that of a record. */
static lam_status read_apart(rows *self, PyObject *list, uint64_t most, uint64_t *ret_count,
                             lam_error *error) {
    read_job job = {.self = self, .list = list, .most = most, .error = lam_error_none()};
    if (lampy_watch(run_read, &job, &self->stop, lampy_files_use_python(self->files)) < 0)
        return LAM_STATUS_NOMEM;
    if (PyErr_Occurred() == NULL) {
        PyErr_Restore(job.type, job.value, job.traceback);
    } else {
        Py_XDECREF(job.type);
        Py_XDECREF(job.value);
        Py_XDECREF(job.traceback);
    }
    *ret_count = job.count;
    *error = job.error;
    return PyErr_Occurred() != NULL ? LAM_STATUS_INVALID : job.status;
}

/* Appends up to `most` rows to a list, of one file; `*ret_more` is false at the end of all. */
static int read_on(lampy_state *state, rows *self, PyObject *list, uint64_t most, bool *ret_more) {
    lam_error error = lam_error_none();
    uint64_t count = 0;
    *ret_more = false;
    if (self->query.is_empty)
        return 0;
    if (self->records == NULL) {
        if (self->next == lampy_files_count(self->files) ||
            (self->query.limit > 0 && self->left == 0))
            return 0;
        if (begin_file(state, self) < 0)
            return -1;
    }
    lam_status status = self->filter != NULL ? read_apart(self, list, most, &count, &error)
                                             : read_records(self, list, most, &count, &error);
    if (status != LAM_STATUS_OK) {
        lampy_files_raise(state, self->files, self->next - 1, status, &error);
        return -1;
    }
    if (self->query.limit > 0)
        self->left -= count;
    if (count < most)
        end_file(self);
    *ret_more = true;
    return 0;
}

/* Fills the batch; it stays empty at the end of all files. */
static int fill(lampy_state *state, rows *self) {
    bool more = true;
    while (more && PyList_Size(self->batch) == 0)
        if (read_on(state, self, self->batch, BATCH, &more) < 0)
            return -1;
    return 0;
}

/* The next batch; after a failure there is none. */
static int turn(lampy_state *state, rows *self) {
    self->given = 0;
    self->is_busy = true;
    int result = PyList_SetSlice(self->batch, 0, PyList_Size(self->batch), NULL) < 0 ||
                         PyErr_CheckSignals() < 0
                     ? -1
                     : fill(state, self);
    if (result < 0) {
        end_file(self);
        self->next = lampy_files_count(self->files);
    }
    self->is_busy = false;
    return result;
}

static PyObject *rows_next(PyObject *object) {
    rows *self = (rows *)object;
    if (self->is_busy) {
        PyErr_SetString(PyExc_ValueError, "another thread takes a row");
        return NULL;
    }
    if (self->given == PyList_Size(self->batch)) {
        if (turn(lampy_state_of(object), self) < 0)
            return NULL;
        if (PyList_Size(self->batch) == 0)
            return NULL;
    }
    PyObject *row = PyList_GetItem(self->batch, self->given);
    Py_XINCREF(row);
    /* The caller alone holds it from here on. */
    if (row != NULL && PyList_SetItem(self->batch, self->given, Py_NewRef(Py_None)) < 0)
        Py_CLEAR(row);
    self->given++;
    return row;
}

static void rows_free(PyObject *object) {
    rows *self = (rows *)object;
    PyTypeObject *type = Py_TYPE(object);
    end_file(self);
    lampy_files_drop(self->files);
    lampy_query_finish(&self->query);
    Py_XDECREF(self->batch);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyObject *lampy_rows_new(lampy_state *state, lampy_files *files, const lampy_query *query) {
    PyTypeObject *type = (PyTypeObject *)state->rows_type;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    rows *self = (rows *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    self->files = lampy_files_keep(files);
    self->left = query->limit;
    self->batch = PyList_New(0);
    if (self->batch == NULL || lampy_query_copy(query, &self->query) < 0 ||
        (self->query.is_empty ? 0 : begin_file(state, self)) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/*
 * Meanwhile the collector of cycles rests: it would look at all rows again and again, and no row is
 * part of a cycle.
 */
PyObject *lampy_rows_collect(lampy_state *state, lampy_files *files, const lampy_query *query) {
    rows *self = (rows *)lampy_rows_new(state, files, query);
    PyObject *list = self == NULL ? NULL : PyList_New(0);
    int was_enabled = PyGC_Disable();
    bool more = true;
    while (list != NULL && more)
        if (read_on(state, self, list, BATCH, &more) < 0 || PyErr_CheckSignals() < 0)
            Py_CLEAR(list);
    if (was_enabled)
        PyGC_Enable();
    Py_XDECREF((PyObject *)self);
    return list;
}

/* The count of rows in the file whose turn it is. */
typedef struct count_job {
    rows *self;
    uint64_t count;
    lam_status status;
    lam_error error;
} count_job;

/*
 * Rows that are skipped are counted: a row group that a condition rules out or wants whole is not
 * read.
 */
static void run_count(void *argument) {
    count_job *job = argument;
    job->status = open_records(job->self, &job->error);
    if (job->status == LAM_STATUS_OK)
        job->status =
            lam_record_reader_skip(job->self->records, UINT64_MAX, &job->count, &job->error);
    end_file(job->self);
}

PyObject *lampy_rows_count(lampy_state *state, lampy_files *files, const lampy_query *query) {
    rows self = {.files = files, .query = *query};
    uint64_t limit = query->limit, count = 0;
    bool is_all = !query->is_empty && query->where == NULL;
    while (!is_all && !query->is_empty && self.next < lampy_files_count(files) &&
           (limit == 0 || count < limit)) {
        count_job job = {.self = &self, .error = lam_error_none()};
        if (lampy_watch(run_count, &job, &self.stop, lampy_files_use_python(files)) < 0 ||
            PyErr_Occurred() != NULL)
            return NULL;
        if (job.status != LAM_STATUS_OK)
            return lampy_files_raise(state, files, self.next, job.status, &job.error);
        count += job.count;
        self.next++;
    }
    if (is_all)
        count = lampy_files_rows(files);
    return PyLong_FromUnsignedLongLong(limit > 0 && count > limit ? limit : count);
}

static PyType_Slot rows_slots[] = {
    {Py_tp_doc, "Rows of files as dicts, one after the other."},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, rows_next},
    {Py_tp_dealloc, rows_free},
    {0, NULL},
};

PyType_Spec lampy_rows_spec = {
    "lamella._lamella.Rows",
    sizeof(rows),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    rows_slots,
};
