/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs dicts and arrays: records come in from any thread, and files that survive a kill appear in a
 * folder.
 *
 *     log({...})  feed --verbs--> producer --end, without the GIL--> the queue of the log
 *                                                    its thread --with the GIL--> on_file(path)
 *
 * The thread of the log takes the GIL for callbacks, so whatever may wait for that thread is called
 * without it: `end`, which waits while the queue is full, and all calls on the log itself.
 *
 * The invariant: `lock` is held by the thread that drives the producer, and is never waited for
 * with the GIL, nor by the thread that holds it: values of a record may run any Python code. After
 * a fork the child has no thread of the log: `is_foreign` refuses every call, and nothing is freed.
 */
#include "logger.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "capsules.h"
#include "feeder.h"
#include "writer.h"

typedef struct logger {
    PyObject ob_base;
    lam_log *log;       /* NULL once closed */
    lam_log_info ended; /* of a log that has finished */
    lam_log_producer *producer;
    lam_record_sink sink;
    lampy_feeder *feeder;
    PyThread_type_lock lock;
    atomic_ulong holder;   /* the thread that holds it, or 0 */
    PyObject *on_file;     /* a callable, or NULL */
    unsigned long calling; /* the thread that is in on_file, or 0 */
    bool is_foreign;
} logger;

/* --- Threads --------------------------------------------------------------------------------- */

static int refuse(PyObject *object, const char *message) {
    PyErr_SetString(lampy_state_of(object)->error, message);
    return -1;
}

/* Takes the lock. -1 with an exception where that is not allowed. */
static int take_lock(PyObject *object) {
    logger *self = (logger *)object;
    if (self->is_foreign)
        return refuse(object, "a log is used by the process that opened it, not after a fork");
    if (self->calling != 0 && self->calling == PyThread_get_thread_ident())
        return refuse(object, "on_file cannot use its log, which waits for it");
    if (atomic_load(&self->holder) == PyThread_get_thread_ident())
        return refuse(object,
                      "a record that is logged, a finalizer or a signal handler uses the log "
                      "while the same thread does");
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK) == 0) {
        Py_BEGIN_ALLOW_THREADS;
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS;
    }
    atomic_store(&self->holder, PyThread_get_thread_ident());
    return 0;
}

static void give_lock(PyObject *object) {
    atomic_store(&((logger *)object)->holder, 0);
    PyThread_release_lock(((logger *)object)->lock);
}

/* Takes the lock. -1 with an exception when there is no log to be used. */
static int enter(PyObject *object) {
    logger *self = (logger *)object;
    if (take_lock(object) < 0)
        return -1;
    if (self->log != NULL)
        return 0;
    give_lock(object);
    return refuse(object, "the log is closed");
}

static PyObject *leave(PyObject *object, lam_status status, const lam_error *error) {
    give_lock(object);
    return status == LAM_STATUS_OK ? Py_NewRef(Py_None)
                                   : lampy_raise(lampy_state_of(object), status, error);
}

/* In the thread of the log, or in the call of a log without one. */
static void call_on_file(void *state, const lam_log_file *file) {
    logger *self = state;
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    self->calling = PyThread_get_thread_ident();
    PyObject *path = PyUnicode_DecodeFSDefault(file->path);
    PyObject *result =
        path == NULL ? NULL : PyObject_CallFunctionObjArgs(self->on_file, path, NULL);
    if (result == NULL)
        PyErr_WriteUnraisable(self->on_file);
    Py_XDECREF(result);
    Py_XDECREF(path);
    self->calling = 0;
    PyGILState_Release(gil);
}

/* --- Records --------------------------------------------------------------------------------- */

/* A producer of the log's present schema, and what feeds it. With the lock. */
static int make_producer(PyObject *object) {
    logger *self = (logger *)object;
    lam_error error = lam_error_none();
    lam_log_producer *producer;
    lam_status status;
    Py_BEGIN_ALLOW_THREADS;
    lam_log_producer_destroy(self->producer);
    self->producer = NULL;
    status = lam_log_producer_create(self->log, &producer, &error);
    Py_END_ALLOW_THREADS;
    lampy_feeder_free(self->feeder);
    self->feeder = NULL;
    if (status != LAM_STATUS_OK) {
        lampy_raise(lampy_state_of(object), status, &error);
        return -1;
    }
    self->producer = producer;
    self->sink = lam_log_producer_sink(producer);
    self->feeder = lampy_feeder_new(lampy_state_of(object), lam_log_schema(self->log));
    return self->feeder == NULL ? -1 : 0;
}

static PyObject *logger_log(PyObject *object, PyObject *arguments, PyObject *keywords) {
    logger *self = (logger *)object;
    lam_error error = lam_error_none();
    PyObject *record = keywords;
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count > 1 || (count == 1) == (keywords != NULL && PyDict_Size(keywords) > 0)) {
        PyErr_SetString(PyExc_TypeError, "log() takes a dict, or fields by their names");
        return NULL;
    }
    if (count == 1)
        record = PyTuple_GetItem(arguments, 0);
    if (enter(object) < 0)
        return NULL;
    if ((self->feeder == NULL && make_producer(object) < 0) ||
        lampy_feeder_feed(self->feeder, record, &self->sink) < 0) {
        give_lock(object);
        return NULL;
    }
    lam_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = self->sink.end(self->sink.state, &error);
    Py_END_ALLOW_THREADS;
    return leave(object, status, &error);
}

/* --- Arrays ---------------------------------------------------------------------------------- */

/* Writes an array of a stream; `*ret_more` is false at its end. */
static lam_status log_next(lam_log_arrays *arrays, struct ArrowArrayStream *stream, bool *ret_more,
                           lam_error *error) {
    struct ArrowArray array;
    lam_status status = lampy_array_next(stream, &array, ret_more, error);
    if (status != LAM_STATUS_OK || !*ret_more)
        return status;
    status = lam_log_arrays_write(arrays, &array, error);
    array.release(&array);
    return status;
}

static lam_status open_arrays(logger *self, struct ArrowArrayStream *stream,
                              lam_log_arrays **ret_arrays, lam_error *error) {
    struct ArrowSchema schema;
    lam_status status = lampy_schema_next(stream, &schema, error);
    if (status == LAM_STATUS_OK) {
        status = lam_log_arrays_create(self->log, &schema, ret_arrays, error);
        schema.release(&schema);
    }
    return status;
}

static PyObject *logger_write_stream(PyObject *object, PyObject *capsule) {
    lam_error error = lam_error_none();
    lam_log_arrays *arrays = NULL;
    bool more = true;
    struct ArrowArrayStream *stream = lampy_stream_of(lampy_state_of(object), capsule);
    if (stream == NULL || enter(object) < 0)
        return NULL;
    lam_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = open_arrays((logger *)object, stream, &arrays, &error);
    Py_END_ALLOW_THREADS;
    while (status == LAM_STATUS_OK && more && PyErr_CheckSignals() == 0) {
        Py_BEGIN_ALLOW_THREADS;
        status = log_next(arrays, stream, &more, &error);
        Py_END_ALLOW_THREADS;
    }
    lam_log_arrays_destroy(arrays);
    PyObject *result = leave(object, status, &error);
    if (result != NULL && PyErr_Occurred() != NULL)
        Py_CLEAR(result);
    return result;
}

/* --- The log --------------------------------------------------------------------------------- */

/* The union of the log's present schema and another. */
static lam_status widen(lam_log *log, const lam_schema *other, lam_error *error) {
    lam_union *all;
    lam_status status = lam_union_create(NULL, NULL, &all, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_union_add(all, lam_log_schema(log), "the log", error);
    if (status == LAM_STATUS_OK)
        status = lam_union_add(all, other, "the record", error);
    if (status == LAM_STATUS_OK)
        status = lam_log_widen(log, lam_union_schema(all), error);
    lam_union_destroy(all);
    return status;
}

static PyObject *logger_widen(PyObject *object, PyObject *message) {
    lam_error error = lam_error_none();
    lam_status status;
    lam_schema *other = lampy_schema_of(lampy_state_of(object), message);
    if (other == NULL)
        return NULL;
    if (enter(object) < 0) {
        lam_schema_destroy(other);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = widen(((logger *)object)->log, other, &error);
    lam_schema_destroy(other);
    Py_END_ALLOW_THREADS;
    if (status == LAM_STATUS_OK && make_producer(object) < 0) {
        give_lock(object);
        return NULL;
    }
    return leave(object, status, &error);
}

/* One of the calls that take the log alone. */
static PyObject *call(PyObject *object, lam_status (*function)(lam_log *log, lam_error *error)) {
    lam_error error = lam_error_none();
    lam_status status;
    if (enter(object) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = function(((logger *)object)->log, &error);
    Py_END_ALLOW_THREADS;
    return leave(object, status, &error);
}

static PyObject *logger_checkpoint(PyObject *object, PyObject *nothing) {
    (void)nothing;
    return call(object, lam_log_checkpoint);
}

static PyObject *logger_rotate(PyObject *object, PyObject *nothing) {
    (void)nothing;
    return call(object, lam_log_rotate);
}

/* Milliseconds to the next call, or None. */
static PyObject *logger_poll(PyObject *object, PyObject *nothing) {
    lam_error error = lam_error_none();
    uint64_t wait = UINT64_MAX;
    lam_status status;
    (void)nothing;
    if (enter(object) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = lam_log_poll(((logger *)object)->log, &wait, &error);
    Py_END_ALLOW_THREADS;
    PyObject *result = leave(object, status, &error);
    if (result == NULL || wait == UINT64_MAX)
        return result;
    Py_DECREF(result);
    return PyLong_FromUnsignedLongLong(wait);
}

static PyObject *logger_info(PyObject *object, PyObject *nothing) {
    logger *self = (logger *)object;
    lam_error error = lam_error_none();
    (void)nothing;
    if (take_lock(object) < 0)
        return NULL;
    lam_log_info info = self->log == NULL ? self->ended : lam_log_info_default();
    PyObject *done = leave(
        object, self->log == NULL ? LAM_STATUS_OK : lam_log_get_info(self->log, &info, &error),
        &error);
    if (done == NULL)
        return NULL;
    Py_DECREF(done);
    return Py_BuildValue(
        "{sKsKsKsKsKsKsKsKsKsKsO}", "accepted", (unsigned long long)info.accepted, "durable",
        (unsigned long long)info.durable, "dropped", (unsigned long long)info.dropped, "recovered",
        (unsigned long long)info.recovered, "files", (unsigned long long)info.files,
        "removed_files", (unsigned long long)info.removed_files, "bytes",
        (unsigned long long)info.bytes, "queued", (unsigned long long)info.queued, "unrecovered",
        (unsigned long long)info.unrecovered, "put_aside", (unsigned long long)info.put_aside,
        "has_failed", info.has_failed ? Py_True : Py_False);
}

/* Frees the log, finished or not. With the lock, or alone. */
static void close_log(logger *self) {
    lam_log *closing = self->log;
    lam_log_producer *producer = self->producer;
    self->log = NULL;
    self->producer = NULL;
    Py_BEGIN_ALLOW_THREADS;
    lam_log_producer_destroy(producer);
    lam_log_close(closing);
    Py_END_ALLOW_THREADS;
    lampy_feeder_free(self->feeder);
    self->feeder = NULL;
}

/* Finishes all files. A log that cannot leaves what a kill would leave. */
static PyObject *logger_finish(PyObject *object, PyObject *nothing) {
    logger *self = (logger *)object;
    lam_error error = lam_error_none();
    lam_status status;
    (void)nothing;
    if (enter(object) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    lam_log_producer_destroy(self->producer);
    self->producer = NULL;
    status = lam_log_finish(self->log, &error);
    self->ended = lam_log_info_default();
    if (lam_log_get_info(self->log, &self->ended, NULL) != LAM_STATUS_OK)
        self->ended = lam_log_info_default();
    Py_END_ALLOW_THREADS;
    close_log(self);
    return leave(object, status, &error);
}

static PyObject *logger_disown(PyObject *object, PyObject *nothing) {
    (void)nothing;
    ((logger *)object)->is_foreign = true;
    Py_RETURN_NONE;
}

static PyObject *logger_get_closed(PyObject *object, void *closure) {
    (void)closure;
    return PyBool_FromLong(((logger *)object)->log == NULL || ((logger *)object)->is_foreign);
}

static PyObject *logger_get_message(PyObject *object, void *closure) {
    (void)closure;
    if (enter(object) < 0)
        return NULL;
    PyObject *message = lampy_message_of(lam_log_schema(((logger *)object)->log));
    give_lock(object);
    return message;
}

/* Without a finish before, this leaves what a kill would leave. */
static void logger_free(PyObject *object) {
    logger *self = (logger *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (!self->is_foreign) {
        close_log(self);
        if (self->lock != NULL)
            PyThread_free_lock(self->lock);
        Py_XDECREF(self->on_file);
    }
    PyObject_Free(self);
    Py_DECREF(type);
}

/* --- Making ---------------------------------------------------------------------------------- */

/* Text is the schema of the records; a schema of Arrow is stated in the files, too. */
static lam_status open_by(logger *self, const lam_schema *schema, const struct ArrowSchema *arrow,
                          const char *path, const lampy_log_keywords *keywords, lam_error *error) {
    const lam_log_options *options = &keywords->options;
    if (arrow == NULL)
        return keywords->is_file ? lam_log_open_file(schema, path, options, &self->log, error)
                                 : lam_log_open(schema, path, options, &self->log, error);
    return keywords->is_file ? lam_log_open_arrow_file(arrow, path, options, &self->log, error)
                             : lam_log_open_arrow(arrow, path, options, &self->log, error);
}

static int open_log(PyObject *object, PyObject *path, PyObject *given,
                    const lampy_log_keywords *keywords) {
    lam_error error = lam_error_none();
    PyObject *bytes = NULL;
    lam_schema *schema = NULL;
    const struct ArrowSchema *arrow = NULL;
    if (PyUnicode_Check(given))
        schema = lampy_schema_of(lampy_state_of(object), given);
    else
        arrow = lampy_arrow_schema_of(lampy_state_of(object), given);
    if ((schema == NULL && arrow == NULL) || !PyUnicode_FSConverter(path, &bytes)) {
        lam_schema_destroy(schema);
        return -1;
    }
    const char *name = PyBytes_AsString(bytes);
    lam_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = open_by((logger *)object, schema, arrow, name, keywords, &error);
    Py_END_ALLOW_THREADS;
    lam_schema_destroy(schema);
    Py_DECREF(bytes);
    if (status != LAM_STATUS_OK)
        lampy_raise(lampy_state_of(object), status, &error);
    return status == LAM_STATUS_OK ? 0 : -1;
}

PyObject *lampy_logger_make(PyObject *module, PyObject *arguments) {
    lampy_state *state = lampy_state_of_module(module);
    PyObject *path, *schema, *dict;
    lampy_log_keywords keywords;
    if (!PyArg_ParseTuple(arguments, "OOO!:logger", &path, &schema, &PyDict_Type, &dict) ||
        lampy_log_keywords_parse(state, dict, &keywords) < 0)
        return NULL;
    PyObject *on_file = PyDict_GetItemString(dict, "on_file");
    PyTypeObject *type = (PyTypeObject *)state->logger_type;
    logger *self = (logger *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self != NULL) {
        self->lock = PyThread_allocate_lock();
        if (on_file != NULL && on_file != Py_None) {
            self->on_file = Py_NewRef(on_file);
            keywords.options.on_file = call_on_file;
            keywords.options.callback_state = self;
        }
        if (self->lock == NULL)
            PyErr_NoMemory();
        if (self->lock == NULL || open_log((PyObject *)self, path, schema, &keywords) < 0) {
            Py_DECREF(self);
            self = NULL;
        }
    }
    free(keywords.key_values);
    return (PyObject *)self;
}

static PyMethodDef logger_methods[] = {
    {"log", (PyCFunction)(void (*)(void))logger_log, METH_VARARGS | METH_KEYWORDS,
     "Log a dict, or fields by their names."},
    {"write_stream", logger_write_stream, METH_O, "Log the arrays of a capsule."},
    {"widen", logger_widen, METH_O, "Take records of another schema, too."},
    {"checkpoint", logger_checkpoint, METH_NOARGS, "Make all records so far durable."},
    {"rotate", logger_rotate, METH_NOARGS, "End all open files."},
    {"poll", logger_poll, METH_NOARGS, "Do what is due, without a thread of the log."},
    {"info", logger_info, METH_NOARGS, "Numbers since the log was opened."},
    {"finish", logger_finish, METH_NOARGS, "End all files, and the log."},
    {"disown", logger_disown, METH_NOARGS, "Refuse all calls: the process has forked."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef logger_members[] = {
    {"closed", logger_get_closed, NULL, "Whether the log has ended.", NULL},
    {"message", logger_get_message, NULL, "The present schema as message text.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot logger_slots[] = {
    {Py_tp_doc, "A log."},
    {Py_tp_methods, logger_methods},
    {Py_tp_getset, logger_members},
    {Py_tp_dealloc, logger_free},
    {0, NULL},
};

PyType_Spec lampy_logger_spec = {
    "lamella._lamella.Logger",
    sizeof(logger),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    logger_slots,
};
