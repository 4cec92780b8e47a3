/* SPDX-License-Identifier: Apache-2.0 */
/* Proves that pages of columns that repeat begin with records, where that decides about rows. */
#ifndef LAM_SCAN_PRUNE_PAGE_BORDERS_H
#define LAM_SCAN_PRUNE_PAGE_BORDERS_H

#include "scan/prune/prune_watch.h"

/*
 * Drops the page index of each column of which a page begins inside a record that would be ruled
 * out, or taken unread, by the pages around it. Columns are at their first pages, before and after.
 * IO, NOMEM, CANCELLED.
 */
lam_status lam_page_borders_prove(lam_pruned_group *group, lam_error *error);

#endif
