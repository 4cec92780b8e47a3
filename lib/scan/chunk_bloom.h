/*
 * The Bloom filter of a column chunk, asked for a few values: of a large filter only the blocks
 * that these values fall into are read. (BloomFilter.md)
 */
#ifndef LAM_SCAN_CHUNK_BLOOM_H
#define LAM_SCAN_CHUNK_BLOOM_H

#include "file/file_reader.h"

typedef struct lam_bloom_block {
    uint32_t number;
    lam_bytes bits; /* empty where they have no room */
} lam_bloom_block;

typedef struct lam_chunk_bloom {
    uint32_t block_count;    /* 0: there is no filter, or none that makes sense */
    const uint8_t *bits;     /* of all blocks; NULL when only some were read: */
    lam_bloom_block *blocks; /* in order */
    size_t read_count;
} lam_chunk_bloom;

/* Values in PLAIN bytes, without length. */
typedef struct lam_bloom_values {
    const lam_bytes *values;
    size_t count;
} lam_bloom_values;

typedef struct lam_bloom_questions {
    const lam_bloom_values *lists; /* that are looked for */
    size_t list_count;
    lam_bloom_values held; /* that the chunk has, as its statistics say */
} lam_bloom_questions;

/*
 * Reads what the questions need of the filter of a chunk that can be read. A filter that is
 * damaged, whose size is not what the footer says, that lies where something else does, lacks a
 * value that the chunk has, or has no bit set though the chunk has values, is none. Memory of
 * `arena`; IO and NOMEM are the only failures.
 */
lam_status lam_chunk_bloom_read(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                const lam_bloom_questions *questions, lam_arena *arena,
                                uint64_t *bytes_read, lam_chunk_bloom *ret_bloom, lam_error *error);

/* False when the value, one of those that the filter was read for, is surely not in the chunk. */
bool lam_chunk_bloom_may_hold(const lam_chunk_bloom *bloom, lam_bytes value);

#endif
