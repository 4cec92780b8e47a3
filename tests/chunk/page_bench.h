/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks made of any page headers and bodies, and a finder that looks at them: its parts are called
 * one by one. A bench is started, given pages, opened, and finished.
 */
#ifndef LAM_TESTS_PAGE_BENCH_H
#define LAM_TESTS_PAGE_BENCH_H

#include "chunk/hand_made.h"
#include "damage/chunk/page_trust.h"

typedef struct lam_page_bench {
    lam_hand_made made;
    lam_input bytes;
    lam_patched_input patched;
    lam_column_chunk chunk;
    lam_column_cursor *cursor; /* NULL until the bench is open */
    lam_page_finder finder;
    lam_page_survey *survey;
} lam_page_bench;

void lam_page_bench_start(lam_page_bench *bench, const char *schema, int32_t version);
void lam_page_bench_finish(lam_page_bench *bench);

/* The offset in the file of the page that is added next. */
uint64_t lam_page_bench_end(const lam_page_bench *bench);
void lam_page_bench_bytes(lam_page_bench *bench, const void *bytes, size_t size);
/* A header, and behind it a body of that many bytes, of any size that the header states. */
void lam_page_bench_page(lam_page_bench *bench, const lam_meta_page_header *header,
                         const void *body, size_t size);
/* A page of a required leaf: `count` numbers of 4 bytes each, all `value`. */
void lam_page_bench_ints(lam_page_bench *bench, size_t count, int32_t value);
/*
 * A page of a repeated leaf of 4 bytes, of the version that the bench was started with: each level
 * is one value.
 */
void lam_page_bench_repeated(lam_page_bench *bench, const uint8_t *repetition, size_t count);

/* Sets what the footer states of the chunk. */
void lam_page_bench_state(lam_page_bench *bench, int64_t value_count, uint64_t row_count);
/* Begins to look at the chunk, through `input` unless it is NULL. */
void lam_page_bench_open(lam_page_bench *bench, lam_survey_hints hints, const lam_input *input,
                         const lam_allocator *allocator);
/* Surveys the chunk instead. */
void lam_page_bench_survey(lam_page_bench *bench, lam_survey_hints hints);
/* The survey has these losses and no others: pairs of the first row and the one behind the last. */
void lam_page_bench_expect_losses(const lam_page_bench *bench, const uint64_t (*rows)[2],
                                  size_t count);

#endif
