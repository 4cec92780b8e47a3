/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes VARIANTs of objects: dicts with str keys, lists and tuples, and the scalars that
 * variant_out.c makes. What has no kind of its own is a TypeError.
 *
 *     int     the smallest integer that holds it; beyond 64 bits a decimal of up to 38 digits
 *     float   double       Decimal  decimal       bytes  binary
 *     datetime timestamp, in UTC if it has a zone  date, time, UUID
 *     scalars and arrays of NumPy: what their tolist() makes of them
 */
#include "shape.h"

static int check(lampy_state *state, lam_status status, const lam_error *error) {
    if (status == LAM_STATUS_OK)
        return 0;
    lampy_raise(state, status, error);
    return -1;
}

/* 128 bits of an int; -1 beyond. */
static int take_wide(lampy_state *state, PyObject *number, PyObject *object, lam_decimal *ret) {
    PyObject *method = PyObject_GetAttrString(number, "to_bytes");
    PyObject *arguments = method == NULL ? NULL : Py_BuildValue("(is)", 16, "big");
    PyObject *keywords = arguments == NULL ? NULL : Py_BuildValue("{sO}", "signed", Py_True);
    PyObject *bytes = keywords == NULL ? NULL : PyObject_Call(method, arguments, keywords);
    Py_XDECREF(keywords);
    Py_XDECREF(arguments);
    Py_XDECREF(method);
    if (bytes == NULL) {
        PyErr_Clear();
        PyErr_Format(state->error, "%R has more digits than a VARIANT holds", object);
        return -1;
    }
    const uint8_t *data = (const uint8_t *)PyBytes_AsString(bytes);
    uint64_t high = 0, low = 0;
    for (int i = 0; i < 8; i++) {
        high = high << 8 | data[i];
        low = low << 8 | data[8 + i];
    }
    Py_DECREF(bytes);
    ret->high = (int64_t)high;
    ret->low = low;
    return 0;
}

static int put_decimal(lampy_state *state, lam_variant_builder *builder, PyObject *number,
                       int64_t scale, PyObject *object) {
    lam_error error = lam_error_none();
    lam_decimal decimal = {0, 0, (uint8_t)scale};
    PyObject *whole = Py_NewRef(number);
    if (scale < 0 && scale > -38) { /* 1E+3 is 1000 */
        PyObject *ten = PyLong_FromLong(10), *power = PyLong_FromLongLong(-scale);
        PyObject *factor =
            ten == NULL || power == NULL ? NULL : PyNumber_Power(ten, power, Py_None);
        Py_DECREF(whole);
        whole = factor == NULL ? NULL : PyNumber_Multiply(number, factor);
        Py_XDECREF(factor);
        Py_XDECREF(power);
        Py_XDECREF(ten);
        decimal.scale = 0;
    } else if (scale < 0 || scale > 38) {
        PyErr_Format(state->error, "%R has more digits than a VARIANT holds", object);
        Py_CLEAR(whole);
    }
    int result = whole == NULL ? -1 : take_wide(state, whole, object, &decimal);
    Py_XDECREF(whole);
    return result < 0
               ? -1
               : check(state, lam_variant_builder_put_decimal(builder, decimal, &error), &error);
}

static int put_integer(lampy_state *state, lam_variant_builder *builder, PyObject *object) {
    lam_error error = lam_error_none();
    int64_t number = PyLong_AsLongLong(object);
    if (PyErr_Occurred() == NULL)
        return check(state, lam_variant_builder_put_integer(builder, number, &error), &error);
    PyErr_Clear();
    return put_decimal(state, builder, object, 0, object);
}

static int put_bytes(lampy_state *state, lam_variant_builder *builder, lam_variant_kind kind,
                     const void *data, Py_ssize_t size) {
    lam_error error = lam_error_none();
    lam_variant_scalar scalar = {kind, {0}};
    scalar.as.bytes = (lam_bytes){data, (size_t)size};
    return check(state, lam_variant_builder_put(builder, &scalar, &error), &error);
}

static int put_time(lampy_state *state, lam_variant_builder *builder, lam_variant_kind kind,
                    int64_t number) {
    lam_error error = lam_error_none();
    lam_variant_scalar scalar = {kind, {0}};
    scalar.as.integer = number;
    return check(state, lam_variant_builder_put(builder, &scalar, &error), &error);
}

static int put_timestamp(lampy_state *state, lam_variant_builder *builder, PyObject *object) {
    int64_t number, nanos;
    bool is_utc;
    if (lampy_timestamp_in(state, object, &number, &is_utc) < 0 ||
        lampy_nanos_in(state, object, &nanos) < 0)
        return -1;
    if (nanos != 0) {
        PyErr_Format(state->error, "%R has digits that a datetime in a VARIANT lacks", object);
        return -1;
    }
    return put_time(state, builder, is_utc ? LAM_VARIANT_TIMESTAMP : LAM_VARIANT_TIMESTAMP_NTZ,
                    number);
}

/* What is none of the types that Python itself has. 1 when it is none of these either. */
static int put_other(lampy_state *state, lam_variant_builder *builder, PyObject *object) {
    int64_t number;
    PyObject *decimal_class = lampy_decimal(state);
    if (decimal_class == NULL || lampy_times(state) < 0)
        return -1;
    if (PyObject_IsInstance(object, state->datetime) == 1)
        return put_timestamp(state, builder, object);
    if (PyObject_IsInstance(object, state->date) == 1)
        return lampy_date_in(state, object, &number) < 0
                   ? -1
                   : put_time(state, builder, LAM_VARIANT_DATE, number);
    if (PyObject_IsInstance(object, state->time) == 1)
        return lampy_time_in(state, object, &number) < 0
                   ? -1
                   : put_time(state, builder, LAM_VARIANT_TIME, number);
    if (PyObject_IsInstance(object, decimal_class) == 1) {
        PyObject *digits = lampy_decimal_in(state, object, &number);
        int result = digits == NULL ? -1 : put_decimal(state, builder, digits, number, object);
        Py_XDECREF(digits);
        return result;
    }
    PyObject *class = lampy_uuid(state);
    if (class == NULL || PyObject_IsInstance(object, class) != 1)
        return class == NULL ? -1 : 1;
    PyObject *bytes = PyObject_GetAttrString(object, "bytes");
    int result = bytes == NULL
                     ? -1
                     : put_bytes(state, builder, LAM_VARIANT_UUID, PyBytes_AsString(bytes), 16);
    Py_XDECREF(bytes);
    return result;
}

static int put_text(lampy_state *state, lam_variant_builder *builder, PyObject *object) {
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text != NULL)
        return put_bytes(state, builder, LAM_VARIANT_STRING, text, size);
    if (PyErr_ExceptionMatches(PyExc_UnicodeError)) {
        PyErr_Clear();
        PyErr_Format(state->error, "%R is no text that UTF-8 holds", object);
    }
    return -1;
}

static int put_binary(lampy_state *state, lam_variant_builder *builder, PyObject *object) {
    char *data;
    Py_ssize_t size;
    PyObject *bytes = PyBytes_FromObject(object);
    int result = bytes == NULL || PyBytes_AsStringAndSize(bytes, &data, &size) < 0
                     ? -1
                     : put_bytes(state, builder, LAM_VARIANT_BINARY, data, size);
    Py_XDECREF(bytes);
    return result;
}

static int put_plain(lampy_state *state, lam_variant_builder *builder, PyObject *object) {
    PyObject *plain = lampy_plain(object);
    int result = -1;
    if (plain == NULL) {
        PyObject *type = PyType_GetName(Py_TYPE(object));
        PyErr_Format(PyExc_TypeError, "a VARIANT has no kind for %U", type);
        Py_XDECREF(type);
        return -1;
    }
    if (Py_EnterRecursiveCall(" in a VARIANT") == 0) {
        result = lampy_variant_in(state, builder, plain);
        Py_LeaveRecursiveCall();
    }
    Py_DECREF(plain);
    return result;
}

static int put_scalar(lampy_state *state, lam_variant_builder *builder, PyObject *object) {
    lam_error error = lam_error_none();
    if (object == Py_None)
        return check(state, lam_variant_builder_put_null(builder, &error), &error);
    if (PyBool_Check(object))
        return check(state, lam_variant_builder_put_boolean(builder, object == Py_True, &error),
                     &error);
    if (PyLong_Check(object))
        return put_integer(state, builder, object);
    if (PyFloat_Check(object))
        return check(state,
                     lam_variant_builder_put_double(builder, PyFloat_AsDouble(object), &error),
                     &error);
    if (PyUnicode_Check(object))
        return put_text(state, builder, object);
    if (PyBytes_Check(object) || PyByteArray_Check(object) || PyMemoryView_Check(object))
        return put_binary(state, builder, object);
    int result = put_other(state, builder, object);
    return result <= 0 ? result : put_plain(state, builder, object);
}

static int put_object(lampy_state *state, lam_variant_builder *builder, PyObject *dict) {
    lam_error error = lam_error_none();
    PyObject *key, *value;
    Py_ssize_t position = 0, size;
    if (check(state, lam_variant_builder_begin_object(builder, &error), &error) < 0)
        return -1;
    while (PyDict_Next(dict, &position, &key, &value)) {
        const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, &size) : NULL;
        if (name == NULL) {
            if (PyErr_Occurred() == NULL)
                PyErr_SetString(PyExc_TypeError, "keys of objects in a VARIANT are str");
            return -1;
        }
        Py_INCREF(value); /* the dict may be changed by what is called for its values */
        int result =
            check(state, lam_variant_builder_field(builder, name, (size_t)size, &error), &error) < 0
                ? -1
                : lampy_variant_in(state, builder, value);
        Py_DECREF(value);
        if (result < 0)
            return -1;
    }
    return check(state, lam_variant_builder_end_object(builder, &error), &error);
}

static int put_array(lampy_state *state, lam_variant_builder *builder, PyObject *sequence) {
    lam_error error = lam_error_none();
    if (check(state, lam_variant_builder_begin_array(builder, &error), &error) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PySequence_Size(sequence); i++) {
        PyObject *element = PySequence_GetItem(sequence, i);
        int result = element == NULL ? -1 : lampy_variant_in(state, builder, element);
        Py_XDECREF(element);
        if (result < 0)
            return -1;
    }
    return check(state, lam_variant_builder_end_array(builder, &error), &error);
}

int lampy_variant_in(lampy_state *state, lam_variant_builder *builder, PyObject *object) {
    bool is_dict = PyDict_Check(object);
    if (!is_dict && !PyList_Check(object) && !PyTuple_Check(object))
        return put_scalar(state, builder, object);
    if (Py_EnterRecursiveCall(" in a VARIANT") != 0)
        return -1;
    int result = is_dict ? put_object(state, builder, object) : put_array(state, builder, object);
    Py_LeaveRecursiveCall();
    return result;
}
