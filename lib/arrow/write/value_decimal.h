/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes decimals: two's complement numbers of 32 to 256 bits in memory, numbers or bytes of any
 * length in Parquet.
 */
#ifndef LAM_ARROW_WRITE_VALUE_DECIMAL_H
#define LAM_ARROW_WRITE_VALUE_DECIMAL_H

#include "arrow/field/arrow_field.h"

/* True when the leaf stores decimals of that width as they are in memory. */
bool lam_decimal_is_same(int32_t bit_width, const lam_field *leaf);

/*
 * Converts to INT32 or INT64, or to FIXED_LEN_BYTE_ARRAY, big-endian and of the leaf's length.
 * Returns how many have no more digits than the type's precision, up to the first that has more. If
 * `elements` is NULL, as for a leaf that stores them as they are in memory, only checks.
 */
size_t lam_decimal_convert(const lam_arrow_type *type, const lam_field *leaf, const uint8_t *values,
                           size_t count, uint8_t *elements);

#endif
