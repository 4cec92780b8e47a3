/* SPDX-License-Identifier: Apache-2.0 */
/* Proves that pages of columns that repeat begin with records, if that decides about rows. */
#ifndef LAM_SCAN_PRUNE_PAGE_BORDERS_H
#define LAM_SCAN_PRUNE_PAGE_BORDERS_H

#include "scan/prune/prune_watch.h"

/*
 * Drops the page index of each column that has a page beginning inside a record that the pages
 * around it would rule out, or take unread. Columns are at their first pages, before and after. IO,
 * NOMEM, CANCELLED.
 */
lam_status lam_page_borders_prove(lam_pruned_group *group, lam_error *error);

#endif
