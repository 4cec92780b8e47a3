/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of an allocator: sizes that overflow, reallocation that fails, and the heap where none is
 * given.
 */
#include "base/alloc.h"

#include <criterion/criterion.h>

#include "support/failing_alloc.h"

Test(alloc, an_array_is_cleared) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    void *memory;
    cr_assert_eq(lam_alloc_array(&allocator, 8, 4, &memory, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 32; i++)
        cr_assert_eq(((char *)memory)[i], 0);
    lam_free(&allocator, memory, 32);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(alloc, an_array_whose_size_overflows_is_refused) {
    lam_allocator allocator = lam_allocator_default();
    void *memory = &allocator;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_alloc_array(&allocator, SIZE_MAX / 2, 3, &memory, &error), LAM_STATUS_NOMEM);
    cr_assert_eq(memory, &allocator, "outputs stay untouched on failure");
    cr_assert_eq(error.status, LAM_STATUS_NOMEM);
}

Test(alloc, a_typed_array_has_the_size_of_its_elements) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    double *numbers;
    lam_bytes *bytes;
    cr_assert_eq(LAM_ARRAY(&allocator, 5, &numbers, NULL), LAM_STATUS_OK);
    cr_assert_eq(counter.live_bytes, 5 * sizeof(double));
    for (int i = 0; i < 5; i++)
        cr_assert_eq(numbers[i], 0);
    cr_assert_eq(LAM_NEW(&allocator, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_null(bytes->data);
    lam_free(&allocator, numbers, 5 * sizeof(double));
    lam_free(&allocator, bytes, sizeof(lam_bytes));
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(alloc, a_typed_array_that_is_refused_leaves_its_place) {
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    double before, *numbers = &before;
    lam_error error = lam_error_none();
    cr_assert_eq(LAM_ARRAY(&allocator, 5, &numbers, &error), LAM_STATUS_NOMEM);
    cr_assert_eq(numbers, &before);
    cr_assert_str_eq(error.message, "no memory for 40 bytes");
    cr_assert_eq(LAM_ARRAY(&allocator, SIZE_MAX / 4, &numbers, &error), LAM_STATUS_NOMEM);
    cr_assert_eq(numbers, &before);
}

Test(alloc, a_failed_reallocation_keeps_the_old_block) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    void *memory;
    cr_assert_eq(lam_alloc(&allocator, 3, &memory, NULL), LAM_STATUS_OK);
    void *before = memory;
    ((char *)memory)[2] = 'x';
    counter.fail_at = 2;
    cr_assert_eq(lam_realloc(&allocator, &memory, 3, 1000, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(memory, before);
    cr_assert_eq(((char *)memory)[2], 'x');
    lam_free(&allocator, memory, 3);
}

Test(alloc, a_missing_allocator_is_the_heap) {
    lam_allocator allocator = lam_allocator_or_default(NULL);
    void *memory;
    cr_assert_eq(lam_alloc(&allocator, 10, &memory, NULL), LAM_STATUS_OK);
    lam_free(&allocator, memory, 10);
}

Test(alloc, a_reallocation_begins_and_ends_with_nothing) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    char elsewhere; /* of no bytes */
    void *memory = &elsewhere;
    cr_assert_eq(lam_realloc(&allocator, &memory, 0, 10, NULL), LAM_STATUS_OK);
    cr_assert_neq(memory, &elsewhere);
    cr_assert_eq(counter.live_bytes, 10);
    cr_assert_eq(lam_realloc(&allocator, &memory, 10, 0, NULL), LAM_STATUS_OK);
    cr_assert_null(memory);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(lam_realloc(&allocator, &memory, 0, 0, NULL), LAM_STATUS_OK);
    cr_assert_null(memory);
    cr_assert_eq(counter.wrong_sizes, 0);
}
