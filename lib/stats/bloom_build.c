/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the size of a Bloom filter and fills it. A block that holds k of n values gives a false
 * positive when all eight words have the bit of the probe:
 *
 *     (1 - (31/32)^k)^8        with k in a Poisson distribution around n / blocks
 *
 * (BloomFilter.md, section "Sizing an SBBF")
 *
 * If the number of distinct values is unknown, the filter is made for as many as were added and
 * then folded while the probability allows: the block of a hash is the upper part of its number, so
 * that in a filter half as large two neighbours become one.
 *
 *     8 blocks    0 1 2 3 4 5 6 7
 *     4 blocks    0|1 2|3 4|5 6|7        block b of 8 is block b / 2 of 4
 */
#include "stats/bloom_build.h"

#include <math.h>

#include "base/bytes.h"
#include "base/error.h"

enum { BLOOM_BUILD_WORDS = LAM_BLOOM_BLOCK_SIZE / 4, WORD_BITS = 32 };

static const uint32_t MOST_BLOCKS = LAM_BLOOM_MOST_BYTES / LAM_BLOOM_BLOCK_SIZE;

void lam_bloom_builder_init(lam_bloom_builder *builder, double fpp, uint64_t distinct_count,
                            const lam_allocator *allocator) {
    builder->fpp = fpp;
    builder->distinct_count = distinct_count;
    LAM_LIST_INIT(&builder->hashes, allocator);
    lam_buffer_init(&builder->bitset, allocator);
}

void lam_bloom_builder_finish(lam_bloom_builder *builder) {
    LAM_LIST_FINISH(&builder->hashes);
    lam_buffer_finish(&builder->bitset);
}

void lam_bloom_builder_restart(lam_bloom_builder *builder) {
    builder->hashes.count = 0;
    lam_buffer_clear(&builder->bitset);
}

lam_status lam_bloom_builder_add(lam_bloom_builder *builder, const lam_value_order *order,
                                 const void *values, size_t count, lam_error *error) {
    uint8_t scratch[LAM_VALUE_SCRATCH];
    if (count == 0) /* the list may have no memory yet */
        return LAM_STATUS_OK;
    LAM_TRY(LAM_LIST_RESERVE(&builder->hashes, count, error));
    uint64_t *hashes = builder->hashes.items + builder->hashes.count;
    for (size_t i = 0; i < count; i++)
        hashes[i] = lam_bloom_hash(lam_value_plain(order, values, i, scratch));
    builder->hashes.count += count;
    return LAM_STATUS_OK;
}

/*
 * Adds up the distribution term by term: each chance follows from the one before. 26,214 values in
 * 1024 blocks give 0.0126, the example of the specification. Blocks of more than FULL values are
 * answered at once, before exp(-mean) becomes too small for a double.
 */
double lam_bloom_fpp(double distinct_count, double block_count) {
    enum { FULL = 512 }; /* values in a block that leave no bit of it clear */
    double mean = distinct_count / block_count, sum = 0;
    if (mean > FULL)
        return 1;
    double most = mean + 12 * sqrt(mean) + 12; /* further terms are negligible */
    double chance = exp(-mean);
    for (double k = 1; k <= most; k++) {
        chance *= mean / k;
        sum += chance * pow(1 - pow(1 - 1.0 / WORD_BITS, k), BLOOM_BUILD_WORDS);
    }
    return sum;
}

/*
 * Finds the smallest power of two that keeps the probability, up to the largest filter. The first
 * loop skips sizes with more values than bits, without computing their sums.
 */
static uint32_t blocks_for(double distinct_count, double fpp) {
    uint32_t blocks = 1;
    while (blocks < MOST_BLOCKS && blocks * 256.0 < distinct_count)
        blocks *= 2; /* too full: it finds almost everything */
    while (blocks < MOST_BLOCKS && lam_bloom_fpp(distinct_count, blocks) > fpp)
        blocks *= 2;
    return blocks;
}

static unsigned bloom_build_count_bits(uint32_t word) {
    unsigned bits = 0;
    for (; word != 0; word &= word - 1)
        bits++;
    return bits;
}

/* Gives the probability that the filter would have with every two neighbouring blocks as one. */
static double fpp_when_folded(const uint8_t *bitset, uint32_t blocks) {
    double sum = 0;
    for (uint32_t i = 0; i < blocks; i += 2) {
        const uint8_t *left = bitset + (size_t)i * LAM_BLOOM_BLOCK_SIZE;
        double chance = 1;
        for (size_t word = 0; word < BLOOM_BUILD_WORDS; word++)
            chance *=
                bloom_build_count_bits(lam_load_le32(left + 4 * word) |
                                       lam_load_le32(left + LAM_BLOOM_BLOCK_SIZE + 4 * word)) /
                (double)WORD_BITS;
        sum += chance;
    }
    return sum / (blocks / 2);
}

/*
 * Unites neighbouring blocks, in place: block i / 2 is never after the two from which it is made.
 */
static void fold(uint8_t *bitset, uint32_t blocks) {
    for (size_t i = 0; i < blocks; i += 2)
        for (size_t byte = 0; byte < LAM_BLOOM_BLOCK_SIZE; byte++)
            bitset[i / 2 * LAM_BLOOM_BLOCK_SIZE + byte] =
                bitset[i * LAM_BLOOM_BLOCK_SIZE + byte] |
                bitset[(i + 1) * LAM_BLOOM_BLOCK_SIZE + byte];
}

/* A stated count is kept even when fewer values came; only an unknown one is folded. */
lam_status lam_bloom_builder_end(lam_bloom_builder *builder, lam_bytes *ret_bitset,
                                 lam_error *error) {
    const uint64_t *hashes = builder->hashes.items;
    size_t count = builder->hashes.count;
    bool is_known = builder->distinct_count != 0;
    uint32_t blocks =
        blocks_for(is_known ? (double)builder->distinct_count : (double)count, builder->fpp);
    size_t size = (size_t)blocks * LAM_BLOOM_BLOCK_SIZE;
    lam_buffer_clear(&builder->bitset);
    LAM_TRY(lam_buffer_reserve(&builder->bitset, size, error));
    memset(builder->bitset.data, 0, size);
    for (size_t i = 0; i < count; i++)
        lam_bloom_insert(builder->bitset.data, blocks, hashes[i]);
    while (!is_known && blocks > 1 &&
           fpp_when_folded(builder->bitset.data, blocks) <= builder->fpp) {
        fold(builder->bitset.data, blocks);
        blocks /= 2;
    }
    builder->bitset.size = (size_t)blocks * LAM_BLOOM_BLOCK_SIZE;
    *ret_bitset = lam_buffer_bytes(&builder->bitset);
    return LAM_STATUS_OK;
}
