/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers for property tests: the same on every machine for the same seed. A test starts
 * from lam_test_seed, which LAMELLA_SEED overrides, and prints the seed when it fails.
 */
#ifndef LAM_TESTS_RANDOM_H
#define LAM_TESTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lam_random {
    uint64_t state;
} lam_random;

/* `seed`, or the value of the environment variable LAMELLA_SEED when it is set. */
uint64_t lam_test_seed(uint64_t seed);

/*
 * How many cases of a sweep (each operation, each allocation) one case stands for: LAMELLA_STEP, or
 * 1. The sanitizers' runs take some of the cases that the optimized build has tried one by one.
 */
uint64_t lam_test_step(void);

lam_random lam_random_start(uint64_t seed);
uint64_t lam_random_next(lam_random *random);
/* 0 to bound - 1; 0 when bound is 0. */
uint64_t lam_random_below(lam_random *random, uint64_t bound);
/* True in `percent` of 100 cases. */
bool lam_random_chance(lam_random *random, unsigned percent);

#endif
