/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a file that lie on each other. */
#include "check/forge.h"

/* The column then has the rows of the other row group, too. */
FORGED(check_ranges, two_chunks_in_one_place_overlap,
       "row-group-bytes chunk-values chunk-rows range-overlap", file->no_indexes = true;
       *x->column = *file->chunks[1][RICH_X].column; x->column->num_values = 60;
       x->column->statistics = NULL; x->column->size_statistics = NULL)

FORGED(
    check_ranges, chunks_that_claim_more_than_the_file_has_are_not_read_again_and_again,
    "row-group-bytes limit sorting-unverified range-overlap", file->no_indexes = true;
    for (int leaf = 0; leaf < RICH_LEAVES; leaf++) {
        lam_meta_column *column = file->chunks[1][leaf].column;
        column->data_page_offset = 4;
        column->total_compressed_size = (int64_t)file->data.size - 4;
        column->num_values = 0;
        column->statistics = NULL;
        column->size_statistics = NULL;
    })
