/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of a page. */
#ifndef LAM_CHECK_CHUNK_CHECK_LEVELS_H
#define LAM_CHECK_CHUNK_CHECK_LEVELS_H

#include "check/chunk/chunk_check.h"

/*
 * Reads all levels of a page into the histograms of chunk->values.page. `*ret_good` is false when
 * they are damaged; that has been reported then.
 */
lam_status lam_check_levels(lam_chunk_check *chunk, const lam_page *page,
                            lam_check_location location, lam_page_levels *ret_levels,
                            bool *ret_good);

#endif
