/* SPDX-License-Identifier: Apache-2.0 */
/* One data page of a column chunk. */
#ifndef LAM_CHECK_DRIVER_CHECK_PAGE_H
#define LAM_CHECK_DRIVER_CHECK_PAGE_H

#include "check/chunk/chunk_check.h"

/* `offset` is that of the page's header. The walk is past the page. */
lam_status lam_check_data_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                               uint64_t offset);

#endif
