/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of Arrow arrays: files and a query come in, and the struct of the C stream interface goes
 * out, in a capsule.
 *
 *     consumer -- get_next --> this stream -- get_next --> the stream of the file whose turn it is
 *                                   | end of a file: the next one is opened
 *
 * Consumers call from any thread, with the GIL or without. A consumer that holds it while a source
 * in Python, called by another thread of the reader, waits for it would wait for ever: so each
 * callback takes the GIL, whether its thread has it or not, and gives it up for the work.
 *
 * The invariant: the stream holds its files; arrays hold themselves. After a failure every get_next
 * fails, with the same message.
 */
#include "stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capsules.h"
#include "watch.h"

typedef struct file_stream {
    lampy_files *files;
    lampy_query query;
    size_t next;                     /* the file to be opened next */
    lampy_reader reader;             /* of the file that is read */
    struct ArrowArrayStream current; /* its stream */
    struct ArrowSchema schema;       /* of the first file */
    uint64_t left;                   /* rows, if the query has a limit */
    lam_stop stop;                   /* a handler of a signal has raised */
    bool uses_python;                /* so do reads */
    bool is_slow;                    /* the last array took long */
    int failure;                     /* errno of the first failure, or 0 */
    char message[400];
} file_stream;

/* --- Without the GIL -------------------------------------------------------------------------- */

/* What a thread of a consumer has given up for the work. */
typedef struct freed {
    PyGILState_STATE gil;
    PyThreadState *saved;
    bool is_guarded; /* false once the interpreter has ended: there is nothing to give up */
} freed;

static freed give_up_gil(void) {
    freed own = {.is_guarded = Py_IsInitialized() != 0};
    if (own.is_guarded) {
        own.gil = PyGILState_Ensure();
        own.saved = PyEval_SaveThread();
    }
    return own;
}

/* A failure of the stream is told in the words of the exception behind it, if there is one. */
static void take_gil(freed own, file_stream *stream) {
    if (!own.is_guarded)
        return;
    PyEval_RestoreThread(own.saved);
    if (stream != NULL && stream->failure != 0)
        lampy_files_explain(stream->files, stream->message, sizeof stream->message);
    PyGILState_Release(own.gil);
}

/* --- From file to file ------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b) {
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0;
}

/* Whether arrays of one schema may follow those of the other in one stream. */
static bool same_schema(const struct ArrowSchema *a, const struct ArrowSchema *b) {
    if (!same_text(a->format, b->format) || !same_text(a->name, b->name) ||
        a->n_children != b->n_children || (a->dictionary == NULL) != (b->dictionary == NULL))
        return false;
    for (int64_t i = 0; i < a->n_children; i++)
        if (!same_schema(a->children[i], b->children[i]))
            return false;
    return a->dictionary == NULL || same_schema(a->dictionary, b->dictionary);
}

static void release_schema(struct ArrowSchema *schema) {
    if (schema->release != NULL)
        schema->release(schema);
}

static void end_file(file_stream *stream) {
    if (stream->current.release != NULL)
        stream->current.release(&stream->current);
    memset(&stream->current, 0, sizeof stream->current);
    lampy_reader_close(&stream->reader);
}

static lam_status open_stream(file_stream *stream, const struct ArrowSchema *requested,
                              lam_error *error) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.select = stream->query.select;
    options.where = stream->query.where;
    options.max_rows = stream->left;
    options.batch_rows = stream->query.batch_rows;
    options.thread_count = stream->query.threads;
    options.stop = &stream->stop;
    options.requested = requested;
    options.dictionaries = stream->query.plain ? LAM_SWITCH_OFF : LAM_SWITCH_DEFAULT;
    return lam_arrow_read_stream(stream->reader.shown, &options, &stream->current, error);
}

/*
 * A file that was written with other types of Arrow than the first is asked for those of the
 * first.
 */
static lam_status begin_file(file_stream *stream, const struct ArrowSchema *requested,
                             lam_error *error) {
    struct ArrowSchema schema;
    lam_status status = lampy_files_open(stream->files, stream->next, &stream->reader, error);
    if (status == LAM_STATUS_OK)
        status = open_stream(stream, requested, error);
    if (status != LAM_STATUS_OK)
        return status;
    int failure = stream->current.get_schema(&stream->current, &schema);
    if (failure != 0) {
        PyOS_snprintf(error->message, sizeof error->message, "%s",
                      stream->current.get_last_error(&stream->current));
        return LAM_STATUS_UNSUPPORTED;
    }
    if (stream->next++ == 0) {
        stream->schema = schema;
        return LAM_STATUS_OK;
    }
    bool fits = same_schema(&stream->schema, &schema);
    release_schema(&schema);
    if (fits)
        return LAM_STATUS_OK;
    PyOS_snprintf(error->message, sizeof error->message, "%s: its Arrow types are not those of %s",
                  lampy_files_name(stream->files, stream->next - 1),
                  lampy_files_name(stream->files, 0));
    return LAM_STATUS_UNSUPPORTED;
}

static int errno_of(lam_status status) {
    switch (status) {
    case LAM_STATUS_NOMEM:
        return ENOMEM;
    case LAM_STATUS_IO:
        return EIO;
    case LAM_STATUS_UNSUPPORTED:
        return ENOSYS;
    case LAM_STATUS_CANCELLED:
        return ECANCELED;
    default:
        return EINVAL;
    }
}

/* Of several files the one is named; `next` is the one behind it, but while it is opened. */
static int fail(file_stream *stream, int failure, const char *message) {
    size_t count = lampy_files_count(stream->files);
    size_t index = stream->current.release != NULL ? stream->next - 1 : stream->next;
    const char *name = index < count ? lampy_files_name(stream->files, index) : "";
    bool is_named = count == 1 || name[0] == '\0' || strncmp(message, name, strlen(name)) == 0;
    stream->failure = failure;
    PyOS_snprintf(stream->message, sizeof stream->message, "%s%s%s", is_named ? "" : name,
                  is_named ? "" : ": ", message);
    return failure;
}

/* Reads on in the open file, then in the next ones, to the first array or the end of all. */
static void next_array(file_stream *stream, struct ArrowArray *out) {
    lam_error error = lam_error_none();
    for (;;) {
        int failure = stream->current.get_next(&stream->current, out);
        if (failure != 0) {
            fail(stream, failure, stream->current.get_last_error(&stream->current));
            return;
        }
        if (out->release != NULL || stream->next == lampy_files_count(stream->files) ||
            (stream->query.limit > 0 && stream->left == 0))
            return;
        end_file(stream);
        lam_status status = begin_file(stream, &stream->schema, &error);
        if (status != LAM_STATUS_OK) {
            fail(stream, errno_of(status), error.message);
            return;
        }
    }
}

typedef struct next_job {
    file_stream *stream;
    struct ArrowArray *out;
} next_job;

static void run_next(void *argument) {
    next_job *job = argument;
    next_array(job->stream, job->out);
}

/*
 * Handles signals meanwhile, if this is the main thread. What a handler raises ends the stream, and
 * the program meets it when it is back in Python. Where there is no condition, which may have to
 * look at a whole file, arrays take so short a time that a thread would cost a few percent.
 */
static void next_watched(file_stream *stream, struct ArrowArray *out) {
    const int64_t long_time = 20 * 1000 * 1000;
    next_job job = {stream, out};
    PyGILState_STATE gil = PyGILState_Ensure();
    bool reads_here = stream->uses_python && stream->query.threads <= 1;
    bool here = reads_here || (stream->query.where == NULL && !stream->is_slow);
    int64_t begin = lam_deadline_after(0);
    if (lampy_watch(run_next, &job, &stream->stop, here) < 0)
        fail(stream, ENOMEM, "no thread could be started");
    stream->is_slow = lam_deadline_after(0) - begin > long_time;
    bool interrupted = PyErr_Occurred() != NULL;
    if (interrupted)
        lampy_raise_later();
    if (stream->failure != 0)
        lampy_files_explain(stream->files, stream->message, sizeof stream->message);
    if (interrupted && stream->failure == 0)
        fail(stream, EINTR, "interrupted");
    PyGILState_Release(gil);
}

/* --- The interface ---------------------------------------------------------------------------- */

/* The file that was read last stays open, so that there is always one to ask. */
static int stream_get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
    file_stream *stream = self->private_data;
    if (stream->failure != 0)
        return stream->failure;
    freed own = give_up_gil();
    int failure = stream->current.get_schema(&stream->current, out);
    if (failure != 0)
        fail(stream, failure, stream->current.get_last_error(&stream->current));
    take_gil(own, stream);
    return failure;
}

static int stream_get_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
    file_stream *stream = self->private_data;
    memset(out, 0, sizeof *out);
    if (stream->failure != 0)
        return stream->failure;
    if (stream->query.is_empty)
        return 0;
    if (Py_IsInitialized())
        next_watched(stream, out);
    else
        next_array(stream, out);
    if (stream->failure != 0 && out->release != NULL)
        out->release(out);
    if (out->release != NULL && stream->query.limit > 0)
        stream->left -= (uint64_t)out->length;
    return stream->failure;
}

static const char *stream_get_last_error(struct ArrowArrayStream *self) {
    const file_stream *stream = self->private_data;
    return stream->failure == 0 ? NULL : stream->message;
}

static void stream_release(struct ArrowArrayStream *self) {
    file_stream *stream = self->private_data;
    freed own = give_up_gil();
    end_file(stream);
    release_schema(&stream->schema);
    lampy_files_drop(stream->files);
    lampy_query_finish(&stream->query);
    free(stream);
    take_gil(own, NULL);
    self->release = NULL;
}

static void drop_capsule(PyObject *capsule) {
    struct ArrowArrayStream *out = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (out != NULL && out->release != NULL)
        out->release(out);
    free(out);
}

PyObject *lampy_stream_new(lampy_state *state, lampy_files *files, const lampy_query *query,
                           PyObject *requested) {
    lam_error error = lam_error_none();
    const struct ArrowSchema *asked = NULL;
    if (requested != NULL && requested != Py_None) {
        asked = lampy_arrow_schema_of(state, requested);
        if (asked == NULL)
            return NULL;
    }
    file_stream *stream = calloc(1, sizeof *stream);
    struct ArrowArrayStream *out = calloc(1, sizeof *out);
    if (stream == NULL || out == NULL || lampy_query_copy(query, &stream->query) < 0) {
        free(stream);
        free(out);
        return PyErr_NoMemory();
    }
    stream->files = lampy_files_keep(files);
    stream->left = query->limit;
    stream->uses_python = lampy_files_use_python(files);
    *out = (struct ArrowArrayStream){stream_get_schema, stream_get_next, stream_get_last_error,
                                     stream_release, stream};
    lam_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = begin_file(stream, asked, &error);
    Py_END_ALLOW_THREADS;
    PyObject *capsule = NULL;
    if (status != LAM_STATUS_OK)
        lampy_files_raise(state, files, 0, status, &error);
    else
        capsule = PyCapsule_New(out, "arrow_array_stream", drop_capsule);
    if (capsule == NULL) {
        PyObject *type, *value, *traceback; /* releasing must not meet an exception */
        PyErr_Fetch(&type, &value, &traceback);
        out->release(out);
        free(out);
        PyErr_Restore(type, value, traceback);
    }
    return capsule;
}

PyObject *lampy_stream_schema(lampy_state *state, lampy_files *files, const lampy_query *query) {
    PyObject *capsule = lampy_stream_new(state, files, query, NULL);
    if (capsule == NULL)
        return NULL;
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    file_stream *first = stream->private_data; /* nothing is read of this stream */
    PyObject *schema = lampy_schema_capsule(&first->schema);
    Py_DECREF(capsule);
    return schema;
}
