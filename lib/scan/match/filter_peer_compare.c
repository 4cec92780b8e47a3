/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares values of two leaves whose types differ, from PLAIN bytes of both, as cursors and
 * statistics have them. Numbers become one of three forms:
 *
 *     INT32, INT64, DECIMAL        128 bits and a scale; beyond 128 bits only the sign
 *     FLOAT16, FLOAT, DOUBLE       a double, which has the same value
 *
 * Integers compare with everything by value: 2^53 + 1 is more than the double 2^53. Decimals
 * compare with a float or double by the number of its kind that is nearest to the decimal, as
 * literals do: 0.1 equals 0.1. Times become seconds and nanoseconds, which no unit overflows. The
 * order is always the same, whichever side a value is on. (LogicalTypes.md)
 */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/floor_divide.h"
#include "base/int96.h"
#include "scan/condition/filter_exact.h"
#include "scan/condition/filter_peer.h"
#include "text/number_text.h"
#include "text/time_text.h"
#include "variant/value/variant_decimal.h"

static int peer_order_of(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

/* --- Numbers ------------------------------------------------------------------------------- */

typedef struct peer_number {
    bool is_real;
    int beyond;          /* below or above 0: less or more than 128 bits hold */
    lam_decimal decimal; /* of an exact number */
    double real;
} peer_number;

static peer_number peer_of_int64(int64_t value, int32_t scale) {
    peer_number number = {.decimal = {(uint64_t)value, value < 0 ? -1 : 0, (uint8_t)scale}};
    return number;
}

/* Big-endian two's complement. Bytes that only repeat the sign do not count. */
static peer_number peer_of_bytes(lam_bytes bytes, int32_t scale) {
    bool is_negative = bytes.size > 0 && (bytes.data[0] & 0x80) != 0;
    uint8_t sign = is_negative ? 0xFF : 0;
    peer_number number = {.decimal = {0, 0, (uint8_t)scale}};
    while (bytes.size > 16 && bytes.data[0] == sign &&
           (bytes.data[1] & 0x80) == (bytes.data[0] & 0x80)) {
        bytes.data++;
        bytes.size--;
    }
    if (bytes.size > 16)
        number.beyond = is_negative ? -1 : 1;
    uint64_t high = is_negative ? UINT64_MAX : 0, low = high;
    for (size_t i = 0; i < bytes.size && number.beyond == 0; i++) {
        high = high << 8 | low >> 56;
        low = low << 8 | bytes.data[i];
    }
    number.decimal.low = low;
    number.decimal.high = (int64_t)high;
    return number;
}

/* Half precision: a sign, 5 bits of exponent, 10 of mantissa. (LogicalTypes.md, "FLOAT16") */
static double peer_of_half(uint16_t bits) {
    int exponent = bits >> 10 & 0x1F;
    double mantissa = bits & 0x3FF;
    double value = exponent == 0x1F ? (mantissa > 0 ? (double)NAN : (double)INFINITY)
                   : exponent == 0  ? ldexp(mantissa, -24)
                                    : ldexp(mantissa + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

static peer_number peer_number_of(const lam_field *leaf, lam_bytes plain) {
    bool is_unsigned =
        leaf->logical_type.kind == LAM_LOGICAL_INTEGER && !leaf->logical_type.is_signed;
    int32_t scale = leaf->logical_type.scale;
    peer_number number = {.is_real = true};
    float float32;
    switch (leaf->physical_type) {
    case LAM_PHYSICAL_INT32: {
        uint32_t bits = lam_load_le32(plain.data);
        return peer_of_int64(is_unsigned ? (int64_t)bits : (int32_t)bits, scale);
    }
    case LAM_PHYSICAL_INT64:
        number = peer_of_int64((int64_t)lam_load_le64(plain.data), scale);
        if (is_unsigned)
            number.decimal.high = 0;
        return number;
    case LAM_PHYSICAL_FLOAT: {
        uint32_t bits = lam_load_le32(plain.data);
        memcpy(&float32, &bits, sizeof float32);
        number.real = (double)float32;
        return number;
    }
    case LAM_PHYSICAL_DOUBLE: {
        uint64_t bits = lam_load_le64(plain.data);
        memcpy(&number.real, &bits, sizeof number.real);
        return number;
    }
    default:
        break;
    }
    if (leaf->logical_type.kind != LAM_LOGICAL_FLOAT16)
        return peer_of_bytes(plain, scale);
    number.real = peer_of_half(lam_load_le16(plain.data));
    return number;
}

/* True for numbers that fit 64 bits, as nearly all do. */
static bool peer_is_short(const lam_decimal *decimal, int64_t *ret_value) {
    *ret_value = (int64_t)decimal->low;
    return decimal->high == (*ret_value < 0 ? -1 : 0);
}

/* Multiplies by 10 for each digit of difference; false when that needs more than 64 bits. */
static bool peer_scale_up(int64_t *value, unsigned digits) {
    for (; digits > 0; digits--) {
        if (*value > INT64_MAX / 10 || *value < INT64_MIN / 10)
            return false;
        *value *= 10;
    }
    return true;
}

/* Compares two exact numbers, in 64 bits or digit by digit. */
static int peer_compare_exact(const peer_number *a, const peer_number *b) {
    uint8_t room_a[LAM_EXACT_DECIMAL_ROOM], room_b[LAM_EXACT_DECIMAL_ROOM];
    unsigned scale_a = a->decimal.scale, scale_b = b->decimal.scale;
    int64_t x, y;
    if (a->beyond != 0 || b->beyond != 0)
        return peer_order_of(a->beyond, b->beyond);
    if (peer_is_short(&a->decimal, &x) && peer_is_short(&b->decimal, &y) &&
        peer_scale_up(&x, scale_b > scale_a ? scale_b - scale_a : 0) &&
        peer_scale_up(&y, scale_a > scale_b ? scale_a - scale_b : 0))
        return peer_order_of(x, y);
    lam_exact exact_a = lam_exact_of_decimal(&a->decimal, room_a);
    lam_exact exact_b = lam_exact_of_decimal(&b->decimal, room_b);
    return lam_exact_compare(&exact_a, &exact_b);
}

/*
 * Gives the nearest number of a floating-point leaf as a double. The text is digits and an
 * exponent, 125e-1; beyond the largest number parsers fail, and it counts as infinite.
 */
static double peer_round(const peer_number *exact, const lam_field *leaf) {
    uint8_t room[LAM_EXACT_DECIMAL_ROOM];
    char text[LAM_EXACT_DECIMAL_ROOM + LAM_NUMBER_TEXT_MAX + 2];
    size_t size = 0;
    double float64 = 0;
    float float32 = 0;
    uint16_t half;
    lam_exact number = lam_exact_of_decimal(&exact->decimal, room);
    if (number.count == 0)
        return 0;
    if (number.is_negative)
        text[size++] = '-';
    memcpy(text + size, number.digits, number.count);
    size += number.count;
    text[size++] = 'e';
    size += lam_int64_print(number.exponent - (int64_t)number.count, text + size);
    /* 128 bits hold no number beyond those of 32 and 64 bits, so that these are parsed. */
    if (leaf->physical_type == LAM_PHYSICAL_FLOAT) {
        (void)lam_float_parse(text, size, &float32);
        return (double)float32;
    }
    if (leaf->physical_type == LAM_PHYSICAL_DOUBLE) {
        (void)lam_double_parse(text, size, &float64);
        return float64;
    }
    if (lam_half_parse(text, size, &half))
        return peer_of_half(half);
    return number.is_negative ? -(double)INFINITY : (double)INFINITY;
}

/* Compares an integer with a double, rounded down; of equal ones the fraction decides. */
static int peer_compare_integer(const lam_decimal *integer, double real) {
    double whole = floor(real);
    if (whole >= 18446744073709551616.0) /* 2^64 */
        return -1;
    if (whole < -9223372036854775808.0) /* -2^63 */
        return 1;
    lam_decimal other = {0, 0, 0};
    if (whole < 0) {
        other.low = (uint64_t)(int64_t)whole;
        other.high = -1;
    } else {
        other.low = (uint64_t)whole;
    }
    if (integer->high != other.high)
        return integer->high < other.high ? -1 : 1;
    if (integer->low != other.low)
        return integer->low < other.low ? -1 : 1;
    return real > whole ? -1 : 0;
}

/* `leaf` is that of the floating-point number. A NaN is above all others. */
static int peer_compare_with_real(const peer_number *exact, double real, bool is_decimal,
                                  const lam_field *leaf) {
    if (isnan(real))
        return -1;
    if (exact->beyond != 0 || isinf(real))
        return isinf(real) ? (real > 0 ? -1 : 1) : exact->beyond;
    if (!is_decimal)
        return peer_compare_integer(&exact->decimal, real);
    double rounded = peer_round(exact, leaf);
    return (rounded > real) - (rounded < real);
}

/* NaNs equal each other and are above all other numbers. */
static int peer_compare_reals(double a, double b) {
    if (isnan(a) || isnan(b))
        return (int)isnan(a) - (int)isnan(b);
    return (a > b) - (a < b);
}

static int peer_compare_numbers(const lam_field *leaf_a, lam_bytes plain_a, const lam_field *leaf_b,
                                lam_bytes plain_b) {
    peer_number a = peer_number_of(leaf_a, plain_a), b = peer_number_of(leaf_b, plain_b);
    bool a_is_decimal = leaf_a->logical_type.kind == LAM_LOGICAL_DECIMAL;
    bool b_is_decimal = leaf_b->logical_type.kind == LAM_LOGICAL_DECIMAL;
    if (a.is_real && b.is_real)
        return peer_compare_reals(a.real, b.real);
    if (b.is_real)
        return peer_compare_with_real(&a, b.real, a_is_decimal, leaf_b);
    if (a.is_real)
        return -peer_compare_with_real(&b, a.real, b_is_decimal, leaf_a);
    return peer_compare_exact(&a, &b);
}

/* --- Times --------------------------------------------------------------------------------- */

typedef struct peer_time {
    int64_t seconds;
    int64_t nanos; /* 0 to 999,999,999 */
} peer_time;

static peer_time peer_time_of(const lam_field *leaf, lam_bytes plain) {
    enum { DAY_SECONDS = 86400, NANOS = 1000000000 };
    peer_time time = {0, 0};
    if (leaf->physical_type == LAM_PHYSICAL_INT96) {
        lam_int96 int96 = lam_int96_load(plain.data);
        time.seconds = int96.day * DAY_SECONDS + int96.nanos / NANOS;
        time.nanos = int96.nanos % NANOS;
    } else if (leaf->logical_type.kind == LAM_LOGICAL_DATE) {
        time.seconds = (int64_t)(int32_t)lam_load_le32(plain.data) * DAY_SECONDS;
    } else {
        int64_t units = lam_time_units(leaf->logical_type.unit);
        int64_t value = leaf->physical_type == LAM_PHYSICAL_INT32
                            ? (int32_t)lam_load_le32(plain.data)
                            : (int64_t)lam_load_le64(plain.data);
        time.seconds = lam_floor_divide(value, units, &time.nanos);
        time.nanos *= NANOS / units;
    }
    return time;
}

static int peer_compare_times(const lam_field *leaf_a, lam_bytes plain_a, const lam_field *leaf_b,
                              lam_bytes plain_b) {
    peer_time a = peer_time_of(leaf_a, plain_a), b = peer_time_of(leaf_b, plain_b);
    return a.seconds != b.seconds ? peer_order_of(a.seconds, b.seconds)
                                  : peer_order_of(a.nanos, b.nanos);
}

/* ------------------------------------------------------------------------------------------- */

int lam_peer_compare(const lam_filter_test *test, lam_bytes a, lam_bytes b) {
    switch (test->peer->form) {
    case LAM_PEER_NUMBERS:
        return peer_compare_numbers(test->leaf, a, test->peer->other, b);
    case LAM_PEER_TIMES:
        return peer_compare_times(test->leaf, a, test->peer->other, b);
    default:
        return lam_filter_compare(&test->order, a, b);
    }
}
