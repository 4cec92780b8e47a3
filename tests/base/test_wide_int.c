/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on 128-bit numbers made of two halves, compared with the compiler's own. */
#include "base/wide_int.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/random.h"

/* A number of up to 96 bits, of any size. */
static void draw(lam_random *random, uint8_t bytes[LAM_WIDE_INT_BYTES]) {
    size_t bits = lam_random_below(random, 97);
    uint8_t sign = lam_random_chance(random, 50) ? 0xFF : 0;
    for (size_t i = 0; i < LAM_WIDE_INT_BYTES; i++) {
        uint8_t drawn = (uint8_t)lam_random_next(random);
        bytes[i] = 8 * i < bits ? drawn : sign;
    }
}

Test(wide_int, numbers_of_96_bits_come_back) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int i = 0; i < 10000; i++) {
        uint8_t bytes[LAM_WIDE_INT_BYTES], back[LAM_WIDE_INT_BYTES];
        draw(&random, bytes);
        lam_wide_int number = lam_wide_int_load(bytes);
        cr_assert(lam_wide_int_store(&number, back));
        cr_assert_eq(memcmp(bytes, back, sizeof bytes), 0);
    }
}

Test(wide_int, what_needs_more_bits_is_refused) {
    uint8_t bytes[LAM_WIDE_INT_BYTES], least[LAM_WIDE_INT_BYTES] = {[11] = 0x80};
    int64_t number = 7;
    lam_wide_int most = {{UINT32_MAX, UINT32_MAX, INT32_MAX, 0}};
    lam_wide_int beyond = lam_wide_int_multiply_add(&most, 1, 1);
    cr_assert(lam_wide_int_store(&most, bytes));
    memset(bytes, 7, sizeof bytes);
    cr_assert_not(lam_wide_int_store(&beyond, bytes));
    cr_assert_eq(bytes[0], 7);
    lam_wide_int low = lam_wide_int_load(least);
    cr_assert(lam_wide_int_store(&low, bytes));
    low = lam_wide_int_multiply_add(&low, 1, -1);
    cr_assert_not(lam_wide_int_store(&low, bytes));

    lam_wide_int wide = lam_wide_int_of(INT64_MAX);
    cr_assert(lam_wide_int_to_int64(&wide, &number));
    cr_assert_eq(number, INT64_MAX);
    wide = lam_wide_int_multiply_add(&wide, 1, 1);
    cr_assert_not(lam_wide_int_to_int64(&wide, &number));
    wide = lam_wide_int_of(INT64_MIN);
    cr_assert(lam_wide_int_to_int64(&wide, &number));
    cr_assert_eq(number, INT64_MIN);
    wide = lam_wide_int_multiply_add(&wide, 1, -1);
    cr_assert_not(lam_wide_int_to_int64(&wide, &number));
    cr_assert_eq(number, INT64_MIN);
}

Test(wide_int, big_endian_bytes_repeat_the_sign_or_drop_what_is_above_them) {
    static const uint8_t minus[18] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                      0xFF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x11};
    static const uint8_t plus[18] = {[10] = 1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF};
    lam_wide_int number = lam_wide_int_of(0x0123456789ABCDEF);
    lam_wide_int negative = lam_wide_int_of(-0x0123456789ABCDEF);
    for (size_t size = 0; size <= sizeof plus; size++) {
        uint8_t bytes[sizeof plus + 1];
        memset(bytes, 7, sizeof bytes);
        lam_wide_int_store_big(&number, bytes, size);
        cr_assert_eq(memcmp(bytes, plus + sizeof plus - size, size), 0, "%zu bytes", size);
        cr_assert_eq(bytes[size], 7);
        lam_wide_int_store_big(&negative, bytes, size);
        cr_assert_eq(memcmp(bytes, minus + sizeof minus - size, size), 0, "%zu bytes", size);
        cr_assert_eq(bytes[size], 7);
    }
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;

static int128 value_of(const lam_wide_int *number) {
    int128 value = (int32_t)number->limbs[3];
    for (int i = 2; i >= 0; i--)
        value = value * ((int128)1 << 32) + number->limbs[i];
    return value;
}

Test(wide_int, arithmetic_is_that_of_the_compiler) {
    lam_random random = lam_random_start(lam_test_seed(2));
    for (int i = 0; i < 100000; i++) {
        uint8_t a_bytes[LAM_WIDE_INT_BYTES], b_bytes[LAM_WIDE_INT_BYTES];
        draw(&random, a_bytes);
        draw(&random, b_bytes);
        if (lam_random_chance(&random, 20))
            memcpy(b_bytes + 4, a_bytes + 4, 8);
        lam_wide_int a = lam_wide_int_load(a_bytes), b = lam_wide_int_load(b_bytes);
        int128 x = value_of(&a), y = value_of(&b);
        int order = lam_wide_int_compare(a_bytes, b_bytes);
        cr_assert_eq(order, (x > y) - (x < y));

        uint32_t factor = (uint32_t)lam_random_next(&random) >> lam_random_below(&random, 31);
        int64_t summand = (int64_t)lam_random_next(&random);
        if (factor >> 30 == 0) { /* no more than 127 bits */
            lam_wide_int result = lam_wide_int_multiply_add(&a, factor, summand);
            cr_assert(value_of(&result) == x * (int128)factor + summand);
        }
        uint32_t divisor = factor | 1, rest;
        lam_wide_int quotient = lam_wide_int_divide(&a, divisor, &rest);
        cr_assert_lt(rest, divisor);
        cr_assert(value_of(&quotient) * (int128)divisor + (int128)rest == x);
    }
}
#endif

Test(wide_int, each_limb_above_64_bits_counts) {
    int64_t back = 77;
    for (int limb = 2; limb < 4; limb++) {
        lam_wide_int number = lam_wide_int_of(5);
        number.limbs[limb] = 1;
        cr_assert_not(lam_wide_int_to_int64(&number, &back));
        cr_assert_eq(back, 77);
    }
}
