#include "json/json_number.h"

#include <string.h>

#include "text/number_text.h"
#include "variant/variant_decimal.h"

enum { JSON_NUMBER_DIGITS_MAX = 38, SCALE_MAX = 38 };

/* The digits of a number from the first that is not 0 to the last, and where its point is. */
typedef struct json_number_digits {
    const char *text; /* the first digit that counts; there may be a point among them */
    const char *end;  /* behind the last digit of the text */
    int64_t count;    /* digits that count, zeros at the end included */
    int64_t scale;    /* digits behind the point, after the exponent; negative: zeros before it */
    int64_t zeros;    /* of the digits, those at the end that are 0 */
    bool is_negative;
} json_number_digits;

static int64_t json_number_read_exponent(const char *text, const char *end) {
    const int64_t far = 1000000000;
    bool negative = *text == '-';
    int64_t exponent = 0;
    for (text += *text == '-' || *text == '+'; text < end && exponent < far; text++)
        exponent = exponent * 10 + (*text - '0');
    return negative ? -exponent : exponent;
}

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

/* The first `count` digits, as many zeros behind them as `zeros` says; 38 in all at most. */
static lam_wide load_digits(const json_number_digits *found, int64_t count, int64_t zeros) {
    lam_wide number = {0, 0};
    const char *c = found->text;
    uint64_t low = 0;
    int64_t i = 0;
    for (; i < count && i < 19; c++) /* as long as 64 bits do */
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

/* Reads a number that a decimal holds; false for any other. */
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
    /* Zeros at the end that there is no room for may go. */
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

/* Whether two numbers have the same digits in the same places. */
static bool is_same_number(const json_number_digits *a, const json_number_digits *b) {
    int64_t left = a->count - a->zeros;
    if (left != b->count - b->zeros || a->is_negative != b->is_negative)
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

static bool read_double(const char *text, size_t size, const json_number_digits *found,
                        double *ret_value) {
    char shortest[LAM_NUMBER_TEXT_MAX];
    if (!lam_double_parse(text, size, ret_value))
        return false;
    json_number_digits kept =
        json_number_find_digits(shortest, lam_double_print(*ret_value, shortest));
    return is_same_number(found, &kept);
}

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

bool lam_json_number_is_double(const char *text, size_t size, double *ret_value) {
    char shortest[LAM_NUMBER_TEXT_MAX];
    double value;
    if (size > sizeof shortest || memchr(text, '.', size) == NULL ||
        memchr(text, 'e', size) != NULL || memchr(text, 'E', size) != NULL ||
        !lam_double_parse(text, size, &value) || lam_double_print(value, shortest) != size ||
        memcmp(shortest, text, size) != 0)
        return false;
    *ret_value = value;
    return true;
}

bool lam_json_number_is_float(const char *text, size_t size, float *ret_value) {
    char shortest[LAM_NUMBER_TEXT_MAX];
    float value;
    if (size > sizeof shortest || memchr(text, '.', size) == NULL ||
        memchr(text, 'e', size) != NULL || memchr(text, 'E', size) != NULL ||
        !lam_float_parse(text, size, &value) || lam_float_print(value, shortest) != size ||
        memcmp(shortest, text, size) != 0)
        return false;
    *ret_value = value;
    return true;
}
