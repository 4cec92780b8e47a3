/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seeds of the target that writes arrays: random ones as they are, and with one or two numbers
 * forged.
 */
#include "fuzz/seeds.h"
#include "support/random.h"

enum { RIGHT = 60, FORGED = 200, SEED_SIZE = 11, FORGERY_SIZE = 6 };

/* Random arrays as they are, and with one or two numbers forged: see fuzz_arrow_write.c. */
void lam_seed_arrow_write(void) {
    lam_random random = lam_random_start(1);
    for (int i = 0; i < RIGHT + FORGED; i++) {
        uint8_t bytes[SEED_SIZE + 2 * FORGERY_SIZE];
        size_t size = SEED_SIZE;
        if (i >= RIGHT)
            size += FORGERY_SIZE * (1 + (size_t)lam_random_below(&random, 2));
        for (size_t at = 0; at < size; at++)
            bytes[at] = (uint8_t)lam_random_next(&random);
        lam_seed_write("arrow_write", (lam_bytes){bytes, size});
    }
}
