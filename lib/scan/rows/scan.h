/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row group by row group, the rows that a scan wants: all of them, or those that a filter wants.
 */
#ifndef LAM_SCAN_ROWS_SCAN_H
#define LAM_SCAN_ROWS_SCAN_H

#include "scan/prune/row_prune.h"

#include "scan/prune/row_ranges.h"
#include <lamella/scan.h>

/* One scan. Several threads may read the rows found; one at a time may look for more. */
typedef struct lam_scan {
    const lam_reader *reader;
    const lam_filter *filter; /* NULL: all rows */
    bool no_pruning;
    bool no_pages; /* the page index of the current row group is wrong */
    lam_row_prune prune;
    lam_row_ranges ranges;     /* of the current row group */
    lam_page_cache page_cache; /* pages of the filter's columns that are read again */
    lam_scan_report report;
} lam_scan;

/* INVALID if the filter, which may be NULL, was made for another schema than the reader's. */
lam_status lam_scan_check_filter(const lam_reader *reader, const lam_filter *filter,
                                 lam_error *error);

/* Reader and filter are borrowed until finish. */
void lam_scan_init(lam_scan *scan, const lam_reader *reader, const lam_filter *filter,
                   bool no_pruning);
void lam_scan_finish(lam_scan *scan);

/*
 * Before the first row group: keeps pages that the filter uncompresses, up to `budget` bytes, for
 * the leaves whose chunks are opened after that. `leaves` marks these and is borrowed until finish;
 * NULL means all.
 */
void lam_scan_cache_pages(lam_scan *scan, const bool *leaves, uint64_t budget);
/* The cache budget of each of `together` scans: they share a quarter of the memory limit. */
uint64_t lam_scan_cache_budget(const lam_reader *reader, size_t together);

/*
 * Opens a column chunk of the current row group for the ranges that were found, with the page
 * locations that help to skip the others; the chunk borrows these from `arena`. Adds the bytes read
 * for it to `*index_bytes`. Several threads may open and read chunks of one scan at once, each leaf
 * on one thread. All chunks must be destroyed before the next row group is searched.
 */
lam_status lam_scan_open_cursor(const lam_scan *scan, size_t row_group, size_t leaf_index,
                                lam_arena *arena, uint64_t *index_bytes,
                                lam_column_cursor **ret_cursor, lam_error *error);

/* Finds the wanted rows of a row group, which replace those in `ranges`, and adds to the report. */
lam_status lam_scan_group(lam_scan *scan, size_t row_group, lam_error *error);

#endif
