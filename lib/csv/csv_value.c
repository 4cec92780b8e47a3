/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the bytes of one field, without quotes, at least one, as a value of one type; false if the
 * field is no such value. No byte is ever skipped, and only doubles are rounded.
 *
 * A double is exact by the method of Clinger (1990): a mantissa up to 2^53 and a power of ten up to
 * 10^22 are both exact, so that one division rounds once. All others take the long way, as JSON
 * numbers.
 */
#include "csv/csv_value.h"

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "base/wrap.h"
#include "text/number_text.h"

bool lam_csv_parse_boolean(const uint8_t *bytes, size_t size, uint8_t *ret_value) {
    bool is_true = lam_ascii_is_word(bytes, size, "true");
    if (!is_true && !lam_ascii_is_word(bytes, size, "false"))
        return false;
    *ret_value = is_true;
    return true;
}

/* --- Numbers ------------------------------------------------------------------------------- */

bool lam_csv_parse_unsigned(const uint8_t *bytes, size_t size, uint64_t *ret_value) {
    uint64_t value = 0;
    if (size == 0 || size > 20 || (bytes[0] == '0' && size > 1))
        return false;
    for (size_t i = 0; i < size; i++) {
        uint8_t digit = (uint8_t)(bytes[i] - '0');
        if (digit > 9 || (i == 19 && (value > UINT64_MAX / 10 ||
                                      (value == UINT64_MAX / 10 && digit > UINT64_MAX % 10))))
            return false;
        value = value * 10 + digit;
    }
    *ret_value = value;
    return true;
}

bool lam_csv_parse_integer(const uint8_t *bytes, size_t size, int64_t *ret_value) {
    bool is_negative = size > 0 && bytes[0] == '-';
    uint64_t value;
    if (!lam_csv_parse_unsigned(bytes + is_negative, size - is_negative, &value) ||
        value > (uint64_t)INT64_MAX + is_negative || (is_negative && value == 0))
        return false;
    *ret_value = is_negative ? (int64_t)lam_wrap_subtract(0, value) : (int64_t)value;
    return true;
}

static bool csv_parse_special(const uint8_t *bytes, size_t size, double *ret_value) {
    bool is_negative = size > 0 && bytes[0] == '-';
    bytes += is_negative;
    size -= is_negative;
    if (lam_ascii_is_word(bytes, size, "nan") && !is_negative)
        *ret_value = NAN;
    else if (lam_ascii_is_word(bytes, size, "inf") || lam_ascii_is_word(bytes, size, "infinity"))
        *ret_value = is_negative ? -HUGE_VAL : HUGE_VAL;
    else
        return false;
    return true;
}

enum { CSV_NUMBER_MAX = 512 }; /* digits of a number that is not in JSON's form */

/*
 * Writes a number as a JSON number, with a point, and digits on both of its sides. Gives its
 * length, 0 when it is no number.
 */
static size_t csv_write_number(const uint8_t *bytes, size_t size, char mark, char *text) {
    size_t length = 0, i = 0;
    bool has_digits = false;
    if (size == 0 || size > CSV_NUMBER_MAX)
        return 0;
    if (bytes[0] == '-')
        text[length++] = (char)bytes[i++];
    if (i + 1 < size && bytes[i] == '0' && lam_ascii_is_digit(bytes[i + 1]))
        return 0;
    if (i < size && bytes[i] == (uint8_t)mark)
        text[length++] = '0';
    for (; i < size && lam_ascii_is_digit(bytes[i]); has_digits = true)
        text[length++] = (char)bytes[i++];
    if (i < size && bytes[i] == (uint8_t)mark) {
        text[length++] = '.';
        i++;
        if (i == size || !lam_ascii_is_digit(bytes[i]))
            text[length++] = '0';
        for (; i < size && lam_ascii_is_digit(bytes[i]); has_digits = true)
            text[length++] = (char)bytes[i++];
    }
    if (has_digits && i < size && (bytes[i] | 0x20) == 'e') {
        text[length++] = (char)bytes[i++];
        if (i < size && (bytes[i] == '-' || bytes[i] == '+'))
            text[length++] = (char)bytes[i++];
        has_digits = i < size;
        while (i < size && lam_ascii_is_digit(bytes[i]))
            text[length++] = (char)bytes[i++];
    }
    return has_digits && i == size ? length : 0;
}

static bool csv_parse_long_double(const uint8_t *bytes, size_t size, char mark, double *ret_value) {
    char text[CSV_NUMBER_MAX + 4];
    size_t length = csv_write_number(bytes, size, mark, text);
    return length > 0 ? lam_double_parse(text, length, ret_value)
                      : csv_parse_special(bytes, size, ret_value);
}

bool lam_csv_parse_kept_double(const uint8_t *bytes, size_t size, char mark, double *ret_value) {
    if (!lam_csv_parse_double(bytes, size, mark, ret_value))
        return false;
    bool is_integer = size > 15;
    for (size_t i = bytes[0] == '-'; i < size && is_integer; i++)
        is_integer = lam_ascii_is_digit(bytes[i]);
    return !is_integer || lam_double_keeps_integer((const char *)bytes, size);
}

bool lam_csv_parse_float(const uint8_t *bytes, size_t size, char mark, float *ret_value) {
    char text[CSV_NUMBER_MAX + 4];
    double special;
    size_t length = csv_write_number(bytes, size, mark, text);
    if (length > 0)
        return lam_float_parse(text, length, ret_value);
    if (!csv_parse_special(bytes, size, &special))
        return false;
    *ret_value = (float)special;
    return true;
}

bool lam_csv_parse_double(const uint8_t *bytes, size_t size, char mark, double *ret_value) {
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool is_negative = size > 0 && bytes[0] == '-';
    const uint8_t *at = bytes + is_negative, *end = bytes + size;
    uint64_t mantissa = 0;
    /* 15 digits are below 2^53. */
    if (size > 16 || at == end || !lam_ascii_is_digit(at[0]) ||
        (at[0] == '0' && at + 1 < end && at[1] != (uint8_t)mark))
        return size > 0 && csv_parse_long_double(bytes, size, mark, ret_value);
    for (; at < end && lam_ascii_is_digit(*at); at++)
        mantissa = mantissa * 10 + (uint8_t)(*at - '0');
    const uint8_t *digits = at;
    if (at < end && *at == (uint8_t)mark)
        for (digits = ++at; at < end && lam_ascii_is_digit(*at); at++)
            mantissa = mantissa * 10 + (uint8_t)(*at - '0');
    if (at != end || mantissa > (uint64_t)1 << 53)
        return csv_parse_long_double(bytes, size, mark, ret_value);
    double value = (double)mantissa / powers[at - digits];
    *ret_value = is_negative ? -value : value;
    return true;
}

bool lam_csv_count_digits(const uint8_t *bytes, size_t size, char mark, size_t *ret_before,
                          size_t *ret_after) {
    size_t i = size > 0 && bytes[0] == '-', before, after = 0;
    if (i + 1 < size && bytes[i] == '0' && lam_ascii_is_digit(bytes[i + 1]))
        return false;
    for (before = 0; i < size && lam_ascii_is_digit(bytes[i]); i++)
        before += before > 0 || bytes[i] != '0';
    bool has_digits = i > 0 && lam_ascii_is_digit(bytes[i - 1]);
    if (i < size && bytes[i] == (uint8_t)mark)
        for (i++; i < size && lam_ascii_is_digit(bytes[i]); i++)
            after++;
    *ret_before = before;
    *ret_after = after;
    return i == size && (has_digits || after > 0);
}
