/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point numbers as the shortest text that reads back bit for bit. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/random.h"
#include "text/number_text.h"

static void expect_double(double value, const char *text) {
    char buffer[LAM_NUMBER_TEXT_MAX + 1];
    buffer[lam_double_print(value, buffer)] = '\0';
    cr_expect_str_eq(buffer, text);
}

Test(number_text, doubles_are_short_and_never_look_like_integers) {
    expect_double(0.1, "0.1");
    expect_double(1, "1.0");
    expect_double(-0.0, "-0.0");
    expect_double(1e14, "100000000000000.0");
    expect_double(1e15, "1e+15");
    expect_double(1e22, "1e+22");
    expect_double(0.00001, "0.00001");
    expect_double(9.9e-6, "9.9e-06");
    expect_double(5e-324, "5e-324");
    expect_double(1.7976931348623157e308, "1.7976931348623157e+308");
}

Test(number_text, random_doubles_and_floats_come_back_bit_for_bit) {
    lam_random random = lam_random_start(lam_test_seed(5));
    char buffer[LAM_NUMBER_TEXT_MAX];
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = lam_random_next(&random);
        double value, back;
        float small, small_back;
        memcpy(&value, &bits, sizeof value);
        memcpy(&small, &bits, sizeof small);
        if (isfinite(value)) {
            cr_assert(lam_double_parse(buffer, lam_double_print(value, buffer), &back));
            cr_assert_eq(memcmp(&value, &back, sizeof value), 0);
        }
        if (isfinite(small)) {
            cr_assert(lam_float_parse(buffer, lam_float_print(small, buffer), &small_back));
            cr_assert_eq(memcmp(&small, &small_back, sizeof small), 0);
        }
    }
}

Test(number_text, every_half_comes_back) {
    for (unsigned bits = 0; bits < 65536; bits++) {
        char buffer[LAM_NUMBER_TEXT_MAX];
        uint16_t back;
        if ((bits >> 10 & 31) == 31)
            continue;
        size_t size = lam_half_print((uint16_t)bits, buffer);
        cr_assert(lam_half_parse(buffer, size, &back));
        cr_assert_eq(back, bits, "%.*s", (int)size, buffer);
        cr_assert_leq(size, 12);
    }
}

static int half_of(const char *text) {
    uint16_t bits;
    return lam_half_parse(text, strlen(text), &bits) ? bits : -1;
}

Test(number_text, halves_round_to_even) {
    cr_expect_eq(half_of("1"), 0x3C00);
    cr_expect_eq(half_of("-2"), 0xC000);
    cr_expect_eq(half_of("65504"), 0x7BFF);
    cr_expect_eq(half_of("65519.99"), 0x7BFF);
    cr_expect_eq(half_of("65520"), -1);
    cr_expect_eq(half_of("2049"), 0x6800);
    cr_expect_eq(half_of("2051"), 0x6802);
    cr_expect_eq(half_of("1e-9"), 0);
    cr_expect_eq(half_of("-0.0"), 0x8000);
}

static bool parses(const char *text, double *ret_value) {
    return lam_double_parse(text, strlen(text), ret_value);
}

Test(number_text, too_large_is_refused_and_too_small_is_zero) {
    char zeros[800];
    double value = 7;
    cr_expect_not(parses("1e309", &value));
    cr_expect_not(parses("-1e999999999999999999999", &value));
    memset(zeros, '0', sizeof zeros);
    zeros[0] = '1';
    cr_expect_not(lam_double_parse(zeros, 400, &value));
    memcpy(zeros + 400, "e-10", 4);
    cr_expect_not(lam_double_parse(zeros, 404, &value));
    cr_expect_eq(value, 7);
    memcpy(zeros + 400, "e-399", 5);
    cr_expect(lam_double_parse(zeros, 405, &value));
    cr_expect_eq(value, 1);
    cr_expect(parses("1e-400", &value));
    cr_expect_eq(value, 0);
    cr_expect(parses("-1e-99999999999999999999", &value));
    cr_expect(value == 0 && signbit(value));
    memset(zeros, '0', sizeof zeros);
    zeros[1] = '.';
    zeros[799] = '1';
    cr_expect(lam_double_parse(zeros, 800, &value));
    cr_expect(value == 0);
    cr_expect(parses("1E-400", &value));
    cr_expect_eq(value, 0);
    cr_expect_not(parses("1e+309", &value));
    cr_expect_not(parses("-1E+309", &value));
    cr_expect_not(parses("inf", &value));
    cr_expect_not(parses("", &value));
    cr_expect_not(parses("1x", &value));
}

Test(number_text, integers_to_the_ends_of_their_range) {
    char buffer[LAM_NUMBER_TEXT_MAX];
    int64_t value;
    uint64_t bits;
    cr_expect_eq(lam_int64_print(INT64_MIN, buffer), 20);
    cr_expect_eq(memcmp(buffer, "-9223372036854775808", 20), 0);
    cr_expect(lam_int64_parse(buffer, 20, &value) && value == INT64_MIN);
    cr_expect_not(lam_int64_parse("9223372036854775808", 19, &value));
    cr_expect_eq(lam_uint64_print(UINT64_MAX, buffer), 20);
    cr_expect(lam_uint64_parse(buffer, 20, &bits) && bits == UINT64_MAX);
    cr_expect_not(lam_uint64_parse("18446744073709551616", 20, &bits));
    cr_expect_not(lam_uint64_parse("-1", 2, &bits));
    cr_expect(lam_uint64_parse("-0", 2, &bits) && bits == 0);
}

Test(number_text, integers_that_a_double_keeps) {
    static const char *const kept[] = {"0",
                                       "-5",
                                       "100",
                                       "9007199254740992",
                                       "18446744073709551616",
                                       "123456789012345680000",
                                       "-123456789012345680000",
                                       "1000000000000000000000000"};
    static const char *const lost[] = {"9007199254740993", "-9007199254740993",
                                       "123456789012345680001", "123456789012345678901234567890",
                                       "18446744073709551617"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        cr_expect(lam_double_keeps_integer(kept[i], strlen(kept[i])), "%s", kept[i]);
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        cr_expect_not(lam_double_keeps_integer(lost[i], strlen(lost[i])), "%s", lost[i]);
    char long_text[400];
    memset(long_text, '1', sizeof long_text);
    cr_expect_not(lam_double_keeps_integer(long_text, sizeof long_text));
    memset(long_text, '0', sizeof long_text);
    long_text[0] = '1';
    cr_expect(lam_double_keeps_integer(long_text, 309));
    cr_expect_not(lam_double_keeps_integer(long_text, 310)); /* beyond the largest double */
    static const char zeros[] = "00000000000000000";
    cr_expect_not(lam_double_keeps_integer(zeros, sizeof zeros - 1));
}
