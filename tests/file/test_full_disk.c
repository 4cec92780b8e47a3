/* SPDX-License-Identifier: Apache-2.0 */
/* A writer whose output fails: what every later call says of it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/io.h>
#include <lamella/writer.h>
#include <string.h>
#include <unistd.h>

#include "file/file_sample.h"

/* "the writer failed before: cannot write: No space left on device" named no file. */
Test(full_disk, every_call_after_the_first_failure_names_the_file_and_the_reason) {
    if (access("/dev/full", W_OK) != 0)
        cr_skip_test("there is no /dev/full");
    static const char reason[] = "/dev/full: cannot write: No space left on device";
    lam_schema *schema = lam_test_schema("message m { required int32 a; }");
    lam_output output;
    lam_writer *writer = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_output_create_file("/dev/full", NULL, NULL, &output, NULL), LAM_STATUS_OK);
    lam_status status = lam_writer_open(schema, &output, NULL, &writer, &error);
    if (status == LAM_STATUS_OK) {
        cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_IO);
        cr_expect_eq(error.code, LAM_ERROR_CODE_DISK_FULL);
        cr_expect_eq(error.os_error, ENOSPC);
        cr_expect_str_eq(error.message, reason);
        for (int i = 0; i < 2; i++) {
            cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_STATE);
            cr_expect_eq(error.code, LAM_ERROR_CODE_WRITER_FAILED);
            cr_expect_eq(error.os_error, ENOSPC);
            cr_expect_not_null(strstr(error.message, reason), "%s", error.message);
        }
    } else {
        cr_expect_str_eq(error.message, reason);
    }
    lam_writer_close(writer);
    lam_output_close(&output);
    lam_schema_destroy(schema);
}
