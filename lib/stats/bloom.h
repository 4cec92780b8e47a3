/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Split block Bloom filters. A bitset is a number of blocks of eight 32-bit words, little endian; a
 * hash picks a block by its upper half and one bit in each word by its lower half. (BloomFilter.md,
 * section "Technical Approach")
 *
 *     block 0                    block 1
 *     word 0 | word 1 | ... 7    word 0 | ...        32 bytes per block
 */
#ifndef LAM_STATS_BLOOM_H
#define LAM_STATS_BLOOM_H

#include <lamella/common.h>

enum { LAM_BLOOM_BLOCK_SIZE = 32 };

/* Hashes a value: XXH64 with seed 0 of its PLAIN bytes, without the length of a BYTE_ARRAY. */
uint64_t lam_bloom_hash(lam_bytes value);

/* Gives the block that a hash picks. `block_count` is at least 1 and below 2^31. */
uint32_t lam_bloom_block_of(uint32_t block_count, uint64_t hash);

/* Gives the bit of each of the block's words that a hash picks, 0 to 31. */
enum { LAM_BLOOM_WORDS = 8 };
void lam_bloom_bits_of(uint64_t hash, uint8_t ret_bits[LAM_BLOOM_WORDS]);

/* Sets the eight bits of a hash. The bitset has `block_count` blocks. */
void lam_bloom_insert(uint8_t *bitset, uint32_t block_count, uint64_t hash);
/* False means that no such hash was inserted. */
bool lam_bloom_probe(const uint8_t *bitset, uint32_t block_count, uint64_t hash);
/* The same for the one block that the hash picks, when the rest of the bitset is not in memory. */
bool lam_bloom_probe_block(const uint8_t *block, uint64_t hash);

/* Gives the probability that a hash which was not inserted is found, from the bits that are set. */
double lam_bloom_false_positives(const uint8_t *bitset, uint32_t block_count);

#endif
