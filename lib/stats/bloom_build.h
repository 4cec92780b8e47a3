/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the Bloom filter of a column chunk that is being written. Hashes are kept until the chunk
 * ends, because only then the size of the filter is known.
 */
#ifndef LAM_STATS_BLOOM_BUILD_H
#define LAM_STATS_BLOOM_BUILD_H

#include "base/buffer.h"
#include "base/list.h"
#include "stats/bloom.h"
#include "stats/value_order.h"

/* Bounds a bitset: as much as other readers accept. */
enum { LAM_BLOOM_MOST_BYTES = 128 << 20 };

typedef struct lam_bloom_builder {
    double fpp;                /* probability of a false positive, between 0 and 1 */
    uint64_t distinct_count;   /* that the caller expects; 0 when unknown */
    LAM_LIST(uint64_t) hashes; /* one for each value, duplicates included */
    lam_buffer bitset;         /* made by end */
} lam_bloom_builder;

void lam_bloom_builder_init(lam_bloom_builder *builder, double fpp, uint64_t distinct_count,
                            const lam_allocator *allocator);
void lam_bloom_builder_finish(lam_bloom_builder *builder);
/* Starts the filter of the next chunk. */
void lam_bloom_builder_restart(lam_bloom_builder *builder);

/* Adds the hashes of `count` elements of lam_triples.values. NOMEM. */
lam_status lam_bloom_builder_add(lam_bloom_builder *builder, const lam_value_order *order,
                                 const void *values, size_t count, lam_error *error);

/*
 * Makes the bitset, whose bytes are a power of two, as other readers require: for `distinct_count`
 * values if that is known, otherwise the smallest that keeps the probability for the values that
 * were added. Borrowed until restart or finish. NOMEM.
 */
lam_status lam_bloom_builder_end(lam_bloom_builder *builder, lam_bytes *ret_bitset,
                                 lam_error *error);

/*
 * Gives the probability that a filter of `block_count` blocks with `distinct_count` values finds
 * one that was not inserted.
 */
double lam_bloom_fpp(double distinct_count, double block_count);

#endif
