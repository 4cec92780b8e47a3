/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as trees in memory: made at random, told to a sink, built by one, projected and compared.
 */
#include "reference/record_tree.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

void *lam_tree_alloc(lam_arena *arena, size_t count, size_t size) {
    void *memory;
    cr_assert_eq(lam_arena_array(arena, count, size, &memory, NULL), LAM_STATUS_OK);
    return memory;
}

lam_tree_item lam_tree_item_empty(const lam_field *field, lam_arena *arena) {
    lam_tree_item item = {0};
    if (!lam_field_is_leaf(field))
        item.fields = lam_tree_alloc(arena, lam_field_child_count(field), sizeof *item.fields);
    return item;
}

lam_tree_item *lam_tree_append(lam_tree_field *items, const lam_field *field, lam_arena *arena) {
    if ((items->count & (items->count - 1)) == 0) { /* full at 0 and at each power of two */
        lam_tree_item *grown = lam_tree_alloc(arena, items->count * 2 + 1, sizeof *grown);
        if (items->count > 0)
            memcpy(grown, items->items, items->count * sizeof *grown);
        items->items = grown;
    }
    items->items[items->count] = lam_tree_item_empty(field, arena);
    return &items->items[items->count++];
}

/* --- Projection and equality ----------------------------------------------------------------- */

static bool is_projected(const lam_field *field, const bool *leaves) {
    for (size_t i = 0; i < lam_field_leaf_count(field); i++)
        if (leaves[lam_field_first_leaf(field) + i])
            return true;
    return false;
}

lam_tree_item lam_tree_project(const lam_field *field, const lam_tree_item *item,
                               const bool *leaves, lam_arena *arena) {
    if (lam_field_is_leaf(field))
        return *item;
    lam_tree_item result = lam_tree_item_empty(field, arena);
    for (size_t c = 0; c < lam_field_child_count(field); c++) {
        const lam_field *child = lam_field_child(field, c);
        if (!is_projected(child, leaves))
            continue;
        for (size_t i = 0; i < item->fields[c].count; i++) {
            lam_tree_item *copy = lam_tree_append(&result.fields[c], child, arena);
            *copy = lam_tree_project(child, &item->fields[c].items[i], leaves, arena);
        }
    }
    return result;
}

bool lam_tree_value_equals(const lam_field *leaf, lam_value a, lam_value b) {
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        return a.boolean == b.boolean;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_FLOAT:
        return memcmp(&a, &b, 4) == 0;
    case LAM_PHYSICAL_INT64:
    case LAM_PHYSICAL_DOUBLE:
        return memcmp(&a, &b, 8) == 0;
    default:
        return a.bytes.size == b.bytes.size &&
               (a.bytes.size == 0 || memcmp(a.bytes.data, b.bytes.data, a.bytes.size) == 0);
    }
}

bool lam_tree_equals(const lam_field *field, const lam_tree_item *a, const lam_tree_item *b) {
    if (lam_field_is_leaf(field))
        return lam_tree_value_equals(field, a->value, b->value);
    for (size_t c = 0; c < lam_field_child_count(field); c++) {
        if (a->fields[c].count != b->fields[c].count)
            return false;
        for (size_t i = 0; i < a->fields[c].count; i++)
            if (!lam_tree_equals(lam_field_child(field, c), &a->fields[c].items[i],
                                 &b->fields[c].items[i]))
                return false;
    }
    return true;
}

/* --- Driving a sink -------------------------------------------------------------------------- */

static lam_status drive_group(const lam_field *group, const lam_tree_item *item,
                              const lam_record_sink *sink, lam_random *random, bool apart,
                              lam_error *error);

static lam_status drive_item(const lam_field *field, const lam_tree_item *item,
                             const lam_record_sink *sink, lam_random *random, bool apart,
                             lam_error *error) {
    if (lam_field_is_leaf(field))
        return sink->put(sink->state, field, item->value, error);
    lam_status status = sink->open(sink->state, field, error);
    if (status == LAM_STATUS_OK)
        status = drive_group(field, item, sink, random, apart, error);
    if (status == LAM_STATUS_OK)
        status = sink->close(sink->state, field, error);
    return status;
}

/* The fields of a group, or, when they go apart, the Nth element of each of them. */
static lam_status drive_round(const lam_field *group, const lam_tree_item *item, size_t nth,
                              const lam_record_sink *sink, lam_random *random, bool apart,
                              lam_error *error) {
    size_t count = lam_field_child_count(group);
    size_t start = random != NULL ? (size_t)lam_random_below(random, count) : 0;
    bool backwards = random != NULL && lam_random_chance(random, 50);
    for (size_t k = 0; k < count; k++) {
        size_t c = (start + (backwards ? count - k : k)) % count;
        const lam_tree_field *field = &item->fields[c];
        size_t end = apart ? nth + 1 : field->count;
        for (size_t i = nth; i < end && i < field->count; i++) {
            lam_status status =
                drive_item(lam_field_child(group, c), &field->items[i], sink, random, apart, error);
            if (status != LAM_STATUS_OK)
                return status;
        }
    }
    return LAM_STATUS_OK;
}

static lam_status drive_group(const lam_field *group, const lam_tree_item *item,
                              const lam_record_sink *sink, lam_random *random, bool apart,
                              lam_error *error) {
    size_t rounds = 1;
    for (size_t c = 0; apart && c < lam_field_child_count(group); c++)
        rounds = item->fields[c].count > rounds ? item->fields[c].count : rounds;
    for (size_t nth = 0; nth < rounds; nth++) {
        lam_status status = drive_round(group, item, nth, sink, random, apart, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    return LAM_STATUS_OK;
}

lam_status lam_tree_drive(const lam_schema *schema, const lam_tree_item *record,
                          const lam_record_sink *sink, lam_random *random, bool apart,
                          lam_error *error) {
    lam_status status = sink->begin(sink->state, error);
    if (status == LAM_STATUS_OK)
        status = drive_group(lam_schema_root(schema), record, sink, random, apart, error);
    if (status == LAM_STATUS_OK)
        status = sink->end(sink->state, error);
    return status;
}

/* --- Being a sink ---------------------------------------------------------------------------- */

static lam_tree_item *append_to_open(lam_tree_builder *builder, const lam_field *field) {
    size_t ordinal = lam_field_ordinal(field);
    size_t *last = &builder->last[builder->depth];
    bool again = ordinal + 1 == *last;
    if (ordinal + 1 < *last || (again && lam_field_repetition(field) != LAM_REPETITION_REPEATED))
        builder->misordered++;
    *last = ordinal + 1;
    return lam_tree_append(&builder->open[builder->depth]->fields[ordinal], field, builder->arena);
}

static void push(lam_tree_builder *builder, lam_tree_item *item) {
    builder->depth++;
    builder->open[builder->depth] = item;
    builder->last[builder->depth] = 0;
}

static lam_status build_begin(void *state, lam_error *error) {
    (void)error;
    lam_tree_builder *builder = state;
    builder->depth = 0;
    builder->records.count = builder->ended;
    push(builder,
         lam_tree_append(&builder->records, lam_schema_root(builder->schema), builder->arena));
    return LAM_STATUS_OK;
}

static lam_status build_open(void *state, const lam_field *group, lam_error *error) {
    (void)error;
    lam_tree_builder *builder = state;
    push(builder, append_to_open(builder, group));
    return LAM_STATUS_OK;
}

static lam_status build_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)error;
    lam_tree_builder *builder = state;
    lam_physical_type type = lam_field_physical_type(leaf);
    if (type == LAM_PHYSICAL_BYTE_ARRAY || type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
        type == LAM_PHYSICAL_INT96) {
        uint8_t *copy = lam_tree_alloc(builder->arena, value.bytes.size, 1);
        if (value.bytes.size > 0)
            memcpy(copy, value.bytes.data, value.bytes.size);
        value.bytes.data = copy;
    }
    append_to_open(builder, leaf)->value = value;
    return LAM_STATUS_OK;
}

static lam_status build_close(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    (void)error;
    lam_tree_builder *builder = state;
    builder->depth--;
    return LAM_STATUS_OK;
}

static lam_status build_end(void *state, lam_error *error) {
    (void)error;
    lam_tree_builder *builder = state;
    builder->depth--;
    builder->ended++;
    return LAM_STATUS_OK;
}

void lam_tree_builder_init(lam_tree_builder *builder, const lam_schema *schema, lam_arena *arena) {
    memset(builder, 0, sizeof *builder);
    builder->schema = schema;
    builder->arena = arena;
}

lam_record_sink lam_tree_builder_sink(lam_tree_builder *builder) {
    lam_record_sink sink = {builder,     build_begin, build_open, build_put,
                            build_close, build_end,   NULL};
    return sink;
}
