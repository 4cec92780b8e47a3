/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts decimals from their Parquet forms to Arrow's: two's complement in the byte order of the
 * machine.
 */
#ifndef LAM_ARROW_READ_LEAF_DECIMAL_H
#define LAM_ARROW_READ_LEAF_DECIMAL_H

#include "arrow/read/leaf_convert.h"

/* As lam_leaf_conversion_init, for a type of kind DECIMAL. */
lam_status lam_leaf_decimal_init(lam_leaf_conversion *conversion, const lam_field *leaf,
                                 const lam_arrow_type *type, lam_error *error);

#endif
