/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks of random triples that tests damage: where their pages are, a survey of them, and what
 * comes back, compared with what was written.
 */
#ifndef LAM_TESTS_DAMAGED_CHUNK_H
#define LAM_TESTS_DAMAGED_CHUNK_H

#include "chunk/chunk_sample.h"
#include "damage/chunk/page_survey.h"
#include "damage/chunk/run_chunk.h"

enum { LAM_DAMAGED_RECORDS = 2000, LAM_DAMAGED_PAGES = 200 };

typedef struct lam_damaged_chunk {
    lam_chunk_sample sample;
    lam_triple_column column;
    lam_meta_page_location locations[LAM_DAMAGED_PAGES]; /* of the data pages */
    size_t headers[LAM_DAMAGED_PAGES];                   /* bytes of each */
    size_t pages;
    bool uses_locations;
    bool is_cut;              /* pages may follow that nobody knows of */
    bool passes_unreadable;   /* what `through` fails to read is lost */
    const lam_input *through; /* what the chunk is read through; NULL: its bytes */
    const lam_stop *stop;
    lam_input bytes;
    lam_patched_input patched;
    lam_page_survey *survey;
} lam_damaged_chunk;

/* Begins a chunk with pages of 100 rows; its options may be changed before it is written. */
void lam_damaged_chunk_start(lam_damaged_chunk *chunk, const char *schema, int32_t version,
                             bool dictionary);
/* Writes it, sound, and lists its pages. */
void lam_damaged_chunk_write(lam_damaged_chunk *chunk, size_t records, uint64_t seed);
/* Does both. */
void lam_damaged_chunk_make(lam_damaged_chunk *chunk, const char *schema, int32_t version,
                            bool dictionary, uint64_t seed);
void lam_damaged_chunk_finish(lam_damaged_chunk *chunk);

/* A byte of the file, the first one of a page's header, and the first one of its body. */
uint8_t *lam_damaged_chunk_byte(lam_damaged_chunk *chunk, uint64_t offset);
uint8_t *lam_damaged_chunk_header(lam_damaged_chunk *chunk, size_t page);
uint8_t *lam_damaged_chunk_body(lam_damaged_chunk *chunk, size_t page);

/* The chunk as it is read. */
lam_column_chunk lam_damaged_chunk_open(lam_damaged_chunk *chunk);

lam_status lam_damaged_chunk_try_survey(lam_damaged_chunk *chunk, const lam_allocator *allocator,
                                        lam_error *error);
void lam_damaged_chunk_survey(lam_damaged_chunk *chunk);
void lam_damaged_chunk_drop_survey(lam_damaged_chunk *chunk);

/* All rows are either what was written, or lost; gives how many are lost. */
uint64_t lam_damaged_chunk_expect_no_wrong_row(lam_damaged_chunk *chunk);
/* The rows of pages `first` to `end` - 1 are what is lost. */
void lam_damaged_chunk_expect_loss(const lam_damaged_chunk *chunk, size_t first, size_t end);

#endif
