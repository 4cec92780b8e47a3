/* SPDX-License-Identifier: Apache-2.0 */
/* The system's clocks, beside the time of the C library. */
#include "io/clock_system.h"

#include <criterion/criterion.h>
#include <time.h>

Test(clock_system, utc_agrees_with_the_time_of_the_c_library) {
    lam_clock clock = lam_clock_system();
    int64_t before = (int64_t)time(NULL);
    int64_t now = clock.utc(clock.state) / 1000000000;
    int64_t after = (int64_t)time(NULL);
    /* time(2) may be a tick behind. */
    cr_assert_geq(now, before);
    cr_assert_leq(now, after + 1);
}

Test(clock_system, the_monotonic_clock_advances_and_never_goes_back) {
    lam_clock clock = lam_clock_system();
    uint64_t first = clock.monotonic(clock.state), last = first;
    for (int i = 0; i < 100000; i++) {
        uint64_t now = clock.monotonic(clock.state);
        cr_assert_geq(now, last);
        last = now;
    }
    cr_assert_gt(last, first);
}
