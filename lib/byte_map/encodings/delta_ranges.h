/* SPDX-License-Identifier: Apache-2.0 */
/* Delta encodings as ranges: integers, and byte arrays by their lengths and prefixes. */
#ifndef LAM_BYTE_MAP_ENCODINGS_DELTA_RANGES_H
#define LAM_BYTE_MAP_ENCODINGS_DELTA_RANGES_H

#include "byte_map/walk/byte_walk.h"

/* Report the insides of a page's values, in these encodings; `leaf` is their column. */
lam_status lam_byte_delta_binary_packed(lam_byte_walk *walk, lam_byte_view view,
                                        const lam_field *leaf, lam_error *error);
lam_status lam_byte_delta_length(lam_byte_walk *walk, lam_byte_view view, const lam_field *leaf,
                                 lam_error *error);
lam_status lam_byte_delta_byte_array(lam_byte_walk *walk, lam_byte_view view, const lam_field *leaf,
                                     lam_error *error);

#endif
