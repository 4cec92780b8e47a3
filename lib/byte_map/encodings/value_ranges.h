/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a page as ranges, by their encoding. */
#ifndef LAM_BYTE_MAP_ENCODINGS_VALUE_RANGES_H
#define LAM_BYTE_MAP_ENCODINGS_VALUE_RANGES_H

#include "byte_map/walk/byte_walk.h"

/* What is known about the values of a page. */
typedef struct lam_byte_values {
    lam_encoding encoding;
    const lam_field *leaf;
    uint64_t count; /* values that the page should have */
} lam_byte_values;

/* Reports the values that a view has. Bytes after them are UNKNOWN. */
lam_status lam_byte_values_of(lam_byte_walk *walk, lam_byte_view view,
                              const lam_byte_values *values, lam_error *error);

#endif
