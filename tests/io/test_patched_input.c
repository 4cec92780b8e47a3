/* SPDX-License-Identifier: Apache-2.0 */
#include "io/patched_input.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/alloc.h"

static const char text[] = "0123456789";

Test(patched_input, bits_are_turned_over_where_they_are_and_nowhere_else) {
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_input inner = lam_input_memory(text, sizeof text);
    lam_patched_input patched;
    char bytes[sizeof text];
    lam_patched_input_init(&patched, &inner, &allocator);
    cr_assert_eq(patched.input.size, sizeof text);
    cr_assert_eq(lam_patched_input_flip(&patched, 3, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_patched_input_flip(&patched, 9, 6, NULL), LAM_STATUS_OK);
    lam_input *input = &patched.input;
    cr_assert_eq(input->read_at(input->state, 0, sizeof text, bytes, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(bytes, "012245678y");
    cr_assert_eq(input->read_at(input->state, 4, 5, bytes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(bytes, "45678", 5);
    lam_patched_input_finish(&patched);
}

Test(patched_input, ranges_with_a_bit_in_them_are_not_lent) {
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_input inner = lam_input_memory(text, sizeof text);
    lam_patched_input patched;
    lam_patched_input_init(&patched, &inner, &allocator);
    cr_assert_eq(lam_patched_input_flip(&patched, 3, 0, NULL), LAM_STATUS_OK);
    lam_input *input = &patched.input;
    cr_assert_null(input->borrow(input->state, 3, 1));
    cr_assert_null(input->borrow(input->state, 0, 4));
    cr_assert_eq(input->borrow(input->state, 4, 3), (const uint8_t *)text + 4);
    cr_assert_eq(input->borrow(input->state, 0, 3), (const uint8_t *)text);
    lam_patched_input_finish(&patched);
}

static lam_status read_nothing(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    (void)state, (void)offset, (void)size, (void)buffer, (void)error;
    return LAM_STATUS_IO;
}

Test(patched_input, a_failure_of_the_input_is_passed_on) {
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_input inner = {.size = 10, .read_at = read_nothing};
    lam_patched_input patched;
    char bytes[10] = "";
    lam_patched_input_init(&patched, &inner, &allocator);
    cr_assert_eq(lam_patched_input_flip(&patched, 3, 0, NULL), LAM_STATUS_OK);
    lam_input *input = &patched.input;
    cr_assert_eq(input->read_at(input->state, 0, 10, bytes, NULL), LAM_STATUS_IO);
    cr_assert_eq(bytes[3], 0);
    lam_patched_input_finish(&patched);
}
