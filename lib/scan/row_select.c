#include "scan/row_select.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "scan/part_select.h"
#include "schema/leaf_error.h"

enum {
    BATCH_ROWS = 4096,      /* whose outcomes are kept at once */
    BATCH_TRIPLES = 4096,   /* read at once */
    BATCH_BYTES = 256 << 10 /* of their values, unless one value is larger */
};

/* A column that the filter asks, and the tests that ask it. */
typedef struct asked_column {
    const lam_field *leaf;
    lam_chunk_reader *chunk;
    uint64_t row; /* where the chunk stands */
    size_t room;  /* triples */
    uint8_t *repetition;
    uint8_t *definition;
    void *values;
    uint32_t *indexes;
    uint8_t *matches;
} asked_column;

typedef struct selection {
    lam_allocator allocator;
    lam_arena arena;
    const lam_reader *reader;
    const lam_filter *filter;
    size_t row_group;
    lam_page_store *pages;  /* for those who read the columns again */
    bool has_gaps;          /* metadata ruled rows out */
    asked_column *columns;  /* one per test; those of one leaf share the first one's */
    size_t *owner;          /* the column of each test; itself for one that needs parts */
    bool *needs_parts;      /* tests that ask more columns than their leaf */
    lam_part_select *parts; /* what they ask; NULL when there is none */
    uint8_t **outcomes;     /* BATCH_ROWS per test */
    uint8_t **entries;      /* per test, whether each entry of the dictionary matches, or NULL */
    uint8_t *stack;
    lam_outcome_set *sets; /* what each test can be in the rows at hand, or in all of them */
} selection;

/* --- Opening ------------------------------------------------------------------------------- */

/* Opens a column; what the page index is read for here is not counted. */
static lam_status open_chunk(selection *it, asked_column *column, lam_error *error) {
    uint64_t unused = 0;
    return lam_chunk_open(it->reader, it->row_group, column->leaf->first_leaf, it->has_gaps,
                          &it->arena, &unused, &column->chunk, error);
}

static lam_status open_column(selection *it, size_t test, lam_error *error) {
    asked_column *column = &it->columns[test];
    const lam_field *leaf = it->filter->tests[test].leaf;
    size_t element = lam_element_size(leaf), size;
    void *memory;
    column->leaf = leaf;
    column->room = element == 0 || BATCH_BYTES / element > BATCH_TRIPLES ? BATCH_TRIPLES
                   : BATCH_BYTES / element == 0                          ? 1
                                                                         : BATCH_BYTES / element;
    LAM_TRY(open_chunk(it, column, error));
    LAM_TRY(lam_chunk_reader_put_pages(column->chunk, it->pages, error));
    if (!lam_mul_size(column->room, element, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a value of %zu bytes", element);
    LAM_TRY(lam_arena_alloc(&it->arena, size, &column->values, error));
    LAM_TRY(lam_arena_array(&it->arena, column->room, sizeof(uint32_t), &memory, error));
    column->indexes = memory;
    LAM_TRY(lam_arena_bytes(&it->arena, column->room, &column->repetition, error));
    LAM_TRY(lam_arena_bytes(&it->arena, column->room, &column->definition, error));
    return lam_arena_bytes(&it->arena, column->room, &column->matches, error);
}

static lam_status open_test(selection *it, size_t test, lam_error *error) {
    const lam_field *leaf = it->filter->tests[test].leaf;
    size_t owner = 0;
    LAM_TRY(lam_arena_bytes(&it->arena, BATCH_ROWS, &it->outcomes[test], error));
    it->owner[test] = test;
    if (it->needs_parts[test])
        return LAM_STATUS_OK;
    while (it->needs_parts[owner] || it->filter->tests[owner].leaf != leaf)
        owner++;
    it->owner[test] = owner;
    return owner == test ? open_column(it, test, error) : LAM_STATUS_OK;
}

static lam_status open_all(selection *it, bool trusts_stats, lam_error *error) {
    size_t tests = it->filter->test_count, size;
    void *memory;
    LAM_TRY(lam_arena_array(&it->arena, tests, sizeof(asked_column), &memory, error));
    it->columns = memory;
    LAM_TRY(lam_arena_array(&it->arena, tests, sizeof(size_t), &memory, error));
    it->owner = memory;
    LAM_TRY(lam_arena_array(&it->arena, tests, sizeof(uint8_t *), &memory, error));
    it->outcomes = memory;
    LAM_TRY(lam_arena_array(&it->arena, tests, sizeof(uint8_t *), &memory, error));
    it->entries = memory;
    LAM_TRY(lam_arena_array(&it->arena, tests, sizeof(lam_outcome_set), &memory, error));
    it->sets = memory;
    LAM_TRY(lam_arena_array(&it->arena, tests, sizeof(bool), &memory, error));
    it->needs_parts = memory;
    if (!lam_mul_size(it->filter->depth, BATCH_ROWS, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu conditions", it->filter->depth);
    LAM_TRY(lam_arena_bytes(&it->arena, size, &it->stack, error));
    LAM_TRY(lam_part_choose(it->reader, it->filter, it->row_group, trusts_stats, it->needs_parts,
                            error));
    for (size_t i = 0; i < tests; i++)
        LAM_TRY(open_test(it, i, error));
    if (memchr(it->needs_parts, true, tests) == NULL)
        return LAM_STATUS_OK;
    return lam_part_select_create(it->reader, it->filter, it->needs_parts, it->row_group,
                                  it->has_gaps, it->pages, &it->parts, error);
}

/* The pages that the columns hold at the end are read again, too. */
static lam_status keep_last_pages(selection *it, lam_error *error) {
    for (size_t i = 0; it->columns != NULL && i < it->filter->test_count; i++)
        if (it->columns[i].chunk != NULL)
            LAM_TRY(lam_chunk_reader_put_last_pages(it->columns[i].chunk, error));
    return lam_part_select_put_last_pages(it->parts, error);
}

static void close_all(selection *it) {
    for (size_t i = 0; it->columns != NULL && i < it->filter->test_count; i++)
        lam_chunk_reader_destroy(it->columns[i].chunk);
    lam_part_select_destroy(it->parts);
    lam_arena_finish(&it->arena);
}

/* --- Matching ------------------------------------------------------------------------------ */

/* Whether each entry of the dictionary matches, found out once. */
static lam_status match_entries(selection *it, size_t test, const lam_dictionary *dictionary,
                                lam_error *error) {
    if (it->entries[test] != NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_arena_bytes(&it->arena, dictionary->count, &it->entries[test], error));
    lam_filter_match_values(&it->filter->tests[test], dictionary->values, dictionary->count,
                            it->entries[test]);
    return LAM_STATUS_OK;
}

static lam_status match_part(selection *it, const asked_column *column, size_t test,
                             const lam_chunk_part *part, lam_filter_rows *rows, lam_error *error) {
    const lam_filter_test *asked = &it->filter->tests[test];
    lam_triples triples = {.count = part->count, .value_count = part->value_count};
    triples.repetition = part->has_repetition ? column->repetition : NULL;
    triples.definition = part->has_definition ? column->definition : NULL;
    if (lam_filter_asks_values(asked) && part->is_dictionary && part->value_count > 0) {
        LAM_TRY(match_entries(it, test, lam_chunk_reader_dictionary(column->chunk), error));
        for (size_t i = 0; i < part->value_count; i++)
            column->matches[i] = it->entries[test][column->indexes[i]];
    } else if (lam_filter_asks_values(asked)) {
        lam_filter_match_values(asked, column->values, part->value_count, column->matches);
    }
    lam_filter_match_rows(asked, &triples, column->matches, rows);
    return LAM_STATUS_OK;
}

static bool column_asks_values(const selection *it, size_t owner) {
    for (size_t test = owner; test < it->filter->test_count; test++)
        if (it->owner[test] == owner && lam_filter_asks_values(&it->filter->tests[test]))
            return true;
    return false;
}

static lam_status read_values(selection *it, size_t owner, const lam_chunk_part *part,
                              lam_error *error) {
    asked_column *column = &it->columns[owner];
    if (!column_asks_values(it, owner))
        return lam_chunk_reader_skip_values(column->chunk, part->value_count, error);
    if (part->is_dictionary)
        return lam_chunk_reader_read_indexes(column->chunk, part->value_count, column->indexes,
                                             error);
    return lam_chunk_reader_read_values(column->chunk, part->value_count, column->values, error);
}

/* Gives a part to all tests of its column. */
static lam_status match_all(selection *it, size_t owner, const lam_chunk_part *part,
                            size_t *records, lam_error *error) {
    asked_column *column = &it->columns[owner];
    size_t after = *records;
    LAM_TRY(read_values(it, owner, part, error));
    for (size_t test = owner; test < it->filter->test_count; test++) {
        if (it->owner[test] != owner)
            continue;
        lam_filter_rows rows = {*records, it->outcomes[test]};
        LAM_TRY(match_part(it, column, test, part, &rows, error));
        after = rows.records;
    }
    *records = after;
    return LAM_STATUS_OK;
}

/* Reads the rows of one column, which begin at `row`, to the end of the last one. */
static lam_status read_column(selection *it, size_t owner, uint64_t row, size_t count,
                              lam_error *error) {
    asked_column *column = &it->columns[owner];
    lam_chunk_part part = {.count = 1};
    size_t records = 0;
    LAM_TRY(lam_chunk_reader_skip_rows(column->chunk, row - column->row, error));
    while (part.count > 0) {
        LAM_TRY(lam_chunk_reader_read_levels(column->chunk, column->room, count - records,
                                             column->repetition, column->definition, &part, error));
        if (part.count > 0)
            LAM_TRY(match_all(it, owner, &part, &records, error));
    }
    if (records != count)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "the column ends before the last row of its row group");
    column->row = row + count;
    return LAM_STATUS_OK;
}

/* Whether the condition can still be true, as the sets have it. */
static bool may_be_wanted(const selection *it) {
    return (lam_filter_judge(it->filter, it->sets, it->stack) & LAM_MAY_BE_TRUE) != 0;
}

/* Which outcomes a column's tests have in the rows at hand. */
static void collect_outcomes(selection *it, size_t owner, size_t count) {
    for (size_t test = owner; test < it->filter->test_count; test++) {
        if (it->owner[test] != owner)
            continue;
        it->sets[test] = 0;
        for (int outcome = LAM_OUTCOME_FALSE; outcome <= LAM_OUTCOME_TRUE; outcome++)
            if (memchr(it->outcomes[test], outcome, count) != NULL)
                it->sets[test] |= (lam_outcome_set)(1 << outcome);
    }
}

/*
 * Reads the columns that the filter asks one after the other, and what takes several of them last;
 * when those before rule all rows out, the others pass over them later, with all that lies between.
 */
static lam_status read_columns(selection *it, uint64_t row, size_t count, bool *ret_wanted,
                               lam_error *error) {
    size_t tests = it->filter->test_count;
    bool wanted = true;
    memset(it->sets, LAM_MAY_BE_ANY, tests);
    for (size_t test = 0; wanted && test < tests; test++) {
        if (it->owner[test] != test || it->needs_parts[test])
            continue;
        lam_status status = read_column(it, test, row, count, error);
        if (status != LAM_STATUS_OK) {
            lam_error_at_leaf(error, it->row_group, it->columns[test].leaf);
            return status;
        }
        collect_outcomes(it, test, count);
        wanted = may_be_wanted(it);
    }
    if (wanted && it->parts != NULL)
        LAM_TRY(lam_part_select_rows(it->parts, row, count, it->outcomes, error));
    *ret_wanted = wanted;
    return LAM_STATUS_OK;
}

static lam_status select_batch(selection *it, uint64_t row, size_t count, lam_row_ranges *ranges,
                               lam_error *error) {
    bool wanted;
    for (size_t test = 0; test < it->filter->test_count; test++)
        memset(it->outcomes[test], LAM_OUTCOME_FALSE, count);
    LAM_TRY(read_columns(it, row, count, &wanted, error));
    if (!wanted)
        return LAM_STATUS_OK;
    lam_filter_run(it->filter, (const uint8_t *const *)it->outcomes, count, it->stack);
    for (size_t i = 0; i < count;) {
        const uint8_t *first = memchr(it->stack + i, LAM_OUTCOME_TRUE, count - i);
        if (first == NULL)
            break;
        size_t begin = (size_t)(first - it->stack), end = begin;
        while (end < count && it->stack[end] == LAM_OUTCOME_TRUE)
            end++;
        LAM_TRY(lam_row_ranges_add(ranges, row + begin, row + end, error));
        i = end;
    }
    return LAM_STATUS_OK;
}

static lam_status select_segment(selection *it, lam_row_segment segment, lam_row_ranges *ranges,
                                 lam_error *error) {
    if (segment.is_wanted)
        return lam_row_ranges_add(ranges, segment.begin, segment.end, error);
    for (uint64_t row = segment.begin; row < segment.end;) {
        uint64_t left = segment.end - row;
        size_t count = left < BATCH_ROWS ? (size_t)left : BATCH_ROWS;
        LAM_TRY(select_batch(it, row, count, ranges, error));
        row += count;
        lam_page_store_settle(it->pages, row, lam_row_ranges_end(ranges));
    }
    return LAM_STATUS_OK;
}

/* True when metadata could tell of all rows that are left. */
static bool all_wanted(const lam_row_prune *prune) {
    for (size_t i = 0; i < lam_row_prune_count(prune); i++)
        if (!lam_row_prune_at(prune, i).is_wanted)
            return false;
    return true;
}

/* --- Dictionaries -------------------------------------------------------------------------- */

/* Whether the footer says that all data pages of the chunk are dictionary encoded. */
static bool is_all_dictionary(const selection *it, const lam_field *leaf) {
    const lam_meta_column *column;
    bool any = false;
    if (lam_reader_find_column(it->reader, it->row_group, leaf->first_leaf, &column, NULL) !=
            LAM_STATUS_OK ||
        (column->has & LAM_META_COLUMN_HAS_ENCODING_STATS) == 0)
        return false;
    for (uint32_t i = 0; i < column->encoding_stats.count; i++) {
        const lam_meta_page_encoding_stats *stats = &column->encoding_stats.items[i];
        bool is_data = stats->page_type == LAM_PAGE_DATA || stats->page_type == LAM_PAGE_DATA_V2;
        if (is_data && stats->count != 0 && stats->encoding != LAM_ENCODING_PLAIN_DICTIONARY &&
            stats->encoding != LAM_ENCODING_RLE_DICTIONARY)
            return false;
        any |= is_data && stats->count > 0;
    }
    return any;
}

/* What a test can be when the dictionary has all values that there are. */
static lam_outcome_set judge_entries(const selection *it, size_t test, size_t count) {
    const lam_field *leaf = it->filter->tests[test].leaf;
    lam_outcome_set set = 0;
    if (leaf->max_definition > 0)
        set |= LAM_MAY_BE_UNKNOWN;
    if (leaf->max_repetition > 0 || memchr(it->entries[test], 0, count) != NULL)
        set |= LAM_MAY_BE_FALSE;
    if (memchr(it->entries[test], 1, count) != NULL)
        set |= LAM_MAY_BE_TRUE;
    return set;
}

static lam_status judge_test(selection *it, size_t test, lam_outcome_set *ret_set,
                             lam_error *error) {
    const lam_filter_test *asked = &it->filter->tests[test];
    lam_chunk_reader *chunk = it->columns[it->owner[test]].chunk;
    *ret_set = LAM_MAY_BE_ANY;
    if (it->needs_parts[test] || !lam_filter_asks_values(asked) ||
        !is_all_dictionary(it, asked->leaf))
        return LAM_STATUS_OK;
    lam_status status = lam_chunk_reader_load_dictionary(chunk, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_leaf(error, it->row_group, asked->leaf);
    LAM_TRY(status);
    const lam_dictionary *dictionary = lam_chunk_reader_dictionary(chunk);
    if (dictionary == NULL || dictionary->count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(match_entries(it, test, dictionary, error));
    *ret_set = judge_entries(it, test, dictionary->count);
    return LAM_STATUS_OK;
}

/* Whether the values of the dictionaries leave anything to be wanted. */
static lam_status judge_dictionaries(selection *it, bool *ret_wanted, lam_error *error) {
    for (size_t i = 0; i < it->filter->test_count; i++)
        LAM_TRY(judge_test(it, i, &it->sets[i], error));
    *ret_wanted = may_be_wanted(it);
    return LAM_STATUS_OK;
}

/* ------------------------------------------------------------------------------------------- */

lam_status lam_row_select(const lam_reader *reader, const lam_filter *filter, size_t row_group,
                          const lam_row_prune *prune, bool trusts_stats, lam_page_store *pages,
                          lam_row_ranges *ranges, lam_row_selection *ret_selection,
                          lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_row_selection result = {0};
    bool is_open = !all_wanted(prune), wanted = true;
    selection it;
    memset(&it, 0, sizeof it);
    it.reader = reader;
    it.filter = filter;
    it.row_group = row_group;
    it.pages = pages;
    it.has_gaps = prune->rows < (uint64_t)reader->footer.meta.row_groups.items[row_group].num_rows;
    lam_arena_init(&it.arena, &reader->allocator, 0);
    if (is_open)
        LAM_TRY_OUT(open_all(&it, trusts_stats, error));
    if (is_open && trusts_stats)
        LAM_TRY_OUT(judge_dictionaries(&it, &wanted, error));
    for (size_t i = 0; wanted && i < lam_row_prune_count(prune); i++)
        LAM_TRY_OUT(select_segment(&it, lam_row_prune_at(prune, i), ranges, error));
    for (size_t i = 0; is_open && i < filter->test_count; i++)
        if (it.columns[i].chunk != NULL)
            result.page_bytes += lam_chunk_reader_page_bytes(it.columns[i].chunk);
    result.page_bytes += lam_part_select_page_bytes(it.parts);
    LAM_TRY_OUT(keep_last_pages(&it, error));
    result.by_dictionary = !wanted;
    *ret_selection = result;
out:
    close_all(&it);
    return status;
}
