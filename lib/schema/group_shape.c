/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knows the shapes of annotated groups: takes a group of any schema, and says what keeps readers
 * from understanding it as a LIST, MAP, VARIANT or FILE; or whether a part of it would still be
 * one.
 *
 *     group p (VARIANT(1)) { required binary value; }        a VARIANT without a binary metadata
 *     group l (LIST) { optional int32 element; }             a LIST whose child is not repeated
 *     group m (MAP) { repeated group e { key; value; } }     a MAP; without `key` none
 *
 * The invariant: a group without a problem is one that json_shape.c, arrow_plan_read.c and
 * variant_schema.c understand at its own level; their rules are for reading, and no stricter.
 */
#include "schema/group_shape.h"

#include <string.h>

#include "schema/nesting.h"

/* A name with a NUL inside counts up to it. */
static bool shape_is_named(const lam_field *field, const char *name) {
    return strcmp(field->name, name) == 0;
}

static lam_group_problem shape_problem(const lam_field *field, const char *what) {
    return (lam_group_problem){field, what};
}

/* --- Complete groups ----------------------------------------------------------------------- */

/* A repeated LIST is the element of a LIST of two levels, or an error. */
static lam_group_problem list_problem(const lam_field *list) {
    if (list->child_count != 1)
        return shape_problem(list, "is a LIST without exactly one child");
    if (!lam_is_repeated(lam_child_at(list, 0)))
        return shape_problem(list, "is a LIST whose child is not repeated");
    if (lam_is_repeated(list) && list->index != 0 &&
        lam_parent_of(list)->logical_type.kind != LAM_LOGICAL_LIST)
        return shape_problem(list, "is a repeated LIST that is not an element of a LIST");
    return shape_problem(list, NULL);
}

static lam_group_problem map_problem(const lam_field *map) {
    const lam_field *repeated = map->child_count == 1 ? lam_child_at(map, 0) : NULL;
    if (lam_is_repeated(map) && map->index != 0)
        return shape_problem(map, "is a MAP that is repeated itself");
    if (repeated == NULL || !lam_is_group(repeated) || !lam_is_repeated(repeated))
        return shape_problem(map, "is a MAP without exactly one child that is a repeated group");
    if (repeated->child_count < 1 || repeated->child_count > 2)
        return shape_problem(map, "is a MAP of more than key and value");
    for (size_t i = 0; i < repeated->child_count; i++)
        if (lam_is_repeated(lam_child_at(repeated, i)))
            return shape_problem(map, "is a MAP whose key or value is repeated");
    return shape_problem(map, NULL);
}

/* `metadata` and one of `value` and `typed_value`, or both, and no further field. */
static lam_group_problem variant_problem(const lam_field *variant) {
    const lam_field *metadata = lam_field_child_named(variant, "metadata", 8);
    const lam_field *value = lam_field_child_named(variant, "value", 5);
    const lam_field *typed = lam_field_child_named(variant, "typed_value", 11);
    if (metadata == NULL || metadata->physical_type != LAM_PHYSICAL_BYTE_ARRAY ||
        lam_is_repeated(metadata))
        return shape_problem(variant, "is a VARIANT without a binary metadata");
    if (value != NULL &&
        (value->physical_type != LAM_PHYSICAL_BYTE_ARRAY || lam_is_repeated(value)))
        return shape_problem(variant, "is a VARIANT whose value is not binary");
    if (value == NULL && typed == NULL)
        return shape_problem(variant, "is a VARIANT without a value");
    if (typed != NULL && lam_is_repeated(typed))
        return shape_problem(variant, "is a VARIANT whose typed_value is repeated");
    if (variant->child_count != 1u + (value != NULL) + (typed != NULL))
        return shape_problem(variant,
                             "is a VARIANT with fields beyond metadata, value and typed_value");
    return shape_problem(variant, NULL);
}

/* A field that a FILE may have. All are optional. */
typedef struct file_field {
    const char *name;
    lam_physical_type type;
    lam_logical_kind logical;
} file_field;

/* LogicalTypes.md, section "FILE". */
static const file_field FILE_FIELDS[] = {
    {"uri", LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING},
    {"offset", LAM_PHYSICAL_INT64, LAM_LOGICAL_NONE},
    {"size", LAM_PHYSICAL_INT64, LAM_LOGICAL_NONE},
    {"content_type", LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING},
    {"checksum", LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_STRING},
    {"inline", LAM_PHYSICAL_BYTE_ARRAY, LAM_LOGICAL_NONE},
};

const char *lam_file_member_problem(const lam_field *field) {
    for (size_t i = 0; i < sizeof FILE_FIELDS / sizeof FILE_FIELDS[0]; i++) {
        const file_field *known = &FILE_FIELDS[i];
        if (!shape_is_named(field, known->name))
            continue;
        if (field->physical_type != known->type || field->logical_type.kind != known->logical)
            return "is a member of a FILE but has another type there";
        return field->repetition == LAM_REPETITION_OPTIONAL
                   ? NULL
                   : "is a member of a FILE but not optional";
    }
    return "is not a field of a FILE";
}

static lam_group_problem file_problem(const lam_field *file) {
    for (size_t i = 0; i < file->child_count; i++) {
        const lam_field *child = lam_child_at(file, i);
        const char *what = lam_file_member_problem(child);
        if (what != NULL)
            return shape_problem(child, what);
    }
    return shape_problem(file, NULL);
}

/* Inside a MAP, MAP_KEY_VALUE only marks the repeated group. */
static bool is_marker(const lam_field *group) {
    return group->logical_type.kind == LAM_LOGICAL_MAP_KEY_VALUE &&
           lam_parent_of(group)->logical_type.kind == LAM_LOGICAL_MAP;
}

lam_group_problem lam_group_find_problem(const lam_field *group) {
    switch (lam_is_group(group) ? group->logical_type.kind : LAM_LOGICAL_NONE) {
    case LAM_LOGICAL_LIST:
        return list_problem(group);
    case LAM_LOGICAL_MAP_KEY_VALUE:
        return is_marker(group) ? shape_problem(group, NULL) : map_problem(group);
    case LAM_LOGICAL_MAP:
        return map_problem(group);
    case LAM_LOGICAL_VARIANT:
        return variant_problem(group);
    case LAM_LOGICAL_FILE:
        return file_problem(group);
    default:
        return shape_problem(group, NULL);
    }
}

const char *lam_group_model(const lam_field *group) {
    switch (group->logical_type.kind) {
    case LAM_LOGICAL_LIST:
        return "group a (LIST) { repeated group list { optional double element; } }";
    case LAM_LOGICAL_VARIANT:
        return "group a (VARIANT(1)) { required binary metadata; required binary value; }";
    case LAM_LOGICAL_FILE:
        return "group a (FILE) { optional binary uri (STRING); optional int64 size; }";
    default:
        return "group a (MAP) { repeated group key_value { required binary key (STRING); "
               "optional double value; } }";
    }
}

/* --- Groups without some leaves ------------------------------------------------------------ */

static size_t count_kept(const lam_field *field, const bool *leaves) {
    size_t kept = 0;
    for (size_t i = 0; i < field->leaf_count; i++)
        kept += leaves[field->first_leaf + i];
    return kept;
}

static bool keeps_all(const lam_field *field, const bool *leaves) {
    return count_kept(field, leaves) == field->leaf_count;
}

/*
 * A repeated group that was the element by its number of fields, and not by its name, is not when
 * one field is left: readers take it for a wrapper of that field. (LogicalTypes.md, "Lists")
 */
static bool list_keeps_type(const lam_field *list, const bool *leaves) {
    const lam_field *repeated, *left = NULL;
    size_t fields = 0;
    if (!lam_is_list(list) || count_kept(list, leaves) == 0)
        return false;
    repeated = lam_child_at(list, 0);
    if (lam_list_has_wrapper(list) || repeated->child_count < 2)
        return true;
    for (size_t i = 0; i < repeated->child_count; i++) {
        const lam_field *child = lam_child_at(repeated, i);
        if (count_kept(child, leaves) == 0)
            continue;
        left = child;
        fields++;
    }
    return fields > 1 || lam_is_repeated(left) || lam_list_names_element(list);
}

/* Keys with a missing field may occur twice. */
static bool map_keeps_type(const lam_field *map, const bool *leaves) {
    if (!lam_is_map(map))
        return false;
    const lam_field *entry = lam_child_at(map, 0);
    return keeps_all(lam_child_at(entry, 0), leaves) &&
           count_kept(lam_child_at(entry, entry->child_count - 1), leaves) > 0;
}

bool lam_group_keeps_type(const lam_field *group, const bool *leaves) {
    switch (lam_is_group(group) ? group->logical_type.kind : LAM_LOGICAL_NONE) {
    case LAM_LOGICAL_LIST:
        return keeps_all(group, leaves) || list_keeps_type(group, leaves);
    case LAM_LOGICAL_MAP:
        return keeps_all(group, leaves) || map_keeps_type(group, leaves);
    case LAM_LOGICAL_MAP_KEY_VALUE:
        return keeps_all(group, leaves) ||
               map_keeps_type(is_marker(group) ? lam_parent_of(group) : group, leaves);
    case LAM_LOGICAL_VARIANT:
    case LAM_LOGICAL_FILE:
    case LAM_LOGICAL_UNRECOGNIZED:
        return keeps_all(group, leaves);
    default:
        return true;
    }
}
