/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells records that are written as text. In: a schema and relaxed JSON. Out: the verbs of a sink.
 * Shares no code with lib/json, so that files for tests do not depend on it.
 */
#include "support/record_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "reference/json_tree.h"

typedef struct teller {
    const lam_record_sink *sink;
    lam_error *error;
} teller;

static lam_status tell_field(const teller *t, const lam_field *field, const lam_json_tree *tree);

static lam_value value_in_text(const lam_field *leaf, const lam_json_tree *tree) {
    lam_value value = {0};
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = tree->boolean;
        break;
    case LAM_PHYSICAL_INT32:
        value.int32 = (int32_t)tree->integer;
        break;
    case LAM_PHYSICAL_INT64:
        value.int64 = tree->integer;
        break;
    case LAM_PHYSICAL_FLOAT:
        value.float32 = (float)tree->real;
        break;
    case LAM_PHYSICAL_DOUBLE:
        value.float64 = tree->real;
        break;
    default:
        cr_assert_eq(tree->kind, LAM_JSON_STRING, "no bytes for %s", lam_field_name(leaf));
        value.bytes = (lam_bytes){(const uint8_t *)tree->text, tree->size};
        break;
    }
    return value;
}

static lam_status tell_members(const teller *t, const lam_field *group, const lam_json_tree *tree) {
    cr_assert_eq(tree->kind, LAM_JSON_OBJECT, "no object for %s", lam_field_name(group));
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < tree->count && status == LAM_STATUS_OK; i++) {
        const lam_field *field =
            lam_field_child_named(group, tree->names[i], strlen(tree->names[i]));
        cr_assert_not_null(field, "%s has no field %s", lam_field_name(group), tree->names[i]);
        status = tell_field(t, field, &tree->items[i]);
    }
    return status;
}

/* The elements of a LIST, or the entries of a MAP, which are in a repeated group of their own. */
static lam_status tell_elements(const teller *t, const lam_field *group,
                                const lam_json_tree *array) {
    const lam_field *repeated = lam_field_child(group, 0);
    const bool is_list = lam_field_child_count(repeated) == 1;
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < array->count && status == LAM_STATUS_OK; i++) {
        if (!is_list) {
            status = tell_field(t, repeated, &array->items[i]);
            continue;
        }
        status = t->sink->open(t->sink->state, repeated, t->error);
        if (status == LAM_STATUS_OK)
            status = tell_field(t, lam_field_child(repeated, 0), &array->items[i]);
        if (status == LAM_STATUS_OK)
            status = t->sink->close(t->sink->state, repeated, t->error);
    }
    return status;
}

static lam_status tell_field(const teller *t, const lam_field *field, const lam_json_tree *tree) {
    lam_status status = LAM_STATUS_OK;
    if (tree->kind == LAM_JSON_NULL)
        return LAM_STATUS_OK;
    if (tree->kind == LAM_JSON_ARRAY && lam_field_repetition(field) == LAM_REPETITION_REPEATED) {
        for (size_t i = 0; i < tree->count && status == LAM_STATUS_OK; i++)
            status = tell_field(t, field, &tree->items[i]);
        return status;
    }
    if (lam_field_is_leaf(field))
        return t->sink->put(t->sink->state, field, value_in_text(field, tree), t->error);
    status = t->sink->open(t->sink->state, field, t->error);
    if (status == LAM_STATUS_OK)
        status = tree->kind == LAM_JSON_ARRAY ? tell_elements(t, field, tree)
                                              : tell_members(t, field, tree);
    return status == LAM_STATUS_OK ? t->sink->close(t->sink->state, field, t->error) : status;
}

lam_status lam_tell(const lam_schema *schema, const lam_record_sink *sink, const char *records,
                    lam_error *error) {
    const teller t = {sink, error};
    const lam_allocator heap = lam_allocator_default();
    lam_status status = LAM_STATUS_OK;
    lam_arena arena;
    lam_arena_init(&arena, &heap, 0);
    while (status == LAM_STATUS_OK && *records != '\0') {
        const lam_json_tree record = lam_json_tree_next(&records, &arena);
        status = sink->begin(sink->state, error);
        if (status == LAM_STATUS_OK)
            status = tell_members(&t, lam_schema_root(schema), &record);
        if (status == LAM_STATUS_OK)
            status = sink->end(sink->state, error);
    }
    lam_arena_finish(&arena);
    return status;
}

lam_status lam_vtell(const lam_schema *schema, const lam_record_sink *sink, lam_error *error,
                     const char *format, va_list arguments) {
    char text[4096];
    const int size = vsnprintf(text, sizeof text, format, arguments);
    cr_assert(size >= 0 && (size_t)size < sizeof text, "too long: %s", text);
    return lam_tell(schema, sink, text, error);
}
