/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds and sorting columns of a type that this version does not know, in copies and appends. */
#include "file/copy/kept_order.h"

#include <criterion/criterion.h>
#include <lamella/check.h>

#include "file/copied_sample.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "meta/known_faults.h"
#include "support/test_file.h"

/* The sample, whose first column is of a type that nobody knows, with the deprecated bounds, too,
 * and the rows of the first row group said to be sorted by `keys`. */
static lam_file_sample unknown_sample(const lam_meta_sorting_column *keys, uint32_t count) {
    const lam_meta_logical_type unknown = {.kind = LAM_META_UNION_UNRECOGNIZED};
    lam_file_sample sample = lam_copied_sample(NULL);
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_meta_schema_element *text =
        (lam_meta_schema_element *)(uintptr_t)&edit.meta.schema.items[1];
    lam_meta_row_group *group = (lam_meta_row_group *)(uintptr_t)&edit.meta.row_groups.items[0];
    lam_meta_statistics *statistics =
        (lam_meta_statistics *)(uintptr_t)lam_footer_edit_column(&edit, 0, 0)->statistics;
    text->logical_type = &unknown;
    text->has &= ~(uint32_t)LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
    statistics->has |= LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    statistics->min = statistics->min_value;
    statistics->max = statistics->max_value;
    group->sorting_columns = (lam_meta_sorting_column_list){keys, count};
    group->has |= LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
    lam_footer_edit_end(&edit);
    return sample;
}

/* Copies all row groups into a file of that schema. */
static void copy_into(const lam_reader *reader, const lam_schema *schema, lam_trial_output *trial) {
    lam_chunk_job jobs[LAM_COPIED_LEAVES];
    for (size_t i = 0; i < LAM_COPIED_LEAVES; i++)
        jobs[i] = (lam_chunk_job){LAM_CHUNK_COPIED, i};
    lam_test_writer file = lam_test_write_as(schema, NULL);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++)
        cr_assert_eq(lam_writer_compose_row_group(file.writer, reader, i, jobs, NULL, NULL),
                     LAM_STATUS_OK);
    trial->bytes = lam_test_written(&file);
}

/*
 * A type that this version does not know was not written, and the bounds stayed: readers then took
 * them for bounds in the order of the physical type.
 */
Test(kept_order, what_is_in_an_order_that_is_not_known_is_copied_with_its_type_alone) {
    const uint32_t bounds = LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE |
                            LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    const lam_meta_sorting_column by_text = {.column_idx = 0};
    lam_schema *other = lam_test_schema("message m { required int64 a (UNRECOGNIZED);"
                                        " optional binary s; repeated int32 x; }");
    for (int is_same = 0; is_same < 2; is_same++) {
        lam_file_sample sample = unknown_sample(&by_text, 1);
        lam_trial_output trial = {0};
        lam_footer_edit edit;
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        copy_into(reader, is_same ? lam_reader_schema(reader) : other, &trial);
        lam_reader_close(reader);
        lam_footer_edit_begin(&edit, &trial.bytes);
        const lam_meta_column_chunk *chunk = lam_footer_edit_chunk(&edit, 0, 0);
        const lam_meta_column_chunk *next = lam_footer_edit_chunk(&edit, 0, 1);
        const uint32_t index = LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET;
        cr_expect_eq(chunk->meta_data->statistics->has & bounds, is_same ? bounds : 0);
        cr_expect_eq(chunk->has & index, is_same ? index : 0);
        cr_expect_neq(chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET, 0);
        cr_expect_neq(next->has & index, 0);
        cr_expect_eq(edit.meta.row_groups.items[0].sorting_columns.count, (uint32_t)is_same);
        cr_expect_eq(edit.meta.schema.items[1].logical_type != NULL, is_same);
        lam_arena_finish(&edit.arena);
        lam_buffer_finish(&trial.bytes);
        lam_file_sample_finish(&sample);
    }
    lam_schema_destroy(other);
}

Test(kept_order, rows_stay_sorted_by_the_columns_before_one_that_does_not_stay) {
    const lam_meta_sorting_column keys[] = {
        {.column_idx = 1}, {.column_idx = 0}, {.column_idx = 1}};
    const lam_meta_sorting_column none[] = {{.column_idx = -1}, {.column_idx = LAM_COPIED_LEAVES}};
    const struct {
        const lam_meta_sorting_column *keys;
        uint32_t count, kept;
    } cases[] = {{keys, 3, 1}, {keys, 1, 1}, {keys + 1, 2, 0}, {none, 1, 0}, {none + 1, 1, 0}};
    lam_schema *other = lam_test_schema("message m { required int64 a (UNRECOGNIZED);"
                                        " optional binary s; repeated int32 x; }");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_file_sample sample = unknown_sample(cases[i].keys, cases[i].count);
        lam_trial_output trial = {0};
        lam_footer_edit edit;
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        copy_into(reader, other, &trial);
        lam_reader_close(reader);
        lam_footer_edit_begin(&edit, &trial.bytes);
        cr_expect_eq(edit.meta.row_groups.items[0].sorting_columns.count, cases[i].kept, "case %zu",
                     i);
        lam_arena_finish(&edit.arena);
        lam_buffer_finish(&trial.bytes);
        lam_file_sample_finish(&sample);
    }
    lam_schema_destroy(other);
}

/* Its order of values is another one, and so may be its order of rows. */
Test(kept_order, rows_are_not_sorted_by_a_column_whose_writer_orders_it_wrong) {
    lam_schema *schema = lam_test_schema("message m { required int64 a; optional binary s; }");
    const lam_field *number = lam_schema_leaf(schema, 0), *text = lam_schema_leaf(schema, 1);
    cr_expect(lam_kept_order_sorts(number, number, LAM_FAULT_TEXT_BOUNDS));
    cr_expect_not(lam_kept_order_sorts(text, text, LAM_FAULT_TEXT_BOUNDS));
    cr_expect(lam_kept_order_sorts(text, text, LAM_FAULT_TEXT_DECIMALS | LAM_FAULT_NULL_COUNTS));
    lam_schema_destroy(schema);
}

/* A footer whose order nobody knows stated NaNs that its copy, in the order of the type, denied. */
Test(kept_order, nans_that_are_counted_in_an_unknown_order_are_left_out_of_a_copy) {
    static const struct {
        int32_t order;
        bool is_kept;
    } cases[] = {{LAM_META_COLUMN_ORDER_TYPE, true}, {LAM_META_UNION_UNRECOGNIZED, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_file_sample sample = lam_copied_sample(NULL);
        lam_trial_output trial = {0};
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_meta_statistics *statistics =
            (lam_meta_statistics *)(uintptr_t)lam_footer_edit_column(&edit, 0, 1)->statistics;
        statistics->has |= LAM_META_STATISTICS_HAS_NAN_COUNT;
        statistics->nan_count = 8;
        ((lam_meta_column_order *)(uintptr_t)edit.meta.column_orders.items)[1].kind =
            cases[i].order;
        lam_footer_edit_end(&edit);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        cr_assert_eq(lam_copied_write(reader, LAM_CHUNK_COPIED, NULL, NULL, &trial, NULL),
                     LAM_STATUS_OK);
        lam_reader_close(reader);
        lam_footer_edit_begin(&edit, &trial.bytes);
        statistics =
            (lam_meta_statistics *)(uintptr_t)lam_footer_edit_column(&edit, 0, 1)->statistics;
        cr_expect_eq((statistics->has & LAM_META_STATISTICS_HAS_NAN_COUNT) != 0, cases[i].is_kept,
                     "case %zu", i);
        lam_arena_finish(&edit.arena);
        lam_buffer_finish(&trial.bytes);
        lam_file_sample_finish(&sample);
    }
}
