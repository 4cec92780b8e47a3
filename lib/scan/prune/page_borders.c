/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for records that extend across two pages: takes the page indexes of the columns that a
 * filter uses, and gives those that are right about the rows of their pages, as far as rows depend
 * on it.
 *
 *     pages of l     |  page 0  |  page 1   |        l[] = 492 is in page 1, and in row 49,
 *     rows           0 ....... 49| 50 ...            which page 1 continues
 *
 * An offset index promises that pages begin with records, and some writers break the promise. Then
 * a row has elements of two pages, and is counted with one of them, whose bounds do not cover all
 * of it. The invariant: if such a row could have another outcome by both pages than by one, the
 * second page has been found to begin with a record. So few pages are peeked at: two for each range
 * that the filter may want. (parquet.thrift, OffsetIndex)
 */
#include "scan/prune/page_borders.h"

#include "base/error.h"

/* What is proven; arrays have one element per column, or per test. */
typedef struct border_proof {
    lam_pruned_group *group;
    lam_column_cursor **cursors; /* of columns that were peeked at */
    bool *moves;                 /* columns that repeat, and begin a page at the border */
    lam_outcome_set *before;     /* of tests, by the pages before the border */
    lam_outcome_set *across;     /* of tests, for a row with elements on both sides */
} border_proof;

/* True for a column whose pages may begin inside records. */
static bool is_in_doubt(const lam_pruned_column *column) {
    return column->index.has_bounds && column->index.claims.leaf->max_repetition > 0;
}

static bool has_doubts(const lam_pruned_group *group) {
    for (size_t i = 0; i < group->column_count; i++)
        if (is_in_doubt(&group->columns[i]))
            return true;
    return false;
}

static void go_to_first_pages(const lam_pruned_group *group) {
    for (size_t i = 0; i < group->column_count; i++)
        group->columns[i].page = 0;
}

/* Passes a border, and marks the columns in doubt that begin a page there; false if none does. */
static bool pass_and_mark(border_proof *proof, uint64_t border) {
    lam_pruned_group *group = proof->group;
    bool any = false;
    for (size_t i = 0; i < group->column_count; i++) {
        const lam_pruned_column *column = &group->columns[i];
        proof->moves[i] = is_in_doubt(column) && lam_trusted_metadata_first_row(
                                                     &column->index, column->page + 1) == border;
        any |= proof->moves[i];
    }
    lam_pruned_pass_border(group, border);
    return any;
}

/* Whether a test depends on a column in doubt that begins a page at the border. */
static bool moves_test(const border_proof *proof, const lam_pruned_column *column) {
    return column != NULL && proof->moves[column - proof->group->columns];
}

/*
 * The possible outcomes of a row at the border that has elements of the pages on both sides, and is
 * counted with those of `own`: its outcome is then the larger of two, of one page each. Two leaves
 * side by side are not considered.
 */
static lam_outcome_set outcomes_across(border_proof *proof, const lam_outcome_set *own,
                                       const lam_outcome_set *other) {
    const lam_pruned_group *group = proof->group;
    for (size_t i = 0; i < group->filter->test_count; i++) {
        const lam_pruned_test *test = &group->pruning[i];
        bool moves = moves_test(proof, test->leaf);
        for (size_t k = 0; k < test->residual_count; k++)
            moves |= moves_test(proof, test->residuals[k]);
        proof->across[i] = moves ? own[i] | other[i] : own[i];
        if (test->other != NULL && (moves || moves_test(proof, test->other)))
            proof->across[i] = LAM_MAY_BE_ANY;
    }
    return lam_filter_outcomes(group->filter, proof->across, group->stack);
}

/* Whether a range of rows is treated otherwise for a row with these outcomes. */
static bool makes_difference(lam_outcome_set range, lam_outcome_set row) {
    if ((range & LAM_MAY_BE_TRUE) == 0)
        return (row & LAM_MAY_BE_TRUE) != 0;
    return range == LAM_MAY_BE_TRUE && row != LAM_MAY_BE_TRUE;
}

/* Opens the chunk of a column; NULL if that fails by its metadata. */
static lam_status open_column(border_proof *proof, size_t number, lam_error *error) {
    const lam_pruned_group *group = proof->group;
    const lam_field *leaf = group->columns[number].index.claims.leaf;
    lam_error failure = lam_error_none();
    if (proof->cursors[number] != NULL)
        return LAM_STATUS_OK;
    lam_status status = lam_reader_open_cursor(group->reader, group->row_group, leaf->first_leaf,
                                               &proof->cursors[number], &failure);
    if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
        status == LAM_STATUS_LIMIT)
        return LAM_STATUS_OK;
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

/*
 * Peeks at the current page of a column, which loses its index if the page does not begin with a
 * record, or cannot be read.
 */
static lam_status prove_column(border_proof *proof, size_t number, bool *ret_begins,
                               lam_error *error) {
    lam_pruned_column *column = &proof->group->columns[number];
    lam_trusted_metadata *index = &column->index;
    *ret_begins = false;
    LAM_TRY(open_column(proof, number, error));
    if (proof->cursors[number] != NULL)
        LAM_TRY(lam_column_cursor_page_begins(proof->cursors[number],
                                              (uint64_t)index->locations[column->page].offset,
                                              ret_begins, error));
    if (!*ret_begins) {
        index->page_count = 0;
        index->has_bounds = false;
    }
    return LAM_STATUS_OK;
}

/* Proves the columns that begin a page at the border; stops at the first that fails. */
static lam_status prove_border(border_proof *proof, bool *ret_begins, lam_error *error) {
    *ret_begins = true;
    for (size_t i = 0; *ret_begins && i < proof->group->column_count; i++)
        if (proof->moves[i])
            LAM_TRY(prove_column(proof, i, ret_begins, error));
    return LAM_STATUS_OK;
}

/*
 * Passes a border; true if a record across it would be treated otherwise than the rows before it,
 * with which an index counts it, or than those after it, with which another one may.
 */
static bool pass_border(border_proof *proof, uint64_t border, lam_outcome_set before) {
    lam_pruned_group *group = proof->group;
    memcpy(proof->before, group->tests, group->filter->test_count * sizeof *proof->before);
    if (!pass_and_mark(proof, border))
        return false;
    lam_outcome_set behind = lam_pruned_outcomes(group, true);
    return makes_difference(before, outcomes_across(proof, proof->before, group->tests)) ||
           makes_difference(behind, outcomes_across(proof, group->tests, proof->before));
}

/* Proves all borders; `*ret_proven` is false if a column has lost its index: borders move then. */
static lam_status prove_all(border_proof *proof, bool *ret_proven, lam_error *error) {
    lam_pruned_group *group = proof->group;
    *ret_proven = true;
    go_to_first_pages(group);
    for (uint64_t border = lam_pruned_next_border(group); *ret_proven && border < group->row_count;
         border = lam_pruned_next_border(group)) {
        lam_outcome_set set = lam_pruned_outcomes(group, true);
        if (pass_border(proof, border, set))
            LAM_TRY(prove_border(proof, ret_proven, error));
    }
    go_to_first_pages(group);
    return LAM_STATUS_OK;
}

/* Each round but the last takes the index of a column. */
lam_status lam_page_borders_prove(lam_pruned_group *group, lam_error *error) {
    border_proof proof = {.group = group};
    lam_status status = LAM_STATUS_OK;
    bool is_proven = false;
    lam_arena arena;
    if (!has_doubts(group))
        return LAM_STATUS_OK;
    lam_arena_init(&arena, &group->reader->allocator, 0);
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&arena, group->column_count, &proof.moves, error));
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&arena, group->filter->test_count, &proof.before, error));
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&arena, group->filter->test_count, &proof.across, error));
    LAM_TRY_OUT(LAM_ARENA_ARRAY(&arena, group->column_count, &proof.cursors, error));
    while (!is_proven)
        LAM_TRY_OUT(prove_all(&proof, &is_proven, error));
out:
    for (size_t i = 0; proof.cursors != NULL && i < group->column_count; i++)
        lam_column_cursor_destroy(proof.cursors[i]);
    lam_arena_finish(&arena);
    return status;
}
