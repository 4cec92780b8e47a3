/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the clocks of the operating system. Gives nanoseconds: as UTC since 1970, which jumps when
 * somebody sets the time of day, and since a moment of the system's own, which never goes back.
 * Neither counts leap seconds. Both are read without a system call if the system can.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/clock_system.h"

#include <time.h>

enum { NANOSECONDS = 1000000000 };

static int64_t system_utc(void *state) {
    struct timespec now = {0, 0};
    (void)state;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec;
}

static uint64_t system_monotonic(void *state) {
    struct timespec now = {0, 0};
    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

lam_clock lam_clock_system(void) {
    lam_clock clock = {NULL, system_utc, system_monotonic};
    return clock;
}
