/* SPDX-License-Identifier: Apache-2.0 */
/* The Bloom filter of a column chunk. */
#ifndef LAM_CHECK_CHUNK_CHECK_BLOOM_H
#define LAM_CHECK_CHUNK_CHECK_BLOOM_H

#include "check/chunk/chunk_check.h"

/* Reads the Bloom filter, so that values can be looked up in it. */
lam_status lam_check_open_bloom(lam_chunk_check *chunk);

#endif
