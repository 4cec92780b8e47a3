/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the rows of a row group that a filter wants by reading the columns that the filter names:
 * takes the ranges that metadata could not rule out, and gives exact ranges of wanted rows.
 *
 *     candidate range -> batches of 4096 rows -> levels, values of each column
 *                                             -> outcomes of its tests -> the program -> ranges
 *
 * Each column is read once for all its tests. Within a batch columns are read one after the other:
 * as soon as those read so far rule out every row, the others stay and skip the batch later. Values
 * in a dictionary are matched by entry: each entry is compared once per chunk, and indexes are
 * looked up. Uncompressed pages with wanted rows stay in the page cache for the reader that comes
 * next. The invariant: the outcome of a row that is read depends on its values alone.
 */
#include "scan/evaluate/filter_evaluation.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "scan/evaluate/walk_evaluation.h"

enum {
    FILTER_EVALUATION_BATCH_ROWS = 4096,      /* rows whose outcomes are kept at once */
    FILTER_EVALUATION_BATCH_TRIPLES = 4096,   /* triples read at once */
    FILTER_EVALUATION_BATCH_BYTES = 256 << 10 /* of their values, unless one value is larger */
};

/*
 * A column of the filter, and room for one batch of it. It belongs to the first test of its leaf.
 */
typedef struct filter_column {
    const lam_field *leaf;
    lam_column_cursor *cursor;
    size_t room; /* triples that each array below holds */
    uint8_t *repetition;
    uint8_t *definition;
    void *values;
    uint32_t *indexes; /* into the dictionary, instead of values */
    uint8_t *matches;  /* one per value: whether it passes the current test */
} filter_column;

/* The evaluation of one row group. Arrays have one element per test and are in the arena. */
typedef struct row_selection {
    lam_allocator allocator;
    lam_arena arena;
    const lam_reader *reader;
    const lam_filter *filter;
    size_t row_group;
    lam_page_cache *page_cache; /* for the reader of wanted rows */
    const lam_row_prune *prune; /* has ruled out rows */
    filter_column *columns;     /* one per test; those of one leaf share the first one's */
    size_t *owner;              /* the column of each test; itself for one that needs variant */
    bool *needs_variant;        /* tests that depend on more columns than their leaf */
    lam_walk_evaluation
        *walks;         /* evaluates those, and tests of two columns; NULL: there are none */
    uint8_t **outcomes; /* FILTER_EVALUATION_BATCH_ROWS per test */
    uint8_t **entries;  /* per test, whether each entry of the dictionary matches, or NULL */
    uint8_t *stack;
    uint8_t *wanted;       /* a bit for each row of a batch */
    lam_outcome_set *sets; /* possible outcomes of each test in the current rows, or in all */
} row_selection;

/* --- Opening ------------------------------------------------------------------------------- */

/*
 * Opens the chunk of a column. Bytes of the page index that it takes are not counted in the report.
 */
static lam_status filter_evaluation_open_cursor(row_selection *evaluation, filter_column *column,
                                                lam_error *error) {
    uint64_t unused = 0;
    return lam_cursor_open(evaluation->reader, evaluation->row_group, column->leaf->first_leaf,
                           lam_row_prune_index_use(evaluation->prune, column->leaf),
                           &evaluation->arena, &unused, &column->cursor, error);
}

/*
 * Opens the column of a test that owns it and allocates its batch. The number of triples follows
 * from the size of an element, so that the values of a batch stay in cache; one value at least.
 */
static lam_status filter_evaluation_open_column(row_selection *evaluation, size_t test,
                                                lam_error *error) {
    filter_column *column = &evaluation->columns[test];
    const lam_field *leaf = evaluation->filter->tests[test].leaf;
    size_t element = lam_element_size(leaf), size;
    column->leaf = leaf;
    size_t fitting = FILTER_EVALUATION_BATCH_TRIPLES;
    if (element > FILTER_EVALUATION_BATCH_BYTES / FILTER_EVALUATION_BATCH_TRIPLES)
        fitting = FILTER_EVALUATION_BATCH_BYTES / element;
    column->room = fitting > 0 ? fitting : 1;
    LAM_TRY(filter_evaluation_open_cursor(evaluation, column, error));
    LAM_TRY(lam_column_cursor_keep_pages(column->cursor, evaluation->page_cache, error));
    /* unreachable: when a size has 64 bits, as a value has 2^31 bytes at most */
    if (!lam_mul_size(column->room, element, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a value of %zu bytes", element);
    LAM_TRY(lam_arena_alloc(&evaluation->arena, size, &column->values, error));
    LAM_TRY(LAM_ARENA_ARRAY(&evaluation->arena, column->room, &column->indexes, error));
    LAM_TRY(lam_arena_bytes(&evaluation->arena, column->room, &column->repetition, error));
    LAM_TRY(lam_arena_bytes(&evaluation->arena, column->room, &column->definition, error));
    return lam_arena_bytes(&evaluation->arena, column->room, &column->matches, error);
}

/* Whether other columns than that of its leaf decide a test. */
static bool is_apart(const row_selection *evaluation, size_t test) {
    return evaluation->needs_variant[test] || evaluation->filter->tests[test].peer != NULL;
}

/*
 * Finds the column of a test: its own, or that of the first test of the same leaf. The search ends
 * at the test itself at the latest.
 */
static lam_status open_test(row_selection *evaluation, size_t test, lam_error *error) {
    const lam_field *leaf = evaluation->filter->tests[test].leaf;
    size_t owner = 0;
    LAM_TRY(lam_arena_bytes(&evaluation->arena, FILTER_EVALUATION_BATCH_ROWS,
                            &evaluation->outcomes[test], error));
    evaluation->owner[test] = test;
    if (is_apart(evaluation, test))
        return LAM_STATUS_OK;
    while (is_apart(evaluation, owner) || evaluation->filter->tests[owner].leaf != leaf)
        owner++;
    evaluation->owner[test] = owner;
    return owner == test ? filter_evaluation_open_column(evaluation, test, error) : LAM_STATUS_OK;
}

/*
 * Allocates all memory, and divides the tests: those of one leaf each, and those that need the
 * columns of a VARIANT together.
 */
static lam_status open_all(row_selection *evaluation, bool trusts_stats, lam_error *error) {
    size_t tests = evaluation->filter->test_count, size;
    LAM_TRY(LAM_ARENA_ARRAY(&evaluation->arena, tests, &evaluation->columns, error));
    LAM_TRY(LAM_ARENA_ARRAY(&evaluation->arena, tests, &evaluation->owner, error));
    LAM_TRY(LAM_ARENA_ARRAY(&evaluation->arena, tests, &evaluation->outcomes, error));
    LAM_TRY(LAM_ARENA_ARRAY(&evaluation->arena, tests, &evaluation->entries, error));
    LAM_TRY(LAM_ARENA_ARRAY(&evaluation->arena, tests, &evaluation->sets, error));
    LAM_TRY(LAM_ARENA_ARRAY(&evaluation->arena, tests, &evaluation->needs_variant, error));
    /* unreachable: when a size has 64 bits, as a filter has few steps */
    if (!lam_mul_size(evaluation->filter->depth, FILTER_EVALUATION_BATCH_ROWS, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu conditions",
                 evaluation->filter->depth);
    LAM_TRY(lam_arena_bytes(&evaluation->arena, size, &evaluation->stack, error));
    LAM_TRY(lam_arena_bytes(&evaluation->arena, FILTER_EVALUATION_BATCH_ROWS / 8,
                            &evaluation->wanted, error));
    LAM_TRY(lam_walk_evaluation_choose(evaluation->reader, evaluation->filter,
                                       evaluation->row_group, trusts_stats,
                                       evaluation->needs_variant, error));
    for (size_t i = 0; i < tests; i++)
        LAM_TRY(open_test(evaluation, i, error));
    return lam_walk_evaluation_create(
        evaluation->reader, evaluation->filter, evaluation->needs_variant, evaluation->row_group,
        evaluation->prune, evaluation->page_cache, &evaluation->walks, error);
}

/* Moves the pages that the columns still hold to the cache: they may have wanted rows, too. */
static lam_status cache_last_pages(row_selection *evaluation, lam_error *error) {
    for (size_t i = 0; evaluation->columns != NULL && i < evaluation->filter->test_count; i++)
        if (evaluation->columns[i].cursor != NULL)
            LAM_TRY(lam_column_cursor_keep_last_pages(evaluation->columns[i].cursor, error));
    return lam_walk_evaluation_cache_last_pages(evaluation->walks, error);
}

/* Also after a failure of open_all: arrays may be missing, cursors may be NULL. */
static void close_all(row_selection *evaluation) {
    for (size_t i = 0; evaluation->columns != NULL && i < evaluation->filter->test_count; i++)
        lam_column_cursor_destroy(evaluation->columns[i].cursor);
    lam_walk_evaluation_destroy(evaluation->walks);
    lam_arena_finish(&evaluation->arena);
}

/* --- Matching ------------------------------------------------------------------------------ */

/*
 * Compares each entry of the dictionary with a test, once per chunk; the results live in the arena.
 */
static lam_status match_entries(row_selection *evaluation, size_t test,
                                const lam_dictionary *dictionary, lam_error *error) {
    if (evaluation->entries[test] != NULL)
        return LAM_STATUS_OK;
    LAM_TRY(
        lam_arena_bytes(&evaluation->arena, dictionary->count, &evaluation->entries[test], error));
    lam_filter_match_values(&evaluation->filter->tests[test], dictionary->values, dictionary->count,
                            evaluation->entries[test]);
    return LAM_STATUS_OK;
}

/* Gives a byte for each value, 1 if it passes: by its entry of the dictionary, or directly. */
static lam_status filter_evaluation_match(row_selection *evaluation, const filter_column *column,
                                          size_t test, const lam_batch *batch, uint8_t *matches,
                                          lam_error *error) {
    const lam_filter_test *filter_test = &evaluation->filter->tests[test];
    if (!batch->is_dictionary) {
        lam_filter_match_values(filter_test, column->values, batch->value_count, matches);
        return LAM_STATUS_OK;
    }
    LAM_TRY(match_entries(evaluation, test, lam_column_cursor_dictionary(column->cursor), error));
    const uint8_t *entries = evaluation->entries[test];
    const uint32_t *indexes = column->indexes;
    for (size_t i = 0, count = batch->value_count; i < count; i++)
        matches[i] = entries[indexes[i]];
    return LAM_STATUS_OK;
}

/* If each value is a record, matches are directly written as its outcome. */
static lam_status match_records(row_selection *evaluation, const filter_column *column, size_t test,
                                const lam_batch *batch, lam_filter_rows *rows, lam_error *error) {
    uint8_t *outcomes = rows->outcomes + rows->records;
    LAM_TRY(filter_evaluation_match(evaluation, column, test, batch, outcomes, error));
    for (size_t i = 0, count = batch->value_count; i < count; i++)
        outcomes[i] = (uint8_t)(outcomes[i] * LAM_OUTCOME_TRUE);
    rows->records += batch->value_count;
    return LAM_STATUS_OK;
}

/*
 * Gives the outcomes of one test for a batch, from the values or the dictionary's matches. Tests of
 * presence (IS NULL, IS NOT NULL) need only levels.
 */
static lam_status match_batch(row_selection *evaluation, const filter_column *column, size_t test,
                              const lam_batch *batch, lam_filter_rows *rows, lam_error *error) {
    const lam_filter_test *filter_test = &evaluation->filter->tests[test];
    bool needs_values = lam_filter_needs_values(filter_test) && batch->value_count > 0;
    if (needs_values && filter_test->leaf->max_repetition == 0 && !batch->has_definition)
        return match_records(evaluation, column, test, batch, rows, error);
    lam_triples triples = {.count = batch->count, .value_count = batch->value_count};
    triples.repetition = batch->has_repetition ? column->repetition : NULL;
    triples.definition = batch->has_definition ? column->definition : NULL;
    if (needs_values)
        LAM_TRY(filter_evaluation_match(evaluation, column, test, batch, column->matches, error));
    lam_filter_match_rows(filter_test, &triples, column->matches, rows);
    return LAM_STATUS_OK;
}

/* Whether any test of a column depends on values. */
static bool column_needs_values(const row_selection *evaluation, size_t owner) {
    for (size_t test = owner; test < evaluation->filter->test_count; test++)
        if (evaluation->owner[test] == owner &&
            lam_filter_needs_values(&evaluation->filter->tests[test]))
            return true;
    return false;
}

/*
 * Reads the values of a batch as they are stored, as indexes or decoded, or skips them if no test
 * needs them.
 */
static lam_status filter_evaluation_read_values(row_selection *evaluation, size_t owner,
                                                const lam_batch *batch, lam_error *error) {
    filter_column *column = &evaluation->columns[owner];
    if (!column_needs_values(evaluation, owner))
        return lam_column_cursor_skip_values(column->cursor, batch->value_count, error);
    if (batch->is_dictionary)
        return lam_column_cursor_read_indexes(column->cursor, batch->value_count, column->indexes,
                                              error);
    return lam_column_cursor_read_values(column->cursor, batch->value_count, column->values, error);
}

/*
 * Gives a batch to all tests of its column. Each counts the records that begin in it, and they all
 * count the same.
 */
static lam_status match_all(row_selection *evaluation, size_t owner, const lam_batch *batch,
                            size_t *records, lam_error *error) {
    filter_column *column = &evaluation->columns[owner];
    size_t after = *records;
    LAM_TRY(filter_evaluation_read_values(evaluation, owner, batch, error));
    for (size_t test = owner; test < evaluation->filter->test_count; test++) {
        if (evaluation->owner[test] != owner)
            continue;
        lam_filter_rows rows = {*records, evaluation->outcomes[test]};
        LAM_TRY(match_batch(evaluation, column, test, batch, &rows, error));
        after = rows.records;
    }
    *records = after;
    return LAM_STATUS_OK;
}

/*
 * Reads `count` rows of one column from `row` on, to the last triple of the last row. Rows between
 * those of the last call and these are skipped. The loop ends with an empty batch, which says that
 * no further triple belongs to the rows: the number of triples is not known in advance.
 */
static lam_status filter_evaluation_read_column(row_selection *evaluation, size_t owner,
                                                uint64_t row, size_t count, lam_error *error) {
    filter_column *column = &evaluation->columns[owner];
    lam_batch batch = {.count = 1};
    size_t records = 0;
    LAM_TRY(lam_column_cursor_skip_to(column->cursor, row, error));
    while (batch.count > 0) {
        LAM_TRY(lam_column_cursor_read_levels(column->cursor, column->room, count - records,
                                              column->repetition, column->definition, &batch,
                                              error));
        if (batch.count > 0)
            LAM_TRY(match_all(evaluation, owner, &batch, &records, error));
    }
    assert(records == count); /* the cursor compares the rows of chunk and row group */
    return LAM_STATUS_OK;
}

/* Whether the condition can still be true, given the possible outcomes of each test. */
static bool may_be_wanted(const row_selection *evaluation) {
    return (lam_filter_outcomes(evaluation->filter, evaluation->sets, evaluation->stack) &
            LAM_MAY_BE_TRUE) != 0;
}

/* Collects the outcomes that the tests of one column have in the current rows. */
static void collect_outcomes(row_selection *evaluation, size_t owner, size_t count) {
    for (size_t test = owner; test < evaluation->filter->test_count; test++) {
        if (evaluation->owner[test] != owner)
            continue;
        evaluation->sets[test] = 0;
        for (int outcome = LAM_OUTCOME_FALSE; outcome <= LAM_OUTCOME_TRUE; outcome++)
            if (memchr(evaluation->outcomes[test], outcome, count) != NULL)
                evaluation->sets[test] |= (lam_outcome_set)(1 << outcome);
    }
}

/*
 * Reads the columns one after the other, and those that are read together last, peers and columns
 * of VARIANTs, as they cost most. As soon as the columns read so far rule out all rows, the others
 * are not read; they skip these rows, with all between, when they are next needed.
 */
static lam_status read_columns(row_selection *evaluation, uint64_t row, size_t count,
                               bool *ret_wanted, lam_error *error) {
    size_t tests = evaluation->filter->test_count;
    bool wanted = true;
    memset(evaluation->sets, LAM_MAY_BE_ANY, tests);
    for (size_t test = 0; wanted && test < tests; test++) {
        if (evaluation->owner[test] != test || is_apart(evaluation, test))
            continue;
        LAM_TRY(filter_evaluation_read_column(evaluation, test, row, count, error));
        collect_outcomes(evaluation, test, count);
        wanted = may_be_wanted(evaluation);
    }
    if (wanted)
        LAM_TRY(
            lam_walk_evaluation_rows(evaluation->walks, row, count, evaluation->outcomes, error));
    *ret_wanted = wanted;
    return LAM_STATUS_OK;
}

/*
 * Evaluates up to FILTER_EVALUATION_BATCH_ROWS rows and adds those that are TRUE to the ranges.
 * UNKNOWN is not TRUE, as in SQL. Outcomes start as FALSE, because a test raises the outcome of
 * a record.
 */
static lam_status evaluate_batch(row_selection *evaluation, uint64_t row, size_t count,
                                 lam_row_ranges *ranges, lam_error *error) {
    bool wanted = false;
    for (size_t test = 0; test < evaluation->filter->test_count; test++)
        memset(evaluation->outcomes[test], LAM_OUTCOME_FALSE, count);
    LAM_TRY(read_columns(evaluation, row, count, &wanted, error));
    if (!wanted)
        return LAM_STATUS_OK;
    lam_filter_run(evaluation->filter, (const uint8_t *const *)evaluation->outcomes, count,
                   evaluation->stack);
    lam_reader_kernels(evaluation->reader)
        ->at_least_u8(evaluation->stack, count, LAM_OUTCOME_TRUE, evaluation->wanted);
    return lam_row_ranges_add_bits(ranges, row, evaluation->wanted, count, error);
}

/*
 * A range that metadata decided is taken over unread. After each batch the cache drops pages whose
 * rows are all decided and unwanted.
 */
static lam_status evaluate_range(row_selection *evaluation, lam_candidate_range range,
                                 lam_row_ranges *ranges, lam_error *error) {
    if (range.is_wanted)
        return lam_row_ranges_add(ranges, range.begin, range.end, error);
    for (uint64_t row = range.begin; row < range.end;) {
        uint64_t left = range.end - row;
        size_t count =
            left < FILTER_EVALUATION_BATCH_ROWS ? (size_t)left : FILTER_EVALUATION_BATCH_ROWS;
        LAM_TRY(evaluate_batch(evaluation, row, count, ranges, error));
        row += count;
        lam_page_cache_drop_unwanted(evaluation->page_cache, row, lam_row_ranges_end(ranges));
    }
    return LAM_STATUS_OK;
}

/* Whether metadata decided every row that is left: then no column is opened. */
static bool all_wanted(const lam_row_prune *prune) {
    for (size_t i = 0; i < lam_row_prune_count(prune); i++)
        if (!lam_row_prune_at(prune, i).is_wanted)
            return false;
    return true;
}

/* --- Dictionaries -------------------------------------------------------------------------- */

/*
 * Whether the footer states that all data pages of the chunk are dictionary encoded, so that no
 * value can be outside of the dictionary. Only encoding_stats states it; the list of encodings does
 * not show which of them the data pages have. (parquet.thrift, ColumnMetaData.encoding_stats)
 */
static bool states_all_dictionary(const lam_meta_column *column) {
    bool any = false;
    if ((column->has & LAM_META_COLUMN_HAS_ENCODING_STATS) == 0)
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

/* The same for the chunk of a leaf, which is open. */
static lam_status is_all_dictionary(const row_selection *evaluation, const lam_field *leaf,
                                    bool *ret_all, lam_error *error) {
    lam_meta_column_chunk chunk;
    lam_arena arena = lam_reader_chunk_arena(evaluation->reader);
    lam_status status = lam_reader_find_column(evaluation->reader, evaluation->row_group,
                                               leaf->first_leaf, &arena, &chunk, error);
    if (status == LAM_STATUS_OK)
        *ret_all = states_all_dictionary(chunk.meta_data);
    lam_arena_finish(&arena);
    return status;
}

/*
 * The possible outcomes of a test if the dictionary has every value of the chunk. Nulls give
 * UNKNOWN, which a leaf without definition levels cannot have. In a leaf that repeats a record may
 * have no element at all, which is FALSE.
 */
static lam_outcome_set outcomes_of_entries(const row_selection *evaluation, size_t test,
                                           size_t count) {
    const lam_field *leaf = evaluation->filter->tests[test].leaf;
    lam_outcome_set set = 0;
    if (leaf->max_definition > 0)
        set |= LAM_MAY_BE_UNKNOWN;
    if (leaf->max_repetition > 0 || memchr(evaluation->entries[test], 0, count) != NULL)
        set |= LAM_MAY_BE_FALSE;
    if (memchr(evaluation->entries[test], 1, count) != NULL)
        set |= LAM_MAY_BE_TRUE;
    return set;
}

/*
 * Possible outcomes by the dictionary alone: any, unless the footer states that it holds all
 * values. A dictionary page that cannot be read is a failure, as it would be for the rows.
 */
static lam_status filter_evaluation_test_outcomes(row_selection *evaluation, size_t test,
                                                  lam_outcome_set *ret_set, lam_error *error) {
    const lam_filter_test *filter_test = &evaluation->filter->tests[test];
    lam_column_cursor *cursor = evaluation->columns[evaluation->owner[test]].cursor;
    bool is_all;
    *ret_set = LAM_MAY_BE_ANY;
    if (is_apart(evaluation, test) || !lam_filter_needs_values(filter_test))
        return LAM_STATUS_OK;
    LAM_TRY(is_all_dictionary(evaluation, filter_test->leaf, &is_all, error));
    if (!is_all)
        return LAM_STATUS_OK;
    LAM_TRY(lam_column_cursor_load_dictionary(cursor, error));
    const lam_dictionary *dictionary = lam_column_cursor_dictionary(cursor);
    if (dictionary == NULL || dictionary->count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(match_entries(evaluation, test, dictionary, error));
    *ret_set = outcomes_of_entries(evaluation, test, dictionary->count);
    return LAM_STATUS_OK;
}

/* Whether any record can be wanted by the dictionaries of all columns. */
static lam_status check_dictionaries(row_selection *evaluation, bool *ret_wanted,
                                     lam_error *error) {
    for (size_t i = 0; i < evaluation->filter->test_count; i++)
        LAM_TRY(filter_evaluation_test_outcomes(evaluation, i, &evaluation->sets[i], error));
    *ret_wanted = may_be_wanted(evaluation);
    return LAM_STATUS_OK;
}

/* ------------------------------------------------------------------------------------------- */

/*
 * `is_open` is false if no column must be read: then no column is opened and the ranges are copied.
 * The result is written last, so that a failed call leaves it alone; `ranges` may have grown by
 * then.
 */
lam_status lam_filter_evaluate(const lam_reader *reader, const lam_filter *filter, size_t row_group,
                               const lam_row_prune *prune, bool trusts_stats,
                               lam_page_cache *page_cache, lam_row_ranges *ranges,
                               lam_filter_evaluation *ret_evaluation, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_filter_evaluation result = {0};
    bool is_open = !all_wanted(prune), wanted = true;
    row_selection evaluation;
    memset(&evaluation, 0, sizeof evaluation);
    evaluation.reader = reader;
    evaluation.filter = filter;
    evaluation.row_group = row_group;
    evaluation.page_cache = page_cache;
    evaluation.prune = prune;
    lam_arena_init(&evaluation.arena, &reader->allocator, 0);
    if (is_open)
        LAM_TRY_OUT(open_all(&evaluation, trusts_stats, error));
    if (is_open && trusts_stats)
        LAM_TRY_OUT(check_dictionaries(&evaluation, &wanted, error));
    for (size_t i = 0; wanted && i < lam_row_prune_count(prune); i++)
        LAM_TRY_OUT(evaluate_range(&evaluation, lam_row_prune_at(prune, i), ranges, error));
    for (size_t i = 0; is_open && i < filter->test_count; i++)
        if (evaluation.columns[i].cursor != NULL)
            result.page_bytes += lam_column_cursor_page_bytes(evaluation.columns[i].cursor);
    result.page_bytes += lam_walk_evaluation_page_bytes(evaluation.walks);
    LAM_TRY_OUT(cache_last_pages(&evaluation, error));
    result.by_dictionary = !wanted;
    *ret_evaluation = result;
out:
    close_all(&evaluation);
    return status;
}
