/* SPDX-License-Identifier: Apache-2.0 */
/* What a logical type allows of a value, to its bounds. */
#include "record/value_rules.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "schema/tree.h"

/* A leaf on its own: the rules look at nothing else. */
static lam_field leaf(lam_physical_type type, lam_logical_kind kind, int32_t type_length) {
    static lam_field root;
    static lam_schema schema;
    memset(&root, 0, sizeof root);
    root.physical_type = LAM_PHYSICAL_GROUP;
    schema.fields = &root;
    lam_field field = {0};
    field.schema = &schema;
    field.name = "x";
    field.name_size = 1;
    field.index = 1;
    field.depth = 1;
    field.leaf_count = 1;
    field.physical_type = (uint8_t)type;
    field.type_length = type_length;
    field.logical_type.kind = kind;
    return field;
}

static bool takes_bytes(lam_field field, const void *bytes, size_t size) {
    lam_value value = {.bytes = {bytes, size}};
    lam_error error = lam_error_none();
    lam_status status = lam_value_check(&field, &value, &error);
    cr_assert_eq(error.status, status);
    cr_assert(status == LAM_STATUS_OK || strncmp(error.message, "x: ", 3) == 0);
    return status == LAM_STATUS_OK;
}

static bool takes_32(lam_field field, int32_t number) {
    lam_value value = {.int32 = number};
    return lam_value_check(&field, &value, NULL) == LAM_STATUS_OK;
}

static bool takes_64(lam_field field, int64_t number) {
    lam_value value = {.int64 = number};
    return lam_value_check(&field, &value, NULL) == LAM_STATUS_OK;
}

Test(value_rules, text_is_utf_8) {
    static const lam_logical_kind kinds[] = {LAM_LOGICAL_STRING, LAM_LOGICAL_ENUM,
                                             LAM_LOGICAL_JSON};
    for (size_t i = 0; i < 3; i++) {
        lam_field text = leaf(LAM_PHYSICAL_BYTE_ARRAY, kinds[i], 0);
        cr_assert(takes_bytes(text, "", 0));
        cr_assert(takes_bytes(text, NULL, 0));
        cr_assert(takes_bytes(text, "\xE4\xB8\x8A", 3));
        cr_assert_not(takes_bytes(text, "\xE4\xB8", 2));
    }
    lam_field bytes = leaf(LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_NONE, 0);
    cr_assert(takes_bytes(bytes, "\xFF", 1));
    lam_field bson = leaf(LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_BSON, 0);
    cr_assert(takes_bytes(bson, "\xFF", 1));
}

static lam_field integer(int8_t width, bool is_signed) {
    lam_field field =
        leaf(width == 64 ? LAM_PHYSICAL_INT64 : LAM_PHYSICAL_INT32, LAM_LOGICAL_INTEGER, 0);
    field.logical_type.bit_width = width;
    field.logical_type.is_signed = is_signed;
    return field;
}

Test(value_rules, an_integer_fits_its_width) {
    cr_assert(takes_32(integer(8, true), -128) && takes_32(integer(8, true), 127));
    cr_assert(!takes_32(integer(8, true), -129) && !takes_32(integer(8, true), 128));
    cr_assert(takes_32(integer(8, false), 0) && takes_32(integer(8, false), 255));
    cr_assert(!takes_32(integer(8, false), -1) && !takes_32(integer(8, false), 256));
    cr_assert(takes_32(integer(16, true), -32768) && takes_32(integer(16, true), 32767));
    cr_assert(!takes_32(integer(16, true), -32769) && !takes_32(integer(16, true), 32768));
    cr_assert(takes_32(integer(16, false), 65535) && !takes_32(integer(16, false), 65536));
    cr_assert(!takes_32(integer(16, false), -1));
    cr_assert(takes_32(integer(32, true), INT32_MIN) && takes_32(integer(32, false), -1));
    cr_assert(takes_64(integer(64, true), INT64_MIN) && takes_64(integer(64, false), -1));
}

static lam_field time_in(lam_time_unit unit) {
    lam_field field = leaf(unit == LAM_TIME_UNIT_MILLIS ? LAM_PHYSICAL_INT32 : LAM_PHYSICAL_INT64,
                           LAM_LOGICAL_TIME, 0);
    field.logical_type.unit = unit;
    return field;
}

Test(value_rules, a_time_is_within_the_day) {
    cr_assert(takes_32(time_in(LAM_TIME_UNIT_MILLIS), 0));
    cr_assert(takes_32(time_in(LAM_TIME_UNIT_MILLIS), 86399999));
    cr_assert_not(takes_32(time_in(LAM_TIME_UNIT_MILLIS), 86400000));
    cr_assert_not(takes_32(time_in(LAM_TIME_UNIT_MILLIS), -1));
    cr_assert(takes_64(time_in(LAM_TIME_UNIT_MICROS), INT64_C(86399999999)));
    cr_assert_not(takes_64(time_in(LAM_TIME_UNIT_MICROS), INT64_C(86400000000)));
    cr_assert(takes_64(time_in(LAM_TIME_UNIT_NANOS), INT64_C(86399999999999)));
    cr_assert_not(takes_64(time_in(LAM_TIME_UNIT_NANOS), INT64_C(86400000000000)));
}

Test(value_rules, dates_and_timestamps_are_any_number) {
    cr_assert(takes_32(leaf(LAM_PHYSICAL_INT32, LAM_LOGICAL_DATE, 0), INT32_MIN));
    cr_assert(takes_64(leaf(LAM_PHYSICAL_INT64, LAM_LOGICAL_TIMESTAMP, 0), INT64_MIN));
}

Test(value_rules, a_fixed_value_has_its_length) {
    static const uint8_t zeros[20];
    cr_assert(
        takes_bytes(leaf(LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, LAM_LOGICAL_UUID, 16), zeros, 16));
    cr_assert_not(
        takes_bytes(leaf(LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, LAM_LOGICAL_UUID, 16), zeros, 15));
    cr_assert_not(
        takes_bytes(leaf(LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, LAM_LOGICAL_FLOAT16, 2), zeros, 4));
    cr_assert_not(
        takes_bytes(leaf(LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, LAM_LOGICAL_INTERVAL, 12), zeros, 13));
    cr_assert(takes_bytes(leaf(LAM_PHYSICAL_INT96, LAM_LOGICAL_NONE, 12), zeros, 12));
    cr_assert_not(takes_bytes(leaf(LAM_PHYSICAL_INT96, LAM_LOGICAL_NONE, 12), zeros, 0));
}

Test(value_rules, unknown_has_nulls_only) {
    cr_assert_not(takes_32(leaf(LAM_PHYSICAL_INT32, LAM_LOGICAL_UNKNOWN, 0), 0));
}

/* --- Decimals -------------------------------------------------------------------------------- */

static lam_field decimal(lam_physical_type type, int32_t precision, int32_t type_length) {
    lam_field field = leaf(type, LAM_LOGICAL_DECIMAL, type_length);
    field.logical_type.precision = precision;
    return field;
}

Test(value_rules, a_decimal_number_has_its_digits) {
    cr_assert(takes_32(decimal(LAM_PHYSICAL_INT32, 4, 0), 9999));
    cr_assert(takes_32(decimal(LAM_PHYSICAL_INT32, 4, 0), -9999));
    cr_assert_not(takes_32(decimal(LAM_PHYSICAL_INT32, 4, 0), 10000));
    cr_assert_not(takes_32(decimal(LAM_PHYSICAL_INT32, 4, 0), -10000));
    cr_assert_not(takes_32(decimal(LAM_PHYSICAL_INT32, 9, 0), INT32_MIN));
    cr_assert(takes_64(decimal(LAM_PHYSICAL_INT64, 18, 0), INT64_C(999999999999999999)));
    cr_assert_not(takes_64(decimal(LAM_PHYSICAL_INT64, 18, 0), INT64_C(1000000000000000000)));
    cr_assert_not(takes_64(decimal(LAM_PHYSICAL_INT64, 18, 0), INT64_MIN));
    cr_assert(takes_64(decimal(LAM_PHYSICAL_INT64, 19, 0), INT64_MIN));
    cr_assert(takes_64(decimal(LAM_PHYSICAL_INT64, 20, 0), INT64_MIN)); /* more than 64 bits have */
}

/* A number of up to 400 bytes, big-endian two's complement, and what tests need to do to it. */
enum { WIDE = 400 };

static void multiply_and_add(uint8_t *number, unsigned factor, unsigned addend) {
    unsigned carry = addend;
    for (size_t i = WIDE; i-- > 0;) {
        carry += number[i] * factor;
        number[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

static void negate(uint8_t *number) {
    for (size_t i = 0; i < WIDE; i++)
        number[i] = (uint8_t)~number[i];
    multiply_and_add(number, 1, 1);
}

/* The fewest bytes that keep the sign. */
static lam_bytes shortest(const uint8_t *number) {
    size_t at = 0;
    while (at + 1 < WIDE && (number[at] == 0 || number[at] == 0xFF) &&
           (number[at] ^ number[at + 1]) < 0x80)
        at++;
    lam_bytes bytes = {number + at, WIDE - at};
    return bytes;
}

static void check_bounds(int32_t precision) {
    uint8_t most[WIDE] = {0};
    for (int32_t i = 0; i < precision; i++)
        multiply_and_add(most, 10, 9);
    uint8_t beyond[WIDE];
    memcpy(beyond, most, WIDE);
    multiply_and_add(beyond, 1, 1);
    lam_field number = decimal(LAM_PHYSICAL_BYTE_ARRAY, precision, 0);
    lam_field fixed = decimal(LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, precision, WIDE);
    for (int sign = 0; sign < 2; sign++) {
        cr_assert(takes_bytes(number, shortest(most).data, shortest(most).size), "%d", precision);
        cr_assert(takes_bytes(fixed, most, WIDE), "%d", precision);
        cr_assert_not(takes_bytes(number, shortest(beyond).data, shortest(beyond).size), "%d",
                      precision);
        cr_assert_not(takes_bytes(fixed, beyond, WIDE), "%d", precision);
        negate(most);
        negate(beyond);
    }
}

Test(value_rules, a_decimal_of_bytes_has_its_digits) {
    for (int32_t precision = 1; precision <= 300; precision++)
        check_bounds(precision);
}

/* 10^320 lies between 2^1063 and 2^1064; of more than 300 digits only the bits are counted. */
Test(value_rules, a_very_long_decimal_near_the_bound_passes) {
    uint8_t number[1 + 1072 / 8] = {0, 0x80};
    cr_assert(takes_bytes(decimal(LAM_PHYSICAL_BYTE_ARRAY, 320, 0), number, 1 + 1064 / 8));
    cr_assert_not(takes_bytes(decimal(LAM_PHYSICAL_BYTE_ARRAY, 320, 0), number, sizeof number));
}

Test(value_rules, powers_of_two_around_the_bounds_are_judged_right) {
    /* 128 has three digits, and -128 is one byte. */
    cr_assert(takes_bytes(decimal(LAM_PHYSICAL_BYTE_ARRAY, 3, 0), "\x80", 1));
    cr_assert_not(takes_bytes(decimal(LAM_PHYSICAL_BYTE_ARRAY, 2, 0), "\x80", 1));
    cr_assert(takes_bytes(decimal(LAM_PHYSICAL_BYTE_ARRAY, 1, 0), "\xFF\xF8", 2));
    cr_assert_not(takes_bytes(decimal(LAM_PHYSICAL_BYTE_ARRAY, 1, 0), "\xFF\xF6", 2));
    cr_assert(takes_bytes(decimal(LAM_PHYSICAL_BYTE_ARRAY, 1, 0), "\xFF", 1));
    cr_assert(takes_bytes(decimal(LAM_PHYSICAL_BYTE_ARRAY, 1, 0), "\0", 1));
}

Test(value_rules, a_decimal_has_bytes) {
    cr_assert_not(takes_bytes(decimal(LAM_PHYSICAL_BYTE_ARRAY, 5, 0), "", 0));
}
