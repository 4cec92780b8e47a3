/* SPDX-License-Identifier: Apache-2.0 */
/* Which scale ALP takes for a vector, against the cheapest of all by the definition. */
#include "encoding/alp_scale.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoding/rle.h"
#include "support/random.h"

enum { VECTOR = 1024, SAMPLE = 32 };

static double power_of_ten(int exponent) {
    char text[8];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}

/* Decimals with so many digits behind the point. */
static void decimals(lam_random *random, unsigned digits, size_t count, double *wide,
                     float *narrow) {
    for (size_t i = 0; i < count; i++) {
        int64_t integer = (int64_t)lam_random_below(random, 20000) - 10000;
        wide[i] = (double)integer / power_of_ten((int)digits);
        narrow[i] = (float)integer / (float)power_of_ten((int)digits);
    }
}

static void noise(lam_random *random, size_t count, double *wide, float *narrow) {
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = lam_random_next(random);
        memcpy(&wide[i], &bits, 8);
        memcpy(&narrow[i], &bits, 4);
    }
}

static bool is_legal(lam_alp_scale scale, unsigned most) {
    return scale.exponent <= most && scale.factor <= scale.exponent;
}

/* Prices and the like: whole hundredths, the same ones in each run. */
static void hundredths(double *wide, float *narrow) {
    for (size_t i = 0; i < VECTOR; i++) {
        int cents = (int)(i * 7919 % 20001) - 10000;
        wide[i] = (double)cents / 100;
        narrow[i] = (float)cents / 100;
    }
}

Test(alp_scale, hundredths_get_a_scale_that_keeps_their_digits) {
    static double wide[VECTOR];
    static float narrow[VECTOR];
    static uint64_t integers_64[VECTOR];
    static uint32_t integers_32[VECTOR];
    static uint16_t exceptions[VECTOR];
    lam_alp_picker picker_64 = {0}, picker_32 = {0};
    hundredths(wide, narrow);
    lam_alp_scale scale = lam_alp_pick_64(&picker_64, wide, VECTOR);
    cr_expect_eq(scale.exponent - scale.factor, 2);
    cr_expect_eq(lam_alp_from_doubles(wide, VECTOR, scale, integers_64, exceptions), 0);
    for (size_t i = 0; i < VECTOR; i++)
        cr_assert_eq((int64_t)integers_64[i], (int64_t)(i * 7919 % 20001) - 10000);
    scale = lam_alp_pick_32(&picker_32, narrow, VECTOR);
    cr_expect_eq(scale.exponent - scale.factor, 2);
    cr_expect_lt(lam_alp_from_floats(narrow, VECTOR, scale, integers_32, exceptions), VECTOR / 10);
}

/* Bits of a vector in a scale, from the definition. */
static size_t cost_64(const double *numbers, size_t count, lam_alp_scale scale) {
    uint64_t integers[SAMPLE];
    uint16_t exceptions[SAMPLE];
    int64_t min = INT64_MAX, max = INT64_MIN;
    size_t found = lam_alp_from_doubles(numbers, count, scale, integers, exceptions);
    for (size_t i = 0; i < count; i++) {
        bool excepted = false;
        for (size_t j = 0; j < found; j++)
            excepted |= exceptions[j] == i;
        int64_t integer = (int64_t)integers[i];
        min = !excepted && integer < min ? integer : min;
        max = !excepted && integer > max ? integer : max;
    }
    size_t width = min > max ? 0 : lam_bit_width((uint64_t)max - (uint64_t)min);
    size_t mixed = count * width + found * (16 + 64), plain = count * (16 + 64);
    return mixed < plain ? mixed : plain;
}

Test(alp_scale, the_first_pick_is_the_cheapest_of_all_scales) {
    uint64_t seed = lam_test_seed(72);
    lam_random random = lam_random_start(seed);
    double wide[SAMPLE];
    float narrow[SAMPLE];
    for (int round = 0; round < 3000; round++) {
        lam_alp_picker picker = {0};
        size_t count = (size_t)lam_random_below(&random, SAMPLE + 1);
        decimals(&random, (unsigned)lam_random_below(&random, 18), count, wide, narrow);
        if (lam_random_chance(&random, 50))
            noise(&random, (size_t)lam_random_below(&random, count + 1), wide, narrow);
        lam_alp_scale best = {0, 0}, picked = lam_alp_pick_64(&picker, wide, count);
        size_t least = SIZE_MAX;
        for (unsigned e = 0; e <= LAM_ALP_MAX_EXPONENT_64; e++) {
            for (unsigned f = 0; f <= e; f++) {
                lam_alp_scale scale = {(uint8_t)e, (uint8_t)f};
                size_t cost = cost_64(wide, count, scale);
                best = cost < least ? scale : best;
                least = cost < least ? cost : least;
            }
        }
        cr_assert(picked.exponent == best.exponent && picked.factor == best.factor,
                  "round %d, seed %llu: %u %u, not %u %u", round, (unsigned long long)seed,
                  picked.exponent, picked.factor, best.exponent, best.factor);
    }
}

Test(alp_scale, the_same_vectors_give_the_same_scales) {
    static double wide[VECTOR];
    static float narrow[VECTOR];
    lam_random random = lam_random_start(lam_test_seed(73));
    lam_alp_picker a[2], b[2];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (int round = 0; round < 500; round++) {
        size_t count = (size_t)lam_random_below(&random, VECTOR + 1);
        if (lam_random_chance(&random, 20))
            noise(&random, count, wide, narrow);
        else
            decimals(&random, (unsigned)lam_random_below(&random, 8), count, wide, narrow);
        lam_alp_scale first = lam_alp_pick_64(&a[0], wide, count);
        lam_alp_scale second = lam_alp_pick_64(&b[0], wide, count);
        cr_assert(is_legal(first, LAM_ALP_MAX_EXPONENT_64));
        cr_assert(first.exponent == second.exponent && first.factor == second.factor);
        first = lam_alp_pick_32(&a[1], narrow, count);
        second = lam_alp_pick_32(&b[1], narrow, count);
        cr_assert(is_legal(first, LAM_ALP_MAX_EXPONENT_32));
        cr_assert(first.exponent == second.exponent && first.factor == second.factor);
    }
}

Test(alp_scale, a_change_of_kind_is_noticed_within_64_vectors_and_then_known) {
    static double prices[VECTOR], counts[VECTOR];
    static float narrow[VECTOR];
    lam_alp_picker picker = {0};
    hundredths(prices, narrow);
    for (size_t i = 0; i < VECTOR; i++)
        counts[i] = (double)i;
    lam_alp_scale scale = lam_alp_pick_64(&picker, counts, VECTOR);
    cr_expect(scale.exponent == 0 && scale.factor == 0);
    int vectors = 0;
    for (; scale.exponent - scale.factor != 2 && vectors < 65; vectors++)
        scale = lam_alp_pick_64(&picker, prices, VECTOR);
    cr_expect(vectors > 1 && vectors < 65, "%d vectors", vectors);
    for (int round = 0; round < 100; round++) {
        scale = lam_alp_pick_64(&picker, counts, VECTOR);
        cr_expect_eq(scale.exponent, scale.factor);
        scale = lam_alp_pick_64(&picker, prices, VECTOR);
        cr_expect_eq(scale.exponent - scale.factor, 2);
    }
}

Test(alp_scale, what_no_scale_helps_is_not_searched_all_the_time) {
    static double wide[VECTOR];
    static float narrow[VECTOR];
    lam_random random = lam_random_start(lam_test_seed(75));
    lam_alp_picker picker_64 = {0}, picker_32 = {0};
    for (int vector = 0; vector < 1000; vector++) {
        noise(&random, VECTOR, wide, narrow);
        lam_alp_pick_64(&picker_64, wide, VECTOR);
        lam_alp_pick_32(&picker_32, narrow, VECTOR);
    }
    cr_expect(picker_64.searches >= 10 && picker_64.searches <= 25, "%u", picker_64.searches);
    cr_expect(picker_32.searches >= 10 && picker_32.searches <= 25, "%u", picker_32.searches);
}

Test(alp_scale, no_numbers_and_numbers_without_integers_get_the_plainest_scale) {
    double nans[VECTOR];
    float few[1] = {NAN};
    for (size_t i = 0; i < VECTOR; i++)
        nans[i] = NAN;
    lam_alp_picker picker = {0};
    lam_alp_scale scale = lam_alp_pick_64(&picker, nans, VECTOR);
    cr_expect(scale.exponent == 0 && scale.factor == 0);
    memset(&picker, 0, sizeof picker);
    scale = lam_alp_pick_32(&picker, few, 1);
    cr_expect(scale.exponent == 0 && scale.factor == 0);
    memset(&picker, 0, sizeof picker);
    scale = lam_alp_pick_32(&picker, NULL, 0);
    cr_expect(scale.exponent == 0 && scale.factor == 0);
}
