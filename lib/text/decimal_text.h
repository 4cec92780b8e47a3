/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimals as text: an unscaled integer, printed with exactly `scale` digits after the point.
 * (LogicalTypes.md, section "DECIMAL")
 *
 *     unscaled   scale   text
 *     12345      2       123.45
 *     -5         2       -0.05
 *     7          0       7
 */
#ifndef LAM_TEXT_DECIMAL_TEXT_H
#define LAM_TEXT_DECIMAL_TEXT_H

#include "base/buffer.h"

/* Bytes of the longest unscaled number, redundant sign bytes not counted; 9,864 digits. */
#define LAM_DECIMAL_BYTES_MAX 4096

/* Appends an unscaled integer of 64 bits. LIMIT for a scale above 9,864. */
lam_status lam_decimal_print_int64(lam_buffer *buffer, int64_t unscaled, int32_t scale,
                                   lam_error *error);
/*
 * Big-endian two's complement; no bytes are 0. LIMIT when the number is longer than
 * LAM_DECIMAL_BYTES_MAX, or the scale is above 9,864.
 */
lam_status lam_decimal_print_bytes(lam_buffer *buffer, lam_bytes unscaled, int32_t scale,
                                   lam_error *error);

/*
 * Parses a JSON number, with or without an exponent, and appends its unscaled value as big-endian
 * two's complement of the fewest bytes. INVALID, with what was expected, for digits other than 0
 * beyond the scale, or more digits than the precision; LIMIT for more than 9,864 digits.
 */
lam_status lam_decimal_parse(const char *text, size_t size, int32_t precision, int32_t scale,
                             lam_buffer *buffer, lam_error *error);

#endif
