/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes objects of values: a leaf and its value come in, and what the standard library of Python
 * has for the type goes out.
 *
 *     DATE 17897             datetime.date(2019, 1, 1)
 *     TIMESTAMP(MICROS,true) datetime.datetime(..., tzinfo=timezone.utc)
 *     DECIMAL(9,2) 150       decimal.Decimal("1.50")
 *     UUID                   uuid.UUID
 *     INTERVAL               {"months": 1, "days": 2, "millis": 3}
 *
 * The invariant: no digit is lost. What the class cannot hold, such as nanoseconds or the year
 * 12024, is an exception, not a nearby value.
 */
#include "shape.h"

#include <math.h>

enum { DAY_ONE = 719163 }; /* date.fromordinal of 1970-01-01 */

PyObject *lampy_date_out(lampy_state *state, int64_t days) {
    PyObject *ordinal = lampy_times(state) < 0 ? NULL : PyLong_FromLongLong(days + DAY_ONE);
    PyObject *date =
        ordinal == NULL ? NULL : PyObject_CallMethod(state->date, "fromordinal", "O", ordinal);
    Py_XDECREF(ordinal);
    return date;
}

/* Days, seconds and microseconds of the distance are all within the ranges that timedelta keeps. */
PyObject *lampy_timestamp_out(lampy_state *state, int64_t micros, bool is_utc) {
    const int64_t day = INT64_C(86400000000);
    int64_t days = micros / day - (micros % day < 0), rest = micros - days * day;
    if (lampy_times(state) < 0)
        return NULL;
    PyObject *distance =
        PyObject_CallFunction(state->timedelta, "LLL", (long long)days, (long long)(rest / 1000000),
                              (long long)(rest % 1000000));
    if (distance == NULL)
        return NULL;
    PyObject *moment = PyNumber_Add(is_utc ? state->epoch_utc : state->epoch, distance);
    Py_DECREF(distance);
    return moment;
}

PyObject *lampy_time_out(lampy_state *state, int64_t micros) {
    int64_t seconds = micros / 1000000;
    if (micros < 0 || seconds >= 86400) {
        PyErr_Format(state->error, "%lld microseconds are outside of the day", (long long)micros);
        return NULL;
    }
    if (lampy_times(state) < 0)
        return NULL;
    return PyObject_CallFunction(state->time, "iiii", (int)(seconds / 3600),
                                 (int)(seconds / 60 % 60), (int)(seconds % 60),
                                 (int)(micros % 1000000));
}

PyObject *lampy_uuid_out(lampy_state *state, const uint8_t *bytes) {
    PyObject *class = lampy_uuid(state);
    if (class == NULL)
        return NULL;
    PyObject *content = PyBytes_FromStringAndSize((const char *)bytes, 16);
    PyObject *arguments = content == NULL ? NULL : Py_BuildValue("(OO)", Py_None, content);
    PyObject *uuid = arguments == NULL ? NULL : PyObject_CallObject(class, arguments);
    Py_XDECREF(arguments);
    Py_XDECREF(content);
    return uuid;
}

/* An int of `size` big-endian bytes in two's complement. */
static PyObject *int_of_bytes(const uint8_t *bytes, size_t size) {
    int64_t small = size > 0 && bytes[0] >= 0x80 ? -1 : 0;
    if (size <= 8) {
        for (size_t i = 0; i < size; i++)
            small = (int64_t)((uint64_t)small << 8 | bytes[i]);
        return PyLong_FromLongLong(small);
    }
    PyObject *content = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)size);
    PyObject *from =
        content == NULL ? NULL : PyObject_GetAttrString((PyObject *)&PyLong_Type, "from_bytes");
    PyObject *arguments = from == NULL ? NULL : Py_BuildValue("(Os)", content, "big");
    PyObject *keywords = arguments == NULL ? NULL : Py_BuildValue("{sO}", "signed", Py_True);
    PyObject *number = keywords == NULL ? NULL : PyObject_Call(from, arguments, keywords);
    Py_XDECREF(keywords);
    Py_XDECREF(arguments);
    Py_XDECREF(from);
    Py_XDECREF(content);
    return number;
}

/* By its text, as Decimal rounds what it computes to the precision of its context. */
PyObject *lampy_decimal_out(lampy_state *state, const uint8_t *bytes, size_t size, int32_t scale) {
    PyObject *class = lampy_decimal(state);
    PyObject *number = class == NULL ? NULL : int_of_bytes(bytes, size);
    PyObject *text = number == NULL ? NULL : PyUnicode_FromFormat("%SE%d", number, (int)-scale);
    PyObject *decimal = text == NULL ? NULL : PyObject_CallFunctionObjArgs(class, text, NULL);
    Py_XDECREF(text);
    Py_XDECREF(number);
    return decimal;
}

static PyObject *decimal_of(lampy_state *state, const lam_field *leaf, lam_value value,
                            int32_t scale) {
    lam_physical_type type = lam_field_physical_type(leaf);
    if (type != LAM_PHYSICAL_INT32 && type != LAM_PHYSICAL_INT64)
        return lampy_decimal_out(state, value.bytes.data, value.bytes.size, scale);
    uint64_t number = (uint64_t)(type == LAM_PHYSICAL_INT32 ? value.int32 : value.int64);
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> (56 - 8 * i));
    return lampy_decimal_out(state, bytes, sizeof bytes, scale);
}

/* Microseconds of a number in a unit; false for nanoseconds that are no microseconds. */
static bool to_micros(int64_t number, lam_time_unit unit, int64_t *ret_micros) {
    if (unit == LAM_TIME_UNIT_NANOS) {
        *ret_micros = number / 1000 - (number % 1000 < 0);
        return number % 1000 == 0;
    }
    int64_t factor = unit == LAM_TIME_UNIT_MILLIS ? 1000 : 1;
    *ret_micros = number * factor;
    return number <= INT64_MAX / factor && number >= INT64_MIN / factor;
}

static PyObject *moment_of(lampy_state *state, const lam_field *leaf, const lam_logical_type *type,
                           int64_t number) {
    int64_t micros;
    if (!to_micros(number, type->unit, &micros)) {
        char path[128];
        lam_field_path(leaf, path, sizeof path);
        PyErr_Format(state->error,
                     "%s: %lld has digits that datetime lacks: read it through Arrow, or cast it",
                     path, (long long)number);
        return NULL;
    }
    return type->kind == LAM_LOGICAL_TIME
               ? lampy_time_out(state, micros)
               : lampy_timestamp_out(state, micros, type->adjusted_to_utc);
}

/* 8 bytes of nanoseconds of the day, 4 of the Julian day. */
static PyObject *int96_of(lampy_state *state, const uint8_t *bytes) {
    const int64_t day = INT64_C(86400000000);
    uint64_t nanos = 0;
    uint32_t julian = 0;
    for (int i = 7; i >= 0; i--)
        nanos = nanos << 8 | bytes[i];
    for (int i = 11; i >= 8; i--)
        julian = julian << 8 | bytes[i];
    if ((int64_t)nanos % 1000 != 0) {
        PyErr_SetString(state->error,
                        "an INT96 has digits that datetime lacks: read it through Arrow");
        return NULL;
    }
    return lampy_timestamp_out(
        state, ((int64_t)(int32_t)julian - 2440588) * day + (int64_t)nanos / 1000, false);
}

/* IEEE 754 binary16, low byte first. */
static double half_of(const uint8_t *bytes) {
    unsigned bits = (unsigned)(bytes[0] | bytes[1] << 8), exponent = bits >> 10 & 31,
             fraction = bits & 1023;
    double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction == 0 ? sign * INFINITY : NAN;
    return sign *
           (exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, (int)exponent - 25));
}

static unsigned long load_32(const uint8_t *bytes) {
    return (unsigned long)bytes[0] | (unsigned long)bytes[1] << 8 | (unsigned long)bytes[2] << 16 |
           (unsigned long)bytes[3] << 24;
}

static PyObject *bytes_of(lampy_state *state, const lam_field *leaf, const lam_logical_type *type,
                          lam_bytes bytes) {
    switch (type->kind) {
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        return PyUnicode_DecodeUTF8((const char *)bytes.data, (Py_ssize_t)bytes.size, NULL);
    case LAM_LOGICAL_DECIMAL:
        return decimal_of(state, leaf, (lam_value){.bytes = bytes}, type->scale);
    case LAM_LOGICAL_UUID:
        return lampy_uuid_out(state, bytes.data);
    case LAM_LOGICAL_FLOAT16:
        return PyFloat_FromDouble(half_of(bytes.data));
    case LAM_LOGICAL_INTERVAL:
        return Py_BuildValue("{sksksk}", "months", load_32(bytes.data), "days",
                             load_32(bytes.data + 4), "millis", load_32(bytes.data + 8));
    case LAM_LOGICAL_TIMESTAMP:
        PyErr_SetString(state->unsupported,
                        "a TIMESTAMP of 96 bits is beyond datetime: read it through Arrow");
        return NULL;
    default:
        return PyBytes_FromStringAndSize((const char *)bytes.data, (Py_ssize_t)bytes.size);
    }
}

static PyObject *integer_of(lampy_state *state, const lam_field *leaf, const lam_logical_type *type,
                            lam_value value) {
    bool is_wide = lam_field_physical_type(leaf) == LAM_PHYSICAL_INT64;
    int64_t number = is_wide ? value.int64 : value.int32;
    switch (type->kind) {
    case LAM_LOGICAL_DATE:
        return lampy_date_out(state, number);
    case LAM_LOGICAL_TIME:
    case LAM_LOGICAL_TIMESTAMP:
        return moment_of(state, leaf, type, number);
    case LAM_LOGICAL_DECIMAL:
        return decimal_of(state, leaf, value, type->scale);
    case LAM_LOGICAL_INTEGER:
        if (!type->is_signed)
            return PyLong_FromUnsignedLongLong(is_wide ? (uint64_t)number : (uint32_t)number);
        return PyLong_FromLongLong(number);
    default:
        return PyLong_FromLongLong(number);
    }
}

PyObject *lampy_value_out(lampy_state *state, const lam_field *leaf, lam_value value) {
    const lam_logical_type *type = lam_field_logical_type(leaf);
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        return PyBool_FromLong(value.boolean);
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return integer_of(state, leaf, type, value);
    case LAM_PHYSICAL_FLOAT:
        return PyFloat_FromDouble(value.float32);
    case LAM_PHYSICAL_DOUBLE:
        return PyFloat_FromDouble(value.float64);
    case LAM_PHYSICAL_INT96:
        return int96_of(state, value.bytes.data);
    default:
        return bytes_of(state, leaf, type, value.bytes);
    }
}
