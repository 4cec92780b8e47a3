/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

double measure_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double measure_cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static lam_status count_bytes(void *state, const void *data, size_t size, lam_error *error) {
    (void)data;
    (void)error;
    *(uint64_t *)state += size;
    return LAM_STATUS_OK;
}

static lam_status finish_count(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static void close_count(void *state) {
    (void)state;
}

lam_output measure_output(uint64_t *bytes) {
    lam_output output = {bytes, count_bytes, finish_count, close_count};
    return output;
}

double measure_peak_mib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
    return (double)usage.ru_maxrss / 1048576;
#else
    return (double)usage.ru_maxrss / 1024;
#endif
}

void measure_check(lam_status status, const lam_error *error) {
    if (status == LAM_STATUS_OK)
        return;
    fprintf(stderr, "%s: %s\n", lam_status_name(status), error->message);
    exit(1);
}

lam_file_info measure_file_info(const lam_reader *reader) {
    lam_error error = lam_error_none();
    lam_file_info info = lam_file_info_default();
    measure_check(lam_reader_file_info(reader, &info, &error), &error);
    return info;
}

void measure_check_stream(int code, struct ArrowArrayStream *stream) {
    if (code == 0)
        return;
    const char *message = stream->get_last_error(stream);
    fprintf(stderr, "error %d: %s\n", code, message != NULL ? message : "");
    exit(1);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double (*work)(void *state), void *state) {
    double seconds[MEASURE_ROUNDS];
    for (int i = 0; i < MEASURE_ROUNDS; i++)
        seconds[i] = work(state);
    qsort(seconds, MEASURE_ROUNDS, sizeof seconds[0], compare);
    return seconds[MEASURE_ROUNDS / 2];
}

void measure_print(const char *name, double seconds, const char *unit, double items, double bytes) {
    printf("%-44s %9.3f ms  %9.2f M%s/s  %8.3f ns each", name, seconds * 1e3,
           items / seconds * 1e-6, unit, seconds / items * 1e9);
    if (bytes > 0)
        printf("  %8.1f MB/s", bytes / seconds * 1e-6);
    printf("  peak %.0f MiB\n", measure_peak_mib());
}
