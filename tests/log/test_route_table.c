/* SPDX-License-Identifier: Apache-2.0 */
#include "log/route_table.h"

#include <criterion/criterion.h>
#include <inttypes.h>

#include "support/failing_alloc.h"
#include "support/random.h"

static bool has(const lam_route_table *table, uint64_t hash, uint32_t number) {
    size_t cursor = (size_t)hash;
    uint32_t found;
    while ((found = lam_route_table_next(table, hash, &cursor)) != UINT32_MAX)
        if (found == number)
            return true;
    return false;
}

/* Few hashes, so that many numbers share one, and neighbours run into each other. */
static uint64_t hash_of(uint32_t number) {
    return number % 7 == 0 ? 5 : UINT64_MAX - number % 50;
}

Test(route_table, all_numbers_are_found_until_they_are_cleared) {
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    lam_allocator allocator = lam_allocator_default();
    lam_route_table table;
    lam_route_table_init(&table, &allocator);
    cr_assert(!has(&table, 5, 0));
    for (int round = 0; round < 200; round++) {
        uint32_t count = (uint32_t)lam_random_below(&random, 300);
        for (uint32_t i = 0; i < count; i++) {
            cr_assert(!has(&table, hash_of(i), i), "seed %" PRIu64, seed);
            cr_assert_eq(lam_route_table_add(&table, hash_of(i), i, NULL), LAM_STATUS_OK);
        }
        for (uint32_t i = 0; i < count; i++) {
            cr_assert(has(&table, hash_of(i), i), "seed %" PRIu64, seed);
            cr_assert(!has(&table, hash_of(i) + 100, i), "seed %" PRIu64, seed);
        }
        lam_route_table_clear(&table);
    }
    lam_route_table_finish(&table);
}

Test(route_table, generations_begin_anew_after_the_last) {
    lam_allocator allocator = lam_allocator_default();
    lam_route_table table;
    lam_route_table_init(&table, &allocator);
    lam_route_table_clear(&table);
    cr_assert_eq(lam_route_table_add(&table, 5, 1, NULL), LAM_STATUS_OK);
    table.generation = UINT32_MAX;
    lam_route_table_clear(&table);
    cr_assert_eq(table.generation, 1);
    cr_assert_eq(lam_route_table_add(&table, 6, 2, NULL), LAM_STATUS_OK);
    lam_route_table_clear(&table);
    cr_assert(!has(&table, 5, 1));
    cr_assert(!has(&table, 6, 2));
    lam_route_table_finish(&table);
}

Test(route_table, a_refused_request_for_memory_loses_nothing) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_route_table table;
    lam_route_table_init(&table, &allocator);
    uint32_t count = 0;
    for (counter.fail_at = 3; lam_route_table_add(&table, count, count, NULL) == LAM_STATUS_OK;)
        count++;
    cr_assert_eq(count, 16);
    for (uint32_t i = 0; i <= count; i++)
        cr_assert_eq(has(&table, i, i), i < count);
    lam_route_table_finish(&table);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(route_table, more_slots_than_memory_can_have_are_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_route_table table;
    lam_route_table_init(&table, &allocator);
    table.slots.size = SIZE_MAX; /* what no memory has */
    table.count = SIZE_MAX;
    cr_assert_eq(lam_route_table_add(&table, 1, 1, NULL), LAM_STATUS_NOMEM);
    table.slots.size = table.count = 0;
    lam_route_table_finish(&table);
}
