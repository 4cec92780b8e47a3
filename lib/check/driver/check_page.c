/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks data pages: the checksum, the body, levels and values, then what the page header, the
 * page's statistics and the page index state about them.
 *
 * The order is that of trust: nothing is decoded from a page with a wrong checksum, no values from
 * damaged levels. Each step that fails marks the chunk (whole, levels_read), and the walk continues
 * with the next page: the header's size alone says where that begins. (README.md of the format,
 * "Data Pages" and "Checksumming")
 */
#include "check/driver/check_page.h"

#include <inttypes.h>

#include "base/error.h"
#include "check/chunk/check_crc.h"
#include "check/chunk/check_index.h"
#include "check/chunk/check_levels.h"
#include "check/chunk/check_statistics.h"
#include "check/values/check_values.h"

/* Copies one bound into header_arena. */
static lam_status keep(lam_chunk_check *chunk, lam_bytes *bytes) {
    char *copy;
    LAM_TRY(lam_arena_copy(&chunk->pages.header_arena, bytes->data, bytes->size, &copy,
                           chunk->checker->error));
    bytes->data = (const uint8_t *)copy;
    return LAM_STATUS_OK;
}

/*
 * Copies a page's statistics: the byte strings of a header are borrowed only until the body is
 * fetched, and the statistics are compared after that. The arena is reset for each page.
 */
static lam_status keep_statistics(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                  lam_meta_statistics *kept, bool *ret_any) {
    const lam_meta_statistics *statistics = NULL;
    if (header->type == LAM_PAGE_DATA)
        statistics = header->data_page_header->statistics;
    else
        statistics = header->data_page_header_v2->statistics;
    *ret_any = statistics != NULL;
    if (statistics == NULL)
        return LAM_STATUS_OK;
    *kept = *statistics;
    lam_arena_reset(&chunk->pages.header_arena);
    LAM_TRY(keep(chunk, &kept->min));
    LAM_TRY(keep(chunk, &kept->max));
    LAM_TRY(keep(chunk, &kept->min_value));
    return keep(chunk, &kept->max_value);
}

/*
 * Sizes are checked before the body is fetched, so that a header cannot ask for more memory than
 * allowed.
 */
static lam_status check_page_open_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                       lam_check_location location, lam_page *ret_page,
                                       bool *ret_good) {
    lam_bytes body;
    lam_error failure = lam_error_none();
    lam_status status = lam_page_check_sizes(&chunk->pages.reader, header, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_page_walk_body(&chunk->pages.walk, &body, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_page_read_data(&chunk->pages.reader, header, body, ret_page, &failure);
    *ret_good = status == LAM_STATUS_OK;
    return lam_check_report_failure(chunk->checker, LAM_RULE_PAGE_BODY, location, status, &failure);
}

/*
 * Compares nulls and rows of a V2 header with the levels, and checks that the page begins with a
 * row if the format demands it: V2 pages, and pages that an offset index leads to. V1 pages without
 * an index may begin anywhere in a row.
 */
static lam_status check_page_counts(lam_chunk_check *chunk, const lam_page *page,
                                    const lam_page_levels *levels, lam_check_location location) {
    /* The levels were as many as the page has triples, so that this does not wrap around. */
    uint64_t nulls = page->value_count - levels->values;
    static const char inside[] = "the page begins inside a row";
    if (page->has_counts && (page->null_count < 0 || (uint64_t)page->null_count != nulls))
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_PAGE_NULLS, location,
                                 "the page claims %" PRId32 " nulls but has %" PRIu64,
                                 page->null_count, nulls));
    if (page->has_counts && (page->row_count < 0 || (uint64_t)page->row_count != levels->rows))
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_PAGE_ROWS, location,
                                 "the page claims %" PRId32 " rows but has %" PRIu64,
                                 page->row_count, levels->rows));
    if (levels->begins_row)
        return LAM_STATUS_OK;
    if (chunk->stated.has_offset_index) /* it leads readers into the middle of a row: an error */
        return lam_check_report(chunk->checker, LAM_RULE_PAGE_BOUNDARY, location, inside);
    return page->has_counts
               ? lam_check_warn(chunk->checker, LAM_RULE_PAGE_BOUNDARY, location, inside)
               : LAM_STATUS_OK;
}

/*
 * Reports, once, a V2 page that claims to be uncompressed but comes from a writer that is known to
 * compress all of them. (ARROW-17100)
 */
static lam_status check_compressed(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                   lam_check_location location) {
    const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
    if (header->type != LAM_PAGE_DATA_V2 || v2->is_compressed ||
        !chunk->pages.reader.hides_compression ||
        chunk->pages.reader.codec == LAM_CODEC_UNCOMPRESSED ||
        !lam_check_once(chunk, LAM_RULE_PAGE_COMPRESSED))
        return LAM_STATUS_OK;
    return lam_check_report(
        chunk->checker, LAM_RULE_PAGE_COMPRESSED, location,
        "the page claims to be uncompressed, and its writer compressed all pages "
        "(ARROW-17100)");
}

/*
 * Reads levels, then values, and compares what was counted with all statements about the page.
 * Damaged levels leave the number of values unknown, so nothing after them is read.
 */
static lam_status read_page(lam_chunk_check *chunk, const lam_page *page,
                            const lam_meta_statistics *statistics, lam_check_location location) {
    lam_page_levels levels;
    bool good;
    /* count_data_page has counted this page already. */
    uint64_t index = chunk->pages.data_pages - 1;
    lam_value_summary_clear(&chunk->values.page);
    LAM_TRY(lam_check_levels(chunk, page, location, &levels, &good));
    if (!good) {
        chunk->whole = false;
        chunk->levels_read = false;
        return LAM_STATUS_OK;
    }
    LAM_TRY(check_page_counts(chunk, page, &levels, location));
    /* After lost levels the number of the first row is unknown. */
    if (chunk->levels_read)
        LAM_TRY(lam_check_page_row(chunk, index, location));
    chunk->pages.rows += levels.rows;
    LAM_TRY(lam_check_values(chunk, page, levels.values, location, &good));
    if (!good) {
        chunk->whole = false;
        return LAM_STATUS_OK;
    }
    chunk->checker->read_any = true;
    uint64_t nulls = page->value_count - levels.values;
    if (statistics != NULL)
        LAM_TRY(lam_check_statistics(chunk, "the statistics of the page", location, statistics,
                                     &chunk->values.page, nulls));
    LAM_TRY(lam_check_page_indexes(chunk, index, location, nulls));
    /* Only complete pages enter the totals of the chunk. */
    return lam_value_summary_merge(&chunk->values.total, &chunk->values.page,
                                   chunk->checker->error);
}

/*
 * The walk has stepped over the page: walk.next - offset is the size with the header, as locations
 * in the offset index have it.
 */
lam_status lam_check_data_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                               uint64_t offset) {
    lam_check_location location = lam_check_at(chunk->location, offset);
    lam_meta_statistics statistics;
    lam_page page;
    bool good, any;
    LAM_TRY(lam_check_page_location(chunk, chunk->pages.data_pages - 1, offset,
                                    chunk->pages.walk.next - offset));
    LAM_TRY(keep_statistics(chunk, header, &statistics, &any));
    LAM_TRY(check_compressed(chunk, header, location));
    LAM_TRY(lam_check_crc(chunk, header, offset, &good));
    if (good && chunk->decodes)
        LAM_TRY(check_page_open_page(chunk, header, location, &page, &good));
    if (!good || !chunk->decodes) {
        chunk->whole = false;
        chunk->levels_read = false;
        return LAM_STATUS_OK;
    }
    return read_page(chunk, &page, any ? &statistics : NULL, location);
}
