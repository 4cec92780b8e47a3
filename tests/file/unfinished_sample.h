/* SPDX-License-Identifier: Apache-2.0 */
/* Files as a log leaves them, made of finished files: their row groups, with records between. */
#ifndef LAM_TESTS_UNFINISHED_SAMPLE_H
#define LAM_TESTS_UNFINISHED_SAMPLE_H

#include <lamella/recover.h>

#include "file/file_sample.h"

enum { LAM_UNFINISHED_GROUPS_MOST = 64 };

/* How a file is made. Zero is a file without footers of which nothing was synced. */
typedef struct lam_unfinished_plan {
    size_t footer_every;  /* row groups between checkpoint footers; 0: none */
    size_t synced_groups; /* the last record states that as many row groups were durable */
    bool is_finished;     /* END and a footer at the end */
    bool without_first;   /* records leave out FIRST, and every other one */
    uint8_t file_id;      /* of which all bytes of the id are made */
} lam_unfinished_plan;

typedef struct lam_unfinished_sample {
    lam_buffer bytes;
    size_t group_count;
    size_t starts[LAM_UNFINISHED_GROUPS_MOST]; /* of the first page of each row group */
    size_t ends[LAM_UNFINISHED_GROUPS_MOST];   /* behind its record */
    size_t rows[LAM_UNFINISHED_GROUPS_MOST];   /* in it and all before it */
} lam_unfinished_sample;

/* Takes the row groups of a finished file that has no page index. */
void lam_unfinished_sample_init(lam_unfinished_sample *log, lam_bytes finished,
                                const lam_unfinished_plan *plan);
void lam_unfinished_sample_finish(lam_unfinished_sample *log);

/* Opens bytes as an unfinished file; NULL, with the status, when that fails. */
lam_reader *lam_unfinished_open(lam_bytes bytes, const lam_recover_options *options,
                                lam_recovery *ret_recovery, lam_status *ret_status);

/* Ends the test unless the reader has the first `count` records of the sample. */
void lam_unfinished_expect_records(lam_file_sample *sample, const lam_reader *reader, size_t count);

#endif
