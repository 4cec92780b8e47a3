/* Arithmetic of the 128-bit numbers inside decimals, without a type of that width. */
#ifndef LAM_VARIANT_VARIANT_DECIMAL_H
#define LAM_VARIANT_VARIANT_DECIMAL_H

#include <lamella/variant.h>

/* A number without sign, high * 2^64 + low. */
typedef struct lam_wide {
    uint64_t high;
    uint64_t low;
} lam_wide;

static inline lam_wide lam_wide_negate(lam_wide number) {
    lam_wide negative = {~number.high + (number.low == 0), 0 - number.low};
    return negative;
}

static inline bool lam_decimal_is_negative(const lam_decimal *decimal) {
    return decimal->high < 0;
}

static inline lam_wide lam_decimal_magnitude(const lam_decimal *decimal) {
    lam_wide bits = {(uint64_t)decimal->high, decimal->low};
    return lam_decimal_is_negative(decimal) ? lam_wide_negate(bits) : bits;
}

/* number * factor + addend, modulo 2^128. */
lam_wide lam_wide_multiply_add(lam_wide number, uint32_t factor, uint32_t addend);

/* Divides by 10 in place and returns the rest. */
unsigned lam_wide_divide_by_10(lam_wide *number);

/* Decimal digits: 1 for 0, at most 39. */
unsigned lam_wide_digits(lam_wide number);

/* The kind of the fewest bytes that may hold so many digits; UNKNOWN above 38. */
lam_variant_kind lam_decimal_kind(unsigned digits);

#endif
