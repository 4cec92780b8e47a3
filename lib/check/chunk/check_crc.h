/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of a page. */
#ifndef LAM_CHECK_CHUNK_CHECK_CRC_H
#define LAM_CHECK_CHUNK_CHECK_CRC_H

#include "check/chunk/chunk_check.h"

/* Compares the body with its checksum, if it has one; `*ret_good` is false when they differ. */
lam_status lam_check_crc(lam_chunk_check *chunk, const lam_meta_page_header *header,
                         uint64_t offset, bool *ret_good);

#endif
