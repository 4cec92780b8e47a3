/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the value of a leaf from an object: what value_out.c makes of a type is taken for it, and
 * what means the same without loss.
 *
 *     integers        int, and what has __index__; no bool
 *     floats          float, and what has __float__; an int only if a double keeps it
 *     BOOLEAN         bool
 *     STRING          str                       bytes   bytes-like: a row of single bytes
 *     DATE            date, int (days)          UUID    UUID, 16 bytes
 *     TIME, TIMESTAMP time, datetime, int (in the unit); in UTC a datetime must have a zone
 *     DECIMAL         Decimal, int, if no digit is lost
 *     scalars of NumPy are what their tolist() makes of them, but a time that becomes an int
 *
 * The invariant: an object that fits is taken exactly; any other is a TypeError or an Error.
 */
#include "shape.h"

#include <math.h>
#include <string.h>

/* Whether something else went wrong than that an object does not fit, such as memory that ended. */
static bool has_failed(void) {
    return PyErr_Occurred() != NULL && !PyErr_ExceptionMatches(PyExc_TypeError) &&
           !PyErr_ExceptionMatches(PyExc_OverflowError) &&
           !PyErr_ExceptionMatches(PyExc_UnicodeError);
}

int lampy_fail_type(const lam_field *field, const char *expected, PyObject *object) {
    char path[128];
    if (has_failed())
        return -1;
    lam_field_path(field, path, sizeof path);
    PyObject *type = PyType_GetName(Py_TYPE(object));
    PyErr_Format(PyExc_TypeError, "%s%sexpected %s, got %U", path, path[0] == '\0' ? "" : ": ",
                 expected, type);
    Py_XDECREF(type);
    return -1;
}

static int fail_range(lampy_state *state, const lam_field *leaf, PyObject *object) {
    char path[128];
    if (has_failed())
        return -1;
    lam_field_path(leaf, path, sizeof path);
    PyErr_Clear();
    PyErr_Format(state->error, "%s: %R does not fit", path, object);
    return -1;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* A number of 64 bits; those without a sign come as the bits that they have. */
static int take_integer(lampy_state *state, const lam_field *leaf, PyObject *object, bool is_signed,
                        int64_t *ret) {
    PyObject *index = PyBool_Check(object) ? NULL : PyNumber_Index(object);
    if (index == NULL)
        return lampy_fail_type(leaf, "an int", object);
    if (is_signed)
        *ret = PyLong_AsLongLong(index);
    else
        *ret = (int64_t)PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    return PyErr_Occurred() != NULL ? fail_range(state, leaf, object) : 0;
}

/* A number of the physical type; the library checks the width that an INTEGER states. */
static int put_integer(lampy_state *state, const lam_field *leaf, PyObject *object, int64_t number,
                       bool is_signed, lam_value *ret_value) {
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_INT64) {
        ret_value->int64 = number;
        return 0;
    }
    if (is_signed ? number < INT32_MIN || number > INT32_MAX : (uint64_t)number > UINT32_MAX)
        return fail_range(state, leaf, object);
    ret_value->int32 = (int32_t)(uint32_t)number;
    return 0;
}

static int take_double(lampy_state *state, const lam_field *leaf, PyObject *object, double *ret) {
    if (PyFloat_Check(object)) {
        *ret = PyFloat_AsDouble(object);
        return 0;
    }
    if (PyLong_Check(object) && !PyBool_Check(object)) {
        *ret = PyLong_AsDouble(object);
        PyObject *back = PyErr_Occurred() != NULL ? NULL : PyLong_FromDouble(*ret);
        int same = back == NULL ? 0 : PyObject_RichCompareBool(back, object, Py_EQ);
        Py_XDECREF(back);
        return same > 0 ? 0 : fail_range(state, leaf, object);
    }
    *ret = PyBool_Check(object) || PyUnicode_Check(object) ? -1 : PyFloat_AsDouble(object);
    if (PyErr_Occurred() == NULL && !PyBool_Check(object) && !PyUnicode_Check(object))
        return 0;
    return lampy_fail_type(leaf, "a float", object);
}

static int take_boolean(const lam_field *leaf, PyObject *object, bool *ret) {
    *ret = object == Py_True;
    return PyBool_Check(object) ? 0 : lampy_fail_type(leaf, "a bool", object);
}

/* --- Times ------------------------------------------------------------------------------------ */

static int attribute(PyObject *object, const char *name, int64_t *ret) {
    PyObject *value = PyObject_GetAttrString(object, name);
    *ret = value == NULL ? -1 : PyLong_AsLongLong(value);
    Py_XDECREF(value);
    return PyErr_Occurred() != NULL ? -1 : 0;
}

int lampy_date_in(lampy_state *state, PyObject *object, int64_t *ret_days) {
    (void)state;
    PyObject *ordinal = PyObject_CallMethod(object, "toordinal", NULL);
    *ret_days = ordinal == NULL ? -1 : PyLong_AsLongLong(ordinal) - 719163;
    Py_XDECREF(ordinal);
    return PyErr_Occurred() != NULL ? -1 : 0;
}

int lampy_time_in(lampy_state *state, PyObject *object, int64_t *ret_micros) {
    int64_t hour, minute, second, micro;
    PyObject *zone = PyObject_GetAttrString(object, "tzinfo");
    (void)state;
    Py_XDECREF(zone);
    if (zone != Py_None) {
        if (zone != NULL)
            PyErr_Format(PyExc_TypeError, "expected a time without a zone, got %R", object);
        return -1;
    }
    if (attribute(object, "hour", &hour) < 0 || attribute(object, "minute", &minute) < 0 ||
        attribute(object, "second", &second) < 0 || attribute(object, "microsecond", &micro) < 0)
        return -1;
    *ret_micros = ((hour * 60 + minute) * 60 + second) * 1000000 + micro;
    return 0;
}

/* The difference to 1970 in the same kind of datetime: with a zone, or without. */
int lampy_timestamp_in(lampy_state *state, PyObject *object, int64_t *ret_micros,
                       bool *ret_is_utc) {
    int64_t days, seconds, micros;
    PyObject *offset = PyObject_CallMethod(object, "utcoffset", NULL);
    if (offset == NULL)
        return -1;
    *ret_is_utc = offset != Py_None;
    Py_DECREF(offset);
    PyObject *distance = PyNumber_Subtract(object, *ret_is_utc ? state->epoch_utc : state->epoch);
    int result = distance == NULL || attribute(distance, "days", &days) < 0 ||
                         attribute(distance, "seconds", &seconds) < 0 ||
                         attribute(distance, "microseconds", &micros) < 0
                     ? -1
                     : 0;
    Py_XDECREF(distance);
    if (result == 0)
        *ret_micros = (days * 86400 + seconds) * 1000000 + micros;
    return result;
}

/* Times of pandas have a digit more, which their distance lacks. */
int lampy_nanos_in(lampy_state *state, PyObject *object, int64_t *ret_nanos) {
    *ret_nanos = 0;
    if ((PyObject *)Py_TYPE(object) == state->datetime ||
        PyObject_HasAttrString(object, "nanosecond") == 0)
        return 0;
    return attribute(object, "nanosecond", ret_nanos);
}

/* Microseconds in the unit of the type; a unit that is too coarse for them is refused. */
static int in_unit(lampy_state *state, const lam_field *leaf, PyObject *object, int64_t micros,
                   lam_time_unit unit, int64_t *ret) {
    if (unit == LAM_TIME_UNIT_MILLIS) {
        *ret = micros / 1000;
        return micros % 1000 == 0 ? 0 : fail_range(state, leaf, object);
    }
    int64_t factor = unit == LAM_TIME_UNIT_NANOS ? 1000 : 1;
    if (micros > INT64_MAX / factor || micros < INT64_MIN / factor)
        return fail_range(state, leaf, object);
    *ret = micros * factor;
    return 0;
}

static int take_moment(lampy_state *state, const lam_field *leaf, const lam_logical_type *type,
                       PyObject *object, int64_t *ret) {
    int64_t micros, nanos;
    bool is_utc;
    if (lampy_times(state) < 0)
        return -1;
    if (type->kind == LAM_LOGICAL_TIME && PyObject_IsInstance(object, state->time) == 1)
        return lampy_time_in(state, object, &micros) < 0
                   ? -1
                   : in_unit(state, leaf, object, micros, type->unit, ret);
    if (type->kind == LAM_LOGICAL_TIMESTAMP && PyObject_IsInstance(object, state->datetime) == 1) {
        if (lampy_timestamp_in(state, object, &micros, &is_utc) < 0 ||
            lampy_nanos_in(state, object, &nanos) < 0)
            return -1;
        if (is_utc != type->adjusted_to_utc)
            return lampy_fail_type(
                leaf, is_utc ? "a datetime without a zone" : "a datetime with a zone", object);
        if (nanos != 0 && type->unit != LAM_TIME_UNIT_NANOS)
            return fail_range(state, leaf, object);
        if (in_unit(state, leaf, object, micros, type->unit, ret) < 0)
            return -1;
        *ret += nanos;
        return 0;
    }
    return take_integer(state, leaf, object, true, ret);
}

/* --- Decimals --------------------------------------------------------------------------------- */

/* By its tuple of sign, digits and exponent: exact, whatever the context of decimals is. */
PyObject *lampy_decimal_in(lampy_state *state, PyObject *object, int64_t *ret_scale) {
    PyObject *parts = PyObject_CallMethod(object, "as_tuple", NULL);
    PyObject *exponent = parts == NULL ? NULL : PyObject_GetAttrString(parts, "exponent");
    PyObject *number = NULL;
    if (exponent != NULL && !PyLong_Check(exponent))
        PyErr_Format(state->error, "%R has no digits", object);
    else if (exponent != NULL) {
        *ret_scale = -PyLong_AsLongLong(exponent);
        /* Decimal((sign, digits, 0)) is the number without its point, and int of it is exact. */
        PyObject *sign = PyObject_GetAttrString(parts, "sign"),
                 *digits = PyObject_GetAttrString(parts, "digits");
        PyObject *whole =
            sign == NULL || digits == NULL ? NULL : Py_BuildValue("((OOi))", sign, digits, 0);
        PyObject *plain = whole == NULL ? NULL : PyObject_CallObject(lampy_decimal(state), whole);
        number = plain == NULL ? NULL : PyNumber_Long(plain);
        Py_XDECREF(plain);
        Py_XDECREF(whole);
        Py_XDECREF(digits);
        Py_XDECREF(sign);
    }
    Py_XDECREF(exponent);
    Py_XDECREF(parts);
    return number;
}

/* number * 10^(to - from); -1 where digits would be lost. Takes over the number. */
static PyObject *rescale(lampy_state *state, const lam_field *leaf, PyObject *object,
                         PyObject *number, int64_t from, int64_t to) {
    if (from == to || number == NULL)
        return number;
    int64_t shift = to > from ? to - from : from - to;
    PyObject *result = NULL, *rest = NULL;
    if (shift > 10000) {
        fail_range(state, leaf, object);
        Py_DECREF(number);
        return NULL;
    }
    PyObject *ten = PyLong_FromLong(10), *power = PyLong_FromLongLong(shift);
    PyObject *factor = ten == NULL || power == NULL ? NULL : PyNumber_Power(ten, power, Py_None);
    if (factor != NULL && to > from)
        result = PyNumber_Multiply(number, factor);
    else if (factor != NULL) {
        rest = PyNumber_Remainder(number, factor);
        if (rest != NULL && PyObject_IsTrue(rest) == 0)
            result = PyNumber_FloorDivide(number, factor);
        else
            fail_range(state, leaf, object);
    }
    Py_XDECREF(rest);
    Py_XDECREF(factor);
    Py_XDECREF(power);
    Py_XDECREF(ten);
    Py_DECREF(number);
    return result;
}

/* The shortest big-endian bytes, or all of a fixed length. `*ret_owner` holds them. */
static int decimal_bytes(lampy_state *state, const lam_field *leaf, PyObject *object,
                         PyObject *number, lam_value *ret_value, PyObject **ret_owner) {
    bool is_fixed = lam_field_physical_type(leaf) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    PyObject *bits = is_fixed ? NULL : PyObject_CallMethod(number, "bit_length", NULL);
    long length = is_fixed       ? lam_field_type_length(leaf)
                  : bits == NULL ? -1
                                 : PyLong_AsLong(bits) / 8 + 1;
    Py_XDECREF(bits);
    PyObject *method = length < 0 ? NULL : PyObject_GetAttrString(number, "to_bytes");
    PyObject *arguments = method == NULL ? NULL : Py_BuildValue("(ls)", length, "big");
    PyObject *keywords = arguments == NULL ? NULL : Py_BuildValue("{sO}", "signed", Py_True);
    *ret_owner = keywords == NULL ? NULL : PyObject_Call(method, arguments, keywords);
    Py_XDECREF(keywords);
    Py_XDECREF(arguments);
    Py_XDECREF(method);
    char *data;
    Py_ssize_t size;
    if (*ret_owner == NULL || PyBytes_AsStringAndSize(*ret_owner, &data, &size) < 0)
        return fail_range(state, leaf, object);
    ret_value->bytes = (lam_bytes){(const uint8_t *)data, (size_t)size};
    return 0;
}

static int take_decimal(lampy_state *state, const lam_field *leaf, int32_t scale, PyObject *object,
                        lam_value *ret_value, PyObject **ret_owner) {
    int64_t own = 0;
    PyObject *number, *class = lampy_decimal(state);
    if (class == NULL)
        return -1;
    if (PyObject_IsInstance(object, class) == 1)
        number = lampy_decimal_in(state, object, &own);
    else if (PyLong_Check(object) && !PyBool_Check(object))
        number = Py_NewRef(object);
    else
        return lampy_fail_type(leaf, "a Decimal", object);
    number = rescale(state, leaf, object, number, own, scale);
    if (number == NULL)
        return -1;
    lam_physical_type type = lam_field_physical_type(leaf);
    int result;
    if (type == LAM_PHYSICAL_INT32 || type == LAM_PHYSICAL_INT64) {
        int64_t small = PyLong_AsLongLong(number);
        result = PyErr_Occurred() != NULL
                     ? fail_range(state, leaf, object)
                     : put_integer(state, leaf, object, small, true, ret_value);
    } else {
        result = decimal_bytes(state, leaf, object, number, ret_value, ret_owner);
    }
    Py_DECREF(number);
    return result;
}

/* --- Bytes ------------------------------------------------------------------------------------ */

static int take_text(lampy_state *state, const lam_field *leaf, PyObject *object,
                     lam_value *ret_value) {
    Py_ssize_t size;
    if (!PyUnicode_Check(object))
        return lampy_fail_type(leaf, "a str", object);
    const char *text = PyUnicode_AsUTF8AndSize(object, &size); /* kept by the str */
    if (text == NULL)
        return fail_range(state, leaf, object);
    ret_value->bytes = (lam_bytes){(const uint8_t *)text, (size_t)size};
    return 0;
}

/* Whether an object is a row of single bytes: numbers of NumPy are buffers, too. */
static bool is_bytes_like(PyObject *object) {
    Py_buffer view;
    if (PyBytes_Check(object))
        return true;
    if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        return false;
    }
    bool fits = view.ndim == 1 && view.itemsize == 1;
    PyBuffer_Release(&view);
    return fits;
}

static int take_bytes(const lam_field *leaf, PyObject *object, lam_value *ret_value,
                      PyObject **ret_owner) {
    char *data;
    Py_ssize_t size;
    if (!is_bytes_like(object))
        return lampy_fail_type(leaf, "bytes", object);
    *ret_owner = PyBytes_FromObject(object);
    if (*ret_owner == NULL || PyBytes_AsStringAndSize(*ret_owner, &data, &size) < 0)
        return -1;
    ret_value->bytes = (lam_bytes){(const uint8_t *)data, (size_t)size};
    return 0;
}

static int take_uuid(lampy_state *state, const lam_field *leaf, PyObject *object,
                     lam_value *ret_value, PyObject **ret_owner) {
    PyObject *class = lampy_uuid(state);
    int is_uuid = class == NULL ? -1 : PyObject_IsInstance(object, class);
    if (is_uuid <= 0)
        return is_uuid < 0 ? -1 : take_bytes(leaf, object, ret_value, ret_owner);
    PyObject *bytes = PyObject_GetAttrString(object, "bytes");
    int result = bytes == NULL ? -1 : take_bytes(leaf, bytes, ret_value, ret_owner);
    Py_XDECREF(bytes);
    return result;
}

/* The nearest binary16, ties to even. */
static void put_half(double value, uint8_t *out) {
    unsigned sign = signbit(value) ? 0x8000 : 0, bits;
    double size = fabs(value);
    int exponent;
    if (isnan(value)) {
        bits = 0x7E00;
    } else if (size >= 65520) {
        bits = 0x7C00;
    } else if (size < ldexp(1, -14)) {
        bits = (unsigned)nearbyint(ldexp(size, 24));
    } else {
        frexp(size, &exponent);
        bits = (unsigned)(exponent + 13) * 1024 + (unsigned)nearbyint(ldexp(size, 11 - exponent));
    }
    out[0] = (uint8_t)(bits | sign);
    out[1] = (uint8_t)((bits | sign) >> 8);
}

static int take_interval(lampy_state *state, const lam_field *leaf, PyObject *object,
                         uint8_t *scratch, lam_value *ret_value) {
    static const char *const names[] = {"months", "days", "millis"};
    for (int i = 0; i < 3; i++) {
        PyObject *part = PyDict_Check(object) ? PyDict_GetItemString(object, names[i]) : NULL;
        int64_t number;
        if (part == NULL)
            return lampy_fail_type(leaf, "a dict of months, days and millis", object);
        if (take_integer(state, leaf, part, true, &number) < 0)
            return -1;
        if (number < 0 || number > UINT32_MAX)
            return fail_range(state, leaf, object);
        for (int k = 0; k < 4; k++)
            scratch[4 * i + k] = (uint8_t)(number >> (8 * k));
    }
    ret_value->bytes = (lam_bytes){scratch, 12};
    return 0;
}

/* --- By type ---------------------------------------------------------------------------------- */

static int take_from_integers(lampy_state *state, const lam_field *leaf,
                              const lam_logical_type *type, PyObject *object,
                              lam_value *ret_value) {
    int64_t number;
    bool is_signed = type->kind != LAM_LOGICAL_INTEGER || type->is_signed;
    int result;
    if (type->kind == LAM_LOGICAL_DATE && lampy_times(state) < 0)
        return -1;
    if (type->kind == LAM_LOGICAL_TIME || type->kind == LAM_LOGICAL_TIMESTAMP)
        result = take_moment(state, leaf, type, object, &number);
    else if (type->kind == LAM_LOGICAL_DATE && PyObject_IsInstance(object, state->date) == 1)
        result = PyObject_IsInstance(object, state->datetime) == 1
                     ? lampy_fail_type(leaf, "a date", object)
                     : lampy_date_in(state, object, &number);
    else
        result = take_integer(state, leaf, object, is_signed, &number);
    return result < 0 ? -1 : put_integer(state, leaf, object, number, is_signed, ret_value);
}

static int take_of_bytes(lampy_state *state, const lam_field *leaf, const lam_logical_type *type,
                         PyObject *object, uint8_t *scratch, lam_value *ret_value,
                         PyObject **ret_owner) {
    double number;
    switch (type->kind) {
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        return take_text(state, leaf, object, ret_value);
    case LAM_LOGICAL_UUID:
        return take_uuid(state, leaf, object, ret_value, ret_owner);
    case LAM_LOGICAL_INTERVAL:
        return take_interval(state, leaf, object, scratch, ret_value);
    case LAM_LOGICAL_FLOAT16:
        if (take_double(state, leaf, object, &number) < 0)
            return -1;
        if (isfinite(number) && fabs(number) >= 65520)
            return fail_range(state, leaf, object);
        put_half(number, scratch);
        ret_value->bytes = (lam_bytes){scratch, 2};
        return 0;
    default:
        return take_bytes(leaf, object, ret_value, ret_owner);
    }
}

static int take(lampy_state *state, const lam_field *leaf, PyObject *object, uint8_t *scratch,
                lam_value *ret_value, PyObject **ret_owner) {
    const lam_logical_type *type = lam_field_logical_type(leaf);
    double number;
    *ret_owner = NULL;
    if (type->kind == LAM_LOGICAL_DECIMAL)
        return take_decimal(state, leaf, type->scale, object, ret_value, ret_owner);
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        return take_boolean(leaf, object, &ret_value->boolean);
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return take_from_integers(state, leaf, type, object, ret_value);
    case LAM_PHYSICAL_FLOAT:
        if (take_double(state, leaf, object, &number) < 0)
            return -1;
        ret_value->float32 = (float)number;
        return isfinite(number) && !isfinite(ret_value->float32) ? fail_range(state, leaf, object)
                                                                 : 0;
    case LAM_PHYSICAL_DOUBLE:
        return take_double(state, leaf, object, &ret_value->float64);
    case LAM_PHYSICAL_INT96:
        return lampy_fail_type(leaf, "another type than INT96, which is not written", object);
    default:
        return take_of_bytes(state, leaf, type, object, scratch, ret_value, ret_owner);
    }
}

PyObject *lampy_plain(PyObject *object) {
    PyObject *plain = PyObject_HasAttrString(object, "tolist") == 0
                          ? NULL
                          : PyObject_CallMethod(object, "tolist", NULL);
    bool lost = plain == NULL || plain == Py_None ||
                (PyLong_Check(plain) && !PyBool_Check(plain) && !PyIndex_Check(object));
    PyErr_Clear();
    if (lost)
        Py_CLEAR(plain);
    return plain;
}

/* What is made of an object keeps the bytes of its value. */
int lampy_value_in(lampy_state *state, const lam_field *leaf, PyObject *object, uint8_t *scratch,
                   lam_value *ret_value, PyObject **ret_owner) {
    PyObject *type, *value, *traceback;
    int result = take(state, leaf, object, scratch, ret_value, ret_owner);
    if (result == 0 || !PyErr_ExceptionMatches(PyExc_TypeError))
        return result;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *plain = lampy_plain(object);
    if (plain == NULL) {
        PyErr_Restore(type, value, traceback);
        return -1;
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    result = take(state, leaf, plain, scratch, ret_value, ret_owner);
    if (*ret_owner == NULL)
        *ret_owner = plain;
    else
        Py_DECREF(plain);
    return result;
}
