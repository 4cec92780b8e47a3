/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calculates with wrapping, where that is the purpose: differences of 64 bits, signs in two's
 * complement, hashes. Takes numbers and gives the result modulo 2^64, which C defines for unsigned
 * ones. Everywhere else an unsigned sum, difference or product that wraps is always a fault.
 * Clang's integer sanitizer finds those (tests/integer), and passes over functions that are marked
 * LAM_WRAPS.
 */
#ifndef LAM_BASE_WRAP_H
#define LAM_BASE_WRAP_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#define LAM_WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define LAM_WRAPS
#endif

LAM_WRAPS static inline uint64_t lam_wrap_add(uint64_t a, uint64_t b) {
    return a + b;
}

/* Between signed numbers, the first being the larger one, this is their distance. */
LAM_WRAPS static inline uint64_t lam_wrap_subtract(uint64_t a, uint64_t b) {
    return a - b;
}

/* A number without its sign; the least int64_t gives 2^63. */
static inline uint64_t lam_magnitude(int64_t number) {
    return number < 0 ? lam_wrap_subtract(0, (uint64_t)number) : (uint64_t)number;
}

/* 0 1 2 3 4 become 0 -1 1 -2 2: the sign is in the lowest bit, so small numbers are short. */
static inline uint64_t lam_from_zigzag(uint64_t number) {
    return number >> 1 ^ lam_wrap_subtract(0, number & 1);
}

static inline uint64_t lam_to_zigzag(uint64_t number) {
    return number << 1 ^ lam_wrap_subtract(0, number >> 63);
}

static inline bool lam_has_several_bits(uint64_t bits) {
    return bits != 0 && (bits & (bits - 1)) != 0;
}

/* There must be one. */
static inline uint32_t lam_lowest_bit(uint32_t bits) {
    return bits & ~(bits - 1);
}

#endif
