/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the exact value of a JSON number for a VARIANT: int64 if it has no digits after the point
 * and fits, else a decimal of up to 38 digits, else a double that keeps all its digits. (json.h
 * draws the rules; VariantEncoding.md, "Decimal")
 *
 * The text is a number that the tokens have checked. All decisions are made on the digits, without
 * rounding: a number is `digits` times 10^-scale.
 *
 *     text        digits  count  scale  zeros
 *     1.50        150     3      2      1
 *     0.007       7       1      3      0
 *     15e2        15      2      -2     0
 *     0.00        none    0      2      0
 */
#include "json/parse/json_number.h"

#include <string.h>

#include "text/number_text.h"
#include "variant/value/variant_decimal.h"

/* The most that DECIMAL16 holds. (VariantEncoding.md, "Encoding types") */
enum { JSON_NUMBER_DIGITS_MAX = 38, SCALE_MAX = 38 };

/* The digits of a number from the first that is not 0 to the last. */
typedef struct json_number_digits {
    const char *text; /* the first digit that counts; there may be a point among them */
    const char *end;  /* after the last digit of the text */
    int64_t count;    /* digits that count, zeros at the end included */
    int64_t scale;    /* digits after the point, the exponent applied; negative: zeros before it */
    int64_t zeros;    /* digits at the end that are 0 */
    bool is_negative;
} json_number_digits;

/*
 * Stops at 10^9 or more, beyond every type, so that sums with the length of a text cannot overflow.
 */
static int64_t json_number_read_exponent(const char *text, const char *end) {
    const int64_t far = 1000000000;
    bool negative = *text == '-';
    int64_t exponent = 0;
    for (text += *text == '-' || *text == '+'; text < end && exponent < far; text++)
        exponent = exponent * 10 + (*text - '0');
    return negative ? -exponent : exponent;
}

/*
 * Finds the digits in one pass. Zeros before the first other digit do not count, but those after
 * the point count in the scale.
 */
static json_number_digits json_number_find_digits(const char *text, size_t size) {
    const char *end = text + size, *c = text;
    json_number_digits found = {NULL, NULL, 0, 0, 0, *text == '-'};
    bool fraction = false;
    for (c += found.is_negative; c < end && *c != 'e' && *c != 'E'; c++) {
        if (*c == '.') {
            fraction = true;
            continue;
        }
        found.scale += fraction;
        if (found.text == NULL && *c == '0')
            continue;
        if (found.text == NULL)
            found.text = c;
        found.count++;
        found.zeros = *c == '0' ? found.zeros + 1 : 0;
    }
    found.end = c;
    if (c < end)
        found.scale -= json_number_read_exponent(c + 1, end);
    return found;
}

/* --- Decimals --------------------------------------------------------------------------------- */

/*
 * Gives the first `count` digits as a number, with `zeros` zeros appended; at most 38 digits in
 * all. Nineteen digits fit 64 bits; only further ones take steps of 128 bits.
 */
static lam_wide load_digits(const json_number_digits *found, int64_t count, int64_t zeros) {
    lam_wide number = {0, 0};
    const char *c = found->text;
    uint64_t low = 0;
    int64_t i = 0;
    for (; i < count && i < 19; c++) /* while 64 bits are enough */
        if (*c != '.') {
            low = low * 10 + (uint64_t)(*c - '0');
            i++;
        }
    number.low = low;
    for (; i < count; c++)
        if (*c != '.') {
            number = lam_wide_multiply_add(number, 10, (uint32_t)(*c - '0'));
            i++;
        }
    for (; zeros > 0; zeros--)
        number = lam_wide_multiply_add(number, 10, 0);
    return number;
}

/*
 * Gives a number that a decimal holds; false for any other. A number of scale below 0 gets zeros
 * appended, as decimals have no negative scale. A zero keeps its scale, so that 0.00 prints as
 * 0.00, but -0.0 is no decimal.
 */
static bool json_number_read_decimal(const json_number_digits *found, lam_decimal *ret_decimal) {
    int64_t count = found->count, scale = found->scale, zeros = 0;
    if (count == 0) {
        lam_decimal zero = {0, 0, (uint8_t)(scale < 0 || scale > SCALE_MAX ? 0 : scale)};
        *ret_decimal = zero;
        return !found->is_negative || zero.scale == 0;
    }
    if (scale < 0) {
        zeros = -scale;
        scale = 0;
    }
    /*
     * Digits without room, in the scale or in all, may be dropped if they are zeros after the
     * point.
     */
    int64_t beyond = scale - SCALE_MAX > count + zeros - JSON_NUMBER_DIGITS_MAX
                         ? scale - SCALE_MAX
                         : count + zeros - JSON_NUMBER_DIGITS_MAX;
    if (beyond > 0) {
        if (beyond > scale || beyond > found->zeros)
            return false;
        count -= beyond;
        scale -= beyond;
    }
    lam_wide number = load_digits(found, count, zeros);
    if (found->is_negative)
        number = lam_wide_negate(number);
    ret_decimal->low = number.low;
    ret_decimal->high = (int64_t)number.high;
    ret_decimal->scale = (uint8_t)scale;
    return true;
}

/* --- Doubles ---------------------------------------------------------------------------------- */

/*
 * Whether two numbers of one sign have the same digits, up to zeros at the end, at the same powers
 * of ten.
 */
static bool is_same_number(const json_number_digits *a, const json_number_digits *b) {
    int64_t left = a->count - a->zeros;
    if (left != b->count - b->zeros)
        return false;
    if (left == 0)
        return true;
    if (a->scale - a->zeros != b->scale - b->zeros)
        return false;
    const char *x = a->text, *y = b->text;
    for (; left > 0; left--, x++, y++) {
        x += *x == '.';
        y += *y == '.';
        if (*x != *y)
            return false;
    }
    return true;
}

/* Gives the nearest double, and true if its shortest text is the same number. */
static bool read_double(const char *text, size_t size, const json_number_digits *found,
                        double *ret_value) {
    char shortest[LAM_NUMBER_TEXT_MAX];
    if (!lam_double_parse(text, size, ret_value))
        return false;
    json_number_digits kept =
        json_number_find_digits(shortest, lam_double_print(*ret_value, shortest));
    return is_same_number(found, &kept);
}

/*
 * Tries int64 first: nearly all numbers without a point end there. A decimal of scale 0 that fits
 * 64 bits (1e3, 15.0e1) becomes an integer too.
 */
bool lam_json_number_read(const char *text, size_t size, lam_variant_scalar *ret_number) {
    lam_variant_scalar number = {LAM_VARIANT_INT64, {0}};
    bool is_exact = true;
    if (!lam_int64_parse(text, size, &number.as.integer)) {
        json_number_digits found = json_number_find_digits(text, size);
        double value;
        number.kind = LAM_VARIANT_DECIMAL16;
        if (!json_number_read_decimal(&found, &number.as.decimal)) {
            is_exact = read_double(text, size, &found, &value);
            number.kind = LAM_VARIANT_DOUBLE;
            if (is_exact || lam_double_parse(text, size, &value))
                number.as.float64 = value;
            else
                number.kind = LAM_VARIANT_UNKNOWN;
        } else if (number.as.decimal.scale == 0 &&
                   number.as.decimal.high == ((int64_t)number.as.decimal.low < 0 ? -1 : 0)) {
            int64_t integer = (int64_t)number.as.decimal.low;
            number.kind = LAM_VARIANT_INT64;
            number.as.integer = integer;
        }
    }
    *ret_number = number;
    return is_exact;
}

/*
 * Compares text with text. A decimal prints its digits as written, so equality means that the
 * double loses nothing.
 */
bool lam_json_number_is_double(const char *text, size_t size, double *ret_value) {
    char shortest[LAM_NUMBER_TEXT_MAX];
    double value = 0;
    if (size > sizeof shortest || memchr(text, '.', size) == NULL ||
        memchr(text, 'e', size) != NULL || memchr(text, 'E', size) != NULL)
        return false;
    (void)lam_double_parse(text, size, &value); /* so few digits are in the range */
    if (lam_double_print(value, shortest) != size || memcmp(shortest, text, size) != 0)
        return false;
    *ret_value = value;
    return true;
}

bool lam_json_number_is_float(const char *text, size_t size, float *ret_value) {
    char shortest[LAM_NUMBER_TEXT_MAX];
    float value = 0;
    if (size > sizeof shortest || memchr(text, '.', size) == NULL ||
        memchr(text, 'e', size) != NULL || memchr(text, 'E', size) != NULL)
        return false;
    (void)lam_float_parse(text, size, &value); /* so few digits are in the range */
    if (lam_float_print(value, shortest) != size || memcmp(shortest, text, size) != 0)
        return false;
    *ret_value = value;
    return true;
}
