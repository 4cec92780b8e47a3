/* SPDX-License-Identifier: Apache-2.0 */
/* Hybrid streams of short runs in any order, as other writers make them and the encoder here does
 * not. */
#ifndef LAM_TESTS_SHORT_RUNS_H
#define LAM_TESTS_SHORT_RUNS_H

#include <stdint.h>

#include "kernel/kernel.h"
#include "support/random.h"

enum { SHORT_RUN_MOST = 90, SHORT_RUN_BYTES = 2 + 3 * 32 };

/*
 * Puts one run of values below `bound`, of bit width 1 to 32, to `*bytes`, which is moved behind
 * it, and its values to `values`; gives how many these are, at most SHORT_RUN_MOST.
 */
static inline size_t put_short_run(lam_random *random, unsigned width, uint64_t bound,
                                   uint32_t *values, uint8_t **bytes) {
    uint8_t *next = *bytes;
    size_t groups = (size_t)lam_random_below(random, 4), count = 8 * groups;
    if (groups > 0) {
        *next++ = (uint8_t)(groups << 1 | 1);
        for (size_t i = 0; i < count; i++)
            values[i] = (uint32_t)lam_random_below(random, bound);
        lam_kernels_version(0)->pack_u32(values, width, count, next);
        *bytes = next + groups * width;
        return count;
    }
    uint32_t value = (uint32_t)lam_random_below(random, bound);
    count = 1 + (size_t)lam_random_below(random, lam_random_chance(random, 80) ? 20 : 90);
    if (count >= 64)
        *next++ = (uint8_t)(count << 1 | 0x80);
    *next++ = (uint8_t)(count >= 64 ? count >> 6 : count << 1);
    for (unsigned i = 0; i < (width + 7) / 8; i++)
        *next++ = (uint8_t)(value >> 8 * i);
    for (size_t i = 0; i < count; i++)
        values[i] = value;
    *bytes = next;
    return count;
}

#endif
