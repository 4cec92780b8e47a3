/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts a page cache between a cursor and the source of its pages. It works in one of two ways: a
 * filter keeps the pages that it leaves, and the reader of the wanted rows, which comes after it,
 * takes them.
 */
#ifndef LAM_CHUNK_READ_CACHED_SOURCE_H
#define LAM_CHUNK_READ_CACHED_SOURCE_H

#include "chunk/read/page_cache.h"
#include "chunk/read/page_source.h"

typedef struct lam_cached_source {
    lam_page_source source;
    lam_file_source *file;           /* borrowed */
    lam_cached_chunk *chunk;         /* of the cache; borrowed */
    bool keeps;                      /* pages are put into the cache; false: taken from it */
    lam_page_rows_location location; /* of the data page whose bytes the page reader holds */
    uint64_t dictionary_offset;
} lam_cached_source;

/* `file` and `chunk` are borrowed until end. */
void lam_cached_source_init(lam_cached_source *cached, lam_file_source *file,
                            lam_cached_chunk *chunk, bool keeps);

/*
 * Ends the use of the cache. A source that keeps pages keeps the last one, whose rows end before
 * `end_row`, and the dictionary; one that takes them returns their memory. NOMEM, before anything
 * is lost.
 */
lam_status lam_cached_source_end(lam_cached_source *cached, uint64_t end_row,
                                 lam_buffer *dictionary, lam_error *error);

#endif
