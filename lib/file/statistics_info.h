/* Statistics of a chunk or a page as readers are told of them: what is absent shows. */
#ifndef LAM_FILE_STATISTICS_INFO_H
#define LAM_FILE_STATISTICS_INFO_H

#include <lamella/details.h>

#include "meta/metadata.h"

/* Bytes that are stated, never with NULL data, or none. */
static inline lam_bytes lam_stated_bytes(uint32_t has, uint32_t bit, lam_bytes bytes) {
    static const uint8_t empty;
    if ((has & bit) == 0)
        return (lam_bytes){NULL, 0};
    return bytes.data != NULL ? bytes : (lam_bytes){&empty, 0};
}

static inline lam_level_counts lam_level_counts_of(const lam_meta_i64_list *list) {
    return (lam_level_counts){list->items, list->count};
}

/* NULL gives statistics that state nothing. */
lam_statistics lam_statistics_of(const lam_meta_statistics *statistics);

#endif
