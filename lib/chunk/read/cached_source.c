/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets pages pass through a page cache: takes a file source, and the cached chunk of its leaf, and
 * gives the same pages as the file source.
 *
 *   keeps     file -> page reader's body -> cache, when the page is left
 *   takes     cache -> page reader's body; pages that are not in the cache come from the file
 *
 * Whole buffers move, no bytes are copied. The invariant: headers always come from the file, so
 * that both ways of a page pass the same checks; for a page in the cache only the header is read.
 */
#include "chunk/read/cached_source.h"

#include "base/error.h"

static lam_cached_source *cached_of(lam_page_source *source) {
    return (lam_cached_source *)(void *)source;
}

/* Only headers, if the body waits in the cache. */
static lam_status cached_source_next(lam_page_source *source, bool passes,
                                     lam_source_page *ret_page, lam_error *error) {
    const lam_cached_source *cached = cached_of(source);
    bool has_next = !cached->keeps && lam_cached_chunk_has(cached->chunk, cached->file->walk.next);
    return lam_page_source_next(&cached->file->source, passes || has_next, ret_page, error);
}

static lam_status cached_source_data(lam_page_source *source, const lam_source_page *page,
                                     uint64_t first_row, lam_bytes *ret_plain, lam_error *error) {
    lam_cached_source *cached = cached_of(source);
    lam_buffer *body = &cached->file->reader->body;
    if (!cached->keeps &&
        lam_cached_chunk_take(cached->chunk, page->offset,
                              (size_t)page->header.uncompressed_page_size, body)) {
        *ret_plain = lam_buffer_bytes(body);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_page_source_data(&cached->file->source, page, first_row, ret_plain, error));
    cached->location.offset = page->offset;
    cached->location.first_row = first_row;
    return LAM_STATUS_OK;
}

static lam_status cached_source_dictionary(lam_page_source *source, const lam_source_page *page,
                                           lam_buffer *values, uint32_t *ret_count,
                                           lam_error *error) {
    lam_cached_source *cached = cached_of(source);
    cached->dictionary_offset = page->offset;
    if (cached->keeps)
        lam_cached_chunk_lend(cached->chunk, values);
    else if (lam_cached_chunk_take(cached->chunk, page->offset,
                                   (size_t)page->header.uncompressed_page_size, values))
        return lam_page_count_dictionary(&page->header, ret_count, error);
    return lam_page_source_dictionary(&cached->file->source, page, values, ret_count, error);
}

/* The page reader gets memory of a page that was dropped, if there is any. */
static lam_status cached_source_leave(lam_page_source *source, uint64_t end_row, lam_error *error) {
    lam_cached_source *cached = cached_of(source);
    lam_buffer *body = &cached->file->reader->body;
    if (!cached->keeps)
        return LAM_STATUS_OK;
    cached->location.end_row = end_row;
    LAM_TRY(lam_cached_chunk_put(cached->chunk, cached->location, body, error));
    lam_cached_chunk_lend(cached->chunk, body);
    return LAM_STATUS_OK;
}

void lam_cached_source_init(lam_cached_source *cached, lam_file_source *file,
                            lam_cached_chunk *chunk, bool keeps) {
    *cached = (lam_cached_source){
        {cached_source_next, cached_source_data, cached_source_dictionary, cached_source_leave},
        .file = file,
        .chunk = chunk,
        .keeps = keeps};
}

/* The dictionary serves all rows of the chunk, so it is kept while any row is wanted. */
lam_status lam_cached_source_end(lam_cached_source *cached, uint64_t end_row,
                                 lam_buffer *dictionary, lam_error *error) {
    const lam_page_rows_location of_dictionary = {cached->dictionary_offset, 0, end_row};
    if (cached->keeps) {
        LAM_TRY(cached_source_leave(&cached->source, end_row, error));
        return lam_cached_chunk_put(cached->chunk, of_dictionary, dictionary, error);
    }
    lam_cached_chunk_give_back(cached->chunk, &cached->file->reader->body);
    lam_cached_chunk_give_back(cached->chunk, dictionary);
    return LAM_STATUS_OK;
}
