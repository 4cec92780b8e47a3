/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the page index of a column chunk: reads the offset index and the column index, checks each
 * by itself, and compares their entries with the data pages as those are read.
 *
 *   data page      0         1         2         of the chunk, dictionary page not counted
 *   offset index   location  location  location  offset, size with header, first row
 *   column index   entry     entry     entry     null_pages, bounds, counts, histograms
 *
 * Lists that do not have one element per page are dropped after the finding (has_column_index), so
 * that everything after it indexes them by page without a check. Negative numbers of the file are
 * compared as unsigned ones and differ from any count. (PageIndex.md; parquet.thrift, OffsetIndex
 * and ColumnIndex)
 */
#include "check/chunk/check_index.h"

#include <inttypes.h>

#include "base/error.h"
#include "check/chunk/check_statistics.h"
#include "check/footer/check_ranges.h"
#include "file/read/footer_range.h"
#include "meta/compact.h"
#include "meta/index_lists.h"

/* --- Reading ------------------------------------------------------------------------------- */

/*
 * The range must be between the first magic and the footer. The arena bounds the size by the memory
 * limit; a failed read of the input ends the check.
 */
lam_status lam_check_fetch(lam_chunk_check *chunk, const char *what, int64_t offset, int64_t size,
                           lam_bytes *ret_bytes) {
    lam_checker *checker = chunk->checker;
    uint8_t *bytes;
    lam_error failure = lam_error_none();
    *ret_bytes = (lam_bytes){NULL, 0};
    if (!lam_footer_range_fits(offset, size, checker->footer.offset))
        return lam_check_report(checker, LAM_RULE_INDEX_RANGE, chunk->location,
                                "%s claims %" PRId64 " bytes at offset %" PRId64
                                ", but the footer starts at %" PRIu64,
                                what, size, offset, checker->footer.offset);
    /* Only on machines of 32 bits: such an index is simply not read. */
    if ((uint64_t)size > SIZE_MAX)
        return LAM_STATUS_OK;
    lam_status status = lam_footer_range_make_room(what, offset, size, checker->footer.offset,
                                                   &chunk->stated.arena, &bytes, &failure);
    if (status != LAM_STATUS_OK)
        return lam_check_report_failure(checker, LAM_RULE_INDEX_RANGE, chunk->location, status,
                                        &failure);
    return lam_footer_range_fill(checker->input, offset, size, bytes, ret_bytes, checker->error);
}

/*
 * Reports the outcome of parsing an index of `bytes`, of which `size` were used: a failure, an end
 * too early (`size` is 0), or bytes after it. `*ret_good` is true when the index can be used, even
 * with bytes after it.
 */
static lam_status check_read(lam_chunk_check *chunk, lam_rule rule, const char *what,
                             int64_t offset, lam_status status, size_t size, lam_bytes bytes,
                             const lam_error *failure, bool *ret_good) {
    lam_check_location location = lam_check_at(chunk->location, (uint64_t)offset);
    *ret_good = status == LAM_STATUS_OK && size > 0;
    if (status != LAM_STATUS_OK)
        return lam_check_report_failure(chunk->checker, rule, location, status, failure);
    if (size == 0)
        return lam_check_report(chunk->checker, rule, location, "%s ends inside its %zu bytes",
                                what, bytes.size);
    if (size < bytes.size)
        return lam_check_report(chunk->checker, LAM_RULE_INDEX_LENGTH, location,
                                "%s has %zu bytes and takes %zu of them", what, bytes.size, size);
    return LAM_STATUS_OK;
}

/* Without an offset there is no index, which is allowed. */
static lam_status read_offset_index(lam_chunk_check *chunk) {
    static const char what[] = "the offset index";
    const lam_meta_column_chunk *stated = chunk->chunk;
    lam_bytes bytes;
    size_t size = 0;
    lam_error failure = lam_error_none();
    if ((stated->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) == 0)
        return LAM_STATUS_OK;
    int64_t offset = stated->offset_index_offset;
    LAM_TRY(lam_check_fetch(chunk, what, offset, stated->offset_index_length, &bytes));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    LAM_TRY(
        lam_check_add_range(chunk->checker, chunk->location, (uint64_t)offset, bytes.size, what));
    lam_status status = lam_meta_read_offset_index(bytes, &chunk->stated.arena,
                                                   &chunk->stated.offset_index, &size, &failure);
    return check_read(chunk, LAM_RULE_OFFSET_INDEX, what, offset, status, size, bytes, &failure,
                      &chunk->stated.has_offset_index);
}

/* Readers find pages through the offset index only, so that a column index alone is useless. */
static lam_status read_column_index(lam_chunk_check *chunk) {
    static const char what[] = "the column index";
    const lam_meta_column_chunk *stated = chunk->chunk;
    lam_bytes bytes;
    size_t size = 0;
    lam_error failure = lam_error_none();
    if ((stated->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) == 0)
        return LAM_STATUS_OK;
    if ((stated->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) == 0)
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_OFFSET_INDEX_MISSING, chunk->location,
                                 "there is a column index but no offset index"));
    int64_t offset = stated->column_index_offset;
    LAM_TRY(lam_check_fetch(chunk, what, offset, stated->column_index_length, &bytes));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    LAM_TRY(
        lam_check_add_range(chunk->checker, chunk->location, (uint64_t)offset, bytes.size, what));
    lam_status status = lam_meta_read_column_index(bytes, &chunk->stated.arena,
                                                   &chunk->stated.column_index, &size, &failure);
    return check_read(chunk, LAM_RULE_COLUMN_INDEX, what, offset, status, size, bytes, &failure,
                      &chunk->stated.has_column_index);
}

/* --- The indexes by themselves ------------------------------------------------------------- */

/*
 * Checks that offsets rise and first rows do not fall. A page without rows of its own (a V1 page in
 * the middle of a long record) has the same first row as the next; whether that is true shows when
 * the pages are read. (parquet.thrift, OffsetIndex)
 */
static lam_status check_locations(lam_chunk_check *chunk) {
    const lam_meta_page_location_list *list = &chunk->stated.offset_index.page_locations;
    lam_check_location location =
        lam_check_at(chunk->location, (uint64_t)chunk->chunk->offset_index_offset);
    for (uint32_t i = 1; i < list->count; i++) {
        const lam_meta_page_location *before = &list->items[i - 1], *here = &list->items[i];
        if (here->offset <= before->offset && lam_check_once(chunk, LAM_RULE_OFFSET_INDEX_LOCATION))
            LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_OFFSET_INDEX_LOCATION, location,
                                     "location %" PRIu32 " has offset %" PRId64
                                     ", which is not above %" PRId64,
                                     i, here->offset, before->offset));
        if (here->first_row_index < before->first_row_index &&
            lam_check_once(chunk, LAM_RULE_OFFSET_INDEX_ROWS))
            LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_OFFSET_INDEX_ROWS, location,
                                     "location %" PRIu32 " has first_row_index %" PRId64
                                     ", which is below %" PRId64,
                                     i, here->first_row_index, before->first_row_index));
    }
    /* Optional, and only of use for byte arrays; if it is there, one size per page. */
    if (!lam_offset_index_lists_fit(&chunk->stated.offset_index))
        LAM_TRY(lam_check_report(
            chunk->checker, LAM_RULE_OFFSET_INDEX_PAGES, location,
            "the offset index has %" PRIu32 " locations but %" PRIu32 " sizes of byte arrays",
            list->count, chunk->stated.offset_index.unencoded_byte_array_data_bytes.count));
    return LAM_STATUS_OK;
}

/* Optional members of a column index. */
/* Drops a column index whose lists contradict each other or the offset index. */
static lam_status check_index_lists(lam_chunk_check *chunk) {
    const lam_meta_column_index *index = &chunk->stated.column_index;
    lam_check_location location =
        lam_check_at(chunk->location, (uint64_t)chunk->chunk->column_index_offset);
    const char *wrong = lam_column_index_wrong_list(index, chunk->leaf->max_repetition,
                                                    chunk->leaf->max_definition);
    if (wrong != NULL) {
        chunk->stated.has_column_index = false;
        return lam_check_report(chunk->checker, LAM_RULE_COLUMN_INDEX_PAGES, location,
                                "%s does not have one element for each of the %" PRIu32
                                " pages of the column index",
                                wrong, index->null_pages.count);
    }
    /* Both indexes must speak about the same pages. */
    if (chunk->stated.has_offset_index &&
        chunk->stated.offset_index.page_locations.count != index->null_pages.count) {
        chunk->stated.has_column_index = false;
        return lam_check_report(
            chunk->checker, LAM_RULE_COLUMN_INDEX_PAGES, location,
            "the column index has %" PRIu32 " pages, but the offset index has %" PRIu32,
            index->null_pages.count, chunk->stated.offset_index.page_locations.count);
    }
    return LAM_STATUS_OK;
}

/*
 * True when two bounds contradict the stated order. Bounds that cannot be compared, and NaNs
 * outside of total order, contradict nothing; other rules report them.
 */
static bool breaks_order(const lam_chunk_check *chunk, lam_bytes before, lam_bytes here) {
    const lam_value_order *order = &chunk->order;
    if (!lam_bound_compares(order, before) || !lam_bound_compares(order, here))
        return false;
    if (order->has_nans && !order->is_total &&
        (lam_value_is_nan(order, before) || lam_value_is_nan(order, here)))
        return false;
    /* Equal bounds are in either order. */
    int distance = lam_value_compare(order, before, here);
    return chunk->stated.column_index.boundary_order == LAM_META_BOUNDARY_ASCENDING ? distance > 0
                                                                                    : distance < 0;
}

/*
 * Checks that minima and maxima are each ordered as boundary_order says, over the pages that have
 * bounds: null pages are left out. (parquet.thrift, BoundaryOrder)
 */
static lam_status check_boundary_order(lam_chunk_check *chunk) {
    const lam_meta_column_index *index = &chunk->stated.column_index;
    lam_check_location location =
        lam_check_at(chunk->location, (uint64_t)chunk->chunk->column_index_offset);
    if (index->boundary_order < LAM_META_BOUNDARY_UNORDERED ||
        index->boundary_order > LAM_META_BOUNDARY_DESCENDING)
        return lam_check_report(chunk->checker, LAM_RULE_BOUNDARY_ORDER, location,
                                "boundary_order is %" PRId32, index->boundary_order);
    if (index->boundary_order == LAM_META_BOUNDARY_UNORDERED)
        return LAM_STATUS_OK;
    uint32_t before = UINT32_MAX; /* the last page with bounds */
    for (uint32_t i = 0; i < index->null_pages.count; i++) {
        if (index->null_pages.items[i])
            continue;
        if (before != UINT32_MAX &&
            (breaks_order(chunk, index->min_values.items[before], index->min_values.items[i]) ||
             breaks_order(chunk, index->max_values.items[before], index->max_values.items[i])))
            return lam_check_report(
                chunk->checker, LAM_RULE_BOUNDARY_ORDER, location,
                "the bounds are stated to be %s, but those of page %" PRIu32 " and %" PRIu32
                " are not",
                index->boundary_order == LAM_META_BOUNDARY_ASCENDING ? "ascending" : "descending",
                before, i);
        before = i;
    }
    return LAM_STATUS_OK;
}

/*
 * Each check relies on the ones before it: the boundary order indexes min_values by page, which
 * check_index_lists has allowed.
 */
lam_status lam_check_open_indexes(lam_chunk_check *chunk) {
    LAM_TRY(read_offset_index(chunk));
    LAM_TRY(read_column_index(chunk));
    if (chunk->stated.has_offset_index)
        LAM_TRY(check_locations(chunk));
    if (chunk->stated.has_column_index)
        LAM_TRY(check_index_lists(chunk));
    if (chunk->stated.has_column_index)
        LAM_TRY(check_boundary_order(chunk));
    return LAM_STATUS_OK;
}

/* --- The indexes and the pages ------------------------------------------------------------- */

/* Reported once per chunk: after one wrong location the others are usually wrong too. */
lam_status lam_check_page_location(lam_chunk_check *chunk, uint64_t page, uint64_t offset,
                                   uint64_t size) {
    const lam_meta_page_location_list *list = &chunk->stated.offset_index.page_locations;
    if (!chunk->stated.has_offset_index || page >= list->count)
        return LAM_STATUS_OK;
    /* The size in a location includes the page header, unlike the sizes in the header. */
    const lam_meta_page_location *page_location = &list->items[page];
    if ((uint64_t)page_location->offset == offset &&
        (uint64_t)page_location->compressed_page_size == size)
        return LAM_STATUS_OK;
    if (!lam_check_once(chunk, LAM_RULE_OFFSET_INDEX_LOCATION))
        return LAM_STATUS_OK;
    return lam_check_report(
        chunk->checker, LAM_RULE_OFFSET_INDEX_LOCATION, lam_check_at(chunk->location, offset),
        "page %" PRIu64 " is %" PRIu64 " bytes at %" PRIu64 ", but the offset index says %" PRId32
        " bytes at %" PRId64,
        page, size, offset, page_location->compressed_page_size, page_location->offset);
}

/* The caller knows the first row only while all levels before could be read. */
lam_status lam_check_page_row(lam_chunk_check *chunk, uint64_t page, lam_check_location location) {
    const lam_meta_page_location_list *list = &chunk->stated.offset_index.page_locations;
    if (!chunk->stated.has_offset_index || page >= list->count ||
        (uint64_t)list->items[page].first_row_index == chunk->pages.rows ||
        !lam_check_once(chunk, LAM_RULE_OFFSET_INDEX_ROWS))
        return LAM_STATUS_OK;
    return lam_check_report(chunk->checker, LAM_RULE_OFFSET_INDEX_ROWS, location,
                            "page %" PRIu64 " begins with row %" PRIu64
                            ", but the offset index says %" PRId64,
                            page, chunk->pages.rows, list->items[page].first_row_index);
}

/*
 * Compares null_pages and the bounds with the values of the page. A null page must have empty
 * bounds. The column index does not state whether bounds are exact: -1.
 */
static lam_status check_page_bounds(lam_chunk_check *chunk, uint64_t page,
                                    lam_check_location location) {
    const lam_meta_column_index *index = &chunk->stated.column_index;
    bool is_null = index->null_pages.items[page], all_null = chunk->values.page.value_count == 0;
    if (is_null != all_null)
        return lam_check_report(chunk->checker, LAM_RULE_NULL_PAGES, location,
                                "null_pages[%" PRIu64 "] is %s, but the page has %" PRIu64
                                " values",
                                page, is_null ? "true" : "false", chunk->values.page.value_count);
    /*
     * Bounds of a null page are empty byte strings: the lists must have an element for each page.
     */
    if (is_null) {
        if (index->min_values.items[page].size == 0 && index->max_values.items[page].size == 0)
            return LAM_STATUS_OK;
        return lam_check_report(
            chunk->checker, LAM_RULE_BOUND_WITHOUT_VALUES, location,
            "the column index has bounds for page %" PRIu64 ", which holds only nulls", page);
    }
    lam_stated_bounds bounds = {"the column index",
                                location,
                                true,
                                true,
                                index->min_values.items[page],
                                index->max_values.items[page],
                                -1,
                                -1};
    return lam_check_bounds(chunk, &bounds, &chunk->values.page);
}

/* Without an order, NaNs are not counted, so nothing is compared. */
static lam_status check_page_nans(lam_chunk_check *chunk, uint64_t page,
                                  lam_check_location location) {
    const lam_meta_column_index *index = &chunk->stated.column_index;
    if ((index->has & LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS) == 0 ||
        chunk->order.comparison == LAM_COMPARISON_UNDEFINED ||
        (uint64_t)index->nan_counts.items[page] == chunk->values.page.nan_count)
        return LAM_STATUS_OK;
    return lam_check_report(chunk->checker, LAM_RULE_NAN_COUNT, location,
                            "the column index counts %" PRId64 " NaNs in page %" PRIu64
                            ", but there are %" PRIu64,
                            index->nan_counts.items[page], page, chunk->values.page.nan_count);
}

/*
 * A page may be beyond the lists if the indexes have too few entries; lam_check_close_indexes
 * reports that. The histograms of all pages form one list: page p has its r counts from p * r on.
 */
lam_status lam_check_page_indexes(lam_chunk_check *chunk, uint64_t page,
                                  lam_check_location location, uint64_t null_count) {
    const lam_meta_column_index *index = &chunk->stated.column_index;
    const lam_meta_i64_list *bytes = &chunk->stated.offset_index.unencoded_byte_array_data_bytes;
    const lam_value_summary *summary = &chunk->values.page;
    if (chunk->stated.has_offset_index && page < bytes->count &&
        (uint64_t)bytes->items[page] != summary->byte_count)
        LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_UNENCODED_BYTES, location,
                                 "the offset index says that the byte arrays of page %" PRIu64
                                 " have %" PRId64 " bytes, but they have %" PRIu64,
                                 page, bytes->items[page], summary->byte_count));
    if (!chunk->stated.has_column_index || page >= index->null_pages.count)
        return LAM_STATUS_OK;
    LAM_TRY(check_page_bounds(chunk, page, location));
    LAM_TRY(check_page_nans(chunk, page, location));
    if ((index->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0)
        LAM_TRY(lam_check_null_count(chunk, "the column index", location,
                                     index->null_counts.items[page], summary, null_count));
    size_t r = summary->repetition_levels, d = summary->definition_levels;
    if (index->repetition_level_histograms.count != 0)
        LAM_TRY(lam_check_histogram(chunk, "the repetition level histogram of the column index",
                                    location, index->repetition_level_histograms.items + page * r,
                                    lam_value_summary_repetition(summary), r));
    if (index->definition_level_histograms.count != 0)
        LAM_TRY(lam_check_histogram(chunk, "the definition level histogram of the column index",
                                    location, index->definition_level_histograms.items + page * d,
                                    lam_value_summary_definition(summary), d));
    return LAM_STATUS_OK;
}

/* Compares the numbers of entries with that of data pages, which only a complete walk knows. */
lam_status lam_check_close_indexes(lam_chunk_check *chunk) {
    if (chunk->lost || chunk->reported[LAM_RULE_OFFSET_INDEX_LOCATION])
        return LAM_STATUS_OK; /* pages and entries no longer correspond */
    if (chunk->stated.has_offset_index &&
        chunk->stated.offset_index.page_locations.count != chunk->pages.data_pages)
        return lam_check_report(
            chunk->checker, LAM_RULE_OFFSET_INDEX_PAGES, chunk->location,
            "the offset index has %" PRIu32 " locations, but there are %" PRIu64 " data pages",
            chunk->stated.offset_index.page_locations.count, chunk->pages.data_pages);
    if (chunk->stated.has_column_index &&
        chunk->stated.column_index.null_pages.count != chunk->pages.data_pages)
        return lam_check_report(
            chunk->checker, LAM_RULE_COLUMN_INDEX_PAGES, chunk->location,
            "the column index has %" PRIu32 " pages, but there are %" PRIu64 " data pages",
            chunk->stated.column_index.null_pages.count, chunk->pages.data_pages);
    return LAM_STATUS_OK;
}
