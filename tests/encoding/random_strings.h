/* SPDX-License-Identifier: Apache-2.0 */
/* Byte arrays for trials: each in a heap block of its exact size. */
#ifndef LAM_TESTS_RANDOM_STRINGS_H
#define LAM_TESTS_RANDOM_STRINGS_H

#include <stdlib.h>
#include <string.h>

#include "encoding/round_trip.h"

/* One that shares some of its front with the one before. */
static inline lam_bytes random_string(lam_random *random, lam_bytes before, size_t most) {
    size_t size = lam_random_chance(random, 10) ? 0 : (size_t)lam_random_below(random, most + 1);
    size_t shared = (size_t)lam_random_below(random, before.size + 1);
    if (lam_random_chance(random, 30)) /* all of it, or nothing */
        shared = lam_random_chance(random, 70) ? before.size : 0;
    shared = shared < size ? shared : size;
    if (lam_random_chance(random, 10))
        size = shared;
    uint8_t *data = malloc(size);
    if (shared > 0)
        memcpy(data, before.data, shared);
    for (size_t i = shared; i < size; i++)
        data[i] = (uint8_t)lam_random_next(random) % 4;
    lam_bytes value = {data, size};
    return value;
}

static inline void random_strings(lam_random *random, size_t count, lam_bytes *values) {
    lam_bytes before = {NULL, 0};
    size_t most = (size_t)lam_random_below(random, 40);
    for (size_t i = 0; i < count; i++)
        before = values[i] = random_string(random, before, most);
}

static inline void free_strings(size_t count, lam_bytes *values) {
    for (size_t i = 0; i < count; i++)
        free((void *)values[i].data);
}

#endif
