/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of random triples of one leaf, for tests that write them and compare what comes back.
 * Levels are any that are in range, with a record at the front: no layer below the assembler looks
 * further.
 */
#ifndef LAM_TESTS_TRIPLE_COLUMN_H
#define LAM_TESTS_TRIPLE_COLUMN_H

#include <lamella/record.h>

#include "base/arena.h"
#include "support/random.h"

typedef struct lam_triple_shape {
    size_t record_count;
    unsigned null_percent; /* of triples, when the leaf may be null */
    unsigned more_percent; /* chance that a record has one more triple, when the leaf repeats */
    size_t distinct;       /* different values; 0 for any */
    size_t bytes_max;      /* longest byte array */
} lam_triple_shape;

typedef struct lam_triple_column {
    const lam_field *leaf;
    size_t record_count;
    lam_triples triples;
    size_t *starts;       /* triples before each record, and all of them */
    size_t *value_starts; /* values before each record, and all of them */
    lam_arena arena;
} lam_triple_column;

void lam_triple_column_init(lam_triple_column *column, const lam_field *leaf,
                            const lam_triple_shape *shape, lam_random *random);
void lam_triple_column_finish(lam_triple_column *column);

/* Some records. With `random`, levels that are all the same are left out as often as not. */
lam_triples lam_triple_column_slice(const lam_triple_column *column, size_t first, size_t count,
                                    lam_random *random);

/* How far triples that come back agree with a column. */
typedef struct lam_triple_match {
    const lam_triple_column *column;
    size_t at;
    size_t value_at;
} lam_triple_match;

/* True when `run` is what comes next in the column. */
bool lam_triple_match_next(lam_triple_match *match, const lam_triples *run);
bool lam_triple_match_at_end(const lam_triple_match *match);

#endif
