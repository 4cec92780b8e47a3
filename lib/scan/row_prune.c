#include "scan/row_prune.h"

#include "base/error.h"
#include "scan/part_select.h"

void lam_row_prune_init(lam_row_prune *prune, size_t budget, const lam_allocator *allocator) {
    memset(prune, 0, sizeof *prune);
    lam_arena_init(&prune->arena, allocator, budget);
    lam_buffer_init(&prune->segments, allocator);
}

void lam_row_prune_finish(lam_row_prune *prune) {
    lam_arena_finish(&prune->arena);
    lam_buffer_finish(&prune->segments);
}

/* The row group at hand: an index per test, where tests of one leaf share what was read. */
typedef struct group {
    lam_row_prune *prune;
    const lam_reader *reader;
    const lam_filter *filter;
    size_t row_group;
    uint64_t row_count;
    bool *needs_parts; /* tests that metadata cannot judge here */
    lam_chunk_index *indexes;
    lam_outcome_set *tests; /* of the range at hand */
    lam_outcome_set *stack;
    size_t *pages; /* the page of each test where the range at hand begins */
} group;

static lam_status allocate(group *it, lam_error *error) {
    lam_arena *arena = &it->prune->arena;
    size_t tests = it->filter->test_count;
    void *memory;
    LAM_TRY(lam_arena_array(arena, tests, sizeof(bool), &memory, error));
    it->needs_parts = memory;
    LAM_TRY(lam_arena_array(arena, tests, sizeof(lam_chunk_index), &memory, error));
    it->indexes = memory;
    LAM_TRY(lam_arena_array(arena, tests, sizeof(lam_outcome_set), &memory, error));
    it->tests = memory;
    LAM_TRY(lam_arena_array(arena, it->filter->depth, sizeof(lam_outcome_set), &memory, error));
    it->stack = memory;
    LAM_TRY(lam_arena_array(arena, tests, sizeof(size_t), &memory, error));
    it->pages = memory;
    return LAM_STATUS_OK;
}

/* The first test that asks the leaf of a test and is judged by what the file says of it. */
static size_t first_of_leaf(const group *it, size_t test) {
    size_t same = 0;
    while (it->needs_parts[same] || it->filter->tests[same].leaf != it->filter->tests[test].leaf)
        same++;
    return same;
}

/* Reads more of the indexes of all leaves, each once. */
static lam_status read_indexes(group *it, bool bloom, bool pages, lam_error *error) {
    for (size_t i = 0; i < it->filter->test_count; i++) {
        const lam_field *leaf = it->filter->tests[i].leaf;
        if (it->needs_parts[i]) {
            it->indexes[i].row_count = it->row_count;
            continue;
        }
        size_t same = first_of_leaf(it, i);
        if (same < i) {
            it->indexes[i] = it->indexes[same];
            continue;
        }
        lam_chunk_index before = it->indexes[i];
        lam_chunk_index_parts parts = {pages, pages, bloom ? it->filter : NULL};
        LAM_TRY(lam_chunk_index_read(it->reader, it->row_group, leaf->first_leaf, parts,
                                     &it->prune->arena, &it->indexes[i], error));
        if (!bloom)
            it->indexes[i].bloom = before.bloom;
        it->prune->bytes_read += it->indexes[i].bytes_read;
    }
    return LAM_STATUS_OK;
}

/* Judges a test by what is known of its chunk, or of the page at hand. */
static lam_outcome_set judge_test(const group *it, size_t test, bool by_page) {
    const lam_chunk_index *index = &it->indexes[test];
    if (it->needs_parts[test])
        return LAM_MAY_BE_ANY;
    lam_filter_facts facts = by_page && index->has_bounds
                                 ? lam_chunk_index_page_facts(index, it->pages[test])
                                 : lam_chunk_index_facts(index);
    return lam_filter_judge_test(&it->filter->tests[test], &facts);
}

static lam_outcome_set judge_all(group *it, bool by_page) {
    for (size_t i = 0; i < it->filter->test_count; i++)
        it->tests[i] = judge_test(it, i, by_page);
    return lam_filter_judge(it->filter, it->tests, it->stack);
}

/* --- Pages --------------------------------------------------------------------------------- */

static lam_status add_segment(lam_row_prune *prune, uint64_t begin, uint64_t end, bool is_wanted,
                              lam_error *error) {
    size_t count = lam_row_prune_count(prune);
    lam_row_segment *segments = (lam_row_segment *)(void *)prune->segments.data;
    lam_row_segment *last = count > 0 ? &segments[count - 1] : NULL;
    prune->rows += end - begin;
    if (last != NULL && last->end == begin && last->is_wanted == is_wanted) {
        last->end = end;
        return LAM_STATUS_OK;
    }
    lam_row_segment segment = {begin, end, is_wanted};
    return lam_buffer_append(&prune->segments, &segment, sizeof segment, error);
}

/* Where the next page of any test begins. */
static uint64_t next_border(const group *it) {
    uint64_t border = it->row_count;
    for (size_t i = 0; i < it->filter->test_count; i++) {
        uint64_t next = lam_chunk_index_first_row(&it->indexes[i], it->pages[i] + 1);
        border = next < border ? next : border;
    }
    return border;
}

static void pass_border(group *it, uint64_t border) {
    for (size_t i = 0; i < it->filter->test_count; i++)
        while (it->pages[i] < it->indexes[i].page_count &&
               lam_chunk_index_first_row(&it->indexes[i], it->pages[i] + 1) <= border)
            it->pages[i]++;
}

static lam_status cut_by_pages(group *it, lam_error *error) {
    for (uint64_t row = 0; row < it->row_count;) {
        uint64_t border = next_border(it);
        lam_outcome_set set = judge_all(it, true);
        if ((set & LAM_MAY_BE_TRUE) != 0)
            LAM_TRY(add_segment(it->prune, row, border, set == LAM_MAY_BE_TRUE, error));
        pass_border(it, border);
        row = border;
    }
    return LAM_STATUS_OK;
}

/* Whether rows of the page are in a segment; segments before `*at` end before the page. */
static bool is_page_kept(const lam_row_prune *prune, uint64_t begin, uint64_t end, size_t *at) {
    while (*at < lam_row_prune_count(prune) && lam_row_prune_at(prune, *at).end <= begin)
        ++*at;
    return *at < lam_row_prune_count(prune) && lam_row_prune_at(prune, *at).begin < end;
}

static void count_pages(group *it) {
    for (size_t i = 0; i < it->filter->test_count; i++) {
        size_t at = 0;
        if (it->needs_parts[i] || first_of_leaf(it, i) < i)
            continue;
        const lam_chunk_index *index = &it->indexes[i];
        it->prune->page_count += index->page_count;
        for (size_t page = 0; page < index->page_count; page++)
            it->prune->pages_pruned +=
                !is_page_kept(it->prune, lam_chunk_index_first_row(index, page),
                              lam_chunk_index_first_row(index, page + 1), &at);
    }
}

/* --- Row groups ---------------------------------------------------------------------------- */

/* The cheapest knowledge first; each stage ends the matter when it can. */
static lam_status prune_group(group *it, lam_error *error) {
    lam_row_prune *prune = it->prune;
    LAM_TRY(read_indexes(it, false, false, error));
    lam_outcome_set set = judge_all(it, false);
    prune->cause = LAM_PRUNE_STATISTICS;
    if ((set & LAM_MAY_BE_TRUE) == 0)
        return LAM_STATUS_OK;
    if (set == LAM_MAY_BE_TRUE)
        return add_segment(prune, 0, it->row_count, true, error);
    LAM_TRY(read_indexes(it, true, false, error));
    prune->cause = LAM_PRUNE_BLOOM;
    if ((judge_all(it, false) & LAM_MAY_BE_TRUE) == 0)
        return LAM_STATUS_OK;
    LAM_TRY(read_indexes(it, false, true, error));
    prune->cause = LAM_PRUNE_PAGES;
    LAM_TRY(cut_by_pages(it, error));
    count_pages(it);
    return LAM_STATUS_OK;
}

static void clear(lam_row_prune *prune) {
    lam_arena_reset(&prune->arena);
    lam_buffer_clear(&prune->segments);
    prune->rows = 0;
    prune->page_count = 0;
    prune->pages_pruned = 0;
    prune->bytes_read = 0;
    prune->cause = LAM_PRUNE_NOTHING;
}

lam_status lam_row_prune_nothing(lam_row_prune *prune, uint64_t row_count, lam_error *error) {
    clear(prune);
    return row_count == 0 ? LAM_STATUS_OK : add_segment(prune, 0, row_count, false, error);
}

lam_status lam_row_prune_group(lam_row_prune *prune, const lam_reader *reader,
                               const lam_filter *filter, size_t row_group, lam_error *error) {
    group it = {0};
    it.prune = prune;
    it.reader = reader;
    it.filter = filter;
    it.row_group = row_group;
    it.row_count = (uint64_t)reader->footer.meta.row_groups.items[row_group].num_rows;
    clear(prune);
    if (it.row_count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(allocate(&it, error));
    LAM_TRY(lam_part_choose(reader, filter, row_group, true, it.needs_parts, error));
    LAM_TRY(prune_group(&it, error));
    if (prune->rows > 0)
        prune->cause = LAM_PRUNE_NOTHING;
    return LAM_STATUS_OK;
}
