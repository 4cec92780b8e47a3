/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a page. */
#ifndef LAM_CHECK_VALUES_CHECK_VALUES_H
#define LAM_CHECK_VALUES_CHECK_VALUES_H

#include "check/chunk/chunk_check.h"

/*
 * Reads the `count` values of a page into chunk->values.page. `*ret_good` is false when they are
 * damaged or cannot be read; that has been reported then.
 */
lam_status lam_check_values(lam_chunk_check *chunk, const lam_page *page, uint64_t count,
                            lam_check_location location, bool *ret_good);

#endif
