#include "filter/filter_reading.h"

#include <math.h>
#include <string.h>

#include "base/floor_divide.h"

lam_reading_class lam_reading_class_of(lam_variant_kind kind) {
    switch (kind) {
    case LAM_VARIANT_BOOLEAN:
        return LAM_READING_BOOLEAN;
    case LAM_VARIANT_INT8:
    case LAM_VARIANT_INT16:
    case LAM_VARIANT_INT32:
    case LAM_VARIANT_INT64:
    case LAM_VARIANT_FLOAT:
    case LAM_VARIANT_DOUBLE:
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return LAM_READING_NUMBER;
    case LAM_VARIANT_DATE:
        return LAM_READING_DATE;
    case LAM_VARIANT_TIME:
        return LAM_READING_TIME;
    case LAM_VARIANT_TIMESTAMP:
    case LAM_VARIANT_TIMESTAMP_NANOS:
        return LAM_READING_TIMESTAMP;
    case LAM_VARIANT_TIMESTAMP_NTZ:
    case LAM_VARIANT_TIMESTAMP_NTZ_NANOS:
        return LAM_READING_TIMESTAMP_NTZ;
    case LAM_VARIANT_BINARY:
        return LAM_READING_BINARY;
    case LAM_VARIANT_STRING:
        return LAM_READING_STRING;
    case LAM_VARIANT_UUID:
        return LAM_READING_UUID;
    default:
        return LAM_READING_NO_CLASS;
    }
}

static int compare_integers(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

/* NaNs equal each other and are greater than all other numbers. */
static int compare_reals(double a, double b) {
    if (isnan(a) || isnan(b))
        return (int)isnan(a) - (int)isnan(b);
    return (a > b) - (a < b);
}

/* With a number that is `b`, or between it and the next one. */
static int compare_with_real(double a, double b, bool is_above) {
    int order = compare_reals(a, b);
    return order == 0 && is_above ? -1 : order;
}

static int compare_with_exact(lam_decimal decimal, const lam_reading *reading) {
    uint8_t room[LAM_EXACT_DECIMAL_ROOM];
    lam_exact number = lam_exact_of_decimal(&decimal, room);
    if (reading->is_special)
        return compare_reals(0, reading->float64); /* which no finite number is equal to */
    return lam_exact_compare(&number, &reading->exact);
}

static int compare_number(const lam_variant_scalar *scalar, const lam_reading *reading) {
    switch (scalar->kind) {
    case LAM_VARIANT_FLOAT:
        return compare_with_real((double)scalar->as.float32, (double)reading->float32,
                                 reading->is_above_float32);
    case LAM_VARIANT_DOUBLE:
        return compare_with_real(scalar->as.float64, reading->float64, reading->is_above_float64);
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return compare_with_exact(scalar->as.decimal, reading);
    default:
        break;
    }
    int64_t integer = scalar->as.integer;
    if (reading->is_integer)
        return compare_integers(integer, reading->integer);
    return compare_with_exact((lam_decimal){(uint64_t)integer, integer < 0 ? -1 : 0, 0}, reading);
}

static int compare_timestamp(const lam_variant_scalar *scalar, const lam_reading *reading) {
    bool has_nanos = scalar->kind == LAM_VARIANT_TIMESTAMP_NANOS ||
                     scalar->kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS;
    int64_t nanos = 0;
    int64_t micros = scalar->as.integer;
    if (has_nanos)
        micros = lam_floor_divide(scalar->as.integer, 1000, &nanos);
    int order = compare_integers(micros, reading->integer);
    return order != 0 ? order : compare_integers(nanos, reading->nanos);
}

static int compare_bytes(lam_bytes a, lam_bytes b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

int lam_reading_compare(const lam_variant_scalar *scalar, const lam_reading *reading) {
    switch (reading->kind) {
    case LAM_READING_NUMBER:
        return compare_number(scalar, reading);
    case LAM_READING_BOOLEAN:
        return compare_integers(scalar->as.boolean, reading->integer);
    case LAM_READING_TIMESTAMP:
    case LAM_READING_TIMESTAMP_NTZ:
        return compare_timestamp(scalar, reading);
    case LAM_READING_STRING:
    case LAM_READING_BINARY:
    case LAM_READING_UUID:
        return compare_bytes(scalar->as.bytes, reading->bytes);
    default: /* DATE, TIME */
        return compare_integers(scalar->as.integer, reading->integer);
    }
}

int lam_reading_order(const lam_reading *a, const lam_reading *b) {
    switch (a->kind) {
    case LAM_READING_NUMBER:
        if (a->is_special || b->is_special)
            return compare_reals(a->is_special ? a->float64 : 0, b->is_special ? b->float64 : 0);
        return lam_exact_compare(&a->exact, &b->exact);
    case LAM_READING_STRING:
    case LAM_READING_BINARY:
    case LAM_READING_UUID:
        return compare_bytes(a->bytes, b->bytes);
    default:
        return a->integer != b->integer ? compare_integers(a->integer, b->integer)
                                        : compare_integers(a->nanos, b->nanos);
    }
}
