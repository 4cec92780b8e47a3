/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in the byte order of this machine, as Arrow has them, looked at without the library. */
#ifndef LAM_TESTS_HOST_ORDER_H
#define LAM_TESTS_HOST_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Where byte i of a number of `width` bytes lies, counted from the lowest one. */
static inline size_t lam_test_byte_place(size_t width, size_t i) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1 ? i : width - 1 - i;
}

/* The lowest 64 bits of a number at any address. */
static inline uint64_t lam_test_load(const void *number, size_t width) {
    uint64_t x = 0;
    for (size_t i = 0; i < width && i < sizeof x; i++)
        x |= (uint64_t)((const uint8_t *)number)[lam_test_byte_place(width, i)] << 8 * i;
    return x;
}

/* What does not fit is lost; what is too wide is filled up with 0. */
static inline void lam_test_store(void *number, size_t width, uint64_t x) {
    for (size_t i = 0; i < width; i++)
        ((uint8_t *)number)[lam_test_byte_place(width, i)] =
            i < sizeof x ? (uint8_t)(x >> 8 * i) : 0;
}

#endif
