/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes typed literals: from scalars that an application passes, and from JSON numbers that a
 * filter's text holds. Every finite number passes through one function and one form, a JSON number,
 * so that 10, 10.0 and a decimal 100 of scale 1 become literals that compare equal. A double stands
 * for the shortest text that reads back as it, 0.1 rather than 0.1000000000000000055.
 *
 * Invariant: a literal owns no memory; texts, digits and bytes are copies in the arena.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/floor_divide.h"
#include "filter/typed_literal.h"
#include "text/number_text.h"

enum { NANOS_IN_MICRO = 1000, MOST_SCALE = 38, UUID_SIZE = 16 };

/* --- Numbers ------------------------------------------------------------------------------- */

/*
 * Finds the nearest double and float. Beyond the largest one, gives the number next to the literal
 * from below: the largest for positive literals, minus infinity for negative ones.
 */
static void round_number(lam_typed_literal *literal) {
    const char *text = (const char *)literal->text.data;
    bool is_negative = literal->exact.is_negative;
    literal->is_above_float64 = !lam_double_parse(text, literal->text.size, &literal->float64);
    if (literal->is_above_float64)
        literal->float64 = is_negative ? -(double)INFINITY : DBL_MAX;
    literal->is_above_float32 = !lam_float_parse(text, literal->text.size, &literal->float32);
    if (literal->is_above_float32)
        literal->float32 = is_negative ? -INFINITY : FLT_MAX;
}

/*
 * Fills all forms of a number. Only integers without point and exponent count as is_integer; 1e1 is
 * compared by digits.
 */
lam_status lam_typed_literal_of_number(const char *text, size_t size, lam_arena *arena,
                                       lam_typed_literal *ret_literal, lam_error *error) {
    lam_typed_literal literal;
    char *copy;
    memset(&literal, 0, sizeof literal);
    literal.kind = LAM_LITERAL_NUMBER;
    LAM_TRY(lam_arena_copy(arena, text, size, &copy, error));
    literal.text.data = (const uint8_t *)copy;
    literal.text.size = size;
    LAM_TRY(lam_exact_of_text(text, size, arena, &literal.exact, error));
    literal.is_integer = lam_int64_parse(text, size, &literal.integer);
    round_number(&literal);
    *ret_literal = literal;
    return LAM_STATUS_OK;
}

/* Reads a finite double or float through its shortest text; NaN and infinities have none. */
static lam_status typed_literal_read_real(double number, bool is_float, lam_arena *arena,
                                          lam_typed_literal *ret_literal, lam_error *error) {
    char text[LAM_NUMBER_TEXT_MAX];
    if (isfinite(number))
        return lam_typed_literal_of_number(
            text, is_float ? lam_float_print((float)number, text) : lam_double_print(number, text),
            arena, ret_literal, error);
    memset(ret_literal, 0, sizeof *ret_literal);
    ret_literal->kind = LAM_LITERAL_NUMBER;
    ret_literal->is_special = true;
    ret_literal->float64 = number;
    ret_literal->float32 = (float)number;
    return LAM_STATUS_OK;
}

/*
 * Writes a decimal as digits and an exponent, 100 of scale 1 as 100e-1, and reads that. The exact
 * form drops zeros at the end, which are appended again for the text. Scales come from applications
 * and are checked: they bound the text.
 */
static lam_status typed_literal_read_decimal(const lam_decimal *decimal, lam_arena *arena,
                                             lam_typed_literal *ret_literal, lam_error *error) {
    enum { TYPED_LITERAL_MOST_DIGITS = LAM_EXACT_DECIMAL_ROOM };
    char text[TYPED_LITERAL_MOST_DIGITS + 8]; /* a sign, digits, and e-38 */
    uint8_t room[LAM_EXACT_DECIMAL_ROOM];
    size_t size = 0;
    if (decimal->scale > MOST_SCALE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a decimal with the scale %u", decimal->scale);
    lam_decimal whole = {decimal->low, decimal->high, 0};
    lam_exact number = lam_exact_of_decimal(&whole, room);
    if (number.is_negative)
        text[size++] = '-';
    memcpy(text + size, number.digits, number.count);
    size += number.count;
    for (size_t i = number.count; i < (size_t)number.exponent; i++)
        text[size++] = '0';
    if (number.count == 0)
        text[size++] = '0';
    if (decimal->scale > 0) {
        text[size++] = 'e';
        text[size++] = '-';
        size += lam_int64_print(decimal->scale, text + size);
    }
    return lam_typed_literal_of_number(text, size, arena, ret_literal, error);
}

/* --- Scalars ------------------------------------------------------------------------------- */

/* Reads an integer by its digits. */
static lam_status typed_literal_read_integer(int64_t integer, lam_arena *arena,
                                             lam_typed_literal *ret_literal, lam_error *error) {
    char text[LAM_NUMBER_TEXT_MAX];
    return lam_typed_literal_of_number(text, lam_int64_print(integer, text), arena, ret_literal,
                                       error);
}

/*
 * Reads strings, binaries and UUIDs. Bytes are not checked to be UTF-8: nothing equals a text that
 * is not.
 */
static lam_status typed_literal_read_bytes(const lam_variant_scalar *scalar, lam_arena *arena,
                                           lam_typed_literal *ret_literal, lam_error *error) {
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
 * rest.
 */
static lam_typed_literal typed_literal_read_time(const lam_variant_scalar *scalar) {
    lam_typed_literal literal;
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

lam_status lam_typed_literal_of_scalar(const lam_variant_scalar *scalar, lam_arena *arena,
                                       lam_typed_literal *ret_literal, lam_error *error) {
    switch (scalar->kind) {
    case LAM_VARIANT_INT8:
    case LAM_VARIANT_INT16:
    case LAM_VARIANT_INT32:
    case LAM_VARIANT_INT64:
        return typed_literal_read_integer(scalar->as.integer, arena, ret_literal, error);
    case LAM_VARIANT_FLOAT:
        return typed_literal_read_real((double)scalar->as.float32, true, arena, ret_literal, error);
    case LAM_VARIANT_DOUBLE:
        return typed_literal_read_real(scalar->as.float64, false, arena, ret_literal, error);
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return typed_literal_read_decimal(&scalar->as.decimal, arena, ret_literal, error);
    case LAM_VARIANT_STRING:
    case LAM_VARIANT_BINARY:
    case LAM_VARIANT_UUID:
        return typed_literal_read_bytes(scalar, arena, ret_literal, error);
    default:
        break;
    }
    if (lam_literal_class_of(scalar->kind) == LAM_LITERAL_NO_CLASS)
        LAM_FAIL(error, LAM_STATUS_INVALID, "nothing compares with a value of kind %s",
                 lam_variant_kind_name(scalar->kind));
    *ret_literal = typed_literal_read_time(scalar);
    return LAM_STATUS_OK;
}
