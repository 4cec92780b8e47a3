/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buffer.h"

#include <criterion/criterion.h>

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
