/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds conditions from calls: takes fields, operators and values, and appends a test of a leaf.
 *
 * All that a test points to is always a copy in the builder's arena, and a call that fails leaves
 * the conditions as they were. Tests become steps in scan/condition/filter_steps.c. Conditions on
 * paths of VARIANTs are built in scan/condition/filter_path_build.c.
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

/* Compares a leaf with values in the form of lam_record_sink.put, which are copied. */
static lam_status compare_values(lam_filter_builder *builder, const char *path, lam_test_kind kind,
                                 const lam_value *values, size_t count, lam_error *error) {
    const lam_field *leaf;
    LAM_TRY(filter_find_leaf(builder, path, &leaf, error));
    lam_leaf_literal *literals;
    LAM_TRY(LAM_ARENA_ARRAY(&builder->arena, count, &literals, error));
    for (size_t i = 0; i < count; i++) {
        literals[i].position = LAM_LITERAL_EXACT;
        LAM_TRY(
            lam_filter_copy_value(leaf, &values[i], &builder->arena, &literals[i].plain, error));
    }
    return lam_filter_builder_compare_leaf(builder, leaf, kind, literals, count, error);
}

lam_status lam_filter_builder_compare(lam_filter_builder *builder, const char *path,
                                      lam_filter_operator operation, lam_value value,
                                      lam_error *error) {
    if ((unsigned)operation > LAM_FILTER_GREATER_OR_EQUAL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown operator %d", (int)operation);
    return compare_values(builder, path, lam_test_kind_of(operation), &value, 1, error);
}

lam_status lam_filter_builder_between(lam_filter_builder *builder, const char *path, lam_value low,
                                      lam_value high, lam_error *error) {
    const lam_value values[] = {low, high};
    return compare_values(builder, path, LAM_TEST_BETWEEN, values, 2, error);
}

/* An empty list is allowed: false for each value, unknown for a null. */
lam_status lam_filter_builder_in(lam_filter_builder *builder, const char *path,
                                 const lam_value *values, size_t count, lam_error *error) {
    return compare_values(builder, path, LAM_TEST_IN, values, count, error);
}

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
    const lam_field *leaf;
    LAM_TRY(filter_find_leaf(builder, path, &leaf, error));
    LAM_TRY(filter_build_pattern(builder, pattern, like == NULL ? &plain : like, &read, error));
    return lam_filter_builder_match_leaf(builder, leaf, read, error);
}

lam_status lam_filter_builder_variant_like(lam_filter_builder *builder, const char *path,
                                           lam_bytes pattern, const lam_filter_like *like,
                                           lam_error *error) {
    static const lam_filter_like plain = {0};
    const lam_filter_pattern *read;
    lam_path_target target;
    LAM_TRY(lam_filter_path_target(builder->schema, path, &builder->arena, &target, error));
    LAM_TRY(filter_build_pattern(builder, pattern, like == NULL ? &plain : like, &read, error));
    return lam_filter_builder_match_path(builder, &target, read, error);
}

lam_status lam_filter_builder_compare_fields(lam_filter_builder *builder, const char *path,
                                             lam_filter_operator operation, const char *other_path,
                                             lam_error *error) {
    const lam_field *leaf, *other;
    if ((unsigned)operation > LAM_FILTER_GREATER_OR_EQUAL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown operator %d", (int)operation);
    LAM_TRY(filter_find_leaf(builder, path, &leaf, error));
    LAM_TRY(filter_find_leaf(builder, other_path, &other, error));
    return lam_filter_builder_compare_leaves(builder, leaf, lam_test_kind_of(operation), other,
                                             error);
}

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
    LAM_TRY(lam_schema_resolve(builder->schema, path, &field, error));
    return lam_filter_builder_ask_null(builder, field, is_null, error);
}
