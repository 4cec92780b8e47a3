/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks of a leaf that a file has in another form, or lacks: made of the chunk of one of its own
 * leaves, by a map; or of all that a field of the file holds, one value for each of its slots.
 */
#ifndef LAM_DATASET_UNION_LEAF_CHUNK_H
#define LAM_DATASET_UNION_LEAF_CHUNK_H

#include "chunk/read/derived_chunk.h"
#include "dataset/union/leaf_map.h"
#include "file/read/file_reader.h"

/* A leaf of the union of several files, in a row group of one of them. */
typedef struct lam_derived_leaf {
    const lam_reader *reader; /* of the file, as the handle that reads sees it; borrowed */
    size_t row_group;
    const lam_schema *target; /* of the union; the leaf by its number there */
    size_t number;
} lam_derived_leaf;

/* By the map of the leaf, which has no `whole`; it is copied. */
lam_status lam_leaf_chunk_create(const lam_derived_leaf *leaf, const lam_leaf_map *map,
                                 lam_derived_chunk **ret_chunk, lam_error *error);
/* By the field that is `whole` in the map. */
lam_status lam_whole_chunk_create(const lam_derived_leaf *leaf, const lam_leaf_map *map,
                                  lam_derived_chunk **ret_chunk, lam_error *error);

#endif
