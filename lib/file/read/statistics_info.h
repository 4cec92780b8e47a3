/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a chunk or a page as the public API reports them, in which absence is visible.
 */
#ifndef LAM_FILE_READ_STATISTICS_INFO_H
#define LAM_FILE_READ_STATISTICS_INFO_H

#include <lamella/details.h>

#include "meta/metadata.h"

/*
 * Bytes if `bit` of `has` says that they are stated; NULL data otherwise. Stated bytes never have
 * NULL data, even if there are none of them.
 */
static inline lam_bytes lam_stated_bytes(uint32_t has, uint32_t bit, lam_bytes bytes) {
    static const uint8_t empty;
    if ((has & bit) == 0)
        return (lam_bytes){NULL, 0};
    return bytes.data != NULL ? bytes : (lam_bytes){&empty, 0};
}

/* A histogram of levels, borrowed; absent ones have no counts. */
static inline lam_level_counts lam_level_counts_of(const lam_meta_i64_list *list) {
    return (lam_level_counts){list->items, list->count};
}

/* NULL gives statistics in which everything is absent. */
lam_statistics lam_statistics_of(const lam_meta_statistics *statistics);

#endif
