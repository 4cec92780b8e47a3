/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes literals of numbers and scalars, and compares them. Every finite number passes through one
 * form, its exact digits, so that 10, 10.0 and a decimal 100 of scale 1 become literals that
 * compare equal; a double means the shortest text that reads back as it, 0.1 rather than
 * 0.1000000000000000055. The law for comparing numbers: integers and decimals compare by all their
 * digits, so that 2^53 + 1 and 2^53 differ; a float or a double compares with the nearest number of
 * its own kind, so that 0.1 stored as a float equals the literal 0.1.
 *
 * Invariants: a literal owns no memory, digits and bytes are copies in the arena. The order among
 * literals agrees with that of scalars against them, as rounding keeps order: searches in sorted
 * literals rely on it.
 */
#include "scan/condition/filter_literal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/floor_divide.h"
#include "text/number_text.h"
#include "text/time_text.h"

enum { NANOS_IN_MICRO = 1000, MOST_SCALE = 38, UUID_SIZE = 16, INT64_DIGITS = 19 };

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

/* --- Numbers ------------------------------------------------------------------------------- */

/*
 * Finds the nearest double and float. Beyond the largest one, gives the number next to the literal
 * from below: the largest for positive literals, minus infinity for negative ones.
 */
static void round_number(const char *text, size_t size, lam_literal *literal) {
    bool is_negative = literal->exact.is_negative;
    literal->is_above_float64 = !lam_double_parse(text, size, &literal->float64);
    if (literal->is_above_float64)
        literal->float64 = is_negative ? -(double)INFINITY : DBL_MAX;
    literal->is_above_float32 = !lam_float_parse(text, size, &literal->float32);
    if (literal->is_above_float32)
        literal->float32 = is_negative ? -INFINITY : FLT_MAX;
}

/* Parsers of floats take JSON's form, which the exact digits are printed in. */
static lam_status literal_of_exact(const lam_exact *exact, lam_arena *arena,
                                   lam_literal *ret_literal, lam_error *error) {
    lam_status status;
    lam_literal literal;
    lam_buffer text;
    memset(&literal, 0, sizeof literal);
    literal.kind = LAM_LITERAL_NUMBER;
    literal.exact = *exact;
    lam_buffer_init(&text, &arena->allocator);
    LAM_TRY_OUT(lam_exact_print(exact, &text, error));
    round_number((const char *)text.data, text.size, &literal);
    if (exact->exponent >= (int64_t)exact->count && exact->exponent <= INT64_DIGITS) {
        bool is_whole;
        /* unreachable: that many digits have room where the number was printed */
        LAM_TRY_OUT(lam_exact_floor(exact, 0, &text, &is_whole, error));
        literal.is_integer = lam_int64_parse((const char *)text.data, text.size, &literal.integer);
    }
    *ret_literal = literal;
out:
    lam_buffer_finish(&text);
    return status;
}

lam_status lam_literal_of_number(const char *text, size_t size, lam_arena *arena,
                                 lam_literal *ret_literal, lam_error *error) {
    lam_exact exact;
    LAM_TRY(lam_exact_of_text(text, size, arena, &exact, error));
    return literal_of_exact(&exact, arena, ret_literal, error);
}

static lam_literal literal_of_special_number(double number) {
    lam_literal literal;
    memset(&literal, 0, sizeof literal);
    literal.kind = LAM_LITERAL_NUMBER;
    literal.is_special = true;
    literal.float64 = number;
    literal.float32 = (float)number;
    return literal;
}

bool lam_literal_of_special(lam_bytes text, lam_literal *ret_literal) {
    static const struct {
        const char *name;
        double number;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == text.size &&
            memcmp(names[i].name, text.data, text.size) == 0) {
            *ret_literal = literal_of_special_number(names[i].number);
            return true;
        }
    return false;
}

/*
 * Nanoseconds first, which cover the years 1677 to 2262, then microseconds. A text in UTC is never
 * one without a zone.
 */
bool lam_literal_parse_moment(const char *text, size_t size, int64_t *ret_micros,
                              int32_t *ret_nanos, bool *ret_utc) {
    int64_t time, rest = 0;
    for (int utc = 0; utc < 2; utc++) {
        bool has_nanos = lam_timestamp_parse(text, size, LAM_TIME_UNIT_NANOS, utc, &time);
        if (!has_nanos && !lam_timestamp_parse(text, size, LAM_TIME_UNIT_MICROS, utc, &time))
            continue;
        *ret_micros = has_nanos ? lam_floor_divide(time, NANOS_IN_MICRO, &rest) : time;
        *ret_nanos = (int32_t)rest;
        *ret_utc = utc == 1;
        return true;
    }
    return false;
}

/* Reads a finite double or float through its shortest text; NaN and infinities have none. */
static lam_status literal_of_real(double number, bool is_float, lam_arena *arena,
                                  lam_literal *ret_literal, lam_error *error) {
    char text[LAM_NUMBER_TEXT_MAX];
    if (isfinite(number))
        return lam_literal_of_number(
            text, is_float ? lam_float_print((float)number, text) : lam_double_print(number, text),
            arena, ret_literal, error);
    *ret_literal = literal_of_special_number(number);
    return LAM_STATUS_OK;
}

/* Scales come from applications and are checked. The digits move from the stack to the arena. */
static lam_status literal_of_decimal(const lam_decimal *decimal, lam_arena *arena,
                                     lam_literal *ret_literal, lam_error *error) {
    uint8_t room[LAM_EXACT_DECIMAL_ROOM];
    char *digits;
    if (decimal->scale > MOST_SCALE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a decimal with the scale %u", decimal->scale);
    lam_exact number = lam_exact_of_decimal(decimal, room);
    LAM_TRY(lam_arena_copy(arena, number.digits, number.count, &digits, error));
    number.digits = (const uint8_t *)digits;
    return literal_of_exact(&number, arena, ret_literal, error);
}

/* --- Scalars ------------------------------------------------------------------------------- */

/*
 * Reads strings, binaries and UUIDs. Bytes are not checked to be UTF-8: no value equals a text that
 * is not.
 */
static lam_status literal_of_bytes(const lam_variant_scalar *scalar, lam_arena *arena,
                                   lam_literal *ret_literal, lam_error *error) {
    char *copy;
    if (scalar->kind == LAM_VARIANT_UUID && scalar->as.bytes.size != UUID_SIZE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a UUID of %zu bytes, not 16", scalar->as.bytes.size);
    LAM_TRY(lam_arena_copy(arena, scalar->as.bytes.data, scalar->as.bytes.size, &copy, error));
    memset(ret_literal, 0, sizeof *ret_literal);
    ret_literal->kind = lam_literal_class_of(scalar->kind);
    ret_literal->bytes.data = (const uint8_t *)copy;
    ret_literal->bytes.size = scalar->as.bytes.size;
    return LAM_STATUS_OK;
}

/*
 * Reads booleans, dates, times and timestamps. Nanoseconds are split into microseconds and the
 * remainder.
 */
static lam_literal literal_of_time(const lam_variant_scalar *scalar) {
    lam_literal literal;
    int64_t nanos = 0;
    memset(&literal, 0, sizeof literal);
    literal.kind = lam_literal_class_of(scalar->kind);
    literal.integer = scalar->as.integer;
    if (scalar->kind == LAM_VARIANT_BOOLEAN)
        literal.integer = scalar->as.boolean;
    if (scalar->kind == LAM_VARIANT_TIMESTAMP_NANOS ||
        scalar->kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS)
        literal.integer = lam_floor_divide(scalar->as.integer, NANOS_IN_MICRO, &nanos);
    literal.nanos = (int32_t)nanos;
    return literal;
}

lam_status lam_literal_of_scalar(const lam_variant_scalar *scalar, lam_arena *arena,
                                 lam_literal *ret_literal, lam_error *error) {
    switch (scalar->kind) {
    case LAM_VARIANT_INT8:
    case LAM_VARIANT_INT16:
    case LAM_VARIANT_INT32:
    case LAM_VARIANT_INT64:
        return literal_of_decimal(
            &(lam_decimal){(uint64_t)scalar->as.integer, scalar->as.integer < 0 ? -1 : 0, 0}, arena,
            ret_literal, error);
    case LAM_VARIANT_FLOAT:
        return literal_of_real((double)scalar->as.float32, true, arena, ret_literal, error);
    case LAM_VARIANT_DOUBLE:
        return literal_of_real(scalar->as.float64, false, arena, ret_literal, error);
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return literal_of_decimal(&scalar->as.decimal, arena, ret_literal, error);
    case LAM_VARIANT_STRING:
    case LAM_VARIANT_BINARY:
    case LAM_VARIANT_UUID:
        return literal_of_bytes(scalar, arena, ret_literal, error);
    default:
        break;
    }
    if (lam_literal_class_of(scalar->kind) == LAM_LITERAL_NO_CLASS)
        LAM_FAIL(error, LAM_STATUS_INVALID, "nothing compares with a value of kind %s",
                 lam_variant_kind_name(scalar->kind));
    *ret_literal = literal_of_time(scalar);
    return LAM_STATUS_OK;
}

/* --- Comparing ----------------------------------------------------------------------------- */

static int compare_integers(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

/* NaNs equal each other and are greater than all other numbers. */
static int compare_reals(double a, double b) {
    if (isnan(a) || isnan(b))
        return (int)isnan(a) - (int)isnan(b);
    return (a > b) - (a < b);
}

/* Compares with a literal that is `b`, or is between `b` and the next number. */
static int compare_with_real(double a, double b, bool is_above) {
    int order = compare_reals(a, b);
    return order == 0 && is_above ? -1 : order;
}

/*
 * Compares all digits. Against a NaN or an infinity all finite numbers are alike, so 0 replaces
 * them.
 */
static int compare_with_exact(lam_decimal decimal, const lam_literal *literal) {
    uint8_t room[LAM_EXACT_DECIMAL_ROOM];
    lam_exact number = lam_exact_of_decimal(&decimal, room);
    if (literal->is_special)
        return compare_reals(0, literal->float64); /* never equal */
    return lam_exact_compare(&number, &literal->exact);
}

/* Two integers, by far the most frequent case, need no digits. */
static int compare_number(const lam_variant_scalar *scalar, const lam_literal *literal) {
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
static int compare_timestamp(const lam_variant_scalar *scalar, const lam_literal *literal) {
    bool has_nanos = scalar->kind == LAM_VARIANT_TIMESTAMP_NANOS ||
                     scalar->kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS;
    int64_t nanos = 0;
    int64_t micros = scalar->as.integer;
    if (has_nanos)
        micros = lam_floor_divide(scalar->as.integer, 1000, &nanos);
    int order = compare_integers(micros, literal->integer);
    return order != 0 ? order : compare_integers(nanos, literal->nanos);
}

/* A literal that is not midnight is between two days. */
static int compare_date(const lam_variant_scalar *scalar, const lam_literal *literal) {
    int order = compare_integers(scalar->as.integer, literal->integer);
    return order == 0 && literal->nanos > 0 ? -1 : order;
}

/* Orders bytes as unsigned, a prefix first: for UTF-8 that is the order of characters. */
static int literal_compare_bytes(lam_bytes a, lam_bytes b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Members of a scalar are chosen by the literal's class, which is the scalar's. */
int lam_literal_compare(const lam_variant_scalar *scalar, const lam_literal *literal) {
    switch (literal->kind) {
    case LAM_LITERAL_NUMBER:
        return compare_number(scalar, literal);
    case LAM_LITERAL_BOOLEAN:
        return compare_integers(scalar->as.boolean, literal->integer);
    case LAM_LITERAL_DATE:
        return compare_date(scalar, literal);
    case LAM_LITERAL_TIMESTAMP:
    case LAM_LITERAL_TIMESTAMP_NTZ:
        return compare_timestamp(scalar, literal);
    case LAM_LITERAL_STRING:
    case LAM_LITERAL_BINARY:
    case LAM_LITERAL_UUID:
        return literal_compare_bytes(scalar->as.bytes, literal->bytes);
    default: /* TIME */
        return compare_integers(scalar->as.integer, literal->integer);
    }
}

/* Of two numbers, if one is special the other counts as 0 unless it is special too. */
int lam_literal_order(const lam_literal *a, const lam_literal *b) {
    switch (a->kind) {
    case LAM_LITERAL_NUMBER:
        if (a->is_special || b->is_special)
            return compare_reals(a->is_special ? a->float64 : 0, b->is_special ? b->float64 : 0);
        return lam_exact_compare(&a->exact, &b->exact);
    case LAM_LITERAL_STRING:
    case LAM_LITERAL_BINARY:
    case LAM_LITERAL_UUID:
        return literal_compare_bytes(a->bytes, b->bytes);
    default:
        return a->integer != b->integer ? compare_integers(a->integer, b->integer)
                                        : compare_integers(a->nanos, b->nanos);
    }
}
