/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of chunks that a reader keeps, once for all threads: the second of two threads takes what
 * the first one made, and gives its own back.
 */
#include "file/read/chunk_lists.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/failing_alloc.h"

enum { LISTS = 3, NO_LIMIT = 1 << 20 };

static const int64_t levels[] = {4, 5};

static lam_meta_size_statistics some_sizes(void) {
    return (lam_meta_size_statistics){.definition_level_histogram = {levels, 2}};
}

/* An allocator that, before it gives memory, lets another thread keep the same lists. */
typedef struct faster_thread {
    lam_allocator heap;
    lam_chunk_lists *lists;
    int waits; /* allocations until the other thread comes */
    const int64_t *kept;
} faster_thread;

static void *give_later(void *state, size_t size) {
    faster_thread *thread = state;
    if (thread->waits-- == 0) {
        lam_meta_size_statistics sizes = some_sizes();
        cr_assert_eq(lam_chunk_lists_keep(thread->lists, 1, NO_LIMIT, &sizes, NULL, NULL),
                     LAM_STATUS_OK);
        thread->kept = sizes.definition_level_histogram.items;
    }
    return thread->heap.allocate(thread->heap.state, size);
}

static void *resize(void *state, void *memory, size_t old_size, size_t new_size) {
    faster_thread *thread = state;
    return thread->heap.reallocate(thread->heap.state, memory, old_size, new_size);
}

static void give_back(void *state, void *memory, size_t size) {
    faster_thread *thread = state;
    thread->heap.release(thread->heap.state, memory, size);
}

Test(chunk_lists, the_lists_of_the_thread_that_was_faster_are_lent) {
    for (int waits = 0; waits < 2; waits++) {
        lam_failing_alloc counter = {0};
        lam_chunk_lists lists;
        faster_thread thread = {lam_failing_allocator(&counter), &lists, waits, NULL};
        lam_allocator allocator = {&thread, give_later, resize, give_back};
        lam_meta_size_statistics sizes = some_sizes();
        lam_chunk_lists_init(&lists, &allocator, LISTS);
        cr_assert_eq(lam_chunk_lists_keep(&lists, 1, NO_LIMIT, &sizes, NULL, NULL), LAM_STATUS_OK);
        const int64_t *items = sizes.definition_level_histogram.items;
        cr_assert_not_null(thread.kept);
        cr_assert_eq(items, thread.kept);
        cr_assert_neq(items, levels);
        cr_assert(items[0] == 4 && items[1] == 5);
        lam_chunk_lists_finish(&lists);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
}

Test(chunk_lists, more_chunks_than_memory_may_have_are_a_limit) {
    static const size_t counts[] = {SIZE_MAX, 1000};
    for (size_t i = 0; i < 2; i++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_meta_size_statistics sizes = some_sizes();
        lam_error error = lam_error_none();
        lam_chunk_lists lists;
        lam_chunk_lists_init(&lists, &allocator, counts[i]);
        cr_assert_eq(lam_chunk_lists_keep(&lists, 1, 1000, &sizes, NULL, &error), LAM_STATUS_LIMIT);
        cr_assert_eq(error.code, LAM_ERROR_CODE_MEMORY_LIMIT);
        cr_assert_eq(sizes.definition_level_histogram.items, levels, "nothing was changed");
        cr_assert_eq(counter.requests, 0);
        lam_chunk_lists_finish(&lists);
    }
}
