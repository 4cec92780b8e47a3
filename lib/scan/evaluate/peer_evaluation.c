/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates the tests of a filter that read two columns. Rows come in; the outcomes of such tests
 * go out.
 *
 *     two columns, triples -> peer walk -> outcomes[test][row]
 *
 * Each test opens its columns for itself, as it alone moves through them; pages that two of them
 * read are uncompressed twice. The invariant: both columns of a test are at the same row between
 * two calls, and rows only rise.
 */
#include "scan/evaluate/peer_evaluation.h"

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/read/column_cursor.h"
#include "scan/match/filter_peer_walk.h"
#include "scan/prune/trusted_metadata.h"

/* One of the two columns of a test. */
typedef struct peered_column {
    lam_column_cursor *cursor;
    uint64_t rows_left; /* of the rows at hand */
} peered_column;

/* A test with a peer. */
typedef struct peered_test {
    size_t number; /* in the filter */
    lam_peer_walk *walk;
    peered_column columns[2];
} peered_test;

struct lam_peer_evaluation {
    lam_allocator allocator;
    lam_arena arena; /* tests, and page locations of the chunks */
    size_t row_group;
    peered_test *tests;
    size_t test_count;
};

/* --- Columns ------------------------------------------------------------------------------- */

/* The triple source of a column: it ends with the rows at hand, and goes on after skip_to. */
static lam_status peer_evaluation_read(void *state, lam_triples *ret_triples, lam_error *error) {
    peered_column *column = state;
    return lam_column_cursor_read_rows(column->cursor, SIZE_MAX, &column->rows_left, ret_triples,
                                       error);
}

/* Bytes of the page index are not counted in the report. */
static lam_status peer_evaluation_open(lam_peer_evaluation *evaluation, const lam_reader *reader,
                                       const lam_filter_test *test, size_t number,
                                       const lam_row_prune *prune, lam_page_cache *page_cache,
                                       lam_error *error) {
    const lam_field *leaves[2] = {test->leaf, test->peer->other};
    peered_test *peered = &evaluation->tests[evaluation->test_count++];
    uint64_t unused = 0;
    peered->number = number;
    LAM_TRY(lam_peer_walk_create(test, &evaluation->allocator, &peered->walk, error));
    for (size_t i = 0; i < 2; i++) {
        peered_column *column = &peered->columns[i];
        lam_peer_walk_set_source(peered->walk, i,
                                 (lam_triple_source){column, peer_evaluation_read});
        LAM_TRY(lam_cursor_open(reader, evaluation->row_group, leaves[i]->first_leaf,
                                lam_row_prune_index_use(prune, leaves[i]), &evaluation->arena,
                                &unused, &column->cursor, error));
        LAM_TRY(lam_column_cursor_keep_pages(column->cursor, page_cache, error));
    }
    return LAM_STATUS_OK;
}

/* The members are cleared, so destroy works on a half-made evaluation. */
lam_status lam_peer_evaluation_create(const lam_reader *reader, const lam_filter *filter,
                                      size_t row_group, const lam_row_prune *prune,
                                      lam_page_cache *page_cache,
                                      lam_peer_evaluation **ret_evaluation, lam_error *error) {
    lam_status status;
    size_t count = 0;
    void *memory;
    for (size_t i = 0; i < filter->test_count; i++)
        count += filter->tests[i].peer != NULL;
    *ret_evaluation = NULL;
    if (count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_alloc_array(&reader->allocator, 1, sizeof(lam_peer_evaluation), &memory, error));
    lam_peer_evaluation *evaluation = memory;
    evaluation->allocator = reader->allocator;
    evaluation->row_group = row_group;
    lam_arena_init(&evaluation->arena, &reader->allocator, (size_t)reader->memory_limit);
    LAM_TRY_OUT(lam_arena_array(&evaluation->arena, count, sizeof(peered_test), &memory, error));
    evaluation->tests = memory;
    for (size_t i = 0; i < filter->test_count; i++)
        if (filter->tests[i].peer != NULL)
            LAM_TRY_OUT(peer_evaluation_open(evaluation, reader, &filter->tests[i], i, prune,
                                             page_cache, error));
    *ret_evaluation = evaluation;
    return LAM_STATUS_OK;
out:
    lam_peer_evaluation_destroy(evaluation);
    return status;
}

/* The columns of all tests, two of each; 0 for NULL. */
static size_t peer_evaluation_columns(const lam_peer_evaluation *evaluation) {
    return evaluation == NULL ? 0 : evaluation->test_count * 2;
}

static lam_column_cursor *peer_evaluation_cursor(const lam_peer_evaluation *evaluation, size_t i) {
    return evaluation->tests[i / 2].columns[i % 2].cursor;
}

void lam_peer_evaluation_destroy(lam_peer_evaluation *evaluation) {
    if (evaluation == NULL)
        return;
    lam_allocator allocator = evaluation->allocator;
    for (size_t i = 0; i < peer_evaluation_columns(evaluation); i++)
        lam_column_cursor_destroy(peer_evaluation_cursor(evaluation, i));
    for (size_t i = 0; i < evaluation->test_count; i++)
        lam_peer_walk_destroy(evaluation->tests[i].walk);
    lam_arena_finish(&evaluation->arena);
    lam_free(&allocator, evaluation, sizeof *evaluation);
}

lam_status lam_peer_evaluation_cache_last_pages(lam_peer_evaluation *evaluation, lam_error *error) {
    for (size_t i = 0; i < peer_evaluation_columns(evaluation); i++)
        LAM_TRY(lam_column_cursor_keep_last_pages(peer_evaluation_cursor(evaluation, i), error));
    return LAM_STATUS_OK;
}

uint64_t lam_peer_evaluation_page_bytes(const lam_peer_evaluation *evaluation) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < peer_evaluation_columns(evaluation); i++)
        bytes += lam_column_cursor_page_bytes(peer_evaluation_cursor(evaluation, i));
    return bytes;
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* The sources ended with the rows of the last call, and give those of this one after skip_to. */
static lam_status peer_evaluation_test_rows(peered_test *peered, size_t row_group, uint64_t row,
                                            size_t count, uint8_t *outcomes, lam_error *error) {
    size_t read;
    for (size_t i = 0; i < 2; i++) {
        LAM_TRY(lam_column_cursor_skip_to(peered->columns[i].cursor, row, error));
        peered->columns[i].rows_left = count;
    }
    LAM_TRY(lam_peer_walk_rows(peered->walk, count, outcomes, &read, error));
    if (read != count)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "columns end before the last row of row group %zu", row_group);
    return LAM_STATUS_OK;
}

lam_status lam_peer_evaluation_rows(lam_peer_evaluation *evaluation, uint64_t row, size_t count,
                                    uint8_t *const *outcomes, lam_error *error) {
    for (size_t i = 0; evaluation != NULL && i < evaluation->test_count; i++) {
        peered_test *peered = &evaluation->tests[i];
        LAM_TRY(peer_evaluation_test_rows(peered, evaluation->row_group, row, count,
                                          outcomes[peered->number], error));
    }
    return LAM_STATUS_OK;
}
