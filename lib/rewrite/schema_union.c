/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unites schemas by the names of fields. In: two schemas. Out: one in which each field of either
 * has its position: those of the first in their order, then, in each group, those that only the
 * second has.
 *
 *     first    required int32 a;  group g { optional binary s; }
 *     second   required int64 a;  group g { required double d; }
 *     union    required int64 a;  group g { optional binary s; optional double d; }
 *
 * Inside of lists and maps fields belong together by their positions: writers disagree on the names
 * of elements and keys, and readers ignore them. (LogicalTypes.md, "Lists", "Maps")
 *
 * The invariant: every value of either schema is a value of the union, a field that one of them
 * lacks may be absent, and a group that is a list, map or VARIANT in both is one in the union. The
 * recursion is as deep as a schema, LAM_SCHEMA_DEPTH_MAX at most.
 */
#include "rewrite/schema_union.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "schema/group_shape.h"
#include "schema/logical_type.h"
#include "schema/nesting.h"
#include "schema/text.h"
#include "schema/tree.h"

/* --- Shapes -------------------------------------------------------------------------------- */

/* Fields come before their children, so that the numbers of these say whose they are. */
static bool same_fields(const lam_field *a, const lam_field *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const lam_field *x = &a[i], *y = &b[i];
        if (x->child_count != y->child_count || x->name_size != y->name_size ||
            memcmp(x->name, y->name, x->name_size) != 0 || x->physical_type != y->physical_type ||
            x->type_length != y->type_length || x->repetition != y->repetition ||
            !lam_logical_type_equals(&x->logical_type, &y->logical_type))
            return false;
    }
    return true;
}

bool lam_schema_same_shape(const lam_schema *a, const lam_schema *b) {
    return a == b || (a->field_count == b->field_count &&
                      same_fields(a->fields + 1, b->fields + 1, a->field_count - 1));
}

bool lam_field_same_shape(const lam_field *a, const lam_field *b) {
    return a->subtree_size == b->subtree_size && same_fields(a, b, a->subtree_size);
}

/* True when field ids are equal, too, or the second schema has none. */
static bool same_ids(const lam_schema *a, const lam_schema *b) {
    for (size_t i = 0; i < a->field_count; i++)
        if (b->fields[i].has_id && (!a->fields[i].has_id || a->fields[i].id != b->fields[i].id))
            return false;
    return true;
}

/* --- Partners ------------------------------------------------------------------------------ */

/* True for two lists, or two maps: their repeated children are one. */
static bool repeat_alike(const lam_field *a, const lam_field *b) {
    return (lam_is_list(a) && lam_is_list(b)) || (lam_is_map(a) && lam_is_map(b));
}

/* True for the repeated children of two lists with wrappers, or of two maps. */
static bool wrap_alike(const lam_field *a, const lam_field *b) {
    const lam_field *x = lam_parent_of(a), *y = lam_parent_of(b);
    if (a->index == 0 || b->index == 0 || !repeat_alike(x, y))
        return false;
    return lam_is_map(x) || (lam_list_has_wrapper(x) && lam_list_has_wrapper(y));
}

const lam_field *lam_union_partner(const lam_field *group, const lam_field *field) {
    const lam_field *like = lam_parent_of(field);
    if (!repeat_alike(group, like) && !wrap_alike(group, like))
        return lam_field_child_named(group, field->name, field->name_size);
    return field->ordinal < group->child_count ? lam_child_at(group, field->ordinal) : NULL;
}

static bool is_typed_value(const lam_field *field, lam_logical_kind kind) {
    return field->depth > 1 && field->logical_type.kind == kind &&
           strcmp(field->name, "typed_value") == 0;
}

/*
 * True for the typed_value of an object, whose children are the shredded fields: upwards from it,
 * pairs of `value` and `typed_value`, within objects and lists, lead to a VARIANT.
 */
static bool is_shredded_object(const lam_field *group) {
    const lam_field *pair = lam_parent_of(group);
    if (!is_typed_value(group, LAM_LOGICAL_NONE))
        return false;
    while (pair->logical_type.kind == LAM_LOGICAL_NONE && pair->depth > 1) {
        const lam_field *parent = lam_parent_of(pair), *list = lam_parent_of(parent);
        if (is_typed_value(parent, LAM_LOGICAL_NONE))
            pair = list;
        else if (is_typed_value(list, LAM_LOGICAL_LIST))
            pair = lam_parent_of(list);
        else
            return false;
    }
    return pair->logical_type.kind == LAM_LOGICAL_VARIANT;
}

/* --- Fields -------------------------------------------------------------------------------- */

/* A field as text for a message: "optional int32 (DATE)". */
typedef struct field_text {
    char text[96];
} field_text;

static field_text describe_field(const lam_field *field) {
    static const char *const repetitions[] = {"required", "optional", "repeated"};
    char logical[48];
    field_text shown;
    size_t size = lam_logical_type_print(&field->logical_type, logical, sizeof logical);
    unsigned repetition = field->repetition;
    char length[24] = "";
    if (field->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        snprintf(length, sizeof length, "(%d)", (int)field->type_length);
    snprintf(shown.text, sizeof shown.text, "%s %s%s%s%s%s",
             repetition < 3 ? repetitions[repetition] : "vector",
             lam_physical_type_name((lam_physical_type)field->physical_type), length,
             size > 0 ? " (" : "", size > 0 ? logical : "", size > 0 ? ")" : "");
    return shown;
}

static field_text describe_path(const lam_field *field) {
    field_text path;
    lam_field_path(field, path.text, sizeof path.text);
    return path;
}

static lam_status fail_pair(const lam_schema_pair *pair, const lam_field *a, const lam_field *b,
                            lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' is %s in %.60s and %s in %.60s",
             describe_path(a).text, describe_field(a).text, pair->first_name,
             describe_field(b).text, pair->second_name);
}

/* An integer as its width and sign; false for other leaves. A bare integer is signed. */
static bool integer_of(const lam_field *leaf, int *ret_width, bool *ret_signed) {
    int physical = leaf->physical_type == LAM_PHYSICAL_INT32   ? 32
                   : leaf->physical_type == LAM_PHYSICAL_INT64 ? 64
                                                               : 0;
    const lam_logical_type *type = &leaf->logical_type;
    if (physical == 0 || (type->kind != LAM_LOGICAL_NONE && type->kind != LAM_LOGICAL_INTEGER))
        return false;
    *ret_width = type->kind == LAM_LOGICAL_NONE ? physical : type->bit_width;
    *ret_signed = type->kind == LAM_LOGICAL_NONE || type->is_signed;
    return true;
}

/* The field that holds values of both; false when there is none. */
static bool unite_types(const lam_field *a, const lam_field *b, lam_physical_type *ret_type,
                        lam_field_options *options) {
    int width_a, width_b;
    bool signed_a, signed_b;
    *ret_type = (lam_physical_type)a->physical_type;
    options->logical_type = a->logical_type;
    bool is_fixed = a->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    options->type_length = is_fixed ? a->type_length : 0;
    if (a->physical_type == b->physical_type && a->type_length == b->type_length &&
        lam_logical_type_equals(&a->logical_type, &b->logical_type))
        return true;
    if (integer_of(a, &width_a, &signed_a) && integer_of(b, &width_b, &signed_b) &&
        signed_a == signed_b) {
        bool is_bare =
            a->logical_type.kind == LAM_LOGICAL_NONE || b->logical_type.kind == LAM_LOGICAL_NONE;
        int width = width_a > width_b ? width_a : width_b;
        lam_logical_type type = {
            .kind = LAM_LOGICAL_INTEGER, .bit_width = (int8_t)width, .is_signed = signed_a};
        *ret_type = width > 32 ? LAM_PHYSICAL_INT64 : LAM_PHYSICAL_INT32;
        memset(&options->logical_type, 0, sizeof options->logical_type);
        if (!is_bare)
            options->logical_type = type;
        return true;
    }
    bool are_floats =
        (a->physical_type == LAM_PHYSICAL_FLOAT || a->physical_type == LAM_PHYSICAL_DOUBLE) &&
        (b->physical_type == LAM_PHYSICAL_FLOAT || b->physical_type == LAM_PHYSICAL_DOUBLE);
    *ret_type = LAM_PHYSICAL_DOUBLE;
    return are_floats && a->logical_type.kind == LAM_LOGICAL_NONE &&
           b->logical_type.kind == LAM_LOGICAL_NONE;
}

/* --- Building ------------------------------------------------------------------------------ */

/* Begins a group or adds a leaf. */
static lam_status put_union_field(lam_schema_builder *builder, const lam_field *like,
                                  lam_repetition repetition, lam_physical_type type,
                                  const lam_field_options *options, lam_error *error) {
    if (like->physical_type == LAM_PHYSICAL_GROUP)
        return lam_schema_builder_begin_group(builder, like->name, repetition, options, error);
    return lam_schema_builder_add_leaf(builder, like->name, repetition, type, options, error);
}

/* Copies a subtree; `leaves`, of the whole schema, chooses among its leaves, or is NULL. */
static lam_status copy_union_field(lam_schema_builder *builder, const lam_field *field,
                                   lam_repetition repetition, const bool *leaves,
                                   lam_error *error) {
    lam_field_options options = lam_options_of_field(field);
    bool is_wanted = leaves == NULL;
    for (size_t i = 0; i < field->leaf_count && !is_wanted; i++)
        is_wanted = leaves[field->first_leaf + i];
    if (!is_wanted)
        return LAM_STATUS_OK;
    if (leaves != NULL && !lam_group_keeps_type(field, leaves))
        memset(&options.logical_type, 0, sizeof options.logical_type);
    LAM_TRY(put_union_field(builder, field, repetition, (lam_physical_type)field->physical_type,
                            &options, error));
    if (field->physical_type != LAM_PHYSICAL_GROUP)
        return LAM_STATUS_OK;
    for (size_t i = 0; i < field->child_count; i++) {
        const lam_field *child = lam_child_at(field, i);
        LAM_TRY(copy_union_field(builder, child, (lam_repetition)child->repetition, leaves, error));
    }
    return lam_schema_builder_end_group(builder, error);
}

/* A field that one of two groups lacks may be absent. */
static lam_status copy_absent(lam_schema_builder *builder, const lam_field *field,
                              lam_error *error) {
    lam_repetition repetition = field->repetition == LAM_REPETITION_REQUIRED
                                    ? LAM_REPETITION_OPTIONAL
                                    : (lam_repetition)field->repetition;
    return copy_union_field(builder, field, repetition, NULL, error);
}

/* Names decide what belongs together, so that no two of a group may be equal. */
static lam_status check_names(const lam_field *group, lam_error *error) {
    for (size_t i = 0; i < group->child_count; i++) {
        const lam_field *child = lam_child_at(group, i);
        if (lam_field_child_named(group, child->name, child->name_size) != child)
            LAM_FAIL(error, LAM_STATUS_UNSUPPORTED,
                     "two fields '%.100s' in one group, which cannot be united with other files",
                     child->name);
    }
    return LAM_STATUS_OK;
}

/*
 * The fields of an object that are not shredded are in `value`, where none of those may be that
 * are: which they are must be the same in both. (VariantShredding.md, "Objects")
 */
static lam_status check_shredding(const lam_schema_pair *pair, const lam_field *a,
                                  const lam_field *b, lam_error *error) {
    for (size_t i = 0; i < a->child_count; i++) {
        const lam_field *child = lam_child_at(a, i);
        if (lam_field_child_named(b, child->name, child->name_size) != NULL)
            continue;
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the VARIANT of '%s' has that field shredded in %.60s and not in %.60s; cat and "
                 "import make one layout of both",
                 describe_path(child).text,
                 a->schema == pair->first ? pair->first_name : pair->second_name,
                 a->schema == pair->first ? pair->second_name : pair->first_name);
    }
    return LAM_STATUS_OK;
}

static lam_status unite_group(const lam_schema_pair *pair, lam_schema_builder *builder,
                              const lam_field *a, const lam_field *b, lam_error *error);

static lam_status unite_field(const lam_schema_pair *pair, lam_schema_builder *builder,
                              const lam_field *a, const lam_field *b, lam_error *error) {
    lam_field_options options = lam_options_of_field(a);
    lam_physical_type type = LAM_PHYSICAL_GROUP;
    lam_repetition repetition = (lam_repetition)a->repetition;
    bool is_group = a->physical_type == LAM_PHYSICAL_GROUP;
    bool fits =
        is_group == (b->physical_type == LAM_PHYSICAL_GROUP) &&
        (a->repetition == LAM_REPETITION_REPEATED) == (b->repetition == LAM_REPETITION_REPEATED) &&
        a->repetition <= LAM_REPETITION_REPEATED && b->repetition <= LAM_REPETITION_REPEATED;
    if (fits && is_group)
        fits = lam_logical_type_equals(&a->logical_type, &b->logical_type) || wrap_alike(a, b);
    else if (fits)
        fits = unite_types(a, b, &type, &options);
    if (!fits)
        return fail_pair(pair, a, b, error);
    if (b->repetition == LAM_REPETITION_OPTIONAL)
        repetition = LAM_REPETITION_OPTIONAL;
    if (fits && lam_is_list(a) && lam_is_list(b) &&
        lam_list_has_wrapper(a) != lam_list_has_wrapper(b))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "the lists of '%s' have two levels in one of %.60s and %.60s, and three in the "
                 "other",
                 describe_path(a).text, pair->first_name, pair->second_name);
    options.has_id = a->has_id || b->has_id;
    options.id = a->has_id ? a->id : b->id;
    if (a->has_id && b->has_id && a->id != b->id)
        options.has_id = false;
    if (!options.has_id)
        options.id = 0;
    LAM_TRY(put_union_field(builder, a, repetition, type, &options, error));
    if (!is_group)
        return LAM_STATUS_OK;
    LAM_TRY(unite_group(pair, builder, a, b, error));
    return lam_schema_builder_end_group(builder, error);
}

/* The children of two groups of one name. */
static lam_status unite_group(const lam_schema_pair *pair, lam_schema_builder *builder,
                              const lam_field *a, const lam_field *b, lam_error *error) {
    LAM_TRY(check_names(a, error));
    LAM_TRY(check_names(b, error));
    if (is_shredded_object(a) && is_shredded_object(b)) {
        LAM_TRY(check_shredding(pair, a, b, error));
        LAM_TRY(check_shredding(pair, b, a, error));
    }
    for (size_t i = 0; i < a->child_count; i++) {
        const lam_field *child = lam_child_at(a, i);
        const lam_field *other = lam_union_partner(b, child);
        if (other != NULL)
            LAM_TRY(unite_field(pair, builder, child, other, error));
        else
            LAM_TRY(copy_absent(builder, child, error));
    }
    for (size_t i = 0; i < b->child_count; i++) {
        const lam_field *child = lam_child_at(b, i);
        if (lam_union_partner(a, child) == NULL)
            LAM_TRY(copy_absent(builder, child, error));
    }
    return LAM_STATUS_OK;
}

lam_status lam_schema_unite(const lam_schema_pair *pair, const lam_allocator *allocator,
                            lam_schema **ret_schema, lam_error *error) {
    lam_status status;
    lam_schema_builder *builder;
    if (lam_schema_same_shape(pair->first, pair->second) && same_ids(pair->first, pair->second)) {
        *ret_schema = lam_schema_share(pair->first);
        return LAM_STATUS_OK;
    }
    LAM_TRY(
        lam_schema_builder_create(lam_schema_root(pair->first)->name, allocator, &builder, error));
    lam_schema_builder_set_lenient(builder);
    LAM_TRY_OUT(unite_group(pair, builder, lam_schema_root(pair->first),
                            lam_schema_root(pair->second), error));
    LAM_TRY_OUT(lam_schema_builder_finish(builder, ret_schema, error));
out:
    lam_schema_builder_destroy(builder);
    return status;
}

lam_status lam_schema_choose(const lam_schema *schema, const bool *leaves,
                             const lam_allocator *allocator, lam_schema **ret_schema,
                             lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_schema_builder *builder;
    const lam_field *root = lam_schema_root(schema);
    bool has_all = true;
    for (size_t i = 0; i < schema->leaf_count; i++)
        has_all = has_all && leaves[i];
    if (has_all) {
        *ret_schema = lam_schema_share(schema);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_schema_builder_create(root->name, allocator, &builder, error));
    lam_schema_builder_set_lenient(builder);
    for (size_t i = 0; i < root->child_count; i++) {
        const lam_field *child = lam_child_at(root, i);
        LAM_TRY_OUT(
            copy_union_field(builder, child, (lam_repetition)child->repetition, leaves, error));
    }
    LAM_TRY_OUT(lam_schema_builder_finish(builder, ret_schema, error));
out:
    lam_schema_builder_destroy(builder);
    return status;
}
