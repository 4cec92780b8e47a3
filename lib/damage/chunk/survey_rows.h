/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a chunk's survey: its pages, and the rows that they turn out to have. */
#ifndef LAM_DAMAGE_CHUNK_SURVEY_ROWS_H
#define LAM_DAMAGE_CHUNK_SURVEY_ROWS_H

#include "base/list.h"
#include "damage/chunk/page_find.h"

/* A page of the chunk, and the rows that it turns out to have. */
typedef struct lam_surveyed_page {
    lam_found_page found;
    bool has_rows;
    bool begins_whole; /* the record before it ends before it */
    uint64_t first_row;
    uint64_t end_row;
} lam_surveyed_page;

typedef struct lam_survey_work {
    const lam_column_chunk *chunk;
    lam_page_survey *survey;
    lam_page_finder finder;
    LAM_LIST(lam_surveyed_page) pages; /* data pages and holes */
    size_t explained;                  /* pages before the next loss */
    lam_found_page dictionary;
    bool has_dictionary; /* there was a page for one, sound or not */
    bool is_ambiguous;   /* a page has an unproven end, and another header leads on, too */
} lam_survey_work;

static inline lam_surveyed_page *lam_surveyed_pages(const lam_survey_work *work,
                                                    size_t *ret_count) {
    *ret_count = work->pages.count;
    return work->pages.items;
}

/* Numbers the rows of all pages whose rows are stated anywhere. */
void lam_survey_number_pages(lam_survey_work *work);
/* Numbers the rows of the first pages, one page after the other, by what their headers state. */
void lam_survey_number_all(const lam_survey_work *work, lam_surveyed_page *pages, size_t count);

#endif
