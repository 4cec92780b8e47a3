/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts timestamps of 96 bits to Arrow timestamps of 64; arrow/array/instant.h describes their
 * bytes.
 */
#ifndef LAM_ARROW_READ_LEAF_INSTANT_H
#define LAM_ARROW_READ_LEAF_INSTANT_H

#include "arrow/read/leaf_convert.h"

/* Sets the conversion to timestamps of `unit`. False when the leaf has no such instants. */
bool lam_leaf_instant_init(lam_leaf_conversion *conversion, const lam_field *leaf,
                           lam_arrow_unit unit);

#endif
