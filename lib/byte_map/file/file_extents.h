/* SPDX-License-Identifier: Apache-2.0 */
/* Where column chunks, indexes and Bloom filters are in a file, in the order of their bytes. */
#ifndef LAM_BYTE_MAP_FILE_FILE_EXTENTS_H
#define LAM_BYTE_MAP_FILE_FILE_EXTENTS_H

#include "byte_map/walk/byte_walk.h"

typedef struct lam_file_extent {
    uint64_t begin;
    uint64_t length;
    int32_t row_group; /* -1: of the file */
    int32_t column;
    uint8_t kind;      /* lam_byte_kind */
    bool is_encrypted; /* (Encryption.md) */
    bool is_weak;      /* only claimed if nothing else has these bytes: a chunk without values */
} lam_file_extent;

/* Appends one extent of the file itself. */
lam_status lam_file_extents_add(lam_buffer *extents, lam_byte_kind kind, uint64_t begin,
                                uint64_t length, lam_error *error);
/*
 * Appends what the footer states of each column chunk, as far as it is before the footer: the
 * chunk, its indexes, its Bloom filter.
 */
lam_status lam_file_extents_collect(lam_byte_walk *walk, const lam_meta_file_view *meta,
                                    lam_buffer *extents, lam_error *error);
/* Sorts by begin; of extents that begin together, the chunk comes first. */
void lam_file_extents_sort(lam_buffer *extents);

#endif
