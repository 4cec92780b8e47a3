/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on the 128-bit numbers inside decimals, in two 64-bit halves, because standard C has
 * no type of that width.
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_DECIMAL_H
#define LAM_VARIANT_VALUE_VARIANT_DECIMAL_H

#include <lamella/variant.h>

#include "base/wrap.h"

/* An unsigned number: high * 2^64 + low. */
typedef struct lam_wide {
    uint64_t high;
    uint64_t low;
} lam_wide;

/* Two's complement: inverts all bits and adds 1, with the carry of the low half. */
LAM_WRAPS static inline lam_wide lam_wide_negate(lam_wide number) {
    lam_wide negative = {~number.high + (number.low == 0), 0 - number.low};
    return negative;
}

static inline bool lam_decimal_is_negative(const lam_decimal *decimal) {
    return decimal->high < 0;
}

/* The absolute value of the unscaled number; it fits even for -2^127, as the result has no sign. */
static inline lam_wide lam_decimal_magnitude(const lam_decimal *decimal) {
    lam_wide bits = {(uint64_t)decimal->high, decimal->low};
    return lam_decimal_is_negative(decimal) ? lam_wide_negate(bits) : bits;
}

/* number * factor + addend, modulo 2^128. */
lam_wide lam_wide_multiply_add(lam_wide number, uint32_t factor, uint32_t addend);

/* Divides by 10 in place and returns the remainder. */
unsigned lam_wide_divide_by_10(lam_wide *number);

/* Decimal digits: 1 for 0, at most 39. */
unsigned lam_wide_digits(lam_wide number);

/*
 * The narrowest kind that may hold as many digits: 9, 18 and 38 are the limits of the format.
 * UNKNOWN above 38. (VariantEncoding.md, "Encoding types")
 */
lam_variant_kind lam_decimal_kind(unsigned digits);

#endif
