/* SPDX-License-Identifier: Apache-2.0 */
/* Values, each by itself. */
#ifndef LAM_CHECK_VALUES_CHECK_SINGLE_VALUES_H
#define LAM_CHECK_VALUES_CHECK_SINGLE_VALUES_H

#include "check/chunk/chunk_check.h"

/*
 * Checks what concerns each value by itself: its logical type and content, the Bloom filter, the
 * deprecated bounds.
 */
lam_status lam_check_single_values(lam_chunk_check *chunk, const void *values, size_t count,
                                   lam_check_location location);

#endif
