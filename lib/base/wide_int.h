/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole numbers of 128 bits in two's complement, for what does not fit an int64_t. Compilers
 * for 32 bits have no type of that width.
 *
 *     limbs[0] + limbs[1] * 2^32 + limbs[2] * 2^64 + limbs[3] * 2^96
 *
 * In files they are 12 bytes, little-endian two's complement of 96 bits, so that sums and products
 * of such numbers and small ones have room here.
 */
#ifndef LAM_BASE_WIDE_INT_H
#define LAM_BASE_WIDE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAM_WIDE_INT_BYTES = 12 };

typedef struct lam_wide_int {
    uint32_t limbs[4];
} lam_wide_int;

/* Extend the sign of 64 or 96 bits to 128. */
lam_wide_int lam_wide_int_of(int64_t number);
lam_wide_int lam_wide_int_load(const uint8_t bytes[LAM_WIDE_INT_BYTES]);

/* False, with nothing written, when the number needs more than 96 bits, or 64. */
bool lam_wide_int_store(const lam_wide_int *number, uint8_t bytes[LAM_WIDE_INT_BYTES]);
bool lam_wide_int_to_int64(const lam_wide_int *number, int64_t *ret_number);

/* Stores big-endian two's complement of `size` bytes, as of a DECIMAL; higher bytes are dropped. */
void lam_wide_int_store_big(const lam_wide_int *number, uint8_t *bytes, size_t size);

/* number * factor + summand; only the lowest 128 bits are kept. */
lam_wide_int lam_wide_int_multiply_add(const lam_wide_int *number, uint32_t factor,
                                       int64_t summand);

/* Rounds down; `divisor` is above 0, and the remainder is 0 or more and below it. */
lam_wide_int lam_wide_int_divide(const lam_wide_int *number, uint32_t divisor, uint32_t *ret_rest);

/*
 * Less than, exactly or more than 0 as the number in `a` is less than, equal to or more than that
 * in `b`.
 */
int lam_wide_int_compare(const uint8_t a[LAM_WIDE_INT_BYTES], const uint8_t b[LAM_WIDE_INT_BYTES]);

#endif
