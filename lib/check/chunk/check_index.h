/* SPDX-License-Identifier: Apache-2.0 */
/* The page index of a column chunk. */
#ifndef LAM_CHECK_CHUNK_CHECK_INDEX_H
#define LAM_CHECK_CHUNK_CHECK_INDEX_H

#include "check/chunk/chunk_check.h"

/* Reads the offset index and the column index, and checks each by itself. */
lam_status lam_check_open_indexes(lam_chunk_check *chunk);
/*
 * Compares a data page with its location in the offset index, before the page is read. `page`
 * counts the chunk's data pages from 0.
 */
lam_status lam_check_page_location(lam_chunk_check *chunk, uint64_t page, uint64_t offset,
                                   uint64_t size);
/* Compares chunk->pages.rows, the first row of a page, with the offset index. */
lam_status lam_check_page_row(lam_chunk_check *chunk, uint64_t page, lam_check_location location);
/* Compares the indexes with a page that was read into chunk->values.page. */
lam_status lam_check_page_indexes(lam_chunk_check *chunk, uint64_t page,
                                  lam_check_location location, uint64_t null_count);
/* After all pages: compares the numbers of pages. */
lam_status lam_check_close_indexes(lam_chunk_check *chunk);

/*
 * Reads the bytes of an index or a filter into the chunk's arena. `*ret_bytes` is empty when they
 * cannot be read; that has been reported then.
 */
lam_status lam_check_fetch(lam_chunk_check *chunk, const char *what, int64_t offset, int64_t size,
                           lam_bytes *ret_bytes);

#endif
