/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows each path down its columns while the events of a record pass. Takes events of the leaves
 * that it marked; gives the outcome of each record and test. A group of the path that closes
 * without having held the next field of the path, or a residual with a value, shows that the path
 * is missing there; only a repeated field that does not appear shows nothing, as it is an empty
 * list. Residual values are kept until their VARIANT closes, since the metadata, which names their
 * fields, may come behind them.
 *
 *     events for event.price           level    effect
 *     open event                       0        enter
 *     put event.metadata                        keep
 *     put event.value {"price": 5}     1        keep the residual
 *     close event                      1        search it for price, compare 5
 *
 * Invariant: a typed_value beside a residual counts, in whatever order they come.
 */
#include "filter/filter_path_match.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dremel/grammar.h"

/* A residual value that waits for its VARIANT to close; its bytes are in `bytes` of the cursor. */
typedef struct kept_value {
    size_t offset;
    size_t size;
    uint32_t level; /* of the group that it is in */
} kept_value;

/* The state of an open group of a column path. */
typedef struct filter_path_open_group {
    bool has_next;     /* the next field of the path appeared */
    bool has_residual; /* so did its residual value */
    size_t kept_count; /* values that were kept when it was opened */
} filter_path_open_group;

/*
 * The state of one path. Level n is inside of column_path[n - 1], level 0 is the record, and the
 * events of column_path[n] come at level n.
 */
typedef struct path_cursor {
    const lam_filter_test *test;
    const lam_filter_path *path;
    uint8_t *outcomes;              /* by record */
    uint8_t outcome;                /* of the current record, so far */
    filter_path_open_group *levels; /* by level; those above the innermost open group are stale */
    lam_buffer kept;                /* kept_value */
    lam_buffer bytes;               /* of the values in `kept` */
    lam_buffer metadata;            /* of the last VARIANT: mostly that of the next one too */
    bool has_metadata;              /* of the open VARIANT */
    bool knows_names;               /* `names` is a view of `metadata`, checked */
    lam_variant_names_view names;
} path_cursor;

/* How a field concerns a path. */
typedef struct field_action {
    uint32_t cursor;
    uint32_t level; /* of the group that the field is in */
    enum { IS_ON_PATH, IS_RESIDUAL, IS_METADATA } role;
} field_action;

struct lam_path_matcher {
    lam_allocator allocator;
    lam_arena arena;
    const lam_schema *schema;
    const lam_filter *filter;
    const bool *tests;
    bool *leaves; /* by leaf: its events are wanted */
    path_cursor *cursors;
    size_t cursor_count;
    field_action *actions;
    uint32_t *first_action; /* by field; one more, for the end of the last */
    size_t record;          /* records since begin */
};

/* --- One path ------------------------------------------------------------------------------ */

static void filter_path_raise_to(path_cursor *cursor, uint8_t outcome) {
    cursor->outcome = cursor->outcome > outcome ? cursor->outcome : outcome;
}

/*
 * An element must have a value: where none of its columns has one, it is a Variant null, not
 * missing (VariantShredding.md, "Arrays"). Level `at` is that of the element's group.
 */
static bool is_null_element(const lam_filter_path *path, uint32_t at) {
    return path->is_element && at + !path->ends_in_residual == path->column_path_length;
}

/*
 * Raises the outcome for a group at level `at` that holds nothing of the path. A comparison is
 * unknown there. IS NULL and IS MISSING count only from the last repeated field above the VARIANT
 * on: further up the list that would hold VARIANTs is missing, and there is no occurrence to test.
 */
static void raise_missing(path_cursor *cursor, uint32_t at) {
    const lam_filter_path *path = cursor->path;
    bool is_there = path->question == LAM_PATH_IS_MISSING && is_null_element(path, at);
    if (path->question == LAM_PATH_COMPARES)
        filter_path_raise_to(cursor, LAM_OUTCOME_UNKNOWN);
    else if (is_there == path->is_turned && at >= path->slot_length)
        filter_path_raise_to(cursor, LAM_OUTCOME_TRUE);
}

/*
 * Raises the outcome where the last field of the column path is present: a typed column with
 * `value`, or a typed group with NULL.
 */
static void filter_path_raise_present(path_cursor *cursor, const lam_value *value) {
    const lam_filter_test *test = cursor->test;
    uint8_t matches = 0;
    if (cursor->path->question != LAM_PATH_COMPARES) {
        if (cursor->path->is_turned)
            filter_path_raise_to(cursor, LAM_OUTCOME_TRUE);
        return;
    }
    if (value == NULL || test->kind == LAM_TEST_UNKNOWN) { /* a group compares with nothing */
        filter_path_raise_to(cursor, LAM_OUTCOME_UNKNOWN);
        return;
    }
    bool is_fixed = test->leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    if (test->kind == LAM_TEST_ANY)
        matches = 1;
    else
        lam_filter_match_values(test, is_fixed ? (const void *)value->bytes.data : value, 1,
                                &matches);
    filter_path_raise_to(cursor, matches != 0 ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE);
}

/* Keeps a residual value unless the typed_value of its group has come already. */
static lam_status keep_value(path_cursor *cursor, uint32_t at, lam_bytes value, lam_error *error) {
    filter_path_open_group *here = &cursor->levels[at];
    kept_value kept = {cursor->bytes.size, value.size, at};
    here->has_residual = true;
    if (here->has_next)
        return LAM_STATUS_OK; /* typed_value came before */
    LAM_TRY(lam_buffer_append(&cursor->bytes, value.data, value.size, error));
    return lam_buffer_append(&cursor->kept, &kept, sizeof kept, error);
}

/*
 * Drops all kept values but the first `count`. Bytes are in the same order, so that cutting
 * suffices.
 */
static void drop_kept(path_cursor *cursor, size_t count) {
    kept_value *kept = (kept_value *)(void *)cursor->kept.data;
    if (cursor->kept.size == count * sizeof *kept)
        return;
    cursor->bytes.size = kept[count].offset;
    cursor->kept.size = count * sizeof *kept;
}

/*
 * Handles a field of the column path, at position `at`: the group around it has its next field, and
 * a group opens the level inside. A residual beside it that came first is dropped.
 */
static void filter_path_enter(path_cursor *cursor, uint32_t at, const lam_value *value) {
    filter_path_open_group *here = &cursor->levels[at];
    here->has_next = true;
    if (here->has_residual)
        drop_kept(cursor, here->kept_count); /* typed_value counts */
    if (at + 1 == cursor->path->column_path_length && !cursor->path->ends_in_residual)
        filter_path_raise_present(cursor, value);
    if (value == NULL)
        cursor->levels[at + 1] =
            (filter_path_open_group){false, false, cursor->kept.size / sizeof(kept_value)};
}

/*
 * Keeps the metadata of a VARIANT. Records mostly repeat it byte for byte, which is compared to
 * spare parsing the names again.
 */
static lam_status take_metadata(path_cursor *cursor, lam_bytes metadata, lam_error *error) {
    bool same =
        cursor->knows_names && metadata.size == cursor->metadata.size &&
        (metadata.size == 0 || memcmp(metadata.data, cursor->metadata.data, metadata.size) == 0);
    cursor->has_metadata = true;
    if (same)
        return LAM_STATUS_OK;
    cursor->knows_names = false;
    lam_buffer_clear(&cursor->metadata);
    return lam_buffer_append(&cursor->metadata, metadata.data, metadata.size, error);
}

/*
 * Parses the names at the first residual value that needs them. A VARIANT without metadata is an
 * error only then.
 */
static lam_status filter_path_open_names(path_cursor *cursor, lam_error *error) {
    if (cursor->path->metadata == NULL || cursor->knows_names)
        return LAM_STATUS_OK;
    const char *problem = "no metadata";
    if (cursor->has_metadata)
        problem = lam_variant_open_names(lam_buffer_bytes(&cursor->metadata), &cursor->names);
    if (problem != NULL)
        return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_BYTES, cursor->path->metadata,
                              "variant: %s", problem);
    cursor->knows_names = true;
    return LAM_STATUS_OK;
}

/*
 * Searches the kept residual values when the VARIANT closes. Errors name the column of the
 * residual.
 */
static lam_status evaluate_kept(path_cursor *cursor, lam_error *error) {
    const kept_value *kept = (const kept_value *)(const void *)cursor->kept.data;
    size_t count = cursor->kept.size / sizeof *kept;
    if (count > 0)
        LAM_TRY(filter_path_open_names(cursor, error));
    for (size_t i = 0; i < count; i++) {
        const lam_filter_residual *residual = &cursor->path->residuals[kept[i].level];
        lam_bytes value = {NULL, kept[i].size};
        if (value.size > 0)
            value.data = cursor->bytes.data + kept[i].offset;
        lam_error inner = lam_error_none();
        lam_status status = lam_filter_path_evaluate(cursor->path, residual->step, &cursor->names,
                                                     value, &cursor->outcome, &inner);
        if (status != LAM_STATUS_OK)
            return lam_field_fail(error, lam_error_kind(&inner), residual->value, "%s",
                                  inner.message);
    }
    drop_kept(cursor, 0);
    cursor->has_metadata = false;
    return LAM_STATUS_OK;
}

/*
 * Handles the end of the group that level `at` is inside of; level 0 is the record. The path is
 * missing in the group if neither the next field nor a residual came, unless the next field is
 * repeated: an empty list.
 */
static lam_status filter_path_leave(path_cursor *cursor, uint32_t at, lam_error *error) {
    const lam_filter_path *path = cursor->path;
    const filter_path_open_group *here = &cursor->levels[at];
    bool is_last = at == path->column_path_length;
    bool may_lack = is_last ? path->ends_in_residual
                            : path->column_path[at]->repetition != LAM_REPETITION_REPEATED;
    if (may_lack && !here->has_next && !here->has_residual)
        raise_missing(cursor, at);
    if (at > 0 && path->column_path[at - 1] == path->variant)
        return evaluate_kept(cursor, error);
    return LAM_STATUS_OK;
}

/* --- Events -------------------------------------------------------------------------------- */

/* A record starts FALSE: without any occurrence of the path that is the outcome. */
static lam_status filter_path_on_begin(void *state, lam_error *error) {
    lam_path_matcher *matcher = state;
    (void)error;
    for (size_t i = 0; i < matcher->cursor_count; i++) {
        path_cursor *cursor = &matcher->cursors[i];
        drop_kept(cursor, 0);
        cursor->outcome = LAM_OUTCOME_FALSE;
        cursor->levels[0] = (filter_path_open_group){false, false, 0};
    }
    return LAM_STATUS_OK;
}

/* Level 0 ends with the record: a column path whose first field did not appear is missing. */
static lam_status filter_path_on_end(void *state, lam_error *error) {
    lam_path_matcher *matcher = state;
    for (size_t i = 0; i < matcher->cursor_count; i++) {
        path_cursor *cursor = &matcher->cursors[i];
        LAM_TRY(filter_path_leave(cursor, 0, error));
        cursor->outcomes[matcher->record] = cursor->outcome;
    }
    matcher->record++;
    return LAM_STATUS_OK;
}

/* Only fields of column paths are groups; residuals and metadata are leaves. */
static lam_status filter_path_on_open(void *state, const lam_field *group, lam_error *error) {
    lam_path_matcher *matcher = state;
    const uint32_t *first = &matcher->first_action[group->index];
    (void)error;
    for (uint32_t i = first[0]; i < first[1]; i++)
        filter_path_enter(&matcher->cursors[matcher->actions[i].cursor], matcher->actions[i].level,
                          NULL);
    return LAM_STATUS_OK;
}

static lam_status filter_path_on_put(void *state, const lam_field *leaf, lam_value value,
                                     lam_error *error) {
    lam_path_matcher *matcher = state;
    const uint32_t *first = &matcher->first_action[leaf->index];
    for (uint32_t i = first[0]; i < first[1]; i++) {
        const field_action *act = &matcher->actions[i];
        path_cursor *cursor = &matcher->cursors[act->cursor];
        if (act->role == IS_ON_PATH)
            filter_path_enter(cursor, act->level, &value);
        else if (act->role == IS_RESIDUAL)
            LAM_TRY(keep_value(cursor, act->level, value.bytes, error));
        else
            LAM_TRY(take_metadata(cursor, value.bytes, error));
    }
    return LAM_STATUS_OK;
}

static lam_status filter_path_on_close(void *state, const lam_field *group, lam_error *error) {
    lam_path_matcher *matcher = state;
    const uint32_t *first = &matcher->first_action[group->index];
    for (uint32_t i = first[0]; i < first[1]; i++)
        LAM_TRY(filter_path_leave(&matcher->cursors[matcher->actions[i].cursor],
                                  matcher->actions[i].level + 1, error));
    return LAM_STATUS_OK;
}

/* --- Making -------------------------------------------------------------------------------- */

/* Adds an action to a field. Called in two rounds: the first has no array yet and counts. */
static void filter_path_note(lam_path_matcher *matcher, const lam_field *field, field_action act) {
    uint32_t *next = &matcher->first_action[field->index + 1];
    if (matcher->actions != NULL)
        matcher->actions[*next] = act;
    ++*next;
    if (!lam_is_group(field))
        matcher->leaves[field->first_leaf] = true;
}

/*
 * Adds the actions of one path: its columns, its residuals, the metadata. Events of the last leaf
 * are wanted even where it is none of these, as its levels show whether the path is there.
 */
static void note_path(lam_path_matcher *matcher, uint32_t number) {
    const lam_filter_path *path = matcher->cursors[number].path;
    for (uint32_t i = 0; i < path->column_path_length; i++)
        filter_path_note(matcher, path->column_path[i], (field_action){number, i, IS_ON_PATH});
    for (uint32_t i = 0; i <= path->column_path_length; i++)
        if (path->residuals[i].value != NULL)
            filter_path_note(matcher, path->residuals[i].value,
                             (field_action){number, i, IS_RESIDUAL});
    if (path->metadata != NULL)
        filter_path_note(matcher, path->metadata, (field_action){number, 0, IS_METADATA});
    matcher->leaves[path->last_leaf->first_leaf] = true;
}

/*
 * Groups the actions by field, in two rounds over the same notes. After the first, element f + 1 is
 * the number of actions of field f. Summed up and moved by one, it is where they begin, and the
 * second round counts it up to where they end:
 *
 *     field                 0    1    2
 *     after round 1    -    2    0    1
 *     summed up        -    0    2    2
 *     after round 2    0    2    2    3     field f has the actions [f] to [f + 1] - 1
 */
static lam_status note_all(lam_path_matcher *matcher, lam_error *error) {
    size_t fields = matcher->schema->field_count;
    void *memory;
    LAM_TRY(lam_arena_array(&matcher->arena, fields + 1, sizeof(uint32_t), &memory, error));
    matcher->first_action = memory;
    for (uint32_t i = 0; i < matcher->cursor_count; i++)
        note_path(matcher, i);
    uint32_t total = 0;
    for (size_t i = 1; i <= fields; i++) {
        uint32_t count = matcher->first_action[i];
        matcher->first_action[i] = total;
        total += count;
    }
    LAM_TRY(lam_arena_array(&matcher->arena, total, sizeof(field_action), &memory, error));
    matcher->actions = memory;
    for (uint32_t i = 0; i < matcher->cursor_count; i++)
        note_path(matcher, i);
    return LAM_STATUS_OK;
}

/* Counts the cursor before anything can fail, so that destroy finds its buffers. */
static lam_status init_cursor(lam_path_matcher *matcher, path_cursor *cursor,
                              const lam_filter_test *test, lam_error *error) {
    void *memory;
    cursor->test = test;
    cursor->path = test->path;
    lam_buffer_init(&cursor->kept, &matcher->allocator);
    lam_buffer_init(&cursor->bytes, &matcher->allocator);
    lam_buffer_init(&cursor->metadata, &matcher->allocator);
    matcher->cursor_count++;
    LAM_TRY(lam_arena_array(&matcher->arena, cursor->path->column_path_length + 1,
                            sizeof(filter_path_open_group), &memory, error));
    cursor->levels = memory;
    return LAM_STATUS_OK;
}

/* Allocates from the arena, whose arrays are cleared: all levels of a cursor start closed. */
static lam_status filter_path_fill(lam_path_matcher *matcher, lam_error *error) {
    const lam_filter *filter = matcher->filter;
    void *memory;
    LAM_TRY(lam_arena_array(&matcher->arena, matcher->schema->leaf_count + 1, sizeof(bool), &memory,
                            error));
    matcher->leaves = memory;
    LAM_TRY(
        lam_arena_array(&matcher->arena, filter->test_count, sizeof(path_cursor), &memory, error));
    matcher->cursors = memory;
    for (size_t i = 0; i < filter->test_count; i++)
        if (matcher->tests[i])
            LAM_TRY(init_cursor(matcher, &matcher->cursors[matcher->cursor_count],
                                &filter->tests[i], error));
    return note_all(matcher, error);
}

lam_status lam_path_matcher_create(const lam_filter *filter, const bool *tests,
                                   const lam_allocator *allocator, lam_path_matcher **ret_matcher,
                                   lam_error *error) {
    lam_status status;
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(lam_path_matcher), &memory, error));
    lam_path_matcher *matcher = memory;
    matcher->allocator = *allocator;
    matcher->schema = filter->schema;
    matcher->filter = filter;
    matcher->tests = tests;
    lam_arena_init(&matcher->arena, allocator, 0);
    LAM_TRY_OUT(filter_path_fill(matcher, error));
    *ret_matcher = matcher;
    return LAM_STATUS_OK;
out:
    lam_path_matcher_destroy(matcher);
    return status;
}

void lam_path_matcher_destroy(lam_path_matcher *matcher) {
    if (matcher == NULL)
        return;
    lam_allocator allocator = matcher->allocator;
    for (size_t i = 0; i < matcher->cursor_count; i++) {
        lam_buffer_finish(&matcher->cursors[i].kept);
        lam_buffer_finish(&matcher->cursors[i].bytes);
        lam_buffer_finish(&matcher->cursors[i].metadata);
    }
    lam_arena_finish(&matcher->arena);
    lam_free(&allocator, matcher, sizeof *matcher);
}

const bool *lam_path_matcher_leaves(const lam_path_matcher *matcher) {
    return matcher->leaves;
}

/* Cursors are in the order of the marked tests. */
void lam_path_matcher_begin(lam_path_matcher *matcher, uint8_t *const *outcomes) {
    size_t next = 0;
    matcher->record = 0;
    for (size_t i = 0; i < matcher->filter->test_count; i++)
        if (matcher->tests[i])
            matcher->cursors[next++].outcomes = outcomes[i];
}

lam_record_sink lam_path_matcher_sink(lam_path_matcher *matcher) {
    return (lam_record_sink){matcher,
                             filter_path_on_begin,
                             filter_path_on_open,
                             filter_path_on_put,
                             filter_path_on_close,
                             filter_path_on_end,
                             NULL};
}
