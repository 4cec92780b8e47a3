/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the fields of several files. In: two schemas. Out: one with the fields of both by name,
 * group by group: those of the first as they are, then those that only the second has.
 *
 *     first     required int32 a;  group g { optional binary s; }
 *     second    required int64 a;  group g { required double d; }
 *     union     required int32 a;  group g { optional binary s; optional double d; }
 *
 * No value moves from one schema to another, so that types need not agree: each file keeps its own.
 * The invariant: a field that one of them lacks is optional or repeated. The recursion is as deep
 * as a schema. (lamella/constant.h)
 */
#include "file/field_union.h"

#include <lamella/constant.h>

#include "base/error.h"

/* --- Groups -------------------------------------------------------------------------------- */

static bool is_list_or_map(const lam_field *field) {
    return field->logical_type.kind == LAM_LOGICAL_LIST ||
           field->logical_type.kind == LAM_LOGICAL_MAP;
}

bool lam_group_may_gain(const lam_field *group) {
    const lam_field *parent = lam_parent_of(group);
    if (group->physical_type != LAM_PHYSICAL_GROUP || is_list_or_map(group) ||
        group->logical_type.kind == LAM_LOGICAL_VARIANT || lam_is_in_vector(group))
        return false;
    if (group->index == 0 || !is_list_or_map(parent))
        return true;
    /* The repeated group of a list is its element if it has several fields. (LogicalTypes.md) */
    return parent->logical_type.kind == LAM_LOGICAL_LIST && group->child_count > 1;
}

bool lam_fields_are_alike(const lam_field *a, const lam_field *b) {
    return a->physical_type == LAM_PHYSICAL_GROUP && b->physical_type == LAM_PHYSICAL_GROUP &&
           a->logical_type.kind == b->logical_type.kind &&
           a->logical_type.kind != LAM_LOGICAL_VARIANT && !lam_is_in_vector(a) &&
           !lam_is_in_vector(b) &&
           (a->repetition == LAM_REPETITION_REPEATED) == (b->repetition == LAM_REPETITION_REPEATED);
}

/* --- Building ------------------------------------------------------------------------------ */

static lam_status union_put_leaf(lam_schema_builder *builder, const lam_field *field,
                                 lam_repetition repetition, const lam_field_options *options,
                                 lam_error *error) {
    return lam_schema_builder_add_leaf(builder, field->name, repetition,
                                       (lam_physical_type)field->physical_type, options, error);
}

static lam_status union_put_children(lam_schema_builder *builder, const lam_field *a,
                                     const lam_field *b, lam_error *error);

/* Puts a field of either schema; `b` has more children for it, or is NULL. */
static lam_status union_put(lam_schema_builder *builder, const lam_field *field, bool is_shared,
                            const lam_field *b, lam_error *error) {
    lam_field_options options = lam_options_of_field(field);
    lam_repetition repetition = (lam_repetition)field->repetition;
    if (!is_shared && repetition == LAM_REPETITION_REQUIRED)
        repetition = LAM_REPETITION_OPTIONAL;
    if (field->physical_type != LAM_PHYSICAL_GROUP)
        return union_put_leaf(builder, field, repetition, &options, error);
    LAM_TRY(lam_schema_builder_begin_group(builder, field->name, repetition, &options, error));
    LAM_TRY(union_put_children(builder, field, b, error));
    return lam_schema_builder_end_group(builder, error);
}

/* The children of a group, and those that `b`, if it is not NULL, has beside them. */
static lam_status union_put_children(lam_schema_builder *builder, const lam_field *a,
                                     const lam_field *b, lam_error *error) {
    for (size_t i = 0; i < a->child_count; i++) {
        const lam_field *child = lam_child_at(a, i);
        const lam_field *other =
            b == NULL ? NULL : lam_field_child_named(b, child->name, child->name_size);
        bool is_shared = other != NULL || b == NULL || !lam_group_may_gain(b);
        bool goes_on = other != NULL && lam_fields_are_alike(child, other);
        LAM_TRY(union_put(builder, child, is_shared, goes_on ? other : NULL, error));
    }
    if (b == NULL || !lam_group_may_gain(a))
        return LAM_STATUS_OK;
    for (size_t i = 0; i < b->child_count; i++) {
        const lam_field *child = lam_child_at(b, i);
        if (lam_field_child_named(a, child->name, child->name_size) == NULL)
            LAM_TRY(union_put(builder, child, false, NULL, error));
    }
    return LAM_STATUS_OK;
}

lam_status lam_schema_collect(const lam_schema *first, const lam_schema *second,
                              const lam_allocator *allocator, lam_schema **ret_schema,
                              lam_error *error) {
    lam_schema_builder *builder;
    LAM_TRY(lam_schema_require(first, error));
    LAM_TRY(lam_schema_require(second, error));
    if (lam_schema_equals(first, second)) {
        *ret_schema = lam_schema_share(first);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_schema_builder_create(lam_schema_root(first)->name, allocator, &builder, error));
    lam_schema_builder_set_lenient(builder);
    lam_status status =
        union_put_children(builder, lam_schema_root(first), lam_schema_root(second), error);
    if (status == LAM_STATUS_OK)
        status = lam_schema_builder_finish(builder, ret_schema, error);
    lam_schema_builder_destroy(builder);
    return status;
}
