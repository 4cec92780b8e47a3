/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Division that rounds down, so that the remainder of a negative number counts upwards, too: -1 /
 * 24 is -1, remainder 23.
 */
#ifndef LAM_BASE_FLOOR_DIVIDE_H
#define LAM_BASE_FLOOR_DIVIDE_H

#include <stdint.h>

/*
 * `divisor` is above 0; the remainder is 0 or more and below it. C rounds towards 0, so a negative
 * remainder means that the quotient is one too high.
 */
static inline int64_t lam_floor_divide(int64_t number, int64_t divisor, int64_t *ret_rest) {
    int64_t quotient = number / divisor, rest = number % divisor;
    if (rest < 0) {
        rest += divisor;
        quotient--;
    }
    *ret_rest = rest;
    return quotient;
}

#endif
