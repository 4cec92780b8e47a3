/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the schema tree: accessors, comparison, and the last step of its construction, which takes
 * fields in preorder from the builder, and gives an immutable lam_schema, which any number of
 * threads may read.
 *
 * A field's position in preorder, its parent, and its numbers of fields and leaves are set by the
 * builder; this file adds the index of children (of all groups, side by side) and the list of
 * leaves. Afterwards only the number of holders ever changes.
 *
 *     children   of the root: 1 2 5   of Links: 3 4   of Name: 6 9   of Language: 7 8
 *     leaves     1 3 4 7 8 9
 */
#include "schema/tree.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "schema/logical_type.h"
#include "schema/name_index.h"
#include "schema/tree_seal.h"

size_t lam_schema_field_count(const lam_schema *schema) {
    return schema != NULL ? schema->field_count : 0;
}

const lam_field *lam_schema_field(const lam_schema *schema, size_t index) {
    return index < lam_schema_field_count(schema) ? &schema->fields[index] : NULL;
}

size_t lam_schema_leaf_count(const lam_schema *schema) {
    return schema != NULL ? schema->leaf_count : 0;
}

const lam_field *lam_schema_leaf(const lam_schema *schema, size_t leaf_index) {
    return leaf_index < lam_schema_leaf_count(schema) ? lam_leaf_at(schema, leaf_index) : NULL;
}

const char *lam_field_name(const lam_field *field) {
    return field->name;
}

lam_repetition lam_field_repetition(const lam_field *field) {
    return (lam_repetition)field->repetition;
}

lam_physical_type lam_field_physical_type(const lam_field *field) {
    return (lam_physical_type)field->physical_type;
}

int32_t lam_field_type_length(const lam_field *field) {
    return field->type_length;
}

const lam_logical_type *lam_field_logical_type(const lam_field *field) {
    return &field->logical_type;
}

bool lam_field_id(const lam_field *field, int32_t *ret_id) {
    if (field->has_id)
        *ret_id = field->id;
    return field->has_id;
}

bool lam_field_is_leaf(const lam_field *field) {
    return field->physical_type != LAM_PHYSICAL_GROUP;
}

const lam_field *lam_field_parent(const lam_field *field) {
    return field->index == 0 ? NULL : lam_parent_of(field);
}

size_t lam_field_child_count(const lam_field *field) {
    return field->child_count;
}

const lam_field *lam_field_child(const lam_field *field, size_t index) {
    return index < field->child_count ? lam_child_at(field, index) : NULL;
}

size_t lam_field_ordinal(const lam_field *field) {
    return field->ordinal;
}

size_t lam_field_index(const lam_field *field) {
    return field->index;
}

size_t lam_field_depth(const lam_field *field) {
    return field->depth;
}

uint8_t lam_field_max_repetition(const lam_field *field) {
    return field->max_repetition;
}

uint8_t lam_field_max_definition(const lam_field *field) {
    return field->max_definition;
}

size_t lam_field_first_leaf(const lam_field *field) {
    return field->first_leaf;
}

size_t lam_field_leaf_count(const lam_field *field) {
    return field->leaf_count;
}

/* Walks up; the root is never a VECTOR. */
bool lam_is_in_vector(const lam_field *field) {
    const lam_field *at = field;
    while (at->index != 0 && at->repetition != LAM_REPETITION_VECTOR)
        at = lam_parent_of(at);
    return at->index != 0;
}

static bool names_equal(const lam_field *a, const lam_field *b) {
    return a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}

/*
 * Compares all but the name and the position in the tree. Logical types are normal, so unused
 * arguments are 0.
 */
static bool types_equal(const lam_field *a, const lam_field *b) {
    return a->physical_type == b->physical_type && a->repetition == b->repetition &&
           a->type_length == b->type_length && a->has_id == b->has_id && a->id == b->id &&
           a->child_count == b->child_count &&
           lam_logical_type_equals(&a->logical_type, &b->logical_type);
}

/* Fields in preorder with their numbers of children determine a tree. */
bool lam_schema_holds_same(const lam_schema *a, const lam_schema *b) {
    if (a->field_count != b->field_count)
        return false;
    for (size_t i = 0; i < a->field_count; i++)
        if (!types_equal(&a->fields[i], &b->fields[i]) ||
            (i > 0 && !names_equal(&a->fields[i], &b->fields[i])))
            return false;
    return true;
}

bool lam_schema_equals(const lam_schema *a, const lam_schema *b) {
    if (a == NULL || b == NULL)
        return a == b;
    return names_equal(&a->fields[0], &b->fields[0]) && lam_schema_holds_same(a, b);
}

/*
 * Fills in the indexes of children and leaves. A parent comes before its children in preorder, so
 * its range of `children` is known when they are reached.
 */
static void tree_fill_indexes(lam_schema *schema) {
    uint32_t next_child = 0;
    uint32_t next_leaf = 0;
    for (size_t i = 0; i < schema->field_count; i++) {
        lam_field *field = &schema->fields[i];
        field->schema = schema;
        field->children = next_child;
        next_child += field->child_count;
        if (i > 0)
            schema->children[schema->fields[field->parent].children + field->ordinal] = (uint32_t)i;
        if (field->physical_type != LAM_PHYSICAL_GROUP)
            schema->leaves[next_leaf++] = (uint32_t)i;
    }
}

/* Copies the fields and their texts into the schema's arena, and builds the indexes. */
static lam_status fill_schema(lam_schema *schema, const lam_field *fields, size_t count,
                              lam_error *error) {
    schema->field_count = count;
    schema->leaf_count = fields[0].leaf_count;
    LAM_TRY(LAM_ARENA_ARRAY(&schema->arena, count, &schema->fields, error));
    memcpy(schema->fields, fields, count * sizeof *fields);
    LAM_TRY(LAM_ARENA_ARRAY(&schema->arena, count, &schema->children, error));
    LAM_TRY(LAM_ARENA_ARRAY(&schema->arena, schema->leaf_count, &schema->leaves, error));
    tree_fill_indexes(schema);
    for (size_t i = 0; i < count; i++) {
        lam_field *field = &schema->fields[i];
        char *copy;
        LAM_TRY(lam_arena_copy(&schema->arena, field->name, field->name_size, &copy, error));
        field->name = copy;
        LAM_TRY(lam_logical_type_keep(&field->logical_type, &schema->arena, error));
    }
    return lam_name_index_build(schema, error);
}

/* A budget of 0: the fields were bounded when they were built, and their texts exist in memory. */
lam_status lam_schema_seal(const lam_field *fields, size_t count, const lam_allocator *allocator,
                           lam_schema **ret_schema, lam_error *error) {
    lam_allocator memory_of = lam_allocator_or_default(allocator);
    lam_schema *schema;
    LAM_TRY(LAM_NEW(&memory_of, &schema, error));
    atomic_init(&schema->holders, 1);
    schema->allocator = memory_of;
    lam_arena_init(&schema->arena, &memory_of, 0);
    lam_status status = fill_schema(schema, fields, count, error);
    if (status != LAM_STATUS_OK) {
        lam_schema_destroy(schema);
        return status;
    }
    *ret_schema = schema;
    return LAM_STATUS_OK;
}

/* Relaxed: a thread that shares a schema already holds it, so the memory is visible here. */
lam_schema *lam_schema_share(const lam_schema *schema) {
    lam_schema *shared = (lam_schema *)schema; /* all but the number of holders is immutable */
    atomic_fetch_add_explicit(&shared->holders, 1, memory_order_relaxed);
    return shared;
}

/* For the functions that take a schema: a parse that failed leaves a NULL. */
lam_status lam_schema_require(const lam_schema *schema, lam_error *error) {
    if (schema == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no schema (NULL)");
    return LAM_STATUS_OK;
}

/* Acquire and release: the last holder sees all that the others did before they let go. */
void lam_schema_destroy(lam_schema *schema) {
    if (schema == NULL || atomic_fetch_sub_explicit(&schema->holders, 1, memory_order_acq_rel) > 1)
        return;
    lam_allocator allocator = schema->allocator;
    lam_arena_finish(&schema->arena);
    lam_free(&allocator, schema, sizeof *schema);
}
