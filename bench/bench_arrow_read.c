/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file as a stream of Arrow arrays, each released before the next, and prints how long that
 * takes: the median of some rounds.
 *
 *     bench_arrow_read FILE [THREADS [BATCH_ROWS [ROUNDS]]]
 *
 *     rows, size of the file; seconds, CPU seconds; rows/s, MB/s; threads, rows of a batch; peak
 *     resident MiB
 */
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "measure.h"

typedef struct round_result {
    double seconds;
    double cpu_seconds;
} round_result;

static uint64_t row_count;

static double cpu_now(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static round_result read_file(const char *path, const lam_arrow_read_options *options) {
    lam_error error = lam_error_none();
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    double start = measure_now(), cpu_start = cpu_now();
    measure_check(lam_arrow_read_file(path, NULL, options, &stream, &error), &error);
    row_count = 0;
    for (;;) {
        measure_check_stream(stream.get_next(&stream, &array), &stream);
        if (array.release == NULL)
            break;
        row_count += (uint64_t)array.length;
        array.release(&array);
    }
    stream.release(&stream);
    round_result result = {measure_now() - start, cpu_now() - cpu_start};
    return result;
}

static int by_seconds(const void *a, const void *b) {
    double x = ((const round_result *)a)->seconds, y = ((const round_result *)b)->seconds;
    return (x > y) - (x < y);
}

static double file_megabytes(const char *path) {
    lam_error error = lam_error_none();
    lam_reader *reader;
    measure_check(lam_reader_open_file(path, NULL, &reader, &error), &error);
    double size = (double)measure_file_info(reader).file_size * 1e-6;
    lam_reader_close(reader);
    return size;
}

int main(int argc, char **argv) {
    enum { MOST_ROUNDS = 100 };
    static round_result results[MOST_ROUNDS];
    lam_arrow_read_options options = lam_arrow_read_options_default();
    if (argc < 2 || argc > 5) {
        fprintf(stderr, "usage: bench_arrow_read FILE [THREADS [BATCH_ROWS [ROUNDS]]]\n");
        return 2;
    }
    options.thread_count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
    options.batch_rows = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    long rounds = argc > 4 ? strtol(argv[4], NULL, 10) : MEASURE_ROUNDS;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    for (long i = 0; i < rounds; i++)
        results[i] = read_file(argv[1], &options);
    qsort(results, (size_t)rounds, sizeof results[0], by_seconds);
    round_result median = results[rounds / 2];
    double size = file_megabytes(argv[1]);
    printf("%llu rows, %.1f MB   %.4f s, CPU %.4f s   %.4g rows/s, %.4g MB/s of the file   "
           "%u threads, batches of %llu   peak %.1f MiB\n",
           (unsigned long long)row_count, size, median.seconds, median.cpu_seconds,
           (double)row_count / median.seconds, size / median.seconds, options.thread_count,
           (unsigned long long)options.batch_rows, measure_peak_mib());
    return 0;
}
