/* SPDX-License-Identifier: Apache-2.0 */
/* Surveys a damaged column chunk: finds the runs of page_runs.h in it, and mends page headers. */
#ifndef LAM_DAMAGE_CHUNK_PAGE_SURVEY_H
#define LAM_DAMAGE_CHUNK_PAGE_SURVEY_H

#include "chunk/read/column_cursor.h"
#include "damage/chunk/page_runs.h"
#include "io/patched_input.h"

/* What is known about a chunk besides its bytes. */
typedef struct lam_survey_hints {
    const lam_meta_page_location *locations; /* of a sane offset index; no `count` without one */
    size_t count;
    bool has_crcs;          /* pages of the file have checksums, as far as others show */
    bool is_cut;            /* the chunk may continue elsewhere: values are missing */
    bool is_divided;        /* only its page headers describe the chunk: their sums prove nothing */
    bool passes_unreadable; /* pages that the input fails to read with IO are lost */
} lam_survey_hints;

/*
 * Reads all of a chunk, with its checksums whatever the chunk says. `*ret_survey` is NULL when no
 * row is lost, and every byte is in a page. `patched` is the input of the chunk: bits of page
 * headers are flipped in it if the header is then complete, in one way only, and its page matches
 * its checksum, or, without one, decodes. NOMEM, IO unless that is passed, CANCELLED; damage,
 * limits and unsupported features are no failures.
 */
lam_status lam_page_survey_create(const lam_column_chunk *chunk, lam_survey_hints hints,
                                  lam_patched_input *patched, const lam_allocator *allocator,
                                  lam_page_survey **ret_survey, lam_error *error);
/* A survey of a chunk that cannot be read at all, for the reason in `failure`. */
lam_status lam_page_survey_create_lost(uint64_t row_count, const lam_error *failure,
                                       const lam_allocator *allocator, lam_page_survey **ret_survey,
                                       lam_error *error);
/* The same for a chunk whose pages contradict the schema. */
lam_status lam_page_survey_create_contradicting(const lam_field *leaf, size_t row_group,
                                                uint64_t row_count, const lam_allocator *allocator,
                                                lam_page_survey **ret_survey, lam_error *error);
/* A survey without runs and losses, which is filled. */
lam_status lam_page_survey_begin(uint64_t row_count, const lam_allocator *allocator,
                                 lam_page_survey **ret_survey, lam_error *error);
/* NULL is allowed. */
void lam_page_survey_destroy(lam_page_survey *survey);

#endif
