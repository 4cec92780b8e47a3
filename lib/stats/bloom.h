/*
 * Split block Bloom filters. A bitset is a number of blocks of eight 32-bit words, little endian;
 * a hash picks a block by its upper half and one bit in each word by its lower half.
 * (BloomFilter.md, section "Technical Approach")
 */
#ifndef LAM_STATS_BLOOM_H
#define LAM_STATS_BLOOM_H

#include <lamella/common.h>

enum { LAM_BLOOM_BLOCK_SIZE = 32 };

/* The hash of a value: XXH64 with seed 0 of its PLAIN bytes without a length. */
uint64_t lam_bloom_hash(lam_bytes value);

/* The block that a hash picks. `block_count` is at least 1 and below 2^31. */
uint32_t lam_bloom_block_of(uint32_t block_count, uint64_t hash);

void lam_bloom_insert(uint8_t *bitset, uint32_t block_count, uint64_t hash);
/* False means that no such hash was inserted. */
bool lam_bloom_probe(const uint8_t *bitset, uint32_t block_count, uint64_t hash);
/* The same of the block that the hash picks. */
bool lam_bloom_probe_block(const uint8_t *block, uint64_t hash);

/* The probability that a hash that was not inserted is found, by the bits that are set. */
double lam_bloom_false_positives(const uint8_t *bitset, uint32_t block_count);

#endif
