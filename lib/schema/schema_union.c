/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unites schemas by the names of fields: takes two schemas, and gives one in which each field of
 * either has its position: those of the first in their order, then, in each group, those that only
 * the second has.
 *
 *     first    required int32 a;  group g { optional binary s; }
 *     second   required int64 a;  group g { required double d; }
 *     union    required int64 a;  group g { optional binary s; optional double d; }
 *
 * The type that holds the values of two is in a table, type_union.h; it continues for groups:
 *
 *     UNKNOWN      with any field     that field, which may be absent
 *     group        with a group       their fields, by name
 *     LIST, MAP    with another       elements, keys and values, by position: writers disagree on
 *                                     their names, and readers ignore them. Of lists of two levels
 *                                     and of three the union has three. (LogicalTypes.md, "Lists")
 *     VARIANT      with any field     VARIANT, in the columns of the first that is shredded
 *     all else                        a clash: a VARIANT, a STRING, or an error
 *
 * The invariant: every value of either schema is a value of the union, a field that one of them
 * lacks may be absent, and a group that is a list, map or VARIANT in both is one in the union. The
 * recursion is as deep as a schema, LAM_SCHEMA_DEPTH_MAX at most.
 */
#include "schema/schema_union.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "schema/logical_type.h"
#include "schema/nesting.h"
#include "schema/schema_choose.h"
#include "schema/text.h"
#include "schema/type_union.h"

/* A field as one of two. A repeated field that is the element of a list is a required one. */
typedef struct union_side {
    const lam_field *field;
    lam_repetition repetition;
} union_side;

static union_side side_of(const lam_field *field) {
    return (union_side){field, (lam_repetition)field->repetition};
}

/* --- Messages ------------------------------------------------------------------------------ */

lam_field_text lam_field_describe(const lam_field *field) {
    static const char *const repetitions[] = {"required", "optional", "repeated"};
    char logical[48];
    lam_field_text shown;
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

lam_field_text lam_field_type_text(const lam_field *field) {
    lam_field_text shown = lam_field_describe(field);
    const char *type = strchr(shown.text, ' ');
    if (!lam_is_repeated(field) && type != NULL)
        memmove(shown.text, type + 1, strlen(type));
    return shown;
}

static lam_status fail_pair(const lam_schema_pair *pair, const lam_field *a, const lam_field *b,
                            lam_error *error) {
    char path[96];
    lam_field_path(a, path, sizeof path);
    LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' is %s in %.60s and %s in %.60s", path,
             lam_field_describe(a).text, pair->first_name, lam_field_describe(b).text,
             pair->second_name);
}

/* --- Fields that belong together ------------------------------------------------------------ */

bool lam_field_is_nothing(const lam_field *field) {
    return field->logical_type.kind == LAM_LOGICAL_UNKNOWN &&
           field->physical_type != LAM_PHYSICAL_GROUP && !lam_is_repeated(field);
}

static bool is_variant(union_side side) {
    return side.field->logical_type.kind == LAM_LOGICAL_VARIANT && lam_is_group(side.field) &&
           side.repetition != LAM_REPETITION_REPEATED;
}

static bool both_are_leaves(const lam_field *a, const lam_field *b) {
    return !lam_is_group(a) && !lam_is_group(b);
}

static bool leaves_fit(const lam_field *a, const lam_field *b) {
    const lam_leaf_type x = lam_leaf_type_of(a), y = lam_leaf_type_of(b);
    lam_leaf_type both;
    return both_are_leaves(a, b) && lam_type_unite(&x, &y, &both) != LAM_TYPES_CLASH;
}

/* Keys that become a VARIANT or may be absent would not be keys. */
static bool maps_fit(const lam_field *a, const lam_field *b) {
    const lam_field *x, *y;
    if (!lam_is_map(a) || !lam_is_map(b))
        return false;
    x = lam_child_at(lam_child_at(a, 0), 0);
    y = lam_child_at(lam_child_at(b, 0), 0);
    return leaves_fit(x, y) || lam_field_same_shape(x, y);
}

/* Lists without wrappers whose elements are one field that may repeat. */
static bool bare_lists_fit(const lam_field *a, const lam_field *b) {
    const lam_field *x = lam_field_list_element(a), *y = lam_field_list_element(b);
    if (lam_list_has_wrapper(a) || lam_list_has_wrapper(b))
        return false;
    return leaves_fit(x, y) ||
           (lam_is_group(x) && lam_is_group(y) && x->logical_type.kind == LAM_LOGICAL_NONE &&
            y->logical_type.kind == LAM_LOGICAL_NONE);
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

static const lam_field *child_like(const lam_field *group, const lam_field *field) {
    return lam_field_child_named(group, field->name, field->name_size);
}

/* A column of numbers may be wider than another; of two kinds of value each needs its own. */
static bool typed_leaves_fit(const lam_field *a, const lam_field *b) {
    const lam_leaf_type x = lam_leaf_type_of(a), y = lam_leaf_type_of(b);
    lam_leaf_type both;
    return lam_leaf_type_equals(&x, &y) ||
           (x.logical.kind == y.logical.kind &&
            (x.logical.kind == LAM_LOGICAL_NONE || x.logical.kind == LAM_LOGICAL_INTEGER) &&
            x.logical.is_signed == y.logical.is_signed && x.physical <= LAM_PHYSICAL_INT64 &&
            y.physical <= LAM_PHYSICAL_INT64 && lam_type_unite(&x, &y, &both) == LAM_TYPES_UNITE);
}

/*
 * True when one layout of columns serves two VARIANTs, or their insides. The fields of an object
 * that are not shredded are in `value`, which must have none that are: the shredded ones must be
 * the same in both. (VariantShredding.md, "Objects")
 */
static bool variants_fit(const lam_field *a, const lam_field *b) {
    bool is_object = is_shredded_object(a) || is_shredded_object(b);
    if (lam_is_repeated(a) != lam_is_repeated(b) ||
        !lam_logical_type_equals(&a->logical_type, &b->logical_type))
        return both_are_leaves(a, b) && typed_leaves_fit(a, b);
    if (both_are_leaves(a, b))
        return typed_leaves_fit(a, b);
    if (lam_is_group(a) != lam_is_group(b) || (is_object && a->child_count != b->child_count))
        return false;
    for (size_t i = 0; i < a->child_count; i++) {
        const lam_field *child = lam_child_at(a, i), *other = child_like(b, child);
        if (other == NULL ? is_object : !variants_fit(child, other))
            return false;
    }
    return true;
}

/*
 * True when each field below the second is below the first, and the reverse, except a `value` that
 * the second lacks: an object is in typed_value if there is one for objects.
 */
static bool has_same_fields(const lam_field *a, const lam_field *b) {
    size_t missing = 0;
    for (size_t i = 0; i < a->child_count; i++) {
        const lam_field *child = lam_child_at(a, i), *other = child_like(b, child);
        missing += other == NULL;
        if (other == NULL ? strcmp(child->name, "value") != 0 : !has_same_fields(child, other))
            return false;
    }
    return b->child_count + missing == a->child_count;
}

bool lam_variant_covers(const lam_field *variant, const lam_field *other) {
    return variants_fit(variant, other) && has_same_fields(variant, other);
}

/* --- Building ------------------------------------------------------------------------------ */

/* A field that is absent in one of two is not required. */
static lam_repetition absent_repetition(union_side side) {
    return side.repetition == LAM_REPETITION_REQUIRED ? LAM_REPETITION_OPTIONAL : side.repetition;
}

static lam_status copy_absent(lam_schema_builder *builder, union_side side, const char *name,
                              lam_error *error) {
    return lam_schema_copy_field(builder, side.field, name, absent_repetition(side), NULL, error);
}

/* A repeated field that becomes one value may be absent: it is, too, if a file lacks it. */
static lam_repetition repetition_of_both(union_side a, union_side b) {
    return a.repetition == LAM_REPETITION_REQUIRED && b.repetition == LAM_REPETITION_REQUIRED
               ? LAM_REPETITION_REQUIRED
               : LAM_REPETITION_OPTIONAL;
}

/* The id that both have, or that one has. */
static void unite_ids(const lam_field *a, const lam_field *b, lam_field_options *options) {
    options->has_id = (a->has_id || b->has_id) && (!a->has_id || !b->has_id || a->id == b->id);
    options->id = !options->has_id ? 0 : a->has_id ? a->id : b->id;
}

/* A VARIANT that is not shredded, for fields that are no VARIANTs. */
static lam_status put_plain_variant(lam_schema_builder *builder, const char *name, union_side a,
                                    union_side b, lam_error *error) {
    static const char *const names[] = {"metadata", "value"};
    lam_field_options options = {.logical_type = {.kind = LAM_LOGICAL_VARIANT, .version = 1}};
    unite_ids(a.field, b.field, &options);
    LAM_TRY(
        lam_schema_builder_begin_group(builder, name, repetition_of_both(a, b), &options, error));
    for (int i = 0; i < 2; i++)
        LAM_TRY(lam_schema_builder_add_leaf(builder, names[i], LAM_REPETITION_REQUIRED,
                                            LAM_PHYSICAL_BYTE_ARRAY, NULL, error));
    return lam_schema_builder_end_group(builder, error);
}

/* The first's VARIANT, with a `value` for values that its typed_value, if any, does not hold. */
static lam_status keep_variant(lam_schema_builder *builder, const char *name, union_side variant,
                               union_side other, lam_error *error) {
    const lam_field *field = variant.field;
    lam_field_options options = lam_options_of_field(field);
    unite_ids(field, other.field, &options);
    LAM_TRY(lam_schema_builder_begin_group(builder, name, repetition_of_both(variant, other),
                                           &options, error));
    for (size_t i = 0; i < field->child_count; i++) {
        const lam_field *child = lam_child_at(field, i);
        bool is_typed = strcmp(child->name, "typed_value") == 0;
        LAM_TRY(lam_schema_copy_field(builder, child, child->name,
                                      is_typed ? absent_repetition(side_of(child))
                                               : (lam_repetition)child->repetition,
                                      NULL, error));
    }
    if (lam_field_child_named(field, "value", 5) == NULL)
        LAM_TRY(lam_schema_builder_add_leaf(builder, "value", LAM_REPETITION_OPTIONAL,
                                            LAM_PHYSICAL_BYTE_ARRAY, NULL, error));
    return lam_schema_builder_end_group(builder, error);
}

static lam_status put_clash(const lam_schema_pair *pair, lam_schema_builder *builder,
                            const char *name, union_side a, union_side b, lam_error *error) {
    lam_field_options options = {.logical_type = {.kind = LAM_LOGICAL_STRING}};
    if (pair->on_clash == LAM_CLASH_ERROR)
        return fail_pair(pair, a.field, b.field, error);
    if (pair->note != NULL)
        LAM_TRY(pair->note(pair->state, a.field, b.field, error));
    if (pair->on_clash == LAM_CLASH_VARIANT)
        return put_plain_variant(builder, name, a, b, error);
    unite_ids(a.field, b.field, &options);
    return lam_schema_builder_add_leaf(builder, name, repetition_of_both(a, b),
                                       LAM_PHYSICAL_BYTE_ARRAY, &options, error);
}

static lam_status unite_children(const lam_schema_pair *pair, lam_schema_builder *builder,
                                 const lam_field *a, const lam_field *b, lam_error *error);
static lam_status unite_sides(const lam_schema_pair *pair, lam_schema_builder *builder,
                              const char *name, union_side a, union_side b, lam_error *error);

static lam_status put_united_leaf(lam_schema_builder *builder, const char *name,
                                  lam_repetition repetition, const lam_field *a, const lam_field *b,
                                  lam_error *error) {
    const lam_leaf_type x = lam_leaf_type_of(a), y = lam_leaf_type_of(b);
    lam_leaf_type both = x;
    (void)lam_type_unite(&x, &y, &both);
    lam_field_options options = {.logical_type = both.logical, .type_length = both.type_length};
    unite_ids(a, b, &options);
    return lam_schema_builder_add_leaf(builder, name, repetition, both.physical, &options, error);
}

/* Begins a group that is one in both, as the first has it. */
static lam_status begin_both(lam_schema_builder *builder, const char *name,
                             lam_repetition repetition, const lam_field *a, const lam_field *b,
                             lam_error *error) {
    lam_field_options options = lam_options_of_field(a);
    unite_ids(a, b, &options);
    return lam_schema_builder_begin_group(builder, name, repetition, &options, error);
}

static lam_status unite_groups(const lam_schema_pair *pair, lam_schema_builder *builder,
                               const char *name, lam_repetition repetition, const lam_field *a,
                               const lam_field *b, lam_error *error) {
    LAM_TRY(begin_both(builder, name, repetition, a, b, error));
    LAM_TRY(unite_children(pair, builder, a, b, error));
    return lam_schema_builder_end_group(builder, error);
}

/* --- Lists and maps ------------------------------------------------------------------------ */

static union_side element_side(const lam_field *list) {
    union_side side = side_of(lam_field_list_element(list));
    if (!lam_list_has_wrapper(list))
        side.repetition = LAM_REPETITION_REQUIRED;
    return side;
}

/* The repeated group and its element, with the names that one of both has. */
static lam_status unite_wrapped(const lam_schema_pair *pair, lam_schema_builder *builder,
                                const lam_field *a, const lam_field *b, lam_error *error) {
    const lam_field *like = lam_list_has_wrapper(a) ? a : lam_list_has_wrapper(b) ? b : NULL;
    const lam_field *repeated = like == NULL ? NULL : lam_child_at(like, 0);
    lam_field_options options = {0};
    if (repeated != NULL)
        options = lam_options_of_field(repeated);
    if (like == a && lam_list_has_wrapper(b))
        unite_ids(repeated, lam_child_at(b, 0), &options);
    LAM_TRY(lam_schema_builder_begin_group(builder, repeated == NULL ? "list" : repeated->name,
                                           LAM_REPETITION_REPEATED, &options, error));
    LAM_TRY(unite_sides(pair, builder,
                        repeated == NULL ? "element" : lam_child_at(repeated, 0)->name,
                        element_side(a), element_side(b), error));
    return lam_schema_builder_end_group(builder, error);
}

static lam_status unite_lists(const lam_schema_pair *pair, lam_schema_builder *builder,
                              const char *name, lam_repetition repetition, const lam_field *a,
                              const lam_field *b, lam_error *error) {
    const lam_field *x = lam_child_at(a, 0), *y = lam_child_at(b, 0);
    LAM_TRY(begin_both(builder, name, repetition, a, b, error));
    if (!bare_lists_fit(a, b))
        LAM_TRY(unite_wrapped(pair, builder, a, b, error));
    else if (lam_is_group(x))
        LAM_TRY(unite_groups(pair, builder, x->name, LAM_REPETITION_REPEATED, x, y, error));
    else
        LAM_TRY(put_united_leaf(builder, x->name, LAM_REPETITION_REPEATED, x, y, error));
    return lam_schema_builder_end_group(builder, error);
}

/* A required key stays required: a map whose keys are all of type UNKNOWN has no entries. */
static lam_status unite_keys(const lam_schema_pair *pair, lam_schema_builder *builder, union_side a,
                             union_side b, lam_error *error) {
    if (lam_field_is_nothing(a.field) == lam_field_is_nothing(b.field))
        return unite_sides(pair, builder, a.field->name, a, b, error);
    return lam_schema_copy_field(builder, lam_field_is_nothing(a.field) ? b.field : a.field,
                                 a.field->name, repetition_of_both(a, b), NULL, error);
}

/* A value that one of both lacks may be absent. */
static lam_status unite_maps(const lam_schema_pair *pair, lam_schema_builder *builder,
                             const char *name, lam_repetition repetition, const lam_field *a,
                             const lam_field *b, lam_error *error) {
    const lam_field *x = lam_child_at(a, 0), *y = lam_child_at(b, 0);
    const lam_field *more = x->child_count > 1 ? x : y;
    LAM_TRY(begin_both(builder, name, repetition, a, b, error));
    LAM_TRY(begin_both(builder, x->name, LAM_REPETITION_REPEATED, x, y, error));
    LAM_TRY(
        unite_keys(pair, builder, side_of(lam_child_at(x, 0)), side_of(lam_child_at(y, 0)), error));
    if (x->child_count > 1 && y->child_count > 1)
        LAM_TRY(unite_sides(pair, builder, lam_child_at(x, 1)->name, side_of(lam_child_at(x, 1)),
                            side_of(lam_child_at(y, 1)), error));
    else if (more->child_count > 1)
        LAM_TRY(copy_absent(builder, side_of(lam_child_at(more, 1)), lam_child_at(more, 1)->name,
                            error));
    LAM_TRY(lam_schema_builder_end_group(builder, error));
    return lam_schema_builder_end_group(builder, error);
}

/* --- Fields -------------------------------------------------------------------------------- */

/* Two groups that repeat alike. */
static lam_status unite_two_groups(const lam_schema_pair *pair, lam_schema_builder *builder,
                                   const char *name, union_side a, union_side b, lam_error *error) {
    const lam_field *x = a.field, *y = b.field;
    lam_repetition repetition = a.repetition == LAM_REPETITION_REPEATED ? LAM_REPETITION_REPEATED
                                                                        : repetition_of_both(a, b);
    if (x->logical_type.kind == LAM_LOGICAL_VARIANT && variants_fit(x, y))
        return unite_groups(pair, builder, name, repetition, x, y, error);
    if (lam_is_list(x) && lam_is_list(y))
        return unite_lists(pair, builder, name, repetition, x, y, error);
    if (maps_fit(x, y))
        return unite_maps(pair, builder, name, repetition, x, y, error);
    if (is_variant(a) || is_variant(b))
        return is_variant(a) ? keep_variant(builder, name, a, b, error)
                             : keep_variant(builder, name, b, a, error);
    if (lam_is_map(x) || x->logical_type.kind == LAM_LOGICAL_VARIANT ||
        !lam_logical_type_equals(&x->logical_type, &y->logical_type))
        return put_clash(pair, builder, name, a, b, error);
    return unite_groups(pair, builder, name, repetition, x, y, error);
}

static lam_status unite_sides(const lam_schema_pair *pair, lam_schema_builder *builder,
                              const char *name, union_side a, union_side b, lam_error *error) {
    const lam_field *x = a.field, *y = b.field;
    bool repeats = a.repetition == LAM_REPETITION_REPEATED;
    bool one_repeats = repeats != (b.repetition == LAM_REPETITION_REPEATED);
    if (a.repetition > LAM_REPETITION_REPEATED || b.repetition > LAM_REPETITION_REPEATED) {
        if (!lam_field_same_shape(x, y))
            return fail_pair(pair, x, y, error);
        return lam_schema_copy_field(builder, x, name, a.repetition, NULL, error);
    }
    if (lam_field_is_nothing(x) != lam_field_is_nothing(y))
        return copy_absent(builder, lam_field_is_nothing(x) ? b : a, name, error);
    if (lam_is_group(x) && lam_is_group(y) && !one_repeats)
        return unite_two_groups(pair, builder, name, a, b, error);
    if (is_variant(a) || is_variant(b))
        return is_variant(a) ? keep_variant(builder, name, a, b, error)
                             : keep_variant(builder, name, b, a, error);
    if (one_repeats)
        return put_clash(pair, builder, name, a, b, error);
    if (!leaves_fit(x, y))
        return put_clash(pair, builder, name, a, b, error);
    return put_united_leaf(
        builder, name, repeats ? LAM_REPETITION_REPEATED : repetition_of_both(a, b), x, y, error);
}

/* Names decide what belongs together, so that no two of a group may be equal. */
static lam_status check_names(const lam_field *group, lam_error *error) {
    for (size_t i = 0; i < group->child_count; i++) {
        const lam_field *child = lam_child_at(group, i);
        if (child_like(group, child) != child)
            LAM_FAIL(error, LAM_STATUS_UNSUPPORTED,
                     "two fields '%.100s' in one group, which cannot be united with other files",
                     child->name);
    }
    return LAM_STATUS_OK;
}

/* The children of two groups, by name. */
static lam_status unite_children(const lam_schema_pair *pair, lam_schema_builder *builder,
                                 const lam_field *a, const lam_field *b, lam_error *error) {
    LAM_TRY(check_names(a, error));
    LAM_TRY(check_names(b, error));
    for (size_t i = 0; i < a->child_count; i++) {
        const lam_field *child = lam_child_at(a, i), *other = child_like(b, child);
        if (other != NULL)
            LAM_TRY(unite_sides(pair, builder, child->name, side_of(child), side_of(other), error));
        else
            LAM_TRY(copy_absent(builder, side_of(child), child->name, error));
    }
    for (size_t i = 0; i < b->child_count; i++) {
        const lam_field *child = lam_child_at(b, i);
        if (child_like(a, child) == NULL)
            LAM_TRY(copy_absent(builder, side_of(child), child->name, error));
    }
    return LAM_STATUS_OK;
}

/* --- Schemas ------------------------------------------------------------------------------- */

/* True when field ids are equal, too, or the second schema has none. */
static bool same_ids(const lam_schema *a, const lam_schema *b) {
    for (size_t i = 0; i < a->field_count; i++)
        if (b->fields[i].has_id && (!a->fields[i].has_id || a->fields[i].id != b->fields[i].id))
            return false;
    return true;
}

lam_status lam_schema_unite(const lam_schema_pair *pair, const lam_allocator *allocator,
                            lam_schema **ret_schema, lam_error *error) {
    lam_status status;
    lam_schema_builder *builder;
    lam_schema *made;
    const lam_field *a = lam_schema_root(pair->first), *b = lam_schema_root(pair->second);
    if (lam_schema_same_shape(pair->first, pair->second) && same_ids(pair->first, pair->second)) {
        *ret_schema = lam_schema_share(pair->first);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_schema_builder_create(a->name, allocator, &builder, error));
    lam_schema_builder_set_lenient(builder);
    LAM_TRY_OUT(unite_children(pair, builder, a, b, error));
    LAM_TRY_OUT(lam_schema_builder_finish(builder, &made, error));
    *ret_schema = made;
    if (lam_schema_same_shape(made, pair->first) && same_ids(made, pair->first) &&
        same_ids(pair->first, made)) {
        lam_schema_destroy(made);
        *ret_schema = lam_schema_share(pair->first);
    }
out:
    lam_schema_builder_destroy(builder);
    return status;
}

bool lam_schema_shares_fields(const lam_schema *a, const lam_schema *b) {
    const lam_field *root = lam_schema_root(a), *other = lam_schema_root(b);
    for (size_t i = 0; i < root->child_count; i++)
        if (child_like(other, lam_child_at(root, i)) != NULL)
            return true;
    return root->child_count == 0 || other->child_count == 0;
}

/* --- The rows that a schema holds ------------------------------------------------------------- */

const lam_field *lam_schema_field_like(const lam_schema *schema, const lam_field *field) {
    const lam_field *path[LAM_SCHEMA_DEPTH_MAX], *at = lam_schema_root(schema);
    size_t depth = field->depth;
    for (; field->index != 0; field = lam_parent_of(field))
        path[field->depth - 1] = field;
    for (size_t i = 0; i < depth && at != NULL; i++)
        at = child_like(at, path[i]);
    return at;
}

/* Both are at the same path; each field on it counts. */
static bool path_means_same(const lam_field *a, const lam_field *b) {
    for (; a->depth > 0; a = lam_parent_of(a), b = lam_parent_of(b)) {
        const lam_leaf_type x = lam_leaf_type_of(a), y = lam_leaf_type_of(b);
        if (a->repetition != b->repetition || !lam_leaf_type_equals(&x, &y))
            return false;
    }
    return true;
}

/* The group above a leaf that is a leaf in the schema, or the leaf itself. */
static const lam_field *field_beyond(const lam_schema *schema, const lam_field *leaf) {
    for (const lam_field *at = lam_parent_of(leaf); at->index != 0; at = lam_parent_of(at)) {
        const lam_field *own = lam_schema_field_like(schema, at);
        if (own != NULL && !lam_is_group(own))
            return at;
    }
    return leaf;
}

lam_status lam_schema_find_beyond(const lam_schema *schema, const lam_schema *other,
                                  lam_clash on_clash, const lam_allocator *allocator,
                                  lam_schema **ret_both, const lam_field **ret_field,
                                  lam_error *error) {
    const lam_schema_pair pair = {.first = schema,
                                  .second = other,
                                  .first_name = "one",
                                  .second_name = "the other",
                                  .on_clash = on_clash};
    lam_schema *both;
    LAM_TRY(lam_schema_unite(&pair, allocator, &both, error));
    *ret_both = NULL;
    *ret_field = NULL;
    if (lam_schema_same_shape(both, schema)) {
        lam_schema_destroy(both);
        return LAM_STATUS_OK;
    }
    *ret_both = both;
    *ret_field = lam_leaf_at(both, 0);
    for (size_t i = 0; i < both->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(both, i), *own = lam_schema_field_like(schema, leaf);
        if (own != NULL && path_means_same(own, leaf))
            continue;
        *ret_field = field_beyond(schema, leaf);
        break;
    }
    return LAM_STATUS_OK;
}
