/* Instants of more than 64 bits as Arrow timestamps; arrow/instant.h has their bytes. */
#ifndef LAM_ARROW_LEAF_INSTANT_H
#define LAM_ARROW_LEAF_INSTANT_H

#include "arrow/leaf_convert.h"

/* `unit` is that of the timestamps. False when the leaf has no such instants. */
bool lam_leaf_instant_init(lam_leaf_conversion *conversion, const lam_field *leaf,
                           lam_arrow_unit unit);

#endif
