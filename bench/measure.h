/* SPDX-License-Identifier: Apache-2.0 */
/* Timing for the benchmarks: repeat, take the median, print one line. */
#ifndef LAMELLA_BENCH_MEASURE_H
#define LAMELLA_BENCH_MEASURE_H

#include <lamella/lamella.h>

enum { MEASURE_ROUNDS = 7 };

/* Seconds of the monotonic clock. */
double measure_now(void);

/* Seconds of processor time that this process has taken so far. */
double measure_cpu(void);

/* An output that counts the bytes it is given in `*bytes`, and drops them. */
lam_output measure_output(uint64_t *bytes);

/* Peak resident memory of this process so far, in MiB. */
double measure_peak_mib(void);

/* Ends the program with the error's message unless the status is OK. */
void measure_check(lam_status status, const lam_error *error);
/* What the end of an open file states. */
lam_file_info measure_file_info(const lam_reader *reader);
/* The same for what a call on an Arrow stream returned. */
void measure_check_stream(int code, struct ArrowArrayStream *stream);

/*
 * Runs `work` a few times and gives the median of the seconds it says it took; it leaves out what
 * does not count.
 */
double measure_median(double (*work)(void *state), void *state);

/* Prints "NAME  SECONDS  items/s  ns/item  bytes/s  peak"; bytes of 0 are left out. */
void measure_print(const char *name, double seconds, const char *unit, double items, double bytes);

#endif
