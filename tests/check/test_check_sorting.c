/* Rows that are not in the order that the row group claims. */
#include "check/forge.h"

static void sort_by(rich_file *file, lam_meta_row_group *group, const int *leaves, uint32_t count,
                    bool descending, bool nulls_first) {
    void *memory;
    cr_assert_eq(
        lam_arena_array(&file->arena, count, sizeof(lam_meta_sorting_column), &memory, NULL),
        LAM_STATUS_OK);
    lam_meta_sorting_column *columns = memory;
    for (uint32_t i = 0; i < count; i++) {
        columns[i].column_idx = leaves[i];
        columns[i].descending = descending;
        columns[i].nulls_first = nulls_first;
    }
    group->sorting_columns = (lam_meta_sorting_column_list){columns, count};
}

FORGED(check_sorting, ascending_rows_are_not_descending, "sorting-order",
       sort_by(file, group, (int[]){RICH_ID}, 1, true, false))
FORGED(check_sorting, the_second_column_decides_only_between_equals, "",
       sort_by(file, group, (int[]){RICH_ID, RICH_NAME}, 2, false, false))
FORGED(check_sorting, names_that_go_round_are_not_sorted, "sorting-order",
       sort_by(file, group, (int[]){RICH_NAME, RICH_ID}, 2, false, true))
FORGED(check_sorting, nulls_in_between_are_not_sorted, "sorting-order",
       sort_by(file, group, (int[]){RICH_X}, 1, false, true))
FORGED(check_sorting, repeated_columns_are_not_compared, "",
       sort_by(file, group, (int[]){RICH_TAGS}, 1, false, false))
