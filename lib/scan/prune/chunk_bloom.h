/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Bloom filter of a column chunk, read for a few values: of a large filter only the blocks that
 * these values fall into. (BloomFilter.md)
 */
#ifndef LAM_SCAN_PRUNE_CHUNK_BLOOM_H
#define LAM_SCAN_PRUNE_CHUNK_BLOOM_H

#include "scan/prune/claimed_bytes.h"

/* One block of 32 bytes. */
typedef struct lam_bloom_block {
    uint32_t number;
    lam_bytes bits; /* empty if the arena's budget had no room */
} lam_bloom_block;

/* A filter, or the blocks of it that the questions need; all zero is no filter. */
typedef struct lam_chunk_bloom {
    uint32_t block_count;    /* of the entire filter; 0: none, or none to trust */
    const uint8_t *bits;     /* of all blocks; NULL if only some were read: */
    lam_bloom_block *blocks; /* by number; a number may repeat */
    size_t read_count;
    int64_t offset; /* of the first block, in the file */
} lam_chunk_bloom;

/* Values in PLAIN bytes, without length. */
typedef struct lam_bloom_values {
    const lam_bytes *values;
    size_t count;
} lam_bloom_values;

/* The values for which a filter is read. */
typedef struct lam_bloom_questions {
    const lam_bloom_values *lists; /* values that conditions look for */
    size_t list_count;
    lam_bloom_values held; /* values that the chunk holds, by its statistics */
} lam_bloom_questions;

/*
 * Reads as much of a readable chunk's filter as the questions need, in the row group of `claimed`;
 * the chunk's metadata are `column`. A filter counts as absent if it is damaged, of another size
 * than the footer states, overlaps other bytes of the file, lacks a value that the chunk holds, or
 * has no bit set although the chunk has triples. Memory of `arena`. IO and NOMEM are the only
 * failures.
 */
lam_status lam_chunk_bloom_read(lam_claimed_bytes *claimed, size_t leaf_index,
                                const lam_meta_column *column, const lam_bloom_questions *questions,
                                lam_arena *arena, uint64_t *bytes_read, lam_chunk_bloom *ret_bloom,
                                lam_error *error);

/* Gives the 32 bytes of a block; empty if it was not read. */
lam_bytes lam_chunk_bloom_block(const lam_chunk_bloom *bloom, uint32_t number);

/* False if the value, one of those that the filter was read for, is certainly not in the chunk. */
bool lam_chunk_bloom_may_hold(const lam_chunk_bloom *bloom, lam_bytes value);

#endif
