/* SPDX-License-Identifier: Apache-2.0 */
/* An input with another end: every range, read or lent, and who owns what. */
#include "file/read/extended_input.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/alloc.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"

static const char inner_bytes[] = "0123456789old end";
static const char whole[] = "0123456789NEW";

enum { KEPT = 10, WHOLE = sizeof whole - 1 };

typedef struct closing_input {
    lam_input memory;
    int closed;
} closing_input;

static lam_status closing_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                  lam_error *error) {
    closing_input *input = state;
    cr_assert_leq(offset + size, KEPT);
    cr_assert_gt(size, 0);
    return input->memory.read_at(input->memory.state, offset, size, buffer, error);
}

static void closing_close(void *state) {
    ((closing_input *)state)->closed++;
}

static lam_input open_extended(closing_input *closing, bool lends, const lam_allocator *allocator) {
    lam_input inner = {closing, sizeof inner_bytes - 1, closing_read_at, NULL, closing_close},
              input;
    lam_buffer tail;
    lam_allocator heap = lam_allocator_or_default(allocator);
    *closing = (closing_input){lam_input_memory(inner_bytes, sizeof inner_bytes - 1), 0};
    if (lends)
        inner = closing->memory;
    lam_buffer_init(&tail, &heap);
    cr_assert_eq(lam_buffer_append(&tail, whole + KEPT, WHOLE - KEPT, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_extended_input_create(&inner, KEPT, &tail, &input, NULL), LAM_STATUS_OK);
    cr_assert_null(inner.state);
    cr_assert_null(tail.data);
    cr_assert_eq(input.size, WHOLE);
    return input;
}

Test(extended_input, every_range_is_read_from_both) {
    closing_input closing;
    lam_input input = open_extended(&closing, false, NULL);
    for (size_t first = 0; first <= WHOLE; first++)
        for (size_t size = 0; size <= WHOLE - first; size++) {
            char bytes[WHOLE + 1] = {0};
            if (size == 0 && first < KEPT)
                continue;
            cr_assert_eq(input.read_at(input.state, first, size, bytes, NULL), LAM_STATUS_OK);
            cr_assert_eq(memcmp(bytes, whole + first, size), 0);
            const uint8_t *lent = input.borrow(input.state, first, size);
            cr_assert_eq(lent == NULL, first < KEPT);
        }
    lam_input_close(&input);
    cr_assert_eq(closing.closed, 1);
}

Test(extended_input, ranges_of_one_side_are_lent) {
    closing_input closing;
    lam_input input = open_extended(&closing, true, NULL);
    for (size_t first = 0; first <= WHOLE; first++)
        for (size_t size = 0; size <= WHOLE - first; size++) {
            const uint8_t *lent = input.borrow(input.state, first, size);
            cr_assert_eq(lent == NULL, first < KEPT && first + size > KEPT);
            cr_assert(lent == NULL || memcmp(lent, whole + first, size) == 0);
        }
    lam_input_close(&input);
}

Test(extended_input, the_inner_input_comes_back) {
    closing_input closing;
    lam_failing_alloc counter = {.fail_at = 0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_input input = open_extended(&closing, false, &allocator);
    lam_input inner = lam_extended_input_release(&input);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(closing.closed, 0);
    lam_input_close(&inner);
    cr_assert_eq(closing.closed, 1);
}

Test(extended_input, without_memory_everything_stays_with_the_caller) {
    lam_failing_alloc counter = {.fail_at = 2};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_input inner = lam_input_memory(inner_bytes, sizeof inner_bytes - 1), input;
    lam_buffer tail;
    lam_buffer_init(&tail, &allocator);
    cr_assert_eq(lam_buffer_append_byte(&tail, 'x', NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_extended_input_create(&inner, KEPT, &tail, &input, NULL), LAM_STATUS_NOMEM);
    cr_assert_not_null(inner.state);
    cr_assert_eq(tail.size, 1);
    lam_buffer_finish(&tail);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(extended_input, a_read_that_fails_inside_fails) {
    lam_ending_input ending = {.file = {(const uint8_t *)inner_bytes, sizeof inner_bytes - 1}};
    lam_input inner = lam_ending_input_of(&ending), input;
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    char bytes[WHOLE];
    lam_buffer tail;
    lam_buffer_init(&tail, &allocator);
    cr_assert_eq(lam_buffer_append(&tail, whole + KEPT, WHOLE - KEPT, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_extended_input_create(&inner, KEPT, &tail, &input, NULL), LAM_STATUS_OK);
    lam_ending_input_again(&ending, 1, 0);
    cr_assert_eq(input.read_at(input.state, 0, WHOLE, bytes, &error), LAM_STATUS_IO);
    cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
    cr_assert_eq(input.read_at(input.state, 0, WHOLE, bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(memcmp(bytes, whole, WHOLE), 0);
    lam_input_close(&input);
}
