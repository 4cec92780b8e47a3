/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and booleans in the spellings of delimited text; the C library's own numbers are the
 * oracle.
 */
#include "csv/csv_value.h"

#include <inttypes.h>
#include <math.h>

#include "csv_help.h"
#include "support/random.h"

#define BYTES(text) (const uint8_t *)(text), strlen(text)

Test(csv_value, booleans_in_any_case) {
    uint8_t value = 7;
    cr_expect(lam_csv_parse_boolean(BYTES("TRUE"), &value) && value == 1);
    cr_expect(lam_csv_parse_boolean(BYTES("fAlse"), &value) && value == 0);
    static const char *const none[] = {"", "t", "1", "tru", "truee", "yes", "TRUE "};
    value = 7;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect_not(lam_csv_parse_boolean(BYTES(none[i]), &value), "%s", none[i]);
    cr_expect_eq(value, 7);
}

Test(csv_value, integers_to_the_ends_of_their_range) {
    int64_t value = 7;
    uint64_t wide = 7;
    cr_expect(lam_csv_parse_integer(BYTES("9223372036854775807"), &value) && value == INT64_MAX);
    cr_expect(lam_csv_parse_integer(BYTES("-9223372036854775808"), &value) && value == INT64_MIN);
    cr_expect(lam_csv_parse_integer(BYTES("0"), &value) && value == 0);
    cr_expect(lam_csv_parse_unsigned(BYTES("18446744073709551615"), &wide) && wide == UINT64_MAX);
    static const char *const none[] = {"",      "-",   "+1",
                                       "01",    "-0",  "00",
                                       "1 ",    " 1",  "1.0",
                                       "1e3",   "x",   "9223372036854775808",
                                       "1,000", "0x1", "-9223372036854775809"};
    value = 7;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect_not(lam_csv_parse_integer(BYTES(none[i]), &value), "%s", none[i]);
    cr_expect_eq(value, 7);
    cr_expect(lam_csv_parse_unsigned(BYTES("10000000000000000000"), &wide) &&
              wide == UINT64_C(10000000000000000000));
    cr_expect_not(lam_csv_parse_unsigned(BYTES("18446744073709551616"), &wide));
    cr_expect_not(lam_csv_parse_unsigned(BYTES("99999999999999999999"), &wide));
    cr_expect_not(lam_csv_parse_unsigned(BYTES("-1"), &wide));
}

static void expect_double(const char *text, char mark, double expected) {
    double value = 7;
    cr_expect(lam_csv_parse_double(BYTES(text), mark, &value), "%s", text);
    cr_expect(memcmp(&value, &expected, 8) == 0 || (isnan(value) && isnan(expected)), "%s: %.17g",
              text, value);
}

Test(csv_value, doubles_in_their_spellings) {
    expect_double("1.5", '.', 1.5);
    expect_double("1,5", ',', 1.5);
    expect_double(".5", '.', 0.5);
    expect_double("-.5", '.', -0.5);
    expect_double("5.", '.', 5);
    expect_double("-0", '.', -0.0);
    expect_double("-0.0", '.', -0.0);
    expect_double("1e3", '.', 1000);
    expect_double("1E+22", '.', 1e22);
    expect_double("2.5e-3", '.', 0.0025);
    expect_double("9007199254740993", '.', 9007199254740992.0);
    expect_double("123456789012345678901234567890", '.', 123456789012345678901234567890.0);
    expect_double("0.1234567890123456789", '.', 0.1234567890123456789);
    expect_double("nan", '.', NAN);
    expect_double("NaN", '.', NAN);
    expect_double("inf", '.', HUGE_VAL);
    expect_double("-Infinity", '.', -HUGE_VAL);
    static const char *const none[] = {"",   "-",    ".",    "-.",  "e5",  "1e",    "1e+", "1.5.2",
                                       "01", "-01",  "00.5", "1,5", "+1",  "0x10",  "1 ",  " 1",
                                       "1d", "-nan", "in",   "--1", "1-1", "1e400", "5..", "1_0"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double value = 7;
        cr_expect_not(lam_csv_parse_double(BYTES(none[i]), '.', &value), "%s", none[i]);
    }
}

Test(csv_value, random_doubles_are_those_of_the_c_library) {
    uint64_t seed = lam_test_seed(3);
    lam_random random = lam_random_start(seed);
    for (int i = 0; i < 200000; i++) {
        char text[64];
        uint64_t number = lam_random_next(&random) >> lam_random_below(&random, 64);
        uint64_t fraction = lam_random_next(&random) >> lam_random_below(&random, 64);
        const char *sign = i % 3 == 0 ? "-" : "";
        if (i % 5 == 0)
            snprintf(text, sizeof text, "%s%" PRIu64, sign, number);
        else if (i % 5 == 1)
            snprintf(text, sizeof text, "%s%" PRIu64 ".%" PRIu64 "e%d", sign, number, fraction,
                     (int)lam_random_below(&random, 200) - 100);
        else
            snprintf(text, sizeof text, "%s%" PRIu64 ".%0*" PRIu64, sign, number,
                     (int)lam_random_below(&random, 8), fraction);
        double value = 0;
        float narrow = 0;
        cr_assert(lam_csv_parse_double(BYTES(text), '.', &value), "%s", text);
        double expected = strtod(text, NULL);
        float narrow_expected = strtof(text, NULL);
        cr_assert_eq(memcmp(&value, &expected, 8), 0, "seed %" PRIu64 ": %s", seed, text);
        if (!isinf(narrow_expected)) {
            cr_assert(lam_csv_parse_float(BYTES(text), '.', &narrow), "%s", text);
            cr_assert_eq(memcmp(&narrow, &narrow_expected, 4), 0, "seed %" PRIu64 ": %s", seed,
                         text);
        }
    }
}

Test(csv_value, floats_in_their_spellings) {
    static const struct {
        const char *text;
        float value;
    } cases[] = {{"1.5", 1.5F}, {"-.5", -0.5F},      {"1e3", 1000},
                 {"nan", NAN},  {"-inf", -INFINITY}, {"Infinity", INFINITY}};
    float value;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float expected = cases[i].value;
        cr_expect(lam_csv_parse_float(BYTES(cases[i].text), '.', &value), "%s", cases[i].text);
        cr_expect(value == expected || (isnan(value) && isnan(expected)), "%s", cases[i].text);
    }
    static const char *const none[] = {"", "-", "1e", "1e5x", "1.5.2", "-nan", "inff", "1e39"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_expect_not(lam_csv_parse_float(BYTES(none[i]), '.', &value), "%s", none[i]);
}

static void expect_digits(const char *text, size_t before, size_t after) {
    size_t got_before = 99, got_after = 99;
    cr_expect(lam_csv_count_digits(BYTES(text), '.', &got_before, &got_after), "%s", text);
    cr_expect(got_before == before && got_after == after, "%s: %zu and %zu", text, got_before,
              got_after);
}

Test(csv_value, digits_of_decimals) {
    expect_digits("0", 0, 0);
    expect_digits("12.50", 2, 2);
    expect_digits("-0.05", 0, 2);
    expect_digits(".5", 0, 1);
    expect_digits("5.", 1, 0);
    expect_digits("-123456789012345678901234567890.1", 30, 1);
    static const char *const none[] = {"",      "-",   ".",     "-.", "01",
                                       "-01.5", "1e5", "1.2.3", "x",  "+1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        size_t before, after;
        cr_expect_not(lam_csv_count_digits(BYTES(none[i]), '.', &before, &after), "%s", none[i]);
    }
}
