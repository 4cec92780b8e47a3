/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scales the number at the lexer's current token to an integer, by moving its point over the
 * digits: no digit is lost, and no arithmetic is longer than adding one. Takes a NUMBER token,
 * which the lexer has checked, and a scale; gives digits in the caller's buffer.
 *
 *     text        -12.345e1       digits 12345, exponent -2 (of the last digit)
 *     scale 1     zeros = -1      cut one digit: 1234, it was not 0: not exact
 *     floor       negative        add one to the magnitude: -1235
 *
 * Invariant: digits have no leading zeros, apart from a single 0 for zero itself. A short text must
 * not ask for much memory: 1e1000000 is refused before its zeros are written.
 */
#include "filter/filter_number.h"

#include "base/error.h"

/*
 * Digits: as many as always fit an unscaled value of LAM_DECIMAL_BYTES_MAX bytes, with a sign.
 * Exponents stop growing at a bound that is far beyond those digits.
 */
enum { FILTER_NUMBER_MOST_DIGITS = 9800, FILTER_NUMBER_MOST_EXPONENT = 1000000 };

static bool filter_number_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/*
 * JSON allows no sign +, no leading zeros and no point without digits on both sides; the filter's
 * text allows them all. `lonely_point` has no digit before it.
 */
lam_status lam_filter_number_plain(const lam_filter_lexer *lexer, lam_buffer *out,
                                   lam_error *error) {
    const char *text = lexer->text;
    size_t at = lexer->start;
    if (text[at] == '-')
        LAM_TRY(lam_buffer_append_byte(out, '-', error));
    if (text[at] == '-' || text[at] == '+')
        at++;
    while (at + 1 < lexer->end && text[at] == '0' && filter_number_is_digit(text[at + 1]))
        at++; /* JSON has no leading zeros */
    for (size_t i = at; i < lexer->end; i++) {
        bool lonely_point = text[i] == '.' && (i == at || !filter_number_is_digit(text[i - 1]));
        if (lonely_point)
            LAM_TRY(lam_buffer_append_byte(out, '0', error));
        LAM_TRY(lam_buffer_append_byte(out, (uint8_t)text[i], error));
        if (text[i] == '.' && (i + 1 == lexer->end || !filter_number_is_digit(text[i + 1])))
            LAM_TRY(lam_buffer_append_byte(out, '0', error));
    }
    return LAM_STATUS_OK;
}

/* Describes digits that are kept in a buffer without their point. */
typedef struct decimal_digits {
    bool is_negative;
    int64_t exponent; /* power of ten of the last digit */
} decimal_digits;

/*
 * Reads the exponent behind an E, which begins at `at`; stops at a bound, so that it cannot
 * overflow.
 */
static int64_t filter_number_read_exponent(const char *text, size_t at, size_t end) {
    bool is_negative = text[at] == '-';
    int64_t exponent = 0;
    if (is_negative || text[at] == '+')
        at++;
    for (; at < end && exponent < FILTER_NUMBER_MOST_EXPONENT; at++)
        exponent = exponent * 10 + (text[at] - '0');
    return is_negative ? -exponent : exponent;
}

/*
 * Splits a number into its sign, its digits from the first that is not 0, and the power of ten of
 * the last one. All digits of zero are dropped.
 */
static lam_status filter_number_split(const lam_filter_lexer *lexer, lam_buffer *digits,
                                      decimal_digits *ret_digits, lam_error *error) {
    decimal_digits found = {lexer->text[lexer->start] == '-', 0};
    bool behind_point = false;
    for (size_t i = lexer->start; i < lexer->end; i++) {
        char c = lexer->text[i];
        if (c == 'e' || c == 'E') {
            found.exponent += filter_number_read_exponent(lexer->text, i + 1, lexer->end);
            break;
        }
        behind_point = behind_point || c == '.';
        if (!filter_number_is_digit(c))
            continue;
        found.exponent -= behind_point;
        if (c != '0' || digits->size > 0)
            LAM_TRY(lam_buffer_append_byte(digits, (uint8_t)c, error));
    }
    *ret_digits = found;
    return LAM_STATUS_OK;
}

/* Drops the last `count` digits; true when all of them are 0. Stops when none are left. */
static bool cut_digits(lam_buffer *digits, uint64_t count) {
    bool zeros = true;
    while (count > 0 && digits->size > 0) {
        digits->size--;
        zeros = zeros && digits->data[digits->size] == '0';
        count--;
    }
    return zeros;
}

/*
 * Adds one to a number in decimal digits. Its first digit is a 0 that the caller put there, so that
 * a carry always ends: 0999 becomes 1000.
 */
static void increment(uint8_t *digits, size_t size) {
    size_t at = size;
    while (at > 0 && digits[at - 1] == '9')
        digits[--at] = '0';
    digits[at - 1]++;
}

static lam_status filter_number_too_long(const lam_filter_lexer *lexer, lam_error *error) {
    lam_error_set(error, LAM_ERROR_CODE_NUMBER_LIMIT, "a number of more than %d digits",
                  FILTER_NUMBER_MOST_DIGITS);
    lam_filter_lexer_locate(lexer->start, error);
    return LAM_STATUS_LIMIT;
}

/*
 * Gives the digits of the magnitude at the scale, rounded towards zero: drops digits, or appends
 * zeros. Both counts are checked before a zero is appended.
 */
static lam_status floor_digits(const lam_filter_lexer *lexer, int32_t scale, lam_buffer *digits,
                               decimal_digits *ret_digits, bool *ret_exact, lam_error *error) {
    LAM_TRY(filter_number_split(lexer, digits, ret_digits, error));
    int64_t zeros = digits->size == 0 ? 0 : ret_digits->exponent + scale;
    if (digits->size > FILTER_NUMBER_MOST_DIGITS || zeros > FILTER_NUMBER_MOST_DIGITS)
        return filter_number_too_long(lexer, error);
    *ret_exact = true;
    if (zeros < 0)
        *ret_exact = cut_digits(digits, (uint64_t)-zeros);
    for (; zeros > 0; zeros--)
        LAM_TRY(lam_buffer_append_byte(digits, '0', error));
    return LAM_STATUS_OK;
}

/*
 * Rounds down: a negative number that lost digits is one further from zero, -0.5 becomes -1. Leaves
 * room for the sign and a carry before the digits: "-0", then the digits. The result begins at the
 * first of these bytes that counts.
 */
lam_status lam_filter_number_floor(const lam_filter_lexer *lexer, int32_t scale, lam_buffer *out,
                                   lam_filter_number *ret_number, lam_error *error) {
    lam_status status;
    lam_filter_number number = {NULL, 0, false, true};
    decimal_digits found;
    lam_buffer digits;
    lam_buffer_init(&digits, &out->allocator);
    LAM_TRY_OUT(floor_digits(lexer, scale, &digits, &found, &number.is_exact, error));
    lam_buffer_clear(out);
    LAM_TRY_OUT(lam_buffer_append(out, "-0", 2, error));
    LAM_TRY_OUT(lam_buffer_append(out, digits.data, digits.size, error));
    number.is_negative = found.is_negative && (digits.size > 0 || !number.is_exact);
    if (number.is_negative && !number.is_exact)
        increment(out->data + 1, out->size - 1);
    size_t start = 1; /* behind the sign, at the first digit that counts */
    while (start + 1 < out->size && out->data[start] == '0')
        start++;
    if (number.is_negative)
        out->data[--start] = '-';
    number.digits = (const char *)out->data + start;
    number.size = out->size - start;
    *ret_number = number;
out:
    lam_buffer_finish(&digits);
    return status;
}
