/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes objects of VARIANTs: dicts, lists, and the scalars that columns of the same meaning have.
 * Nesting is that of the value, which the library bounds by LAM_VARIANT_DEPTH_MAX.
 */
#include "shape.h"

static PyObject *decimal_of(lampy_state *state, lam_decimal decimal) {
    uint8_t bytes[16];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)((uint64_t)decimal.high >> (56 - 8 * i));
        bytes[8 + i] = (uint8_t)(decimal.low >> (56 - 8 * i));
    }
    return lampy_decimal_out(state, bytes, sizeof bytes, decimal.scale);
}

static PyObject *nanos_of(lampy_state *state, int64_t nanos, bool is_utc) {
    if (nanos % 1000 != 0) {
        PyErr_Format(state->error,
                     "a timestamp in a VARIANT, %lld ns, has digits that datetime lacks",
                     (long long)nanos);
        return NULL;
    }
    return lampy_timestamp_out(state, nanos / 1000, is_utc);
}

static PyObject *scalar_of(lampy_state *state, lam_variant variant) {
    lam_variant_scalar scalar;
    lam_error error = lam_error_none();
    lam_status status = lam_variant_get(variant, &scalar, &error);
    if (status != LAM_STATUS_OK)
        return lampy_raise(state, status, &error);
    switch (scalar.kind) {
    case LAM_VARIANT_NULL:
        return Py_NewRef(Py_None);
    case LAM_VARIANT_BOOLEAN:
        return PyBool_FromLong(scalar.as.boolean);
    case LAM_VARIANT_FLOAT:
        return PyFloat_FromDouble(scalar.as.float32);
    case LAM_VARIANT_DOUBLE:
        return PyFloat_FromDouble(scalar.as.float64);
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return decimal_of(state, scalar.as.decimal);
    case LAM_VARIANT_DATE:
        return lampy_date_out(state, scalar.as.integer);
    case LAM_VARIANT_TIME:
        return lampy_time_out(state, scalar.as.integer);
    case LAM_VARIANT_TIMESTAMP:
    case LAM_VARIANT_TIMESTAMP_NTZ:
        return lampy_timestamp_out(state, scalar.as.integer, scalar.kind == LAM_VARIANT_TIMESTAMP);
    case LAM_VARIANT_TIMESTAMP_NANOS:
    case LAM_VARIANT_TIMESTAMP_NTZ_NANOS:
        return nanos_of(state, scalar.as.integer, scalar.kind == LAM_VARIANT_TIMESTAMP_NANOS);
    case LAM_VARIANT_BINARY:
        return PyBytes_FromStringAndSize((const char *)scalar.as.bytes.data,
                                         (Py_ssize_t)scalar.as.bytes.size);
    case LAM_VARIANT_STRING:
        return PyUnicode_DecodeUTF8((const char *)scalar.as.bytes.data,
                                    (Py_ssize_t)scalar.as.bytes.size, NULL);
    case LAM_VARIANT_UUID:
        return lampy_uuid_out(state, scalar.as.bytes.data);
    default:
        return PyLong_FromLongLong(scalar.as.integer);
    }
}

/* Takes over the value, which may be NULL. */
static int add_field(PyObject *dict, lam_bytes name, PyObject *value) {
    PyObject *key =
        value == NULL ? NULL
                      : PyUnicode_DecodeUTF8((const char *)name.data, (Py_ssize_t)name.size, NULL);
    int result = key == NULL ? -1 : PyDict_SetItem(dict, key, value);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return result;
}

/* An object or array, by its iterator. */
static PyObject *nested_of(lampy_state *state, lam_variant variant, bool is_object) {
    lam_variant_iterator iterator;
    lam_error error = lam_error_none();
    bool more = true;
    PyObject *nested = is_object ? PyDict_New() : PyList_New(0);
    lam_status status = lam_variant_iterate(variant, &iterator, &error);
    if (nested == NULL || Py_EnterRecursiveCall(" in a VARIANT") != 0) {
        Py_XDECREF(nested);
        return NULL;
    }
    while (status == LAM_STATUS_OK && PyErr_Occurred() == NULL) {
        lam_bytes name;
        lam_variant value;
        status = lam_variant_next(&iterator, &name, &value, &more, &error);
        if (status != LAM_STATUS_OK || !more)
            break;
        PyObject *object = lampy_variant_out(state, value);
        if (is_object) {
            add_field(nested, name, object);
        } else if (object != NULL) {
            PyList_Append(nested, object);
            Py_DECREF(object);
        }
    }
    Py_LeaveRecursiveCall();
    if (status != LAM_STATUS_OK)
        lampy_raise(state, status, &error);
    if (PyErr_Occurred() != NULL)
        Py_CLEAR(nested);
    return nested;
}

PyObject *lampy_variant_out(lampy_state *state, lam_variant variant) {
    lam_variant_kind kind = lam_variant_kind_of(variant);
    if (kind == LAM_VARIANT_OBJECT || kind == LAM_VARIANT_ARRAY)
        return nested_of(state, variant, kind == LAM_VARIANT_OBJECT);
    return scalar_of(state, variant);
}
