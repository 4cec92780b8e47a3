/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads bits of a validity bitmap: bit i is bit i % 8, from the lowest, of byte i / 8; 1 is a
 * value.
 */
#ifndef LAM_ARROW_ARRAY_ARRAY_BITS_H
#define LAM_ARROW_ARRAY_ARRAY_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel.h"

/* None of these reads a byte that holds none of the requested bits. */

static inline bool lam_bit_at(const uint8_t *bits, int64_t index) {
    return (bits[index / 8] >> (index % 8) & 1) != 0;
}

/* Counts the zeros, which are nulls, among `count` bits from `start` on. */
int64_t lam_bits_count_zeros(const uint8_t *bits, int64_t start, int64_t count);

/* Writes each bit as a byte, 0 or 1. */
void lam_bits_to_bytes(const lam_kernels *kernels, const uint8_t *bits, int64_t start,
                       int64_t count, uint8_t *bytes);

#endif
