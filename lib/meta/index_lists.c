/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the lists of a decoded column index, which may have any lengths, with each other, and
 * names the first list that does not fit. If none is named, accesses by page numbers below the
 * length of null_pages never need a check. (PageIndex.md; parquet.thrift, ColumnIndex)
 */
#include "meta/index_lists.h"

static bool fits(const lam_meta_column_index *index, uint32_t bit, const lam_meta_i64_list *list) {
    return (index->has & bit) == 0 || list->count == index->null_pages.count;
}

/* Levels are those from 0 to the maximum. */
static bool histograms_fit(const lam_meta_i64_list *list, uint64_t pages, unsigned max_level) {
    return list->count == 0 || list->count == pages * (max_level + (uint64_t)1);
}

const char *lam_column_index_wrong_list(const lam_meta_column_index *index, unsigned max_repetition,
                                        unsigned max_definition) {
    uint32_t pages = index->null_pages.count;
    if (index->min_values.count != pages)
        return "min_values";
    if (index->max_values.count != pages)
        return "max_values";
    if (!fits(index, LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS, &index->null_counts))
        return "null_counts";
    if (!fits(index, LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS, &index->nan_counts))
        return "nan_counts";
    if (!histograms_fit(&index->repetition_level_histograms, pages, max_repetition))
        return "repetition_level_histograms";
    if (!histograms_fit(&index->definition_level_histograms, pages, max_definition))
        return "definition_level_histograms";
    return NULL;
}
