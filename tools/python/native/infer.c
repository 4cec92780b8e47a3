/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Infers a schema from records as JSON text, and asks streams for theirs: the text of one object a
 * line comes in, with the types of fields that JSON has no kinds for, and message text goes out.
 *
 *     {"t": null, "n": 1}     t: "int64 x (TIMESTAMP(MICROS,true))"
 *     message schema { optional int64 t (TIMESTAMP(MICROS,true)); optional int64 n; }
 *
 * Strings stay strings, whatever they look like: who has dates in Python has objects of them.
 */
#include "infer.h"

#include <stdlib.h>
#include <string.h>

#include "capsules.h"

/* The types that are given, and the schemas that they were parsed from. */
typedef struct given_types {
    lam_json_column *columns;
    lam_schema **schemas;
    const char **variants;
    size_t column_count;
    size_t variant_count;
} given_types;

static void drop(given_types *given) {
    for (size_t i = 0; given->schemas != NULL && i < given->column_count; i++)
        lam_schema_destroy(given->schemas[i]);
    free(given->columns);
    free(given->schemas);
    free(given->variants);
}

/* A tuple of a path and a leaf as message text has it. */
static int take_column(lampy_state *state, PyObject *pair, lam_json_column *column,
                       lam_schema **schema) {
    const char *text;
    lam_error error = lam_error_none();
    if (!PyArg_ParseTuple(pair, "ss:infer", &column->path, &text))
        return -1;
    lam_status status = lam_schema_parse_text(text, NULL, schema, &error);
    if (status != LAM_STATUS_OK) {
        lampy_raise(state, status, &error);
        return -1;
    }
    const lam_field *leaf = lam_schema_leaf(*schema, 0);
    bool is_fixed = lam_field_physical_type(leaf) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    column->type = lam_field_physical_type(leaf);
    column->options.logical_type = *lam_field_logical_type(leaf);
    column->options.type_length = is_fixed ? lam_field_type_length(leaf) : 0;
    return 0;
}

static int take_given(lampy_state *state, PyObject *columns, PyObject *variants,
                      given_types *given) {
    size_t column_count = (size_t)PyList_Size(columns),
           variant_count = (size_t)PyList_Size(variants);
    given->columns = calloc(column_count + 1, sizeof *given->columns);
    given->schemas = calloc(column_count + 1, sizeof *given->schemas);
    given->variants = calloc(variant_count + 1, sizeof *given->variants);
    if (given->columns == NULL || given->schemas == NULL || given->variants == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; given->column_count < column_count; given->column_count++)
        if (take_column(state, PyList_GetItem(columns, (Py_ssize_t)given->column_count),
                        &given->columns[given->column_count],
                        &given->schemas[given->column_count]) < 0)
            return -1;
    for (; given->variant_count < variant_count; given->variant_count++) {
        PyObject *path = PyList_GetItem(variants, (Py_ssize_t)given->variant_count);
        given->variants[given->variant_count] = PyUnicode_AsUTF8AndSize(path, NULL);
        if (given->variants[given->variant_count] == NULL)
            return -1;
    }
    return 0;
}

static lam_status infer(const given_types *given, lam_bytes text, lam_schema **ret_schema,
                        lam_error *error) {
    lam_json_inference_options options = lam_json_inference_options_default();
    lam_json_inference *inference;
    options.infer_times = LAM_SWITCH_OFF;
    options.columns = given->columns;
    options.column_count = given->column_count;
    options.variants = given->variants;
    options.variant_count = given->variant_count;
    options.max_record_bytes = 1 << 30;
    lam_status status = lam_json_inference_create(&options, NULL, &inference, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_json_source source = lam_json_source_memory(&text);
    status = lam_json_inference_add(inference, &source, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_inference_schema(inference, "schema", ret_schema, error);
    lam_json_inference_destroy(inference);
    return status;
}

/*
 * Infers first without what is given: values at a path inside of a field whose kinds clash are part
 * of its VARIANT, and have no field to give a type.
 */
static lam_status infer_all(given_types *given, lam_bytes text, lam_schema **ret_schema,
                            lam_error *error) {
    static const given_types nothing = {NULL, NULL, NULL, 0, 0};
    const lam_field *field;
    size_t columns = 0, variants = 0;
    lam_status status = infer(&nothing, text, ret_schema, error);
    if (status != LAM_STATUS_OK || given->column_count + given->variant_count == 0)
        return status;
    for (size_t i = 0; i < given->column_count; i++)
        if (lam_schema_resolve(*ret_schema, given->columns[i].path, &field, NULL) == LAM_STATUS_OK)
            given->columns[columns++] = given->columns[i];
    for (size_t i = 0; i < given->variant_count; i++)
        if (lam_schema_resolve(*ret_schema, given->variants[i], &field, NULL) == LAM_STATUS_OK)
            given->variants[variants++] = given->variants[i];
    lam_schema_destroy(*ret_schema);
    *ret_schema = NULL;
    given_types kept = *given;
    kept.column_count = columns;
    kept.variant_count = variants;
    return infer(&kept, text, ret_schema, error);
}

PyObject *lampy_infer(PyObject *module, PyObject *arguments) {
    lampy_state *state = lampy_state_of_module(module);
    lam_error error = lam_error_none();
    PyObject *text, *columns, *variants, *message = NULL;
    given_types given = {NULL, NULL, NULL, 0, 0};
    lam_schema *schema = NULL;
    char *data;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "OO!O!:infer", &text, &PyList_Type, &columns, &PyList_Type,
                          &variants) ||
        PyBytes_AsStringAndSize(text, &data, &size) < 0)
        return NULL;
    if (take_given(state, columns, variants, &given) == 0) {
        lam_status status;
        Py_BEGIN_ALLOW_THREADS;
        status =
            infer_all(&given, (lam_bytes){(const uint8_t *)data, (size_t)size}, &schema, &error);
        Py_END_ALLOW_THREADS;
        message =
            status == LAM_STATUS_OK ? lampy_message_of(schema) : lampy_raise(state, status, &error);
        lam_schema_destroy(schema);
    }
    drop(&given);
    return message;
}
