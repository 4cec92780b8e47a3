/* SPDX-License-Identifier: Apache-2.0 */
/* The digits of decimals by their width, and the bounds of their magnitudes. */
#include "arrow/field/arrow_decimal.h"

#include <criterion/criterion.h>

/* Whether a bound is below 2^exponent. */
static bool is_below_power_of_two(const uint64_t *bound, int exponent) {
    for (int bit = 255; bit >= exponent; bit--)
        if ((bound[bit / 64] >> bit % 64 & 1) != 0)
            return false;
    return true;
}

Test(arrow_decimal, the_digits_of_a_width_are_the_most_that_always_fit) {
    static const int32_t widths[] = {32, 64, 128, 256};
    uint64_t bound[LAM_ARROW_DECIMAL_LIMBS];
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        int32_t digits = lam_arrow_decimal_digits(widths[i]);
        lam_arrow_decimal_bound(digits, bound);
        cr_assert(is_below_power_of_two(bound, widths[i] - 1));
        lam_arrow_decimal_bound(digits + 1, bound);
        cr_assert_not(is_below_power_of_two(bound, widths[i] - 1));
    }
    cr_assert_eq(lam_arrow_decimal_digits(16), 0);
    cr_assert_eq(lam_arrow_decimal_digits(96), 0);
}

Test(arrow_decimal, a_bound_is_a_power_of_ten) {
    uint64_t bound[LAM_ARROW_DECIMAL_LIMBS];
    lam_arrow_decimal_bound(0, bound);
    cr_assert_eq(bound[0], 1);
    lam_arrow_decimal_bound(19, bound);
    cr_assert_eq(bound[0], UINT64_C(10000000000000000000));
    cr_assert_eq(bound[1] | bound[2] | bound[3], 0);
    /* 10^38 is 0x4b3b4ca85a86c47a098a224000000000. */
    lam_arrow_decimal_bound(38, bound);
    cr_assert_eq(bound[0], UINT64_C(0x098a224000000000));
    cr_assert_eq(bound[1], UINT64_C(0x4b3b4ca85a86c47a));
    cr_assert_eq(bound[2] | bound[3], 0);
}
