/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives a column cursor blocks of arrays as memory for its pages, so that the views of an array may
 * lead into a page and the page lives on with the array.
 *
 *     page reader --allocates--> block <--views-- array, and the next array, if the page continues
 */
#ifndef LAM_ARROW_READ_LEAF_PAGES_H
#define LAM_ARROW_READ_LEAF_PAGES_H

#include "arrow/read/leaf_values.h"
#include "chunk/read/column_cursor.h"

typedef struct lam_leaf_pages {
    lam_array_store *store; /* borrowed */
    lam_allocator inner;    /* serves when the store may not */
    lam_array_block *live;  /* that the cursor has, or NULL */
    lam_array_block *kept;  /* a page that arrays have, while it is read */
    size_t kept_size;
} lam_leaf_pages;

void lam_leaf_pages_init(lam_leaf_pages *pages, lam_array_store *store, const lam_allocator *inner);
/* Makes a column cursor that has read nothing use the blocks; `pages` must not move until close. */
void lam_leaf_pages_serve(lam_leaf_pages *pages, lam_column_cursor *cursor);
/* Drops the page that is read; the cursor is destroyed before. */
void lam_leaf_pages_close(lam_leaf_pages *pages);

/*
 * Decides whether values that borrow from the open page stay there, and makes the page a data
 * buffer of the array in that case: `values->lent_text` is its start then, or NULL. They do if long
 * values are half of the bytes at least, and `rows` of the page, which the array has, half of its
 * rows. LIMIT, NOMEM.
 */
lam_status lam_leaf_pages_lend(lam_leaf_pages *pages, lam_column_cursor *cursor, size_t rows,
                               const lam_bytes *elements, size_t count, lam_leaf_values *values,
                               lam_error *error);

#endif
