/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of records that are being shredded stay where they are, and go when their record is
 * dropped.
 */
#include "dremel/byte_store.h"

#include <criterion/criterion.h>

#include "support/failing_alloc.h"
#include "support/random.h"

static const uint8_t *push(lam_byte_store *store, const lam_allocator *allocator, uint8_t fill,
                           size_t size) {
    static uint8_t bytes[100000];
    memset(bytes, fill, size);
    const uint8_t *copy = NULL;
    lam_bytes view = {bytes, size};
    cr_assert_eq(lam_byte_store_push(store, view, allocator, &copy, NULL), LAM_STATUS_OK);
    return copy;
}

Test(byte_store, bytes_stay_where_they_are) {
    enum { COUNT = 2000 };
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_byte_store store = {0};
    lam_random random = lam_random_start(lam_test_seed(1));
    static const uint8_t *copies[COUNT];
    static size_t sizes[COUNT];
    size_t total = 0;
    for (size_t i = 0; i < COUNT; i++) {
        sizes[i] = (size_t)lam_random_below(&random, lam_random_chance(&random, 2) ? 50000 : 40);
        copies[i] = push(&store, &allocator, (uint8_t)i, sizes[i]);
        total += sizes[i];
        cr_assert_eq(lam_byte_store_size(&store), total);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            cr_assert_eq(copies[i][k], (uint8_t)i);
    lam_byte_store_finish(&store, &allocator);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(byte_store, going_back_forgets_what_came_after_and_frees_nothing) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_byte_store store = {0};
    lam_byte_mark empty = lam_byte_store_mark(&store);
    const uint8_t *kept = push(&store, &allocator, 7, 100);
    lam_byte_mark mark = lam_byte_store_mark(&store);
    for (int i = 0; i < 100; i++)
        push(&store, &allocator, 8, 1000);
    size_t requests = counter.requests;
    lam_byte_store_rewind(&store, mark);
    cr_assert_eq(lam_byte_store_size(&store), 100);
    for (int i = 0; i < 100; i++)
        push(&store, &allocator, 9, 1000);
    cr_assert_eq(kept[0], 7);
    cr_assert_eq(kept[99], 7);
    cr_assert_eq(lam_byte_store_size(&store), 100100);
    lam_byte_store_rewind(&store, empty);
    cr_assert_eq(lam_byte_store_size(&store), 0);
    cr_assert_eq(push(&store, &allocator, 1, 100), kept);
    cr_assert_eq(counter.requests, requests, "what is there is used again");
    lam_byte_store_finish(&store, &allocator);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(byte_store, a_value_too_long_for_the_chunks_behind_gets_one_of_its_own) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_byte_store store = {0};
    lam_byte_mark empty = lam_byte_store_mark(&store);
    for (int i = 0; i < 10; i++)
        push(&store, &allocator, 8, 200);
    lam_byte_store_rewind(&store, empty);
    const uint8_t *copy = push(&store, &allocator, 5, 90000);
    cr_assert_eq(copy[89999], 5);
    cr_assert_eq(lam_byte_store_size(&store), 90000);
    lam_byte_store_finish(&store, &allocator);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

/* A record of 100 KB, then one of a byte more, and so on: each left its chunk, 500 MB of 5,000. */
Test(byte_store, values_that_grow_from_record_to_record_leave_nothing_behind) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_byte_store store = {0};
    lam_byte_mark empty = lam_byte_store_mark(&store);
    for (size_t size = 100; size < 100000; size += 50) {
        lam_byte_store_rewind(&store, empty);
        push(&store, &allocator, 1, size);
        push(&store, &allocator, 2, size);
        cr_assert_leq(counter.live_bytes, 8 * size + 1000);
    }
    lam_byte_store_finish(&store, &allocator);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(byte_store, no_memory_leaves_the_store_as_it_was) {
    lam_failing_alloc counter = {.fail_at = 2};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_byte_store store = {0};
    push(&store, &allocator, 1, 200);
    uint8_t bytes[200] = {0};
    lam_bytes view = {bytes, sizeof bytes};
    const uint8_t *copy = NULL;
    cr_assert_eq(lam_byte_store_push(&store, view, &allocator, &copy, NULL), LAM_STATUS_NOMEM);
    cr_assert_null(copy);
    cr_assert_eq(lam_byte_store_size(&store), 200);
    push(&store, &allocator, 1, 200);
    cr_assert_eq(lam_byte_store_size(&store), 400);
    lam_byte_store_finish(&store, &allocator);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(byte_store, more_bytes_than_memory_has_room_for_are_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_byte_store store = {0};
    volatile size_t most = SIZE_MAX; /* which the compiler does not see */
    const lam_bytes view = {(const uint8_t *)"x", most};
    const uint8_t *copy = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_byte_store_push(&store, view, &allocator, &copy, &error), LAM_STATUS_NOMEM);
    cr_assert_eq(error.status, LAM_STATUS_NOMEM);
    cr_assert_null(copy);
    cr_assert_eq(lam_byte_store_size(&store), 0);
    lam_byte_store_finish(&store, &allocator);
}
