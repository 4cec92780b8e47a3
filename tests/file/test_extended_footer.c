/* SPDX-License-Identifier: Apache-2.0 */
/* What a footer states when chunks come before it: sums stay numbers, and lies stay lies. */
#include "file/read/extended_footer.h"

#include <criterion/criterion.h>

#include "chunk/read/page_walk.h"
#include "support/failing_alloc.h"

enum { OLD_FOOTER = 1000, TAIL = 500 };

Test(extended_footer, a_size_grows_unless_it_is_none) {
    static const struct {
        int64_t before, after;
    } cases[] = {{0, TAIL},
                 {7, 7 + TAIL},
                 {INT64_MAX - TAIL, INT64_MAX},
                 {INT64_MAX - TAIL + 1, INT64_MAX - TAIL + 1},
                 {INT64_MAX, INT64_MAX},
                 {-1, -1},
                 {INT64_MIN, INT64_MIN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t size = cases[i].before;
        lam_extended_add_size(&size, TAIL);
        cr_expect_eq(size, cases[i].after, "case %zu", i);
    }
}

/* Whether a chunk at offset 4 of this size can be found, before and after the footer moved. */
static void expect_same_end(int64_t size, bool is_found) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_chunk_range range;
    const lam_meta_column stated = {
        .num_values = 1, .data_page_offset = 4, .total_compressed_size = size};
    const lam_meta_column *column = &stated;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_extended_move_claim(&column, OLD_FOOTER, TAIL, &arena, NULL), LAM_STATUS_OK);
    cr_expect_eq(column == &stated, is_found, "a chunk that is right keeps its description");
    cr_expect_eq(lam_chunk_find(column, OLD_FOOTER + TAIL, &range, NULL) == LAM_STATUS_OK, is_found,
                 "size %lld", (long long)size);
    cr_expect_eq(stated.total_compressed_size, size);
    lam_arena_finish(&arena);
}

Test(extended_footer, a_chunk_that_reaches_beyond_the_footer_still_does) {
    expect_same_end(OLD_FOOTER - 4, true);
    expect_same_end(OLD_FOOTER - 3, false);
    expect_same_end(INT64_MAX, false);
    expect_same_end(-1, false);
}

Test(extended_footer, a_chunk_without_metadata_stays_without) {
    lam_allocator allocator = lam_allocator_default();
    const lam_meta_column *column = NULL;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_extended_move_claim(&column, OLD_FOOTER, TAIL, &arena, NULL), LAM_STATUS_OK);
    cr_assert_null(column);
    lam_arena_finish(&arena);
}

Test(extended_footer, without_memory_a_claim_stays_where_it_is) {
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    const lam_meta_column stated = {.num_values = -1};
    const lam_meta_column *column = &stated;
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_extended_move_claim(&column, OLD_FOOTER, TAIL, &arena, NULL),
                 LAM_STATUS_NOMEM);
    cr_assert_eq(column, &stated);
    lam_arena_finish(&arena);
    cr_assert_eq(counter.live_bytes, 0);
}
