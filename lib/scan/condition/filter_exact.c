/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes exact decimal numbers from JSON texts and from decimals of 128 bits, and compares them.
 * Both sources give digits and a position of the point; trimming zeros at both ends makes the form
 * unique. By this invariant a comparison may stop at sign, exponent and the first digit that
 * differs, without arithmetic on long numbers.
 *
 *     text        digits      after the point     exponent    trimmed
 *     0012.50     001250      2                   4           "125", exponent 2
 *     5e-3        5           3                   -2          "5", exponent -2
 */
#include "scan/condition/filter_exact.h"

#include <string.h>

#include "base/error.h"
#include "text/number_text.h"
#include "variant/value/variant_decimal.h"

/*
 * Exponents stop growing here: far beyond the digits of any value or text, and small enough that
 * adding the length of a text cannot overflow.
 */
static const int64_t FILTER_EXACT_MOST_EXPONENT = INT64_C(1) << 40;

/*
 * Trims zeros at both ends of digits, the last `behind_point` of which are after the point; with a
 * negative number the point is that many digits after the last one. Zero loses its sign, as -0
 * equals 0.
 */
static lam_exact filter_exact_trim(const uint8_t *digits, size_t count, int64_t behind_point,
                                   bool is_negative) {
    lam_exact number = {digits, count, (int64_t)count - behind_point, is_negative};
    while (number.count > 0 && number.digits[0] == '0') {
        number.digits++;
        number.count--;
        number.exponent--;
    }
    while (number.count > 0 && number.digits[number.count - 1] == '0')
        number.count--;
    if (number.count == 0) {
        number.exponent = 0;
        number.is_negative = false;
    }
    return number;
}

/*
 * Reads the exponent, the text after an E: a sign, if any, and a digit or more. Stops once it is
 * beyond all bounds, so that a text of a thousand digits cannot overflow it.
 */
static int64_t filter_exact_read_exponent(const char *text, size_t size) {
    size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0;
    int64_t exponent = 0;
    for (; at < size && exponent < FILTER_EXACT_MOST_EXPONENT; at++)
        exponent = exponent * 10 + (text[at] - '0');
    return text[0] == '-' ? -exponent : exponent;
}

/*
 * The text is certainly a number, from the lexer or from a printer, so it is not checked again. A
 * sign is neither a digit nor a point, and the loop passes it by. Only an E is above the digits.
 */
lam_status lam_exact_of_text(const char *text, size_t size, lam_arena *arena, lam_exact *ret_number,
                             lam_error *error) {
    uint8_t *digits;
    size_t count = 0;
    int64_t behind_point = 0;
    bool is_behind = false;
    LAM_TRY(lam_arena_bytes(arena, size, &digits, error));
    for (size_t i = 0; i < size; i++) {
        if (text[i] == 'e' || text[i] == 'E') {
            behind_point -= filter_exact_read_exponent(text + i + 1, size - i - 1);
            break;
        }
        if (text[i] >= '0') {
            digits[count++] = (uint8_t)text[i];
            behind_point += is_behind;
        }
        is_behind = is_behind || text[i] == '.';
    }
    *ret_number = filter_exact_trim(digits, count, behind_point, text[0] == '-');
    return LAM_STATUS_OK;
}

/*
 * Writes digits from the end of `room` backwards, in 64 bits as soon as these suffice. The
 * magnitude of the least value, 2^127, still has 39 digits.
 */
lam_exact lam_exact_of_decimal(const lam_decimal *decimal, uint8_t room[LAM_EXACT_DECIMAL_ROOM]) {
    lam_wide number = lam_decimal_magnitude(decimal);
    size_t start = LAM_EXACT_DECIMAL_ROOM;
    while (number.high != 0)
        room[--start] = (uint8_t)('0' + lam_wide_divide_by_10(&number));
    for (uint64_t low = number.low; low != 0; low /= 10)
        room[--start] = (uint8_t)('0' + low % 10);
    return filter_exact_trim(room + start, LAM_EXACT_DECIMAL_ROOM - start, decimal->scale,
                             lam_decimal_is_negative(decimal));
}

/* The exponent of the last digit moves the point after it. */
lam_status lam_exact_print(const lam_exact *number, lam_buffer *out, lam_error *error) {
    char exponent[LAM_NUMBER_TEXT_MAX];
    size_t size = lam_int64_print(number->exponent - (int64_t)number->count, exponent);
    lam_buffer_clear(out);
    if (number->is_negative)
        LAM_TRY(lam_buffer_append_byte(out, '-', error));
    if (number->count == 0)
        return lam_buffer_append_byte(out, '0', error);
    LAM_TRY(lam_buffer_append(out, number->digits, number->count, error));
    LAM_TRY(lam_buffer_append_byte(out, 'e', error));
    return lam_buffer_append(out, exponent, size, error);
}

/* Adds one to digits that begin with a 0, so that a carry always ends: 0999 becomes 1000. */
static void filter_exact_increment(uint8_t *digits, size_t size) {
    size_t at = size;
    while (digits[at - 1] == '9')
        digits[--at] = '0';
    digits[at - 1]++;
}

/*
 * Cuts the digits after the point, or appends zeros up to it. A negative number that lost digits is
 * one further from zero: -0.5 becomes -1. The digits are written after a 0, for a carry, which is
 * dropped again unless it is the only digit.
 */
lam_status lam_exact_floor(const lam_exact *number, int32_t scale, lam_buffer *out, bool *ret_exact,
                           lam_error *error) {
    int64_t point = number->exponent + scale;
    size_t whole = number->count == 0 || point < 0 ? 0 : (size_t)point;
    size_t kept = whole < number->count ? whole : number->count;
    lam_buffer_clear(out);
    LAM_TRY(lam_buffer_reserve(out, whole + 2, error));
    if (number->is_negative)
        out->data[out->size++] = '-';
    uint8_t *digits = out->data + out->size;
    digits[0] = '0';
    if (kept > 0)
        memcpy(digits + 1, number->digits, kept);
    memset(digits + 1 + kept, '0', whole - kept);
    *ret_exact = kept == number->count;
    if (number->is_negative && !*ret_exact)
        filter_exact_increment(digits, whole + 1);
    bool has_zero = whole > 0 && digits[0] == '0';
    if (has_zero)
        memmove(digits, digits + 1, whole);
    out->size += whole + 1 - has_zero;
    return LAM_STATUS_OK;
}

/*
 * Compares without signs. No digits means zero, the least. Otherwise the larger exponent wins, as
 * first digits are not 0; on a tie digits decide from the left, and of a prefix and a longer number
 * the longer is larger, as last digits are not 0: 0.12 < 0.125.
 */
static int compare_magnitudes(const lam_exact *a, const lam_exact *b) {
    if (a->count == 0 || b->count == 0)
        return (a->count > 0) - (b->count > 0);
    if (a->exponent != b->exponent)
        return a->exponent < b->exponent ? -1 : 1;
    size_t common = a->count < b->count ? a->count : b->count;
    int order = memcmp(a->digits, b->digits, common);
    return order != 0 ? order : (a->count > b->count) - (a->count < b->count);
}

int lam_exact_compare(const lam_exact *a, const lam_exact *b) {
    if (a->is_negative != b->is_negative)
        return a->is_negative ? -1 : 1;
    return a->is_negative ? compare_magnitudes(b, a) : compare_magnitudes(a, b);
}
