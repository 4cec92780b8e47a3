/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates tests that read columns side by side, and gives their outcomes for the requested rows.
 *
 *     columns, triples -> peer walk, for each test of two columns -> outcomes[test][row]
 *                      -> path walk, for all tests on paths
 *
 * Each walk opens its own columns, as it alone moves through them; pages that two of them read are
 * uncompressed twice. Only the columns that can hold a path are read for it. The invariant: all
 * columns of a walk are at the same row between two calls, and rows only rise.
 * (VariantShredding.md, "Value Shredding")
 */
#include "scan/evaluate/walk_evaluation.h"

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/read/column_cursor.h"
#include "scan/match/filter_path_walk.h"
#include "scan/match/filter_peer_walk.h"
#include "scan/prune/trusted_metadata.h"

/* A column of a walk. */
typedef struct walked_column {
    lam_column_cursor *cursor;
    uint64_t rows_left; /* of the current rows */
} walked_column;

/* A walk with its columns: on paths, or of a test with a peer. */
typedef struct column_walk {
    lam_path_walk *paths;
    lam_peer_walk *peer;
    size_t test; /* of the peer: its number in the filter */
    walked_column *columns;
    size_t column_count; /* 0 until they are allocated */
} column_walk;

struct lam_walk_evaluation {
    lam_allocator allocator;
    lam_arena arena; /* walks, columns, and page locations of the chunks */
    const lam_filter *filter;
    size_t row_group;
    column_walk *walks;
    size_t walk_count;
};

/* --- Choosing ------------------------------------------------------------------------------ */

/*
 * Whether any residual of a path may have values; statistics, if they are trusted, can rule it out.
 */
static lam_status has_residuals(const lam_reader *reader, const lam_filter_path *path,
                                size_t row_group, bool trusts_stats, bool *ret_any,
                                lam_error *error) {
    bool any = false;
    for (size_t i = 0; !any && i < path->residual_count; i++) {
        bool empty = false;
        if (trusts_stats)
            LAM_TRY(lam_chunk_is_empty(reader, row_group, path->residuals[i].value->first_leaf,
                                       &empty, error));
        any = !empty;
    }
    *ret_any = any;
    return LAM_STATUS_OK;
}

/*
 * A test with a leaf test is exact while its residuals are empty, which is decided for each row
 * group. The others always need assembling.
 */
lam_status lam_walk_evaluation_choose(const lam_reader *reader, const lam_filter *filter,
                                      size_t row_group, bool trusts_stats, bool *needs_variant,
                                      lam_error *error) {
    for (size_t i = 0; i < filter->test_count; i++) {
        const lam_filter_path *path = filter->tests[i].path;
        needs_variant[i] = path != NULL && !path->has_leaf_test;
        if (path != NULL && path->has_leaf_test)
            LAM_TRY(has_residuals(reader, path, row_group, trusts_stats, &needs_variant[i], error));
    }
    return LAM_STATUS_OK;
}

/* --- Columns ------------------------------------------------------------------------------- */

/* The triple source of a column: it ends with the current rows, and continues after skip_to. */
static lam_status walk_evaluation_read(void *state, lam_triples *ret_triples, lam_error *error) {
    walked_column *column = state;
    return lam_column_cursor_read_rows(column->cursor, SIZE_MAX, &column->rows_left, ret_triples,
                                       error);
}

/* Gives a column of a walk its source, and the leaf to open. */
static const lam_field *set_walk_source(const lam_walk_evaluation *evaluation,
                                        const column_walk *walk, size_t column) {
    lam_triple_source source = {&walk->columns[column], walk_evaluation_read};
    if (walk->paths != NULL) {
        lam_path_walk_set_source(walk->paths, column, source);
        return lam_path_walk_leaf(walk->paths, column);
    }
    const lam_filter_test *test = &evaluation->filter->tests[walk->test];
    lam_peer_walk_set_source(walk->peer, column, source);
    return column == 0 ? test->leaf : test->peer->other;
}

/* Bytes of the page index are not counted in the report. */
static lam_status open_walk(lam_walk_evaluation *evaluation, column_walk *walk,
                            const lam_reader *reader, const lam_row_prune *prune,
                            lam_page_cache *page_cache, lam_error *error) {
    size_t count = walk->paths == NULL ? 2 : lam_path_walk_column_count(walk->paths);
    uint64_t unused = 0;
    LAM_TRY(LAM_ARENA_ARRAY(&evaluation->arena, count, &walk->columns, error));
    walk->column_count = count;
    for (size_t i = 0; i < count; i++) {
        const lam_field *leaf = set_walk_source(evaluation, walk, i);
        lam_column_cursor **cursor = &walk->columns[i].cursor;
        LAM_TRY(lam_cursor_open(reader, evaluation->row_group, leaf->first_leaf,
                                lam_row_prune_index_use(prune, leaf), &evaluation->arena, &unused,
                                cursor, error));
        LAM_TRY(lam_column_cursor_keep_pages(*cursor, page_cache, error));
    }
    return LAM_STATUS_OK;
}

/* Makes the walks: those of tests with a peer, then the one on paths, which costs most. */
static lam_status open_walks(lam_walk_evaluation *evaluation, const lam_reader *reader,
                             const bool *needs_variant, const lam_row_prune *prune,
                             lam_page_cache *page_cache, lam_error *error) {
    const lam_filter *filter = evaluation->filter;
    LAM_TRY(LAM_ARENA_ARRAY(&evaluation->arena, filter->test_count + 1, &evaluation->walks, error));
    for (size_t i = 0; i < filter->test_count; i++) {
        if (filter->tests[i].peer == NULL)
            continue;
        column_walk *walk = &evaluation->walks[evaluation->walk_count++];
        walk->test = i;
        LAM_TRY(
            lam_peer_walk_create(&filter->tests[i], &evaluation->allocator, &walk->peer, error));
        LAM_TRY(open_walk(evaluation, walk, reader, prune, page_cache, error));
    }
    if (memchr(needs_variant, true, filter->test_count) == NULL)
        return LAM_STATUS_OK;
    column_walk *walk = &evaluation->walks[evaluation->walk_count++];
    LAM_TRY(
        lam_path_walk_create(filter, needs_variant, &evaluation->allocator, &walk->paths, error));
    return open_walk(evaluation, walk, reader, prune, page_cache, error);
}

/* The members are cleared, so destroy works on a half-made evaluation. */
lam_status lam_walk_evaluation_create(const lam_reader *reader, const lam_filter *filter,
                                      const bool *needs_variant, size_t row_group,
                                      const lam_row_prune *prune, lam_page_cache *page_cache,
                                      lam_walk_evaluation **ret_evaluation, lam_error *error) {
    lam_status status;
    bool any = false;
    for (size_t i = 0; i < filter->test_count; i++)
        any |= needs_variant[i] || filter->tests[i].peer != NULL;
    *ret_evaluation = NULL;
    if (!any)
        return LAM_STATUS_OK;
    lam_walk_evaluation *evaluation;
    LAM_TRY(LAM_NEW(&reader->allocator, &evaluation, error));
    evaluation->allocator = reader->allocator;
    evaluation->filter = filter;
    evaluation->row_group = row_group;
    lam_arena_init(&evaluation->arena, &reader->allocator, (size_t)reader->memory_limit);
    LAM_TRY_OUT(open_walks(evaluation, reader, needs_variant, prune, page_cache, error));
    *ret_evaluation = evaluation;
    return LAM_STATUS_OK;
out:
    lam_walk_evaluation_destroy(evaluation);
    return status;
}

void lam_walk_evaluation_destroy(lam_walk_evaluation *evaluation) {
    if (evaluation == NULL)
        return;
    lam_allocator allocator = evaluation->allocator;
    for (size_t i = 0; i < evaluation->walk_count; i++) {
        column_walk *walk = &evaluation->walks[i];
        for (size_t k = 0; k < walk->column_count; k++)
            lam_column_cursor_destroy(walk->columns[k].cursor);
        lam_peer_walk_destroy(walk->peer);
        lam_path_walk_destroy(walk->paths);
    }
    lam_arena_finish(&evaluation->arena);
    lam_free(&allocator, evaluation, sizeof *evaluation);
}

lam_status lam_walk_evaluation_cache_last_pages(lam_walk_evaluation *evaluation, lam_error *error) {
    for (size_t i = 0; evaluation != NULL && i < evaluation->walk_count; i++)
        for (size_t k = 0; k < evaluation->walks[i].column_count; k++)
            LAM_TRY(
                lam_column_cursor_keep_last_pages(evaluation->walks[i].columns[k].cursor, error));
    return LAM_STATUS_OK;
}

uint64_t lam_walk_evaluation_page_bytes(const lam_walk_evaluation *evaluation) {
    uint64_t bytes = 0;
    for (size_t i = 0; evaluation != NULL && i < evaluation->walk_count; i++)
        for (size_t k = 0; k < evaluation->walks[i].column_count; k++)
            bytes += lam_column_cursor_page_bytes(evaluation->walks[i].columns[k].cursor);
    return bytes;
}

/* --- Rows ---------------------------------------------------------------------------------- */

/*
 * Moves the columns of a walk to `row` and goes through `count` rows: the sources ended with the
 * rows of the last call, and give those of this one after skip_to.
 */
static lam_status evaluate_walk(column_walk *walk, uint64_t row, size_t count,
                                uint8_t *const *outcomes, size_t *ret_rows, lam_error *error) {
    for (size_t i = 0; i < walk->column_count; i++) {
        LAM_TRY(lam_column_cursor_skip_to(walk->columns[i].cursor, row, error));
        walk->columns[i].rows_left = count;
    }
    if (walk->paths != NULL)
        return lam_path_walk_rows(walk->paths, count, outcomes, ret_rows, error);
    return lam_peer_walk_rows(walk->peer, count, outcomes[walk->test], ret_rows, error);
}

lam_status lam_walk_evaluation_rows(lam_walk_evaluation *evaluation, uint64_t row, size_t count,
                                    uint8_t *const *outcomes, lam_error *error) {
    for (size_t i = 0; evaluation != NULL && i < evaluation->walk_count; i++) {
        size_t read;
        LAM_TRY(evaluate_walk(&evaluation->walks[i], row, count, outcomes, &read, error));
        if (read != count)
            LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                     "columns end before the last row of row group %zu", evaluation->row_group);
    }
    return LAM_STATUS_OK;
}
