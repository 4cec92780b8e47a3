/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the wanted rows of one row group after the other, and opens chunks to read them. Takes a
 * filter, or none, and gives in `ranges` the wanted rows of the current row group, until the next
 * one is requested.
 *
 *     no filter     all rows
 *     a filter      row_prune.c: candidate ranges by metadata -> filter_evaluation.c: exact ranges
 *     no_pruning    one candidate range of all rows           -> filter_evaluation.c
 *
 * The filter's pages, once uncompressed, wait in the page cache for the readers of the rows. The
 * invariant: ranges, cache and report always belong to the same row group, so a failure in between
 * ends the scan.
 */
#include "scan/rows/scan.h"

#include "base/error.h"
#include "base/thread/stop.h"
#include "scan/evaluate/filter_evaluation.h"

/* Tests refer to fields by address; equal schemas of two readers are still two schemas. */
lam_status lam_scan_check_filter(const lam_reader *reader, const lam_filter *filter,
                                 lam_error *error) {
    if (filter != NULL && filter->schema != reader->schema)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the filter was made for another schema");
    return LAM_STATUS_OK;
}

/* Allocates nothing. The cache keeps no pages until lam_scan_cache_pages gives it a budget. */
void lam_scan_init(lam_scan *scan, const lam_reader *reader, const lam_filter *filter,
                   bool no_pruning) {
    memset(scan, 0, sizeof *scan);
    scan->reader = reader;
    scan->filter = filter;
    scan->no_pruning = no_pruning;
    lam_row_prune_init(&scan->prune, (size_t)reader->memory_limit, &reader->allocator);
    lam_row_ranges_init(&scan->ranges, &reader->allocator);
    lam_page_cache_init(&scan->page_cache, NULL, 0, &reader->allocator);
}

uint64_t lam_scan_cache_budget(const lam_reader *reader, size_t together) {
    /* The rest of the limit is for the columns that are read while the cache is full. */
    const uint64_t share = 4;
    return reader->memory_limit / share / together;
}

void lam_scan_cache_pages(lam_scan *scan, const bool *leaves, uint64_t budget) {
    lam_page_cache_init(&scan->page_cache, leaves, budget, &scan->reader->allocator);
}

/* A zeroed scan, never initialised, is allowed. */
void lam_scan_finish(lam_scan *scan) {
    if (scan->reader == NULL)
        return;
    lam_row_prune_finish(&scan->prune);
    lam_row_ranges_finish(&scan->ranges);
    lam_page_cache_finish(&scan->page_cache);
}

/* Adds what metadata ruled out in a row group of `rows` rows to the report. */
static void report_pruning(lam_scan *scan, uint64_t rows) {
    lam_scan_report *report = &scan->report;
    const lam_row_prune *prune = &scan->prune;
    report->row_groups_by_statistics += prune->cause == LAM_PRUNE_STATISTICS;
    report->row_groups_by_bloom += prune->cause == LAM_PRUNE_BLOOM;
    report->row_groups_by_pages += prune->cause == LAM_PRUNE_PAGES;
    report->pages += prune->page_count;
    report->pages_pruned += prune->pages_pruned;
    report->index_bytes += prune->bytes_read;
    report->rows_pruned += rows - prune->rows;
}

/* Finds the wanted rows by the filter; pages of the index rule out rows unless it is wrong. */
static lam_status search_rows(lam_scan *scan, size_t row_group, uint64_t rows,
                              lam_filter_evaluation *ret_selection, lam_error *error) {
    const lam_pruning_watch *watch = scan->prune.watch;
    lam_row_ranges_clear(&scan->ranges);
    lam_page_cache_clear(&scan->page_cache);
    if (scan->no_pruning)
        LAM_TRY(lam_row_prune_nothing(&scan->prune, rows, error));
    else
        LAM_TRY(lam_row_prune_group(&scan->prune, scan->reader, scan->filter, row_group,
                                    !scan->no_pages, error));
    if (watch != NULL && watch->metadata_only)
        return LAM_STATUS_OK;
    return lam_filter_evaluate(scan->reader, scan->filter, row_group, &scan->prune,
                               !scan->no_pruning, &scan->page_cache, &scan->ranges, ret_selection,
                               error);
}

/*
 * Searches again without pages if the evaluation finds that the index which ruled out rows gives a
 * page other rows than it has.
 */
static lam_status search_until_right(lam_scan *scan, size_t row_group, uint64_t rows,
                                     lam_filter_evaluation *ret_selection, lam_error *error) {
    lam_error failure = lam_error_none();
    lam_status status = search_rows(scan, row_group, rows, ret_selection, &failure);
    if (status == LAM_STATUS_OK)
        return status;
    if (failure.code == LAM_ERROR_CODE_OFFSET_INDEX_ROWS) {
        scan->no_pages = true;
        return search_rows(scan, row_group, rows, ret_selection, error);
    }
    if (error != NULL)
        *error = failure;
    return status;
}

/*
 * Clears the cache before any page of the new row group goes into it. The report is added to only
 * after success, so that it counts complete row groups.
 */
lam_status lam_scan_group(lam_scan *scan, size_t row_group, lam_error *error) {
    uint64_t rows = lam_reader_rows_of_group(scan->reader, row_group);
    lam_filter_evaluation selection = {0};
    const lam_pruning_watch *watch = scan->prune.watch;
    LAM_TRY(lam_stop_check(scan->reader->stop, error));
    scan->no_pages = false;
    lam_row_ranges_clear(&scan->ranges);
    lam_page_cache_clear(&scan->page_cache);
    if (scan->filter == NULL) {
        LAM_TRY(lam_row_ranges_add(&scan->ranges, 0, rows, error));
    } else {
        LAM_TRY(search_until_right(scan, row_group, rows, &selection, error));
        report_pruning(scan, rows);
    }
    scan->report.row_groups++;
    scan->report.rows += rows;
    scan->report.rows_wanted += scan->ranges.rows;
    scan->report.row_groups_by_dictionary += selection.by_dictionary;
    scan->report.filter_page_bytes += selection.page_bytes;
    return watch == NULL || watch->searched == NULL
               ? LAM_STATUS_OK
               : watch->searched(watch->state, row_group, &scan->report, error);
}

/* Whether rows are skipped before others that are read: only then does an offset index help. */
static bool has_gaps(const lam_scan *scan) {
    size_t count = lam_row_ranges_count(&scan->ranges);
    return count > 1 || (count == 1 && lam_row_ranges_at(&scan->ranges, 0).begin > 0);
}

/* With no_pruning the offset index is not believed either. */
lam_status lam_scan_open_cursor(const lam_scan *scan, size_t row_group, size_t leaf_index,
                                lam_arena *arena, uint64_t *index_bytes,
                                lam_column_cursor **ret_cursor, lam_error *error) {
    lam_index_use use = LAM_INDEX_UNUSED;
    if (has_gaps(scan) && !scan->no_pruning) {
        use = lam_row_prune_later_use(&scan->prune,
                                      lam_schema_leaf(scan->reader->schema, leaf_index));
        use = use == LAM_INDEX_DECIDES ? use : LAM_INDEX_SKIPS;
    }
    LAM_TRY(lam_cursor_open(scan->reader, row_group, leaf_index, use, arena, index_bytes,
                            ret_cursor, error));
    lam_column_cursor_take_pages(*ret_cursor, &scan->page_cache);
    return LAM_STATUS_OK;
}
