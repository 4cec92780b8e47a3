/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers that are the same on every machine for the same seed, which LAMELLA_SEED
 * overrides.
 */
#include "support/random.h"

#include <stdlib.h>

uint64_t lam_test_seed(uint64_t seed) {
    const char *text = getenv("LAMELLA_SEED");
    return text != NULL && *text != '\0' ? strtoull(text, NULL, 0) : seed;
}

uint64_t lam_test_step(void) {
    const char *text = getenv("LAMELLA_STEP");
    uint64_t step = text != NULL ? strtoull(text, NULL, 0) : 1;
    return step > 0 ? step : 1;
}

lam_random lam_random_start(uint64_t seed) {
    lam_random random = {seed};
    return random;
}

/* SplitMix64: one addition and a mixing function, period 2^64. */
uint64_t lam_random_next(lam_random *random) {
    random->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = random->state;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

uint64_t lam_random_below(lam_random *random, uint64_t bound) {
    return bound == 0 ? 0 : lam_random_next(random) % bound;
}

bool lam_random_chance(lam_random *random, unsigned percent) {
    return lam_random_below(random, 100) < percent;
}
