/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file in memory of which the Nth read fails, or asks the caller's stop: run an operation once to
 * count its reads, then with N = 1, 2, 3, ... and demand IO or CANCELLED, and nothing false. Or a
 * range of the file fails whenever it is read.
 */
#ifndef LAM_TESTS_ENDING_INPUT_H
#define LAM_TESTS_ENDING_INPUT_H

#include <lamella/io.h>
#include <lamella/stop.h>

#define LAM_ENDING_MESSAGE "a read failed"

typedef struct lam_ending_input {
    lam_bytes file;
    size_t reads;   /* so far */
    size_t fail_at; /* the read that fails, from 1; 0 never */
    size_t stop_at; /* the read at which the stop is requested, from 1; 0 never */
    lam_stop stop;
    uint64_t gap_begin; /* reads of any byte from here on up to gap_end fail */
    uint64_t gap_end;
    size_t gap_reads; /* that failed so */
} lam_ending_input;

/* `ending` must outlive the input. A read outside of the file ends the test. */
lam_input lam_ending_input_of(lam_ending_input *ending);

/* Begins anew: counts from 0, with the reads that fail and that stop. */
void lam_ending_input_again(lam_ending_input *ending, size_t fail_at, size_t stop_at);

#endif
