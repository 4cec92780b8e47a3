/* SPDX-License-Identifier: Apache-2.0 */
/* Footers that are collected: row groups whose indexes are not placed yet, and failures between. */
#include "file/write/footer_build.h"

#include <criterion/criterion.h>
#include <string.h>

#include "meta/compact.h"
#include "support/failing_alloc.h"

enum { BUILT_GROUPS = 40, FAR_AWAY = 1 << 30 };

static const lam_meta_column built_column = {.num_values = 1};

/* Adds a row group of one chunk with indexes at offset 1 of those in memory. */
static lam_status add_group(lam_footer_build *footer) {
    const lam_meta_column_chunk chunk = {.has = LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                                                LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET,
                                         .meta_data = &built_column,
                                         .offset_index_offset = 1,
                                         .column_index_offset = 1};
    const lam_meta_row_group group = {.num_rows = 1, .columns = {&chunk, 1}};
    return lam_footer_build_add_row_group(footer, &group, NULL);
}

/* Ends the test unless all row groups are there, with their indexes moved as far as stated. */
static void expect_groups(lam_footer_build *footer, size_t count, int64_t columns_at) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    size_t at = 0, found = 0, size;
    lam_arena_init(&arena, &allocator, 0);
    for (; at < footer->row_groups.size; at += size, found++) {
        lam_bytes rest = {footer->row_groups.data + at, footer->row_groups.size - at};
        lam_meta_row_group group;
        cr_assert_eq(lam_meta_read_row_group(rest, &arena, &group, &size, NULL), LAM_STATUS_OK);
        cr_assert_gt(size, 0);
        cr_assert_eq(group.columns.items[0].column_index_offset, 1 + columns_at);
    }
    cr_assert_eq(found, count);
    lam_arena_finish(&arena);
}

Test(footer_build, a_row_group_of_final_offsets_waits_for_those_before_it) {
    lam_allocator allocator = lam_allocator_default();
    const lam_meta_row_group group = {.num_rows = 1};
    lam_error error = lam_error_none();
    lam_footer_build footer;
    lam_footer_build_init(&footer, &allocator);
    cr_assert_eq(lam_footer_build_add_resolved(&footer, &group, NULL), LAM_STATUS_OK);
    cr_assert_eq(add_group(&footer), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_build_add_resolved(&footer, &group, &error), LAM_STATUS_STATE);
    cr_assert_eq(footer.row_group_count, 2);
    cr_assert_eq(lam_footer_build_resolve(&footer, 100, 200, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_build_add_resolved(&footer, &group, NULL), LAM_STATUS_OK);
    cr_assert_eq(footer.row_group_count, 3);
    lam_footer_build_finish(&footer);
}

/* The last row group keeps its offsets where these are final, and else loses its indexes. */
Test(footer_build, the_last_row_group_is_told_with_offsets_that_are_final) {
    lam_allocator allocator = lam_allocator_default();
    lam_footer_build footer;
    lam_footer_build_init(&footer, &allocator);
    cr_assert_eq(add_group(&footer), LAM_STATUS_OK);
    for (int is_final = 0; is_final < 2; is_final++) {
        lam_meta_row_group group;
        lam_arena arena;
        lam_buffer out;
        size_t size;
        lam_buffer_init(&out, &allocator);
        lam_arena_init(&arena, &allocator, 0);
        if (is_final)
            cr_assert_eq(lam_footer_build_resolve(&footer, 100, 200, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_footer_build_encode_last(&footer, &out, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_meta_read_row_group(lam_buffer_bytes(&out), &arena, &group, &size, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(group.columns.items[0].column_index_offset, is_final ? 101 : 0);
        cr_expect_eq(group.columns.items[0].offset_index_offset, is_final ? 201 : 0);
        lam_arena_finish(&arena);
        lam_buffer_finish(&out);
    }
    lam_footer_build_finish(&footer);
}

/* Offsets far away take more bytes, so that the row groups need more room than they had. */
Test(footer_build, offsets_that_find_no_memory_stay_as_they_are) {
    size_t failures = 0;
    for (size_t groups = 1; groups <= BUILT_GROUPS; groups++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_status status = LAM_STATUS_NOMEM;
        lam_footer_build footer;
        lam_footer_build_init(&footer, &allocator);
        for (size_t i = 0; i < groups; i++)
            cr_assert_eq(add_group(&footer), LAM_STATUS_OK);
        for (size_t n = 1; status != LAM_STATUS_OK; n++) {
            expect_groups(&footer, groups, 0);
            counter.fail_at = counter.requests + n;
            status = lam_footer_build_resolve(&footer, FAR_AWAY, FAR_AWAY, NULL);
            counter.fail_at = 0;
            failures += status != LAM_STATUS_OK;
        }
        expect_groups(&footer, groups, FAR_AWAY);
        lam_footer_build_finish(&footer);
        cr_assert_eq(counter.live_bytes, 0);
    }
    cr_assert_gt(failures, BUILT_GROUPS);
}
