/* SPDX-License-Identifier: Apache-2.0 */
/* Levels that the columns of one group must share. */
#ifndef LAM_CHECK_CHUNK_CHECK_LEVEL_DIGESTS_H
#define LAM_CHECK_CHUNK_CHECK_LEVEL_DIGESTS_H

#include "check/chunk/chunk_check.h"

/* Finds the groups above the leaf that it shares with other leaves. */
void lam_level_check_init(lam_level_check *levels, const lam_field *leaf);
/* Adds `count` triples of the same levels to the hash of each such group. */
void lam_check_add_level_digest(lam_level_check *levels, uint8_t r, uint8_t d, uint64_t count);
/* After all levels: compares the hashes with those of the leaves before, in each shared group. */
lam_status lam_check_level_digests(lam_chunk_check *chunk);

#endif
