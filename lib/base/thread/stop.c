/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends long calls, at the request of a thread or a signal handler, or at a point of the monotonic
 * clock. The request is one word, set and read atomically without a lock, which is what a signal
 * handler may do (C11, 7.14.1.1); it is never taken back.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/thread/stop.h"

#include <time.h>

#include "base/error.h"

static const int64_t SECOND = 1000000000;

/*
 * Relaxed: the request carries no other data. The builtin works on the plain int32_t of the public
 * struct.
 */
static bool is_requested(const lam_stop *stop) {
    return __atomic_load_n(&stop->requested, __ATOMIC_RELAXED) != 0;
}

void lam_stop_request(lam_stop *stop) {
    __atomic_store_n(&stop->requested, 1, __ATOMIC_RELAXED);
}

/* Nanoseconds of a clock that no one sets; 0 on systems without one, where no deadline passes. */
static int64_t now(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
        return 0;
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

/* 0 means no deadline, so it is never returned; a sum beyond int64_t is as good as its maximum. */
int64_t lam_deadline_after(int64_t nanoseconds) {
    int64_t start = now();
    if (nanoseconds > 0 && start > INT64_MAX - nanoseconds)
        return INT64_MAX;
    int64_t deadline = start + nanoseconds;
    return deadline != 0 ? deadline : 1;
}

/* The request first: it costs a load, the clock a call. */
bool lam_stop_is_due(const lam_stop *stop) {
    return stop != NULL && (is_requested(stop) || (stop->deadline != 0 && now() >= stop->deadline));
}

lam_status lam_stop_fail(const lam_stop *stop, lam_error *error) {
    LAM_FAIL(error, is_requested(stop) ? LAM_ERROR_CODE_CANCELLED : LAM_ERROR_CODE_DEADLINE, "%s",
             is_requested(stop) ? "the call was cancelled" : "the time limit has expired");
}
