/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of the target `union`: random bytes, each of which is a choice of names and types. */
#include "fuzz/seeds.h"
#include "support/random.h"

enum { SEEDS = 120, SEED_SIZE = 120 };

void lam_seed_union(void) {
    lam_random dice = lam_random_start(1);
    uint8_t seed[SEED_SIZE];
    for (unsigned i = 0; i < SEEDS; i++) {
        for (size_t at = 0; at < SEED_SIZE; at++)
            seed[at] = (uint8_t)lam_random_below(&dice, 256);
        seed[0] = (uint8_t)i;
        lam_seed_write("union", (lam_bytes){seed, SEED_SIZE - i / 2});
    }
}
