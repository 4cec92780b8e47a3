/* SPDX-License-Identifier: Apache-2.0 */
/* What wraps on purpose, at the ends of its range. */
#include "base/wrap.h"

#include <criterion/criterion.h>

Test(wrap, sums_and_differences_are_modulo_2_to_the_64) {
    cr_assert_eq(lam_wrap_add(UINT64_MAX, 2), 1);
    cr_assert_eq(lam_wrap_subtract(1, 2), UINT64_MAX);
    cr_assert_eq(lam_wrap_subtract((uint64_t)INT64_MAX, (uint64_t)INT64_MIN), UINT64_MAX);
}

Test(wrap, every_number_has_a_magnitude) {
    cr_assert_eq(lam_magnitude(0), 0);
    cr_assert_eq(lam_magnitude(-7), 7);
    cr_assert_eq(lam_magnitude(INT64_MAX), (uint64_t)INT64_MAX);
    cr_assert_eq(lam_magnitude(INT64_MIN), (uint64_t)INT64_MAX + 1);
}

Test(wrap, zigzag_counts_from_zero_outwards) {
    static const int64_t numbers[] = {0, -1, 1, INT64_MAX, INT64_MIN};
    static const uint64_t zigzag[] = {0, 1, 2, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cr_assert_eq(lam_to_zigzag((uint64_t)numbers[i]), zigzag[i]);
        cr_assert_eq(lam_from_zigzag(zigzag[i]), (uint64_t)numbers[i]);
    }
}

Test(wrap, several_bits_are_more_than_one) {
    cr_assert(!lam_has_several_bits(0));
    cr_assert(!lam_has_several_bits(UINT64_C(1) << 63));
    cr_assert(lam_has_several_bits(UINT64_C(1) << 63 | 1));
}
