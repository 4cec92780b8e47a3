/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes schemas grow with the records: takes a schema, or none, and one that was inferred from more
 * records, and gives a schema that has all fields of the first one, in their order, and the new
 * ones.
 *
 * A field gets a type only from a value that has one: nulls alone add no field, and an empty one
 * becomes a VARIANT, which takes any later value. The invariant: each record of the first schema is
 * one of the result. The type that holds the values of two comes from lam_union.
 */
#include "schema_growth.h"

#include <lamella/dataset.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

/* A schema that is built from a present one and one that was inferred. */
typedef struct growth_work {
    const schema_growth *growth;
    lam_schema_builder *builder;
    bool is_new; /* a field was added, or changed */
} growth_work;

/* --- Fields -------------------------------------------------------------------------------- */

static lam_logical_kind kind_of(const lam_field *field) {
    return lam_field_logical_type(field)->kind;
}

/* Whether any value below the field, which was inferred, gave it a type. */
static bool has_type(const lam_field *field) {
    if (lam_field_is_leaf(field))
        return kind_of(field) != LAM_LOGICAL_UNKNOWN;
    for (size_t i = 0; i < lam_field_child_count(field); i++)
        if (has_type(lam_field_child(field, i)))
            return true;
    return false;
}

static lam_field_options options_of(const lam_field *field) {
    lam_field_options options = {0};
    options.logical_type = *lam_field_logical_type(field);
    if (lam_field_physical_type(field) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        options.type_length = lam_field_type_length(field);
    options.has_id = lam_field_id(field, &options.id);
    return options;
}

static lam_status put_leaf(growth_work *work, const lam_field *leaf, lam_repetition repetition,
                           lam_error *error) {
    lam_field_options options = options_of(leaf);
    return lam_schema_builder_add_leaf(work->builder, lam_field_name(leaf), repetition,
                                       lam_field_physical_type(leaf), &options, error);
}

static lam_status begin_group(growth_work *work, const lam_field *group, lam_repetition repetition,
                              lam_error *error) {
    lam_field_options options = options_of(group);
    return lam_schema_builder_begin_group(work->builder, lam_field_name(group), repetition,
                                          &options, error);
}

static lam_status put_variant(growth_work *work, const char *name, lam_error *error) {
    static const char *const names[] = {"metadata", "value"};
    lam_field_options options = {0};
    options.logical_type.kind = LAM_LOGICAL_VARIANT;
    options.logical_type.version = 1;
    work->is_new = true;
    lam_status status = lam_schema_builder_begin_group(work->builder, name, LAM_REPETITION_OPTIONAL,
                                                       &options, error);
    for (int i = 0; i < 2 && status == LAM_STATUS_OK; i++)
        status = lam_schema_builder_add_leaf(work->builder, names[i], LAM_REPETITION_REQUIRED,
                                             LAM_PHYSICAL_BYTE_ARRAY, NULL, error);
    return status == LAM_STATUS_OK ? lam_schema_builder_end_group(work->builder, error) : status;
}

/* A field as it is, with all below it. */
static lam_status put_field(growth_work *work, const lam_field *field, lam_repetition repetition,
                            lam_error *error) {
    if (lam_field_is_leaf(field))
        return put_leaf(work, field, repetition, error);
    lam_status status = begin_group(work, field, repetition, error);
    for (size_t i = 0; status == LAM_STATUS_OK && i < lam_field_child_count(field); i++) {
        const lam_field *child = lam_field_child(field, i);
        status = put_field(work, child, lam_field_repetition(child), error);
    }
    return status == LAM_STATUS_OK ? lam_schema_builder_end_group(work->builder, error) : status;
}

/* A field that was inferred, with all below it. */
static lam_status put_inferred(growth_work *work, const lam_field *field, lam_repetition repetition,
                               lam_error *error) {
    bool is_leaf = lam_field_is_leaf(field);
    if (is_leaf && !has_type(field))
        return LAM_STATUS_OK;
    work->is_new = true;
    if (is_leaf)
        return put_leaf(work, field, repetition, error);
    if (!has_type(field))
        return put_variant(work, lam_field_name(field), error);
    lam_status status = begin_group(work, field, repetition, error);
    for (size_t i = 0; status == LAM_STATUS_OK && i < lam_field_child_count(field); i++) {
        const lam_field *child = lam_field_child(field, i);
        status = put_inferred(work, child, lam_field_repetition(child), error);
    }
    return status == LAM_STATUS_OK ? lam_schema_builder_end_group(work->builder, error) : status;
}

/* --- Two fields of one name ---------------------------------------------------------------- */

static bool is_repeated(const lam_field *field) {
    return lam_field_repetition(field) == LAM_REPETITION_REPEATED;
}

/* Whether the elements of a list are in a group that repeats. */
static bool has_wrapper(const lam_field *list) {
    const lam_field *repeated = lam_field_child(list, 0);
    return repeated != NULL && !lam_field_is_leaf(repeated) && lam_field_child_count(repeated) == 1;
}

/* Whether the field that was inferred may have members that the present one gets. */
static bool is_alike(const lam_field *field, const lam_field *more) {
    if (more == NULL || lam_field_is_leaf(field) || lam_field_is_leaf(more) ||
        kind_of(field) != kind_of(more) || is_repeated(field) != is_repeated(more))
        return false;
    return kind_of(field) == LAM_LOGICAL_NONE ||
           (kind_of(field) == LAM_LOGICAL_LIST && has_wrapper(field) && has_wrapper(more));
}

/* A LIST has one child, which has one child. */
static bool is_of_list(const lam_field *field) {
    const lam_field *parent = lam_field_parent(field);
    return kind_of(field) == LAM_LOGICAL_LIST ||
           (parent != NULL && kind_of(parent) == LAM_LOGICAL_LIST);
}

/* Names decide, but for those in lists, which differ by writer. */
static const lam_field *child_like(const lam_field *group, const lam_field *field) {
    const char *name = lam_field_name(field);
    const lam_field *parent = lam_field_parent(field);
    if (parent != NULL && is_of_list(parent) && is_of_list(group) &&
        lam_field_child_count(parent) == 1 && lam_field_child_count(group) == 1)
        return lam_field_child(group, 0);
    return lam_field_child_named(group, name, strlen(name));
}

/* A value of any kind does not determine the type of a field, unless it is to take all of them. */
static bool may_unite(const growth_work *work, const lam_field *field, const lam_field *more) {
    if (more == NULL || !work->growth->widens || !has_type(more) ||
        kind_of(field) == LAM_LOGICAL_VARIANT)
        return false;
    return kind_of(more) != LAM_LOGICAL_VARIANT || work->growth->on_clash == LAM_CLASH_VARIANT;
}

static lam_repetition repetition_of(const growth_work *work, const lam_field *field,
                                    const lam_field *more) {
    bool may_lack = more == NULL || lam_field_repetition(more) == LAM_REPETITION_OPTIONAL;
    bool is_relaxed =
        work->growth->relaxes && may_lack && lam_field_repetition(field) == LAM_REPETITION_REQUIRED;
    return is_relaxed ? LAM_REPETITION_OPTIONAL : lam_field_repetition(field);
}

/* A schema of one field. */
static lam_status make_lone(const growth_work *work, const lam_field *field,
                            lam_repetition repetition, bool is_inferred, lam_schema **ret_schema,
                            lam_error *error) {
    growth_work lone = {work->growth, NULL, false};
    lam_status status = lam_schema_builder_create("schema", tool_allocator(), &lone.builder, error);
    if (status == LAM_STATUS_OK)
        status = is_inferred ? put_inferred(&lone, field, repetition, error)
                             : put_field(&lone, field, repetition, error);
    if (status == LAM_STATUS_OK)
        status = lam_schema_builder_finish(lone.builder, ret_schema, error);
    lam_schema_builder_destroy(lone.builder);
    return status;
}

static bool prints_alike(const lam_schema *a, const lam_schema *b) {
    size_t size = lam_schema_print(a, NULL, 0);
    if (lam_schema_print(b, NULL, 0) != size)
        return false;
    char *text = tool_allocate(size + 1, 1), *other = tool_allocate(size + 1, 1);
    lam_schema_print(a, text, size + 1);
    lam_schema_print(b, other, size + 1);
    bool is_same = memcmp(text, other, size) == 0;
    free(text);
    free(other);
    return is_same;
}

/* The union of two schemas; NULL if a field clashes, and that is an error. */
static lam_status unite(const growth_work *work, const lam_schema *first, const lam_schema *second,
                        lam_union **ret_both, lam_error *error) {
    const lam_union_options options = {sizeof options, work->growth->on_clash};
    lam_union *both;
    lam_error failure = lam_error_none();
    *ret_both = NULL;
    lam_status status = lam_union_create(&options, tool_allocator(), &both, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_union_add(both, first, "the first", &failure);
    if (status == LAM_STATUS_OK)
        status = lam_union_add(both, second, "the second", &failure);
    if (status == LAM_STATUS_OK) {
        *ret_both = both;
        return LAM_STATUS_OK;
    }
    lam_union_destroy(both);
    if (status == LAM_STATUS_INVALID || status == LAM_STATUS_UNSUPPORTED)
        return LAM_STATUS_OK;
    *error = failure;
    return status;
}

/* A present field with the type that holds its values and the other's. */
static lam_status put_united(growth_work *work, const lam_field *field, const lam_field *more,
                             lam_error *error) {
    const lam_repetition repetition = repetition_of(work, field, more);
    lam_schema *own = NULL, *other = NULL;
    lam_union *both = NULL;
    lam_status status = make_lone(work, field, repetition, false, &own, error);
    if (status == LAM_STATUS_OK)
        status = make_lone(work, more, is_repeated(more) ? LAM_REPETITION_REPEATED : repetition,
                           true, &other, error);
    if (status == LAM_STATUS_OK)
        status = unite(work, own, other, &both, error);
    if (status == LAM_STATUS_OK && both != NULL)
        work->is_new = work->is_new || !prints_alike(own, lam_union_schema(both));
    if (status == LAM_STATUS_OK) {
        const lam_schema *made = both != NULL ? lam_union_schema(both) : own;
        const lam_field *result = lam_field_child(lam_schema_root(made), 0);
        status = put_field(work, result, lam_field_repetition(result), error);
    }
    lam_union_destroy(both);
    lam_schema_destroy(other);
    lam_schema_destroy(own);
    return status;
}

/* --- Schemas ------------------------------------------------------------------------------- */

static lam_status grow_field(growth_work *work, const lam_field *field, const lam_field *more,
                             lam_error *error);

/* Adds the children of a present group, and after them those that only `more` has. */
static lam_status grow_children(growth_work *work, const lam_field *field, const lam_field *more,
                                lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; status == LAM_STATUS_OK && i < lam_field_child_count(field); i++) {
        const lam_field *child = lam_field_child(field, i);
        status = grow_field(work, child, more == NULL ? NULL : child_like(more, child), error);
    }
    if (more == NULL || is_of_list(field))
        return status;
    for (size_t i = 0; status == LAM_STATUS_OK && i < lam_field_child_count(more); i++) {
        const lam_field *child = lam_field_child(more, i);
        if (child_like(field, child) == NULL)
            status = put_inferred(work, child, LAM_REPETITION_OPTIONAL, error);
    }
    return status;
}

/* Adds a present field; `more` has its name and was inferred, or is NULL. */
static lam_status grow_field(growth_work *work, const lam_field *field, const lam_field *more,
                             lam_error *error) {
    const lam_repetition repetition = repetition_of(work, field, more);
    work->is_new = work->is_new || repetition != lam_field_repetition(field);
    if (!is_alike(field, more))
        return may_unite(work, field, more) ? put_united(work, field, more, error)
                                            : put_field(work, field, repetition, error);
    lam_status status = begin_group(work, field, repetition, error);
    if (status == LAM_STATUS_OK)
        status = grow_children(work, field, more, error);
    return status == LAM_STATUS_OK ? lam_schema_builder_end_group(work->builder, error) : status;
}

static bool has_child(const lam_field *group, const char *name) {
    return group != NULL && lam_field_child_named(group, name, strlen(name)) != NULL;
}

static lam_status put_all(growth_work *work, const lam_field *root, const lam_field *more,
                          const char *rest, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    if (root != NULL)
        status = grow_children(work, root, more, error);
    for (size_t i = 0;
         root == NULL && more != NULL && status == LAM_STATUS_OK && i < lam_field_child_count(more);
         i++)
        status = put_inferred(work, lam_field_child(more, i), LAM_REPETITION_OPTIONAL, error);
    if (status == LAM_STATUS_OK && rest != NULL && !has_child(root, rest) && !has_child(more, rest))
        status = put_variant(work, rest, error);
    return status;
}

lam_status schema_growth_make(const schema_growth *growth, const lam_schema *present,
                              const lam_schema *inferred, const char *rest, lam_schema **ret_schema,
                              lam_error *error) {
    growth_work work = {growth, NULL, false};
    const lam_field *more = inferred == NULL ? NULL : lam_schema_root(inferred);
    const lam_field *root = present == NULL ? NULL : lam_schema_root(present);
    *ret_schema = NULL;
    lam_status status = lam_schema_builder_create(root == NULL ? "schema" : lam_field_name(root),
                                                  tool_allocator(), &work.builder, error);
    if (status == LAM_STATUS_OK)
        status = put_all(&work, root, more, rest, error);
    if (status == LAM_STATUS_OK && work.is_new)
        status = lam_schema_builder_finish(work.builder, ret_schema, error);
    lam_schema_builder_destroy(work.builder);
    return status;
}
