/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the system may not give: random bytes, clocks and locks. The calls are defined here,
 * and pass on to the system unless a test has them fail.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/entropy.h"
#include "base/thread/stop.h"
#include "base/thread/task_pool.h"
#include "base/thread/task_runner.h"
#include "codec/codec.h"
#include "support/failing_alloc.h"

/* --- Calls of the system --------------------------------------------------------------------- */

/* What a source of random bytes does: signals come first, then an end, or a few bytes per call. */
typedef struct source {
    int signals;
    int failure; /* an errno, or 0 */
    bool ends;   /* gives no bytes, and no failure */
    uint8_t fill;
} source;

/* Of the thread of the test: others belong to the test framework. */
static _Thread_local bool is_on;
static _Thread_local source call, device;
static _Thread_local bool lacks_device, lacks_clocks;
static _Thread_local int locks_left; /* that are made before one fails */

static ssize_t give(source *from, void *bytes, size_t size) {
    if (from->signals-- > 0) {
        errno = EINTR;
        return -1;
    }
    if (from->failure != 0) {
        errno = from->failure;
        return -1;
    }
    if (from->ends)
        return 0;
    size = size < 3 ? size : 3;
    memset(bytes, from->fill, size);
    return (ssize_t)size;
}

ssize_t getrandom(void *bytes, size_t size, unsigned flags) {
    return is_on ? give(&call, bytes, size) : syscall(SYS_getrandom, bytes, size, flags);
}

ssize_t read(int descriptor, void *bytes, size_t size) {
    return is_on ? give(&device, bytes, size) : syscall(SYS_read, descriptor, bytes, size);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if (is_on && lacks_device) {
        errno = ENOENT;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* The function of the system that one here stands for. */
static void *beneath(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL)
        abort();
    return found;
}

int clock_gettime(clockid_t clock, struct timespec *ret_time) {
    static int (*next)(clockid_t, struct timespec *);
    if (is_on && lacks_clocks) {
        errno = EINVAL;
        return -1;
    }
    if (next == NULL)
        *(void **)&next = beneath("clock_gettime");
    return next(clock, ret_time);
}

static bool lacks_lock(void) {
    return is_on && locks_left-- == 0;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    static int (*next)(pthread_mutex_t *, const pthread_mutexattr_t *);
    if (lacks_lock())
        return EAGAIN;
    if (next == NULL)
        *(void **)&next = beneath("pthread_mutex_init");
    return next(mutex, attributes);
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    static int (*next)(pthread_cond_t *, const pthread_condattr_t *);
    if (lacks_lock())
        return EAGAIN;
    if (next == NULL)
        *(void **)&next = beneath("pthread_cond_init");
    return next(condition, attributes);
}

/* --- Random bytes ---------------------------------------------------------------------------- */

static void expect_fill(uint8_t fill) {
    uint8_t bytes[16] = {0};
    int after;
    errno = 77;
    is_on = true;
    lam_entropy(bytes, sizeof bytes);
    after = errno;
    is_on = false;
    cr_assert_eq(after, 77);
    for (size_t i = 0; i < sizeof bytes; i++)
        cr_assert_eq(bytes[i], fill);
}

/* Bytes that differ from call to call, and are not those of a source. */
static void expect_guess(void) {
    uint8_t a[16] = {0}, b[16] = {0};
    is_on = true;
    lam_entropy(a, sizeof a);
    lam_entropy(b, sizeof b);
    is_on = false;
    cr_assert_neq(memcmp(a, b, sizeof a), 0);
    for (size_t i = 1; i < sizeof a; i++)
        if (a[i] != a[0])
            return;
    cr_assert_fail("all bytes are alike");
}

Test(no_system, random_bytes_may_come_a_few_at_a_time_and_after_signals) {
    call = (source){.signals = 3, .fill = 0x5A};
    expect_fill(0x5A);
}

Test(no_system, random_bytes_come_from_the_device_where_the_call_gives_none) {
    for (int i = 0; i < 2; i++) {
        call = (source){.failure = i == 0 ? ENOSYS : 0, .ends = true};
        device = (source){.signals = 3, .fill = 0xC3};
        expect_fill(0xC3);
    }
}

Test(no_system, random_bytes_are_guessed_where_nothing_gives_any) {
    call = (source){.failure = EAGAIN};
    for (int i = 0; i < 3; i++) {
        device = (source){.failure = i == 0 ? EIO : 0, .ends = true};
        lacks_device = i == 2;
        lacks_clocks = i == 2;
        expect_guess();
    }
}

/* --- Clocks ---------------------------------------------------------------------------------- */

static lam_status count_run(void *context, size_t task, lam_error *error) {
    (void)error;
    ((int *)context)[task]++;
    return LAM_STATUS_OK;
}

static void run_all(void *state, void (*task)(void *context, size_t index), void *context,
                    size_t count) {
    (void)state;
    for (size_t i = 0; i < count; i++)
        task(context, i);
}

Test(no_system, without_a_clock_no_deadline_passes_and_tasks_run) {
    lam_allocator allocator = lam_allocator_default();
    const lam_executor executor = {.run = run_all};
    lam_task_runner runner;
    lam_task_cost *costs;
    int runs[3] = {0};
    cr_assert_eq(lam_task_runner_init(&runner, 1, &executor, &allocator, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_task_costs_create(&runner, 3, &allocator, &costs, NULL), LAM_STATUS_OK);
    is_on = lacks_clocks = true;
    lam_stop stop = {0, lam_deadline_after(5)};
    bool is_due = lam_stop_is_due(&stop);
    int64_t none = lam_deadline_after(0);
    lam_status status = lam_task_runner_try(&runner, count_run, runs, 3, costs, NULL);
    is_on = false;
    cr_expect_eq(stop.deadline, 5);
    cr_expect_not(is_due);
    cr_expect_eq(none, 1); /* 0 would be no deadline */
    cr_assert_eq(status, LAM_STATUS_OK);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(runs[i], 1);
        cr_assert_eq(costs[i].nanoseconds, 0);
    }
    lam_task_costs_destroy(costs, 3, &allocator);
    lam_task_runner_finish(&runner);
}

/* --- Locks ---------------------------------------------------------------------------------- */

Test(no_system, a_pool_without_locks_is_not_made) {
    for (int i = 0; i < 3; i++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_task_pool *pool = NULL;
        lam_error error;
        locks_left = i;
        is_on = true;
        lam_status status = lam_task_pool_create(1, &allocator, &pool, &error);
        is_on = false;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_str_eq(error.message, "the system has no more locks");
        cr_assert_null(pool);
        cr_assert_eq(counter.live_bytes, 0);
    }
}

Test(no_system, a_codec_context_without_a_lock_is_not_made) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_codec_context *codecs = NULL;
    locks_left = 0;
    is_on = true;
    lam_status status = lam_codec_context_create(&allocator, &codecs, NULL);
    is_on = false;
    cr_assert_eq(status, LAM_STATUS_NOMEM);
    cr_assert_null(codecs);
    cr_assert_eq(counter.live_bytes, 0);
}
