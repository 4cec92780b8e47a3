/* SPDX-License-Identifier: Apache-2.0 */
/* Split block Bloom filters: bits of a hash, the hash itself, and words that other writers made. */
#include "stats/bloom.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "meta/compact.h"
#include "support/random.h"
#include "support/shared.h"

Test(bloom, a_hash_sets_one_bit_in_each_word_of_its_block) {
    uint8_t bitset[4 * LAM_BLOOM_BLOCK_SIZE] = {0};
    /* The upper half picks block (0xC0000000 * 4) >> 32 = 3; the lower half 1 leaves the salts. */
    lam_bloom_insert(bitset, 4, UINT64_C(0xC000000000000001));
    static const uint32_t salts[8] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                      0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};
    uint8_t expected[4 * LAM_BLOOM_BLOCK_SIZE] = {0};
    for (size_t word = 0; word < 8; word++) {
        uint32_t bit = salts[word] >> 27;
        expected[3 * LAM_BLOOM_BLOCK_SIZE + 4 * word + bit / 8] = (uint8_t)(1 << bit % 8);
    }
    cr_assert_eq(memcmp(bitset, expected, sizeof bitset), 0);
}

Test(bloom, the_bits_of_a_hash_are_those_that_inserting_it_sets) {
    lam_random random = lam_random_start(lam_test_seed(3));
    for (int round = 0; round < 1000; round++) {
        uint8_t block[LAM_BLOOM_BLOCK_SIZE] = {0}, bits[LAM_BLOOM_WORDS];
        uint64_t hash = lam_random_next(&random);
        lam_bloom_insert(block, 1, hash);
        lam_bloom_bits_of(hash, bits);
        for (size_t word = 0; word < LAM_BLOOM_WORDS; word++)
            block[4 * word + bits[word] / 8] ^= (uint8_t)(1 << bits[word] % 8);
        for (size_t i = 0; i < sizeof block; i++)
            cr_assert_eq(block[i], 0);
    }
}

Test(bloom, the_hash_is_xxh64_of_the_bytes) {
    /* The values that the specification of xxHash gives for seed 0. */
    cr_assert_eq(lam_bloom_hash((lam_bytes){NULL, 0}), UINT64_C(0xEF46DB3751D8E999));
    cr_assert_eq(lam_bloom_hash((lam_bytes){(const uint8_t *)"abc", 3}),
                 UINT64_C(0x44BC2CF5AD770999));
}

Test(bloom, what_was_inserted_is_found_and_most_of_the_rest_is_not) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (uint32_t blocks = 1; blocks <= 65; blocks += 16) {
        uint8_t bitset[65 * LAM_BLOOM_BLOCK_SIZE] = {0};
        uint64_t hashes[300];
        size_t count = 4 * blocks, wrong = 0;
        for (size_t i = 0; i < count; i++) {
            hashes[i] = lam_random_next(&random);
            lam_bloom_insert(bitset, blocks, hashes[i]);
        }
        for (size_t i = 0; i < count; i++)
            cr_assert(lam_bloom_probe(bitset, blocks, hashes[i]));
        for (int i = 0; i < 1000; i++)
            wrong += lam_bloom_probe(bitset, blocks, lam_random_next(&random));
        cr_assert_lt(wrong, 30);
    }
}

/* A filter that another library wrote. */
Test(bloom, words_of_a_file_of_others_are_found) {
    static const char *const words[] = {"hello", "parquet", "bloom", "filter"};
    size_t size, header_size;
    if (!lam_test_shared_exists("parquet-testing/data/bloom_filter.xxhash.bin"))
        cr_skip_test("no shared file parquet-testing/data/bloom_filter.xxhash.bin");
    char *file =
        lam_test_read_file(lam_test_shared("parquet-testing/data/bloom_filter.xxhash.bin"), &size);
    lam_bytes bytes = {(const uint8_t *)file, size};
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_meta_bloom_filter_header header;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_meta_read_bloom_filter_header(bytes, &arena, &header, &header_size, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(header_size + (size_t)header.num_bytes, size);
    uint32_t blocks = (uint32_t)header.num_bytes / LAM_BLOOM_BLOCK_SIZE;
    const uint8_t *bitset = bytes.data + header_size;
    for (size_t i = 0; i < 4; i++) {
        lam_bytes word = {(const uint8_t *)words[i], strlen(words[i])};
        cr_assert(lam_bloom_probe(bitset, blocks, lam_bloom_hash(word)), "%s", words[i]);
        word.size--;
        cr_assert_not(lam_bloom_probe(bitset, blocks, lam_bloom_hash(word)), "%s", words[i]);
    }
    lam_arena_finish(&arena);
    free(file);
}
