/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of JSON without loss: integers, decimals of up to 38 digits, doubles, and none of them.
 */
#include "json/parse/json_number.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "variant/value/variant_decimal.h"

static lam_variant_scalar read(const char *text, bool exact) {
    lam_variant_scalar number;
    /* a block of its own, so that a sanitizer sees a step beyond the text */
    size_t size = strlen(text);
    char *block = malloc(size);
    memcpy(block, text, size);
    cr_expect_eq(lam_json_number_read(block, size, &number), exact, "%s", text);
    free(block);
    return number;
}

static void expect_integer(const char *text, int64_t expected) {
    lam_variant_scalar number = read(text, true);
    cr_expect_eq(number.kind, LAM_VARIANT_INT64, "%s", text);
    cr_expect_eq(number.as.integer, expected, "%s: %lld", text, (long long)number.as.integer);
}

static void expect_decimal(const char *text, int64_t high, uint64_t low, unsigned scale) {
    lam_variant_scalar number = read(text, true);
    cr_assert_eq(number.kind, LAM_VARIANT_DECIMAL16, "%s", text);
    cr_expect_eq(number.as.decimal.high, high, "%s", text);
    cr_expect_eq(number.as.decimal.low, low, "%s: %llu", text,
                 (unsigned long long)number.as.decimal.low);
    cr_expect_eq(number.as.decimal.scale, scale, "%s", text);
}

static void expect_double(const char *text, double expected) {
    lam_variant_scalar number = read(text, true);
    cr_assert_eq(number.kind, LAM_VARIANT_DOUBLE, "%s", text);
    cr_expect_eq(memcmp(&number.as.float64, &expected, sizeof expected), 0, "%s: %g", text,
                 number.as.float64);
}

Test(json_number, numbers_without_fraction_are_integers) {
    expect_integer("0", 0);
    expect_integer("-0", 0);
    expect_integer("17", 17);
    expect_integer("-9223372036854775808", INT64_MIN);
    expect_integer("9223372036854775807", INT64_MAX);
    expect_integer("1e3", 1000);
    expect_integer("1E+3", 1000);
    expect_integer("15.0e1", 150);
    expect_integer("1.5e1", 15);
    expect_integer("-1.5e1", -15);
    expect_integer("922337203685477580.7e1", INT64_MAX);
    expect_integer("0.00000000000000000000000000000000000001e38", 1);
    expect_integer("0e99999999999", 0);
    expect_integer("0e-99999999999", 0);
}

Test(json_number, numbers_beyond_int64_are_decimals_of_up_to_38_digits) {
    expect_decimal("9223372036854775808", 0, UINT64_C(1) << 63, 0);
    expect_decimal("-9223372036854775809", -1, (UINT64_C(1) << 63) - 1, 0);
    expect_decimal("18446744073709551616", 1, 0, 0);
    expect_decimal("99999999999999999999999999999999999999", 0x4B3B4CA85A86C47A, 0x098A223FFFFFFFFF,
                   0); /* 10^38 - 1 */
    expect_decimal("-99999999999999999999999999999999999999", -0x4B3B4CA85A86C47B,
                   0xF675DDC000000001, 0);
    expect_decimal("1e37", 0x785EE10D5DA46D9, 0x00F436A000000000, 0);
}

Test(json_number, numbers_with_a_point_keep_the_digits_behind_it) {
    expect_decimal("1.5", 0, 15, 1);
    expect_decimal("1.50", 0, 150, 2);
    expect_decimal("-0.05", -1, UINT64_MAX - 4, 2);
    expect_decimal("1.0", 0, 10, 1);
    expect_decimal("0.0", 0, 0, 1);
    expect_decimal("0.000", 0, 0, 3);
    expect_decimal("15e-1", 0, 15, 1);
    expect_decimal("1e-3", 0, 1, 3);
    expect_decimal("1.50e-3", 0, 150, 5);
    expect_decimal("123.456e1", 0, 123456, 2);
    expect_decimal("0.00000000000000000000000000000000000001", 0, 1, 38);
    expect_decimal("0.30000000000000004", 0, 30000000000000004, 17);
}

/* A zero at the end is no digit that must be kept where there is no room for it. */
Test(json_number, zeros_that_there_is_no_room_for_are_dropped) {
    expect_decimal("0.100000000000000000000000000000000000000000", 0x785EE10D5DA46D9,
                   0x00F436A000000000, 38);
    expect_decimal("1.0000000000000000000000000000000000000000", 0x785EE10D5DA46D9,
                   0x00F436A000000000, 37);
    lam_variant_scalar cut = read("1230000000000000000000.00000000000000000", true);
    lam_variant_scalar whole = read("1230000000000000000000.0000000000000000", true);
    cr_expect_eq(cut.as.decimal.scale, 16);
    cr_expect_eq(cut.as.decimal.low, whole.as.decimal.low);
    cr_expect_eq(cut.as.decimal.high, whole.as.decimal.high);
}

Test(json_number, what_no_decimal_holds_is_a_double_that_tells_it) {
    expect_double("-0.0", -0.0);
    expect_double("-0.000", -0.0);
    expect_double("1e38", 1e38);
    expect_double("1e300", 1e300);
    expect_double("1E+300", 1e300);
    expect_double("1.7976931348623157e308", 1.7976931348623157e308);
    expect_double("5e-324", 5e-324);
    expect_double("1e-39", 1e-39);
    expect_double("-2.5e-40", -2.5e-40);
    expect_double("100000000000000000000000000000000000000000", 1e41);
    expect_double("1.25e40", 1.25e40);
}

Test(json_number, what_nothing_holds_is_no_exact_number) {
    static const char *const texts[] = {"123456789012345678901234567890123456789",
                                        "0.123456789012345678901234567890123456789",
                                        "1.79769313486231571e308",
                                        "4e-324",
                                        "1.0000000000000000000000000000000000000001",
                                        "1e-400",
                                        "-123456789012345678901234567890123456789e-50",
                                        "3e-324"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lam_variant_scalar number = read(texts[i], false);
        cr_expect_eq(number.kind, LAM_VARIANT_DOUBLE, "%s", texts[i]);
        cr_expect_eq(number.as.float64, strtod(texts[i], NULL), "%s", texts[i]);
    }
    cr_expect_eq(read("1e400", false).kind, LAM_VARIANT_UNKNOWN);
    cr_expect_eq(read("-1e99999999999999", false).kind, LAM_VARIANT_UNKNOWN);
}

/* Digits and exponents at random: what is read has the value of the text. */
Test(json_number, random_numbers_have_their_value) {
    uint64_t seed = lam_test_seed(2027);
    lam_random random = lam_random_start(seed);
    size_t decimals = 0;
    for (unsigned round = 0; round < 50000; round++) {
        char text[80];
        unsigned digits = 1 + (unsigned)lam_random_below(&random, 38);
        unsigned point = (unsigned)lam_random_below(&random, digits + 1); /* digits before it */
        size_t at = 0;
        bool negative = lam_random_chance(&random, 50);
        if (negative)
            text[at++] = '-';
        if (point == 0)
            text[at++] = '0';
        lam_wide expected = {0, 0};
        for (unsigned i = 0; i < digits; i++) {
            unsigned digit = (unsigned)lam_random_below(&random, 10);
            if (i == 0 && point > 0)
                digit = 1 + digit % 9;
            if (i == point)
                text[at++] = '.';
            text[at++] = (char)('0' + digit);
            expected = lam_wide_multiply_add(expected, 10, digit);
        }
        text[at] = '\0';
        lam_variant_scalar number;
        bool exact = lam_json_number_read(text, at, &number);
        cr_assert(exact, "seed %llu: %s", (unsigned long long)seed, text);
        if (number.kind == LAM_VARIANT_DOUBLE) {
            cr_assert(negative && number.as.float64 == 0 && signbit(number.as.float64), "%s", text);
            continue;
        }
        if (negative)
            expected = lam_wide_negate(expected);
        if (number.kind == LAM_VARIANT_INT64) {
            cr_assert_eq(point, digits, "%s", text);
            cr_assert_eq(number.as.integer, (int64_t)expected.low, "%s", text);
            continue;
        }
        decimals++;
        cr_assert_eq(number.as.decimal.scale, digits - point, "seed %llu: %s",
                     (unsigned long long)seed, text);
        cr_assert_eq(number.as.decimal.low, expected.low, "seed %llu: %s", (unsigned long long)seed,
                     text);
        cr_assert_eq(number.as.decimal.high, (int64_t)expected.high, "seed %llu: %s",
                     (unsigned long long)seed, text);
    }
    cr_expect_gt(decimals, 30000);
}

Test(json_number, a_double_is_one_that_prints_as_the_same_text) {
    static const char *const same[] = {"1.5",
                                       "0.1",
                                       "-0.0",
                                       "5.25",
                                       "0.30000000000000004",
                                       "100.0",
                                       "0.00001",
                                       "123456789012345.6"};
    static const char *const other[] = {"1",
                                        "1.50",
                                        "1e3",
                                        "1.5e1",
                                        "0.300000000000000040",
                                        "1e22",
                                        "0.000001",
                                        "1234567890123456.5",
                                        "00.5",
                                        "1.5E1",
                                        "0.30000000000000005",
                                        "0.1000000000000000000000000000000000000001",
                                        "0"};
    double value;
    float narrow;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        cr_expect(lam_json_number_is_double(same[i], strlen(same[i]), &value), "%s", same[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        cr_expect_not(lam_json_number_is_double(other[i], strlen(other[i]), &value), "%s",
                      other[i]);
    cr_expect(lam_json_number_is_float("10.11", 5, &narrow));
    cr_expect_eq(narrow, 10.11f);
    cr_expect_not(lam_json_number_is_float("0.30000000000000004", 19, &narrow));
    cr_expect_not(lam_json_number_is_float("1.10", 4, &narrow));
    cr_expect_not(lam_json_number_is_float("0.33333335", 10, &narrow));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        cr_expect_not(lam_json_number_is_float(other[i], strlen(other[i]), &narrow), "%s",
                      other[i]);
}

/* The nearest double has as many digits, but at another power of ten. */
Test(json_number, a_number_next_to_zero_is_no_other_one) {
    lam_variant_scalar number;
    cr_expect_not(lam_json_number_read("9e-324", 6, &number));
    cr_expect_eq(number.kind, LAM_VARIANT_DOUBLE);
    cr_expect(lam_json_number_read("1e-323", 6, &number));
    cr_expect_eq(number.kind, LAM_VARIANT_DOUBLE);
}

Test(json_number, a_negative_zero_without_a_point_is_an_integer) {
    lam_variant_scalar number;
    cr_expect(lam_json_number_read("-0e1", 4, &number));
    cr_expect_eq(number.kind, LAM_VARIANT_INT64);
    cr_expect_eq(number.as.integer, 0);
}
