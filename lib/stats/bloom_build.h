/*
 * The Bloom filter of a column chunk that is being written. Hashes are kept until the chunk ends,
 * because only then it is known how large the filter has to be.
 */
#ifndef LAM_STATS_BLOOM_BUILD_H
#define LAM_STATS_BLOOM_BUILD_H

#include "base/buffer.h"
#include "stats/bloom.h"
#include "stats/value_order.h"

enum { LAM_BLOOM_MOST_BYTES = 128 << 20 }; /* of a bitset, as much as other readers take */

typedef struct lam_bloom_builder {
    double fpp;              /* probability of a false positive, above 0 and below 1 */
    uint64_t distinct_count; /* that the caller expects; 0 when it does not know */
    lam_buffer hashes;       /* uint64_t */
    lam_buffer bitset;
} lam_bloom_builder;

void lam_bloom_builder_init(lam_bloom_builder *builder, double fpp, uint64_t distinct_count,
                            const lam_allocator *allocator);
void lam_bloom_builder_finish(lam_bloom_builder *builder);
/* Starts the filter of the next chunk. */
void lam_bloom_builder_restart(lam_bloom_builder *builder);

/* Adds `count` elements of lam_triples.values. NOMEM. */
lam_status lam_bloom_builder_add(lam_bloom_builder *builder, const lam_value_order *order,
                                 const void *values, size_t count, lam_error *error);

/*
 * Makes the bitset, of a power of two of bytes as other readers want it: for `distinct_count`
 * values, or the smallest that keeps the probability for those that were added. Borrowed until
 * restart or finish. NOMEM.
 */
lam_status lam_bloom_builder_end(lam_bloom_builder *builder, lam_bytes *ret_bitset,
                                 lam_error *error);

/* The probability that a filter of so many blocks finds a value that is not among so many. */
double lam_bloom_fpp(double distinct_count, double block_count);

#endif
