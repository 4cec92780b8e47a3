/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a log in the background, in a thread: takes the queue, commands, requests of signal
 * handlers, and time; calls the engine, and answers callers that wait.
 *
 *     loop   drain the queue -> command -> what is due -> sleep until the next, or until woken
 *
 * It sleeps in poll(2) on a pipe: writing to a pipe is the one way to wake a thread that a signal
 * handler may use as well. The invariant: code that changes anything to which the thread reacts
 * does so before it wakes it, and the thread empties the pipe before it reads, so no change is
 * missed.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "log/queue/log_state.h"

enum {
    THREAD_NS_PER_MS = 1000000,
    WAKE_TRIES = 100,
    SLEEP_MS = 1000 /* at most: a pipe that cannot be written to delays the log, and no more */
};

/* --- Waking -------------------------------------------------------------------------------- */

void lam_log_thread_wake(lam_log *log) {
    const uint8_t byte = 1;
    int error = errno; /* a signal handler leaves it as it was */
    if (log->wake[1] < 0 || atomic_exchange(&log->is_waking, true))
        return;
    /* A full pipe has woken the thread; any other failure may pass. */
    for (int tries = 0; tries < WAKE_TRIES; tries++)
        if (write(log->wake[1], &byte, 1) == 1 || errno == EAGAIN)
            break;
    errno = error;
}

/* Sleeps until woken, but no longer than to `due`. */
static void sleep_until(lam_log *log, uint64_t due) {
    const lam_clock *clock = &log->settings.clock;
    struct pollfd wait = {log->wake[0], POLLIN, 0};
    uint64_t now = clock->monotonic(clock->state);
    int ms = SLEEP_MS;
    if (due < now + (uint64_t)SLEEP_MS * THREAD_NS_PER_MS)
        ms = due > now ? (int)((due - now + THREAD_NS_PER_MS - 1) / THREAD_NS_PER_MS) : 0;
    (void)poll(&wait, 1, ms);
    /* Empties the pipe first: a byte that came after the store would be read without clearing the
     * flag, and while that is set no other is written. */
    uint8_t bytes[16];
    while (read(log->wake[0], bytes, sizeof bytes) > 0)
        ;
    atomic_store(&log->is_waking, false);
}

/* --- The loop ------------------------------------------------------------------------------ */

/*
 * How long records may stay with their producer: a tenth of the shortest time in the options, so
 * that the time of a record in its batch hardly counts.
 */
static uint64_t collect_interval(const lam_log *log) {
    const lam_log_options *options = &log->settings.options;
    uint64_t ms = 1000;
    if (options->sync == LAM_LOG_SYNC_INTERVAL && options->sync_ms < ms)
        ms = options->sync_ms;
    if (options->checkpoint_ms > 0 && options->checkpoint_ms < ms)
        ms = options->checkpoint_ms;
    return (ms / 10 + 1) * THREAD_NS_PER_MS;
}

/* Executes the command for which a caller waits, if any, and reports its end. */
static lam_status serve_command(lam_log *log, bool *is_last, lam_error *error) {
    pthread_mutex_lock(&log->mutex);
    lam_log_command *command = log->command;
    if (command != NULL && command->is_done)
        command = NULL;
    pthread_mutex_unlock(&log->mutex);
    if (command == NULL)
        return LAM_STATUS_OK;
    lam_error failure = lam_error_none();
    (void)lam_log_collect(log);
    LAM_TRY(lam_log_drain(log, error));
    lam_status status = lam_log_execute(log, command, &failure);
    bool is_refusal = command->kind == LAM_LOG_COMMAND_WIDEN;
    *is_last = command->kind == LAM_LOG_COMMAND_END;
    if (status != LAM_STATUS_OK && !is_refusal) {
        *error = failure;
        return status;
    }
    pthread_mutex_lock(&log->mutex);
    command->status = status;
    command->error = failure;
    command->is_done = true;
    pthread_cond_broadcast(&log->changed);
    pthread_mutex_unlock(&log->mutex);
    return LAM_STATUS_OK;
}

/* One turn: everything that is there, and when to look again. */
static lam_status run_turn(lam_log *log, uint64_t *collect_at, uint64_t *due, bool *is_last,
                           lam_error *error) {
    const lam_clock *clock = &log->settings.clock;
    uint64_t now = clock->monotonic(clock->state);
    if (now >= *collect_at) {
        *collect_at = UINT64_MAX;
        atomic_store(&log->has_open_batches, false); /* first: later batches set it again */
        if (!lam_log_collect(log))
            atomic_store(&log->has_open_batches, true);
    }
    if (*collect_at == UINT64_MAX && atomic_load(&log->has_open_batches))
        *collect_at = now + collect_interval(log);
    LAM_TRY(lam_log_drain(log, error));
    if (atomic_exchange(&log->wants_checkpoint, false)) {
        (void)lam_log_collect(log);
        LAM_TRY(lam_log_drain(log, error));
        LAM_TRY(lam_log_engine_checkpoint(&log->engine, error));
    }
    LAM_TRY(serve_command(log, is_last, error));
    LAM_TRY(lam_log_engine_poll(&log->engine, due, error));
    *due = *due < *collect_at ? *due : *collect_at;
    return LAM_STATUS_OK;
}

/* True once the thread is to end. */
static bool must_stop(lam_log *log) {
    pthread_mutex_lock(&log->mutex);
    bool stops = log->stops;
    pthread_mutex_unlock(&log->mutex);
    return stops;
}

static void *run_log_thread(void *state) {
    lam_log *log = state;
    uint64_t collect_at = UINT64_MAX;
    bool is_last = false;
    while (!is_last && !must_stop(log)) {
        uint64_t due = UINT64_MAX;
        lam_error failure = lam_error_none();
        lam_status status = run_turn(log, &collect_at, &due, &is_last, &failure);
        if (lam_log_keep_failure(log, status, &failure, NULL) != LAM_STATUS_OK)
            break;
        if (!is_last)
            sleep_until(log, due);
    }
    return NULL;
}

/* --- Starting and ending ------------------------------------------------------------------- */

/* Both ends do not block: a full pipe has woken the thread already. */
static bool make_pipe(int ends[2]) {
    if (pipe(ends) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        (void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    return true;
}

/* Signals stay with the threads of the program: the new thread has them all blocked. */
lam_status lam_log_thread_start(lam_log *log, lam_error *error) {
    sigset_t all, before;
    if (!make_pipe(log->wake))
        LAM_FAIL(error, LAM_STATUS_IO, "cannot make a pipe for the thread of a log");
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&log->thread, NULL, run_log_thread, log);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "cannot start the thread of a log");
    log->has_thread = true;
    return LAM_STATUS_OK;
}

void lam_log_thread_stop(lam_log *log) {
    if (log->has_thread) {
        pthread_mutex_lock(&log->mutex);
        log->stops = true;
        pthread_mutex_unlock(&log->mutex);
        lam_log_thread_wake(log);
        pthread_join(log->thread, NULL);
        log->has_thread = false;
    }
    for (int i = 0; i < 2; i++)
        if (log->wake[i] >= 0)
            close(log->wake[i]);
    log->wake[0] = log->wake[1] = -1;
}
