/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a chunk in its file and moves from page to page: takes offsets and sizes of the footer and
 * the headers of pages, trusting none, and gives headers, and bodies on request.
 *
 *   offset                   next                     window.end
 *   | header | body          | header | body | ...    | room          | footer
 *
 * The invariant: `next` never passes `window.end`, and `window.end` never passes the footer; a
 * header and its body are entirely before it. The size of a header is known only once it is parsed,
 * so it is parsed from ever more bytes until it is complete. (parquet.thrift, ColumnMetaData,
 * PageHeader)
 */
#include <assert.h>
#include <inttypes.h>
#include <lamella/format.h>

#include "base/checked.h"
#include "base/error.h"
#include "chunk/read/page_walk.h"
#include "meta/compact.h"

enum {
    /*
     * Bytes. Small pages share one access to the file; with header_only, no bytes are read ahead.
     */
    READ_AHEAD = 64 << 10,
    FIRST_HEADER_TRY = 4 << 10, /* most headers are under 100 bytes; statistics make them longer */
    /* The first try if the body is likely skipped, and the longest header that is accepted. */
    HEADER_BYTES = 256,
    HEADER_LIMIT = 16 << 20
};

/* A chunk begins with its dictionary page, if it has one, else with its first data page. */
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
    /*
     * Some writers state dictionary_page_offset 0: the dictionary is then still the first page, at
     * data_page_offset. Others state data_page_offset 0 and only the offset of the dictionary.
     */
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

/* Extends once: `hidden` is spent, and never by more than there is room for. */
bool lam_page_walk_extend(lam_page_walk *walk) {
    uint64_t bytes = walk->hidden < walk->room ? walk->hidden : walk->room;
    walk->hidden = 0;
    walk->room -= bytes;
    walk->window.end += bytes;
    return bytes > 0;
}

/*
 * Reads the header at `next`, from twice the bytes each time until it is complete. The parser
 * starts over each time, so that all attempts together read at most twice the last one. A header
 * that never ends is refused at 16 MiB.
 */
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

/* Reads the header at `next` and checks that its page is before the end of the chunk. */
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

/*
 * A page that passes the end of the chunk is tried once more with the end extended. The dictionary
 * page's header is remembered as the bytes that the size of the chunk may leave out.
 */
lam_status lam_page_walk_next(lam_page_walk *walk, lam_meta_page_header *ret_header,
                              uint64_t *ret_offset, lam_error *error) {
    size_t header_size = 0;
    lam_meta_page_header header;
    lam_error failure = lam_error_none();
    lam_status status;
    do
        status = page_walk_find_page(walk, &header, &header_size, &failure);
    while (status == LAM_STATUS_CORRUPT && lam_page_walk_extend(walk));
    if (status != LAM_STATUS_OK) {
        failure.offset = -1; /* it counts from the header, not from the start of the file */
        lam_error_at_offset(&failure, walk->next);
        if (error != NULL)
            *error = failure;
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

void lam_page_walk_release(lam_page_walk *walk) {
    if (walk->next - walk->body > READ_AHEAD)
        lam_window_release(&walk->window, walk->next);
}
