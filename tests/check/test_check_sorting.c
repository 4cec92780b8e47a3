/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are not in the order that the row group claims. */
#include <lamella/record.h>
#include <lamella/writer.h>
#include <math.h>

#include "check/forge.h"
#include "support/whole_footer.h"

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

/* --- What is not verified, and is not passed in silence ------------------------------------- */

FORGED(check_sorting, repeated_columns_are_not_compared, "sorting-unverified",
       sort_by(file, group, (int[]){RICH_TAGS}, 1, false, false))
FORGED(check_sorting, columns_before_a_repeated_one_are_compared, "sorting-unverified",
       sort_by(file, group, (int[]){RICH_ID, RICH_TAGS}, 2, false, false))
FORGED(check_sorting, columns_before_a_repeated_one_may_be_out_of_order,
       "sorting-unverified sorting-order",
       sort_by(file, group, (int[]){RICH_NAME, RICH_TAGS, RICH_ID}, 3, false, false))
FORGED(check_sorting, a_column_of_an_unknown_codec_is_not_compared,
       "unsupported sorting-unverified", id->column->codec = 99)

/* More than 16 columns were a warning and not one of them was looked at. */
static void sort_by_many(rich_file *file, lam_meta_row_group *group, int leaf) {
    int leaves[17];
    for (int i = 0; i < 17; i++)
        leaves[i] = leaf;
    sort_by(file, group, leaves, 17, false, false);
}

FORGED(check_sorting, of_many_columns_the_first_are_compared, "sorting-unverified",
       sort_by_many(file, group, RICH_ID))
FORGED(check_sorting, of_many_columns_the_first_may_be_out_of_order,
       "sorting-unverified sorting-order", sort_by_many(file, group, RICH_NAME))

/* --- NaN ------------------------------------------------------------------------------------- */

/* Rows 0 to 3 of a column of doubles, 1 of which is NaN, in an order of the bounds. */
static void expect_doubles(const double *values, int32_t order, const char *rules) {
    lam_triples column = {4, 4, NULL, NULL, values};
    lam_schema *schema = lam_test_schema("message m { required double a; }");
    lam_writer_options options = forge_options(1, false, false);
    lam_meta_sorting_column sorting = {.column_idx = 0};
    lam_meta_column_order column_order = {.kind = order};
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_footer footer;
    lam_buffer file = forge_triples(schema, &options, &column, 4);
    lam_input input = lam_input_memory(file.data, file.size);
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_footer_read(&input, &arena, &footer, NULL), LAM_STATUS_OK);
    lam_meta_row_group *group = (lam_meta_row_group *)footer.meta.row_groups.items;
    group->has |= LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
    group->sorting_columns = (lam_meta_sorting_column_list){&sorting, 1};
    footer.meta.has |= LAM_META_FILE_HAS_COLUMN_ORDERS;
    footer.meta.column_orders = (lam_meta_column_order_list){&column_order, 1};
    file.size = (size_t)footer.offset;
    cr_assert_eq(lam_footer_write(&footer.meta, &file, NULL), LAM_STATUS_OK);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_assert_str_eq(found.rules, rules, "%s", found.first);
    lam_arena_finish(&arena);
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
}

Test(check_sorting, nans_have_a_place_in_total_order_only) {
    static const double last[4] = {1, 2, 3, NAN}, within[4] = {1, NAN, 2, 3};
    expect_doubles(last, LAM_META_COLUMN_ORDER_TYPE, "sorting-unverified");
    expect_doubles(within, LAM_META_COLUMN_ORDER_TYPE, "sorting-unverified");
    expect_doubles(last, LAM_META_COLUMN_ORDER_IEEE_754_TOTAL, "");
    expect_doubles(within, LAM_META_COLUMN_ORDER_IEEE_754_TOTAL, "sorting-order");
}
FORGED(check_sorting, of_many_columns_one_that_is_passed_over_is_none,
       "unsupported sorting-unverified", sort_by_many(file, group, RICH_ID);
       x->column->codec = 99)
