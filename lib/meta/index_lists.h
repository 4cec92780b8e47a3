/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the lists of a page index go together, on which each access by page number depends. */
#ifndef LAM_META_INDEX_LISTS_H
#define LAM_META_INDEX_LISTS_H

#include "meta/metadata.h"

/*
 * The name of a list of a column index that does not have one element per page, or for histograms
 * one per page and level; NULL when all have. Their number is the length of null_pages. Empty
 * histograms count as absent: some writers leave them so.
 */
const char *lam_column_index_wrong_list(const lam_meta_column_index *index, unsigned max_repetition,
                                        unsigned max_definition);

/* False when an offset index states sizes of byte arrays for another number of pages. */
static inline bool lam_offset_index_lists_fit(const lam_meta_offset_index *index) {
    return index->unencoded_byte_array_data_bytes.count == 0 ||
           index->unencoded_byte_array_data_bytes.count == index->page_locations.count;
}

#endif
