/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the pages in a column chunk's range, as the footer states it, in the order of their
 * bytes, each with the number of its first triple.
 *
 * The invariant: the pages, and an UNKNOWN range after the last that can be read, cover the chunk.
 * Only headers are read here. (README.md of the format, "Column chunks"; parquet.thrift,
 * PageHeader)
 */
#include <inttypes.h>

#include "byte_map/file/page_ranges.h"
#include "byte_map/walk/thrift_ranges.h"
#include "meta/page_header.h"
#include "meta/tables.h"

/* Pages of chunks have a pass of their own for each header: this reports one of them. */
static lam_status report_page(lam_byte_walk *walk, const lam_byte_page *page, uint64_t end,
                              lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_PAGE, page->begin, end - page->begin);
    bool inside;
    range.label = lam_byte_enum_name(&lam_meta_page_header_table, 1, page->header->type);
    range.is_expandable = true;
    range.count = lam_page_header_count(page->header);
    range.first = page->header->type == LAM_PAGE_DICTIONARY ? 0 : (int64_t)page->first;
    LAM_TRY(lam_byte_enter(walk, &range, &inside, error));
    if (!inside)
        return LAM_STATUS_OK;
    LAM_TRY(lam_byte_page_sections(walk, page, error));
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}

/* Reports the remainder of a chunk whose next page cannot be read. */
static lam_status chunk_damage(lam_byte_walk *walk, lam_status status, const lam_error *cause,
                               uint64_t begin, uint64_t end, lam_error *error) {
    if (!lam_byte_is_damage(status)) {
        if (error != NULL)
            *error = *cause;
        return status;
    }
    lam_byte_range rest = lam_byte_range_of(LAM_BYTE_UNKNOWN, begin, end - begin);
    rest.note = cause->message;
    return lam_byte_leaf(walk, &rest, error);
}

/* Reports pages up to the end of the chunk, or the damage that ends them. */
static lam_status report_pages(lam_byte_walk *walk, lam_page_walk *pages, lam_byte_page *page,
                               uint64_t end, lam_error *error) {
    while (pages->next < end) {
        lam_meta_page_header header;
        lam_error cause = lam_error_none();
        uint64_t at = pages->next;
        lam_status status = lam_page_walk_next(pages, &header, &page->begin, &cause);
        if (status != LAM_STATUS_OK)
            return chunk_damage(walk, status, &cause, at, end, error);
        page->header = &header;
        page->header_size = pages->body - page->begin;
        LAM_TRY(report_page(walk, page, pages->next, error));
        walk->page++;
        if (header.type != LAM_PAGE_DICTIONARY && lam_page_header_count(&header) > 0)
            page->first += (uint64_t)lam_page_header_count(&header);
    }
    return LAM_STATUS_OK;
}

lam_status lam_byte_pages(lam_byte_walk *walk, const lam_meta_column *column, lam_chunk_range range,
                          lam_error *error) {
    lam_page_walk pages;
    lam_byte_page page = {.codec = lam_byte_codec(column->codec)};
    if (walk->schema != NULL)
        page.leaf = lam_schema_leaf(walk->schema, (size_t)walk->column);
    range.room = 0;
    lam_page_walk_init(&pages, walk->input, range, &walk->allocator);
    pages.header_only = true;
    walk->page = 0;
    lam_status status = report_pages(walk, &pages, &page, range.offset + range.size, error);
    walk->page = -1;
    lam_page_walk_finish(&pages);
    return status;
}

/*
 * Walks over the headers, as lam_page_list does. Damage ends the walk here and is no failure: the
 * pages are reported with it later.
 */
lam_status lam_byte_find_end(lam_byte_walk *walk, const lam_meta_column *column,
                             lam_chunk_range range, uint64_t next, uint64_t *ret_end,
                             lam_error *error) {
    lam_page_walk pages;
    lam_error cause = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    int64_t left = column->num_values;
    uint64_t end = range.offset + range.size;
    range.room = next - end;
    lam_page_walk_init(&pages, walk->input, range, &walk->allocator);
    pages.header_only = true;
    while (status == LAM_STATUS_OK &&
           (!lam_page_walk_at_end(&pages) || (left > 0 && lam_page_walk_extend(&pages)))) {
        lam_meta_page_header header;
        uint64_t begin;
        status = lam_stop_check(walk->stop, &cause);
        if (status == LAM_STATUS_OK)
            status = lam_page_walk_next(&pages, &header, &begin, &cause);
        /* Both counts are the file's claims: neither wraps around. */
        int64_t count = status == LAM_STATUS_OK ? lam_page_header_count(&header) : 0;
        if (left > 0 && count > 0 && header.type != LAM_PAGE_DICTIONARY)
            left -= count;
    }
    bool is_damaged = lam_byte_is_damage(status);
    *ret_end = status == LAM_STATUS_OK && pages.next > end ? pages.next : end;
    lam_page_walk_finish(&pages);
    if (status == LAM_STATUS_OK || is_damaged)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = cause;
    return status;
}
