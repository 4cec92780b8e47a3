/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a file that lie on each other. */
#include <stdio.h>

#include "check/footer/check_ranges.h"
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

/* --- Order ----------------------------------------------------------------------------------- */

typedef struct told {
    char text[400];
    size_t size;
} told;

static lam_status tell(void *state, const lam_finding *finding, lam_error *error) {
    told *all = state;
    (void)error;
    int size = snprintf(all->text + all->size, sizeof all->text - all->size, "%d.%d at %d\n",
                        (int)finding->row_group, (int)finding->column, (int)finding->offset);
    cr_assert(size > 0 && (size_t)size < sizeof all->text - all->size);
    all->size += (size_t)size;
    return LAM_STATUS_OK;
}

/* Ranges of the same place, in every order in which they may come. */
Test(check_ranges, are_told_in_one_order) {
    static const int ranges[4][4] = {
        /* offset, size, row group, column */
        {4, 10, 1, 0},
        {4, 10, 0, 1},
        {4, 10, 0, 0},
        {4, 20, 0, 2},
    };
    for (int order = 0; order < 24; order++) {
        bool used[4] = {false};
        told all = {.size = 0};
        lam_checker checker = {.allocator = lam_allocator_default(), .found = tell, .state = &all};
        lam_buffer_init(&checker.ranges, &checker.allocator);
        for (int left = 4, rest = order; left > 0; rest /= left--) {
            int nth = rest % left, at = 0;
            while (used[at] || nth-- > 0)
                at++;
            used[at] = true;
            lam_check_location location = {ranges[at][2], ranges[at][3], -1, -1};
            cr_assert_eq(lam_check_add_range(&checker, location, (uint64_t)ranges[at][0],
                                             (uint64_t)ranges[at][1], "a chunk"),
                         LAM_STATUS_OK);
        }
        cr_assert_eq(lam_check_ranges(&checker), LAM_STATUS_OK);
        cr_expect_str_eq(all.text, "0.1 at 4\n1.0 at 4\n0.2 at 4\n", "%d: %s", order, all.text);
        lam_buffer_finish(&checker.ranges);
    }
}
