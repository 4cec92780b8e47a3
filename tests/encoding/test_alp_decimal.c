/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers to integers and back in every scale, by the formula of the specification, written out one
 * product after the other.
 */
#include "encoding/alp_decimal.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

enum { MOST = 300 };

static double power_64(int exponent) {
    char text[8];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}

static float power_32(int exponent) {
    char text[8];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtof(text, NULL);
}

/* The formula of the format, one product after the other. */
static double double_of(uint64_t integer, lam_alp_scale scale) {
    volatile double number = (double)(int64_t)integer;
    number = number * power_64(scale.factor);
    number = number * power_64(-scale.exponent);
    return number;
}

static float float_of(uint32_t integer, lam_alp_scale scale) {
    volatile float number = (float)(int32_t)integer;
    number = number * power_32(scale.factor);
    number = number * power_32(-scale.exponent);
    return number;
}

static bool same_double(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_float(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static lam_alp_scale random_scale(lam_random *random, unsigned most) {
    unsigned exponent = (unsigned)lam_random_below(random, most + 1u);
    return (lam_alp_scale){(uint8_t)exponent, (uint8_t)lam_random_below(random, exponent + 1u)};
}

/* --- Integers to numbers ------------------------------------------------------------------- */

Test(alp_decimal, doubles_are_what_the_formula_says_in_every_scale) {
    static const uint64_t extremes[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, 333};
    static uint64_t stored[MOST];
    static double numbers[MOST];
    uint64_t seed = lam_test_seed(61);
    lam_random random = lam_random_start(seed);
    for (unsigned e = 0; e <= LAM_ALP_MAX_EXPONENT_64; e++) {
        for (unsigned f = 0; f <= e; f++) {
            lam_alp_scale scale = {(uint8_t)e, (uint8_t)f};
            uint64_t frame = lam_random_next(&random) >> lam_random_below(&random, 64);
            for (size_t i = 0; i < MOST; i++)
                stored[i] = i < 6 ? extremes[i] - frame
                                  : lam_random_next(&random) >> lam_random_below(&random, 64);
            lam_alp_to_doubles(stored, MOST, frame, scale, numbers);
            for (size_t i = 0; i < MOST; i++)
                cr_assert(same_double(numbers[i], double_of(frame + stored[i], scale)),
                          "scale %u %u, seed %llu", e, f, (unsigned long long)seed);
        }
    }
}

Test(alp_decimal, floats_are_what_the_formula_says_in_every_scale) {
    static const uint32_t extremes[] = {0, 1, UINT32_MAX, INT32_MAX, (uint32_t)INT32_MIN, 333};
    static uint32_t stored[MOST];
    static float numbers[MOST];
    uint64_t seed = lam_test_seed(62);
    lam_random random = lam_random_start(seed);
    for (unsigned e = 0; e <= LAM_ALP_MAX_EXPONENT_32; e++) {
        for (unsigned f = 0; f <= e; f++) {
            lam_alp_scale scale = {(uint8_t)e, (uint8_t)f};
            uint32_t frame = (uint32_t)lam_random_next(&random) >> lam_random_below(&random, 32);
            for (size_t i = 0; i < MOST; i++)
                stored[i] = i < 6 ? extremes[i] - frame
                                  : (uint32_t)(lam_random_next(&random) >> 32 >>
                                               lam_random_below(&random, 32));
            lam_alp_to_floats(stored, MOST, frame, scale, numbers);
            for (size_t i = 0; i < MOST; i++)
                cr_assert(same_float(numbers[i], float_of(frame + stored[i], scale)),
                          "scale %u %u, seed %llu", e, f, (unsigned long long)seed);
        }
    }
}

/* --- Numbers to integers ------------------------------------------------------------------- */

/* The exceptions are, in order, exactly the numbers that do not come back. */
static void expect_doubles(const double *numbers, size_t count, lam_alp_scale scale) {
    static uint64_t integers[MOST];
    static uint16_t exceptions[MOST];
    size_t found = lam_alp_from_doubles(numbers, count, scale, integers, exceptions), next = 0;
    for (size_t i = 0; i < count; i++) {
        bool comes_back = same_double(double_of(integers[i], scale), numbers[i]);
        bool excepted = next < found && exceptions[next] == i;
        cr_assert_neq(comes_back, excepted, "%a in scale %u %u", numbers[i], scale.exponent,
                      scale.factor);
        next += excepted;
    }
    cr_assert_eq(next, found);
}

static void expect_floats(const float *numbers, size_t count, lam_alp_scale scale) {
    static uint32_t integers[MOST];
    static uint16_t exceptions[MOST];
    size_t found = lam_alp_from_floats(numbers, count, scale, integers, exceptions), next = 0;
    for (size_t i = 0; i < count; i++) {
        bool comes_back = same_float(float_of(integers[i], scale), numbers[i]);
        bool excepted = next < found && exceptions[next] == i;
        cr_assert_neq(comes_back, excepted, "%a in scale %u %u", (double)numbers[i], scale.exponent,
                      scale.factor);
        next += excepted;
    }
    cr_assert_eq(next, found);
}

Test(alp_decimal, numbers_come_back_or_are_exceptions) {
    static double wide[MOST];
    static float narrow[MOST];
    lam_random random = lam_random_start(lam_test_seed(63));
    for (int round = 0; round < 20000; round++) {
        size_t count = (size_t)lam_random_below(&random, MOST);
        unsigned digits = (unsigned)lam_random_below(&random, 19);
        for (size_t i = 0; i < count; i++) {
            uint64_t noise = lam_random_next(&random);
            if (lam_random_chance(&random, 20)) { /* any bits */
                memcpy(&wide[i], &noise, 8);
                memcpy(&narrow[i], &noise, 4);
            } else {
                int64_t integer = (int64_t)noise >> lam_random_below(&random, 64);
                wide[i] = (double)integer / power_64((int)digits);
                narrow[i] = (float)(int32_t)integer / power_32((int)digits % 11);
            }
        }
        expect_doubles(wide, count, random_scale(&random, LAM_ALP_MAX_EXPONENT_64));
        expect_floats(narrow, count, random_scale(&random, LAM_ALP_MAX_EXPONENT_32));
    }
}

Test(alp_decimal, what_is_no_number_or_has_no_integer_is_always_an_exception) {
    const double wide[] = {NAN, -NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, -DBL_MAX, 0.25, 4.9e-324};
    const float narrow[] = {NAN,     -NAN,     INFINITY, -INFINITY, -0.0f,
                            FLT_MAX, -FLT_MAX, 0.25f,    1e-45f};
    enum { COUNT = 9 };
    uint64_t integers_64[COUNT];
    uint32_t integers_32[COUNT];
    uint16_t exceptions[COUNT];
    cr_assert_eq(lam_alp_from_doubles(wide, COUNT, (lam_alp_scale){1, 0}, integers_64, exceptions),
                 COUNT);
    for (uint16_t i = 0; i < COUNT; i++)
        cr_assert_eq(exceptions[i], i);
    cr_assert_eq(lam_alp_from_floats(narrow, COUNT, (lam_alp_scale){1, 0}, integers_32, exceptions),
                 COUNT);
    for (uint16_t i = 0; i < COUNT; i++)
        cr_assert_eq(exceptions[i], i);
}

Test(alp_decimal, decimals_in_their_own_scale_are_their_digits) {
    const double wide[] = {1.23, -0.01, 0.0, 99999.99, -4503599627370.49};
    const float narrow[] = {1.23f, -0.01f, 0.0f, 999.99f};
    const int64_t digits_64[] = {123, -1, 0, 9999999, -450359962737049};
    const int32_t digits_32[] = {123, -1, 0, 99999};
    uint64_t integers_64[5];
    uint32_t integers_32[4];
    uint16_t exceptions[5];
    cr_assert_eq(lam_alp_from_doubles(wide, 5, (lam_alp_scale){14, 12}, integers_64, exceptions),
                 0);
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq((int64_t)integers_64[i], digits_64[i]);
    cr_assert_eq(lam_alp_from_floats(narrow, 4, (lam_alp_scale){2, 0}, integers_32, exceptions), 0);
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq((int32_t)integers_32[i], digits_32[i]);
}

/* Whole numbers around the powers of two where rounding changes its way, and where the integer
 * type ends: nothing in scale 0 0 that has an integer is an exception. */
Test(alp_decimal, whole_numbers_keep_themselves_to_the_ends_of_the_integers) {
    uint64_t integer_64;
    uint32_t integer_32;
    uint16_t exception;
    for (int bit = 0; bit < 63; bit++) {
        double power = ldexp(1.0, bit), below = nextafter(power, 0);
        double near[] = {power, -power, floor(below), -floor(below), power + 1, -power - 1};
        for (size_t i = 0; i < 6; i++) {
            if (near[i] == 0)
                continue;
            cr_assert_eq(
                lam_alp_from_doubles(&near[i], 1, (lam_alp_scale){0, 0}, &integer_64, &exception),
                0, "%.1f", near[i]);
            cr_assert_eq((int64_t)integer_64, (int64_t)near[i]);
        }
    }
    for (int bit = 0; bit < 31; bit++) {
        float power = ldexpf(1.0f, bit), below = floorf(nextafterf(power, 0));
        float near[] = {power, -power, below, -below, power + 1, -power - 1};
        for (size_t i = 0; i < 6; i++) {
            if (near[i] == 0)
                continue;
            cr_assert_eq(
                lam_alp_from_floats(&near[i], 1, (lam_alp_scale){0, 0}, &integer_32, &exception), 0,
                "%.1f", (double)near[i]);
            cr_assert_eq((int32_t)integer_32, (int32_t)near[i]);
        }
    }
    const double ends_64[] = {0x1p63, 0x1.8p63, -0x1.8p63, 1e19};
    const float ends_32[] = {0x1p31f, 0x1.8p31f, -0x1.8p31f, 1e10f};
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(
            lam_alp_from_doubles(&ends_64[i], 1, (lam_alp_scale){0, 0}, &integer_64, &exception),
            1);
        cr_expect_eq(
            lam_alp_from_floats(&ends_32[i], 1, (lam_alp_scale){0, 0}, &integer_32, &exception), 1);
    }
}

Test(alp_decimal, no_numbers_are_no_exceptions) {
    cr_expect_eq(lam_alp_from_doubles(NULL, 0, (lam_alp_scale){0, 0}, NULL, NULL), 0);
    cr_expect_eq(lam_alp_from_floats(NULL, 0, (lam_alp_scale){0, 0}, NULL, NULL), 0);
    lam_alp_to_doubles(NULL, 0, 1, (lam_alp_scale){0, 0}, NULL);
    lam_alp_to_floats(NULL, 0, 1, (lam_alp_scale){0, 0}, NULL);
}
