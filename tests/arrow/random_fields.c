/* SPDX-License-Identifier: Apache-2.0 */
/* Random trees of Arrow fields of every kind, and whether two are the same. */
#include "arrow/random_fields.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/field/arrow_format.h"

/* --- Making them ------------------------------------------------------------------------------ */

static void *take(lam_arena *arena, size_t count, size_t size) {
    void *memory;
    if (lam_arena_array(arena, count, size, &memory, NULL) != LAM_STATUS_OK)
        abort();
    return memory;
}

static const char *choose(lam_random *random, const char *const *words, size_t count) {
    return words[lam_random_below(random, count)];
}

static const char *random_name(lam_random *random) {
    static const char *const names[] = {"a", "b",     "key",  "item",      "a.b",    "",
                                        "z", "größe", "価格", "two words", "element"};
    return choose(random, names, sizeof names / sizeof names[0]);
}

static lam_bytes text_bytes(const char *text) {
    return (lam_bytes){(const uint8_t *)text, strlen(text)};
}

static lam_arrow_metadata random_metadata(lam_random *random, lam_arena *arena) {
    static const char *const keys[] = {"PARQUET:field_id", "comment", "", "größe"};
    static const char *const values[] = {"17", "", "{\"a\": [1, 2]}",
                                         "a longer text, with a comma"};
    lam_arrow_metadata metadata = {0, NULL};
    if (!lam_random_chance(random, 30))
        return metadata;
    size_t count = 1 + (size_t)lam_random_below(random, 4);
    lam_arrow_key_value *key_values = take(arena, count, sizeof *key_values);
    for (size_t i = 0; i < count; i++) {
        key_values[i].key = text_bytes(keys[i]);
        key_values[i].value = text_bytes(choose(random, values, sizeof values / sizeof values[0]));
    }
    metadata.count = count;
    metadata.key_values = key_values;
    return metadata;
}

static void random_decimal(lam_random *random, lam_arrow_type *type) {
    static const int32_t most[] = {9, 18, 38, 76};
    size_t width = (size_t)lam_random_below(random, 4);
    type->bit_width = 32 << width;
    type->precision = 1 + (int32_t)lam_random_below(random, (uint64_t)most[width]);
    type->scale = (int32_t)lam_random_below(random, (uint64_t)type->precision + 4) - 2;
}

static lam_bytes random_union_ids(lam_random *random, lam_arena *arena) {
    size_t count = 1 + (size_t)lam_random_below(random, 3);
    uint8_t *ids = take(arena, count, 1);
    uint8_t first = (uint8_t)lam_random_below(random, 40);
    for (size_t i = 0; i < count; i++)
        ids[i] = (uint8_t)(first + 43 * i) % LAM_ARROW_UNION_MAX;
    return (lam_bytes){ids, count};
}

static lam_arrow_type random_type(lam_random *random, lam_arena *arena, bool nested) {
    static const char *const zones[] = {"UTC", "Europe/Paris", "+07:30", "America/New_York"};
    size_t kinds = nested ? LAM_ARROW_DENSE_UNION + 1 : LAM_ARROW_LIST;
    lam_arrow_type type;
    memset(&type, 0, sizeof type);
    type.kind = (lam_arrow_kind)lam_random_below(random, kinds);
    switch (type.kind) {
    case LAM_ARROW_DECIMAL:
        random_decimal(random, &type);
        break;
    case LAM_ARROW_TIMESTAMP:
        if (lam_random_chance(random, 60))
            type.timezone = choose(random, zones, sizeof zones / sizeof zones[0]);
        /* fall through */
    case LAM_ARROW_DURATION:
        type.unit = (lam_arrow_unit)lam_random_below(random, 4);
        break;
    case LAM_ARROW_TIME32:
        type.unit = (lam_arrow_unit)lam_random_below(random, 2);
        break;
    case LAM_ARROW_TIME64:
        type.unit = (lam_arrow_unit)(2 + lam_random_below(random, 2));
        break;
    case LAM_ARROW_FIXED_SIZE_BINARY:
    case LAM_ARROW_FIXED_SIZE_LIST:
        type.fixed_size = (int32_t)lam_random_below(random, 20);
        break;
    case LAM_ARROW_MAP:
        type.keys_sorted = lam_random_chance(random, 30);
        break;
    case LAM_ARROW_SPARSE_UNION:
    case LAM_ARROW_DENSE_UNION:
        type.union_ids = random_union_ids(random, arena);
        break;
    default:
        break;
    }
    return type;
}

static size_t random_child_count(lam_random *random, const lam_arrow_type *type) {
    if (type->kind >= LAM_ARROW_LIST && type->kind <= LAM_ARROW_FIXED_SIZE_LIST)
        return 1;
    switch (type->kind) {
    case LAM_ARROW_STRUCT:
        return (size_t)lam_random_below(random, 4);
    case LAM_ARROW_MAP:
        return 1;
    case LAM_ARROW_RUN_END_ENCODED:
        return 2;
    case LAM_ARROW_SPARSE_UNION:
    case LAM_ARROW_DENSE_UNION:
        return type->union_ids.size;
    default:
        return 0;
    }
}

static void make_entries(lam_random *random, lam_arena *arena, unsigned depth,
                         lam_arrow_field *entries) {
    memset(entries, 0, sizeof *entries);
    entries->name = "entries";
    entries->type.kind = LAM_ARROW_STRUCT;
    entries->child_count = 2;
    entries->children = take(arena, 2, sizeof *entries);
    entries->children[0] = lam_random_field(random, arena, 0);
    entries->children[0].nullable = false;
    entries->children[1] = lam_random_field(random, arena, depth - 1);
    /* Others know no other names. */
    entries->children[0].name = "key";
    entries->children[1].name = "value";
}

static void make_run_ends(lam_random *random, lam_arrow_field *ends) {
    static const lam_arrow_kind kinds[] = {LAM_ARROW_INT16, LAM_ARROW_INT32, LAM_ARROW_INT64};
    memset(ends, 0, sizeof *ends);
    ends->name = "run_ends";
    ends->type.kind = kinds[lam_random_below(random, 3)];
}

lam_arrow_field lam_random_field(lam_random *random, lam_arena *arena, unsigned depth) {
    lam_arrow_field field;
    memset(&field, 0, sizeof field);
    field.name = random_name(random);
    /* Maps take two levels. */
    do
        field.type = random_type(random, arena, depth > 0);
    while (field.type.kind == LAM_ARROW_MAP && depth < 2);
    field.nullable = lam_random_chance(random, 70);
    field.metadata = random_metadata(random, arena);
    if (field.type.kind != LAM_ARROW_NULL && field.type.kind != LAM_ARROW_RUN_END_ENCODED &&
        lam_random_chance(random, 20)) {
        field.is_dictionary = true;
        field.dictionary_ordered = lam_random_chance(random, 30);
        field.index_kind = (lam_arrow_kind)(LAM_ARROW_INT8 + lam_random_below(random, 8));
    }
    field.child_count = random_child_count(random, &field.type);
    field.children = take(arena, field.child_count, sizeof field);
    for (size_t i = 0; i < field.child_count; i++) {
        if (field.type.kind == LAM_ARROW_MAP)
            make_entries(random, arena, depth - 1, &field.children[i]);
        else if (field.type.kind == LAM_ARROW_RUN_END_ENCODED && i == 0)
            make_run_ends(random, &field.children[i]);
        else
            field.children[i] = lam_random_field(random, arena, depth - 1);
    }
    if (field.type.kind == LAM_ARROW_RUN_END_ENCODED) {
        /* As others make them, who keep no more of the values than their type. */
        field.children[1].name = "values";
        field.children[1].nullable = true;
        field.children[1].metadata.count = 0;
    }
    return field;
}

lam_arrow_field lam_random_schema(lam_random *random, lam_arena *arena, unsigned depth) {
    lam_arrow_field root;
    memset(&root, 0, sizeof root);
    root.name = "";
    root.type.kind = LAM_ARROW_STRUCT;
    root.metadata = random_metadata(random, arena);
    root.child_count = (size_t)lam_random_below(random, 7);
    root.children = take(arena, root.child_count, sizeof root);
    for (size_t i = 0; i < root.child_count; i++)
        root.children[i] = lam_random_field(random, arena, depth);
    return root;
}

/* --- Comparing them --------------------------------------------------------------------------- */

static bool bytes_equal(lam_bytes a, lam_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

const char *lam_fields_differ(const lam_arrow_field *a, const lam_arrow_field *b) {
    if (strcmp(a->name, b->name) != 0)
        return "name";
    if (!lam_arrow_type_equals(&a->type, &b->type))
        return "type";
    if (a->nullable != b->nullable)
        return "nullable";
    if (a->is_dictionary != b->is_dictionary || a->dictionary_ordered != b->dictionary_ordered ||
        (a->is_dictionary && a->index_kind != b->index_kind))
        return "dictionary";
    if (a->metadata.count != b->metadata.count)
        return "count of metadata";
    for (size_t i = 0; i < a->metadata.count; i++)
        if (!bytes_equal(a->metadata.key_values[i].key, b->metadata.key_values[i].key) ||
            !bytes_equal(a->metadata.key_values[i].value, b->metadata.key_values[i].value))
            return "metadata";
    if (a->child_count != b->child_count)
        return "count of children";
    for (size_t i = 0; i < a->child_count; i++) {
        const char *difference = lam_fields_differ(&a->children[i], &b->children[i]);
        if (difference != NULL)
            return difference;
    }
    return NULL;
}
