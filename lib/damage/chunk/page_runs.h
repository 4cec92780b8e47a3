/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can still be read of a damaged column chunk: runs of sound pages whose rows are known.
 *
 *     pages   | dict | sound | sound | damaged | sound | no header ...     |
 *     runs           <---- run ---->           <-run-->
 *     rows           0               a         b       c           row_count
 *     lost                           [a, b)            [c, row_count)
 *
 * Who reads a chunk with its survey skips from run to run, and fails where a row is lost.
 */
#ifndef LAM_DAMAGE_CHUNK_PAGE_RUNS_H
#define LAM_DAMAGE_CHUNK_PAGE_RUNS_H

#include "base/list.h"

/* Sound pages that follow each other in the file. */
typedef struct lam_page_run {
    uint64_t begin; /* bytes of the file, headers included */
    uint64_t end;
    uint64_t triples;
    uint64_t first_row; /* the first record that begins in the run, in the row group */
    uint64_t begun;     /* records that begin in the run */
    uint64_t end_row;   /* after the last one that is known to end in the run, too */
    bool continues;     /* triples of a record that began before come first */
} lam_page_run;

/* Rows that cannot be read, or are not known to be the rows that they seem to be. */
typedef struct lam_page_loss {
    uint64_t first_row;
    uint64_t end_row;
    uint64_t offset; /* where the damage begins in the file */
    size_t pages;    /* damaged ones; a range without page headers counts as one */
    lam_error error; /* why the first of them cannot be read */
} lam_page_loss;

typedef struct lam_page_survey {
    lam_allocator allocator;
    uint64_t row_count;  /* of the row group */
    uint64_t dictionary; /* offset of the sound dictionary page */
    uint64_t dictionary_end;
    bool has_dictionary;
    LAM_LIST(lam_page_run) runs;    /* by rows */
    LAM_LIST(lam_page_loss) losses; /* by rows */
    uint64_t lost_rows;             /* in them */
    size_t sound_pages;             /* data pages of the runs */
    size_t unplaced_pages;          /* data pages that are sound, but whose rows are unknown */
    size_t repaired;                /* page headers that were mended */
    uint64_t unknown_bytes;         /* of the chunk, in no page that is known to be one */
    bool contradicts_schema;        /* all is lost, as the pages are those of another column */
} lam_page_survey;

static inline const lam_page_run *lam_page_survey_runs(const lam_page_survey *survey,
                                                       size_t *ret_count) {
    *ret_count = survey->runs.count;
    return survey->runs.items;
}

static inline const lam_page_loss *lam_page_survey_losses(const lam_page_survey *survey,
                                                          size_t *ret_count) {
    *ret_count = survey->losses.count;
    return survey->losses.items;
}

#endif
