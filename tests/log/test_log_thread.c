/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of a log where the system refuses what it needs. The calls are defined here, and pass
 * on to those of the C library unless a test has them fail.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <lamella/log.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "log/log_disk.h"
#include "log/log_sample.h"
#include "support/failing_alloc.h"

/* --- Calls of the system --------------------------------------------------------------------- */

static int pipe_errno, thread_errno, mutex_fails_at, mutex_calls, cond_errno;
static atomic_int write_errno, write_failures; /* the next writes of one byte fail */

int pipe(int ends[2]) {
    if (pipe_errno == 0)
        return (int)syscall(SYS_pipe2, ends, 0);
    errno = pipe_errno;
    return -1;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *state) {
    int (*call)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&call = dlsym(RTLD_NEXT, "pthread_create");
    return thread_errno != 0 ? thread_errno : call(thread, attributes, run, state);
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    int (*call)(pthread_mutex_t *, const pthread_mutexattr_t *);
    *(void **)&call = dlsym(RTLD_NEXT, "pthread_mutex_init");
    return mutex_fails_at != 0 && ++mutex_calls == mutex_fails_at ? ENOMEM
                                                                  : call(mutex, attributes);
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    int (*call)(pthread_cond_t *, const pthread_condattr_t *);
    *(void **)&call = dlsym(RTLD_NEXT, "pthread_cond_init");
    return cond_errno != 0 ? cond_errno : call(condition, attributes);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    if (size == 1 && atomic_load(&write_errno) != 0 && atomic_fetch_sub(&write_failures, 1) > 0) {
        errno = atomic_load(&write_errno);
        return -1;
    }
    return syscall(SYS_write, descriptor, bytes, size);
}

/* --- Help ------------------------------------------------------------------------------------ */

TestSuite(log_thread, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

static lam_status open_log(const lam_allocator *allocator, lam_log **ret_log, lam_error *error) {
    lam_log_options options = lam_log_options_default();
    options.allocator = allocator;
    options.background = true;
    options.journal = true;
    return lam_log_disk_try_open("logs", true, options, ret_log, error);
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void expect_no_log(lam_status status, const char *message) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    lam_log *log = NULL;
    cr_assert_eq(open_log(&allocator, &log, &error), status, "%s", message);
    cr_assert_str_eq(error.message, message);
    cr_assert_null(log);
    cr_assert_eq(counter.live_bytes, 0);
    pipe_errno = thread_errno = mutex_fails_at = mutex_calls = cond_errno = 0;
}

Test(log_thread, without_what_it_needs_there_is_no_log) {
    int before = dup(0), after;
    pipe_errno = EMFILE;
    expect_no_log(LAM_STATUS_IO, "cannot make a pipe for the thread of a log");
    thread_errno = EAGAIN;
    expect_no_log(LAM_STATUS_NOMEM, "cannot start the thread of a log");
    for (int at = 1; at <= 2; at++) {
        mutex_fails_at = at;
        expect_no_log(LAM_STATUS_NOMEM, "cannot make the locks of a log");
    }
    cond_errno = ENOMEM;
    expect_no_log(LAM_STATUS_NOMEM, "cannot make the locks of a log");
    after = dup(0);
    cr_assert_eq(after, before + 1, "a descriptor stays open");
    close(before);
    close(after);
}

/* A pipe that is full has woken the thread; a signal, or one that never takes a byte, delays it. */
Test(log_thread, a_thread_that_cannot_be_woken_writes_all_the_same) {
    static const struct { int reason, failures; } cases[] = {{EINTR, 3}, {EAGAIN, 1}, {EIO, 150}};
    for (size_t i = 0; i < 3; i++) {
        lam_log *log;
        lam_error error = lam_error_none();
        cr_assert_eq(open_log(NULL, &log, &error), LAM_STATUS_OK, "%s", error.message);
        atomic_store(&write_failures, cases[i].failures);
        atomic_store(&write_errno, cases[i].reason);
        lam_record_sink sink = lam_log_sink(log);
        cr_assert_eq(lam_log_sample_put(&sink, log_schema, i * 10, 10, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_log_checkpoint(log, &error), LAM_STATUS_OK, "%s", error.message);
        atomic_store(&write_errno, 0);
        cr_assert_eq(lam_log_finish(log, &error), LAM_STATUS_OK, "%s", error.message);
        lam_log_close(log);
    }
    cr_assert_eq(lam_log_sample_read(log_disk, "logs").prefix, 30);
}

/* Whichever operation of a checkpoint fails that was only requested, a later call reports it. */
Test(log_thread, a_requested_checkpoint_that_fails_is_reported_later) {
    lam_status status = LAM_STATUS_IO;
    for (uint64_t at = 1; status != LAM_STATUS_OK; at++) {
        lam_log *log;
        lam_error error = lam_error_none();
        lam_log_disk_renew();
        cr_assert_eq(open_log(NULL, &log, NULL), LAM_STATUS_OK);
        lam_record_sink sink = lam_log_sink(log);
        uint64_t before = lam_model_disk_counts(log_disk).operations;
        lam_model_disk_set_fault(log_disk, (lam_model_fault){.at = before + at, .stays = true});
        for (uint64_t i = 0; i < 10; i++)
            (void)lam_log_sample_put(&sink, log_schema, i, 1, NULL);
        lam_log_request_checkpoint(log);
        status = lam_log_finish(log, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO, "%s", error.message);
        lam_log_close(log);
        lam_model_disk_set_fault(log_disk, (lam_model_fault){0});
        cr_assert_leq(at, 100);
    }
    cr_assert_eq(lam_log_sample_read(log_disk, "logs").prefix, 10);
}
