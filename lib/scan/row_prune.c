#include "scan/row_prune.h"

#include "base/error.h"
#include "filter/filter_path.h"

void lam_row_prune_init(lam_row_prune *prune, size_t budget, const lam_allocator *allocator) {
    memset(prune, 0, sizeof *prune);
    lam_arena_init(&prune->arena, allocator, budget);
    lam_buffer_init(&prune->ranges, allocator);
}

void lam_row_prune_finish(lam_row_prune *prune) {
    lam_arena_finish(&prune->arena);
    lam_buffer_finish(&prune->ranges);
}

/* A column that is asked for what the file says of it. */
typedef struct pruning_column {
    lam_trusted_metadata index; /* its leaf, too */
    size_t page;                /* where the range at hand begins */
    bool is_compared;           /* by a test; else it is only a residual */
} pruning_column;

/* A test, and the columns that it asks; none where the file cannot tell. */
typedef struct pruning_test {
    const pruning_column *leaf;
    const pruning_column **residuals; /* without values the test is that of the leaf */
    size_t residual_count;
} pruning_test;

/* The row group at hand. */
typedef struct pruned_group {
    lam_row_prune *prune;
    const lam_reader *reader;
    const lam_filter *filter;
    size_t row_group;
    uint64_t row_count;
    pruning_column *columns; /* each leaf once */
    size_t column_count;
    pruning_test *pruning;
    lam_outcome_set *tests; /* of the range at hand */
    lam_outcome_set *stack;
} pruned_group;

static pruning_column *add_column(pruned_group *group, const lam_field *leaf) {
    size_t i = 0;
    while (i < group->column_count && group->columns[i].index.claims.leaf != leaf)
        i++;
    group->columns[i].index.claims.leaf = leaf;
    group->column_count += i == group->column_count;
    return &group->columns[i];
}

static size_t count_residuals(const lam_filter_test *test) {
    size_t count = 0;
    for (size_t i = 0; test->path != NULL && i <= test->path->column_path_length; i++)
        count += test->path->residuals[i].value != NULL;
    return count;
}

static lam_status add_test(pruned_group *group, size_t number, lam_error *error) {
    const lam_filter_test *test = &group->filter->tests[number];
    const lam_filter_path *path = test->path;
    pruning_test *pruning = &group->pruning[number];
    void *memory;
    if (path != NULL && !path->has_leaf_test)
        return LAM_STATUS_OK;
    pruning_column *leaf = add_column(group, test->leaf);
    leaf->is_compared = true;
    pruning->leaf = leaf;
    LAM_TRY(lam_arena_array(&group->prune->arena, count_residuals(test), sizeof(pruning_column *),
                            &memory, error));
    pruning->residuals = memory;
    for (size_t i = 0; path != NULL && i <= path->column_path_length; i++)
        if (path->residuals[i].value != NULL)
            pruning->residuals[pruning->residual_count++] =
                add_column(group, path->residuals[i].value);
    return LAM_STATUS_OK;
}

static lam_status row_allocate(pruned_group *group, lam_error *error) {
    lam_arena *arena = &group->prune->arena;
    size_t tests = group->filter->test_count, columns = tests;
    void *memory;
    for (size_t i = 0; i < tests; i++)
        columns += count_residuals(&group->filter->tests[i]);
    LAM_TRY(lam_arena_array(arena, columns, sizeof(pruning_column), &memory, error));
    group->columns = memory;
    LAM_TRY(lam_arena_array(arena, tests, sizeof(pruning_test), &memory, error));
    group->pruning = memory;
    LAM_TRY(lam_arena_array(arena, tests, sizeof(lam_outcome_set), &memory, error));
    group->tests = memory;
    LAM_TRY(lam_arena_array(arena, group->filter->depth, sizeof(lam_outcome_set), &memory, error));
    group->stack = memory;
    for (size_t i = 0; i < tests; i++)
        LAM_TRY(add_test(group, i, error));
    return LAM_STATUS_OK;
}

/* Reads more of the indexes of all columns. */
static lam_status row_read_indexes(pruned_group *group, bool bloom, bool pages, lam_error *error) {
    for (size_t i = 0; i < group->column_count; i++) {
        pruning_column *column = &group->columns[i];
        lam_trusted_metadata before = column->index;
        lam_trusted_metadata_kinds kinds = {pages, pages,
                                            bloom && column->is_compared ? group->filter : NULL};
        LAM_TRY(lam_trusted_metadata_read(group->reader, group->row_group,
                                          before.claims.leaf->first_leaf, kinds,
                                          &group->prune->arena, &column->index, error));
        if (!bloom)
            column->index.bloom = before.bloom;
        group->prune->bytes_read += column->index.bytes_read;
    }
    return LAM_STATUS_OK;
}

/* What is known of a column's chunk, or of its page at hand. */
static lam_filter_facts facts_of(const pruning_column *column, bool by_page) {
    return by_page && column->index.has_bounds
               ? lam_trusted_metadata_page_facts(&column->index, column->page)
               : lam_trusted_metadata_facts(&column->index);
}

static lam_outcome_set row_judge_test(const pruned_group *group, size_t number, bool by_page) {
    const pruning_test *pruning = &group->pruning[number];
    lam_filter_facts facts;
    if (pruning->leaf == NULL)
        return LAM_MAY_BE_ANY;
    for (size_t i = 0; i < pruning->residual_count; i++) {
        facts = facts_of(pruning->residuals[i], by_page);
        if (!lam_filter_facts_all_null(&facts))
            return LAM_MAY_BE_ANY;
    }
    facts = facts_of(pruning->leaf, by_page);
    return lam_filter_judge_test(&group->filter->tests[number], &facts);
}

static lam_outcome_set judge_all(pruned_group *group, bool by_page) {
    for (size_t i = 0; i < group->filter->test_count; i++)
        group->tests[i] = row_judge_test(group, i, by_page);
    return lam_filter_judge(group->filter, group->tests, group->stack);
}

/* --- Pages --------------------------------------------------------------------------------- */

static lam_status add_range(lam_row_prune *prune, uint64_t begin, uint64_t end, bool is_wanted,
                            lam_error *error) {
    size_t count = lam_row_prune_count(prune);
    lam_candidate_range *ranges = (lam_candidate_range *)(void *)prune->ranges.data;
    lam_candidate_range *last = count > 0 ? &ranges[count - 1] : NULL;
    prune->rows += end - begin;
    if (last != NULL && last->end == begin && last->is_wanted == is_wanted) {
        last->end = end;
        return LAM_STATUS_OK;
    }
    lam_candidate_range range = {begin, end, is_wanted};
    return lam_buffer_append(&prune->ranges, &range, sizeof range, error);
}

/* Where the next page of any column begins. */
static uint64_t next_border(const pruned_group *group) {
    uint64_t border = group->row_count;
    for (size_t i = 0; i < group->column_count; i++) {
        const pruning_column *column = &group->columns[i];
        uint64_t next = lam_trusted_metadata_first_row(&column->index, column->page + 1);
        border = next < border ? next : border;
    }
    return border;
}

static void pass_border(pruned_group *group, uint64_t border) {
    for (size_t i = 0; i < group->column_count; i++) {
        pruning_column *column = &group->columns[i];
        while (column->page < column->index.page_count &&
               lam_trusted_metadata_first_row(&column->index, column->page + 1) <= border)
            column->page++;
    }
}

static lam_status cut_by_pages(pruned_group *group, lam_error *error) {
    for (uint64_t row = 0; row < group->row_count;) {
        uint64_t border = next_border(group);
        lam_outcome_set set = judge_all(group, true);
        if ((set & LAM_MAY_BE_TRUE) != 0)
            LAM_TRY(add_range(group->prune, row, border, set == LAM_MAY_BE_TRUE, error));
        pass_border(group, border);
        row = border;
    }
    return LAM_STATUS_OK;
}

/* Whether rows of the page are in a range; ranges before `*at` end before the page. */
static bool is_page_kept(const lam_row_prune *prune, uint64_t begin, uint64_t end, size_t *at) {
    while (*at < lam_row_prune_count(prune) && lam_row_prune_at(prune, *at).end <= begin)
        ++*at;
    return *at < lam_row_prune_count(prune) && lam_row_prune_at(prune, *at).begin < end;
}

static void count_pages(pruned_group *group) {
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

/* The cheapest knowledge first; each stage ends the matter when it can. */
static lam_status prune_group(pruned_group *group, lam_error *error) {
    lam_row_prune *prune = group->prune;
    LAM_TRY(row_read_indexes(group, false, false, error));
    lam_outcome_set set = judge_all(group, false);
    prune->cause = LAM_PRUNE_STATISTICS;
    if ((set & LAM_MAY_BE_TRUE) == 0)
        return LAM_STATUS_OK;
    if (set == LAM_MAY_BE_TRUE)
        return add_range(prune, 0, group->row_count, true, error);
    LAM_TRY(row_read_indexes(group, true, false, error));
    prune->cause = LAM_PRUNE_BLOOM;
    if ((judge_all(group, false) & LAM_MAY_BE_TRUE) == 0)
        return LAM_STATUS_OK;
    LAM_TRY(row_read_indexes(group, false, true, error));
    prune->cause = LAM_PRUNE_PAGES;
    LAM_TRY(cut_by_pages(group, error));
    count_pages(group);
    return LAM_STATUS_OK;
}

static void clear(lam_row_prune *prune) {
    lam_arena_reset(&prune->arena);
    lam_buffer_clear(&prune->ranges);
    prune->rows = 0;
    prune->page_count = 0;
    prune->pages_pruned = 0;
    prune->bytes_read = 0;
    prune->cause = LAM_PRUNE_NOTHING;
}

lam_status lam_row_prune_nothing(lam_row_prune *prune, uint64_t row_count, lam_error *error) {
    clear(prune);
    return row_count == 0 ? LAM_STATUS_OK : add_range(prune, 0, row_count, false, error);
}

lam_status lam_row_prune_group(lam_row_prune *prune, const lam_reader *reader,
                               const lam_filter *filter, size_t row_group, lam_error *error) {
    pruned_group group = {0};
    group.prune = prune;
    group.reader = reader;
    group.filter = filter;
    group.row_group = row_group;
    group.row_count = (uint64_t)reader->footer.meta.row_groups.items[row_group].num_rows;
    clear(prune);
    if (group.row_count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(row_allocate(&group, error));
    LAM_TRY(prune_group(&group, error));
    if (prune->rows > 0)
        prune->cause = LAM_PRUNE_NOTHING;
    return LAM_STATUS_OK;
}
