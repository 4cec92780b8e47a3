/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks down the columns of a path, slot by slot: takes triples of the columns that can hold the
 * path, and gives the outcome of each record. The last column of the path leads the slot walk, as
 * its triples have the slots of all groups on the way (dremel/slot_walk.h). Its definition level
 * alone says how far the path is present, and so which column decides:
 *
 *     v.a, typed_value int64     d                                  v.typed_value.a.value
 *     v                          0   v is missing                   -
 *     v.typed_value              1   no object                      -
 *     v.typed_value.a            2   typed_value of a is missing    has bytes: search them
 *     ...a.typed_value           3   a value: compare it            ignored
 *
 * The other columns are residuals, and the metadata with the names of fields. Each takes a step
 * where the leading one begins a slot of the group that it is in: an array on the way is a larger R
 * below it. An empty list never raises an outcome. (VariantShredding.md, "Value Shredding")
 */
#include "scan/match/filter_path_walk.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dremel/grammar.h"
#include "dremel/slot_walk.h"

/* A test, and its outcomes by the levels of the leading column. */
typedef struct path_walk_test {
    const lam_filter_test *test;
    size_t number; /* in the filter */
    uint8_t *outcomes;
    bool needs_values;  /* where the path is in typed_value, `matches` decides */
    lam_buffer matches; /* a byte for each value in the batch of the leading column */
    uint8_t *by_level;  /* elsewhere the outcome, by definition level of the leading column */
    struct path_walk_test *next; /* of the group */
} path_walk_test;

/* What decides at a definition level: a column that is a residual, or one of these. */
enum { PATH_DECIDED_BY_TYPED = -1, PATH_DECIDED_BY_NONE = -2 };

/* Tests with the same columns. The leading column has the slots that are evaluated. */
typedef struct path_group {
    path_walk_test *tests;
    lam_slot_walk walk;
    size_t *residuals; /* by column: its number in the path, if it is a residual */
    size_t metadata;   /* its column; 0: no residual is searched by name */
    int16_t *decides;  /* by definition level of the leading column */
    lam_variant_names_view names;
    lam_bytes names_of; /* the metadata that `names` is a view of; without data: none */
} path_group;

struct lam_path_walk {
    lam_allocator allocator;
    lam_arena arena;
    path_group *groups;
    size_t group_count;
    lam_slot_column *columns; /* of all groups, one after the other */
    size_t column_count;
    path_walk_test *tests;
    size_t test_count;
};

/* --- Columns ------------------------------------------------------------------------------- */

/* Compares all values in a batch of the leading column. */
static lam_status path_walk_match(const path_group *group, lam_error *error) {
    const lam_triples *batch = &group->walk.columns[0].batch;
    for (path_walk_test *test = group->tests; test != NULL; test = test->next) {
        if (!test->needs_values || batch->value_count == 0)
            continue;
        lam_buffer_clear(&test->matches);
        LAM_TRY(lam_buffer_reserve(&test->matches, batch->value_count, error));
        lam_filter_match_values(test->test, batch->values, batch->value_count, test->matches.data);
    }
    return LAM_STATUS_OK;
}

/* Names borrow the metadata of a batch, and end with it. */
static lam_status path_walk_on_batch(void *state, size_t column, lam_error *error) {
    path_group *group = state;
    if (column == group->metadata)
        group->names_of.data = NULL;
    return column == 0 ? path_walk_match(group, error) : LAM_STATUS_OK;
}

/* The current value of a residual or of the metadata, borrowed until the next batch. */
static lam_bytes path_column_bytes(const lam_slot_column *column) {
    return ((const lam_bytes *)column->batch.values)[column->next_value - 1];
}

/* --- Slots --------------------------------------------------------------------------------- */

static void path_walk_raise(uint8_t *row, uint8_t outcome) {
    *row = *row > outcome ? *row : outcome;
}

/*
 * Parses the names of the current metadata, unless they are those of the last residual value:
 * records mostly repeat them byte for byte.
 */
static lam_status path_walk_open_names(path_group *group, lam_error *error) {
    const lam_slot_column *column = &group->walk.columns[group->metadata];
    if (group->metadata == 0)
        return LAM_STATUS_OK;
    const char *problem = "no metadata";
    if (lam_slot_column_has_value(column)) {
        lam_bytes metadata = path_column_bytes(column);
        if (group->names_of.data != NULL && metadata.size == group->names_of.size &&
            (metadata.data == group->names_of.data ||
             memcmp(metadata.data, group->names_of.data, metadata.size) == 0))
            return LAM_STATUS_OK;
        problem = lam_variant_open_names(metadata, &group->names);
        group->names_of = metadata;
    }
    if (problem == NULL)
        return LAM_STATUS_OK;
    group->names_of.data = NULL;
    return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_BYTES, column->leaf, "variant: %s",
                          problem);
}

/* Searches the current value of a residual. Errors name its column. */
static lam_status path_walk_search(path_group *group, size_t number, size_t row, lam_error *error) {
    const lam_slot_column *column = &group->walk.columns[number];
    lam_bytes value = path_column_bytes(column);
    LAM_TRY(path_walk_open_names(group, error));
    for (const path_walk_test *test = group->tests; test != NULL; test = test->next) {
        const lam_filter_path *path = test->test->path;
        lam_status status =
            lam_filter_path_evaluate(path, path->residuals[group->residuals[number]].step,
                                     &group->names, value, &test->outcomes[row], error);
        if (status == LAM_STATUS_OK)
            continue;
        lam_error inner = error == NULL ? lam_error_none() : *error;
        (void)lam_field_fail(error, lam_error_kind(&inner), column->leaf, "%s", inner.message);
        return status;
    }
    return LAM_STATUS_OK;
}

/* Raises the outcomes of a record with the current slot. */
static lam_status path_walk_evaluate_slot(path_group *group, size_t row, lam_error *error) {
    const lam_slot_column *leading = group->walk.columns;
    uint8_t definition = leading->definition;
    int decides = group->decides[definition];
    if (decides >= 0 && lam_slot_column_has_value(&leading[decides]))
        return path_walk_search(group, (size_t)decides, row, error);
    for (const path_walk_test *test = group->tests; test != NULL; test = test->next) {
        uint8_t outcome = test->by_level[definition];
        if (decides == PATH_DECIDED_BY_TYPED && test->needs_values)
            outcome = (uint8_t)(test->matches.data[leading->next_value - 1] * LAM_OUTCOME_TRUE);
        path_walk_raise(&test->outcomes[row], outcome);
    }
    return LAM_STATUS_OK;
}

/*
 * Walks through the records of one group of tests. The slot walk passes triples beyond the slots
 * that are evaluated, those of lists inside a typed_value that a test needs entirely.
 */
static lam_status path_walk_group(path_group *group, size_t count, size_t *ret_rows,
                                  lam_error *error) {
    lam_slot_walk *walk = &group->walk;
    lam_slot_walk_start(walk, count);
    for (;;) {
        bool any;
        LAM_TRY(lam_slot_walk_next(walk, &any, error));
        if (!any)
            break;
        LAM_TRY(path_walk_evaluate_slot(group, walk->rows - 1, error));
    }
    *ret_rows = walk->rows;
    return LAM_STATUS_OK;
}

lam_status lam_path_walk_rows(lam_path_walk *walk, size_t count, uint8_t *const *outcomes,
                              size_t *ret_rows, lam_error *error) {
    size_t least = count;
    for (size_t i = 0; i < walk->test_count; i++) {
        walk->tests[i].outcomes = outcomes[walk->tests[i].number];
        memset(walk->tests[i].outcomes, LAM_OUTCOME_FALSE, count);
    }
    for (size_t i = 0; i < walk->group_count; i++) {
        size_t rows;
        LAM_TRY(path_walk_group(&walk->groups[i], count, &rows, error));
        least = rows < least ? rows : least;
    }
    *ret_rows = least;
    return LAM_STATUS_OK;
}

/* --- Making -------------------------------------------------------------------------------- */

/*
 * Gives the last field of a path that is present where the leading column has this level; the next
 * one in `ret_missing`, or NULL.
 */
static const lam_field *last_present(const lam_filter_path *path, size_t definition,
                                     const lam_field **ret_missing) {
    const lam_field *field = path->end;
    *ret_missing = NULL;
    for (; field->max_definition > definition; field = lam_parent_of(field))
        *ret_missing = field;
    return field;
}

/*
 * The outcome of a slot with this definition level if no residual has a value there, nor a test has
 * compared one in typed_value. A field that is repeated is not missing but an empty list. IS NULL
 * and IS MISSING count the slots of the VARIANT, even if the path goes no further. An element must
 * have a value: if none of its columns has one, it is null and not missing (VariantShredding.md,
 * "Arrays").
 */
static uint8_t path_walk_outcome(const lam_filter_test *test, size_t definition) {
    const lam_filter_path *path = test->path;
    const lam_field *missing;
    (void)last_present(path, definition, &missing);
    bool is_there = missing == NULL && !path->ends_in_residual;
    if (missing != NULL && missing->repetition == LAM_REPETITION_REPEATED)
        return LAM_OUTCOME_FALSE;
    if (path->question == LAM_PATH_COMPARES)
        return is_there && test->kind == LAM_TEST_ANY ? LAM_OUTCOME_TRUE : LAM_OUTCOME_UNKNOWN;
    if (definition < lam_slots_of(path->variant).definition)
        return LAM_OUTCOME_FALSE;
    if (path->question == LAM_PATH_IS_MISSING && path->is_element)
        is_there |= missing == (path->ends_in_residual ? NULL : path->end);
    return is_there == path->is_turned ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE;
}

/*
 * True if two paths have the same columns; the steps inside their residuals may differ. Of the
 * arrays on the way to one end, the first have no residual if the path has a step into them: the
 * number of residuals tells which.
 */
static bool path_has_columns_of(const lam_filter_path *a, const lam_filter_path *b) {
    return a->last_leaf == b->last_leaf && a->end == b->end &&
           a->residual_count == b->residual_count;
}

/* Adds a column that takes a step at each slot of a field; gives its number. */
static size_t path_walk_add_column(path_group *group, const lam_field *leaf,
                                   const lam_field *field) {
    lam_slot_column_init(&group->walk.columns[group->walk.column_count], leaf, field);
    return group->walk.column_count++;
}

/*
 * Finds what decides at a definition level of the leading column: the typed_value at the end of the
 * path, or the residual in the last group of the path that is present.
 */
static int16_t path_walk_decided_by(const lam_filter_path *path, size_t definition) {
    const lam_field *missing, *group = last_present(path, definition, &missing);
    if (missing == NULL && !path->ends_in_residual)
        return PATH_DECIDED_BY_TYPED;
    for (size_t i = 0; i < path->residual_count; i++)
        if (lam_parent_of(path->residuals[i].value) == group)
            return (int16_t)(path->residuals[i].value == path->last_leaf ? 0 : i + 1);
    return PATH_DECIDED_BY_NONE;
}

/* Adds the columns of a path: the leading one, and the residuals unless one of them leads. */
static lam_status path_walk_add_columns(lam_path_walk *walk, path_group *group, lam_error *error) {
    const lam_filter_path *path = group->tests->test->path;
    const lam_field *leading = path->last_leaf;
    size_t room = leading->max_definition + (size_t)1;
    LAM_TRY(LAM_ARENA_ARRAY(&walk->arena, room, &group->decides, error));
    for (size_t definition = 0; definition < room; definition++)
        group->decides[definition] = path_walk_decided_by(path, definition);
    LAM_TRY(
        LAM_ARENA_ARRAY(&walk->arena, path->residual_count + (size_t)1, &group->residuals, error));
    path_walk_add_column(group, leading, path->end);
    for (size_t i = 0; i < path->residual_count; i++) {
        const lam_field *value = path->residuals[i].value;
        size_t column =
            value == leading ? 0 : path_walk_add_column(group, value, lam_parent_of(value));
        group->residuals[column] = i;
    }
    for (const path_walk_test *test = group->tests; test != NULL; test = test->next)
        if (group->metadata == 0 && test->test->path->metadata != NULL)
            group->metadata =
                path_walk_add_column(group, test->test->path->metadata, path->variant);
    return LAM_STATUS_OK;
}

/* Finds the group of tests with the same columns as a path, or begins one. */
static path_group *path_walk_find_group(lam_path_walk *walk, const lam_filter_path *path) {
    size_t i = 0;
    while (i < walk->group_count && !path_has_columns_of(walk->groups[i].tests->test->path, path))
        i++;
    return &walk->groups[i];
}

/* Adds a test, and its outcome by each definition level, to the group of its columns. */
static lam_status path_walk_add_test(lam_path_walk *walk, const lam_filter_test *test,
                                     size_t number, lam_error *error) {
    const lam_filter_path *path = test->path;
    path_walk_test *added = &walk->tests[walk->test_count++];
    size_t room = path->last_leaf->max_definition + (size_t)1;
    lam_buffer_init(&added->matches, &walk->allocator);
    added->test = test;
    added->number = number;
    added->needs_values = path->question == LAM_PATH_COMPARES && lam_filter_needs_values(test);
    LAM_TRY(lam_arena_bytes(&walk->arena, room, &added->by_level, error));
    for (size_t definition = 0; definition < room; definition++)
        added->by_level[definition] = path_walk_outcome(test, definition);
    path_group *group = path_walk_find_group(walk, path);
    walk->group_count += group->tests == NULL;
    added->next = group->tests;
    group->tests = added;
    return LAM_STATUS_OK;
}

/* Finds the columns of all groups, in one array: residuals, the leading one, the metadata. */
static lam_status path_walk_find_columns(lam_path_walk *walk, lam_error *error) {
    size_t room = 0;
    for (size_t i = 0; i < walk->group_count; i++)
        room += walk->groups[i].tests->test->path->residual_count + 2;
    LAM_TRY(LAM_ARENA_ARRAY(&walk->arena, room, &walk->columns, error));
    for (size_t i = 0; i < walk->group_count; i++) {
        path_group *group = &walk->groups[i];
        group->walk.columns = walk->columns + walk->column_count;
        group->walk.on_batch = path_walk_on_batch;
        group->walk.state = group;
        LAM_TRY(path_walk_add_columns(walk, group, error));
        walk->column_count += group->walk.column_count;
    }
    return LAM_STATUS_OK;
}

/* Allocates from the arena, whose arrays are cleared. */
static lam_status path_walk_fill(lam_path_walk *walk, const lam_filter *filter, const bool *tests,
                                 lam_error *error) {
    LAM_TRY(LAM_ARENA_ARRAY(&walk->arena, filter->test_count, &walk->tests, error));
    LAM_TRY(LAM_ARENA_ARRAY(&walk->arena, filter->test_count + 1, &walk->groups, error));
    for (size_t i = 0; i < filter->test_count; i++)
        if (tests[i])
            LAM_TRY(path_walk_add_test(walk, &filter->tests[i], i, error));
    return path_walk_find_columns(walk, error);
}

lam_status lam_path_walk_create(const lam_filter *filter, const bool *tests,
                                const lam_allocator *allocator, lam_path_walk **ret_walk,
                                lam_error *error) {
    lam_status status;
    lam_path_walk *walk;
    LAM_TRY(LAM_NEW(allocator, &walk, error));
    walk->allocator = *allocator;
    lam_arena_init(&walk->arena, allocator, 0);
    LAM_TRY_OUT(path_walk_fill(walk, filter, tests, error));
    *ret_walk = walk;
    return LAM_STATUS_OK;
out:
    lam_path_walk_destroy(walk);
    return status;
}

void lam_path_walk_destroy(lam_path_walk *walk) {
    if (walk == NULL)
        return;
    lam_allocator allocator = walk->allocator;
    for (size_t i = 0; i < walk->test_count; i++)
        lam_buffer_finish(&walk->tests[i].matches);
    lam_arena_finish(&walk->arena);
    lam_free(&allocator, walk, sizeof *walk);
}

size_t lam_path_walk_column_count(const lam_path_walk *walk) {
    return walk->column_count;
}

const lam_field *lam_path_walk_leaf(const lam_path_walk *walk, size_t column) {
    return walk->columns[column].leaf;
}

void lam_path_walk_set_source(lam_path_walk *walk, size_t column, lam_triple_source source) {
    walk->columns[column].source = source;
}
