/* SPDX-License-Identifier: Apache-2.0 */
/* Where a spill file cannot be made, and one that becomes shorter. */
#include "io/spill_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

Test(spill_file, a_spill_file_needs_a_folder) {
    char path[5000];
    lam_spill_file file;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_spill_file_open(&file, "/tmp/lamella-none/none", &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_MISSING, "%s", error.message);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    cr_assert_eq(lam_spill_file_open(&file, path, &error), LAM_STATUS_IO);
    cr_assert_eq(error.os_error, ENAMETOOLONG, "%s", error.message);
}

Test(spill_file, a_spill_file_that_somebody_cuts_is_an_error) {
    lam_spill_file file = {0};
    char bytes[5];
    lam_error error = lam_error_none();
    cr_assert_eq(lam_spill_file_open(&file, NULL, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_spill_file_append(&file, "spilt", 5, &error), LAM_STATUS_OK);
    cr_assert_eq(ftruncate(file.descriptor, 2), 0);
    cr_assert_eq(lam_spill_file_read(&file, 0, bytes, 5, &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_SHORT, "%s", error.message);
    lam_spill_file_close(&file);
}
