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
