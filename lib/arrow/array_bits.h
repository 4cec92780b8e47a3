/* Bits of a validity bitmap: bit i is the lowest but i % 8 of byte i / 8, 1 for a value. */
#ifndef LAM_ARROW_ARRAY_BITS_H
#define LAM_ARROW_ARRAY_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* None of these looks at a byte that has none of the bits. */

static inline bool lam_bit_at(const uint8_t *bits, int64_t index) {
    return (bits[index / 8] >> (index % 8) & 1) != 0;
}

/* How many of `count` bits from `start` on are 0. */
int64_t lam_bits_count_zeros(const uint8_t *bits, int64_t start, int64_t count);

/* The bits as bytes, 0 or 1. */
void lam_bits_to_bytes(const uint8_t *bits, int64_t start, int64_t count, uint8_t *bytes);

#endif
