/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans a file for the rows of a condition, as an Arrow stream whose arrays are released one by
 * one, and prints how long that takes: the median of some rounds, the open file being the same.
 *
 *     bench_scan FILE WHERE [THREADS [ROUNDS]]
 */
#include <lamella/filter.h>
#include <lamella/scan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure.h"

typedef struct scan_job {
    lam_reader *reader;
    const lam_filter *filter;
    uint32_t threads;
    lam_scan_report report;
} scan_job;

static double scan(void *state) {
    scan_job *job = state;
    lam_error error = lam_error_none();
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    options.filter = job->filter;
    options.thread_count = job->threads;
    job->report = lam_scan_report_default();
    options.report = &job->report;
    double start = measure_now();
    measure_check(lam_arrow_read_stream(job->reader, &options, &stream, &error), &error);
    for (;;) {
        if (stream.get_next(&stream, &array) != 0) {
            fprintf(stderr, "%s\n", stream.get_last_error(&stream));
            exit(1);
        }
        if (array.release == NULL)
            break;
        array.release(&array);
    }
    stream.release(&stream);
    return measure_now() - start;
}

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    lam_filter *filter;
    scan_job job = {0};
    if (argc < 3 || argc > 5) {
        fprintf(stderr, "usage: bench_scan FILE WHERE [THREADS [ROUNDS]]\n");
        return 2;
    }
    job.threads = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1;
    measure_check(lam_reader_open_file(argv[1], NULL, &job.reader, &error), &error);
    measure_check(lam_filter_parse(lam_reader_schema(job.reader), argv[2], strlen(argv[2]), NULL,
                                   NULL, &filter, &error),
                  &error);
    job.filter = filter;
    clock_t cpu = clock();
    long rounds = argc > 4 ? strtol(argv[4], NULL, 10) : 1;
    double seconds = 0;
    for (long i = 0; i < rounds; i++)
        seconds += measure_median(scan, &job) / (double)rounds;
    double per_scan = (double)(clock() - cpu) / CLOCKS_PER_SEC / (double)rounds / MEASURE_ROUNDS;
    printf("%llu of %llu rows   %.3f ms, CPU %.3f ms   peak %.1f MiB\n",
           (unsigned long long)job.report.rows_wanted, (unsigned long long)job.report.rows,
           1e3 * seconds, 1e3 * per_scan, measure_peak_mib());
    lam_filter_destroy(filter);
    lam_reader_close(job.reader);
    return 0;
}
