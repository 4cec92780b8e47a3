/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arenas hand out aligned memory that does not overlap, up to their budget to the byte, and go on
 * after a failure.
 */
#include "base/arena.h"

#include <criterion/criterion.h>
#include <stdalign.h>
#include <string.h>

#include "support/failing_alloc.h"

Test(arena, what_it_hands_out_is_aligned_and_apart) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    char *text;
    cr_assert_eq(lam_arena_copy(&arena, "abc", 3, &text, NULL), LAM_STATUS_OK);
    for (size_t size = 0; size < 5000; size += 7) {
        void *memory;
        cr_assert_eq(lam_arena_alloc(&arena, size, &memory, NULL), LAM_STATUS_OK);
        cr_assert_eq((uintptr_t)memory % alignof(max_align_t), 0);
        memset(memory, 0xFF, size);
    }
    cr_assert_str_eq(text, "abc");
    lam_arena_finish(&arena);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(arena, the_budget_is_a_limit_to_the_byte) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 100);
    uint8_t *bytes;
    cr_assert_eq(lam_arena_bytes(&arena, 100, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arena_bytes(&arena, 1, &bytes, NULL), LAM_STATUS_LIMIT);
    lam_arena_reset(&arena);
    cr_assert_eq(lam_arena_bytes(&arena, 101, &bytes, NULL), LAM_STATUS_LIMIT);
    cr_assert_eq(lam_arena_bytes(&arena, 100, &bytes, NULL), LAM_STATUS_OK);
    lam_arena_finish(&arena);
}

Test(arena, a_reset_arena_reuses_its_last_block) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    uint8_t *bytes;
    for (int i = 0; i < 100; i++)
        cr_assert_eq(lam_arena_bytes(&arena, 1000, &bytes, NULL), LAM_STATUS_OK);
    lam_arena_reset(&arena);
    size_t requests = counter.requests;
    for (int i = 0; i < 30; i++)
        cr_assert_eq(lam_arena_bytes(&arena, 1000, &bytes, NULL), LAM_STATUS_OK);
    if (!LAM_ARENA_IS_APART)
        cr_assert_eq(counter.requests, requests);
    lam_arena_finish(&arena);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(arena, no_memory_is_an_error_and_the_arena_goes_on) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    counter.fail_at = 1;
    void *memory = NULL;
    cr_assert_eq(lam_arena_array(&arena, 10, 10, &memory, NULL), LAM_STATUS_NOMEM);
    cr_assert_null(memory);
    cr_assert_eq(lam_arena_array(&arena, 10, 10, &memory, NULL), LAM_STATUS_OK);
    cr_assert_eq(((char *)memory)[99], 0);
    lam_arena_finish(&arena);
}

Test(arena, a_typed_array_is_cleared_or_leaves_its_place) {
    lam_arena arena;
    lam_allocator allocator = lam_allocator_default();
    uint64_t *numbers, *before;
    lam_bytes *bytes;
    lam_arena_init(&arena, &allocator, 200);
    cr_assert_eq(LAM_ARENA_ARRAY(&arena, 3, &numbers, NULL), LAM_STATUS_OK);
    cr_assert_eq(LAM_ARENA_NEW(&arena, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq((uintptr_t)numbers % alignof(max_align_t), 0);
    cr_assert_eq(numbers[0] | numbers[1] | numbers[2], 0);
    cr_assert_null(bytes->data);
    before = numbers;
    cr_assert_eq(LAM_ARENA_ARRAY(&arena, 26, &numbers, NULL), LAM_STATUS_LIMIT);
    cr_assert_eq(numbers, before);
    cr_assert_eq(LAM_ARENA_ARRAY(&arena, SIZE_MAX / 4, &numbers, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(numbers, before);
    lam_arena_finish(&arena);
}

Test(arena, sizes_beyond_all_memory_are_refused) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_arena arena;
    lam_error error;
    void *memory;
    char *copy;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_arena_alloc(&arena, SIZE_MAX - 4, &memory, &error), LAM_STATUS_NOMEM);
    cr_assert_eq(error.status, LAM_STATUS_NOMEM);
    cr_assert_eq(lam_arena_array(&arena, SIZE_MAX / 2, 3, &memory, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(lam_arena_copy(&arena, "abc", SIZE_MAX, &copy, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(counter.requests, 0);
    cr_assert_eq(lam_arena_copy(&arena, "abc", 3, &copy, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(copy, "abc");
    lam_arena_finish(&arena);
    cr_assert_eq(counter.live_bytes, 0);
}
