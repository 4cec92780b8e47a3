/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files whose footer is taken off, changed, and put on again. What is appended in between lies
 * before the new footer, as page indexes, Bloom filters and pages do.
 */
#ifndef LAM_TESTS_FOOTER_EDIT_H
#define LAM_TESTS_FOOTER_EDIT_H

#include "file/file_sample.h"
#include "meta/metadata.h"

typedef struct lam_footer_edit {
    lam_buffer *file;
    lam_arena arena;    /* for what the footer is to point at */
    lam_meta_file meta; /* to be changed */
} lam_footer_edit;

/* Takes the footer off. Ends the test when it cannot, as do the others. */
void lam_footer_edit_begin(lam_footer_edit *edit, lam_buffer *file);
/* Gives a chunk, or its metadata, to be changed. */
lam_meta_column_chunk *lam_footer_edit_chunk(lam_footer_edit *edit, size_t row_group, size_t leaf);
lam_meta_column *lam_footer_edit_column(lam_footer_edit *edit, size_t row_group, size_t leaf);
/* Gives a chunk a column index whose list of maxima is too short by one. */
void lam_footer_edit_short_bounds(lam_footer_edit *edit, lam_meta_column_chunk *chunk);
/* Gives a chunk a column index in which its first page, which has values, is a null page. */
void lam_footer_edit_null_page(lam_footer_edit *edit, lam_meta_column_chunk *chunk);
/* Appends bytes and gives their offset. */
int64_t lam_footer_edit_append(lam_footer_edit *edit, const void *bytes, size_t size);
/* Appends a page, of whose header this sets the sizes, and gives its offset. */
int64_t lam_footer_edit_append_page(lam_footer_edit *edit, lam_meta_page_header header,
                                    const void *body, size_t size);
/* Puts the footer on. */
void lam_footer_edit_end(lam_footer_edit *edit);

#endif
