/* SPDX-License-Identifier: Apache-2.0 */
/* Digits of integers and decimals, against those of snprintf. */
#include "text/digits.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

#include "support/random.h"
#include "text/decimal_text.h"
#include "text/number_text.h"

/* Digits as snprintf has them, in as much room as they take. */
static void expect_digits(uint64_t number) {
    char expected[32], found[LAM_DIGITS_MAX + 2];
    size_t count = (size_t)snprintf(expected, sizeof expected, "%" PRIu64, number);
    uint64_t rest = number;
    memset(found, '#', sizeof found);
    cr_assert_eq(lam_digits_count(number), count, "%s", expected);
    cr_assert_eq(lam_digits_put(found + 1 + count, count, &rest), found + 1);
    cr_assert_eq(rest, 0);
    cr_assert_arr_eq(found + 1, expected, count);
    cr_assert(found[0] == '#' && found[count + 1] == '#', "%s", expected);
}

Test(digits, numbers_around_each_power_of_ten_and_of_two) {
    uint64_t power = 1;
    for (int i = 0; i < LAM_DIGITS_MAX; i++, power *= 10)
        for (uint64_t near = power - 1; near != power + 2; near++)
            expect_digits(near);
    for (int bit = 0; bit < 64; bit++)
        for (uint64_t near = (UINT64_C(1) << bit) - 1; near != (UINT64_C(1) << bit) + 2; near++)
            expect_digits(near);
    expect_digits(0);
    expect_digits(UINT64_MAX);
}

Test(digits, random_numbers_of_any_length) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int i = 0; i < 200000; i++)
        expect_digits(lam_random_next(&random) >> lam_random_below(&random, 64));
}

Test(digits, digits_that_are_not_requested_stay_in_the_number) {
    char found[4] = "####";
    uint64_t number = 1234567;
    cr_expect_eq(lam_digits_put(found + 4, 3, &number), found + 1);
    cr_expect_arr_eq(found, "#567", 4);
    cr_expect_eq(number, 1234);
    number = 7;
    cr_expect_eq(lam_digits_put(found + 4, 4, &number), found);
    cr_expect_arr_eq(found, "0007", 4);
}

/* Integers and decimals of both signs, beside digits that are moved by hand. */
Test(digits, integers_and_decimals_have_these_digits) {
    lam_random random = lam_random_start(lam_test_seed(2));
    lam_allocator allocator = lam_allocator_default();
    lam_buffer decimal;
    lam_buffer_init(&decimal, &allocator);
    for (int i = 0; i < 200000; i++) {
        int64_t number = (int64_t)lam_random_next(&random) >> lam_random_below(&random, 64);
        int scale = (int)lam_random_below(&random, 23);
        char expected[80], found[LAM_NUMBER_TEXT_MAX], digits[64];
        size_t size = (size_t)snprintf(expected, sizeof expected, "%" PRId64, number);
        cr_assert_eq(lam_int64_print(number, found), size);
        cr_assert_arr_eq(found, expected, size);
        uint64_t plain = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
        size = (size_t)snprintf(digits, sizeof digits, "%0*" PRIu64, scale + 1, plain);
        size = (size_t)snprintf(expected, sizeof expected, "%s%.*s%s%s", number < 0 ? "-" : "",
                                (int)size - scale, digits, scale > 0 ? "." : "",
                                digits + size - (size_t)scale);
        lam_buffer_clear(&decimal);
        cr_assert_eq(lam_decimal_print_int64(&decimal, number, scale, NULL), LAM_STATUS_OK);
        cr_assert_eq(decimal.size, size, "%s", expected);
        cr_assert_arr_eq(decimal.data, expected, size);
    }
    lam_buffer_finish(&decimal);
}
