/* What a condition is given, read as what parts of VARIANTs may be. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/floor_divide.h"
#include "filter/filter_reading.h"
#include "text/number_text.h"

enum { NANOS_IN_MICRO = 1000, MOST_SCALE = 38, UUID_SIZE = 16 };

/* --- Numbers ------------------------------------------------------------------------------- */

/* The nearest double and float; beyond the largest, what is next to it from below. */
static void round_number(lam_reading *reading) {
    const char *text = (const char *)reading->text.data;
    bool is_negative = reading->exact.is_negative;
    reading->is_above_float64 = !lam_double_parse(text, reading->text.size, &reading->float64);
    if (reading->is_above_float64)
        reading->float64 = is_negative ? -(double)INFINITY : DBL_MAX;
    reading->is_above_float32 = !lam_float_parse(text, reading->text.size, &reading->float32);
    if (reading->is_above_float32)
        reading->float32 = is_negative ? -INFINITY : FLT_MAX;
}

lam_status lam_reading_of_number(const char *text, size_t size, lam_arena *arena,
                                 lam_reading *ret_reading, lam_error *error) {
    lam_reading reading;
    char *copy;
    memset(&reading, 0, sizeof reading);
    reading.kind = LAM_READING_NUMBER;
    LAM_TRY(lam_arena_copy(arena, text, size, &copy, error));
    reading.text.data = (const uint8_t *)copy;
    reading.text.size = size;
    LAM_TRY(lam_exact_of_text(text, size, arena, &reading.exact, error));
    reading.is_integer = lam_int64_parse(text, size, &reading.integer);
    round_number(&reading);
    *ret_reading = reading;
    return LAM_STATUS_OK;
}

/* A double or a float by the shortest text that reads back equal, as JSON prints it. */
static lam_status read_real(double number, bool is_float, lam_arena *arena,
                            lam_reading *ret_reading, lam_error *error) {
    char text[LAM_NUMBER_TEXT_MAX];
    if (isfinite(number))
        return lam_reading_of_number(
            text, is_float ? lam_float_print((float)number, text) : lam_double_print(number, text),
            arena, ret_reading, error);
    memset(ret_reading, 0, sizeof *ret_reading);
    ret_reading->kind = LAM_READING_NUMBER;
    ret_reading->is_special = true;
    ret_reading->float64 = number;
    ret_reading->float32 = (float)number;
    return LAM_STATUS_OK;
}

static lam_status read_decimal(const lam_decimal *decimal, lam_arena *arena,
                               lam_reading *ret_reading, lam_error *error) {
    enum { MOST_DIGITS = LAM_EXACT_DECIMAL_ROOM };
    char text[MOST_DIGITS + 8]; /* a sign, digits, and e-38 */
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
    return lam_reading_of_number(text, size, arena, ret_reading, error);
}

/* --- Scalars ------------------------------------------------------------------------------- */

static lam_status read_integer(int64_t integer, lam_arena *arena, lam_reading *ret_reading,
                               lam_error *error) {
    char text[LAM_NUMBER_TEXT_MAX];
    return lam_reading_of_number(text, lam_int64_print(integer, text), arena, ret_reading, error);
}

static lam_status read_bytes(const lam_variant_scalar *scalar, lam_arena *arena,
                             lam_reading *ret_reading, lam_error *error) {
    char *copy;
    if (scalar->kind == LAM_VARIANT_UUID && scalar->as.bytes.size != UUID_SIZE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a UUID of %zu bytes, not 16", scalar->as.bytes.size);
    LAM_TRY(lam_arena_copy(arena, scalar->as.bytes.data, scalar->as.bytes.size, &copy, error));
    memset(ret_reading, 0, sizeof *ret_reading);
    ret_reading->kind = lam_reading_class_of(scalar->kind);
    ret_reading->bytes.data = (const uint8_t *)copy;
    ret_reading->bytes.size = scalar->as.bytes.size;
    return LAM_STATUS_OK;
}

/* Booleans, dates and times. */
static lam_reading read_time(const lam_variant_scalar *scalar) {
    lam_reading reading;
    int64_t nanos = 0;
    memset(&reading, 0, sizeof reading);
    reading.kind = lam_reading_class_of(scalar->kind);
    reading.integer = scalar->as.integer;
    if (scalar->kind == LAM_VARIANT_BOOLEAN)
        reading.integer = scalar->as.boolean;
    if (scalar->kind == LAM_VARIANT_TIMESTAMP_NANOS ||
        scalar->kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS)
        reading.integer = lam_floor_divide(scalar->as.integer, NANOS_IN_MICRO, &nanos);
    reading.nanos = (int32_t)nanos;
    return reading;
}

lam_status lam_reading_of_scalar(const lam_variant_scalar *scalar, lam_arena *arena,
                                 lam_reading *ret_reading, lam_error *error) {
    switch (scalar->kind) {
    case LAM_VARIANT_INT8:
    case LAM_VARIANT_INT16:
    case LAM_VARIANT_INT32:
    case LAM_VARIANT_INT64:
        return read_integer(scalar->as.integer, arena, ret_reading, error);
    case LAM_VARIANT_FLOAT:
        return read_real((double)scalar->as.float32, true, arena, ret_reading, error);
    case LAM_VARIANT_DOUBLE:
        return read_real(scalar->as.float64, false, arena, ret_reading, error);
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        return read_decimal(&scalar->as.decimal, arena, ret_reading, error);
    case LAM_VARIANT_STRING:
    case LAM_VARIANT_BINARY:
    case LAM_VARIANT_UUID:
        return read_bytes(scalar, arena, ret_reading, error);
    default:
        break;
    }
    if (lam_reading_class_of(scalar->kind) == LAM_READING_NO_CLASS)
        LAM_FAIL(error, LAM_STATUS_INVALID, "nothing compares with a value of kind %s",
                 lam_variant_kind_name(scalar->kind));
    *ret_reading = read_time(scalar);
    return LAM_STATUS_OK;
}
