/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides by metadata which rows of a row group a filter may want. Takes a filter and a row group,
 * and gives candidate ranges, each marked if all its rows are certainly wanted.
 *
 *     1. statistics of the chunks      all, none, or continue
 *     2. Bloom filters                 none, or continue
 *     3. pages, by the page index      ranges between the borders of the pages of all columns
 *
 * Each stage costs more than the one before it and runs only if that one left doubt. The invariant:
 * a range is left out only if the filter cannot be true in it, whatever values agree with the
 * trusted metadata (pruned_group.c).
 */
#include "scan/prune/row_prune.h"

#include "base/error.h"
#include "scan/condition/filter_path.h"
#include "scan/condition/filter_peer.h"
#include "scan/prune/page_borders.h"
#include "scan/prune/prune_watch.h"

/* The budget makes memory a matter of time only: metadata without room count as absent. */
void lam_row_prune_init(lam_row_prune *prune, size_t budget, const lam_allocator *allocator) {
    memset(prune, 0, sizeof *prune);
    lam_arena_init(&prune->arena, allocator, budget);
    lam_claimed_bytes_init(&prune->claimed, allocator);
    LAM_LIST_INIT(&prune->ranges, allocator);
}

void lam_row_prune_finish(lam_row_prune *prune) {
    lam_arena_finish(&prune->arena);
    lam_claimed_bytes_finish(&prune->claimed);
    LAM_LIST_FINISH(&prune->ranges);
}

/*
 * Gives the column of a leaf, a new one for a leaf seen for the first time. The array has room for
 * two columns per test, and one per residual; filters are short, so a scan is enough.
 */
static lam_pruned_column *add_column(lam_pruned_group *group, const lam_field *leaf) {
    size_t i = 0;
    while (i < group->column_count && group->columns[i].index.claims.leaf != leaf)
        i++;
    group->columns[i].index.claims.leaf = leaf;
    group->column_count += i == group->column_count;
    return &group->columns[i];
}

/* The residuals of a test's path; 0 for a test of a plain column. */
static size_t count_residuals(const lam_filter_test *test) {
    return test->path == NULL ? 0 : test->path->residual_count;
}

/* Finds the columns of one test. A path that no single column can decide keeps `leaf` NULL. */
static lam_status add_test(lam_pruned_group *group, size_t number, lam_error *error) {
    const lam_filter_test *test = &group->filter->tests[number];
    const lam_filter_path *path = test->path;
    lam_pruned_test *pruning = &group->pruning[number];
    if (path != NULL && !path->has_leaf_test)
        return LAM_STATUS_OK;
    lam_pruned_column *leaf = add_column(group, test->leaf);
    leaf->is_compared = true;
    pruning->leaf = leaf;
    if (test->peer != NULL) {
        lam_pruned_column *other = add_column(group, test->peer->other);
        other->is_compared = true;
        pruning->other = other;
    }
    LAM_TRY(
        LAM_ARENA_ARRAY(&group->prune->arena, count_residuals(test), &pruning->residuals, error));
    for (; pruning->residual_count < count_residuals(test); pruning->residual_count++)
        pruning->residuals[pruning->residual_count] =
            add_column(group, path->residuals[pruning->residual_count].value);
    return LAM_STATUS_OK;
}

/*
 * Columns are allocated for the worst case, in which no two tests share a leaf: pointers to them
 * are kept, so the array must not move.
 */
static lam_status row_allocate(lam_pruned_group *group, lam_error *error) {
    lam_arena *arena = &group->prune->arena;
    size_t tests = group->filter->test_count, columns = tests;
    for (size_t i = 0; i < tests; i++)
        columns += count_residuals(&group->filter->tests[i]) + 1;
    LAM_TRY(LAM_ARENA_ARRAY(arena, columns, &group->columns, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, tests, &group->pruning, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, tests, &group->tests, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, group->filter->depth, &group->stack, error));
    for (size_t i = 0; i < tests; i++)
        LAM_TRY(add_test(group, i, error));
    return LAM_STATUS_OK;
}

/*
 * Reads one more kind of metadata for all columns. Bloom filters are read only for columns that are
 * compared with values, and are kept when the page index is read after them. The statistics are
 * derived again, since a column index that contradicts them makes both absent.
 */
static lam_status row_read_indexes(lam_pruned_group *group, bool bloom, bool pages,
                                   lam_error *error) {
    for (size_t i = 0; i < group->column_count; i++) {
        lam_pruned_column *column = &group->columns[i];
        lam_trusted_metadata before = column->index;
        lam_trusted_metadata_kinds kinds = {pages, pages,
                                            bloom && column->is_compared ? group->filter : NULL,
                                            &group->prune->claimed};
        size_t leaf = before.claims.leaf->first_leaf;
        lam_arena *arena = &group->prune->arena;
        if (column->chunk.meta_data == NULL)
            LAM_TRY(lam_reader_find_column(group->reader, group->row_group, leaf, arena,
                                           &column->chunk, error));
        LAM_TRY(lam_trusted_metadata_of(group->reader, group->row_group, leaf, &column->chunk,
                                        kinds, arena, &column->index, error));
        if (!bloom)
            column->index.bloom = before.bloom;
        group->prune->bytes_read += column->index.bytes_read;
    }
    return LAM_STATUS_OK;
}

/* --- Pages --------------------------------------------------------------------------------- */

/* Appends a range, or extends the last one if it is adjacent and of the same kind. */
static lam_status add_range(lam_row_prune *prune, uint64_t begin, uint64_t end, bool is_wanted,
                            lam_error *error) {
    lam_candidate_range *last = prune->ranges.count > 0 ? &LAM_LIST_LAST(&prune->ranges) : NULL;
    prune->rows += end - begin;
    if (last != NULL && last->end == begin && last->is_wanted == is_wanted) {
        last->end = end;
        return LAM_STATUS_OK;
    }
    lam_candidate_range range = {begin, end, is_wanted};
    return LAM_LIST_ADD(&prune->ranges, &range, error);
}

/*
 * Pages of different columns end at different rows, so the condition is decided between borders:
 *
 *     a       |    page 0   |      page 1     |
 *     b       | page 0 |   page 1  |  page 2  |
 *     ranges  |   1    | 2  |  3   |    4     |
 */
static lam_status cut_by_pages(lam_pruned_group *group, lam_error *error) {
    for (uint64_t row = 0; row < group->row_count;) {
        uint64_t border = lam_pruned_next_border(group);
        lam_outcome_set set = lam_pruned_outcomes(group, true);
        LAM_TRY(lam_prune_watch_concluded(group, LAM_PRUNING_PAGES, row, border, set, error));
        if ((set & LAM_MAY_BE_TRUE) != 0)
            LAM_TRY(add_range(group->prune, row, border, set == LAM_MAY_BE_TRUE, error));
        lam_pruned_pass_border(group, border);
        row = border;
    }
    return LAM_STATUS_OK;
}

/* Whether any row of a page is in a range. `*at` moves forward only: pages and ranges both rise. */
static bool is_page_kept(const lam_row_prune *prune, uint64_t begin, uint64_t end, size_t *at) {
    while (*at < lam_row_prune_count(prune) && lam_row_prune_at(prune, *at).end <= begin)
        ++*at;
    return *at < lam_row_prune_count(prune) && lam_row_prune_at(prune, *at).begin < end;
}

/* Counts the pages of all columns, and those that the ranges leave out, for the report. */
static void count_pages(lam_pruned_group *group) {
    for (size_t i = 0; i < group->column_count; i++) {
        const lam_trusted_metadata *index = &group->columns[i].index;
        size_t at = 0;
        group->prune->page_count += index->page_count;
        for (size_t page = 0; page < index->page_count; page++)
            group->prune->pages_pruned +=
                !is_page_kept(group->prune, lam_trusted_metadata_first_row(index, page),
                              lam_trusted_metadata_first_row(index, page + 1), &at);
    }
}

/* --- Row groups ---------------------------------------------------------------------------- */

/*
 * Runs the stages, the cheapest first, until one decides all rows. `cause` is the stage that ran
 * last.
 */
static lam_status prune_group(lam_pruned_group *group, bool by_pages, lam_error *error) {
    lam_row_prune *prune = group->prune;
    LAM_TRY(row_read_indexes(group, false, false, error));
    lam_outcome_set set = lam_pruned_outcomes(group, false);
    prune->cause = LAM_PRUNE_STATISTICS;
    LAM_TRY(
        lam_prune_watch_concluded(group, LAM_PRUNING_STATISTICS, 0, group->row_count, set, error));
    if ((set & LAM_MAY_BE_TRUE) == 0)
        return LAM_STATUS_OK;
    if (set == LAM_MAY_BE_TRUE)
        return add_range(prune, 0, group->row_count, true, error);
    LAM_TRY(row_read_indexes(group, true, false, error));
    prune->cause = LAM_PRUNE_BLOOM;
    set = lam_pruned_outcomes(group, false);
    LAM_TRY(lam_prune_watch_concluded(group, LAM_PRUNING_BLOOM, 0, group->row_count, set, error));
    if ((set & LAM_MAY_BE_TRUE) == 0)
        return LAM_STATUS_OK;
    if (!by_pages)
        return add_range(prune, 0, group->row_count, false, error);
    LAM_TRY(row_read_indexes(group, false, true, error));
    LAM_TRY(lam_page_borders_prove(group, error));
    prune->cause = LAM_PRUNE_PAGES;
    LAM_TRY(cut_by_pages(group, error));
    count_pages(group);
    return LAM_STATUS_OK;
}

/* Forgets the row group before one of `row_count` rows; the memory is kept. */
static void clear(lam_row_prune *prune, uint64_t row_count) {
    lam_arena_reset(&prune->arena);
    prune->ranges.count = 0;
    prune->rows = 0;
    prune->row_count = row_count;
    prune->columns = NULL;
    prune->column_count = 0;
    prune->page_count = 0;
    prune->pages_pruned = 0;
    prune->bytes_read = 0;
    prune->cause = LAM_PRUNE_NOTHING;
}

lam_status lam_row_prune_nothing(lam_row_prune *prune, uint64_t row_count, lam_error *error) {
    clear(prune, row_count);
    return row_count == 0 ? LAM_STATUS_OK : add_range(prune, 0, row_count, false, error);
}

/* A cause is reported only if no row is left. */
lam_status lam_row_prune_group(lam_row_prune *prune, const lam_reader *reader,
                               const lam_filter *filter, size_t row_group, bool by_pages,
                               lam_error *error) {
    lam_pruned_group group = {0};
    group.prune = prune;
    group.reader = reader;
    group.filter = filter;
    group.row_group = row_group;
    group.row_count = lam_reader_rows_of_group(reader, row_group);
    clear(prune, group.row_count);
    if (group.row_count == 0)
        return LAM_STATUS_OK;
    lam_claimed_bytes_move(&prune->claimed, reader, row_group);
    LAM_TRY(row_allocate(&group, error));
    LAM_TRY(prune_group(&group, by_pages, error));
    prune->columns = group.columns;
    prune->column_count = group.column_count;
    if (prune->rows > 0)
        prune->cause = LAM_PRUNE_NOTHING;
    return LAM_STATUS_OK;
}

lam_index_use lam_row_prune_index_use(const lam_row_prune *prune, const lam_field *leaf) {
    if (prune->rows == prune->row_count)
        return LAM_INDEX_UNUSED;
    for (size_t i = 0; i < prune->column_count; i++)
        if (prune->columns[i].index.claims.leaf == leaf && prune->columns[i].index.has_bounds)
            return LAM_INDEX_DECIDES;
    return LAM_INDEX_SKIPS;
}

/*
 * All pages that may have wanted rows were opened when the ranges were evaluated, and had the rows
 * that are stated. So no row that another page hides is wanted, unless pages of several columns
 * ruled it out together, or a range was taken unread.
 */
lam_index_use lam_row_prune_later_use(const lam_row_prune *prune, const lam_field *leaf) {
    size_t deciding = 0;
    bool is_evaluated = true;
    for (size_t i = 0; i < prune->column_count; i++)
        deciding += prune->columns[i].index.has_bounds;
    for (size_t i = 0; i < lam_row_prune_count(prune); i++)
        is_evaluated &= !lam_row_prune_at(prune, i).is_wanted;
    if (deciding > 1 || !is_evaluated)
        return lam_row_prune_index_use(prune, leaf);
    return LAM_INDEX_SKIPS;
}
