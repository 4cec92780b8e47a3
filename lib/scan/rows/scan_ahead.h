/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row groups of a scan in their order, with the wanted rows of each. If there are threads,
 * several row groups are searched together before the first of them is read, and further ones while
 * it is read.
 */
#ifndef LAM_SCAN_ROWS_SCAN_AHEAD_H
#define LAM_SCAN_ROWS_SCAN_AHEAD_H

#include "scan/rows/scan.h"

#include <lamella/scan.h>

typedef struct lam_scan_slot lam_scan_slot;

typedef struct lam_scan_ahead {
    lam_allocator allocator;
    size_t *row_groups; /* to search, in this order */
    size_t row_group_count;
    size_t together;      /* most row groups that are searched without the caller's help */
    lam_scan_slot *slots; /* row group `i` of the list is found in slot i % slot_count */
    size_t slot_count;
    size_t next;  /* index into row_groups: the next to search; those before are found */
    size_t taken; /* index into row_groups: the next to hand out */
} lam_scan_ahead;

/* What to search; NULL for `row_groups` means all. */
typedef struct lam_scan_plan {
    const lam_filter *filter; /* NULL: all rows; borrowed until finish */
    bool no_pruning;
    const size_t *row_groups; /* copied */
    size_t row_group_count;
    size_t together;    /* most row groups that are searched together; 0 is 1 */
    const bool *leaves; /* leaves to be read; see lam_scan_cache_pages */
} lam_scan_plan;

/* The reader is borrowed until finish, which must follow a failure, too. NOMEM, INVALID. */
lam_status lam_scan_ahead_init(lam_scan_ahead *ahead, const lam_reader *reader,
                               const lam_scan_plan *plan, lam_error *error);
void lam_scan_ahead_finish(lam_scan_ahead *ahead);

/* Calls `task(context, i)` for each i below `count`, in any order, and returns after the last. */
typedef void lam_run_tasks(void *state, void (*task)(void *context, size_t index), void *context,
                           size_t count);

/*
 * Gives the next row group; `*ret_scan` is NULL after the last. The scan is borrowed until the next
 * call; its ranges may be cut. A failure is returned at its row group's turn, after all row groups
 * before it.
 */
lam_status lam_scan_ahead_next(lam_scan_ahead *ahead, lam_run_tasks *run, void *state,
                               lam_scan **ret_scan, size_t *ret_row_group, lam_error *error);

/*
 * Gives how many row groups may be searched while the caller reads the current one: by as many
 * calls of search, with indexes from 0 on, on any threads. After all of them comes one of keep;
 * those that fail for want of memory are searched again at their turn. Without threads, none.
 */
size_t lam_scan_ahead_spare(const lam_scan_ahead *ahead);
void lam_scan_ahead_search(lam_scan_ahead *ahead, size_t index);
void lam_scan_ahead_keep(lam_scan_ahead *ahead, size_t count);

/* The sum over all row groups searched so far. */
lam_scan_report lam_scan_ahead_report(const lam_scan_ahead *ahead);

#endif
