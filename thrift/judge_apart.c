/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child is forked with all that it needs in its memory, and answers through a pipe with one line:
 * a letter, which is the outcome, and a message. A child that dies answers nothing.
 */
#define _GNU_SOURCE /* RLIMIT_DATA */
#include "judge_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "judge.h"

enum {
    ANSWER_MOST = 240,
    SECONDS_MOST = 60,    /* to wait, and of the processor: 16 MiB take a second */
    MEMORY_MOST = 1 << 30 /* of the child: some three times what 16 MiB take */
};

#if defined(__SANITIZE_ADDRESS__)
#define LAM_JUDGE_ANY_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define LAM_JUDGE_ANY_MEMORY 1
#endif
#endif

/* --- The child ------------------------------------------------------------------------------ */

static void set_limit(int which, rlim_t most) {
    struct rlimit limit = {0, 0};
    if (getrlimit(which, &limit) != 0 || (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < most))
        return;
    limit.rlim_cur = most;
    (void)setrlimit(which, &limit);
}

/* GLib's own way to report that it has no memory may wait for the lock that it holds already. */
static void die_of_errors(const gchar *domain, GLogLevelFlags level, const gchar *message,
                          gpointer state) {
    (void)domain;
    (void)message;
    (void)state;
    if ((level & G_LOG_FLAG_FATAL) != 0)
        _exit(1);
}

/* Dies quietly, of whatever it is, without a file or a word, and not later than it is waited for.
 */
static void be_alone(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGABRT, SIGTRAP};
    sigset_t none;
    int nowhere = open("/dev/null", O_RDWR);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        (void)signal(signals[i], SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        _exit(1);
    (void)g_log_set_default_handler(die_of_errors, NULL);
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, SECONDS_MOST);
#ifndef LAM_JUDGE_ANY_MEMORY
    set_limit(RLIMIT_DATA, MEMORY_MOST);
#endif
}

static void answer(int pipe, char outcome, const char *before, const char *words) {
    char line[ANSWER_MOST];
    int size = snprintf(line, sizeof line, "%c%s%s", outcome, before, words);
    size_t left = size < 0 ? 0 : (size_t)size >= sizeof line ? sizeof line - 1 : (size_t)size;
    if (write(pipe, line, left) < 0) /* in one: it is far below PIPE_BUF */
        _exit(1);
}

static void judge(int pipe, const uint8_t *footer, size_t size, const uint8_t *expected,
                  size_t expected_size) {
    uint8_t *judged;
    size_t judged_size;
    char *words;
    if (!lam_judge_reencode(LAM_JUDGE_FILE, footer, size, &judged, &judged_size, &words))
        answer(pipe, 'n', "Apache Thrift cannot read the footer: ", words);
    else if (judged_size != expected_size || memcmp(judged, expected, judged_size) != 0)
        answer(pipe, 'n', "Apache Thrift reads something else from the footer", "");
    else
        answer(pipe, 'y', "", "");
}

/* --- The parent ----------------------------------------------------------------------------- */

static int64_t now(void) {
    struct timespec time = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Reads what the child says until it closes the pipe, or its time is up. Bytes read. */
static size_t listen_to(int pipe, char *line, size_t capacity) {
    int64_t end = now() + SECONDS_MOST * 1000;
    size_t size = 0;
    while (size < capacity) {
        struct pollfd ready = {.fd = pipe, .events = POLLIN};
        int64_t left = end - now();
        if (left <= 0)
            return 0;
        if (poll(&ready, 1, (int)left) < 0 && errno != EINTR)
            return 0;
        if (ready.revents == 0)
            continue;
        ssize_t got = read(pipe, line + size, capacity - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        size += (size_t)got;
    }
    return size;
}

static lam_judge_outcome hear(int pipe, char *message, size_t capacity) {
    char line[ANSWER_MOST + 1];
    size_t size = listen_to(pipe, line, ANSWER_MOST);
    line[size] = '\0';
    if (size > 0 && (line[0] == 'y' || line[0] == 'n')) {
        (void)snprintf(message, capacity, "%s", line + 1);
        return line[0] == 'y' ? LAM_JUDGE_OUTCOME_SAME : LAM_JUDGE_OUTCOME_OTHER;
    }
    (void)snprintf(message, capacity, "Apache Thrift did not answer");
    return LAM_JUDGE_OUTCOME_UNASKED;
}

lam_judge_outcome lam_judge_footer_apart(const uint8_t *footer, size_t size,
                                         const uint8_t *expected, size_t expected_size,
                                         char *message, size_t capacity) {
    int ends[2];
    pid_t child = -1;
    if (pipe(ends) == 0) {
        child = fork();
        if (child == 0) {
            (void)close(ends[0]);
            be_alone();
            judge(ends[1], footer, size, expected, expected_size);
            _exit(0); /* nothing of the parent is flushed or ended twice */
        }
        (void)close(ends[1]);
        if (child < 0)
            (void)close(ends[0]);
    }
    if (child < 0) {
        (void)snprintf(message, capacity, "there is no process for Apache Thrift: %s",
                       strerror(errno));
        return LAM_JUDGE_OUTCOME_UNASKED;
    }
    lam_judge_outcome outcome = hear(ends[0], message, capacity);
    (void)close(ends[0]);
    (void)kill(child, SIGKILL); /* it has nothing left to do */
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return outcome;
}
