/* SPDX-License-Identifier: Apache-2.0 */
/* Files as inputs: read in any order, mapped, shrunk while they are open, missing. */
#define _DEFAULT_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/failing_alloc.h"

static char path[] = "/tmp/lamella-input-XXXXXX";

static void write_sample(void) {
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    cr_assert_eq(write(descriptor, "0123456789", 10), 10);
    close(descriptor);
}

static void remove_sample(void) {
    unlink(path);
}

TestSuite(input_file, .init = write_sample, .fini = remove_sample);

Test(input_file, any_range_reads_in_any_order) {
    lam_input input;
    cr_assert_eq(lam_input_open_file(path, NULL, &input, NULL), LAM_STATUS_OK);
    cr_assert_eq(input.size, 10);
    char bytes[10];
    cr_assert_eq(input.read_at(input.state, 7, 3, bytes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(bytes, "789", 3);
    cr_assert_eq(input.read_at(input.state, 0, 10, bytes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(bytes, "0123456789", 10);
    lam_input_close(&input);
    cr_assert_null(input.state);
    lam_input_close(&input);
}

Test(input_file, a_mapped_file_lends_its_bytes) {
    lam_input input;
    cr_assert_eq(lam_input_map_file(path, NULL, &input, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(input.borrow(input.state, 3, 4), "3456", 4);
    char bytes[2];
    cr_assert_eq(input.read_at(input.state, 8, 2, bytes, NULL), LAM_STATUS_OK);
    cr_assert_arr_eq(bytes, "89", 2);
    lam_input_close(&input);
}

Test(input_file, an_empty_file_maps) {
    cr_assert_eq(truncate(path, 0), 0);
    lam_input input;
    cr_assert_eq(lam_input_map_file(path, NULL, &input, NULL), LAM_STATUS_OK);
    cr_assert_eq(input.size, 0);
    lam_input_close(&input);
}

Test(input_file, a_file_that_shrank_gives_an_error_with_its_offset) {
    lam_input input;
    cr_assert_eq(lam_input_open_file(path, NULL, &input, NULL), LAM_STATUS_OK);
    cr_assert_eq(truncate(path, 4), 0);
    char bytes[10];
    lam_error error = lam_error_none();
    cr_assert_eq(input.read_at(input.state, 2, 6, bytes, &error), LAM_STATUS_IO);
    cr_assert_eq(error.offset, 4);
    lam_input_close(&input);
}

Test(input_file, what_cannot_be_read_by_position_is_refused) {
    lam_input input = {0};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_input_open_file("/nonexistent/x", NULL, &input, &error), LAM_STATUS_IO);
    cr_assert_eq(lam_input_open_file("/tmp", NULL, &input, &error), LAM_STATUS_IO);
    cr_assert_not_null(strstr(error.message, "folder"));
    cr_assert_eq(lam_input_open_file("/dev/null", NULL, &input, &error), LAM_STATUS_IO);
    cr_assert_eq(lam_input_map_file("/dev/null", NULL, &input, &error), LAM_STATUS_IO);
    cr_assert_null(input.state, "outputs stay untouched on failure");
}

Test(input_file, no_memory_leaves_nothing_behind) {
    lam_failing_alloc counter = {0};
    counter.fail_at = 1;
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_input input;
    cr_assert_eq(lam_input_open_file(path, &allocator, &input, NULL), LAM_STATUS_NOMEM);
    cr_assert_eq(counter.live_bytes, 0);
}

/* "cannot open: No such file or directory" did not say which. */
Test(input_file, a_missing_file_is_named) {
    lam_input input;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_input_open_file("/nonexistent/x.parquet", NULL, &input, &error),
                 LAM_STATUS_IO);
    cr_expect_str_eq(error.message,
                     "/nonexistent/x.parquet: cannot open: No such file or directory");
    cr_expect_eq(error.code, LAM_ERROR_CODE_FILE_MISSING);
    cr_expect_eq(error.os_error, ENOENT);
}
