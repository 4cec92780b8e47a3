/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits that every command takes which reads files: in come --memory-limit and --timeout, out
 * go the options that readers and checks are opened with, and reads that wait no longer. The time
 * counts from when the option is read, over all files.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

static lam_stop stop;
static tool_limits limits;

const tool_limits *tool_limits_of_program(void) {
    return &limits;
}

bool tool_parse_duration(const char *text, int64_t *ret_nanoseconds) {
    static const struct {
        const char *unit;
        int64_t nanoseconds;
    } units[] = {{"", 1000000000},
                 {"ms", 1000000},
                 {"s", 1000000000},
                 {"m", 60000000000},
                 {"h", 3600000000000}};
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(text + digits, units[i].unit) != 0)
            continue;
        int64_t count = strtoll(text, NULL, 10);
        if (count > INT64_MAX / units[i].nanoseconds)
            return false;
        *ret_nanoseconds = count * units[i].nanoseconds;
        return true;
    }
    return false;
}

/* Waits until there is something to read, or the end; CANCELLED at the deadline. */
static lam_status wait_for(int descriptor, lam_error *error) {
    enum { MILLISECOND = 1000000, MINUTE = 60000 };
    struct pollfd waited = {.fd = descriptor, .events = POLLIN};
    while (limits.stop != NULL && !lam_stop_is_due(limits.stop)) {
        const int64_t left = (stop.deadline - lam_deadline_after(0)) / MILLISECOND + 1;
        if (poll(&waited, 1, left < MINUTE ? (int)left : MINUTE) > 0)
            return LAM_STATUS_OK;
    }
    if (limits.stop == NULL)
        return LAM_STATUS_OK;
    *error = lam_error_none();
    error->status = LAM_STATUS_CANCELLED;
    error->code = LAM_ERROR_CODE_DEADLINE;
    snprintf(error->message, sizeof error->message, "the time limit has expired");
    return LAM_STATUS_CANCELLED;
}

lam_status tool_read(int descriptor, void *buffer, size_t size, size_t *ret_size,
                     lam_error *error) {
    ssize_t got;
    lam_status status = wait_for(descriptor, error);
    if (status != LAM_STATUS_OK)
        return status;
    do {
        got = read(descriptor, buffer, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
        error->os_error = errno;
        snprintf(error->message, sizeof error->message, "cannot read: %s", strerror(errno));
        return LAM_STATUS_IO;
    }
    *ret_size = (size_t)got;
    return LAM_STATUS_OK;
}

bool tool_take_timeout(const tool_option *option, const char *value, void *chosen) {
    int64_t nanoseconds;
    (void)option;
    (void)chosen;
    if (!tool_parse_duration(value, &nanoseconds))
        return false;
    stop.deadline = lam_deadline_after(nanoseconds);
    limits.stop = &stop;
    tool_end_after(nanoseconds);
    return true;
}

bool tool_take_memory_limit(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    (void)chosen;
    return tool_parse_limit(value, &limits.memory_limit);
}
