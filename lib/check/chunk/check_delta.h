/* SPDX-License-Identifier: Apache-2.0 */
/* Pages in a delta encoding. */
#ifndef LAM_CHECK_CHUNK_CHECK_DELTA_H
#define LAM_CHECK_CHUNK_CHECK_DELTA_H

#include "check/chunk/chunk_check.h"

/* Checks the bit widths of a page in a delta encoding that has been read without failure. */
lam_status lam_check_delta_widths(lam_chunk_check *chunk, const lam_page *page,
                                  lam_check_location location);

#endif
