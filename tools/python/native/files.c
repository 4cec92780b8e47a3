/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the footers of files, once, and opens the files again when their turn comes: sources and
 * the paths that have the keys of their folders come in, and readers that all have one schema go
 * out.
 *
 *     y=2024/a.parquet   id, note        + constant y     shown in the union
 *     y=2025/b.parquet   id, price       + constant y     id, note, y, price
 *
 * The invariant: after lampy_files_new nothing of it changes but the number of its holders, so
 * that streams in several threads may open files at once.
 */
#include "files.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lampy_files {
    atomic_size_t holders;
    lampy_source **sources;
    size_t count;
    lam_path_keys *keys; /* NULL: none */
    size_t key_count;
    lam_union *all;
    uint64_t rows;
};

/* --- Holders ---------------------------------------------------------------------------------- */

lampy_files *lampy_files_keep(lampy_files *files) {
    atomic_fetch_add(&files->holders, 1);
    return files;
}

void lampy_files_drop(lampy_files *files) {
    if (files == NULL || atomic_fetch_sub(&files->holders, 1) > 1)
        return;
    lam_union_destroy(files->all);
    lam_path_keys_destroy(files->keys);
    for (size_t i = 0; i < files->count; i++)
        lampy_source_drop(files->sources[i]);
    free(files->sources);
    free(files);
}

/* --- Opening ---------------------------------------------------------------------------------- */

void lampy_reader_close(lampy_reader *reader) {
    for (size_t i = 3; i-- > 0;)
        lam_reader_close(reader->chain[i]);
    memset(reader, 0, sizeof *reader);
}

/* The keys of one file are at most LAM_PATH_KEYS_MAX; their values are borrowed from `keys`. */
static lam_status add_constants(const lampy_files *files, size_t index, lampy_reader *reader,
                                lam_error *error) {
    if (files->key_count == 0)
        return LAM_STATUS_OK;
    lam_constant *constants = calloc(files->key_count, sizeof *constants);
    if (constants == NULL)
        return LAM_STATUS_NOMEM;
    lam_status status = lam_path_keys_of_file(files->keys, index, constants, error);
    if (status == LAM_STATUS_OK)
        status = lam_reader_show_constants(reader->shown, constants, files->key_count,
                                           &reader->chain[1], error);
    free(constants);
    if (status == LAM_STATUS_OK && reader->chain[1] != NULL)
        reader->shown = reader->chain[1];
    return status;
}

/* The file with its constants, before it is shown in the union. */
static lam_status open_own(const lampy_files *files, size_t index, lampy_reader *reader,
                           lam_error *error) {
    memset(reader, 0, sizeof *reader);
    lam_status status = lampy_source_reader(files->sources[index], &reader->chain[0], error);
    if (status != LAM_STATUS_OK)
        return status;
    reader->shown = reader->chain[0];
    status = add_constants(files, index, reader, error);
    if (status != LAM_STATUS_OK)
        lampy_reader_close(reader);
    return status;
}

lam_status lampy_files_open(lampy_files *files, size_t index, lampy_reader *ret_reader,
                            lam_error *error) {
    lampy_reader reader;
    lam_status status = open_own(files, index, &reader, error);
    if (status != LAM_STATUS_OK)
        return status;
    status =
        lam_reader_show(reader.shown, lam_union_schema(files->all), NULL, &reader.chain[2], error);
    if (status != LAM_STATUS_OK) {
        lampy_reader_close(&reader);
        return status;
    }
    if (reader.chain[2] != NULL)
        reader.shown = reader.chain[2];
    *ret_reader = reader;
    return LAM_STATUS_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

static lam_status add_keys(lampy_files *files, const char *const *keys, lam_error *error) {
    lam_status status = lam_path_keys_create(NULL, &files->keys, error);
    for (size_t i = 0; i < files->count && status == LAM_STATUS_OK; i++)
        status = lam_path_keys_add(files->keys, keys[i], error);
    if (status == LAM_STATUS_OK)
        files->key_count = lam_path_keys_count(files->keys);
    return status;
}

/* All footers, one after the other; no file stays open. `*ret_index` is the last one, or none. */
static lam_status unite(lampy_files *files, size_t *ret_index, lam_error *error) {
    lam_status status = lam_union_create(NULL, NULL, &files->all, error);
    for (size_t i = 0; i < files->count && status == LAM_STATUS_OK; i++) {
        lampy_reader reader;
        *ret_index = i;
        status = open_own(files, i, &reader, error);
        if (status != LAM_STATUS_OK)
            break;
        files->rows += lam_reader_row_count(reader.shown);
        status = lam_union_add(files->all, lam_reader_schema(reader.shown),
                               lampy_files_name(files, i), error);
        lampy_reader_close(&reader);
    }
    return status;
}

lampy_files *lampy_files_new(lampy_state *state, lampy_source **sources, size_t count,
                             const char *const *keys) {
    lampy_files *files = calloc(1, sizeof *files);
    if (files == NULL) {
        for (size_t i = 0; i < count; i++)
            lampy_source_drop(sources[i]);
        free(sources);
        PyErr_NoMemory();
        return NULL;
    }
    atomic_init(&files->holders, 1);
    files->sources = sources;
    files->count = count;
    lam_error error = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    size_t index = count;
    Py_BEGIN_ALLOW_THREADS;
    if (keys != NULL)
        status = add_keys(files, keys, &error);
    if (status == LAM_STATUS_OK)
        status = unite(files, &index, &error);
    Py_END_ALLOW_THREADS;
    if (status == LAM_STATUS_OK)
        return files;
    lampy_files_raise(state, files, index, status, &error);
    lampy_files_drop(files);
    return NULL;
}

/* --- Asking ----------------------------------------------------------------------------------- */

size_t lampy_files_count(const lampy_files *files) {
    return files->count;
}

uint64_t lampy_files_rows(const lampy_files *files) {
    return files->rows;
}

const lam_schema *lampy_files_schema(const lampy_files *files) {
    return lam_union_schema(files->all);
}

lampy_source *lampy_files_source(const lampy_files *files, size_t index) {
    return files->sources[index];
}

const char *lampy_files_name(const lampy_files *files, size_t index) {
    const char *path = lampy_source_path(files->sources[index]);
    return path != NULL ? path : "the source";
}

bool lampy_files_use_python(const lampy_files *files) {
    for (size_t i = 0; i < files->count; i++)
        if (lampy_source_uses_python(files->sources[i]))
            return true;
    return false;
}

bool lampy_files_explain(lampy_files *files, char *text, size_t capacity) {
    PyObject *type, *value, *traceback;
    size_t i = 0;
    while (i < files->count && !lampy_source_restore(files->sources[i]))
        i++;
    if (i == files->count)
        return false;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *name = type == NULL ? NULL : PyType_GetName((PyTypeObject *)type);
    PyObject *shown = name == NULL ? NULL : PyUnicode_FromFormat("%U: %S", name, value);
    PyObject *bytes =
        shown == NULL ? NULL : PyUnicode_AsEncodedString(shown, "utf-8", "backslashreplace");
    PyOS_snprintf(text, capacity, "%s",
                  bytes == NULL ? "the source raised an exception" : PyBytes_AsString(bytes));
    PyErr_Clear();
    Py_XDECREF(bytes);
    Py_XDECREF(shown);
    Py_XDECREF(name);
    bool is_failure = PyErr_GivenExceptionMatches(type, PyExc_Exception) != 0;
    PyErr_Restore(type, value, traceback);
    if (is_failure)
        PyErr_Clear();
    else
        lampy_raise_later();
    return true;
}

PyObject *lampy_files_raise(lampy_state *state, lampy_files *files, size_t index, lam_status status,
                            const lam_error *error) {
    for (size_t i = 0; i < files->count; i++)
        if (lampy_source_restore(files->sources[i]))
            return NULL;
    const char *path = index < files->count ? lampy_source_path(files->sources[index]) : NULL;
    lam_error named = *error;
    if (path != NULL && files->count > 1 && status != LAM_STATUS_IO)
        PyOS_snprintf(named.message, sizeof named.message, "%s: %s", path, error->message);
    return lampy_raise_at(state, status, &named, path);
}
