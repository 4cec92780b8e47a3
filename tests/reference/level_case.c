/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the shared examples of levels, tells their records to a sink, and compares columns with
 * theirs.
 */
#include "reference/level_case.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <stdlib.h>
#include <string.h>

#include "schema/tree.h"
#include "support/shared.h"

void lam_level_case_open(lam_level_case *level_case, const char *path) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena_init(&level_case->arena, &allocator, 0);
    size_t size;
    char *file = lam_test_read_file(path, &size);
    cr_assert_not_null(file, "cannot read %s", path);
    level_case->json = lam_json_tree_parse(file, &level_case->arena);
    free(file);
    const lam_json_tree *text = lam_json_tree_member(&level_case->json, "schema");
    lam_error error = lam_error_none();
    lam_status status = lam_schema_parse(text->text, text->size, NULL, &level_case->schema, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", path, error.message);
    level_case->records = lam_json_tree_member(&level_case->json, "records");
    level_case->columns = lam_json_tree_member(&level_case->json, "columns");
    cr_assert_eq(level_case->columns->count, lam_schema_leaf_count(level_case->schema));
}

void lam_level_case_close(lam_level_case *level_case) {
    lam_schema_destroy(level_case->schema);
    lam_arena_finish(&level_case->arena);
}

/* --- Records --------------------------------------------------------------------------------- */

static lam_value to_value(const lam_field *leaf, const lam_json_tree *json) {
    lam_value value = {0};
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_INT32:
        value.int32 = (int32_t)json->integer;
        break;
    case LAM_PHYSICAL_INT64:
        value.int64 = json->integer;
        break;
    case LAM_PHYSICAL_DOUBLE:
        value.float64 = json->real;
        break;
    default:
        cr_assert_eq(json->kind, LAM_JSON_STRING);
        value.bytes.data = (const uint8_t *)json->text;
        value.bytes.size = json->size;
        break;
    }
    return value;
}

static lam_status drive_field(const lam_field *field, const lam_json_tree *json,
                              const lam_record_sink *sink, lam_error *error);

static lam_status drive_members(const lam_field *group, const lam_json_tree *json,
                                const lam_record_sink *sink, lam_error *error) {
    for (size_t i = 0; i < lam_field_child_count(group); i++) {
        const lam_field *child = lam_field_child(group, i);
        const lam_json_tree *member = lam_json_tree_member(json, lam_field_name(child));
        lam_status status =
            member != NULL ? drive_field(child, member, sink, error) : LAM_STATUS_OK;
        if (status != LAM_STATUS_OK)
            return status;
    }
    return LAM_STATUS_OK;
}

static lam_status drive_element(const lam_field *field, const lam_json_tree *json,
                                const lam_record_sink *sink, lam_error *error) {
    if (lam_field_is_leaf(field))
        return sink->put(sink->state, field, to_value(field, json), error);
    lam_status status = sink->open(sink->state, field, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (lam_field_logical_type(field)->kind == LAM_LOGICAL_LIST) {
        const lam_field *list = lam_field_child(field, 0);
        for (size_t i = 0; i < json->count && status == LAM_STATUS_OK; i++) {
            status = sink->open(sink->state, list, error);
            if (status == LAM_STATUS_OK)
                status = drive_field(lam_field_child(list, 0), &json->items[i], sink, error);
            if (status == LAM_STATUS_OK)
                status = sink->close(sink->state, list, error);
        }
    } else {
        status = drive_members(field, json, sink, error);
    }
    return status == LAM_STATUS_OK ? sink->close(sink->state, field, error) : status;
}

static lam_status drive_field(const lam_field *field, const lam_json_tree *json,
                              const lam_record_sink *sink, lam_error *error) {
    if (json->kind == LAM_JSON_NULL)
        return LAM_STATUS_OK;
    if (lam_field_repetition(field) != LAM_REPETITION_REPEATED)
        return drive_element(field, json, sink, error);
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < json->count && status == LAM_STATUS_OK; i++)
        status = drive_element(field, &json->items[i], sink, error);
    return status;
}

lam_status lam_level_case_drive(const lam_level_case *level_case, size_t record,
                                const lam_record_sink *sink, lam_error *error) {
    lam_status status = sink->begin(sink->state, error);
    if (status == LAM_STATUS_OK)
        status = drive_members(lam_schema_root(level_case->schema),
                               &level_case->records->items[record], sink, error);
    return status == LAM_STATUS_OK ? sink->end(sink->state, error) : status;
}

/* --- Columns --------------------------------------------------------------------------------- */

static bool value_is(const lam_field *leaf, const void *values, size_t index,
                     const lam_json_tree *json) {
    lam_value want = to_value(leaf, json);
    const uint8_t *element = (const uint8_t *)values + index * lam_element_size(leaf);
    if (leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
        return memcmp(element, &want, lam_element_size(leaf)) == 0;
    lam_bytes bytes;
    memcpy(&bytes, element, sizeof bytes);
    return bytes.size == want.bytes.size && memcmp(bytes.data, want.bytes.data, bytes.size) == 0;
}

void lam_level_case_expect(const lam_level_case *level_case, size_t leaf_index,
                           const lam_triples *triples) {
    const lam_field *leaf = lam_schema_leaf(level_case->schema, leaf_index);
    const lam_json_tree *column = &level_case->columns->items[leaf_index];
    char path[200];
    lam_field_path(leaf, path, sizeof path);
    cr_assert_str_eq(path, lam_json_tree_member(column, "path")->text);
    cr_assert_eq(lam_field_max_repetition(leaf),
                 lam_json_tree_member(column, "max_repetition")->integer);
    cr_assert_eq(lam_field_max_definition(leaf),
                 lam_json_tree_member(column, "max_definition")->integer);
    const lam_json_tree *r = lam_json_tree_member(column, "r");
    const lam_json_tree *d = lam_json_tree_member(column, "d");
    const lam_json_tree *values = lam_json_tree_member(column, "values");
    cr_assert_eq(triples->count, r->count, "%s", path);
    for (size_t i = 0; i < triples->count; i++) {
        uint8_t repetition = triples->repetition != NULL ? triples->repetition[i] : 0;
        uint8_t definition =
            triples->definition != NULL ? triples->definition[i] : leaf->max_definition;
        cr_assert_eq(repetition, r->items[i].integer, "%s, triple %zu", path, i);
        cr_assert_eq(definition, d->items[i].integer, "%s, triple %zu", path, i);
    }
    cr_assert_eq(triples->value_count, values->count, "%s", path);
    for (size_t i = 0; i < values->count; i++)
        cr_assert(value_is(leaf, triples->values, i, &values->items[i]), "%s, value %zu", path, i);
}
