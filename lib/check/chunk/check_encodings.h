/* SPDX-License-Identifier: Apache-2.0 */
/* Which encodings the pages have, and which the footer names. */
#ifndef LAM_CHECK_CHUNK_CHECK_ENCODINGS_H
#define LAM_CHECK_CHUNK_CHECK_ENCODINGS_H

#include "check/chunk/chunk_check.h"

/* The bit of an encoding in a set; 0 for numbers that the set cannot hold. */
uint32_t lam_check_encoding_bit(int32_t encoding);
/* Counts a page for encoding_stats. */
lam_status lam_check_count_encoding(lam_chunk_check *chunk, int32_t page_type, int32_t encoding);
/* After all pages are counted: compares their encodings with the footer's. */
lam_status lam_check_encodings(lam_chunk_check *chunk);

#endif
