/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index by hashes finds every number until it is cleared, although many share a hash and
 * requests for memory fail.
 */
#include "base/hash_index.h"

#include <criterion/criterion.h>
#include <inttypes.h>

#include "support/failing_alloc.h"
#include "support/random.h"

static bool has(const lam_hash_index *index, uint32_t hash, uint32_t number) {
    uint32_t found;
    LAM_HASH_INDEX_FIND(index, hash, found, found == number);
    return found != LAM_HASH_INDEX_NONE;
}

/* Few hashes, so that many numbers share one, and neighbours run into each other. */
static uint32_t hash_of(uint32_t number) {
    return number % 7 == 0 ? 5 : UINT32_MAX - number % 50;
}

Test(hash_index, all_numbers_are_found_until_they_are_cleared) {
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    lam_allocator allocator = lam_allocator_default();
    lam_hash_index index;
    lam_hash_index_init(&index, &allocator);
    cr_assert(!has(&index, 5, 0));
    for (int round = 0; round < 200; round++) {
        uint32_t count = (uint32_t)lam_random_below(&random, 300);
        for (uint32_t i = 0; i < count; i++) {
            cr_assert(!has(&index, hash_of(i), i), "seed %" PRIu64, seed);
            cr_assert_eq(lam_hash_index_add(&index, hash_of(i), i, NULL), LAM_STATUS_OK);
        }
        for (uint32_t i = 0; i < count; i++) {
            cr_assert(has(&index, hash_of(i), i), "seed %" PRIu64, seed);
            cr_assert(!has(&index, hash_of(i) + 100, i), "seed %" PRIu64, seed);
        }
        lam_hash_index_clear(&index);
    }
    lam_hash_index_finish(&index);
}

Test(hash_index, generations_begin_anew_after_the_last) {
    lam_allocator allocator = lam_allocator_default();
    lam_hash_index index;
    lam_hash_index_init(&index, &allocator);
    lam_hash_index_clear(&index);
    cr_assert_eq(lam_hash_index_add(&index, 5, 1, NULL), LAM_STATUS_OK);
    index.generation = UINT32_MAX;
    lam_hash_index_clear(&index);
    cr_assert_eq(index.generation, 1);
    cr_assert_eq(lam_hash_index_add(&index, 6, 2, NULL), LAM_STATUS_OK);
    lam_hash_index_clear(&index);
    cr_assert(!has(&index, 5, 1));
    cr_assert(!has(&index, 6, 2));
    lam_hash_index_finish(&index);
}

Test(hash_index, a_refused_request_for_memory_loses_nothing) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_hash_index index;
    lam_hash_index_init(&index, &allocator);
    uint32_t count = 0;
    for (counter.fail_at = 3; lam_hash_index_add(&index, count, count, NULL) == LAM_STATUS_OK;)
        count++;
    cr_assert_eq(count, 16);
    for (uint32_t i = 0; i <= count; i++)
        cr_assert_eq(has(&index, i, i), i < count);
    lam_hash_index_finish(&index);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(hash_index, more_slots_than_memory_can_have_are_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_hash_index index;
    lam_hash_index_init(&index, &allocator);
    index.slot_count = SIZE_MAX / 2; /* what no memory has */
    index.count = SIZE_MAX;
    cr_assert_eq(lam_hash_index_add(&index, 1, 1, NULL), LAM_STATUS_NOMEM);
    index.slot_count = index.count = 0;
    lam_hash_index_finish(&index);
}

/* What a stranger can compute here must not be what another index, or another run, does. */
Test(hash_index, each_index_has_hashes_of_its_own) {
    lam_allocator allocator = lam_allocator_default();
    lam_hash_index one, other;
    lam_hash_index_init(&one, &allocator);
    lam_hash_index_init(&other, &allocator);
    size_t equal = 0;
    for (uint32_t i = 0; i < 100; i++) {
        const uint32_t hash = lam_hash_index_hash(&one, &i, sizeof i);
        cr_assert_eq(hash, lam_hash_index_hash(&one, &i, sizeof i));
        cr_assert_eq(hash, lam_hash_index_hash_below(&one, 0, &i, sizeof i));
        equal += hash == lam_hash_index_hash(&other, &i, sizeof i);
        equal += hash == lam_hash_index_hash_below(&one, 1, &i, sizeof i);
    }
    cr_assert_leq(equal, 1); /* two in 2^32 by chance, hundreds if they have one key */
    cr_assert_eq(lam_hash_index_hash(&one, NULL, 0), lam_hash_index_hash(&one, "", 0));
    lam_hash_index_finish(&one);
    lam_hash_index_finish(&other);
}
