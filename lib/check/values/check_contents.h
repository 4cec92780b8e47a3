/* SPDX-License-Identifier: Apache-2.0 */
/* Values that have a format of their own. */
#ifndef LAM_CHECK_VALUES_CHECK_CONTENTS_H
#define LAM_CHECK_VALUES_CHECK_CONTENTS_H

#include "check/chunk/chunk_check.h"

/* From the leaf's logical type, or its position in a VARIANT. */
lam_content lam_content_of(const lam_field *leaf);
/* Checks values that are JSON, BSON, geometries or metadata of a VARIANT. */
lam_status lam_check_contents(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_location location);

#endif
