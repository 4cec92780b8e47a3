/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers grow by doubling as far as budget and memory allow, and stay as they are when growth
 * fails.
 */
#include "base/buffer.h"

#include <criterion/criterion.h>

#include "base/budget.h"
#include "support/failing_alloc.h"

Test(buffer, appended_bytes_stay_in_order_while_it_grows) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    for (int i = 0; i < 1000; i++) {
        uint8_t pair[2] = {(uint8_t)i, (uint8_t)(i >> 8)};
        cr_assert_eq(lam_buffer_append(&buffer, pair, 2, NULL), LAM_STATUS_OK);
    }
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(buffer.data[2 * i] | buffer.data[2 * i + 1] << 8, i);
    cr_assert_leq(counter.requests, 12, "capacity doubles");
    lam_buffer_finish(&buffer);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(buffer, a_failed_append_changes_nothing) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    cr_assert_eq(lam_buffer_append(&buffer, "ab", 2, NULL), LAM_STATUS_OK);
    counter.fail_at = counter.requests + 1;
    char long_text[100] = "x";
    cr_assert_eq(lam_buffer_append(&buffer, long_text, 100, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(buffer.size, 2);
    cr_assert_eq(lam_buffer_reserve(&buffer, SIZE_MAX, NULL), LAM_STATUS_NOMEM);
    lam_buffer_finish(&buffer);
}

Test(buffer, room_that_is_there_is_not_made_again) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    cr_assert_eq(lam_buffer_append(&buffer, "ab", 2, NULL), LAM_STATUS_OK);
    size_t room = buffer.capacity - buffer.size;
    cr_assert_eq(lam_buffer_grow(&buffer, room, NULL), LAM_STATUS_OK);
    cr_assert_eq(counter.requests, 1);
    cr_assert_eq(lam_buffer_grow(&buffer, room + 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(counter.requests, 2);
    lam_buffer_finish(&buffer);
}

/* Notes the size that is asked for, and refuses. */
static void *refuse(void *state, void *memory, size_t old_size, size_t new_size) {
    (void)memory;
    (void)old_size;
    *(size_t *)state = new_size;
    return NULL;
}

Test(buffer, half_of_all_memory_is_not_doubled) {
    size_t asked = 0;
    uint8_t byte = 0;
    lam_buffer buffer = {.data = &byte, .size = SIZE_MAX / 2 + 10, .capacity = SIZE_MAX / 2 + 10};
    buffer.allocator = (lam_allocator){&asked, NULL, refuse, NULL};
    cr_assert_eq(lam_buffer_grow(&buffer, 7, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(asked, SIZE_MAX / 2 + 17);
    cr_assert_eq(buffer.data, &byte);
    cr_assert_eq(buffer.capacity, SIZE_MAX / 2 + 10);
}

Test(buffer, a_budget_refuses_half_of_all_memory_too) {
    lam_failing_alloc counter = {0};
    lam_allocator beneath = lam_failing_allocator(&counter);
    lam_budget budget;
    lam_budget_init(&budget, &beneath, 1000);
    lam_allocator allocator = lam_budget_allocator(&budget);
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    cr_assert_eq(lam_buffer_grow(&buffer, SIZE_MAX / 2 + 1, NULL), LAM_STATUS_LIMIT);
    cr_assert_eq(counter.requests, 0);
    cr_assert_eq(lam_buffer_grow(&buffer, 900, NULL), LAM_STATUS_OK);
    lam_buffer_finish(&buffer);
    cr_assert_eq(lam_budget_used(&budget), 0);
}

/* The failure of the first try, for double, was left in the error of a call that succeeded. */
Test(buffer, growth_by_less_than_double_leaves_the_error_alone) {
    lam_allocator beneath = lam_allocator_default();
    lam_budget budget;
    lam_budget_init(&budget, &beneath, 1500);
    lam_allocator allocator = lam_budget_allocator(&budget);
    lam_buffer buffer;
    lam_error error = lam_error_none();
    lam_buffer_init(&buffer, &allocator);
    cr_assert_eq(lam_buffer_reserve(&buffer, 600, &error), LAM_STATUS_OK);
    buffer.size = 600;
    cr_assert_eq(lam_buffer_reserve(&buffer, 100, &error), LAM_STATUS_OK);
    cr_expect_lt(buffer.capacity, 1200);
    cr_expect_eq(error.status, LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_buffer_reserve(&buffer, 1000, &error), LAM_STATUS_LIMIT);
    cr_expect_eq(error.code, LAM_ERROR_CODE_MEMORY_LIMIT);
    lam_buffer_finish(&buffer);
}
