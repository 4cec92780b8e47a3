/* SPDX-License-Identifier: Apache-2.0 */
/* Row groups that do not say what their chunks say. */
#include "check/forge.h"

FORGED(check_row_group, the_bytes_are_the_sum_of_those_of_the_chunks, "row-group-bytes",
       group->total_byte_size++)
FORGED(check_row_group, so_are_the_compressed_bytes, "row-group-bytes",
       group->total_compressed_size--)
FORGED(check_row_group, the_offset_is_that_of_the_first_page, "row-group-offset",
       group->file_offset = 5)
FORGED(check_row_group, the_ordinal_is_the_place, "row-group-ordinal", group->ordinal = 1)
FORGED(check_row_group, there_is_a_chunk_per_column, "row-group-columns", group->columns.count = 3)
FORGED(check_row_group, rows_are_not_less_than_none, "file-rows row-group-rows",
       group->num_rows = -1)
FORGED(check_row_group, rows_are_counted_in_every_column, "file-rows chunk-rows",
       group->num_rows = 61)
FORGED(check_row_group, sorting_columns_exist, "sorting-columns",
       ((lam_meta_sorting_column *)group->sorting_columns.items)->column_idx = 4)

/* --- Files by hand --------------------------------------------------------------------------- */

/* A footer of a root without fields, and of row groups without columns. */
static lam_test_findings check_groups(const int64_t *rows, uint32_t count, uint64_t max_rows) {
    lam_allocator allocator = lam_allocator_default();
    lam_meta_schema_element root = {.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN,
                                    .name = {(const uint8_t *)"m", 1}};
    lam_meta_row_group groups[4] = {{.num_rows = 0}};
    lam_meta_file meta = {.version = 1, .schema = {&root, 1}, .row_groups = {groups, count}};
    lam_check_options options = lam_check_options_default();
    lam_buffer file;
    meta.has = LAM_META_FILE_HAS_CREATED_BY;
    meta.created_by = forge_text("test version 1");
    for (uint32_t i = 0; i < count; i++) {
        groups[i].num_rows = rows[i];
        meta.num_rows = (int64_t)((uint64_t)meta.num_rows + (uint64_t)rows[i]);
    }
    lam_buffer_init(&file, &allocator);
    cr_assert_eq(lam_buffer_append(&file, "PAR1", 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&meta, &file, NULL), LAM_STATUS_OK);
    options.max_rows = max_rows;
    lam_test_findings found = lam_test_check(file.data, file.size, &options);
    lam_buffer_finish(&file);
    return found;
}

Test(check_row_group, rows_of_no_column_are_all_that_there_is) {
    static const int64_t rows[] = {5, 0};
    cr_expect_str_eq(check_groups(rows, 0, 0).rules, "");
    cr_expect_str_eq(check_groups(rows, 2, 0).rules, "");
}

/* The sum does not wrap around, so that no row group is below the limit again. */
Test(check_row_group, rows_beyond_any_number_are_above_the_limit) {
    static const int64_t rows[] = {INT64_MAX, INT64_MAX, INT64_MAX, 1};
    lam_test_findings found = check_groups(rows, 4, UINT64_MAX);
    cr_expect_eq(found.totals.row_groups, 4, "%s", found.rules);
    found = check_groups(rows, 4, UINT64_MAX - 1);
    cr_expect_eq(found.totals.row_groups, 2, "%s", found.rules);
    cr_expect(strstr(found.rules, "limit") != NULL, "%s", found.rules);
}
