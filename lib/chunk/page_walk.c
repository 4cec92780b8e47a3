#include <assert.h>
#include <inttypes.h>
#include <lamella/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "chunk/chunk.h"
#include "meta/compact.h"

enum {
    READ_AHEAD = 64 << 10,
    FIRST_HEADER_TRY = 4 << 10, /* most headers take under 100 bytes, statistics make them longer */
    HEADER_BYTES = 256,
    HEADER_LIMIT = 16 << 20
};

lam_status lam_chunk_find(const lam_meta_column *column, uint64_t limit, lam_chunk_range *ret_range,
                          lam_error *error) {
    if (column->num_values < 0)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_VALUES, "the chunk claims %" PRId64 " values",
                 column->num_values);
    if (column->num_values == 0) {
        ret_range->offset = 0;
        ret_range->size = 0;
        ret_range->room = 0;
        return LAM_STATUS_OK;
    }
    int64_t start = column->data_page_offset;
    bool has_dictionary = (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0;
    /* Some writers leave the offset 0: the dictionary then is the first page all the same. Others
     * leave the data pages' offset 0, where there are none or none of their own. */
    if (has_dictionary && column->dictionary_page_offset > 0 &&
        (start <= 0 || column->dictionary_page_offset < start))
        start = column->dictionary_page_offset;
    if (start < 0 || column->total_compressed_size < 0 ||
        !lam_range_fits((uint64_t)start, (uint64_t)column->total_compressed_size, limit))
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_RANGE,
                 "the chunk claims %" PRId64 " bytes at offset %" PRId64
                 ", but the footer starts at %" PRIu64,
                 column->total_compressed_size, start, limit);
    ret_range->offset = (uint64_t)start;
    ret_range->size = (uint64_t)column->total_compressed_size;
    ret_range->room = limit - ret_range->offset - ret_range->size;
    return LAM_STATUS_OK;
}

void lam_page_walk_init(lam_page_walk *walk, const lam_input *input, lam_chunk_range range,
                        const lam_allocator *allocator) {
    lam_window_init(&walk->window, input, range.offset + range.size, READ_AHEAD, allocator);
    lam_arena_init(&walk->arena, allocator, HEADER_LIMIT);
    walk->next = range.offset;
    walk->body = range.offset;
    walk->room = range.room;
    walk->hidden = 0;
    walk->header_only = false;
}

void lam_page_walk_finish(lam_page_walk *walk) {
    lam_window_finish(&walk->window);
    lam_arena_finish(&walk->arena);
}

bool lam_page_walk_at_end(const lam_page_walk *walk) {
    return walk->next >= walk->window.end;
}

bool lam_page_walk_extend(lam_page_walk *walk) {
    uint64_t bytes = walk->hidden < walk->room ? walk->hidden : walk->room;
    walk->hidden = 0;
    walk->room -= bytes;
    walk->window.end += bytes;
    return bytes > 0;
}

/* Reads a header at `next`, with more and more bytes until it is whole. */
static lam_status page_walk_read_header(lam_page_walk *walk, lam_meta_page_header *ret_header,
                                        size_t *ret_size, lam_error *error) {
    uint64_t left = walk->window.end - walk->next;
    walk->window.read_ahead = walk->header_only ? 0 : READ_AHEAD;
    for (size_t wanted = walk->header_only ? HEADER_BYTES : FIRST_HEADER_TRY;; wanted *= 2) {
        size_t size = wanted < left ? wanted : (size_t)left;
        lam_bytes bytes = {NULL, size};
        LAM_TRY(lam_window_lend(&walk->window, walk->next, size, &bytes.data, error));
        lam_arena_reset(&walk->arena);
        LAM_TRY(lam_meta_read_page_header(bytes, &walk->arena, ret_header, ret_size, error));
        if (*ret_size > 0)
            return LAM_STATUS_OK;
        if (size == left)
            LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER, "the chunk ends inside a page header");
        if (size >= HEADER_LIMIT)
            LAM_FAIL(error, LAM_STATUS_LIMIT, "a page header of more than %d bytes", HEADER_LIMIT);
    }
}

/* Reads a header at `next`, behind which its page lies whole. */
static lam_status page_walk_find_page(lam_page_walk *walk, lam_meta_page_header *ret_header,
                                      size_t *ret_size, lam_error *error) {
    LAM_TRY(page_walk_read_header(walk, ret_header, ret_size, error));
    if (ret_header->compressed_page_size < 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER, "a page has a negative size");
    uint64_t body = walk->next + *ret_size;
    if (!lam_range_fits(body, (uint64_t)ret_header->compressed_page_size, walk->window.end))
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER,
                 "a page of %" PRId32 " bytes, but its chunk has %" PRIu64 " left",
                 ret_header->compressed_page_size, walk->window.end - body);
    return LAM_STATUS_OK;
}

lam_status lam_page_walk_next(lam_page_walk *walk, lam_meta_page_header *ret_header,
                              uint64_t *ret_offset, lam_error *error) {
    size_t header_size = 0;
    lam_meta_page_header header;
    lam_status status;
    do
        status = page_walk_find_page(walk, &header, &header_size, error);
    while (status == LAM_STATUS_CORRUPT && lam_page_walk_extend(walk));
    if (status != LAM_STATUS_OK) {
        if (error != NULL)
            error->offset = -1; /* counted from the header, it says nothing here */
        lam_error_at_offset(error, walk->next);
        return status;
    }
    if (header.type == LAM_PAGE_DICTIONARY)
        walk->hidden = header_size;
    *ret_offset = walk->next;
    *ret_header = header;
    walk->body = walk->next + header_size;
    walk->next = walk->body + (uint64_t)header.compressed_page_size;
    return LAM_STATUS_OK;
}

lam_status lam_page_walk_prefix(lam_page_walk *walk, size_t size, lam_bytes *ret_prefix,
                                lam_error *error) {
    lam_bytes prefix = {NULL, size};
    assert(size <= walk->next - walk->body);
    LAM_TRY(lam_window_lend(&walk->window, walk->body, size, &prefix.data, error));
    *ret_prefix = prefix;
    return LAM_STATUS_OK;
}

lam_status lam_page_walk_body(lam_page_walk *walk, lam_bytes *ret_body, lam_error *error) {
    return lam_page_walk_prefix(walk, (size_t)(walk->next - walk->body), ret_body, error);
}
