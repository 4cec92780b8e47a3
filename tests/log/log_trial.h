/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random lives of a log: each opens it on the disk that the one before left, with random options,
 * puts numbered records in a random program, and ends in a power cut or a kill at a random
 * operation of the disk, which may be one of its opening. The last one comes to its end. Then the
 * final files must hold
 *
 *     every record that counted as durable before the cut, and each record once
 *     each record as it was put, and none that was not
 *     of each source, without partitions, the first records and no gap, in their order
 *     in one file, the records of each life before those of the next
 *
 * and nothing else may be left in the folder.
 */
#ifndef LAM_TESTS_LOG_TRIAL_H
#define LAM_TESTS_LOG_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/* Which lives to try. */
typedef struct lam_log_trial_kind {
    unsigned power_percent; /* of the ends are power cuts, the others kills */
    bool is_one_file;       /* logs of one file; of a folder otherwise */
    bool has_columns;       /* sources of triples and of Arrow arrays beside those of records */
} lam_log_trial_kind;

/* What came up in all cases so far, to show that a test tries what it should. */
typedef struct lam_log_trial_counts {
    uint64_t cases;
    uint64_t lives;
    uint64_t cuts;           /* at an operation */
    uint64_t cuts_of_start;  /* of these, before the log was open */
    uint64_t durable;        /* records that had to be there */
    uint64_t records;        /* that were there */
    uint64_t column_records; /* put as triples or arrays */
    uint64_t recovered;      /* taken over from predecessors */
    uint64_t bad_files;
} lam_log_trial_counts;

/* Runs one case; ends the test with the seed in the message when it does not hold. */
void lam_log_trial_run(uint64_t seed, const lam_log_trial_kind *kind, lam_log_trial_counts *counts);

#endif
