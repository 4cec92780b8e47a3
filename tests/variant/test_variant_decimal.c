/* SPDX-License-Identifier: Apache-2.0 */
/* Digits of 128-bit decimals, at every power of ten. */
#include "variant/value/variant_decimal.h"

#include "variant_help.h"

Test(variant_decimal, digits_change_at_every_power_of_ten) {
    lam_wide power = {0, 1};
    cr_expect_eq(lam_wide_digits((lam_wide){0, 0}), 1);
    for (unsigned digits = 1; digits <= 38; digits++) {
        lam_wide below = {power.high - (power.low == 0), power.low - 1};
        cr_expect_eq(lam_wide_digits(power), digits);
        if (digits > 1)
            cr_expect_eq(lam_wide_digits(below), digits - 1);
        power = lam_wide_multiply_add(power, 10, 0);
    }
    cr_expect_eq(power.high, UINT64_C(0x4B3B4CA85A86C47A)); /* 10^38 */
    cr_expect_eq(power.low, UINT64_C(0x098A224000000000));
    cr_expect_eq(lam_wide_digits(power), 39);
    cr_expect_eq(lam_wide_digits((lam_wide){UINT64_MAX, UINT64_MAX}), 39);
}

Test(variant_decimal, division_undoes_multiplication) {
    lam_wide number = {0, 0};
    for (unsigned i = 1; i <= 38; i++)
        number = lam_wide_multiply_add(number, 10, i % 10);
    for (unsigned i = 38; i >= 1; i--)
        cr_expect_eq(lam_wide_divide_by_10(&number), i % 10);
    cr_expect_eq(number.high, 0);
    cr_expect_eq(number.low, 0);
}

Test(variant_decimal, negation_carries_into_the_high_half) {
    lam_wide one = {0, 1}, minus_one = lam_wide_negate(one);
    cr_expect_eq(minus_one.high, UINT64_MAX);
    cr_expect_eq(minus_one.low, UINT64_MAX);
    lam_wide high = lam_wide_negate((lam_wide){1, 0});
    cr_expect_eq(high.high, UINT64_MAX);
    cr_expect_eq(high.low, 0);
    lam_decimal least = {0, INT64_MIN, 0};
    lam_wide magnitude = lam_decimal_magnitude(&least);
    cr_expect_eq(magnitude.high, UINT64_C(1) << 63);
    cr_expect_eq(magnitude.low, 0);
}

Test(variant_decimal, the_kind_goes_by_digits) {
    cr_expect_eq(lam_decimal_kind(1), LAM_VARIANT_DECIMAL4);
    cr_expect_eq(lam_decimal_kind(9), LAM_VARIANT_DECIMAL4);
    cr_expect_eq(lam_decimal_kind(10), LAM_VARIANT_DECIMAL8);
    cr_expect_eq(lam_decimal_kind(18), LAM_VARIANT_DECIMAL8);
    cr_expect_eq(lam_decimal_kind(19), LAM_VARIANT_DECIMAL16);
    cr_expect_eq(lam_decimal_kind(38), LAM_VARIANT_DECIMAL16);
    cr_expect_eq(lam_decimal_kind(39), LAM_VARIANT_UNKNOWN);
}
