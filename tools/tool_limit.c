/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets the limits of every command that reads files: takes --memory-limit and --timeout, and gives
 * the options that readers and checks are opened with, and reads that wait no longer. The time
 * counts from when the option is read, over all files.
 *
 * The memory is bounded twice. One budget is beneath all that the library makes in the run, so that
 * readers, writers, samples and texts keep the limit together and say where they passed it. Memory
 * that does not come from the library's allocators (the program's own lists, streams, codecs and
 * C++ libraries with memory of their own) is bounded by the system, with all other memory:
 *
 *     limit                        the budget
 *     limit + BESIDE_BUDGET        data of the process (RLIMIT_DATA)
 *     limit + 16 MiB               that, and the pages of the program and its libraries
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "tool.h"

enum {
    BUDGET_LEAST = 4 << 20, /* of the run; a single handle keeps a smaller limit */
    BESIDE_BUDGET = 8 << 20,
    HEAP_BLOCK = 256 << 10, /* larger blocks go back to the system when they are freed */
    HEAP_LIMIT = 1 << 30    /* above it there could be more such blocks than a process may have */
};

static lam_stop stop;
static tool_limits limits;
static lam_budget *budget;
static lam_allocator drawing;

const tool_limits *tool_limits_of_program(void) {
    return &limits;
}

const lam_allocator *tool_allocator(void) {
    return budget != NULL ? &drawing : NULL;
}

lam_reader_options tool_reader_options(void) {
    lam_reader_options options = lam_reader_options_default();
    options.allocator = tool_allocator();
    options.memory_limit = limits.memory_limit;
    options.stop = limits.stop;
    return options;
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

lam_status tool_check_time(lam_error *error) {
    if (!lam_stop_is_due(limits.stop))
        return LAM_STATUS_OK;
    *error = lam_error_none();
    error->status = LAM_STATUS_CANCELLED;
    error->code = LAM_ERROR_CODE_DEADLINE;
    snprintf(error->message, sizeof error->message, "the time limit has expired");
    return LAM_STATUS_CANCELLED;
}

/*
 * Waits until there are bytes to read, or the end; CANCELLED at the deadline, or when asked. A
 * signal that comes right before a poll does not end it: its turn does.
 */
static lam_status wait_for(int descriptor, lam_error *error) {
    enum { MILLISECOND = 1000000, TURN_MS = 100 };
    struct pollfd waited = {.fd = descriptor, .events = POLLIN};
    while (!lam_stop_is_due(limits.stop)) {
        int turn = limits.stop == NULL ? -1 : TURN_MS;
        if (stop.deadline != 0) {
            const int64_t left = (stop.deadline - lam_deadline_after(0)) / MILLISECOND + 1;
            turn = left < TURN_MS ? (int)left : TURN_MS;
        }
        if (poll(&waited, 1, turn) > 0)
            return LAM_STATUS_OK;
    }
    return tool_check_time(error);
}

int tool_open_descriptor(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0)
        fcntl(descriptor, F_SETFL, 0);
    return descriptor;
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

void tool_end_when_asked(void) {
    limits.stop = &stop;
    tool_end_by_itself(&stop);
}

lam_writer_options tool_writer_options(void) {
    lam_writer_options options = lam_writer_options_default();
    options.allocator = tool_allocator();
    options.stop = limits.stop;
    return options;
}

/* Sanitizers take memory for themselves, many times that of the program. */
static bool is_sanitized(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
    return true;
#endif
#endif
    return false;
}

/*
 * Has the system refuse memory that the budget does not see, and the heap keep little freed memory.
 * A system that has no such limit leaves the budget alone.
 */
static void bound_process(uint64_t limit) {
    struct rlimit data;
    if (is_sanitized() || limit > RLIM_INFINITY / 2 || getrlimit(RLIMIT_DATA, &data) != 0)
        return;
#if defined(__GLIBC__)
    if (limit <= HEAP_LIMIT) {
        mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK);
        mallopt(M_TRIM_THRESHOLD, HEAP_BLOCK);
    }
#endif
    rlim_t most = (rlim_t)(limit + BESIDE_BUDGET);
    if (data.rlim_cur == RLIM_INFINITY || most < data.rlim_cur) {
        data.rlim_cur = most;
        (void)setrlimit(RLIMIT_DATA, &data);
    }
}

void tool_bound_allocator(uint64_t most) {
    lam_error error = lam_error_none();
    lam_budget_destroy(budget);
    budget = NULL;
    most = most > BUDGET_LEAST ? most : BUDGET_LEAST;
    if (lam_budget_create(NULL, most, &budget, &error) != LAM_STATUS_OK)
        tool_end_without_memory(NULL, error.message);
    drawing = lam_budget_allocator(budget);
}

/* The option may be given twice: the last one holds, and nothing has been drawn before. */
bool tool_take_memory_limit(const tool_option *option, const char *value, void *chosen) {
    (void)option;
    (void)chosen;
    if (!tool_parse_limit(value, &limits.memory_limit))
        return false;
    uint64_t most = limits.memory_limit > BUDGET_LEAST ? limits.memory_limit : BUDGET_LEAST;
    tool_bound_allocator(most);
    bound_process(most);
    return true;
}
