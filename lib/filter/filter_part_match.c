/*
 * Each part is followed down its chain. A group of the chain that closes without having held the
 * next one, or a guard with a value, says that the part is missing there; only a repeated field
 * that does not appear says nothing, as it is an empty list. Guards' values are kept until their
 * VARIANT closes, since the metadata, which names their fields, may come behind them.
 */
#include "filter/filter_part_match.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dremel/grammar.h"

/* A guard's value, in `bytes` of its part. */
typedef struct kept_value {
    size_t offset;
    size_t size;
    uint32_t level; /* of the group that it stands in */
} kept_value;

/* An open group of a chain. */
typedef struct level {
    bool has_next;     /* the next field of the chain appeared */
    bool has_guard;    /* a value of its guard did */
    size_t kept_count; /* when it was opened */
} level;

/* How one part is followed. Level n is inside of the group before link n of the chain. */
typedef struct follower {
    const lam_filter_test *test;
    const lam_filter_part *part;
    uint8_t *outcomes; /* by record */
    uint8_t outcome;   /* of the record at hand */
    level *levels;
    lam_buffer kept; /* kept_value */
    lam_buffer bytes;
    lam_buffer metadata;
    bool has_metadata; /* of the open VARIANT */
    bool knows_names;  /* `names` are those of `metadata` */
    lam_variant_names_view names;
} follower;

/* What a field is to a part. */
typedef struct action {
    uint32_t follower;
    uint32_t level; /* of the group that the field stands in */
    enum { IS_LINK, IS_GUARD, IS_METADATA } role;
} action;

struct lam_part_matcher {
    lam_allocator allocator;
    lam_arena arena;
    const lam_schema *schema;
    const lam_filter *filter;
    const bool *tests;
    bool *leaves;
    follower *followers;
    size_t follower_count;
    action *actions;
    uint32_t *first_action; /* by field, and one behind the last */
    size_t record;
};

/* --- One part ------------------------------------------------------------------------------ */

static void raise_to(follower *it, uint8_t outcome) {
    it->outcome = it->outcome > outcome ? it->outcome : outcome;
}

/* An element that has no value where it must have one is a Variant null. */
static bool is_null_element(const lam_filter_part *part, uint32_t at) {
    return part->is_element && at + !part->ends_in_guard == part->chain_length;
}

/* The group that a level is inside of holds nothing of the part. */
static void raise_missing(follower *it, uint32_t at) {
    const lam_filter_part *part = it->part;
    bool is_there = part->question == LAM_PART_IS_MISSING && is_null_element(part, at);
    if (part->question == LAM_PART_COMPARES)
        raise_to(it, LAM_OUTCOME_UNKNOWN);
    else if (is_there == part->is_turned && at >= part->slot_length)
        raise_to(it, LAM_OUTCOME_TRUE);
}

/* The last link of the chain is there: a typed column with a value, or a typed group. */
static void raise_present(follower *it, const lam_value *value) {
    const lam_filter_test *test = it->test;
    uint8_t matches = 0;
    if (it->part->question != LAM_PART_COMPARES) {
        if (it->part->is_turned)
            raise_to(it, LAM_OUTCOME_TRUE);
        return;
    }
    if (value == NULL || test->kind == LAM_TEST_UNKNOWN) { /* nothing compares with a group */
        raise_to(it, LAM_OUTCOME_UNKNOWN);
        return;
    }
    bool is_fixed = test->leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    if (test->kind == LAM_TEST_ANY)
        matches = 1;
    else
        lam_filter_match_values(test, is_fixed ? (const void *)value->bytes.data : value, 1,
                                &matches);
    raise_to(it, matches != 0 ? LAM_OUTCOME_TRUE : LAM_OUTCOME_FALSE);
}

static lam_status keep_value(follower *it, uint32_t at, lam_bytes value, lam_error *error) {
    level *here = &it->levels[at];
    kept_value kept = {it->bytes.size, value.size, at};
    here->has_guard = true;
    if (here->has_next)
        return LAM_STATUS_OK; /* typed_value came before */
    LAM_TRY(lam_buffer_append(&it->bytes, value.data, value.size, error));
    return lam_buffer_append(&it->kept, &kept, sizeof kept, error);
}

static void drop_kept(follower *it, size_t count) {
    kept_value *kept = (kept_value *)(void *)it->kept.data;
    if (it->kept.size == count * sizeof *kept)
        return;
    it->bytes.size = kept[count].offset;
    it->kept.size = count * sizeof *kept;
}

/* A field of the chain, in the group before it. */
static void enter(follower *it, uint32_t at, const lam_value *value) {
    level *here = &it->levels[at];
    here->has_next = true;
    if (here->has_guard)
        drop_kept(it, here->kept_count); /* typed_value counts */
    if (at + 1 == it->part->chain_length && !it->part->ends_in_guard)
        raise_present(it, value);
    if (value == NULL)
        it->levels[at + 1] = (level){false, false, it->kept.size / sizeof(kept_value)};
}

static lam_status take_metadata(follower *it, lam_bytes metadata, lam_error *error) {
    bool same =
        it->knows_names && metadata.size == it->metadata.size &&
        (metadata.size == 0 || memcmp(metadata.data, it->metadata.data, metadata.size) == 0);
    it->has_metadata = true;
    if (same)
        return LAM_STATUS_OK;
    it->knows_names = false;
    lam_buffer_clear(&it->metadata);
    return lam_buffer_append(&it->metadata, metadata.data, metadata.size, error);
}

static lam_status open_names(follower *it, lam_error *error) {
    if (it->part->metadata == NULL || it->knows_names)
        return LAM_STATUS_OK;
    const char *problem = "no metadata";
    if (it->has_metadata)
        problem = lam_variant_open_names(lam_buffer_bytes(&it->metadata), &it->names);
    if (problem != NULL)
        return lam_field_fail(error, LAM_ERROR_CODE_VARIANT_BYTES, it->part->metadata,
                              "variant: %s", problem);
    it->knows_names = true;
    return LAM_STATUS_OK;
}

/* The VARIANT closes: what stood in guards is looked at. */
static lam_status look_at_kept(follower *it, lam_error *error) {
    const kept_value *kept = (const kept_value *)(const void *)it->kept.data;
    size_t count = it->kept.size / sizeof *kept;
    if (count > 0)
        LAM_TRY(open_names(it, error));
    for (size_t i = 0; i < count; i++) {
        const lam_filter_guard *guard = &it->part->guards[kept[i].level];
        lam_bytes value = {NULL, kept[i].size};
        if (value.size > 0)
            value.data = it->bytes.data + kept[i].offset;
        lam_error inner = lam_error_none();
        lam_status status =
            lam_filter_part_look(it->part, guard->step, &it->names, value, &it->outcome, &inner);
        if (status != LAM_STATUS_OK)
            return lam_field_fail(error, lam_error_kind(&inner), guard->value, "%s", inner.message);
    }
    drop_kept(it, 0);
    it->has_metadata = false;
    return LAM_STATUS_OK;
}

/* The group closes that a level is inside of; level 0 is the record. */
static lam_status leave(follower *it, uint32_t at, lam_error *error) {
    const lam_filter_part *part = it->part;
    const level *here = &it->levels[at];
    bool is_last = at == part->chain_length;
    bool may_lack =
        is_last ? part->ends_in_guard : part->chain[at]->repetition != LAM_REPETITION_REPEATED;
    if (may_lack && !here->has_next && !here->has_guard)
        raise_missing(it, at);
    if (at > 0 && part->chain[at - 1] == part->variant)
        return look_at_kept(it, error);
    return LAM_STATUS_OK;
}

/* --- Events -------------------------------------------------------------------------------- */

static lam_status on_begin(void *state, lam_error *error) {
    lam_part_matcher *matcher = state;
    (void)error;
    for (size_t i = 0; i < matcher->follower_count; i++) {
        follower *it = &matcher->followers[i];
        drop_kept(it, 0);
        it->outcome = LAM_OUTCOME_FALSE;
        it->levels[0] = (level){false, false, 0};
    }
    return LAM_STATUS_OK;
}

static lam_status on_end(void *state, lam_error *error) {
    lam_part_matcher *matcher = state;
    for (size_t i = 0; i < matcher->follower_count; i++) {
        follower *it = &matcher->followers[i];
        LAM_TRY(leave(it, 0, error));
        it->outcomes[matcher->record] = it->outcome;
    }
    matcher->record++;
    return LAM_STATUS_OK;
}

static lam_status on_open(void *state, const lam_field *group, lam_error *error) {
    lam_part_matcher *matcher = state;
    const uint32_t *first = &matcher->first_action[group->index];
    (void)error;
    for (uint32_t i = first[0]; i < first[1]; i++)
        enter(&matcher->followers[matcher->actions[i].follower], matcher->actions[i].level, NULL);
    return LAM_STATUS_OK;
}

static lam_status on_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    lam_part_matcher *matcher = state;
    const uint32_t *first = &matcher->first_action[leaf->index];
    for (uint32_t i = first[0]; i < first[1]; i++) {
        const action *act = &matcher->actions[i];
        follower *it = &matcher->followers[act->follower];
        if (act->role == IS_LINK)
            enter(it, act->level, &value);
        else if (act->role == IS_GUARD)
            LAM_TRY(keep_value(it, act->level, value.bytes, error));
        else
            LAM_TRY(take_metadata(it, value.bytes, error));
    }
    return LAM_STATUS_OK;
}

static lam_status on_close(void *state, const lam_field *group, lam_error *error) {
    lam_part_matcher *matcher = state;
    const uint32_t *first = &matcher->first_action[group->index];
    for (uint32_t i = first[0]; i < first[1]; i++)
        LAM_TRY(leave(&matcher->followers[matcher->actions[i].follower],
                      matcher->actions[i].level + 1, error));
    return LAM_STATUS_OK;
}

/* --- Making -------------------------------------------------------------------------------- */

/* Calls for each field that means something to a part: counts, or notes it. */
static void note(lam_part_matcher *matcher, const lam_field *field, action act) {
    uint32_t *next = &matcher->first_action[field->index + 1];
    if (matcher->actions != NULL)
        matcher->actions[*next] = act;
    ++*next;
    if (!lam_is_group(field))
        matcher->leaves[field->first_leaf] = true;
}

static void note_part(lam_part_matcher *matcher, uint32_t number) {
    const lam_filter_part *part = matcher->followers[number].part;
    for (uint32_t i = 0; i < part->chain_length; i++)
        note(matcher, part->chain[i], (action){number, i, IS_LINK});
    for (uint32_t i = 0; i <= part->chain_length; i++)
        if (part->guards[i].value != NULL)
            note(matcher, part->guards[i].value, (action){number, i, IS_GUARD});
    if (part->metadata != NULL)
        note(matcher, part->metadata, (action){number, 0, IS_METADATA});
    matcher->leaves[part->last_leaf->first_leaf] = true;
}

/*
 * Sorts what fields mean by field, in two rounds over the same notes: after the first, element
 * f + 1 is how many field f has; summed up and moved by one, it is where they begin, and counts up
 * to where they end as they are put there.
 */
static lam_status note_all(lam_part_matcher *matcher, lam_error *error) {
    size_t fields = matcher->schema->field_count;
    void *memory;
    LAM_TRY(lam_arena_array(&matcher->arena, fields + 1, sizeof(uint32_t), &memory, error));
    matcher->first_action = memory;
    for (uint32_t i = 0; i < matcher->follower_count; i++)
        note_part(matcher, i);
    uint32_t total = 0;
    for (size_t i = 1; i <= fields; i++) {
        uint32_t count = matcher->first_action[i];
        matcher->first_action[i] = total;
        total += count;
    }
    LAM_TRY(lam_arena_array(&matcher->arena, total, sizeof(action), &memory, error));
    matcher->actions = memory;
    for (uint32_t i = 0; i < matcher->follower_count; i++)
        note_part(matcher, i);
    return LAM_STATUS_OK;
}

static lam_status init_follower(lam_part_matcher *matcher, follower *it,
                                const lam_filter_test *test, lam_error *error) {
    void *memory;
    it->test = test;
    it->part = test->part;
    lam_buffer_init(&it->kept, &matcher->allocator);
    lam_buffer_init(&it->bytes, &matcher->allocator);
    lam_buffer_init(&it->metadata, &matcher->allocator);
    matcher->follower_count++;
    LAM_TRY(lam_arena_array(&matcher->arena, it->part->chain_length + 1, sizeof(level), &memory,
                            error));
    it->levels = memory;
    return LAM_STATUS_OK;
}

static lam_status fill(lam_part_matcher *matcher, lam_error *error) {
    const lam_filter *filter = matcher->filter;
    void *memory;
    LAM_TRY(lam_arena_array(&matcher->arena, matcher->schema->leaf_count + 1, sizeof(bool), &memory,
                            error));
    matcher->leaves = memory;
    LAM_TRY(lam_arena_array(&matcher->arena, filter->test_count, sizeof(follower), &memory, error));
    matcher->followers = memory;
    for (size_t i = 0; i < filter->test_count; i++)
        if (matcher->tests[i])
            LAM_TRY(init_follower(matcher, &matcher->followers[matcher->follower_count],
                                  &filter->tests[i], error));
    return note_all(matcher, error);
}

lam_status lam_part_matcher_create(const lam_filter *filter, const bool *tests,
                                   const lam_allocator *allocator, lam_part_matcher **ret_matcher,
                                   lam_error *error) {
    lam_status status;
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(lam_part_matcher), &memory, error));
    lam_part_matcher *matcher = memory;
    matcher->allocator = *allocator;
    matcher->schema = filter->schema;
    matcher->filter = filter;
    matcher->tests = tests;
    lam_arena_init(&matcher->arena, allocator, 0);
    LAM_TRY_OUT(fill(matcher, error));
    *ret_matcher = matcher;
    return LAM_STATUS_OK;
out:
    lam_part_matcher_destroy(matcher);
    return status;
}

void lam_part_matcher_destroy(lam_part_matcher *matcher) {
    if (matcher == NULL)
        return;
    lam_allocator allocator = matcher->allocator;
    for (size_t i = 0; i < matcher->follower_count; i++) {
        lam_buffer_finish(&matcher->followers[i].kept);
        lam_buffer_finish(&matcher->followers[i].bytes);
        lam_buffer_finish(&matcher->followers[i].metadata);
    }
    lam_arena_finish(&matcher->arena);
    lam_free(&allocator, matcher, sizeof *matcher);
}

const bool *lam_part_matcher_leaves(const lam_part_matcher *matcher) {
    return matcher->leaves;
}

void lam_part_matcher_begin(lam_part_matcher *matcher, uint8_t *const *outcomes) {
    size_t next = 0;
    matcher->record = 0;
    for (size_t i = 0; i < matcher->filter->test_count; i++)
        if (matcher->tests[i])
            matcher->followers[next++].outcomes = outcomes[i];
}

lam_record_sink lam_part_matcher_sink(lam_part_matcher *matcher) {
    return (lam_record_sink){matcher, on_begin, on_open, on_put, on_close, on_end, NULL};
}
