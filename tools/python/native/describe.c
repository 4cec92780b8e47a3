/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells what a file states about itself: the footer and page headers of the first file of a dataset
 * come in, and dicts go out, with None for what is not stated and bounds as values of their column.
 */
#include "dataset.h"

#include "facts.h"
#include "shape.h"

/* The exception of the source, if that is behind the failure, as a result. */
static PyObject *raise_of(PyObject *object, lam_status status, const lam_error *error) {
    return lampy_files_raise(lampy_state_of(object), ((lampy_dataset *)object)->files, 0, status,
                             error);
}

/* --- Dicts ------------------------------------------------------------------------------------ */

/* Bytes that are no value of the type, or none that Python's class has, are shown as they are. */
static PyObject *bound_of(lampy_state *state, const lam_field *leaf, lam_bytes bound) {
    lam_value value;
    if (PyErr_Occurred() != NULL)
        return NULL;
    if (bound.data == NULL)
        Py_RETURN_NONE;
    if (lam_bound_value(leaf, bound, &value, NULL) == LAM_STATUS_OK) {
        PyObject *object = lampy_value_out(state, leaf, value);
        if (object != NULL || (!PyErr_ExceptionMatches(PyExc_ValueError) &&
                               !PyErr_ExceptionMatches(PyExc_OverflowError)))
            return object;
        PyErr_Clear();
    }
    return PyBytes_FromStringAndSize((const char *)bound.data, (Py_ssize_t)bound.size);
}

static void add_statistics(PyObject *dict, lampy_state *state, const lam_field *leaf,
                           const lam_statistics *statistics) {
    lampy_add_number(dict, "null_count", statistics->null_count);
    lampy_add_number(dict, "nan_count", statistics->nan_count);
    lampy_add_number(dict, "distinct_count", statistics->distinct_count);
    lampy_add(dict, "min", bound_of(state, leaf, statistics->min_value));
    lampy_add(dict, "max", bound_of(state, leaf, statistics->max_value));
}

/* --- The file --------------------------------------------------------------------------------- */

static PyObject *key_values_of(const lam_reader *reader) {
    PyObject *dict = PyDict_New();
    const char *key, *value;
    for (size_t i = 0; dict != NULL && lam_reader_key_value(reader, i, &key, &value); i++) {
        PyObject *name = lampy_text(key), *text = lampy_text(value);
        if (name != NULL && text != NULL && PyDict_Contains(dict, name) == 0)
            PyDict_SetItem(dict, name, text);
        Py_XDECREF(name);
        Py_XDECREF(text);
    }
    return dict;
}

static PyObject *faults_of(const lam_reader *reader) {
    PyObject *list = PyList_New(0);
    const char *fault;
    for (size_t i = 0; list != NULL && (fault = lam_reader_known_fault(reader, i)) != NULL; i++) {
        PyObject *text = lampy_text(fault);
        if (text != NULL)
            PyList_Append(list, text);
        Py_XDECREF(text);
    }
    return list;
}

PyObject *lampy_describe_file(PyObject *object, PyObject *nothing) {
    const lam_reader *reader = lampy_dataset_first(object);
    lam_file_info info = lam_file_info_default();
    lam_error error = lam_error_none();
    (void)nothing;
    if (reader == NULL)
        return NULL;
    lam_status status = lam_reader_file_info(reader, &info, &error);
    if (status != LAM_STATUS_OK)
        return raise_of(object, status, &error);
    PyObject *dict = PyDict_New();
    if (dict == NULL)
        return NULL;
    lampy_add_number(dict, "rows", (int64_t)lam_reader_row_count(reader));
    lampy_add_number(dict, "row_groups", (int64_t)lam_reader_row_group_count(reader));
    lampy_add_number(dict, "bytes", (int64_t)info.file_size);
    lampy_add_number(dict, "footer_bytes", info.footer_size);
    lampy_add_number(dict, "version", info.version);
    lampy_add(dict, "created_by", lampy_text(info.created_by));
    lampy_add(dict, "metadata", key_values_of(reader));
    lampy_add(dict, "known_faults", faults_of(reader));
    return lampy_done(dict);
}

static PyObject *path_of(const lam_field *field) {
    size_t size = lam_field_path(field, NULL, 0);
    char *path = PyMem_Malloc(size + 1);
    if (path == NULL)
        return PyErr_NoMemory();
    lam_field_path(field, path, size + 1);
    PyObject *text = lampy_text(path);
    PyMem_Free(path);
    return text;
}

static PyObject *logical_of(const lam_field *field) {
    char text[256];
    lam_logical_type_print(lam_field_logical_type(field), text, sizeof text);
    return lampy_text(text[0] == '\0' ? NULL : text);
}

static const char *physical_name(lam_physical_type type) {
    switch (type) {
    case LAM_PHYSICAL_BOOLEAN:
        return "BOOLEAN";
    case LAM_PHYSICAL_INT32:
        return "INT32";
    case LAM_PHYSICAL_INT64:
        return "INT64";
    case LAM_PHYSICAL_INT96:
        return "INT96";
    case LAM_PHYSICAL_FLOAT:
        return "FLOAT";
    case LAM_PHYSICAL_DOUBLE:
        return "DOUBLE";
    case LAM_PHYSICAL_BYTE_ARRAY:
        return "BYTE_ARRAY";
    default:
        return "FIXED_LEN_BYTE_ARRAY";
    }
}

PyObject *lampy_describe_columns(PyObject *object, PyObject *nothing) {
    const lam_reader *reader = lampy_dataset_first(object);
    PyObject *list = reader == NULL ? NULL : PyList_New(0);
    (void)nothing;
    for (size_t i = 0; list != NULL && i < lam_schema_leaf_count(lam_reader_schema(reader)); i++) {
        const lam_field *leaf = lam_schema_leaf(lam_reader_schema(reader), i);
        PyObject *dict = PyDict_New();
        if (dict == NULL)
            break;
        lampy_add(dict, "path", path_of(leaf));
        lampy_add(dict, "physical_type", lampy_text(physical_name(lam_field_physical_type(leaf))));
        lampy_add(dict, "logical_type", logical_of(leaf));
        lampy_add_number(dict, "max_repetition", lam_field_max_repetition(leaf));
        lampy_add_number(dict, "max_definition", lam_field_max_definition(leaf));
        if (PyErr_Occurred() == NULL)
            PyList_Append(list, dict);
        Py_DECREF(dict);
    }
    return lampy_done(list);
}

PyObject *lampy_describe_row_group(PyObject *object, PyObject *index) {
    const lam_reader *reader = lampy_dataset_first(object);
    lam_row_group_info info = lam_row_group_info_default();
    lam_error error = lam_error_none();
    Py_ssize_t number = reader == NULL ? -1 : PyNumber_AsSsize_t(index, PyExc_IndexError);
    if (reader == NULL || PyErr_Occurred() != NULL)
        return NULL;
    lam_status status = lam_reader_row_group(reader, (size_t)number, &info, &error);
    if (status != LAM_STATUS_OK)
        return raise_of(object, status, &error);
    PyObject *dict = PyDict_New();
    if (dict == NULL)
        return NULL;
    lampy_add_number(dict, "rows", (int64_t)info.row_count);
    lampy_add_number(dict, "uncompressed_bytes", info.total_byte_size);
    lampy_add_number(dict, "compressed_bytes", info.total_compressed_size);
    return lampy_done(dict);
}

/* --- Chunks ----------------------------------------------------------------------------------- */

static PyObject *encodings_of(uint32_t bits) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < 32; i++) {
        PyObject *name = bits >> i & 1 ? lampy_text(lam_encoding_name((lam_encoding)i)) : NULL;
        if (name != NULL)
            PyList_Append(list, name);
        Py_XDECREF(name);
    }
    return list;
}

PyObject *lampy_describe_chunk(PyObject *object, PyObject *arguments) {
    const lam_reader *reader = lampy_dataset_first(object);
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_chunk_details details = lam_chunk_details_default();
    lam_error error = lam_error_none();
    Py_ssize_t group, column;
    if (reader == NULL || !PyArg_ParseTuple(arguments, "nn:chunk", &group, &column))
        return NULL;
    lam_status status =
        lam_reader_column_chunk(reader, (size_t)group, (size_t)column, &info, &error);
    if (status == LAM_STATUS_OK)
        status = lam_reader_chunk_details(reader, (size_t)group, (size_t)column, &details, &error);
    if (status != LAM_STATUS_OK)
        return raise_of(object, status, &error);
    PyObject *dict = PyDict_New();
    if (dict == NULL)
        return NULL;
    lampy_add(dict, "path", path_of(info.leaf));
    lampy_add(dict, "codec", lampy_text(lam_codec_name(info.codec)));
    lampy_add(dict, "encodings", encodings_of(info.encodings));
    lampy_add_number(dict, "values", info.value_count);
    lampy_add_number(dict, "compressed_bytes", info.total_compressed_size);
    lampy_add_number(dict, "uncompressed_bytes", info.total_uncompressed_size);
    lampy_add(dict, "has_page_index", PyBool_FromLong(info.offset_index_offset >= 0));
    lampy_add(dict, "has_bloom_filter", PyBool_FromLong(info.bloom_filter_offset >= 0));
    add_statistics(dict, lampy_state_of(object), info.leaf, &details.statistics);
    return lampy_done(dict);
}

/* --- Pages ------------------------------------------------------------------------------------ */

static PyObject *page_of(lampy_state *state, const lam_field *leaf, const lam_page_info *page) {
    static const char *const types[] = {"DATA_PAGE", "INDEX_PAGE", "DICTIONARY_PAGE",
                                        "DATA_PAGE_V2"};
    PyObject *dict = PyDict_New();
    if (dict == NULL)
        return NULL;
    lampy_add(dict, "type", lampy_text(page->type <= LAM_PAGE_DATA_V2 ? types[page->type] : NULL));
    lampy_add_number(dict, "offset", page->offset);
    lampy_add_number(dict, "header_bytes", page->header_size);
    lampy_add_number(dict, "compressed_bytes", page->compressed_size);
    lampy_add_number(dict, "uncompressed_bytes", page->uncompressed_size);
    lampy_add_number(dict, "values", page->value_count);
    lampy_add(dict, "encoding", lampy_text(lam_encoding_name((lam_encoding)page->encoding)));
    if (page->type == LAM_PAGE_DATA || page->type == LAM_PAGE_DATA_V2)
        add_statistics(dict, state, leaf, &page->statistics);
    return lampy_done(dict);
}

PyObject *lampy_describe_pages(PyObject *object, PyObject *arguments) {
    const lam_reader *reader = lampy_dataset_first(object);
    lam_error error = lam_error_none();
    lam_page_list *pages;
    Py_ssize_t group, column;
    if (reader == NULL || !PyArg_ParseTuple(arguments, "nn:pages", &group, &column))
        return NULL;
    const lam_field *leaf = lam_schema_leaf(lam_reader_schema(reader), (size_t)column);
    lam_status status = lam_page_list_open(reader, (size_t)group, (size_t)column, &pages, &error);
    if (status != LAM_STATUS_OK)
        return raise_of(object, status, &error);
    PyObject *list = PyList_New(0);
    bool more = true;
    while (list != NULL && more && PyErr_Occurred() == NULL) {
        lam_page_info info = lam_page_info_default();
        status = lam_page_list_next(pages, &info, &more, &error);
        if (status != LAM_STATUS_OK || !more)
            break;
        PyObject *page = page_of(lampy_state_of(object), leaf, &info);
        if (page != NULL)
            PyList_Append(list, page);
        Py_XDECREF(page);
    }
    lam_page_list_close(pages);
    if (status != LAM_STATUS_OK)
        raise_of(object, status, &error);
    return lampy_done(list);
}

/* --- Levels ----------------------------------------------------------------------------------- */

static void append(PyObject *list, PyObject *value) {
    if (value != NULL && PyErr_Occurred() == NULL)
        PyList_Append(list, value);
    Py_XDECREF(value);
}

/* Adds a run of triples: None stands where there is no value. */
static void add_triples(lampy_state *state, const lam_field *leaf, const lam_triples *run,
                        PyObject *lists) {
    PyObject *repetition = PyTuple_GetItem(lists, 0), *definition = PyTuple_GetItem(lists, 1);
    PyObject *values = PyTuple_GetItem(lists, 2);
    uint8_t most = lam_field_max_definition(leaf);
    size_t value = 0;
    for (size_t i = 0; i < run->count && PyErr_Occurred() == NULL; i++) {
        uint8_t level = run->definition == NULL ? most : run->definition[i];
        append(repetition, PyLong_FromLong(run->repetition == NULL ? 0 : run->repetition[i]));
        append(definition, PyLong_FromLong(level));
        append(values, level < most
                           ? Py_NewRef(Py_None)
                           : lampy_value_out(state, leaf, lam_triples_value(run, leaf, value++)));
    }
}

static lam_status add_chunk(lampy_state *state, const lam_reader *reader, size_t group,
                            const lam_field *leaf, PyObject *lists, lam_error *error) {
    lam_column_reader *column;
    lam_triples run = {.count = 1};
    lam_status status =
        lam_column_reader_open(reader, group, lam_field_first_leaf(leaf), &column, error);
    if (status != LAM_STATUS_OK)
        return status;
    while (status == LAM_STATUS_OK && run.count > 0 && PyErr_CheckSignals() == 0 &&
           PyErr_Occurred() == NULL) {
        Py_BEGIN_ALLOW_THREADS;
        status = lam_column_reader_read(column, 1024, &run, error);
        Py_END_ALLOW_THREADS;
        if (status == LAM_STATUS_OK)
            add_triples(state, leaf, &run, lists);
    }
    lam_column_reader_close(column);
    return status;
}

PyObject *lampy_describe_levels(PyObject *object, PyObject *path) {
    const lam_reader *reader = lampy_dataset_first(object);
    lampy_state *state = lampy_state_of(object);
    lam_error error = lam_error_none();
    const lam_field *field;
    const char *text = reader == NULL ? NULL : PyUnicode_AsUTF8AndSize(path, NULL);
    if (text == NULL)
        return NULL;
    lam_status status = lam_schema_resolve(lam_reader_schema(reader), text, &field, &error);
    if (status != LAM_STATUS_OK)
        return lampy_raise(state, status, &error);
    if (!lam_field_is_leaf(field)) {
        PyErr_Format(state->error, "%s is a group: levels belong to its columns", text);
        return NULL;
    }
    PyObject *lists = Py_BuildValue("([][][])");
    for (size_t i = 0;
         lists != NULL && i < lam_reader_row_group_count(reader) && status == LAM_STATUS_OK; i++)
        status = add_chunk(state, reader, i, field, lists, &error);
    if (status != LAM_STATUS_OK)
        raise_of(object, status, &error);
    return lampy_done(lists);
}
