/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A triple source for tests that gives a column in runs which break at random places, NULL level
 * arrays where they may be, and memory that is gone with the next read.
 */
#ifndef LAM_TESTS_BROKEN_RUNS_H
#define LAM_TESTS_BROKEN_RUNS_H

#include <lamella/dremel.h>
#include <lamella/record.h>

#include "support/random.h"

typedef struct lam_broken_runs {
    lam_random *random;
    const lam_field *leaf;
    lam_triples column; /* the whole of it */
    size_t at;
    size_t value_at;
    size_t run_max; /* longest run */
    uint8_t *repetition;
    uint8_t *definition;
    void *values;
} lam_broken_runs;

void lam_broken_runs_init(lam_broken_runs *runs, const lam_field *leaf, lam_triples column,
                          size_t run_max, lam_random *random);
void lam_broken_runs_finish(lam_broken_runs *runs);
lam_triple_source lam_broken_runs_source(lam_broken_runs *runs);

#endif
