/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of VARIANTs as ranges: dictionaries of names, and values. */
#ifndef LAM_BYTE_MAP_ENCODINGS_VARIANT_RANGES_H
#define LAM_BYTE_MAP_ENCODINGS_VARIANT_RANGES_H

#include "byte_map/walk/byte_walk.h"

/* What the values of a leaf mean in the VARIANT to which the column belongs. */
typedef enum lam_byte_variant {
    LAM_BYTE_VARIANT_NONE, /* not its bytes: a typed_value, or a leaf outside of VARIANTs */
    LAM_BYTE_OF_VARIANT_METADATA,
    LAM_BYTE_OF_VARIANT_VALUE
} lam_byte_variant;

lam_byte_variant lam_byte_variant_of_leaf(const lam_field *leaf);

/* Reports one value of such a leaf: ranges that cover the view, whatever its bytes are. */
lam_status lam_byte_variant_inside(lam_byte_walk *walk, lam_byte_view view, lam_byte_variant role,
                                   lam_error *error);

#endif
