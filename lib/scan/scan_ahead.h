/*
 * The row groups of a scan in their order, with the rows wanted of each. Where there are threads,
 * several row groups are looked at together before the first of them is read.
 */
#ifndef LAM_SCAN_SCAN_AHEAD_H
#define LAM_SCAN_SCAN_AHEAD_H

#include "scan/scan.h"

#include <lamella/scan.h>

typedef struct lam_scan_slot lam_scan_slot;

typedef struct lam_scan_ahead {
    lam_allocator allocator;
    size_t *row_groups;
    size_t row_group_count;
    size_t next; /* of row_groups, to look at */
    lam_scan_slot *slots;
    size_t slot_count;
    size_t found; /* slots that hold a row group */
    size_t taken; /* of them */
} lam_scan_ahead;

/* What to look at; NULL for `row_groups` is all. */
typedef struct lam_scan_plan {
    const lam_filter *filter; /* NULL: all rows; borrowed until finish */
    bool no_pruning;
    const size_t *row_groups; /* copied */
    size_t row_group_count;
    size_t together;    /* row groups that are looked at together at most; 0 is 1 */
    const bool *leaves; /* whose chunks are opened then; as in lam_scan_cache_pages */
} lam_scan_plan;

/* The reader is borrowed until finish, which is due after a failure too. NOMEM, INVALID. */
lam_status lam_scan_ahead_init(lam_scan_ahead *ahead, const lam_reader *reader,
                               const lam_scan_plan *plan, lam_error *error);
void lam_scan_ahead_finish(lam_scan_ahead *ahead);

/* Calls `task(context, i)` for each i below `count`, in any order, and returns after the last. */
typedef void lam_run_tasks(void *state, void (*task)(void *context, size_t index), void *context,
                           size_t count);

/*
 * Goes to the next row group; `*ret_scan` is NULL behind the last. The scan, in which the wanted
 * ranges may be cut, is borrowed until the next call. Failures come with their row group, after
 * all row groups before it.
 */
lam_status lam_scan_ahead_next(lam_scan_ahead *ahead, lam_run_tasks *run, void *state,
                               lam_scan **ret_scan, size_t *ret_row_group, lam_error *error);

/* Of all row groups looked at so far. */
lam_scan_report lam_scan_ahead_report(const lam_scan_ahead *ahead);

#endif
