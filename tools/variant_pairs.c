/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes the pairs of each VARIANT while its events pass on to the library's assembler: takes
 * records as events, and calls once for each VARIANT, with its pairs in preorder and the assembled
 * value.
 *
 *     open event, put value, open typed_value, open a, put typed_value, close a, ...
 *
 *     pair 0 event: value, typed_value      pair 1 a: typed_value, parent 0
 *
 * The invariant: the stack has the groups that are open inside the VARIANT; which columns belong to
 * a pair depends on their names, and whether a typed_value is an array on its LIST annotation, as
 * the assembler has checked when it took the group. (VariantShredding.md, "Value Shredding")
 */
#define _POSIX_C_SOURCE 200809L
#include "variant_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"

enum { OPEN_MOST = 256 /* deeper than schemas are */ };

/* The kind of an open group inside a VARIANT. */
typedef enum open_role { OPEN_PAIR, OPEN_OBJECT, OPEN_LIST, OPEN_ELEMENTS } open_role;

typedef struct open_group {
    open_role role;
    size_t pair; /* SIZE_MAX: left out */
} open_group;

struct variant_pairs {
    variant_visitor *visitor;
    void *state;
    const lam_schema *schema;
    lam_variant_assembler *assembler;
    lam_record_sink next;   /* of the assembler */
    uint64_t record;        /* that is open */
    bool is_failed;         /* the rest of the record is passed over */
    const lam_field *group; /* the VARIANT that is open, or NULL */
    open_group stack[OPEN_MOST];
    size_t depth;
    variant_pair *pairs;
    size_t pair_count;
    size_t pair_room;
    size_t most;
    size_t left_out;
    uint8_t *metadata;
    size_t metadata_size;
};

/* --- Rules --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *words;
} rules[VARIANT_RULE_COUNT] = {
    [VARIANT_RULE_MISSING] = {"missing",
                              "value and typed_value are both null: the object has no such field"},
    [VARIANT_RULE_NULL] = {"null", "value and typed_value are both null where there must be a "
                                   "value: it is the null that VARIANTs have"},
    [VARIANT_RULE_VALUE] = {"value", "only value is there: it is the value, whatever its type is"},
    [VARIANT_RULE_SCALAR] = {"scalar", "only typed_value is there: it is the value, of the type "
                                       "of its column"},
    [VARIANT_RULE_ARRAY] = {"array", "only typed_value is there, and it is a list: an array whose "
                                     "elements are pairs again"},
    [VARIANT_RULE_OBJECT] = {"object", "only typed_value is there, and it is a group: an object "
                                       "whose fields are pairs again"},
    [VARIANT_RULE_PARTIAL] = {"partial", "both are there: an object that is shredded in part; the "
                                         "fields without columns are in value"},
    [VARIANT_RULE_OVERLAP] = {"overlap", "both are there: an object that is shredded in part; but "
                                         "value has a field that has columns of its own, which "
                                         "must not be: the columns count"},
    [VARIANT_RULE_CONFLICT] = {"conflict", "both are there, though one of them must be null: they "
                                           "contradict each other, and typed_value counts"},
};

const char *variant_rule_name(variant_rule rule) {
    return rules[rule].name;
}

const char *variant_rule_words(variant_rule rule) {
    return rules[rule].words;
}

static bool is_group(const lam_field *field) {
    return !lam_field_is_leaf(field);
}

static bool is_list(const lam_field *field) {
    return lam_field_logical_type(field)->kind == LAM_LOGICAL_LIST;
}

/* True if an object in `value` has a field that has columns of its own. */
static bool overlaps(const variant_pair *pair, lam_variant object) {
    for (size_t i = 0; i < lam_field_child_count(pair->typed_field); i++) {
        const char *name = lam_field_name(lam_field_child(pair->typed_field, i));
        lam_variant found;
        if (lam_variant_field(object, name, strlen(name), &found, NULL) == LAM_STATUS_OK)
            return true;
    }
    return false;
}

variant_rule variant_rule_of(const variant_pair *pair, lam_bytes metadata) {
    lam_variant value = {metadata, pair->value};
    bool is_object = pair->has_typed && is_group(pair->typed_field) && !is_list(pair->typed_field);
    if (pair->has_typed && pair->has_value) {
        if (!is_object || lam_variant_kind_of(value) != LAM_VARIANT_OBJECT)
            return VARIANT_RULE_CONFLICT;
        return overlaps(pair, value) ? VARIANT_RULE_OVERLAP : VARIANT_RULE_PARTIAL;
    }
    if (pair->has_value)
        return VARIANT_RULE_VALUE;
    if (!pair->has_typed)
        return pair->parent == SIZE_MAX || pair->is_element ? VARIANT_RULE_NULL
                                                            : VARIANT_RULE_MISSING;
    if (is_object)
        return VARIANT_RULE_OBJECT;
    return is_group(pair->typed_field) ? VARIANT_RULE_ARRAY : VARIANT_RULE_SCALAR;
}

/* --- Noting -------------------------------------------------------------------------------- */

static void forget(variant_pairs *pairs) {
    for (size_t i = 0; i < pairs->pair_count; i++) {
        free((void *)(uintptr_t)pairs->pairs[i].value.data);
        free(pairs->pairs[i].typed_text);
    }
    free(pairs->metadata);
    pairs->metadata = NULL;
    pairs->metadata_size = 0;
    pairs->pair_count = 0;
    pairs->left_out = 0;
    pairs->depth = 0;
    pairs->group = NULL;
}

static uint8_t *copy_of(lam_bytes bytes) {
    uint8_t *copy = tool_allocate(bytes.size + 1, 1);
    if (bytes.size > 0)
        memcpy(copy, bytes.data, bytes.size);
    return copy;
}

static void push_group(variant_pairs *pairs, open_role role, size_t pair) {
    if (pairs->depth < OPEN_MOST)
        pairs->stack[pairs->depth] = (open_group){role, pair};
    pairs->depth++;
}

/* Notes a pair, in an object or array that is pair `parent`, and pushes it. */
static void open_pair(variant_pairs *pairs, const lam_field *group, size_t parent,
                      bool is_element) {
    size_t index = 0;
    bool is_noted =
        pairs->pair_count < pairs->most && (pairs->pair_count == 0 || parent < SIZE_MAX);
    if (parent < SIZE_MAX && is_element)
        index = pairs->pairs[parent].element_count++;
    if (!is_noted) {
        pairs->left_out++;
        push_group(pairs, OPEN_PAIR, SIZE_MAX);
        return;
    }
    variant_pair pair = {
        .group = group, .parent = parent, .is_element = is_element, .index = index};
    for (size_t i = 0; i < lam_field_child_count(group); i++) {
        const lam_field *child = lam_field_child(group, i);
        if (strcmp(lam_field_name(child), "value") == 0)
            pair.value_field = child;
        if (strcmp(lam_field_name(child), "typed_value") == 0)
            pair.typed_field = child;
    }
    if (pairs->pair_count == pairs->pair_room) {
        pairs->pair_room = 2 * pairs->pair_room + 16;
        pairs->pairs = tool_reallocate(pairs->pairs, pairs->pair_room, sizeof pair);
    }
    pairs->pairs[pairs->pair_count] = pair;
    push_group(pairs, OPEN_PAIR, pairs->pair_count++);
}

static void note_open(variant_pairs *pairs, const lam_field *group) {
    if (pairs->group == NULL) {
        if (!lam_variant_assembler_takes(pairs->assembler, group))
            return;
        forget(pairs);
        pairs->group = group;
        open_pair(pairs, group, SIZE_MAX, false);
        return;
    }
    if (pairs->depth == 0 || pairs->depth >= OPEN_MOST)
        return;
    open_group top = pairs->stack[pairs->depth - 1];
    switch (top.role) {
    case OPEN_PAIR:
        if (top.pair < SIZE_MAX)
            pairs->pairs[top.pair].has_typed = true;
        push_group(pairs, is_list(group) ? OPEN_LIST : OPEN_OBJECT, top.pair);
        break;
    case OPEN_OBJECT:
        open_pair(pairs, group, top.pair, false);
        break;
    case OPEN_LIST:
        push_group(pairs, OPEN_ELEMENTS, top.pair);
        break;
    case OPEN_ELEMENTS:
        open_pair(pairs, group, top.pair, true);
        break;
    }
}

/* Closes a text in memory; gives its contents, or NULL after a failure. */
static char *take_text(lam_output *text, lam_status status, const lam_error *error) {
    char *copy = NULL;
    if (status == LAM_STATUS_NOMEM)
        tool_end_without_memory(NULL, error->message);
    if (status == LAM_STATUS_OK)
        copy = (char *)copy_of(lam_output_memory_bytes(text));
    lam_output_close(text);
    return copy;
}

/* A value of a leaf as JSON; NULL if it cannot be printed. */
static char *text_of(const lam_field *leaf, lam_value value) {
    lam_output text = {0};
    lam_error error = lam_error_none();
    lam_status status = lam_output_memory(tool_allocator(), &text, &error);
    if (status == LAM_STATUS_OK)
        status = lam_json_print_value(leaf, value, LAM_JSON_BINARY_BASE64, &text, &error);
    return take_text(&text, status, &error);
}

char *variant_pairs_value_text(lam_variant variant, lam_error *error) {
    lam_output text = {0};
    lam_status status = lam_output_memory(tool_allocator(), &text, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_print_variant(variant, LAM_JSON_VARIANT_VALUE, LAM_JSON_BINARY_BASE64,
                                        &text, error);
    return take_text(&text, status, error);
}

static void note_put(variant_pairs *pairs, const lam_field *leaf, lam_value value) {
    if (pairs->group == NULL || pairs->depth == 0 || pairs->depth > OPEN_MOST)
        return;
    open_group top = pairs->stack[pairs->depth - 1];
    if (top.role != OPEN_PAIR || top.pair == SIZE_MAX)
        return;
    variant_pair *pair = &pairs->pairs[top.pair];
    if (leaf == pair->value_field && !pair->has_value) {
        pair->has_value = true;
        pair->value = (lam_bytes){copy_of(value.bytes), value.bytes.size};
    } else if (leaf == pair->typed_field && !pair->has_typed) {
        pair->has_typed = true;
        pair->typed_text = text_of(leaf, value);
    } else if (pair->parent == SIZE_MAX && pairs->metadata == NULL) {
        pairs->metadata = copy_of(value.bytes);
        pairs->metadata_size = value.bytes.size;
    }
}

/* Hands the VARIANT over, with the value or the failure. */
static void visit_found(variant_pairs *pairs, lam_variant assembled, const lam_error *failure) {
    variant_found found = {.group = pairs->group,
                           .record = pairs->record,
                           .has_metadata = pairs->metadata != NULL,
                           .metadata = {pairs->metadata, pairs->metadata_size},
                           .pairs = pairs->pairs,
                           .pair_count = pairs->pair_count,
                           .pairs_left_out = pairs->left_out,
                           .assembled = assembled,
                           .failure = failure};
    pairs->visitor(pairs->state, &found);
    forget(pairs);
}

/* --- The verbs ----------------------------------------------------------------------------- */

/* A failure of the assembler is the VARIANT's, if one is open, and is reported for it. */
static lam_status pass_on(variant_pairs *pairs, lam_status status, const lam_error *failure,
                          lam_error *error) {
    if (status == LAM_STATUS_OK)
        return status;
    pairs->is_failed = true;
    if (status == LAM_STATUS_NOMEM || status == LAM_STATUS_CANCELLED) {
        *error = *failure;
        return status;
    }
    if (pairs->group != NULL)
        visit_found(pairs, (lam_variant){{NULL, 0}, {NULL, 0}}, failure);
    return LAM_STATUS_OK;
}

static lam_status pairs_begin(void *state, lam_error *error) {
    variant_pairs *pairs = state;
    forget(pairs);
    pairs->is_failed = false;
    return pairs->next.begin(pairs->next.state, error);
}

static lam_status pairs_open(void *state, const lam_field *group, lam_error *error) {
    variant_pairs *pairs = state;
    lam_error failure = lam_error_none();
    if (pairs->is_failed)
        return LAM_STATUS_OK;
    note_open(pairs, group);
    return pass_on(pairs, pairs->next.open(pairs->next.state, group, &failure), &failure, error);
}

static lam_status pairs_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    variant_pairs *pairs = state;
    lam_error failure = lam_error_none();
    if (pairs->is_failed)
        return LAM_STATUS_OK;
    note_put(pairs, leaf, value);
    return pass_on(pairs, pairs->next.put(pairs->next.state, leaf, value, &failure), &failure,
                   error);
}

/* The close of a VARIANT ends in on_variant, unless it fails. */
static lam_status pairs_close(void *state, const lam_field *group, lam_error *error) {
    variant_pairs *pairs = state;
    lam_error failure = lam_error_none();
    if (pairs->is_failed)
        return LAM_STATUS_OK;
    lam_status status = pairs->next.close(pairs->next.state, group, &failure);
    if (status == LAM_STATUS_OK && pairs->group != NULL && pairs->depth > 0)
        pairs->depth--;
    return pass_on(pairs, status, &failure, error);
}

static lam_status pairs_end(void *state, lam_error *error) {
    variant_pairs *pairs = state;
    lam_error failure = lam_error_none();
    lam_status status = pairs->next.end(pairs->next.state, &failure);
    pairs->record++;
    return pairs->is_failed ? LAM_STATUS_OK : pass_on(pairs, status, &failure, error);
}

static lam_status on_variant(void *state, const lam_field *group, lam_variant variant,
                             lam_error *error) {
    (void)group, (void)error;
    visit_found(state, variant, NULL);
    return LAM_STATUS_OK;
}

/* --- After the assembler: only VARIANTs count ---------------------------------------------- */

static lam_status ignore_verb(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status ignore_group(void *state, const lam_field *group, lam_error *error) {
    (void)state, (void)group, (void)error;
    return LAM_STATUS_OK;
}

static lam_status ignore_value(void *state, const lam_field *leaf, lam_value value,
                               lam_error *error) {
    (void)state, (void)leaf, (void)value, (void)error;
    return LAM_STATUS_OK;
}

lam_status variant_pairs_create(const lam_schema *schema, const bool *leaves, uint64_t first_record,
                                size_t most, variant_visitor *visitor, void *state,
                                variant_pairs **ret_pairs, lam_error *error) {
    variant_pairs *pairs = tool_allocate(1, sizeof *pairs);
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_sink sink = {
        {pairs, ignore_verb, ignore_group, ignore_value, ignore_group, ignore_verb, NULL},
        on_variant};
    options.tolerate_conflicts = true;
    pairs->visitor = visitor;
    pairs->state = state;
    pairs->record = first_record;
    pairs->most = most;
    pairs->schema = schema;
    lam_status status = lam_variant_assembler_create(schema, leaves, &options, &sink,
                                                     tool_allocator(), &pairs->assembler, error);
    if (status != LAM_STATUS_OK) {
        free(pairs);
        return status;
    }
    pairs->next = lam_variant_assembler_sink(pairs->assembler);
    *ret_pairs = pairs;
    return LAM_STATUS_OK;
}

lam_record_sink variant_pairs_sink(variant_pairs *pairs) {
    lam_record_sink sink = {pairs,       pairs_begin, pairs_open, pairs_put,
                            pairs_close, pairs_end,   NULL};
    return sink;
}

void variant_pairs_destroy(variant_pairs *pairs) {
    if (pairs == NULL)
        return;
    forget(pairs);
    lam_variant_assembler_destroy(pairs->assembler);
    free(pairs->pairs);
    free(pairs);
}

/* True if the field or one inside is a VARIANT, and the assembler, if there is one, takes it. */
static bool has_variant(const lam_field *field, const lam_variant_assembler *assembler) {
    if (lam_field_logical_type(field)->kind == LAM_LOGICAL_VARIANT &&
        (assembler == NULL || lam_variant_assembler_takes(assembler, field)))
        return true;
    for (size_t i = 0; i < lam_field_child_count(field); i++)
        if (has_variant(lam_field_child(field, i), assembler))
            return true;
    return false;
}

bool variant_pairs_has_any(const lam_schema *schema) {
    return has_variant(lam_schema_root(schema), NULL);
}

bool variant_pairs_visits_any(const variant_pairs *pairs) {
    return has_variant(lam_schema_root(pairs->schema), pairs->assembler);
}
