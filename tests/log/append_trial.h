/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random lives of a file that is appended to: each opens an append, in place or anew, on the disk
 * that the one before left, puts numbered records with ends of row groups and checkpoints between
 * them, and finishes it, gives it up, or ends in a power cut or a kill at a random operation of the
 * disk. If the file has to be recovered first, the life does what docs/logging.md says: recover
 * into a new file, put that in the place, remove the note. That may be cut as well. Then
 *
 *     a file that no note is beside is whole
 *     the rows of the file as it was finished last are there, always
 *     after them come the first records of the append, without a gap: all if it was finished, none
 *     if it was given up, at least those of ended row groups after a kill
 */
#ifndef LAM_TESTS_APPEND_TRIAL_H
#define LAM_TESTS_APPEND_TRIAL_H

#include <stdint.h>

/* What came up in all cases so far. */
typedef struct lam_append_trial_counts {
    uint64_t cases;
    uint64_t lives;
    uint64_t cuts; /* at an operation */
    uint64_t in_place;
    uint64_t finished;
    uint64_t given_up;
    uint64_t recoveries; /* that ended */
    uint64_t kept;       /* records of appends that were cut and that a recovery kept */
    uint64_t lost;       /* that it did not */
    uint64_t records;    /* at the ends of cases */
} lam_append_trial_counts;

/* Runs one case; ends the test with the seed in the message when it does not hold. `power_percent`
 * of the ends are power cuts, the others kills. */
void lam_append_trial_run(uint64_t seed, unsigned power_percent, lam_append_trial_counts *counts);

#endif
