/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries a chunk as a whole, and, if that fails, page by page: a leaf in, ranges of rows out. What
 * is not in a range was read once, and was sound. (PageIndex.md, "OffsetIndex")
 */
#include "salvage_ranges.h"

#include <stdlib.h>

#include "tool.h"

/* --- Reading and forgetting ---------------------------------------------------------------- */

static lam_status forget_begin(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status forget_group(void *state, const lam_field *group, lam_error *error) {
    (void)state, (void)group, (void)error;
    return LAM_STATUS_OK;
}

static lam_status forget_put(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)state, (void)leaf, (void)value, (void)error;
    return LAM_STATUS_OK;
}

static lam_status read_rows(const lam_reader *reader, size_t leaf, uint64_t first, uint64_t count,
                            lam_error *error) {
    const lam_record_sink sink = {NULL,         forget_begin, forget_group, forget_put,
                                  forget_group, forget_begin, NULL};
    lam_record_reader *records;
    lam_scan_options scan = lam_scan_options_default();
    bool *leaves =
        tool_allocate(lam_schema_leaf_count(lam_reader_schema(reader)) + 1, sizeof *leaves);
    uint64_t done;
    leaves[leaf] = true;
    scan.leaves = leaves;
    lam_status status = lam_record_reader_open_scan(reader, &scan, &records, error);
    if (status == LAM_STATUS_OK) {
        status = lam_record_reader_skip(records, first, &done, error);
        if (status == LAM_STATUS_OK)
            status = lam_record_reader_read(records, &sink, count, &done, error);
        lam_record_reader_close(records);
    }
    free(leaves);
    return status;
}

/* --- Ranges -------------------------------------------------------------------------------- */

static void add_range(salvage_ranges *ranges, size_t leaf, uint64_t first, uint64_t end) {
    salvage_range *last = ranges->count == 0 ? NULL : &ranges->items[ranges->count - 1];
    if (last != NULL && last->leaf == leaf && last->end == first) {
        last->end = end;
        return;
    }
    ranges->items = tool_reallocate(ranges->items, ranges->count + 1, sizeof *ranges->items);
    ranges->items[ranges->count++] = (salvage_range){leaf, first, end};
}

/* The first row of a page; false where the index does not say, or says what cannot be. */
static bool first_row_of(const lam_page_index_reader *index, size_t page, uint64_t after,
                         uint64_t rows, uint64_t *ret_row) {
    lam_page_index_entry entry = lam_page_index_entry_default();
    if (lam_page_index_reader_page(index, page, &entry, NULL) != LAM_STATUS_OK ||
        entry.first_row < 0 || (uint64_t)entry.first_row < after ||
        (uint64_t)entry.first_row > rows)
        return false;
    *ret_row = (uint64_t)entry.first_row;
    return true;
}

/* Tries the pages that the index lists; gives the rows that cannot be read. */
static uint64_t try_pages(salvage_ranges *ranges, const lam_reader *reader, size_t leaf,
                          const lam_page_index_reader *index, size_t pages, uint64_t base,
                          uint64_t rows) {
    uint64_t lost = 0, first = 0, end;
    for (size_t page = 0; page < pages; page++, first = end) {
        end = rows;
        bool is_known = page + 1 == pages || first_row_of(index, page + 1, first, rows, &end);
        if (first < end && (!is_known || read_rows(reader, leaf, base + first, end - first, NULL) !=
                                             LAM_STATUS_OK)) {
            add_range(ranges, leaf, first, end);
            lost += end - first;
        }
        if (!is_known)
            break;
    }
    return lost;
}

uint64_t salvage_find(salvage_ranges *ranges, const lam_reader *reader, size_t row_group,
                      size_t leaf, uint64_t base, uint64_t rows, lam_error *error) {
    lam_page_index_reader *index = NULL;
    lam_page_index_info info = lam_page_index_info_default();
    uint64_t lost = rows;
    if (rows == 0 || read_rows(reader, leaf, base, rows, error) == LAM_STATUS_OK)
        return 0;
    if (lam_page_index_reader_open(reader, row_group, leaf, &index, NULL) == LAM_STATUS_OK &&
        lam_page_index_reader_info(index, &info, NULL) == LAM_STATUS_OK && info.has_offsets &&
        info.page_count > 1)
        lost = try_pages(ranges, reader, leaf, index, info.page_count, base, rows);
    else
        add_range(ranges, leaf, 0, rows);
    lam_page_index_reader_close(index);
    return lost;
}

uint64_t salvage_leaves_at(const salvage_ranges *ranges, uint64_t row, uint64_t rows,
                           bool *leaves) {
    uint64_t next = rows;
    for (size_t i = 0; i < ranges->count; i++) {
        const salvage_range *range = &ranges->items[i];
        if (range->first <= row && row < range->end)
            leaves[range->leaf] = false;
        if (range->first > row && range->first < next)
            next = range->first;
        if (range->end > row && range->end < next)
            next = range->end;
    }
    return next;
}
