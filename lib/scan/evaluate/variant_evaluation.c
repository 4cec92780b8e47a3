/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates conditions on paths inside VARIANTs that one column cannot decide. Rows come in; the
 * outcomes of such tests go out.
 *
 *     columns of the paths, triples -> path walk -> outcomes[test][row]
 *
 * Only the columns that can hold the paths are read. The path walk steps through them side by side
 * and searches `value` columns where the typed ones end. The invariant: all columns are at the same
 * row between two calls, and rows only rise. (VariantShredding.md, "Value Shredding")
 */
#include "scan/evaluate/variant_evaluation.h"

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/read/column_cursor.h"
#include "scan/match/filter_path_walk.h"
#include "scan/prune/trusted_metadata.h"

/* A column of the walk. */
typedef struct walked_column {
    lam_column_cursor *cursor;
    uint64_t rows_left; /* of the rows at hand */
} walked_column;

struct lam_variant_evaluation {
    lam_allocator allocator;
    lam_arena arena; /* columns, and page locations of the chunks */
    size_t row_group;
    lam_path_walk *walk;
    walked_column *columns;
};

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
 * A test with a leaf test is exact as long as its residuals hold nothing, which is decided for each
 * row group anew. The others always need assembling.
 */
lam_status lam_variant_evaluation_choose(const lam_reader *reader, const lam_filter *filter,
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

/* The triple source of a column: it ends with the rows at hand, and goes on after skip_to. */
static lam_status variant_evaluation_read_column(void *state, lam_triples *ret_triples,
                                                 lam_error *error) {
    walked_column *column = state;
    return lam_column_cursor_read_rows(column->cursor, SIZE_MAX, &column->rows_left, ret_triples,
                                       error);
}

/* Bytes of the page index are not counted in the report. */
static lam_status variant_evaluation_open_columns(lam_variant_evaluation *evaluation,
                                                  const lam_reader *reader,
                                                  const lam_row_prune *prune,
                                                  lam_page_cache *page_cache, lam_error *error) {
    uint64_t unused = 0;
    void *memory;
    LAM_TRY(lam_arena_array(&evaluation->arena, lam_path_walk_column_count(evaluation->walk),
                            sizeof(walked_column), &memory, error));
    evaluation->columns = memory;
    for (size_t i = 0; i < lam_path_walk_column_count(evaluation->walk); i++) {
        walked_column *column = &evaluation->columns[i];
        const lam_field *leaf = lam_path_walk_leaf(evaluation->walk, i);
        lam_path_walk_set_source(evaluation->walk, i,
                                 (lam_triple_source){column, variant_evaluation_read_column});
        LAM_TRY(lam_cursor_open(reader, evaluation->row_group, leaf->first_leaf,
                                lam_row_prune_index_use(prune, leaf), &evaluation->arena, &unused,
                                &column->cursor, error));
        LAM_TRY(lam_column_cursor_keep_pages(column->cursor, page_cache, error));
    }
    return LAM_STATUS_OK;
}

/* The members are cleared, so destroy works on a half-made evaluation. */
lam_status lam_variant_evaluation_create(const lam_reader *reader, const lam_filter *filter,
                                         const bool *tests, size_t row_group,
                                         const lam_row_prune *prune, lam_page_cache *page_cache,
                                         lam_variant_evaluation **ret_evaluation,
                                         lam_error *error) {
    lam_status status;
    void *memory;
    LAM_TRY(lam_alloc_array(&reader->allocator, 1, sizeof(lam_variant_evaluation), &memory, error));
    lam_variant_evaluation *evaluation = memory;
    evaluation->allocator = reader->allocator;
    evaluation->row_group = row_group;
    lam_arena_init(&evaluation->arena, &reader->allocator, (size_t)reader->memory_limit);
    LAM_TRY_OUT(lam_path_walk_create(filter, tests, &reader->allocator, &evaluation->walk, error));
    LAM_TRY_OUT(variant_evaluation_open_columns(evaluation, reader, prune, page_cache, error));
    *ret_evaluation = evaluation;
    return LAM_STATUS_OK;
out:
    lam_variant_evaluation_destroy(evaluation);
    return status;
}

/* The columns of an evaluation; 0 for NULL, and before they are allocated. */
static size_t variant_evaluation_columns(const lam_variant_evaluation *evaluation) {
    return evaluation == NULL || evaluation->columns == NULL
               ? 0
               : lam_path_walk_column_count(evaluation->walk);
}

void lam_variant_evaluation_destroy(lam_variant_evaluation *evaluation) {
    if (evaluation == NULL)
        return;
    lam_allocator allocator = evaluation->allocator;
    for (size_t i = 0; i < variant_evaluation_columns(evaluation); i++)
        lam_column_cursor_destroy(evaluation->columns[i].cursor);
    lam_path_walk_destroy(evaluation->walk);
    lam_arena_finish(&evaluation->arena);
    lam_free(&allocator, evaluation, sizeof *evaluation);
}

lam_status lam_variant_evaluation_cache_last_pages(lam_variant_evaluation *evaluation,
                                                   lam_error *error) {
    for (size_t i = 0; i < variant_evaluation_columns(evaluation); i++)
        LAM_TRY(lam_column_cursor_keep_last_pages(evaluation->columns[i].cursor, error));
    return LAM_STATUS_OK;
}

uint64_t lam_variant_evaluation_page_bytes(const lam_variant_evaluation *evaluation) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < variant_evaluation_columns(evaluation); i++)
        bytes += lam_column_cursor_page_bytes(evaluation->columns[i].cursor);
    return bytes;
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Moves all columns to `row` and allows them `count` rows. */
static lam_status skip_to(lam_variant_evaluation *evaluation, uint64_t row, size_t count,
                          lam_error *error) {
    for (size_t i = 0; i < variant_evaluation_columns(evaluation); i++) {
        walked_column *column = &evaluation->columns[i];
        LAM_TRY(lam_column_cursor_skip_to(column->cursor, row, error));
        column->rows_left = count;
    }
    return LAM_STATUS_OK;
}

/* The sources ended with the rows of the last call, and give those of this one after skip_to. */
lam_status lam_variant_evaluation_rows(lam_variant_evaluation *evaluation, uint64_t row,
                                       size_t count, uint8_t *const *outcomes, lam_error *error) {
    size_t read;
    LAM_TRY(skip_to(evaluation, row, count, error));
    LAM_TRY(lam_path_walk_rows(evaluation->walk, count, outcomes, &read, error));
    if (read != count)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "columns end before the last row of row group %zu", evaluation->row_group);
    return LAM_STATUS_OK;
}
