/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs in memory are read and lent. */
#include <criterion/criterion.h>
#include <lamella/io.h>

Test(input, memory_is_read_and_lent) {
    lam_input input = lam_input_memory("hello", 5);
    char bytes[3];
    cr_assert_eq(input.size, 5);
    cr_assert_eq(input.read_at(input.state, 2, 3, bytes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(bytes, "llo", 3);
    cr_assert_arr_eq(input.borrow(input.state, 1, 2), "el", 2);
    lam_input_close(&input);
}

Test(input, no_memory_at_all_is_an_empty_input) {
    lam_input input = lam_input_memory(NULL, 0);
    cr_assert_eq(input.size, 0);
    cr_assert_eq(input.read_at(input.state, 0, 0, NULL, NULL), LAM_STATUS_OK);
    lam_input_close(&input);
}
