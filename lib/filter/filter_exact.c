/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes exact decimal numbers from JSON texts and from decimals of 128 bits, and compares them.
 * Both sources give digits and a position of the point; trimming zeros at both ends makes the form
 * unique, and that is the invariant which lets a comparison stop at sign, exponent and the first
 * digit that differs, without arithmetic on long numbers.
 *
 *     text        digits      behind the point    exponent    trimmed
 *     0012.50     001250      2                   4           "125", exponent 2
 *     5e-3        5           3                   -2          "5", exponent -2
 */
#include "filter/filter_exact.h"

#include <string.h>

#include "base/error.h"
#include "variant/variant_decimal.h"

/*
 * Exponents stop growing here: far beyond the digits of any value or text, and small enough that
 * adding the length of a text cannot overflow.
 */
static const int64_t FILTER_EXACT_MOST_EXPONENT = INT64_C(1) << 40;

/*
 * Trims zeros at both ends of digits, the last `behind_point` of which are behind the point; with a
 * negative number the point is that many digits behind the last one. Zero loses its sign, as -0
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

static bool filter_exact_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/*
 * Reads the exponent, the text behind an E: a sign, if any, and digits. Stops once it is beyond all
 * bounds, so that a text of a thousand digits cannot overflow it.
 */
static int64_t filter_exact_read_exponent(const char *text, size_t size) {
    size_t at = size > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    int64_t exponent = 0;
    for (; at < size && exponent < FILTER_EXACT_MOST_EXPONENT; at++)
        exponent = exponent * 10 + (text[at] - '0');
    return size > 0 && text[0] == '-' ? -exponent : exponent;
}

/*
 * The text is a JSON number already, from the lexer or from a printer, so that it is not checked
 * again. A leading minus is neither a digit nor a point, and the loop passes it by.
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
        if (filter_exact_is_digit(text[i])) {
            digits[count++] = (uint8_t)text[i];
            behind_point += is_behind;
        }
        is_behind = is_behind || text[i] == '.';
    }
    *ret_number = filter_exact_trim(digits, count, behind_point, size > 0 && text[0] == '-');
    return LAM_STATUS_OK;
}

/*
 * Writes digits from the end of `room` backwards. The magnitude of the least value, 2^127, still
 * has 39 digits.
 */
lam_exact lam_exact_of_decimal(const lam_decimal *decimal, uint8_t room[LAM_EXACT_DECIMAL_ROOM]) {
    lam_wide number = lam_decimal_magnitude(decimal);
    size_t start = LAM_EXACT_DECIMAL_ROOM;
    while (number.high != 0 || number.low != 0)
        room[--start] = (uint8_t)('0' + lam_wide_divide_by_10(&number));
    return filter_exact_trim(room + start, LAM_EXACT_DECIMAL_ROOM - start, decimal->scale,
                             lam_decimal_is_negative(decimal));
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
