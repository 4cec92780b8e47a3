/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stops: a request and a deadline end what asks for them, and nothing does where there is no stop.
 */
#include "base/thread/stop.h"

#include <criterion/criterion.h>
#include <string.h>

Test(stop, nothing_asks_where_there_is_no_stop) {
    lam_error error = lam_error_none();
    cr_expect(!lam_stop_is_due(NULL));
    cr_expect_eq(lam_stop_check(NULL, &error), LAM_STATUS_OK);
    cr_expect_eq(error.status, LAM_STATUS_OK);
}

Test(stop, a_request_is_cancelled_and_stays) {
    lam_stop stop = LAM_ZERO_INIT;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_stop_check(&stop, &error), LAM_STATUS_OK);
    lam_stop_request(&stop);
    for (int i = 0; i < 2; i++) {
        cr_expect(lam_stop_is_due(&stop));
        cr_expect_eq(lam_stop_check(&stop, &error), LAM_STATUS_CANCELLED);
        cr_expect_str_eq(error.message, "the call was cancelled");
    }
}

Test(stop, a_deadline_is_due_when_it_is_over_and_not_before) {
    lam_stop late = {0, lam_deadline_after(INT64_C(3600000000000))};
    lam_stop over = {0, lam_deadline_after(-1)};
    lam_error error = lam_error_none();
    cr_expect(!lam_stop_is_due(&late));
    cr_expect_eq(lam_stop_check(&over, &error), LAM_STATUS_CANCELLED);
    cr_expect_str_eq(error.message, "the time limit has expired");
}

Test(stop, a_deadline_beyond_all_time_is_the_end_of_time) {
    lam_stop never = {0, lam_deadline_after(INT64_MAX)};
    cr_expect_eq(never.deadline, INT64_MAX);
    cr_expect(!lam_stop_is_due(&never));
}
