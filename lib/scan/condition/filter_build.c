/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds conditions from calls: takes fields, operators and values, and appends a test of a leaf.
 *
 * All that a test points to is always a copy in the builder's arena, and a call that fails leaves
 * the conditions as they were. Tests become steps in scan/condition/filter_steps.c. Conditions on
 * paths inside of VARIANTs go on to scan/condition/filter_path_build.c.
 */
#include "base/error.h"
#include "scan/condition/filter_builder.h"
#include "scan/condition/filter_path.h"
#include "scan/condition/filter_peer.h"
#include "scan/condition/filter_values.h"

enum { FILTER_PATH_ROOM = 150 }; /* of a path in a message */

void lam_filter_mark_leaves(const lam_filter *filter, bool *leaves) {
    for (size_t i = 0; i < filter->test_count; i++) {
        const lam_filter_test *test = &filter->tests[i];
        leaves[test->leaf->first_leaf] = true;
        if (test->peer != NULL)
            leaves[test->peer->other->first_leaf] = true;
        if (test->path == NULL)
            continue;
        const lam_field *variant = test->path->variant;
        for (size_t k = 0; k < variant->leaf_count; k++)
            leaves[variant->first_leaf + k] = true;
    }
}

lam_status lam_filter_leaf_of(const lam_field *field, const lam_field **ret_leaf,
                              lam_error *error) {
    char path[FILTER_PATH_ROOM];
    if (field->leaf_count != 1) {
        (void)lam_field_path(field, path, sizeof path);
        LAM_FAIL(error, LAM_ERROR_CODE_FILTER_SYNTAX, "field '%s' is a group of %u leaves", path,
                 (unsigned)field->leaf_count);
    }
    *ret_leaf = lam_leaf_at(field->schema, field->first_leaf);
    return LAM_STATUS_OK;
}

static lam_status filter_find_leaf(const lam_filter_builder *builder, const char *path,
                                   const lam_field **ret_leaf, lam_error *error) {
    const lam_field *field;
    LAM_TRY(lam_schema_resolve(builder->schema, path, &field, error));
    return lam_filter_leaf_of(field, ret_leaf, error);
}

/*
 * Equality needs no order of the type: bytes of an INTERVAL or a geometry can be equal, but none is
 * less than another.
 */
lam_status lam_filter_builder_compare_leaf(lam_filter_builder *builder, const lam_field *leaf,
                                           lam_test_kind kind, const lam_leaf_literal *literals,
                                           size_t count, lam_error *error) {
    lam_filter_test test = {0};
    char path[FILTER_PATH_ROOM];
    bool ordered = lam_filter_order_of(leaf).comparison != LAM_COMPARISON_UNDEFINED;
    if (!ordered && kind != LAM_TEST_IN && kind != LAM_TEST_NOT_EQUAL) {
        (void)lam_field_path(leaf, path, sizeof path);
        LAM_FAIL(error, LAM_STATUS_INVALID, "values of field '%s' have no order", path);
    }
    LAM_TRY(lam_filter_leaf_test(kind, leaf, literals, count, &builder->arena, &test, error));
    return lam_filter_builder_add(builder, &test, error);
}

/* --- Values --------------------------------------------------------------------------------- */

static lam_status check_operator(lam_filter_operator operation, lam_filter_operator last,
                                 lam_error *error) {
    if ((unsigned)operation > (unsigned)last)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown operator %d", (int)operation);
    return LAM_STATUS_OK;
}

/* Only equality may have any number of values: "less than 3 or 5" has no meaning. */
static lam_status check_count(lam_filter_operator operation, size_t count, lam_error *error) {
    size_t wanted = operation == LAM_FILTER_BETWEEN ? 2 : 1;
    if (operation != LAM_FILTER_EQUAL && count != wanted)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%zu values for an operator that takes %zu", count,
                 wanted);
    return LAM_STATUS_OK;
}

/* An empty list is allowed: false for each value, unknown for a null. */
lam_status lam_filter_builder_compare(lam_filter_builder *builder, const char *path,
                                      lam_filter_operator operation, const lam_value *values,
                                      size_t count, lam_error *error) {
    const lam_field *leaf;
    LAM_TRY(check_operator(operation, LAM_FILTER_BETWEEN, error));
    LAM_TRY(check_count(operation, count, error));
    LAM_TRY(filter_find_leaf(builder, path, &leaf, error));
    lam_leaf_literal *literals;
    LAM_TRY(LAM_ARENA_ARRAY(&builder->arena, count, &literals, error));
    for (size_t i = 0; i < count; i++) {
        literals[i].position = LAM_LITERAL_EXACT;
        LAM_TRY(
            lam_filter_copy_value(leaf, &values[i], &builder->arena, &literals[i].plain, error));
    }
    return lam_filter_builder_compare_leaf(builder, leaf, lam_test_kind_of(operation), literals,
                                           count, error);
}

/* Finds each literal among the values of the leaf, which may be of another class. */
static lam_status compare_leaf_literals(lam_filter_builder *builder, const lam_field *field,
                                        lam_filter_operator operation, const lam_literal *literals,
                                        size_t count, lam_error *error) {
    const lam_field *leaf;
    char path[FILTER_PATH_ROOM];
    LAM_TRY(check_count(operation, count, error));
    LAM_TRY(lam_filter_leaf_of(field, &leaf, error));
    lam_leaf_literal *found;
    LAM_TRY(LAM_ARENA_ARRAY(&builder->arena, count, &found, error));
    for (size_t i = 0; i < count; i++) {
        LAM_TRY(lam_literal_to_leaf(&literals[i], leaf, &builder->arena, &found[i], error));
        const char *expected = lam_literal_expected(&literals[i], leaf, &found[i]);
        if (expected == NULL)
            continue;
        (void)lam_field_path(leaf, path, sizeof path);
        LAM_FAIL(error, LAM_STATUS_INVALID, "a value for field '%s': expected %s", path, expected);
    }
    return lam_filter_builder_compare_leaf(builder, leaf, lam_test_kind_of(operation), found, count,
                                           error);
}

/* The two ends of a range, or the values of any other comparison. */
static lam_status compare_path_literals(lam_filter_builder *builder, const lam_path_target *target,
                                        lam_filter_operator operation, lam_literal *literals,
                                        size_t count, lam_error *error) {
    if (operation != LAM_FILTER_BETWEEN)
        return lam_filter_builder_compare_path(builder, target, operation, literals, count, error);
    LAM_TRY(check_count(operation, count, error));
    return lam_filter_builder_range_path(builder, target, literals, 1, literals + 1, 1, error);
}

lam_status lam_filter_builder_compare_scalars(lam_filter_builder *builder, const char *path,
                                              lam_filter_operator operation,
                                              const lam_variant_scalar *values, size_t count,
                                              lam_error *error) {
    const lam_field *field;
    lam_path_target target;
    LAM_TRY(check_operator(operation, LAM_FILTER_BETWEEN, error));
    LAM_TRY(lam_filter_path_target(builder->schema, path, &builder->arena, &target, &field, error));
    lam_literal *literals;
    LAM_TRY(LAM_ARENA_ARRAY(&builder->arena, count, &literals, error));
    for (size_t i = 0; i < count; i++)
        LAM_TRY(lam_literal_of_scalar(&values[i], &builder->arena, &literals[i], error));
    return target.variant != NULL
               ? compare_path_literals(builder, &target, operation, literals, count, error)
               : compare_leaf_literals(builder, field, operation, literals, count, error);
}

/* --- Patterns ------------------------------------------------------------------------------- */

lam_status lam_filter_builder_match_leaf(lam_filter_builder *builder, const lam_field *leaf,
                                         const lam_filter_pattern *pattern, lam_error *error) {
    lam_filter_test test = {0};
    LAM_TRY(lam_filter_like_test(pattern, leaf, &builder->arena, &test, error));
    return lam_filter_builder_add(builder, &test, error);
}

/* Reads a pattern into memory of the builder's arena. */
static lam_status filter_build_pattern(lam_filter_builder *builder, lam_bytes text,
                                       const lam_filter_like *like,
                                       const lam_filter_pattern **ret_pattern, lam_error *error) {
    lam_bytes escape = {(const uint8_t *)&like->escape, like->escape != '\0'};
    if (like->is_prefix && (like->ignores_case || like->escape != '\0'))
        LAM_FAIL(error, LAM_STATUS_INVALID, "a prefix has no escapes, and capital letters count");
    lam_filter_pattern *pattern;
    LAM_TRY(LAM_ARENA_NEW(&builder->arena, &pattern, error));
    *ret_pattern = pattern;
    return like->is_prefix ? lam_pattern_of_prefix(text, &builder->arena, pattern, error)
                           : lam_pattern_read(text, escape, like->ignores_case, &builder->arena,
                                              pattern, error);
}

lam_status lam_filter_builder_like(lam_filter_builder *builder, const char *path, lam_bytes pattern,
                                   const lam_filter_like *like, lam_error *error) {
    static const lam_filter_like plain = {0};
    const lam_filter_pattern *read;
    const lam_field *field, *leaf;
    lam_path_target target;
    LAM_TRY(lam_filter_path_target(builder->schema, path, &builder->arena, &target, &field, error));
    LAM_TRY(filter_build_pattern(builder, pattern, like == NULL ? &plain : like, &read, error));
    if (target.variant != NULL)
        return lam_filter_builder_match_path(builder, &target, read, error);
    LAM_TRY(lam_filter_leaf_of(field, &leaf, error));
    return lam_filter_builder_match_leaf(builder, leaf, read, error);
}

lam_status lam_filter_builder_compare_fields(lam_filter_builder *builder, const char *path,
                                             lam_filter_operator operation, const char *other_path,
                                             lam_error *error) {
    const lam_field *leaf, *other;
    LAM_TRY(check_operator(operation, LAM_FILTER_GREATER_OR_EQUAL, error));
    LAM_TRY(filter_find_leaf(builder, path, &leaf, error));
    LAM_TRY(filter_find_leaf(builder, other_path, &other, error));
    return lam_filter_builder_compare_leaves(builder, leaf, lam_test_kind_of(operation), other,
                                             error);
}

/* --- Nulls ---------------------------------------------------------------------------------- */

/*
 * Expresses IS NULL in slots alone, so that no value is read. Any leaf below the field has the same
 * ones; the first is taken.
 */
lam_status lam_filter_builder_ask_null(lam_filter_builder *builder, const lam_field *field,
                                       bool is_null, lam_error *error) {
    lam_filter_test test = {0};
    if (field->leaf_count == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%.150s' has no columns", field->name);
    test.kind = is_null ? LAM_TEST_NULL : LAM_TEST_NOT_NULL;
    test.leaf = lam_leaf_at(builder->schema, field->first_leaf);
    test.order = lam_filter_order_of(test.leaf);
    test.slots = lam_slots_of(field);
    return lam_filter_builder_add(builder, &test, error);
}

lam_status lam_filter_builder_is_null(lam_filter_builder *builder, const char *path, bool is_null,
                                      lam_error *error) {
    const lam_field *field;
    lam_path_target target;
    LAM_TRY(lam_filter_path_target(builder->schema, path, &builder->arena, &target, &field, error));
    return target.variant != NULL
               ? lam_filter_builder_ask_path(builder, &target, false, !is_null, error)
               : lam_filter_builder_ask_null(builder, field, is_null, error);
}

/* Anything but a path inside a VARIANT is a field of the schema, which no record lacks. */
lam_status lam_filter_builder_is_missing(lam_filter_builder *builder, const char *path,
                                         bool is_missing, lam_error *error) {
    const lam_field *field;
    lam_path_target target;
    LAM_TRY(lam_filter_path_target(builder->schema, path, &builder->arena, &target, &field, error));
    if (target.variant == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%.150s' is neither a VARIANT nor inside one",
                 path);
    return lam_filter_builder_ask_path(builder, &target, true, !is_missing, error);
}
