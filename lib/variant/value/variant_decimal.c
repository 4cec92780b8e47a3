/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiplies, divides and counts digits of 128-bit numbers, for the checks and conversions of
 * decimals.
 *
 * Numbers are split into four limbs of 32 bits, so that every product and every remainder with a
 * limb fits in 64 bits; carries run from the lowest limb up, remainders from the highest down. The
 * invariant: no intermediate value overflows 64 bits. Results are modulo 2^128; callers that must
 * not wrap bound the digits first (38 digits take at most 127 bits).
 */
#include "variant/value/variant_decimal.h"

#include "text/digits.h"

/*
 * Limbs from the lowest up. A limb times the factor is below 2^64 - 2^33 + 2, which leaves room for
 * a carry of 32 bits.
 */
lam_wide lam_wide_multiply_add(lam_wide number, uint32_t factor, uint32_t addend) {
    uint64_t limbs[] = {number.low & 0xFFFFFFFF, number.low >> 32, number.high & 0xFFFFFFFF,
                        number.high >> 32};
    uint64_t carry = addend;
    for (int i = 0; i < 4; i++) {
        carry += limbs[i] * factor;
        limbs[i] = carry & 0xFFFFFFFF;
        carry >>= 32;
    }
    lam_wide product = {limbs[3] << 32 | limbs[2], limbs[1] << 32 | limbs[0]};
    return product;
}

/*
 * Long division, limbs from the highest down: the remainder is below 10, so it fits above the next
 * limb.
 */
unsigned lam_wide_divide_by_10(lam_wide *number) {
    uint64_t limbs[] = {number->high >> 32, number->high & 0xFFFFFFFF, number->low >> 32,
                        number->low & 0xFFFFFFFF};
    uint64_t rest = 0;
    for (int i = 0; i < 4; i++) {
        rest = rest << 32 | limbs[i];
        limbs[i] = rest / 10;
        rest %= 10;
    }
    number->high = limbs[0] << 32 | limbs[1];
    number->low = limbs[2] << 32 | limbs[3];
    return (unsigned)rest;
}

/* Nearly all numbers need 64 bits only; others are compared with powers of ten. */
unsigned lam_wide_digits(lam_wide number) {
    static const lam_wide ten_to_19 = {0, UINT64_C(10000000000000000000)};
    unsigned digits;
    if (number.high == 0)
        return (unsigned)lam_digits_count(number.low);
    lam_wide bound = ten_to_19;
    for (digits = 19; digits < 39; digits++) {
        if (number.high < bound.high || (number.high == bound.high && number.low < bound.low))
            break;
        bound = lam_wide_multiply_add(bound, 10, 0); /* 10^39 wraps, but is never compared */
    }
    return digits;
}

lam_variant_kind lam_decimal_kind(unsigned digits) {
    return digits <= 9    ? LAM_VARIANT_DECIMAL4
           : digits <= 18 ? LAM_VARIANT_DECIMAL8
           : digits <= 38 ? LAM_VARIANT_DECIMAL16
                          : LAM_VARIANT_UNKNOWN;
}
