/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Budgets count what is allocated, refuse what passes their limit, and stand on each other. The
 * message says whose limit it was.
 */
#include "base/budget.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "support/failing_alloc.h"

static lam_failing_alloc counter;

static lam_allocator start(lam_budget *budget, size_t most) {
    memset(&counter, 0, sizeof counter);
    lam_allocator beneath = lam_failing_allocator(&counter);
    lam_budget_init(budget, &beneath, most);
    return lam_budget_allocator(budget);
}

Test(budget, what_passes_the_bound_is_limit_and_takes_nothing) {
    lam_budget budget;
    lam_allocator allocator = start(&budget, 1000);
    void *a, *b = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_alloc(&allocator, 600, &a, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_alloc(&allocator, 401, &b, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message,
                     "401 more bytes would exceed the memory limit of 1000 (option memory_limit)");
    cr_expect_null(b);
    cr_expect_eq(lam_budget_used(&budget), 600);
    cr_assert_eq(lam_alloc(&allocator, 400, &b, &error), LAM_STATUS_OK);
    lam_free(&allocator, a, 600);
    lam_free(&allocator, b, 400);
    cr_expect_eq(lam_budget_used(&budget), 0);
    cr_expect_eq(counter.live_bytes, 0);
}

Test(budget, a_refusal_beneath_is_nomem_and_is_not_counted) {
    lam_budget budget;
    lam_allocator allocator = start(&budget, 1000);
    void *a = NULL;
    counter.fail_at = 1;
    cr_assert_eq(lam_alloc(&allocator, 10, &a, NULL), LAM_STATUS_NOMEM);
    cr_expect_eq(lam_budget_used(&budget), 0);
}

Test(budget, growing_needs_room_for_both_and_keeps_the_old_block_on_failure) {
    lam_budget budget;
    lam_allocator allocator = start(&budget, 1000);
    void *a;
    cr_assert_eq(lam_alloc(&allocator, 400, &a, NULL), LAM_STATUS_OK);
    memset(a, 7, 400);
    cr_assert_eq(lam_realloc(&allocator, &a, 400, 601, NULL), LAM_STATUS_LIMIT);
    cr_assert_eq(lam_realloc(&allocator, &a, 400, 600, NULL), LAM_STATUS_OK);
    cr_expect_eq(((uint8_t *)a)[399], 7);
    cr_expect_eq(lam_budget_used(&budget), 600);
    cr_assert_eq(lam_realloc(&allocator, &a, 600, 10, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_budget_used(&budget), 10);
    lam_free(&allocator, a, 10);
    cr_expect_eq(lam_budget_used(&budget), 0);
    cr_expect_eq(counter.wrong_sizes, 0);
}

Test(budget, a_budget_within_a_budget_says_which_bound_was_in_the_way) {
    lam_budget outer, inner;
    lam_allocator allocator = start(&outer, 100);
    lam_budget_init(&inner, &allocator, 1000);
    lam_allocator within = lam_budget_allocator(&inner);
    void *a = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_alloc(&within, 200, &a, &error), LAM_STATUS_LIMIT);
    cr_expect(strstr(error.message, "limit of 100 ") != NULL, "%s", error.message);
    cr_expect_eq(lam_budget_used(&inner), 0);
}

Test(budget, a_buffer_that_may_not_double_grows_by_what_it_needs) {
    lam_budget budget;
    lam_allocator allocator = start(&budget, 1000);
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    cr_assert_eq(lam_buffer_reserve(&buffer, 400, NULL), LAM_STATUS_OK);
    buffer.size = 400;
    cr_assert_eq(lam_buffer_reserve(&buffer, 200, NULL), LAM_STATUS_OK);
    cr_expect_eq(buffer.capacity, 600);
    buffer.size = 600;
    cr_expect_eq(lam_buffer_reserve(&buffer, 1, NULL), LAM_STATUS_LIMIT);
    lam_buffer_finish(&buffer);
}

Test(budget, without_a_bound_everything_is_counted_and_nothing_refused) {
    lam_budget budget;
    lam_allocator allocator = start(&budget, 0);
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    for (int i = 0; i < 100000; i++)
        cr_assert_eq(lam_buffer_append_byte(&buffer, 1, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_budget_used(&budget), buffer.capacity);
    lam_buffer_finish(&buffer);
    cr_expect_eq(lam_budget_used(&budget), 0);
}

Test(budget, a_failure_of_a_library_is_blamed_on_the_budget_that_refused) {
    lam_budget budget;
    lam_allocator allocator = start(&budget, 100), heap = lam_allocator_default();
    lam_error error = lam_error_none();
    cr_expect_null(allocator.allocate(allocator.state, 200));
    cr_expect_eq(lam_budget_blame(&allocator, LAM_STATUS_CORRUPT, NULL), LAM_STATUS_CORRUPT);
    cr_expect_eq(lam_budget_blame(&allocator, LAM_STATUS_NOMEM, &error), LAM_STATUS_LIMIT);
    cr_expect(strstr(error.message, "limit of 100 bytes") != NULL);
    cr_expect_eq(lam_budget_blame(&allocator, LAM_STATUS_NOMEM, NULL), LAM_STATUS_NOMEM);
    counter.fail_at = 1;
    cr_expect_null(allocator.allocate(allocator.state, 20));
    cr_expect_eq(lam_budget_blame(&allocator, LAM_STATUS_NOMEM, NULL), LAM_STATUS_NOMEM);
    cr_expect_eq(lam_budget_blame(&heap, LAM_STATUS_NOMEM, NULL), LAM_STATUS_NOMEM);
}

/* A log refused a record for the sake of "reading pages", with half of its limit as the limit. */
Test(budget, a_share_of_a_limit_is_reported_in_its_own_words) {
    lam_budget budget;
    lam_allocator allocator = start(&budget, 100);
    lam_error error = lam_error_none();
    void *memory;
    lam_budget_describe(&budget, "queued records would exceed half of the limit", 200);
    cr_expect_eq(lam_alloc(&allocator, 101, &memory, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "queued records would exceed half of the limit of 200 bytes "
                                    "(option memory_limit)");
    error = lam_error_none();
    cr_expect_eq(lam_budget_blame(&allocator, LAM_STATUS_NOMEM, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "queued records would exceed half of the limit of 200 bytes "
                                    "(option memory_limit)");
}

Test(budget, what_is_taken_elsewhere_counts_in_every_budget) {
    lam_budget outer, inner;
    lam_allocator beneath = start(&outer, 1000);
    lam_budget_init(&inner, &beneath, 600);
    lam_allocator allocator = lam_budget_allocator(&inner), heap = lam_allocator_default();
    lam_error error = lam_error_none();
    cr_assert_eq(lam_alloc_elsewhere(&allocator, 500, &error), LAM_STATUS_OK);
    cr_expect_eq(lam_budget_used(&outer), 500);
    cr_expect_eq(lam_alloc_elsewhere(&allocator, 101, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message,
                     "101 more bytes would exceed the memory limit of 600 (option memory_limit)");
    cr_assert_eq(lam_alloc_elsewhere(&beneath, 450, &error), LAM_STATUS_OK);
    cr_expect_eq(lam_alloc_elsewhere(&allocator, 51, &error), LAM_STATUS_LIMIT);
    cr_expect_eq(lam_budget_used(&inner), 500);
    lam_free_elsewhere(&allocator, 500);
    lam_free_elsewhere(&beneath, 450);
    cr_expect_eq(lam_budget_used(&outer) + lam_budget_used(&inner), 0);
    cr_expect_eq(counter.requests, 0);
    cr_expect_eq(lam_alloc_elsewhere(&heap, SIZE_MAX, &error), LAM_STATUS_OK); /* no budget */
    lam_free_elsewhere(&heap, SIZE_MAX);
}

Test(budget, one_without_a_bound_still_counts_within_a_size) {
    lam_failing_alloc heap = {0};
    lam_allocator beneath = lam_failing_allocator(&heap);
    lam_budget budget;
    void *kept, *more = NULL;
    lam_budget_init(&budget, &beneath, 0);
    lam_allocator allocator = lam_budget_allocator(&budget);
    cr_assert_eq(lam_alloc(&allocator, 10, &kept, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_alloc(&allocator, SIZE_MAX, &more, NULL), LAM_STATUS_NOMEM);
    cr_assert_null(more);
    cr_assert_eq(heap.requests, 1);
    cr_assert_eq(lam_budget_used(&budget), 10);
    lam_free(&allocator, kept, 10);
    cr_assert_eq(lam_budget_used(&budget), 0);
}

/* --- Budgets of callers -------------------------------------------------------------------- */

Test(budget, a_budget_of_a_caller_bounds_all_that_draw_on_it_together) {
    lam_budget *budget;
    void *a = NULL, *b = NULL;
    lam_error error = lam_error_none();
    memset(&counter, 0, sizeof counter);
    lam_allocator beneath = lam_failing_allocator(&counter);
    cr_assert_eq(lam_budget_create(&beneath, 1000, &budget, &error), LAM_STATUS_OK);
    lam_allocator allocator = lam_budget_allocator(budget);
    lam_budget own;
    lam_budget_init(&own, &allocator, 5000);
    lam_allocator above = lam_budget_allocator(&own);
    cr_assert_eq(lam_alloc(&allocator, 600, &a, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_alloc(&above, 401, &b, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message,
                     "401 more bytes would exceed the memory limit of 1000 (option memory_limit)");
    cr_assert_eq(lam_alloc(&above, 400, &b, &error), LAM_STATUS_OK);
    cr_expect_eq(lam_budget_used(budget), 1000);
    lam_free(&above, b, 400);
    lam_free(&allocator, a, 600);
    cr_expect_eq(lam_budget_used(budget), 0);
    cr_expect_eq(lam_budget_peak(budget), 1000);
    lam_budget_destroy(budget);
    lam_budget_destroy(NULL);
    cr_expect_eq(counter.live_bytes, 0);
}

Test(budget, a_budget_of_a_caller_that_cannot_be_made_leaves_the_output_alone) {
    lam_budget *budget = NULL;
    memset(&counter, 0, sizeof counter);
    lam_allocator beneath = lam_failing_allocator(&counter);
    cr_assert_eq(lam_budget_create(&beneath, 0, &budget, NULL), LAM_STATUS_INVALID);
    counter.fail_at = 1;
    cr_assert_eq(lam_budget_create(&beneath, 10, &budget, NULL), LAM_STATUS_NOMEM);
    cr_expect_null(budget);
}

Test(budget, the_least_bound_is_that_of_any_budget_beneath) {
    lam_budget outer, inner, none;
    lam_allocator heap = lam_allocator_default();
    cr_expect_eq(lam_budget_bound(&heap), 0);
    lam_budget_init(&inner, &heap, 100);
    lam_allocator within = lam_budget_allocator(&inner);
    lam_budget_init(&none, &within, 0);
    lam_allocator unbounded = lam_budget_allocator(&none);
    lam_budget_init(&outer, &unbounded, 200);
    lam_allocator above = lam_budget_allocator(&outer);
    cr_expect_eq(lam_budget_bound(&within), 100);
    cr_expect_eq(lam_budget_bound(&unbounded), 100);
    cr_expect_eq(lam_budget_bound(&above), 100);
}
