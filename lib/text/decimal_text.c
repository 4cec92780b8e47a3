#include "text/decimal_text.h"

#include "base/error.h"
#include "text/number_text.h"

enum {
    DECIMAL_LIMBS_MAX = LAM_DECIMAL_BYTES_MAX / 4 + 1, /* one more for the carry of -2^n */
    DECIMAL_DIGITS_MAX = 9864,                         /* of 2^(8 * LAM_DECIMAL_BYTES_MAX - 1) */
    DIGITS_ROOM = DECIMAL_DIGITS_MAX + 9               /* nine at a time */
};

static const uint32_t BILLION = 1000000000;

/* Appends a sign, the digits without leading zeros, and the point `scale` digits from the end. */
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
    if (scale > 0) {
        memmove(out - scale + 1, out - scale, scale);
        *(out - scale) = '.';
        out++;
    }
    buffer->size = (size_t)(out - (char *)buffer->data);
    return LAM_STATUS_OK;
}

lam_status lam_decimal_print_int64(lam_buffer *buffer, int64_t unscaled, int32_t scale,
                                   lam_error *error) {
    char digits[LAM_NUMBER_TEXT_MAX];
    uint64_t size = unscaled < 0 ? 0 - (uint64_t)unscaled : (uint64_t)unscaled;
    size_t count = size == 0 ? 0 : lam_uint64_print(size, digits);
    return put_scaled(buffer, unscaled < 0, digits, count, (size_t)scale, error);
}

/* The absolute value of a big-endian number as limbs of 32 bits, lowest first. */
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
    while (count > 0 && limbs[count - 1] == 0)
        count--;
    return count;
}

/* Divides by a billion in place; gives the rest. */
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
    bool negative = unscaled.size > 0 && unscaled.data[0] >= 0x80;
    while (unscaled.size > 1 && unscaled.data[0] == (negative ? 0xFF : 0) &&
           unscaled.data[1] >> 7 == negative) {
        unscaled.data++;
        unscaled.size--;
    }
    if (unscaled.size > LAM_DECIMAL_BYTES_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_NUMBER_LIMIT, "a decimal of %zu bytes is longer than %d",
                 unscaled.size, LAM_DECIMAL_BYTES_MAX);
    uint32_t limbs[DECIMAL_LIMBS_MAX];
    char digits[DIGITS_ROOM];
    char *first = digits + sizeof digits;
    size_t count = load_limbs(unscaled, negative, limbs);
    while (count > 0) {
        uint32_t nine = divide_limbs(limbs, &count);
        for (int i = 0; i < 9; i++, nine /= 10)
            *--first = (char)('0' + nine % 10);
    }
    while (first < digits + sizeof digits && *first == '0')
        first++;
    return put_scaled(buffer, negative, first, (size_t)(digits + sizeof digits - first),
                      (size_t)scale, error);
}

/* The digits of a JSON number that count, without leading zeros, and where its point is. */
typedef struct digit_run {
    const char *text; /* digits and maybe a point */
    size_t size;
    int64_t count;    /* digits */
    int64_t exponent; /* of the last digit */
} digit_run;

static int64_t parse_exponent(const char *text, const char *end) {
    const int64_t far = 1000000000;
    bool negative = *text == '-';
    int64_t exponent = 0;
    for (text += *text == '-' || *text == '+'; text < end && exponent < far; text++)
        exponent = exponent * 10 + (*text - '0');
    return negative ? -exponent : exponent;
}

static digit_run decimal_find_digits(const char *text, const char *end) {
    digit_run run = {text, 0, 0, 0};
    bool fraction = false;
    const char *c = text;
    for (; c < end && *c != 'e' && *c != 'E'; c++) {
        if (*c == '.') {
            fraction = true;
            continue;
        }
        run.exponent -= fraction;
        if (run.count == 0)
            run.text = c;
        run.count += run.count > 0 || *c != '0';
    }
    run.size = run.count > 0 ? (size_t)(c - run.text) : 0;
    if (c < end)
        run.exponent += parse_exponent(c + 1, end);
    for (; run.size > 0; run.size--) { /* zeros at the end do not count either */
        char last = run.text[run.size - 1];
        if (last != '0' && last != '.')
            break;
        run.count -= last == '0';
        run.exponent += last == '0';
    }
    return run;
}

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

/* Appends the limbs as two's complement of the fewest bytes, highest first. */
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
    int64_t zeros = run.count == 0 ? 0 : run.exponent + scale; /* behind the last digit */
    if (zeros < 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "expected at most %d digits after the point",
                 (int)scale);
    if (run.count + zeros > precision)
        LAM_FAIL(error, LAM_STATUS_INVALID, "expected a decimal of at most %d digits",
                 (int)precision);
    if (run.count + zeros > DECIMAL_DIGITS_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_NUMBER_LIMIT, "a decimal has more than %d digits",
                 DECIMAL_DIGITS_MAX);
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
