/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calculates with numbers of 128 bits, for TIMESTAMPs of 96 bits and DECIMALs of up to 38 digits
 * (LogicalTypes.md, "TIMESTAMP", "DECIMAL"). Numbers come in and go out as four limbs of 32 bits,
 * the least significant first, in two's complement; the 12 bytes of a file have three of them.
 *
 * Multiplication and division are long, by one limb, as on paper. A negative number x is divided as
 * ~x = -x - 1, which is not negative: if ~x = q * d + r with 0 <= r < d, then x = ~q * d + (d - 1 -
 * r), and that remainder is always in the same range.
 */
#include "base/wide_int.h"

#include "base/bytes.h"

enum { WIDE_INT_LIMBS = 4 };

/* The limb that extends the sign of `top`: all zeros or all ones. */
static uint32_t sign_limb(uint32_t top) {
    return top >> 31 != 0 ? UINT32_MAX : 0;
}

lam_wide_int lam_wide_int_of(int64_t number) {
    uint64_t bits = (uint64_t)number;
    lam_wide_int wide = {{(uint32_t)bits, (uint32_t)(bits >> 32), 0, 0}};
    wide.limbs[2] = wide.limbs[3] = sign_limb(wide.limbs[1]);
    return wide;
}

lam_wide_int lam_wide_int_load(const uint8_t bytes[LAM_WIDE_INT_BYTES]) {
    lam_wide_int wide = {
        {lam_load_le32(bytes), lam_load_le32(bytes + 4), lam_load_le32(bytes + 8)}};
    wide.limbs[3] = sign_limb(wide.limbs[2]);
    return wide;
}

/* 96 bits hold the number when the fourth limb only repeats the sign. */
bool lam_wide_int_store(const lam_wide_int *number, uint8_t bytes[LAM_WIDE_INT_BYTES]) {
    if (number->limbs[3] != sign_limb(number->limbs[2]))
        return false;
    for (int i = 0; i < 3; i++)
        lam_store_le32(bytes + 4 * i, number->limbs[i]);
    return true;
}

bool lam_wide_int_to_int64(const lam_wide_int *number, int64_t *ret_number) {
    uint32_t sign = sign_limb(number->limbs[1]);
    if (number->limbs[2] != sign || number->limbs[3] != sign)
        return false;
    *ret_number = (int64_t)((uint64_t)number->limbs[1] << 32 | number->limbs[0]);
    return true;
}

void lam_wide_int_store_big(const lam_wide_int *number, uint8_t *bytes, size_t size) {
    uint8_t sign = (uint8_t)sign_limb(number->limbs[WIDE_INT_LIMBS - 1]);
    for (size_t i = 0; i < size; i++)
        bytes[size - 1 - i] =
            i / 4 < WIDE_INT_LIMBS ? (uint8_t)(number->limbs[i / 4] >> (i % 4 * 8)) : sign;
}

/* One pass from the lowest limb: the product of a limb, the carry, and the limb of the summand. */
lam_wide_int lam_wide_int_multiply_add(const lam_wide_int *number, uint32_t factor,
                                       int64_t summand) {
    lam_wide_int result, more = lam_wide_int_of(summand);
    uint64_t carry = 0;
    for (int i = 0; i < WIDE_INT_LIMBS; i++) {
        carry += (uint64_t)number->limbs[i] * factor; /* below 2^64 with a carry below 2^32 */
        uint64_t low = (carry & UINT32_MAX) + more.limbs[i];
        result.limbs[i] = (uint32_t)low;
        carry = (carry >> 32) + (low >> 32);
    }
    return result;
}

/* From the highest limb; `rest` is below `divisor`, so each partial quotient fits a limb. */
lam_wide_int lam_wide_int_divide(const lam_wide_int *number, uint32_t divisor, uint32_t *ret_rest) {
    uint32_t sign = sign_limb(number->limbs[3]);
    lam_wide_int quotient;
    uint64_t rest = 0;
    for (int i = WIDE_INT_LIMBS; i-- > 0;) {
        rest = rest << 32 | (number->limbs[i] ^ sign);
        quotient.limbs[i] = (uint32_t)(rest / divisor) ^ sign;
        rest %= divisor;
    }
    *ret_rest = sign != 0 ? divisor - 1 - (uint32_t)rest : (uint32_t)rest;
    return quotient;
}

/* Only the top limb has the sign; the lower 64 bits compare as unsigned. */
int lam_wide_int_compare(const uint8_t a[LAM_WIDE_INT_BYTES], const uint8_t b[LAM_WIDE_INT_BYTES]) {
    int32_t a_top = (int32_t)lam_load_le32(a + 8), b_top = (int32_t)lam_load_le32(b + 8);
    uint64_t a_rest = lam_load_le64(a), b_rest = lam_load_le64(b);
    if (a_top != b_top)
        return a_top < b_top ? -1 : 1;
    return (a_rest > b_rest) - (a_rest < b_rest);
}
