/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives the pages of a chunk from its file: walks over the headers, and fetches and uncompresses
 * the requested bodies. Takes bytes of the file, through the walk, and gives headers, and pages
 * without compression, with their checksums verified.
 *
 * A body is never fetched before both sizes in its header are known to be within the memory limit.
 * (README.md of the format, "Column chunks")
 */
#include "chunk/read/page_source.h"

#include "base/error.h"

static lam_file_source *file_of(lam_page_source *source) {
    return (lam_file_source *)(void *)source;
}

static lam_status file_source_next(lam_page_source *source, bool passes, lam_source_page *ret_page,
                                   lam_error *error) {
    lam_file_source *file = file_of(source);
    file->walk.header_only = passes;
    return lam_page_walk_next(&file->walk, &ret_page->header, &ret_page->offset, error);
}

static lam_status file_source_data(lam_page_source *source, const lam_source_page *page,
                                   uint64_t first_row, lam_bytes *ret_plain, lam_error *error) {
    lam_file_source *file = file_of(source);
    lam_bytes body;
    (void)first_row;
    LAM_TRY(lam_page_check_sizes(file->reader, &page->header, error));
    LAM_TRY(lam_page_walk_body(&file->walk, &body, error));
    LAM_TRY(lam_page_uncompress(file->reader, &page->header, body, ret_plain, error));
    /* The next column reads into this memory while this one has its page open. */
    if (ret_plain->data == file->reader->body.data)
        lam_page_walk_release(&file->walk);
    return LAM_STATUS_OK;
}

static lam_status file_source_dictionary(lam_page_source *source, const lam_source_page *page,
                                         lam_buffer *values, uint32_t *ret_count,
                                         lam_error *error) {
    lam_file_source *file = file_of(source);
    lam_bytes body;
    LAM_TRY(lam_page_check_sizes(file->reader, &page->header, error));
    LAM_TRY(lam_page_walk_body(&file->walk, &body, error));
    return lam_page_read_dictionary(file->reader, &page->header, body, values, ret_count, error);
}

/* The memory of the page is used again for the next one. */
static lam_status file_source_leave(lam_page_source *source, uint64_t end_row, lam_error *error) {
    (void)source;
    (void)end_row;
    (void)error;
    return LAM_STATUS_OK;
}

void lam_file_source_init(lam_file_source *file, const lam_input *input, lam_chunk_range range,
                          lam_page_reader *reader, const lam_allocator *allocator) {
    file->source = (lam_page_source){file_source_next, file_source_data, file_source_dictionary,
                                     file_source_leave};
    lam_page_walk_init(&file->walk, input, range, allocator);
    file->reader = reader;
}

void lam_file_source_finish(lam_file_source *file) {
    lam_page_walk_finish(&file->walk);
}
