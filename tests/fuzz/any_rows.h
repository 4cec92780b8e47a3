/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of any file as sums, to be compared with those of a file that was made of it. */
#ifndef LAM_FUZZ_ANY_ROWS_H
#define LAM_FUZZ_ANY_ROWS_H

#include <lamella/reader.h>

typedef struct lam_fuzz_rows {
    bool are_whole;   /* all of them were read */
    uint64_t ordered; /* stands for all records in their order */
    uint64_t sum;     /* for all records in any order */
    uint64_t count;
} lam_fuzz_rows;

/*
 * Adds the first `most` records of a reader behind those before; `rows` begins as zeros, but for
 * are_whole.
 */
void lam_fuzz_rows_add(lam_fuzz_rows *rows, const lam_reader *reader, uint64_t most);

lam_fuzz_rows lam_fuzz_rows_of(const lam_reader *reader);

/* False where values and rows are more than `most`: a few bytes may stand for any number. */
bool lam_fuzz_is_small(const lam_reader *reader, uint64_t most);

/* Rules on what values mean and where types stand: what is copied or salvaged is as it was. */
bool lam_fuzz_is_of_source(const char *rule);

/*
 * How many errors `check` finds in a file, with those of such rules or without, and the first of
 * them, until the next call.
 */
uint64_t lam_fuzz_errors_of(lam_bytes file, bool with_values, const char **ret_text);

#endif
