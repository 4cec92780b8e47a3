/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks values against their logical types, as LogicalTypes.md defines them: a value that must not
 * be written is INVALID, with the leaf's path and the rule that it breaks.
 *
 * Only rules on which a reader may rely are ever checked: UTF-8, the range of small integers, the
 * time of day, the digits of a DECIMAL, the length of bytes, and that UNKNOWN has nulls alone. All
 * other logical types allow every value of their physical type (a DATE may be any int32).
 */
#include "record/value_rules.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "base/wrap.h"
#include "schema/leaf_error.h"
#include "schema/tree.h"
#include "text/digits.h"

/* LogicalTypes.md, sections "STRING", "ENUM", "JSON": the bytes are UTF-8. */
static lam_status value_rules_check_text(const lam_field *leaf, lam_bytes text, lam_error *error) {
    size_t good = lam_utf8_prefix(text.data, text.size);
    if (good < text.size)
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_VALUE_UTF8, leaf,
                              "byte %zu of %zu is not UTF-8 (0x%02X)", good, text.size,
                              text.data[good]);
    return LAM_STATUS_OK;
}

/* Sections "Signed Integers", "Unsigned Integers": 8 and 16 bits are stored as an int32. */
static lam_status check_integer(const lam_field *leaf, int32_t number, lam_error *error) {
    int width = leaf->logical_type.bit_width;
    if (width >= 32)
        return LAM_STATUS_OK;
    bool is_signed = leaf->logical_type.is_signed;
    int32_t least = is_signed ? -(INT32_C(1) << (width - 1)) : 0;
    int32_t most = (INT32_C(1) << (is_signed ? width - 1 : width)) - 1;
    if (number < least || number > most)
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_VALUE_RANGE, leaf,
                              "%" PRId32 " is outside of %" PRId32 " to %" PRId32, number, least,
                              most);
    return LAM_STATUS_OK;
}

/* Section "TIME": units since midnight, fewer than a day has. */
static lam_status check_time(const lam_field *leaf, int64_t time, lam_error *error) {
    int64_t day = INT64_C(86400000);
    if (leaf->logical_type.unit == LAM_TIME_UNIT_MICROS)
        day *= 1000;
    else if (leaf->logical_type.unit == LAM_TIME_UNIT_NANOS)
        day *= 1000000;
    if (time < 0 || time >= day)
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_VALUE_RANGE, leaf,
                              "%" PRId64 " is outside of the day, 0 to %" PRId64, time, day - 1);
    return LAM_STATUS_OK;
}

/* --- DECIMAL: the unscaled value is less than 10^precision ----------------------------------- */

/* The failure of a DECIMAL: section "DECIMAL" bounds the digits by the precision. */
static lam_status too_many_digits(const lam_field *leaf, lam_error *error) {
    return lam_field_fail(error, LAM_ERROR_CODE_RECORD_VALUE_RANGE, leaf,
                          "decimal of more than %" PRId32 " digits", leaf->logical_type.precision);
}

static lam_status check_decimal_number(const lam_field *leaf, int64_t number, lam_error *error) {
    return lam_digits_count(lam_magnitude(number)) <= (size_t)leaf->logical_type.precision
               ? LAM_STATUS_OK
               : too_many_digits(leaf, error);
}

/*
 * A longer magnitude, of more than 300 digits, is measured by its number of bits alone: the few
 * values between the two bounds of check_decimal_bytes then pass.
 */
enum { EXACT_BYTES = 128 };

/*
 * True when the magnitude, big-endian, is below 10^precision: divides it in place by 10^precision,
 * and checks that 0 is left. Divides by 10^9 at a time, in 32-bit limbs, the most significant
 * first.
 */
static bool value_rules_is_below(const uint8_t *magnitude, size_t size, int32_t precision) {
    uint32_t limbs[EXACT_BYTES / 4] = {0};
    size_t limb_count = (size + 3) / 4;
    for (size_t i = 0; i < size; i++) {
        size_t from_end = size - 1 - i;
        limbs[limb_count - 1 - from_end / 4] |= (uint32_t)magnitude[i] << 8 * (from_end % 4);
    }
    while (precision > 0) {
        uint32_t divisor = 1;
        for (int i = 0; i < 9 && precision > 0; i++, precision--)
            divisor *= 10;
        uint64_t rest = 0;
        for (size_t i = 0; i < limb_count; i++) {
            rest = rest << 32 | limbs[i];
            limbs[i] = (uint32_t)(rest / divisor);
            rest %= divisor;
        }
    }
    for (size_t i = 0; i < limb_count; i++)
        if (limbs[i] != 0)
            return false;
    return true;
}

/*
 * Bits of the magnitude of a big-endian two's-complement number: 00 80 has 8, FF 7F (-129) has 8.
 * Of -2^n it gives n, one less than the magnitude has.
 */
static uint64_t bit_count(lam_bytes number) {
    uint8_t sign = number.data[0] >> 7 ? 0xFF : 0;
    size_t at = 0;
    while (at < number.size && number.data[at] == sign)
        at++;
    if (at == number.size)
        return sign ? 1 : 0;
    uint64_t bits = (uint64_t)(number.size - at) * 8;
    for (uint8_t top = number.data[at] ^ sign; top < 0x80; top = (uint8_t)(top << 1 | 1))
        bits--;
    return bits;
}

/*
 * BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY: big-endian two's complement of any length. The number of
 * bits decides nearly all values; the exact division is left for those close to 10^precision.
 */
static lam_status check_decimal_bytes(const lam_field *leaf, lam_bytes number, lam_error *error) {
    if (number.size == 0)
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_VALUE_RANGE, leaf,
                              "decimal without bytes");
    int32_t precision = leaf->logical_type.precision;
    uint64_t bits = bit_count(number);
    /*
     * log2(10) is 3.321928094...: 2^always_fit is not above 10^precision, and 2^(never_fit - 1) is
     * not below it. Only numbers between the two bounds need the exact comparison.
     */
    uint64_t always_fit = (uint64_t)precision * 332192809 / 100000000;
    uint64_t never_fit = (uint64_t)precision * 332192810 / 100000000 + 2;
    if (bits <= always_fit)
        return LAM_STATUS_OK;
    if (bits >= never_fit)
        return too_many_digits(leaf, error);
    size_t size = (size_t)(bits / 8 + 1);
    if (size > EXACT_BYTES)
        return LAM_STATUS_OK;
    /* -x is ~x + 1, from the last byte on. */
    uint8_t magnitude[EXACT_BYTES];
    unsigned flip = number.data[0] >> 7 ? 0xFF : 0;
    unsigned carry = flip & 1;
    for (size_t i = 0; i < size; i++) {
        unsigned byte = (number.data[number.size - 1 - i] ^ flip) + carry;
        magnitude[size - 1 - i] = (uint8_t)byte;
        carry = byte >> 8;
    }
    return value_rules_is_below(magnitude, size, precision) ? LAM_STATUS_OK
                                                            : too_many_digits(leaf, error);
}

static lam_status value_rules_check_decimal(const lam_field *leaf, const lam_value *value,
                                            lam_error *error) {
    if (leaf->physical_type == LAM_PHYSICAL_INT32)
        return check_decimal_number(leaf, value->int32, error);
    if (leaf->physical_type == LAM_PHYSICAL_INT64)
        return check_decimal_number(leaf, value->int64, error);
    return check_decimal_bytes(leaf, value->bytes, error);
}

/* --- All of them ----------------------------------------------------------------------------- */

/* UUID, FLOAT16 and INTERVAL need no more than this: the schema has fixed their length. */
lam_status lam_value_check_bytes(const lam_field *leaf, const lam_value *value, lam_error *error) {
    bool fixed = leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
                 leaf->physical_type == LAM_PHYSICAL_INT96;
    if (!fixed && leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
        return LAM_STATUS_OK;
    if (fixed && value->bytes.size != (size_t)leaf->type_length)
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_VALUE_SIZE, leaf,
                              "value of %zu bytes where each has %" PRId32, value->bytes.size,
                              leaf->type_length);
    if (value->bytes.data == NULL && value->bytes.size > 0)
        return lam_field_fail(error, LAM_STATUS_INVALID, leaf, "value of %zu bytes at NULL",
                              value->bytes.size);
    return LAM_STATUS_OK;
}

lam_status lam_value_check(const lam_field *leaf, const lam_value *value, lam_error *error) {
    LAM_TRY(lam_value_check_bytes(leaf, value, error));
    switch (leaf->logical_type.kind) {
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        return value_rules_check_text(leaf, value->bytes, error);
    case LAM_LOGICAL_DECIMAL:
        return value_rules_check_decimal(leaf, value, error);
    case LAM_LOGICAL_TIME:
        return check_time(
            leaf, leaf->physical_type == LAM_PHYSICAL_INT32 ? value->int32 : value->int64, error);
    case LAM_LOGICAL_INTEGER:
        return leaf->physical_type == LAM_PHYSICAL_INT32 ? check_integer(leaf, value->int32, error)
                                                         : LAM_STATUS_OK;
    case LAM_LOGICAL_UNKNOWN:
        return lam_field_fail(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, leaf,
                              "a value where only nulls may be");
    default: /* every value of the physical type will do */
        return LAM_STATUS_OK;
    }
}
