/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints unscaled integers of any length as decimals, and parses decimals into such integers.
 *
 * Both directions go through limbs: the absolute value in base 2^32, lowest limb first. Printing
 * divides them by 10^9 until 0 is left, nine digits a step; parsing multiplies by 10 and adds one
 * digit at a time. That is quadratic in the number of digits, so the lengths are bounded:
 * LAM_DECIMAL_BYTES_MAX bytes, DECIMAL_DIGITS_MAX digits. All room is on the stack and sized by
 * these bounds. Numbers of up to 64 bits, by far the most frequent, are printed without limbs.
 * (LogicalTypes.md, "DECIMAL")
 *
 *     bytes FB 2E, scale 2  ->  limbs {1234}, negative  ->  digits 1234  ->  -12.34
 */
#include "text/decimal_text.h"

#include "base/error.h"
#include "base/wrap.h"
#include "text/digits.h"
#include "text/number_text.h"

/* Room for the longest numbers. 9,864 digits: 2^32767 is about 7.1 * 10^9863. */
enum {
    DECIMAL_LIMBS_MAX = LAM_DECIMAL_BYTES_MAX / 4 + 1, /* one more for the carry of -2^n */
    DECIMAL_DIGITS_MAX = 9864,                         /* of 2^(8 * LAM_DECIMAL_BYTES_MAX - 1) */
    DIGITS_ROOM = DECIMAL_DIGITS_MAX + 9               /* nine at a time */
};

/* The largest power of ten below 2^32: each division yields nine digits. */
static const uint32_t BILLION = 1000000000;

/*
 * Appends a sign, the digits, and the point `scale` digits from the end. `digits` has no leading
 * zeros, and is empty for 0; as many zeros are put before them as one digit before the point needs:
 *
 *     digits 5, scale 2      ->  0.05
 *     digits 12345, scale 2  ->  123.45
 *     no digits, scale 0     ->  0
 *
 * The scale comes from the schema of a file, so it is bounded before it sizes memory.
 */
static lam_status put_scaled(lam_buffer *buffer, bool negative, const char *digits, size_t count,
                             size_t scale, lam_error *error) {
    if (scale > DECIMAL_DIGITS_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_NUMBER_LIMIT, "a decimal has more than %d digits",
                 DECIMAL_DIGITS_MAX);
    size_t zeros = count > scale ? 0 : scale + 1 - count;
    LAM_TRY(lam_buffer_reserve(buffer, zeros + count + 2, error));
    char *out = (char *)buffer->data + buffer->size;
    if (negative)
        *out++ = '-';
    memset(out, '0', zeros);
    memcpy(out + zeros, digits, count);
    out += zeros + count;
    /* The digits after the point move by one to make room for it. */
    if (scale > 0) {
        memmove(out - scale + 1, out - scale, scale);
        *(out - scale) = '.';
        out++;
    }
    buffer->size = (size_t)(out - (char *)buffer->data);
    return LAM_STATUS_OK;
}

/* Prints a number of 64 bits in place, from its last digit to its first. */
static lam_status print_short(lam_buffer *buffer, bool negative, uint64_t number, size_t scale,
                              lam_error *error) {
    size_t count = lam_digits_count(number);
    size_t whole = count > scale ? count - scale : 1;
    size_t size = negative + whole + (scale > 0) + scale;
    LAM_TRY(lam_buffer_reserve(buffer, size, error));
    char *out = (char *)buffer->data + buffer->size;
    char *point = lam_digits_put(out + size, scale, &number);
    if (scale > 0)
        *--point = '.';
    lam_digits_put(point, whole, &number);
    if (negative)
        *out = '-';
    buffer->size += size;
    return LAM_STATUS_OK;
}

lam_status lam_decimal_print_int64(lam_buffer *buffer, int64_t unscaled, int32_t scale,
                                   lam_error *error) {
    char digits[LAM_NUMBER_TEXT_MAX];
    uint64_t size = lam_magnitude(unscaled);
    if (scale >= 0 && scale <= LAM_DIGITS_MAX)
        return print_short(buffer, unscaled < 0, size, (size_t)scale, error);
    size_t count = size == 0 ? 0 : lam_uint64_print(size, digits);
    return put_scaled(buffer, unscaled < 0, digits, count, (size_t)scale, error);
}

/* The number of at most 8 big-endian bytes. */
static int64_t load_int64(lam_bytes number, bool negative) {
    uint64_t value = negative ? UINT64_MAX : 0;
    for (size_t i = 0; i < number.size; i++)
        value = value << 8 | number.data[i];
    return (int64_t)value;
}

/*
 * Gives the absolute value of big-endian two's complement as limbs, lowest first, and returns their
 * number without leading zeros. The number is not 0. `limbs` has room for `number.size / 4 + 1`:
 * the limb beyond the bytes holds the sign, which takes the carry of -(-2^n).
 */
static size_t load_limbs(lam_bytes number, bool negative, uint32_t *limbs) {
    size_t count = number.size / 4 + 1;
    memset(limbs, negative ? 0xFF : 0, count * sizeof *limbs);
    for (size_t i = 0; i < number.size; i++) {
        uint32_t byte = number.data[number.size - 1 - i];
        uint32_t shift = 8 * (i % 4);
        limbs[i / 4] = (limbs[i / 4] & ~(UINT32_C(0xFF) << shift)) | byte << shift;
    }
    if (negative) { /* -x is ~x + 1 */
        uint64_t carry = 1;
        for (size_t i = 0; i < count; i++) {
            carry += (uint32_t)~limbs[i];
            limbs[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    while (limbs[count - 1] == 0)
        count--;
    return count;
}

/* Divides by a billion in place, drops limbs that become 0, and returns the remainder. */
static uint32_t divide_limbs(uint32_t *limbs, size_t *count) {
    uint64_t rest = 0;
    for (size_t i = *count; i > 0; i--) {
        rest = rest << 32 | limbs[i - 1];
        limbs[i - 1] = (uint32_t)(rest / BILLION);
        rest %= BILLION;
    }
    while (*count > 0 && limbs[*count - 1] == 0)
        (*count)--;
    return (uint32_t)rest;
}

lam_status lam_decimal_print_bytes(lam_buffer *buffer, lam_bytes unscaled, int32_t scale,
                                   lam_error *error) {
    /*
     * Sign bytes that repeat the next bit do not count towards the limit: columns of fixed length
     * are padded with them.
     */
    bool negative = unscaled.size > 0 && unscaled.data[0] >= 0x80;
    while (unscaled.size > 1 && unscaled.data[0] == (negative ? 0xFF : 0) &&
           unscaled.data[1] >> 7 == negative) {
        unscaled.data++;
        unscaled.size--;
    }
    if (unscaled.size <= sizeof(int64_t))
        return lam_decimal_print_int64(buffer, load_int64(unscaled, negative), scale, error);
    if (unscaled.size > LAM_DECIMAL_BYTES_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_NUMBER_LIMIT, "a decimal of %zu bytes is longer than %d",
                 unscaled.size, LAM_DECIMAL_BYTES_MAX);
    uint32_t limbs[DECIMAL_LIMBS_MAX];
    char digits[DIGITS_ROOM];
    char *first = digits + sizeof digits;
    size_t count = load_limbs(unscaled, negative, limbs);
    /*
     * Nine digits a step, from the last to the first; leading zeros of the first nine are dropped
     * below. A number of more than 8 bytes has a digit that is not 0.
     */
    while (count > 0) {
        uint32_t nine = divide_limbs(limbs, &count);
        for (int i = 0; i < 9; i++, nine /= 10)
            *--first = (char)('0' + nine % 10);
    }
    while (*first == '0')
        first++;
    return put_scaled(buffer, negative, first, (size_t)(digits + sizeof digits - first),
                      (size_t)scale, error);
}

/*
 * The digits of a JSON number from the first to the last that is not 0, and the last one's
 * exponent. The value is digits * 10^exponent:
 *
 *     120.50e3   text 120.5, count 4, exponent 2        1205 * 10^2
 *     0.007      text 7, count 1, exponent -3
 *     0.0        no text, count 0
 */
typedef struct digit_run {
    const char *text; /* digits and maybe a point */
    size_t size;
    int64_t count;    /* digits in `text`, the point not counted */
    int64_t exponent; /* power of ten of the last digit */
} digit_run;

/*
 * Reads an exponent with or without sign. Stops at 10^9 or more: that is beyond every precision, in
 * either direction, and sums with the length of a text stay within an int64_t.
 */
static int64_t parse_exponent(const char *text, const char *end) {
    const int64_t far = 1000000000;
    bool negative = *text == '-';
    int64_t exponent = 0;
    for (text += *text == '-' || *text == '+'; text < end && exponent < far; text++)
        exponent = exponent * 10 + (*text - '0');
    return negative ? -exponent : exponent;
}

/*
 * Finds the digits that count in a JSON number without its sign. The text was checked by the
 * tokens, so it has digits, at most one point and at most one exponent with digits.
 */
static digit_run decimal_find_digits(const char *text, const char *end) {
    digit_run run = {text, 0, 0, 0};
    bool fraction = false;
    const char *c = text;
    for (; c < end && *c != 'e' && *c != 'E'; c++) {
        if (*c == '.') {
            fraction = true;
            continue;
        }
        /* Each digit after the point divides by ten, whether it counts or not. */
        run.exponent -= fraction;
        if (run.count == 0)
            run.text = c;
        run.count += run.count > 0 || *c != '0';
    }
    run.size = run.count > 0 ? (size_t)(c - run.text) : 0;
    if (c < end)
        run.exponent += parse_exponent(c + 1, end);
    /* Zeros at the end do not count either. Each raises the exponent of the digit before it. */
    for (; run.size > 0; run.size--) {
        char last = run.text[run.size - 1];
        if (last != '0' && last != '.')
            break;
        run.count -= last == '0';
        run.exponent += last == '0';
    }
    return run;
}

/* Computes limbs * factor + addend in place; returns the new number of limbs, one more at most. */
static size_t multiply_add(uint32_t *limbs, size_t count, uint32_t factor, uint32_t addend) {
    uint64_t carry = addend;
    for (size_t i = 0; i < count; i++) {
        carry += (uint64_t)limbs[i] * factor;
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0)
        limbs[count++] = (uint32_t)carry;
    return count;
}

/*
 * Appends the limbs as big-endian two's complement of the fewest bytes. `limbs` has room for one
 * more: a limb of sign bits, so that a set top bit is not taken for a sign. Then every top byte
 * goes that the sign bit of the next one repeats:
 *
 *     255   00 00 00 00 00 00 00 FF  ->  00 FF
 *     -1    FF FF FF FF FF FF FF FF  ->  FF
 */
static lam_status put_limbs(lam_buffer *buffer, uint32_t *limbs, size_t count, bool negative,
                            lam_error *error) {
    limbs[count++] = 0;
    if (negative) {
        uint64_t carry = 1;
        for (size_t i = 0; i < count; i++) {
            carry += (uint32_t)~limbs[i];
            limbs[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    size_t size = count * 4;
    uint8_t sign = negative ? 0xFF : 0;
    while (size > 1) {
        uint8_t top = (uint8_t)(limbs[(size - 1) / 4] >> 8 * ((size - 1) % 4));
        uint8_t next = (uint8_t)(limbs[(size - 2) / 4] >> 8 * ((size - 2) % 4));
        if (top != sign || next >> 7 != sign >> 7)
            break;
        size--;
    }
    LAM_TRY(lam_buffer_reserve(buffer, size, error));
    for (size_t i = size; i > 0; i--)
        buffer->data[buffer->size++] = (uint8_t)(limbs[(i - 1) / 4] >> 8 * ((i - 1) % 4));
    return LAM_STATUS_OK;
}

lam_status lam_decimal_parse(const char *text, size_t size, int32_t precision, int32_t scale,
                             lam_buffer *buffer, lam_error *error) {
    bool negative = text[0] == '-';
    digit_run run = decimal_find_digits(text + negative, text + size);
    int64_t zeros = run.count == 0 ? 0 : run.exponent + scale; /* after the last digit */
    if (zeros < 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "expected at most %d digits after the point",
                 (int)scale);
    /* Checked before any arithmetic: an exponent such as 1e999999999 must not cost time or room. */
    if (run.count + zeros > precision)
        LAM_FAIL(error, LAM_STATUS_INVALID, "expected a decimal of at most %d digits",
                 (int)precision);
    if (run.count + zeros > DECIMAL_DIGITS_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_NUMBER_LIMIT, "a decimal has more than %d digits",
                 DECIMAL_DIGITS_MAX);
    /* A limb or more above the digits, for the sign. */
    uint32_t limbs[DECIMAL_LIMBS_MAX + 2];
    size_t count = 0;
    for (size_t i = 0; i < run.size; i++)
        if (run.text[i] != '.')
            count = multiply_add(limbs, count, 10, (uint32_t)(run.text[i] - '0'));
    for (; zeros >= 9; zeros -= 9)
        count = multiply_add(limbs, count, BILLION, 0);
    for (; zeros > 0; zeros--)
        count = multiply_add(limbs, count, 10, 0);
    return put_limbs(buffer, limbs, count, negative && count > 0, error);
}
