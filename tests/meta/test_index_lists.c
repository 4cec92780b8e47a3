/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of a page index that have another length than their index are named. */
#include "meta/index_lists.h"

#include <criterion/criterion.h>

enum { PAGES = 3, R = 1, D = 2 };

static const bool nulls[PAGES + 1];
static const lam_bytes texts[PAGES + 1];
static const int64_t numbers[(PAGES + 1) * (D + 1)];

/* An index in which every list is stated and right. */
static lam_meta_column_index whole_index(void) {
    return (lam_meta_column_index){.has = LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS |
                                          LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS |
                                          LAM_META_COLUMN_INDEX_HAS_REPETITION_LEVEL_HISTOGRAMS |
                                          LAM_META_COLUMN_INDEX_HAS_DEFINITION_LEVEL_HISTOGRAMS,
                                   .null_pages = {nulls, PAGES},
                                   .min_values = {texts, PAGES},
                                   .max_values = {texts, PAGES},
                                   .null_counts = {numbers, PAGES},
                                   .nan_counts = {numbers, PAGES},
                                   .repetition_level_histograms = {numbers, PAGES * (R + 1)},
                                   .definition_level_histograms = {numbers, PAGES * (D + 1)}};
}

Test(index_lists, a_list_of_another_length_is_named) {
    lam_meta_column_index index = whole_index();
    const struct {
        uint32_t *count;
        const char *name;
        bool may_be_empty;
    } lists[] = {
        {&index.min_values.count, "min_values", false},
        {&index.max_values.count, "max_values", false},
        {&index.null_counts.count, "null_counts", false},
        {&index.nan_counts.count, "nan_counts", false},
        {&index.repetition_level_histograms.count, "repetition_level_histograms", true},
        {&index.definition_level_histograms.count, "definition_level_histograms", true},
    };
    cr_assert_null(lam_column_index_wrong_list(&index, R, D));
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        uint32_t right = *lists[i].count;
        for (uint32_t count = 0; count <= right + 1; count++) {
            *lists[i].count = count;
            const char *wrong = lam_column_index_wrong_list(&index, R, D);
            if (count == right || (count == 0 && lists[i].may_be_empty))
                cr_assert_null(wrong, "%s, %u", lists[i].name, count);
            else
                cr_assert_str_eq(wrong, lists[i].name, "%u", count);
        }
        *lists[i].count = right;
    }
}

Test(index_lists, a_list_that_is_not_stated_has_no_length) {
    lam_meta_column_index index = whole_index();
    index.has = 0;
    index.null_counts.count = index.nan_counts.count = 0;
    cr_assert_null(lam_column_index_wrong_list(&index, R, D));
}

Test(index_lists, sizes_of_byte_arrays_are_as_many_as_pages_or_none) {
    for (uint32_t count = 0; count < PAGES + 2; count++) {
        lam_meta_offset_index index = {.page_locations = {NULL, PAGES},
                                       .unencoded_byte_array_data_bytes = {numbers, count}};
        cr_assert_eq(lam_offset_index_lists_fit(&index), count == 0 || count == PAGES);
    }
}
