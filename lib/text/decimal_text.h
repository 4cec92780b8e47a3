/*
 * Decimals as text: an unscaled integer, printed with exactly `scale` digits behind the point.
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

/* Bytes of the longest unscaled number, redundant sign bytes apart; 9,864 digits. */
#define LAM_DECIMAL_BYTES_MAX 4096

lam_status lam_decimal_print_int64(lam_buffer *buffer, int64_t unscaled, int32_t scale,
                                   lam_error *error);
/* Big-endian two's complement; no bytes are 0. LIMIT when it is longer than LAM_DECIMAL_BYTES_MAX.
 */
lam_status lam_decimal_print_bytes(lam_buffer *buffer, lam_bytes unscaled, int32_t scale,
                                   lam_error *error);

/*
 * Reads a JSON number, with an exponent or without, and appends its unscaled value as big-endian
 * two's complement of the fewest bytes. INVALID, with what was expected, when it has digits other
 * than 0 beyond the scale or more digits than the precision; LIMIT as above.
 */
lam_status lam_decimal_parse(const char *text, size_t size, int32_t precision, int32_t scale,
                             lam_buffer *buffer, lam_error *error);

#endif
