/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of arrays that look into a file, while its reads fail one after the other: each failure is
 * passed on, and the plan after the last is the expected one.
 */
#include "arrow/plan_reads.h"

#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <string.h>

#include "support/ending_input.h"

void lam_plan_reads_fail(lam_bytes file, void (*expect)(const lam_arrow_plan *plan)) {
    lam_ending_input ending = {.file = file};
    lam_status status = LAM_STATUS_IO;
    size_t n = 1;
    for (; status != LAM_STATUS_OK; n++) {
        lam_input input = lam_ending_input_of(&ending);
        lam_reader *reader;
        lam_arrow_plan plan;
        lam_error error = lam_error_none();
        lam_ending_input_again(&ending, 0, 0);
        cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
        lam_ending_input_again(&ending, n, 0);
        status = lam_arrow_plan_read(&plan, reader, NULL, NULL, &error);
        cr_assert_eq(status, ending.reads < n ? LAM_STATUS_OK : LAM_STATUS_IO, "read %zu", n);
        if (status == LAM_STATUS_OK) {
            expect(&plan);
            lam_arrow_plan_finish(&plan);
        } else {
            cr_assert_not_null(strstr(error.message, LAM_ENDING_MESSAGE), "%s", error.message);
        }
        lam_reader_close(reader);
    }
    cr_assert_gt(n, 2);
}
