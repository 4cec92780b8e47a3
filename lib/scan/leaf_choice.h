/*
 * Which columns of a row group hold what a projection wants of VARIANTs: of those that it may need,
 * those that hold anything.
 */
#ifndef LAM_SCAN_LEAF_CHOICE_H
#define LAM_SCAN_LEAF_CHOICE_H

#include "file/file_reader.h"
#include "variant/variant_projection.h"

/*
 * Sets an element of `leaves`, one per leaf of the schema. Of each VARIANT with wanted parts at
 * least one leaf stays, which tells where the VARIANT is. Fails when a column is unreadable.
 */
lam_status lam_leaf_choose(const lam_reader *reader, const lam_projection *projection,
                           size_t row_group, bool *leaves, lam_error *error);

#endif
