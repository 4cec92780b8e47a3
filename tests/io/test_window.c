/* SPDX-License-Identifier: Apache-2.0 */
/* A window over an input gives any range that the input holds, with few reads. */
#include "io/window.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/random.h"

enum { SIZE = 5000 };

typedef struct counted_input {
    const uint8_t *bytes;
    size_t calls;
    size_t total; /* bytes read */
} counted_input;

static lam_status counted_read(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    (void)error;
    counted_input *counted = state;
    counted->calls++;
    counted->total += size;
    cr_assert_leq(offset + size, SIZE);
    memcpy(buffer, counted->bytes + offset, size);
    return LAM_STATUS_OK;
}

static uint8_t sample[SIZE];

static void fill(void) {
    for (size_t i = 0; i < SIZE; i++)
        sample[i] = (uint8_t)(i * 7 + i / 256);
}

TestSuite(window, .init = fill);

Test(window, any_range_is_what_the_input_holds) {
    lam_allocator allocator = lam_allocator_default();
    counted_input counted = {sample, 0, 0};
    lam_input input = {&counted, SIZE, counted_read, NULL, NULL};
    lam_window window;
    lam_window_init(&window, &input, SIZE, 256, &allocator);
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int i = 0; i < 10000; i++) {
        uint64_t offset = lam_random_below(&random, SIZE + 1);
        size_t size = lam_random_below(&random, SIZE - offset + 1);
        const uint8_t *bytes;
        cr_assert_eq(lam_window_lend(&window, offset, size, &bytes, NULL), LAM_STATUS_OK);
        cr_assert_arr_eq(bytes, sample + offset, size);
    }
    lam_window_finish(&window);
}

Test(window, small_steps_share_one_read) {
    lam_allocator allocator = lam_allocator_default();
    counted_input counted = {sample, 0, 0};
    lam_input input = {&counted, SIZE, counted_read, NULL, NULL};
    lam_window window;
    lam_window_init(&window, &input, SIZE, 1000, &allocator);
    for (uint64_t offset = 0; offset < 1000; offset += 10) {
        const uint8_t *bytes;
        cr_assert_eq(lam_window_lend(&window, offset, 10, &bytes, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(counted.calls, 1);
    lam_window_finish(&window);
}

Test(window, a_range_that_begins_in_the_buffer_is_not_read_anew) {
    lam_allocator allocator = lam_allocator_default();
    counted_input counted = {sample, 0, 0};
    lam_input input = {&counted, SIZE, counted_read, NULL, NULL};
    lam_window window;
    lam_window_init(&window, &input, SIZE, 100, &allocator);
    const uint8_t *bytes;
    cr_assert_eq(lam_window_lend(&window, 7, 10, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(counted.total, 100);
    cr_assert_eq(lam_window_lend(&window, 17, 500, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(bytes, sample + 17, 500);
    cr_assert_eq(counted.total, 510);
    cr_assert_eq(counted.calls, 2);
    lam_window_finish(&window);
}

Test(window, nothing_behind_the_end_is_lent) {
    lam_allocator allocator = lam_allocator_default();
    lam_input input = lam_input_memory(sample, SIZE);
    lam_window window;
    lam_window_init(&window, &input, 100, 1000, &allocator);
    const uint8_t *bytes = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_window_lend(&window, 90, 11, &bytes, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.offset, 90);
    cr_assert_eq(lam_window_lend(&window, UINT64_MAX, 1, &bytes, &error), LAM_STATUS_CORRUPT);
    cr_assert_null(bytes);
    cr_assert_eq(lam_window_lend(&window, 100, 0, &bytes, &error), LAM_STATUS_OK);
    lam_window_finish(&window);
}

Test(window, a_release_keeps_bytes_that_come_next) {
    lam_allocator allocator = lam_allocator_default();
    counted_input counted = {sample, 0, 0};
    lam_input input = {&counted, SIZE, counted_read, NULL, NULL};
    lam_window window;
    const uint8_t *bytes;
    lam_window_init(&window, &input, SIZE, 1000, &allocator);
    lam_window_release(&window, 0); /* nothing was read */
    cr_assert_eq(lam_window_lend(&window, 100, 500, &bytes, NULL), LAM_STATUS_OK);
    lam_window_release(&window, 99);   /* before the first byte */
    lam_window_release(&window, 1099); /* the last byte that was read ahead */
    cr_assert_eq(lam_window_lend(&window, 1099, 1, &bytes, NULL), LAM_STATUS_OK);
    cr_expect_eq(counted.calls, 1);
    lam_window_release(&window, 1100);
    cr_expect_eq(window.buffer.capacity, 0);
    cr_assert_eq(lam_window_lend(&window, 100, 1000, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(bytes, sample + 100, 1000);
    cr_expect_eq(counted.calls, 2);
    lam_window_finish(&window);
}
