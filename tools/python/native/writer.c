/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one file: arrays of Arrow, in streams, and dicts come in, in any order, and Parquet goes
 * to a path or to an object with a write method.
 *
 * The loop over a stream is here, not in the library, so that signals are looked at after each
 * array and a program can be interrupted. Whatever is not finished is abandoned: nothing appears
 * under the path.
 *
 * The invariant: one thread is inside the writer at a time; `is_busy` refuses others, which come
 * in while the GIL is given up.
 */
#include "writer.h"

#include <string.h>

#include "capsules.h"
#include "feeder.h"
#include "target.h"
#include "watch.h"

typedef struct writer {
    PyObject ob_base;
    lampy_target target;
    lam_schema *schema;
    lam_writer *writer;      /* NULL once finished or abandoned */
    lam_arrow_writer *arrow; /* of the last stream */
    lampy_feeder *feeder;    /* of the first dict on */
    uint64_t rows;           /* of a writer that is finished */
    uint64_t bytes;
    bool is_busy;
    lam_stop stop;
} writer;

/* A call on the writer that may take long. */
typedef struct writer_job {
    writer *self;
    const struct ArrowArray *array; /* to be written; NULL: */
    bool is_end;                    /* the file is finished; else the row group is ended */
    lam_status status;
    lam_error error;
} writer_job;

static PyObject *raise_of(PyObject *object, lam_status status, const lam_error *error) {
    writer *self = (writer *)object;
    return lampy_target_restore(&self->target)
               ? NULL
               : lampy_raise_at(lampy_state_of(object), status, error, self->target.path);
}

/* The GIL is given up between these two. */
static int enter(PyObject *object) {
    writer *self = (writer *)object;
    if (self->writer == NULL || self->is_busy) {
        PyErr_SetString(lampy_state_of(object)->error,
                        self->is_busy ? "another thread uses the writer" : "the writer is closed");
        return -1;
    }
    self->is_busy = true;
    return 0;
}

static PyObject *leave(PyObject *object, lam_status status, const lam_error *error) {
    ((writer *)object)->is_busy = false;
    if (PyErr_Occurred() != NULL) /* a signal */
        return NULL;
    return status == LAM_STATUS_OK ? Py_NewRef(Py_None) : raise_of(object, status, error);
}

static void run_job(void *argument) {
    writer_job *job = argument;
    writer *self = job->self;
    if (job->array != NULL)
        job->status = lam_arrow_write_array(self->arrow, job->array, &job->error);
    else if (job->is_end)
        job->status = lam_writer_finish(self->writer, &job->error);
    else
        job->status = lam_writer_end_row_group(self->writer, &job->error);
}

/* In a thread of its own, unless it is sure to be quick. A signal leaves its exception. */
static lam_status do_job(writer_job *job) {
    enum { QUICK_ROWS = 10000 };
    bool is_quick = job->array != NULL && job->array->length <= QUICK_ROWS;
    if (lampy_watch(run_job, job, &job->self->stop, is_quick) < 0)
        job->status = LAM_STATUS_NOMEM;
    return job->status;
}

/* --- Arrays ----------------------------------------------------------------------------------- */

/*
 * The writer of arrays of a schema, which must become the schema of the file. The first one adds
 * the metadata of its schema to the file; later ones may differ in what Parquet does not know.
 */
static lam_status begin_arrow(writer *self, const struct ArrowSchema *schema, lam_error *error) {
    lam_arrow_write_options options = lam_arrow_write_options_default();
    struct ArrowSchema bare = *schema;
    if (self->arrow != NULL) {
        options.arrow_schema = LAM_SWITCH_OFF;
        bare.metadata = NULL;
    }
    lam_arrow_writer *arrow;
    lam_status status = lam_arrow_writer_create(self->writer, &bare, &options, &arrow, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_arrow_writer_destroy(self->arrow);
    self->arrow = arrow;
    return LAM_STATUS_OK;
}

static lam_status begin_stream(writer *self, struct ArrowArrayStream *stream, lam_error *error) {
    struct ArrowSchema schema;
    lam_status status = lampy_schema_next(stream, &schema, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = begin_arrow(self, &schema, error);
    schema.release(&schema);
    return status;
}

static PyObject *writer_write_stream(PyObject *object, PyObject *capsule) {
    writer *self = (writer *)object;
    lam_error error = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    bool more = true;
    struct ArrowArrayStream *stream = lampy_stream_of(lampy_state_of(object), capsule);
    if (stream == NULL || enter(object) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = begin_stream(self, stream, &error);
    Py_END_ALLOW_THREADS;
    while (status == LAM_STATUS_OK && PyErr_Occurred() == NULL) {
        struct ArrowArray array;
        Py_BEGIN_ALLOW_THREADS;
        status = lampy_array_next(stream, &array, &more, &error);
        Py_END_ALLOW_THREADS;
        if (status != LAM_STATUS_OK || !more) {
            (void)Py_MakePendingCalls(); /* a signal that ended a stream of this module */
            break;
        }
        writer_job job = {.self = self, .array = &array, .error = lam_error_none()};
        status = do_job(&job);
        error = job.error;
        array.release(&array);
    }
    return leave(object, status, &error);
}

/* An array whose schema comes with it, as __arrow_c_array__ gives them. */
static PyObject *writer_write_array(PyObject *object, PyObject *arguments) {
    writer *self = (writer *)object;
    PyObject *schema_capsule, *array_capsule;
    if (!PyArg_ParseTuple(arguments, "OO:write_array", &schema_capsule, &array_capsule))
        return NULL;
    lampy_state *state = lampy_state_of(object);
    const struct ArrowSchema *schema = lampy_arrow_schema_of(state, schema_capsule);
    const struct ArrowArray *array = schema == NULL ? NULL : lampy_array_of(state, array_capsule);
    if (array == NULL || enter(object) < 0)
        return NULL;
    writer_job job = {.self = self, .array = array, .error = lam_error_none()};
    job.status = begin_arrow(self, schema, &job.error);
    if (job.status == LAM_STATUS_OK)
        (void)do_job(&job);
    return leave(object, job.status, &job.error);
}

/* --- Dicts ------------------------------------------------------------------------------------ */

/* Ends the record without the GIL, as that may write a row group. */
static int write_row(PyObject *object, PyObject *row) {
    writer *self = (writer *)object;
    lam_error error = lam_error_none();
    lam_record_sink sink = lam_writer_sink(self->writer);
    if (self->feeder == NULL)
        self->feeder = lampy_feeder_new(lampy_state_of(object), self->schema);
    if (self->feeder == NULL || lampy_feeder_feed(self->feeder, row, &sink) < 0)
        return -1;
    lam_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = lam_end(&sink, &error);
    Py_END_ALLOW_THREADS;
    if (status != LAM_STATUS_OK)
        raise_of(object, status, &error);
    return status == LAM_STATUS_OK ? 0 : -1;
}

static PyObject *writer_write_rows(PyObject *object, PyObject *rows) {
    PyObject *iterator = PyObject_GetIter(rows), *row;
    if (iterator == NULL)
        return NULL;
    if (enter(object) < 0) {
        Py_DECREF(iterator);
        return NULL;
    }
    unsigned count = 0;
    int result = 0;
    while (result == 0 && (row = PyIter_Next(iterator)) != NULL) {
        result = write_row(object, row);
        Py_DECREF(row);
        if (result == 0 && ++count % 1024 == 0)
            result = PyErr_CheckSignals();
    }
    Py_DECREF(iterator);
    ((writer *)object)->is_busy = false;
    return PyErr_Occurred() != NULL ? NULL : Py_NewRef(Py_None);
}

static PyObject *writer_write_row(PyObject *object, PyObject *row) {
    if (enter(object) < 0)
        return NULL;
    int result = write_row(object, row);
    ((writer *)object)->is_busy = false;
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

/* --- The file --------------------------------------------------------------------------------- */

static PyObject *writer_end_row_group(PyObject *object, PyObject *nothing) {
    writer_job job = {.self = (writer *)object, .error = lam_error_none()};
    (void)nothing;
    if (enter(object) < 0)
        return NULL;
    (void)do_job(&job);
    return leave(object, job.status, &job.error);
}

static PyObject *writer_add_key_value(PyObject *object, PyObject *arguments) {
    const char *key, *value;
    lam_error error = lam_error_none();
    if (!PyArg_ParseTuple(arguments, "sz:add_key_value", &key, &value) || enter(object) < 0)
        return NULL;
    return leave(object,
                 lam_writer_add_key_value(((writer *)object)->writer, NULL, key, value, &error),
                 &error);
}

static void close_writer(writer *self) {
    lam_writer *closing = self->writer;
    lam_arrow_writer *arrow = self->arrow;
    self->writer = NULL;
    self->arrow = NULL;
    Py_BEGIN_ALLOW_THREADS;
    lam_arrow_writer_destroy(arrow);
    lam_writer_close(closing);
    Py_END_ALLOW_THREADS;
    lampy_feeder_free(self->feeder);
    self->feeder = NULL;
}

static PyObject *writer_finish(PyObject *object, PyObject *nothing) {
    writer *self = (writer *)object;
    writer_job job = {.self = self, .is_end = true, .error = lam_error_none()};
    (void)nothing;
    if (enter(object) < 0)
        return NULL;
    (void)do_job(&job);
    self->rows = lam_writer_record_count(self->writer);
    self->bytes = lam_writer_bytes_written(self->writer);
    close_writer(self);
    return leave(object, job.status, &job.error);
}

static PyObject *writer_abandon(PyObject *object, PyObject *nothing) {
    (void)nothing;
    if (((writer *)object)->is_busy)
        return enter(object) < 0 ? NULL : NULL;
    close_writer((writer *)object);
    Py_RETURN_NONE;
}

static PyObject *writer_get_rows(PyObject *object, void *closure) {
    writer *self = (writer *)object;
    (void)closure;
    return PyLong_FromUnsignedLongLong(
        self->writer == NULL ? self->rows : lam_writer_record_count(self->writer));
}

static PyObject *writer_get_bytes(PyObject *object, void *closure) {
    writer *self = (writer *)object;
    (void)closure;
    return PyLong_FromUnsignedLongLong(
        self->writer == NULL ? self->bytes : lam_writer_bytes_written(self->writer));
}

static void writer_free(PyObject *object) {
    writer *self = (writer *)object;
    PyTypeObject *type = Py_TYPE(object);
    close_writer(self);
    lam_schema_destroy(self->schema);
    lampy_target_finish(&self->target);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* --- Making ----------------------------------------------------------------------------------- */

/* Each of a list of paths. */
static int set_bloom(lampy_state *state, lam_writer *out, PyObject *paths) {
    lam_error error = lam_error_none();
    for (Py_ssize_t i = 0; i < PySequence_Size(paths); i++) {
        PyObject *path = PySequence_GetItem(paths, i);
        const char *text = path == NULL ? NULL : PyUnicode_AsUTF8AndSize(path, NULL);
        lam_status status =
            text == NULL ? LAM_STATUS_OK : lam_writer_set_bloom_filter(out, text, 0, 0, &error);
        Py_XDECREF(path);
        if (status != LAM_STATUS_OK)
            lampy_raise(state, status, &error);
        if (PyErr_Occurred() != NULL)
            return -1;
    }
    return PyErr_Occurred() != NULL ? -1 : 0; /* what is no sequence has no size */
}

/* Each of a list of tuples (path, descending, nulls_first). */
static int set_sorting(lampy_state *state, lam_writer *out, PyObject *keys) {
    lam_error error = lam_error_none();
    for (Py_ssize_t i = 0; i < PySequence_Size(keys); i++) {
        PyObject *key = PySequence_GetItem(keys, i);
        const char *path;
        int descending, nulls_first;
        lam_status status = LAM_STATUS_OK;
        if (key != NULL && PyArg_ParseTuple(key, "spp:sorted_by", &path, &descending, &nulls_first))
            status = lam_writer_add_sorting_column(out, path, descending, nulls_first, &error);
        Py_XDECREF(key);
        if (status != LAM_STATUS_OK)
            lampy_raise(state, status, &error);
        if (PyErr_Occurred() != NULL)
            return -1;
    }
    return PyErr_Occurred() != NULL ? -1 : 0; /* what is no sequence has no size */
}

/* Each of a dict of path and encoding, by its name in the format. */
static int set_encodings(lampy_state *state, lam_writer *out, PyObject *dict) {
    PyObject *path, *name;
    Py_ssize_t position = 0;
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "encodings is a dict of paths and encodings");
        return -1;
    }
    while (PyDict_Next(dict, &position, &path, &name)) {
        lam_error error = lam_error_none();
        const char *path_text = PyUnicode_AsUTF8AndSize(path, NULL);
        const char *name_text = path_text == NULL ? NULL : PyUnicode_AsUTF8AndSize(name, NULL);
        if (name_text == NULL)
            return -1;
        int encoding = 0;
        while (encoding < 16 && strcmp(lam_encoding_name((lam_encoding)encoding), name_text) != 0)
            encoding++;
        if (encoding == 16) {
            PyErr_Format(state->error, "no encoding %R", name);
            return -1;
        }
        lam_status status = lam_writer_set_encoding(out, path_text, (lam_encoding)encoding, &error);
        if (status != LAM_STATUS_OK) {
            lampy_raise(state, status, &error);
            return -1;
        }
    }
    return 0;
}

static int apply(lampy_state *state, lam_writer *out, PyObject *dict) {
    PyObject *bloom = PyDict_GetItemString(dict, "bloom"),
             *sorting = PyDict_GetItemString(dict, "sorted_by");
    PyObject *encodings = PyDict_GetItemString(dict, "encodings");
    return (bloom != NULL && bloom != Py_None && set_bloom(state, out, bloom) < 0) ||
                   (sorting != NULL && sorting != Py_None &&
                    set_sorting(state, out, sorting) < 0) ||
                   (encodings != NULL && encodings != Py_None &&
                    set_encodings(state, out, encodings) < 0)
               ? -1
               : 0;
}

static int open_writer(lampy_state *state, writer *self, lam_writer_options *options) {
    lam_error error = lam_error_none();
    lam_output output;
    lam_status status;
    options->stop = &self->stop;
    Py_BEGIN_ALLOW_THREADS;
    status = lampy_target_open(&self->target, &output, &error);
    if (status == LAM_STATUS_OK) {
        status = lam_writer_open(self->schema, &output, options, &self->writer, &error);
        if (status != LAM_STATUS_OK)
            output.close(output.state);
    }
    Py_END_ALLOW_THREADS;
    if (status != LAM_STATUS_OK && !lampy_target_restore(&self->target))
        lampy_raise_at(state, status, &error, self->target.path);
    return status == LAM_STATUS_OK ? 0 : -1;
}

PyObject *lampy_writer_make(PyObject *module, PyObject *arguments) {
    lampy_state *state = lampy_state_of_module(module);
    PyObject *target, *schema, *dict;
    lam_writer_options options;
    if (!PyArg_ParseTuple(arguments, "OOO!:writer", &target, &schema, &PyDict_Type, &dict) ||
        lampy_writer_options(state, dict, &options) < 0)
        return NULL;
    PyTypeObject *type = (PyTypeObject *)state->writer_type;
    writer *self = (writer *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self == NULL)
        return NULL;
    self->schema = lampy_schema_of(state, schema);
    if (self->schema == NULL || lampy_target_init(&self->target, target) < 0 ||
        open_writer(state, self, &options) < 0 || apply(state, self->writer, dict) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyMethodDef writer_methods[] = {
    {"write_stream", writer_write_stream, METH_O,
     "Write the arrays of a capsule arrow_array_stream."},
    {"write_array", writer_write_array, METH_VARARGS, "Write the array of two capsules."},
    {"write_row", writer_write_row, METH_O, "Write a dict."},
    {"write_rows", writer_write_rows, METH_O, "Write dicts."},
    {"end_row_group", writer_end_row_group, METH_NOARGS, "End the row group."},
    {"add_key_value", writer_add_key_value, METH_VARARGS, "Add a key and its value to the footer."},
    {"finish", writer_finish, METH_NOARGS, "Write the footer; the file is complete."},
    {"abandon", writer_abandon, METH_NOARGS, "Leave nothing behind."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef writer_members[] = {
    {"rows", writer_get_rows, NULL, "Rows so far.", NULL},
    {"bytes", writer_get_bytes, NULL, "Bytes written so far.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot writer_slots[] = {
    {Py_tp_doc, "A file that is being written."},
    {Py_tp_methods, writer_methods},
    {Py_tp_getset, writer_members},
    {Py_tp_dealloc, writer_free},
    {0, NULL},
};

PyType_Spec lampy_writer_spec = {
    "lamella._lamella.Writer",
    sizeof(writer),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    writer_slots,
};
