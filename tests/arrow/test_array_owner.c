/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays own blocks of aligned memory that is released in any order, by any thread, and that the
 * next batch takes again.
 */
#include "arrow/array/array_owner.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "support/failing_alloc.h"

static lam_failing_alloc counter;
static lam_allocator allocator; /* counts */

static lam_array_store *new_store(void) {
    lam_array_store *store;
    memset(&counter, 0, sizeof counter);
    allocator = lam_failing_allocator(&counter);
    cr_assert_eq(lam_array_store_create(&allocator, &store, NULL), LAM_STATUS_OK);
    return store;
}

/* Ends a test: nothing is in use any more. */
static void drop_store(lam_array_store *store) {
    lam_array_store_drop(store);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

static lam_array_block *new_block(lam_array_store *store, size_t size) {
    lam_array_block *block;
    cr_assert_eq(lam_array_block_create(store, size, &block, NULL), LAM_STATUS_OK);
    return block;
}

Test(array_owner, blocks_lie_at_multiples_of_64_and_have_that_much_room) {
    lam_array_store *store = new_store();
    static const size_t sizes[] = {0, 1, 63, 64, 65, 1000, 8192, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        lam_array_block *block = new_block(store, sizes[i]);
        cr_assert_eq((uintptr_t)block->data % 64, 0);
        cr_assert_eq(block->capacity % 64, 0);
        cr_assert_geq(block->capacity, sizes[i]);
        memset(block->data, 0xAA, block->capacity);
        lam_array_block_drop(block);
    }
    lam_array_block_drop(NULL);
    drop_store(store);
    lam_array_store_drop(NULL);
}

Test(array_owner, a_size_beyond_all_memory_is_nomem) {
    lam_array_store *store = new_store();
    lam_array_block *block = NULL;
    cr_assert_eq(lam_array_block_create(store, SIZE_MAX, &block, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(lam_array_block_create(store, SIZE_MAX - 150, &block, NULL), LAM_STATUS_NOMEM);
    struct ArrowArray array;
    const size_t buffer = sizeof(lam_array_block *) + sizeof(void *);
    const size_t child = sizeof array + sizeof(struct ArrowArray *);
    const size_t many[][2] = {{SIZE_MAX / 8, 1},
                              {1, SIZE_MAX / 8},
                              {SIZE_MAX / buffer, SIZE_MAX / child},
                              {SIZE_MAX / buffer, 0}};
    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++)
        cr_assert_eq(lam_array_create(store, many[i][0], many[i][1], false, &array, NULL),
                     LAM_STATUS_NOMEM);
    drop_store(store);
}

Test(array_owner, a_block_grows_and_keeps_what_is_used) {
    lam_array_store *store = new_store();
    lam_array_block *block = NULL;
    for (size_t size = 0; size < 5000; size++) {
        cr_assert_eq(lam_array_block_reserve(store, &block, size, size + 1, NULL), LAM_STATUS_OK);
        block->data[size] = (uint8_t)(size * 7);
    }
    for (size_t i = 0; i < 5000; i++)
        cr_assert_eq(block->data[i], (uint8_t)(i * 7));
    cr_assert_lt(counter.requests, 20);
    counter.fail_at = counter.requests + 1;
    lam_array_block *before = block;
    cr_assert_eq(lam_array_block_reserve(store, &block, 5000, 1000000, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(block, before);
    lam_array_block_drop(block);
    drop_store(store);
}

/* A block that no allocator of today gives: the failure leaves it as it is. */
Test(array_owner, a_block_that_cannot_grow_by_half_asks_for_what_it_needs) {
    lam_array_store *store = new_store();
    lam_array_block huge = {NULL, SIZE_MAX - 64}, *block = &huge;
    cr_assert_eq(lam_array_block_reserve(store, &block, 0, SIZE_MAX - 63, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(block, &huge);
    drop_store(store);
}

/* A struct of two children, the second with a dictionary, and a block that two of them share. */
static struct ArrowArray new_tree(lam_array_store *store) {
    struct ArrowArray array;
    lam_array_block *shared = new_block(store, 100);
    cr_assert_eq(lam_array_create(store, 1, 2, false, &array, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_array_create(store, 2, 0, false, array.children[0], NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_array_create(store, 2, 0, true, array.children[1], NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_array_create(store, 2, 0, false, array.children[1]->dictionary, NULL),
                 LAM_STATUS_OK);
    strcpy((char *)shared->data, "shared");
    lam_array_give(array.children[0], 1, lam_array_block_share(shared));
    lam_array_give(array.children[1]->dictionary, 1, shared);
    lam_array_give(array.children[1], 1, new_block(store, 10));
    return array;
}

Test(array_owner, arrays_begin_empty) {
    lam_array_store *store = new_store();
    struct ArrowArray array = new_tree(store);
    cr_assert_eq(array.length, 0);
    cr_assert_eq(array.null_count, 0);
    cr_assert_eq(array.offset, 0);
    cr_assert_eq(array.n_buffers, 1);
    cr_assert_null(array.buffers[0]);
    cr_assert_eq(array.n_children, 2);
    cr_assert_null(array.dictionary);
    cr_assert_null(array.children[0]->buffers[0]);
    cr_assert_null(lam_array_block_of(array.children[0], 0));
    cr_assert_str_eq(array.children[0]->buffers[1], "shared");
    cr_assert_eq(array.children[0]->buffers[1], array.children[1]->dictionary->buffers[1]);
    lam_array_release(&array);
    lam_array_release(&array); /* and no more */
    drop_store(store);
}

Test(array_owner, parts_are_released_in_any_order) {
    for (int order = 0; order < 24; order++) {
        lam_array_store *store = new_store();
        struct ArrowArray parts[3];
        parts[0] = new_tree(store);
        parts[1] = *parts[0].children[1];
        parts[0].children[1]->release = NULL;
        parts[2] = *parts[1].dictionary;
        parts[1].dictionary->release = NULL;
        bool dropped = false;
        for (int left = 4, rest = order, done[4] = {0}; left > 0; left--) {
            int pick = rest % left, at = 0;
            rest /= left;
            for (;; at++)
                if (!done[at] && pick-- == 0)
                    break;
            done[at] = 1;
            if (at == 3)
                lam_array_store_drop(store);
            else
                lam_array_release(&parts[at]);
            dropped |= at == 3;
            if (!done[2])
                cr_assert_str_eq(parts[2].buffers[1], "shared");
        }
        cr_assert(dropped);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
}

Test(array_owner, large_blocks_serve_again_as_far_as_a_batch_took) {
    lam_array_store *store = new_store();
    lam_array_block *blocks[4];
    for (int batch = 0; batch < 3; batch++) {
        lam_array_store_start_batch(store, 0);
        blocks[0] = new_block(store, 100000);
        blocks[1] = new_block(store, 20000);
        lam_array_block_drop(blocks[0]);
        lam_array_block_drop(blocks[1]);
        cr_assert_eq(counter.requests, 3); /* those of the first batch */
        cr_assert_geq(counter.live_bytes, 120000);
    }
    /* What is far too large is not taken for a small one, and small ones are not kept. */
    lam_array_block *small = new_block(store, 100);
    cr_assert_eq(counter.requests, 4);
    lam_array_block_drop(small);
    lam_array_block *middle = new_block(store, 21000);
    cr_assert_lt(middle->capacity, 30000);
    cr_assert_eq(counter.requests, 5);
    lam_array_block_drop(middle);
    drop_store(store);
}

Test(array_owner, no_more_is_kept_than_a_batch_took) {
    lam_array_store *store = new_store();
    lam_array_block *blocks[50];
    for (int batch = 0; batch < 50; batch++) { /* all arrays are held */
        lam_array_store_start_batch(store, 0);
        blocks[batch] = new_block(store, 100000);
    }
    for (int i = 0; i < 50; i++)
        lam_array_block_drop(blocks[i]);
    cr_assert_lt(counter.live_bytes, 110000);
    drop_store(store);
}

Test(array_owner, a_fixed_number_of_blocks_is_kept) {
    enum { BLOCKS = 80, SIZE = 10000 };
    lam_array_store *store = new_store();
    lam_array_block *blocks[BLOCKS];
    lam_array_store_start_batch(store, 0);
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = new_block(store, SIZE);
    for (int i = 0; i < BLOCKS; i++)
        lam_array_block_drop(blocks[i]);
    cr_assert_lt(counter.live_bytes, BLOCKS * SIZE);
    cr_assert_gt(counter.live_bytes, BLOCKS * SIZE / 2);
    drop_store(store);
}

/* A kept block counts with all its bytes, which may be more than were asked for. */
Test(array_owner, a_batch_above_its_limit_by_a_kept_block_gets_no_more) {
    lam_array_store *store = new_store();
    lam_array_block *large = new_block(store, 100000), *more;
    lam_array_block_drop(large);
    lam_array_store_start_batch(store, 60000);
    large = new_block(store, 50000);
    cr_assert_geq(large->capacity, 100000);
    cr_assert_eq(lam_array_block_create(store, 1, &more, NULL), LAM_STATUS_LIMIT);
    lam_array_block_drop(large);
    cr_assert_eq(lam_array_block_create(store, 1, &more, NULL), LAM_STATUS_OK);
    lam_array_block_drop(more);
    drop_store(store);
}

static void *release_elsewhere(void *array) {
    lam_array_release(array);
    return NULL;
}

Test(array_owner, arrays_may_be_released_by_several_threads_at_once) {
    lam_array_store *store;
    lam_allocator uncounted = lam_allocator_default(); /* as only one thread may count */
    cr_assert_eq(lam_array_store_create(&uncounted, &store, NULL), LAM_STATUS_OK);
    for (int round = 0; round < 200; round++) {
        struct ArrowArray trees[3], child;
        pthread_t threads[3];
        lam_array_store_start_batch(store, 0);
        for (int i = 0; i < 3; i++) {
            trees[i] = new_tree(store);
            lam_array_give(&trees[i], 0, new_block(store, 10000));
        }
        child = *trees[2].children[1];
        trees[2].children[1]->release = NULL;
        for (int i = 0; i < 3; i++)
            cr_assert_eq(pthread_create(&threads[i], NULL, release_elsewhere, &trees[i]), 0);
        lam_array_block_drop(new_block(store, 9000));
        lam_array_release(&child);
        for (int i = 0; i < 3; i++)
            cr_assert_eq(pthread_join(threads[i], NULL), 0);
    }
    lam_array_store_drop(store);
}
