/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of numbers that callers borrow from a reader: level histograms and types of geometries.
 */
#ifndef LAM_FILE_READ_CHUNK_LISTS_H
#define LAM_FILE_READ_CHUNK_LISTS_H

#include <stdatomic.h>

#include "meta/metadata.h"

typedef struct lam_kept_lists lam_kept_lists;

/* One slot per chunk, row group by row group; made when the first list is kept. */
typedef struct lam_chunk_lists {
    lam_allocator allocator;
    size_t chunk_count;
    _Atomic(void *) slots; /* _Atomic(lam_kept_lists *)[chunk_count], or NULL */
} lam_chunk_lists;

/* Allocates nothing yet. */
void lam_chunk_lists_init(lam_chunk_lists *lists, const lam_allocator *allocator,
                          size_t chunk_count);
/* Frees all lists. */
void lam_chunk_lists_finish(lam_chunk_lists *lists);

/*
 * Makes the histograms and the geospatial types of a chunk stay until finish: copies them when they
 * are requested for the first time, and points `sizes` and `geospatial`, either of which may be
 * NULL, at the copies. Any thread may call at any time. LIMIT if all slots take more than `limit`.
 */
lam_status lam_chunk_lists_keep(lam_chunk_lists *lists, size_t chunk, uint64_t limit,
                                lam_meta_size_statistics *sizes,
                                lam_meta_geospatial_statistics *geospatial, lam_error *error);

#endif
