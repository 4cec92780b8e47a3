/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of files to be read: sources come in, and streams, rows and what the files say of
 * themselves go out. Immutable; any number of threads may use it.
 */
#include "dataset.h"

#include <stdlib.h>

#include "capsules.h"
#include "rows.h"

static lampy_files *files_of(PyObject *object) {
    return ((lampy_dataset *)object)->files;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static PyObject *dataset_stream(PyObject *object, PyObject *arguments) {
    PyObject *keywords, *requested = Py_None;
    lampy_query query;
    if (!PyArg_ParseTuple(arguments, "O!|O:stream", &PyDict_Type, &keywords, &requested) ||
        lampy_query_parse(keywords, &query) < 0)
        return NULL;
    PyObject *stream =
        lampy_stream_new(lampy_state_of(object), files_of(object), &query, requested);
    lampy_query_finish(&query);
    return stream;
}

/* What is made of the files by a query. */
typedef PyObject *lampy_answer(lampy_state *state, lampy_files *files, const lampy_query *query);

static PyObject *ask(PyObject *object, PyObject *keywords, lampy_answer *answer) {
    lampy_query query;
    if (lampy_query_parse(keywords, &query) < 0)
        return NULL;
    PyObject *result = answer(lampy_state_of(object), files_of(object), &query);
    lampy_query_finish(&query);
    return result;
}

static PyObject *dataset_schema(PyObject *object, PyObject *keywords) {
    return ask(object, keywords, lampy_stream_schema);
}

static PyObject *dataset_iterate(PyObject *object, PyObject *keywords) {
    return ask(object, keywords, lampy_rows_new);
}

static PyObject *dataset_collect(PyObject *object, PyObject *keywords) {
    return ask(object, keywords, lampy_rows_collect);
}

static PyObject *dataset_count(PyObject *object, PyObject *keywords) {
    return ask(object, keywords, lampy_rows_count);
}

/* Two threads may open it at once: the second one closes its own. */
const lam_reader *lampy_dataset_first(PyObject *object) {
    lampy_dataset *self = (lampy_dataset *)object;
    lam_error error = lam_error_none();
    lampy_reader reader;
    lam_status status;
    if (self->first.shown != NULL)
        return self->first.chain[0];
    Py_BEGIN_ALLOW_THREADS;
    status = lampy_files_open(self->files, 0, &reader, &error);
    Py_END_ALLOW_THREADS;
    if (status != LAM_STATUS_OK) {
        lampy_files_raise(lampy_state_of(object), self->files, 0, status, &error);
        return NULL;
    }
    if (self->first.shown == NULL)
        self->first = reader;
    else
        lampy_reader_close(&reader);
    return self->first.chain[0];
}

/* --- The whole -------------------------------------------------------------------------------- */

static PyObject *dataset_get_rows(PyObject *object, void *closure) {
    (void)closure;
    return PyLong_FromUnsignedLongLong(lampy_files_rows(files_of(object)));
}

static PyObject *dataset_get_message(PyObject *object, void *closure) {
    (void)closure;
    return lampy_message_of(lampy_files_schema(files_of(object)));
}

static void dataset_free(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    lampy_reader_close(&((lampy_dataset *)object)->first);
    lampy_files_drop(files_of(object));
    PyObject_Free(object);
    Py_DECREF(type);
}

/* --- Making ----------------------------------------------------------------------------------- */

/* Borrowed texts of a list of str, in an array of PyMem_Malloc. NULL with an exception. */
static const char **texts_of(PyObject *list, Py_ssize_t count) {
    const char **texts = PyMem_Calloc((size_t)count + 1, sizeof *texts);
    if (texts == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *text = PyList_GetItem(list, i);
        texts[i] = text == NULL ? NULL : PyBytes_AsString(text);
        if (texts[i] == NULL) {
            PyMem_Free(texts);
            return NULL;
        }
    }
    return texts;
}

static lampy_source **sources_of(PyObject *list, Py_ssize_t count) {
    lampy_source **sources = calloc((size_t)count + 1, sizeof *sources);
    if (sources == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *source = PyList_GetItem(list, i);
        sources[i] = source == NULL ? NULL : lampy_source_new(source);
        if (sources[i] == NULL) {
            while (i-- > 0)
                lampy_source_drop(sources[i]);
            free(sources);
            return NULL;
        }
    }
    return sources;
}

PyObject *lampy_dataset_make(PyObject *module, PyObject *arguments) {
    lampy_state *state = lampy_state_of_module(module);
    PyObject *list, *keys;
    if (!PyArg_ParseTuple(arguments, "O!O:dataset", &PyList_Type, &list, &keys))
        return NULL;
    Py_ssize_t count = PyList_Size(list);
    if (count == 0 || (keys != Py_None && (!PyList_Check(keys) || PyList_Size(keys) != count))) {
        PyErr_SetString(PyExc_ValueError, "a dataset has files, and as many paths");
        return NULL;
    }
    const char **paths = keys == Py_None ? NULL : texts_of(keys, count);
    if (keys != Py_None && paths == NULL)
        return NULL;
    lampy_source **sources = sources_of(list, count);
    lampy_files *files =
        sources == NULL ? NULL : lampy_files_new(state, sources, (size_t)count, paths);
    PyMem_Free(paths);
    if (files == NULL)
        return NULL;
    PyTypeObject *type = (PyTypeObject *)state->dataset_type;
    lampy_dataset *self = (lampy_dataset *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (self == NULL)
        lampy_files_drop(files);
    else
        self->files = files;
    return (PyObject *)self;
}

static PyMethodDef dataset_methods[] = {
    {"stream", dataset_stream, METH_VARARGS, "A capsule arrow_array_stream, read anew."},
    {"schema", dataset_schema, METH_O, "A capsule arrow_schema of such a stream."},
    {"iterate", dataset_iterate, METH_O, "An iterator over dicts."},
    {"count", dataset_count, METH_O, "The number of rows."},
    {"collect", dataset_collect, METH_O, "A list of dicts."},
    {"file", lampy_describe_file, METH_NOARGS, "What the first file says of itself."},
    {"row_group", lampy_describe_row_group, METH_O, "A row group of the first file."},
    {"chunk", lampy_describe_chunk, METH_VARARGS, "A column chunk of the first file."},
    {"pages", lampy_describe_pages, METH_VARARGS, "The pages of such a chunk."},
    {"columns", lampy_describe_columns, METH_NOARGS, "The leaves of the schema."},
    {"levels", lampy_describe_levels, METH_O,
     "Repetition levels, definition levels and values of a leaf."},
    {"check", lampy_check, METH_NOARGS, "What is wrong with the first file."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef dataset_members[] = {
    {"rows", dataset_get_rows, NULL, "Rows of all files.", NULL},
    {"message", dataset_get_message, NULL, "The schema as message text.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot dataset_slots[] = {
    {Py_tp_doc, "Files to be read."},
    {Py_tp_methods, dataset_methods},
    {Py_tp_getset, dataset_members},
    {Py_tp_dealloc, dataset_free},
    {0, NULL},
};

PyType_Spec lampy_dataset_spec = {
    "lamella._lamella.Dataset",
    sizeof(lampy_dataset),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    dataset_slots,
};
