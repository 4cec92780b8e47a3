/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the options of a writer out of a dict, by their names in Python. What is None or missing
 * keeps its default; names are checked by the Python side, which lists them.
 */
#include "writer.h"

#include <stdlib.h>
#include <string.h>

#include "infer.h"

/* Borrowed; NULL where it is missing or None. */
static PyObject *option(PyObject *dict, const char *name) {
    PyObject *value = PyDict_GetItemString(dict, name);
    return value == Py_None ? NULL : value;
}

static int take_number(PyObject *dict, const char *name, uint64_t *ret) {
    PyObject *value = option(dict, name);
    PyObject *index = value == NULL ? NULL : PyNumber_Index(value);
    if (value == NULL || index == NULL)
        return value == NULL ? 0 : -1;
    *ret = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    return PyErr_Occurred() != NULL ? -1 : 0;
}

static int take_switch(PyObject *dict, const char *name, lam_switch *ret) {
    PyObject *value = option(dict, name);
    int truth = value == NULL ? 0 : PyObject_IsTrue(value);
    if (value != NULL)
        *ret = truth > 0 ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    return truth < 0 ? -1 : 0;
}

/* ASCII letters of any case. */
static bool same_word(const char *a, const char *b) {
    for (; *a != '\0' && *b != '\0'; a++, b++)
        if ((*a >= 'A' && *a <= 'Z' ? *a + 32 : *a) != (*b >= 'A' && *b <= 'Z' ? *b + 32 : *b))
            return false;
    return *a == *b;
}

static int take_codec(lampy_state *state, PyObject *dict, lam_codec *ret) {
    PyObject *value = option(dict, "compression");
    const char *name = value == NULL ? NULL : PyUnicode_AsUTF8AndSize(value, NULL);
    if (value == NULL || name == NULL)
        return value == NULL ? 0 : -1;
    if (same_word(name, "none")) {
        *ret = LAM_CODEC_UNCOMPRESSED;
        return 0;
    }
    if (same_word(name, "lz4")) { /* as pyarrow and Polars call the LZ4 of the format */
        *ret = LAM_CODEC_LZ4_RAW;
        return 0;
    }
    for (lam_codec codec = LAM_CODEC_UNCOMPRESSED; codec <= LAM_CODEC_LZ4_RAW; codec++)
        if (same_word(name, lam_codec_name(codec))) {
            *ret = codec;
            return 0;
        }
    PyErr_Format(state->error, "no codec %R: zstd, snappy, gzip, brotli, lz4 or none", value);
    return -1;
}

static int take_compat(lampy_state *state, PyObject *dict, lam_compat *ret) {
    static const struct {
        const char *name;
        lam_compat compat;
    } words[] = {
        {"max", LAM_COMPAT_MAX}, {"modern", LAM_COMPAT_MODERN}, {"newest", LAM_COMPAT_NEWEST}};
    PyObject *value = option(dict, "compat");
    const char *name = value == NULL ? NULL : PyUnicode_AsUTF8AndSize(value, NULL);
    if (value == NULL || name == NULL)
        return value == NULL ? 0 : -1;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (same_word(name, words[i].name)) {
            *ret = words[i].compat;
            return 0;
        }
    PyErr_Format(state->error, "no compat %R: max, modern or newest", value);
    return -1;
}

int lampy_writer_options(lampy_state *state, PyObject *dict, lam_writer_options *ret_options) {
    lam_writer_options options = lam_writer_options_default();
    lam_switch check_sorting = LAM_SWITCH_OFF;
    uint64_t threads = 1, version = 0, level = 0;
    if (take_codec(state, dict, &options.codec) < 0 ||
        take_compat(state, dict, &options.compat) < 0 ||
        take_number(dict, "compression_level", &level) < 0 ||
        take_number(dict, "page_version", &version) < 0 ||
        take_number(dict, "row_group_rows", &options.row_group_rows) < 0 ||
        take_number(dict, "row_group_bytes", &options.row_group_bytes) < 0 ||
        take_number(dict, "page_bytes", &options.page_bytes) < 0 ||
        take_number(dict, "page_rows", &options.page_rows) < 0 ||
        take_number(dict, "threads", &threads) < 0 ||
        take_switch(dict, "dictionary", &options.dictionary) < 0 ||
        take_switch(dict, "statistics", &options.statistics) < 0 ||
        take_switch(dict, "page_index", &options.page_index) < 0 ||
        take_switch(dict, "check_sorting", &check_sorting) < 0)
        return -1;
    if (level > INT32_MAX || version > INT32_MAX || threads > 1024) {
        PyErr_SetString(state->error, "an option of the writer is out of range");
        return -1;
    }
    options.codec_level = (int32_t)level;
    options.data_page_version = (int32_t)version;
    options.thread_count = (uint32_t)threads;
    options.check_sorting = check_sorting == LAM_SWITCH_ON;
    *ret_options = options;
    return 0;
}

lam_schema *lampy_schema_of(lampy_state *state, PyObject *object) {
    lam_error error = lam_error_none();
    lam_schema *schema = NULL;
    lam_status status;
    Py_ssize_t size;
    if (PyUnicode_Check(object)) {
        const char *text = PyUnicode_AsUTF8AndSize(object, &size);
        if (text == NULL)
            return NULL;
        status = lam_schema_parse(text, (size_t)size, NULL, &schema, &error);
    } else {
        const struct ArrowSchema *arrow = lampy_arrow_schema_of(state, object);
        if (arrow == NULL)
            return NULL;
        status = lam_arrow_import_schema(arrow, NULL, &schema, &error);
    }
    if (status != LAM_STATUS_OK)
        lampy_raise(state, status, &error);
    return schema;
}

PyObject *lampy_message_make(PyObject *module, PyObject *capsule) {
    lam_schema *schema = lampy_schema_of(lampy_state_of_module(module), capsule);
    PyObject *message = schema == NULL ? NULL : lampy_message_of(schema);
    lam_schema_destroy(schema);
    return message;
}

PyObject *lampy_message_of(const lam_schema *schema) {
    size_t size = lam_schema_print(schema, NULL, 0);
    char *text = malloc(size + 1);
    if (text == NULL)
        return PyErr_NoMemory();
    lam_schema_print(schema, text, size + 1);
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
    free(text);
    return message;
}
