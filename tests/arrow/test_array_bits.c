/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of validity, counted and spread from any place on, against a look at each bit alone. */
#include "arrow/array/array_bits.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

Test(array_bits, bits_are_those_of_a_look_at_each) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int round = 0; round < 4000; round++) {
        const int64_t start = (int64_t)lam_random_below(&random, 70);
        const int64_t count = (int64_t)lam_random_below(&random, round % 2 == 0 ? 20 : 700);
        /* A block that ends with the last bit, so that a sanitizer sees every step beyond it. */
        const size_t size = (size_t)(start + count + 7) / 8;
        uint8_t *bits = malloc(size + 1), *spread = malloc((size_t)count + 1);
        const unsigned share = (unsigned)lam_random_below(&random, 101);
        memset(bits, 0, size + 1);
        uint8_t *exact = malloc(size == 0 ? 1 : size);
        int64_t zeros = 0;
        for (int64_t i = 0; i < (int64_t)size * 8; i++)
            bits[i / 8] |= (uint8_t)(lam_random_chance(&random, share) << (i % 8));
        memcpy(exact, bits, size);
        spread[count] = 77;
        lam_bits_to_bytes(lam_kernels_get(), exact, start, count, spread);
        for (int64_t i = 0; i < count; i++) {
            const bool is_set = (bits[(start + i) / 8] >> ((start + i) % 8) & 1) != 0;
            zeros += !is_set;
            cr_assert_eq(lam_bit_at(exact, start + i), is_set);
            cr_assert_eq(spread[i], is_set, "bit %d of %d from %d", (int)i, (int)count, (int)start);
        }
        cr_assert_eq(spread[count], 77);
        cr_assert_eq(lam_bits_count_zeros(exact, start, count), zeros, "%d from %d", (int)count,
                     (int)start);
        free(exact);
        free(spread);
        free(bits);
    }
}
