/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating-point numbers as decimal integers and back: the arithmetic of ALP. (AlpEncoding.md,
 * sections "Encoding Formula" and "Exception Detection")
 *
 *     integer = round(number * 10^exponent * 10^-factor)
 *     number  = integer * 10^factor * 10^-exponent
 *
 * The second line is fixed by the format, product by product in the precision of the type. A number
 * that does not come back bit for bit is an exception: NaN, infinities and -0.0 always are.
 */
#ifndef LAM_ENCODING_ALP_DECIMAL_H
#define LAM_ENCODING_ALP_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum { LAM_ALP_MAX_EXPONENT_32 = 10, LAM_ALP_MAX_EXPONENT_64 = 18 };

/*
 * The exponent moves all decimals in front of the point; the factor drops zeros that this leaves at
 * the end. The factor is at most the exponent.
 */
typedef struct lam_alp_scale {
    uint8_t exponent;
    uint8_t factor;
} lam_alp_scale;

/* Integers are `frame` plus the stored numbers, modulo 2^32 or 2^64, in two's complement. */
void lam_alp_to_floats(const uint32_t *stored, size_t count, uint32_t frame, lam_alp_scale scale,
                       float *numbers);
void lam_alp_to_doubles(const uint64_t *stored, size_t count, uint64_t frame, lam_alp_scale scale,
                        double *numbers);

/*
 * Fills `integers`, and `exceptions` with the rising positions of the numbers that do not come
 * back; returns their number. Both arrays have room for `count`, at most 65536.
 */
size_t lam_alp_from_floats(const float *numbers, size_t count, lam_alp_scale scale,
                           uint32_t *integers, uint16_t *exceptions);
size_t lam_alp_from_doubles(const double *numbers, size_t count, lam_alp_scale scale,
                            uint64_t *integers, uint16_t *exceptions);

#endif
