/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inserts into and probes a split block Bloom filter. Takes a bitset as the format lays it out and
 * 64-bit hashes; works on the bytes in place, on machines of either byte order. (BloomFilter.md,
 * "Technical Approach")
 *
 *     hash  hhhhhhhh llllllll
 *     block     h * block_count / 2^32              scales h to the blocks without a division
 *     bit of i  the upper 5 bits of l * SALT[i]     0 to 31, in word i of the block
 *
 * Bits are only ever set, so a hash that was inserted is always found.
 */
#include "stats/bloom.h"

#include <xxhash.h>

#include "base/bytes.h"
#include "base/wrap.h"

/* The eight odd constants that the specification fixes, one for each word. */
static const uint32_t SALT[LAM_BLOOM_WORDS] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                               0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};

uint64_t lam_bloom_hash(lam_bytes value) {
    return XXH64(value.data, value.size, 0);
}

uint32_t lam_bloom_block_of(uint32_t block_count, uint64_t hash) {
    return (uint32_t)((hash >> 32) * block_count >> 32);
}

/* The byte offset of the block of a hash. */
static size_t bloom_block_at(uint32_t block_count, uint64_t hash) {
    return (size_t)lam_bloom_block_of(block_count, hash) * LAM_BLOOM_BLOCK_SIZE;
}

/* The bit of a hash in a word of its block: the upper 5 bits of the product modulo 2^32. */
LAM_WRAPS static uint32_t bit_of(uint64_t hash, size_t word) {
    return (uint32_t)hash * SALT[word] >> 27;
}

static uint32_t mask_of(uint64_t hash, size_t word) {
    return UINT32_C(1) << bit_of(hash, word);
}

void lam_bloom_bits_of(uint64_t hash, uint8_t ret_bits[LAM_BLOOM_WORDS]) {
    for (size_t i = 0; i < LAM_BLOOM_WORDS; i++)
        ret_bits[i] = (uint8_t)bit_of(hash, i);
}

void lam_bloom_insert(uint8_t *bitset, uint32_t block_count, uint64_t hash) {
    uint8_t *block = bitset + bloom_block_at(block_count, hash);
    for (size_t i = 0; i < LAM_BLOOM_WORDS; i++)
        lam_store_le32(block + 4 * i, lam_load_le32(block + 4 * i) | mask_of(hash, i));
}

bool lam_bloom_probe(const uint8_t *bitset, uint32_t block_count, uint64_t hash) {
    return lam_bloom_probe_block(bitset + bloom_block_at(block_count, hash), hash);
}

/* Collects missing bits over all words and tests once, rather than branching at each word. */
bool lam_bloom_probe_block(const uint8_t *block, uint64_t hash) {
    uint32_t missing = 0;
    for (size_t i = 0; i < LAM_BLOOM_WORDS; i++)
        missing |= ~lam_load_le32(block + 4 * i) & mask_of(hash, i);
    return missing == 0;
}

/* Counts the bits of a word, one round for each bit that is set. */
static unsigned stats_bloom_count_bits(uint32_t word) {
    unsigned bits = 0;
    for (; word != 0; word &= word - 1)
        bits++;
    return bits;
}

/*
 * A hash picks each block with the same probability, and in each of its words one bit of 32: it is
 * found if all eight bits are set. The result is the mean over the blocks.
 */
double lam_bloom_false_positives(const uint8_t *bitset, uint32_t block_count) {
    double sum = 0;
    for (size_t block = 0; block < block_count; block++) {
        double found = 1;
        for (size_t i = 0; i < LAM_BLOOM_WORDS; i++)
            found *= stats_bloom_count_bits(
                         lam_load_le32(bitset + block * LAM_BLOOM_BLOCK_SIZE + 4 * i)) /
                     32.0;
        sum += found;
    }
    return sum / block_count;
}
