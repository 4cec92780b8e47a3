/* SPDX-License-Identifier: Apache-2.0 */
/* ALP pages as ranges. (AlpEncoding.md) */
#ifndef LAM_BYTE_MAP_ENCODINGS_ALP_RANGES_H
#define LAM_BYTE_MAP_ENCODINGS_ALP_RANGES_H

#include "byte_map/walk/byte_walk.h"

/* Reports the values of a page of numbers of `size` bytes, 4 or 8. */
lam_status lam_byte_alp(lam_byte_walk *walk, lam_byte_view view, size_t size, lam_error *error);

#endif
