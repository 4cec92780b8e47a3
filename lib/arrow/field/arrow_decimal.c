/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knows how many digits a decimal has room for. Takes its width or its precision, and gives those
 * digits, or the smallest power of ten that has more. The invariant: every number of that many
 * digits fits the width, with its sign.
 *
 *     32 bits     9 digits    10^9  < 2^31
 *     64 bits    18 digits    10^18 < 2^63
 *     128 bits   38 digits    10^38 < 2^127
 *     256 bits   76 digits    10^76 < 2^255
 */
#include "arrow/field/arrow_decimal.h"

#include <string.h>

int32_t lam_arrow_decimal_digits(int32_t bit_width) {
    return bit_width == 32    ? 9
           : bit_width == 64  ? 18
           : bit_width == 128 ? 38
           : bit_width == 256 ? 76
                              : 0;
}

/* Limbs are multiplied in halves of 32 bits, so that no product exceeds 64. */
void lam_arrow_decimal_bound(int32_t precision, uint64_t ret_bound[LAM_ARROW_DECIMAL_LIMBS]) {
    memset(ret_bound, 0, LAM_ARROW_DECIMAL_LIMBS * sizeof *ret_bound);
    ret_bound[0] = 1;
    for (int32_t i = 0; i < precision; i++) {
        uint64_t carry = 0;
        for (int at = 0; at < LAM_ARROW_DECIMAL_LIMBS; at++) {
            uint64_t low = (ret_bound[at] & UINT32_MAX) * 10 + carry;
            uint64_t high = (ret_bound[at] >> 32) * 10 + (low >> 32);
            ret_bound[at] = high << 32 | (low & UINT32_MAX);
            carry = high >> 32;
        }
    }
}
