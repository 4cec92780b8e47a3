#include "variant/variant_decimal.h"

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

unsigned lam_wide_digits(lam_wide number) {
    static const lam_wide ten_to_19 = {0, UINT64_C(10000000000000000000)};
    unsigned digits = 1;
    if (number.high == 0 && number.low < ten_to_19.low) {
        for (uint64_t bound = 10; digits < 19 && number.low >= bound; digits++)
            bound *= 10;
        return digits;
    }
    lam_wide bound = ten_to_19;
    for (digits = 19; digits < 39; digits++) {
        if (number.high < bound.high || (number.high == bound.high && number.low < bound.low))
            break;
        bound = lam_wide_multiply_add(bound, 10, 0); /* 10^39 is beyond, but is not looked at */
    }
    return digits;
}

lam_variant_kind lam_decimal_kind(unsigned digits) {
    return digits <= 9    ? LAM_VARIANT_DECIMAL4
           : digits <= 18 ? LAM_VARIANT_DECIMAL8
           : digits <= 38 ? LAM_VARIANT_DECIMAL16
                          : LAM_VARIANT_UNKNOWN;
}
