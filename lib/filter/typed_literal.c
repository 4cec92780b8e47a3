/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares scalars of VARIANTs with literals of their class, and literals with each other. Callers
 * check the class first. The law for numbers: integers and decimals compare by all their digits, so
 * that 2^53 + 1 and 2^53 differ; a float or a double compares with the nearest number of its own
 * kind, so that 0.1 stored as a float equals the literal 0.1.
 *
 * Invariant: the order among literals agrees with that of scalars against them, as rounding keeps
 * order. The binary search of filter/filter_path.c relies on it.
 */
#include "filter/typed_literal.h"

#include <math.h>
#include <string.h>

#include "base/floor_divide.h"

/* The table of VariantEncoding.md, "Encoding types", by class: units and widths do not matter. */
lam_literal_class lam_literal_class_of(lam_variant_kind kind) {
    switch (kind) {
    case LAM_VARIANT_BOOLEAN:
        return LAM_LITERAL_BOOLEAN;
    case LAM_VARIANT_INT8:
    case LAM_VARIANT_INT16:
    case LAM_VARIANT_INT32:
    case LAM_VARIANT_INT64:
    case LAM_VARIANT_FLOAT:
    case LAM_VARIANT_DOUBLE:
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return LAM_LITERAL_NUMBER;
    case LAM_VARIANT_DATE:
        return LAM_LITERAL_DATE;
    case LAM_VARIANT_TIME:
        return LAM_LITERAL_TIME;
    case LAM_VARIANT_TIMESTAMP:
    case LAM_VARIANT_TIMESTAMP_NANOS:
        return LAM_LITERAL_TIMESTAMP;
    case LAM_VARIANT_TIMESTAMP_NTZ:
    case LAM_VARIANT_TIMESTAMP_NTZ_NANOS:
        return LAM_LITERAL_TIMESTAMP_NTZ;
    case LAM_VARIANT_BINARY:
        return LAM_LITERAL_BINARY;
    case LAM_VARIANT_STRING:
        return LAM_LITERAL_STRING;
    case LAM_VARIANT_UUID:
        return LAM_LITERAL_UUID;
    default:
        return LAM_LITERAL_NO_CLASS;
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

/* Compares with a literal that is `b`, or lies above `b` and below the next number. */
static int compare_with_real(double a, double b, bool is_above) {
    int order = compare_reals(a, b);
    return order == 0 && is_above ? -1 : order;
}

/*
 * Compares all digits. Against a NaN or an infinity every finite number is alike, so 0 stands for
 * it.
 */
static int compare_with_exact(lam_decimal decimal, const lam_typed_literal *literal) {
    uint8_t room[LAM_EXACT_DECIMAL_ROOM];
    lam_exact number = lam_exact_of_decimal(&decimal, room);
    if (literal->is_special)
        return compare_reals(0, literal->float64); /* never equal */
    return lam_exact_compare(&number, &literal->exact);
}

/* Two integers, by far the most frequent case, need no digits. */
static int compare_number(const lam_variant_scalar *scalar, const lam_typed_literal *literal) {
    switch (scalar->kind) {
    case LAM_VARIANT_FLOAT:
        return compare_with_real((double)scalar->as.float32, (double)literal->float32,
                                 literal->is_above_float32);
    case LAM_VARIANT_DOUBLE:
        return compare_with_real(scalar->as.float64, literal->float64, literal->is_above_float64);
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return compare_with_exact(scalar->as.decimal, literal);
    default:
        break;
    }
    int64_t integer = scalar->as.integer;
    if (literal->is_integer)
        return compare_integers(integer, literal->integer);
    return compare_with_exact((lam_decimal){(uint64_t)integer, integer < 0 ? -1 : 0, 0}, literal);
}

/*
 * Compares microseconds first, then the nanoseconds beyond them. Rounding down makes those 0 to 999
 * before 1970 too, as they are in the literal.
 */
static int compare_timestamp(const lam_variant_scalar *scalar, const lam_typed_literal *literal) {
    bool has_nanos = scalar->kind == LAM_VARIANT_TIMESTAMP_NANOS ||
                     scalar->kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS;
    int64_t nanos = 0;
    int64_t micros = scalar->as.integer;
    if (has_nanos)
        micros = lam_floor_divide(scalar->as.integer, 1000, &nanos);
    int order = compare_integers(micros, literal->integer);
    return order != 0 ? order : compare_integers(nanos, literal->nanos);
}

/* Orders bytes as unsigned, a prefix first: for UTF-8 that is the order of characters. */
static int typed_literal_compare_bytes(lam_bytes a, lam_bytes b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Members of a scalar are chosen by the literal's class, which is the scalar's. */
int lam_typed_literal_compare(const lam_variant_scalar *scalar, const lam_typed_literal *literal) {
    switch (literal->kind) {
    case LAM_LITERAL_NUMBER:
        return compare_number(scalar, literal);
    case LAM_LITERAL_BOOLEAN:
        return compare_integers(scalar->as.boolean, literal->integer);
    case LAM_LITERAL_TIMESTAMP:
    case LAM_LITERAL_TIMESTAMP_NTZ:
        return compare_timestamp(scalar, literal);
    case LAM_LITERAL_STRING:
    case LAM_LITERAL_BINARY:
    case LAM_LITERAL_UUID:
        return typed_literal_compare_bytes(scalar->as.bytes, literal->bytes);
    default: /* DATE, TIME */
        return compare_integers(scalar->as.integer, literal->integer);
    }
}

/* Of two numbers, if one is special the other counts as 0 unless it is special too. */
int lam_typed_literal_order(const lam_typed_literal *a, const lam_typed_literal *b) {
    switch (a->kind) {
    case LAM_LITERAL_NUMBER:
        if (a->is_special || b->is_special)
            return compare_reals(a->is_special ? a->float64 : 0, b->is_special ? b->float64 : 0);
        return lam_exact_compare(&a->exact, &b->exact);
    case LAM_LITERAL_STRING:
    case LAM_LITERAL_BINARY:
    case LAM_LITERAL_UUID:
        return typed_literal_compare_bytes(a->bytes, b->bytes);
    default:
        return a->integer != b->integer ? compare_integers(a->integer, b->integer)
                                        : compare_integers(a->nanos, b->nanos);
    }
}
