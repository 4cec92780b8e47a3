/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of each conclusion about a row group to a watch, if there is one (lamella/pruning.h).
 */
#ifndef LAM_SCAN_PRUNE_PRUNE_WATCH_H
#define LAM_SCAN_PRUNE_PRUNE_WATCH_H

#include "scan/prune/pruned_group.h"

/*
 * Reports a stage's conclusion for the rows from `begin` to `end`: `set`, and the sets of the tests
 * that `group` holds. Has no effect without a watch. NOMEM, LIMIT, failures of the watch.
 */
lam_status lam_prune_watch_concluded(const lam_pruned_group *group, lam_pruning_stage stage,
                                     uint64_t begin, uint64_t end, lam_outcome_set set,
                                     lam_error *error);

#endif
