/* Row group by row group, the rows that a scan wants: all of them, or those of a filter. */
#ifndef LAM_SCAN_SCAN_H
#define LAM_SCAN_SCAN_H

#include "scan/row_prune.h"

#include "scan/row_ranges.h"
#include <lamella/scan.h>

typedef struct lam_scan {
    const lam_reader *reader;
    const lam_filter *filter; /* NULL: all rows */
    bool no_pruning;
    lam_row_prune prune;
    lam_row_ranges ranges; /* of the row group at hand */
    lam_page_cache
        page_cache; /* of its columns that the filter asks and that are read after that */
    lam_scan_report report;
} lam_scan;

/* INVALID when the filter, which may be NULL, was not made for the reader's schema. */
lam_status lam_scan_check_filter(const lam_reader *reader, const lam_filter *filter,
                                 lam_error *error);

/* Both are borrowed until finish. */
void lam_scan_init(lam_scan *scan, const lam_reader *reader, const lam_filter *filter,
                   bool no_pruning);
void lam_scan_finish(lam_scan *scan);

/*
 * Before the first row group: keeps what was uncompressed for the filter, up to `budget` bytes, of
 * the leaves whose chunks are opened after that; `leaves` marks these, borrowed until finish, and
 * NULL means all.
 */
void lam_scan_cache_pages(lam_scan *scan, const bool *leaves, uint64_t budget);
/* The budget for that of each of `together` scans: a quarter of the memory limit is theirs. */
uint64_t lam_scan_cache_budget(const lam_reader *reader, size_t together);

/*
 * Opens a column chunk of the row group at hand for the ranges found, with what helps to pass over
 * the others; the chunk borrows that from `arena`. Adds the bytes read for it to `*index_bytes`.
 * Several threads may open and read chunks of one scan at once, one those of a leaf. All chunks are
 * done with when the next row group is looked at.
 */
lam_status lam_scan_open_chunk(const lam_scan *scan, size_t row_group, size_t leaf_index,
                               lam_arena *arena, uint64_t *index_bytes,
                               lam_chunk_reader **ret_chunk, lam_error *error);

/* Finds the wanted rows of a row group, which replace those in `ranges`, and reports on it. */
lam_status lam_scan_group(lam_scan *scan, size_t row_group, lam_error *error);

#endif
