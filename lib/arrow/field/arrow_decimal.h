/* SPDX-License-Identifier: Apache-2.0 */
/* The digits that decimals of Arrow have. */
#ifndef LAM_ARROW_FIELD_ARROW_DECIMAL_H
#define LAM_ARROW_FIELD_ARROW_DECIMAL_H

#include <stdint.h>

enum { LAM_ARROW_DECIMAL_LIMBS = 4 };

/* The most digits of which every number fits as many bits; 0 when no decimal is as wide. */
int32_t lam_arrow_decimal_digits(int32_t bit_width);

/*
 * Gives 10 to the power of a precision, at most 77, above the magnitude of every number that has
 * it: the lowest 64 bits first.
 */
void lam_arrow_decimal_bound(int32_t precision, uint64_t ret_bound[LAM_ARROW_DECIMAL_LIMBS]);

#endif
