/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints one line of progress, by bytes and counts, for the entire program. The line only ever
 * exists between begin and end, so no other text on standard error shares it.
 */
#define _POSIX_C_SOURCE 200809L
#include "tool_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_NS = 1000000000, STEP_NS = 200000000, LINE_MOST = 120 };

typedef struct progress_state {
    bool is_on;
    bool is_printed;
    const char *noun;
    uint64_t total;
    uint64_t done;
    uint64_t count;
    int64_t begun_ns;
    int64_t next_ns;
    int last_width;
} progress_state;

static progress_state progress;

static int64_t monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A number with commas between thousands. */
static void put_number(uint64_t number, char *text, size_t size) {
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number), used = 0;
    for (int i = 0; i < count && (size_t)used + 2 < size; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

static int print_parts(char *line, size_t size, double seconds) {
    char number[40];
    int used = 0;
    double rate = seconds > 0 ? (double)progress.done / seconds : 0;
    uint64_t done = progress.done < progress.total ? progress.done : progress.total;
    if (progress.total > 0)
        used += snprintf(line + used, size - (size_t)used, "%3" PRIu64 " %%  ",
                         (uint64_t)(100.0 * (double)done / (double)progress.total));
    if (progress.noun != NULL && progress.count > 0) {
        put_number(progress.count, number, sizeof number);
        used += snprintf(line + used, size - (size_t)used, "%s %s  ", number, progress.noun);
    }
    used += snprintf(line + used, size - (size_t)used, "%.1f MB/s", rate / 1e6);
    if (done > 0 && progress.total > done && rate > 0) {
        uint64_t left = (uint64_t)((double)(progress.total - done) / rate) + 1;
        used += snprintf(line + used, size - (size_t)used, "  %" PRIu64 ":%02" PRIu64 " left",
                         left / 60, left % 60);
    }
    return used;
}

static void print_line(int64_t now) {
    char line[LINE_MOST];
    int width = print_parts(line, sizeof line, (double)(now - progress.begun_ns) / 1e9);
    int blanks = progress.last_width > width ? progress.last_width - width : 0;
    fprintf(stderr, "\r%s%*s", line, blanks, "");
    progress.is_printed = true;
    progress.last_width = width;
}

static void check_clock(void) {
    int64_t now = monotonic_ns();
    if (now < progress.next_ns)
        return;
    print_line(now);
    progress.next_ns = now + STEP_NS;
}

bool tool_progress_is_on(void) {
    return progress.is_on;
}

void tool_progress_begin(uint64_t total, const char *noun) {
    tool_progress_end();
    memset(&progress, 0, sizeof progress);
    progress.is_on = isatty(STDERR_FILENO) != 0;
    progress.total = total;
    progress.noun = noun;
    progress.begun_ns = monotonic_ns();
    progress.next_ns = progress.begun_ns + FIRST_NS;
}

void tool_progress_begin_files(int count, char **files, const char *noun) {
    uint64_t total = 0;
    for (int i = 0; i < count; i++) {
        struct stat about;
        if (stat(files[i], &about) == 0 && S_ISREG(about.st_mode))
            total += (uint64_t)about.st_size;
    }
    tool_progress_begin(total, noun);
}

void tool_progress_expect(uint64_t bytes) {
    progress.total += bytes;
}

void tool_progress_read(uint64_t bytes) {
    progress.done += bytes;
    if (progress.is_on)
        check_clock();
}

void tool_progress_count(uint64_t count) {
    progress.count = count;
    if (progress.is_on)
        check_clock();
}

void tool_progress_hide(void) {
    if (progress.is_printed)
        fprintf(stderr, "\r%*s\r", progress.last_width, "");
    progress.is_printed = false;
}

void tool_progress_end(void) {
    tool_progress_hide();
    progress.is_on = false;
}
