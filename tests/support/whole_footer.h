/* SPDX-License-Identifier: Apache-2.0 */
/* Footers decoded as a whole, for tests that compare or change what a footer states. */
#ifndef LAM_TESTS_WHOLE_FOOTER_H
#define LAM_TESTS_WHOLE_FOOTER_H

#include "file/read/file_reader.h"

/* The decoded footer and where it is. */
typedef struct lam_footer {
    lam_meta_file meta;
    uint64_t offset; /* of its first byte in the file */
    uint32_t size;   /* bytes */
} lam_footer;

/* lam_footer_view_read with all column chunks decoded; everything is in `arena`. */
lam_status lam_footer_read(const lam_input *input, lam_arena *arena, lam_footer *ret_footer,
                           lam_error *error);

/* The footer of a reader, open to change. */
typedef struct lam_footer_change {
    lam_reader *reader;
    lam_arena arena;
    lam_meta_file meta;
} lam_footer_change;

/* Decodes the footer of the reader. Aborts the test for want of memory, as do the others. */
void lam_footer_change_begin(lam_footer_change *change, lam_reader *reader);
/* Gives a chunk, or its metadata, to be changed. */
lam_meta_column_chunk *lam_footer_change_chunk(const lam_footer_change *change, size_t row_group,
                                               size_t leaf);
lam_meta_column *lam_footer_change_column(const lam_footer_change *change, size_t row_group,
                                          size_t leaf);
/* Makes the reader see what was changed so far. */
void lam_footer_change_apply(lam_footer_change *change);
void lam_footer_change_end(lam_footer_change *change);

#endif
