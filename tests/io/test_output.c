/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs in memory collect what is written. */
#include <criterion/criterion.h>
#include <lamella/io.h>

#include "support/failing_alloc.h"

Test(output, memory_collects_what_was_written) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_output output;
    cr_assert_eq(lam_output_memory(&allocator, &output, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(output.write(output.state, "ab", 2, NULL), LAM_STATUS_OK);
    lam_bytes bytes = lam_output_memory_bytes(&output);
    cr_assert_eq(bytes.size, 200);
    cr_assert_eq(bytes.data[199], 'b');
    lam_output_close(&output);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}
