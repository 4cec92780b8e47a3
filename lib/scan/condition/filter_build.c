/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a filter from calls: takes fields, operators and values, and appends a test with the step
 * that runs it, or a step that joins the conditions before it. The result is the postfix program of
 * scan/condition/filter_program.h, whose memory the filter then owns.
 *
 *     compare a        height 1      [a]
 *     compare b        height 2      [a] [b]
 *     not              height 2      [a] [not b]
 *     and              height 1      [a and not b]
 *
 * Invariant: `height` counts the conditions that are on the stack when the program reaches its end,
 * `depth` is the highest it has been, and a call that fails changes neither, nor the tests and
 * steps. Conditions on paths of VARIANTs are built in scan/condition/filter_path_build.c.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "scan/condition/filter_builder.h"
#include "scan/condition/filter_path.h"
#include "scan/condition/filter_peer.h"
#include "scan/condition/filter_values.h"

/*
 * Bounds the program, whose length an application may take from a text that somebody else wrote.
 * Test numbers then fit a uint32_t, and the stack of outcomes stays within reason.
 */
enum { MOST_STEPS = 1 << 20 };

enum { FILTER_PATH_ROOM = 150 }; /* of a path in a message */

/* Allocates an empty builder. Memory of lam_alloc_array is cleared, so height and depth are 0. */
lam_status lam_filter_builder_create(const lam_schema *schema, const lam_allocator *allocator,
                                     lam_filter_builder **ret_builder, lam_error *error) {
    lam_allocator chosen = lam_allocator_or_default(allocator);
    void *memory;
    LAM_TRY(lam_schema_require(schema, error));
    LAM_TRY(lam_alloc_array(&chosen, 1, sizeof(lam_filter_builder), &memory, error));
    lam_filter_builder *builder = memory;
    builder->allocator = chosen;
    builder->schema = lam_schema_share(schema);
    lam_arena_init(&builder->arena, &chosen, 0);
    lam_buffer_init(&builder->tests, &chosen);
    lam_buffer_init(&builder->steps, &chosen);
    *ret_builder = builder;
    return LAM_STATUS_OK;
}

/*
 * The arena holds everything that tests point to: values, paths, literals. After finish it is
 * a fresh one, since the filter took the old.
 */
void lam_filter_builder_destroy(lam_filter_builder *builder) {
    if (builder == NULL)
        return;
    lam_allocator allocator = builder->allocator;
    lam_arena_finish(&builder->arena);
    lam_buffer_finish(&builder->tests);
    lam_buffer_finish(&builder->steps);
    lam_schema_destroy(builder->schema);
    lam_free(&allocator, builder, sizeof *builder);
}

void lam_filter_destroy(lam_filter *filter) {
    if (filter == NULL)
        return;
    lam_allocator allocator = filter->allocator;
    lam_arena_finish(&filter->arena);
    lam_schema_destroy(filter->schema);
    lam_free(&allocator, filter, sizeof *filter);
}

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

/* --- Tests --------------------------------------------------------------------------------- */

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

/* Appends a step; `test` matters for LAM_STEP_TEST only. Height is the caller's to adjust. */
static lam_status add_step(lam_filter_builder *builder, lam_step_kind kind, uint32_t test,
                           lam_error *error) {
    lam_filter_step step = {kind, test};
    if (builder->steps.size / sizeof step >= MOST_STEPS)
        LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a filter of more than %d steps", MOST_STEPS);
    return lam_buffer_append(&builder->steps, &step, sizeof step, error);
}

/*
 * The order of the calls makes failure harmless: memory for the test is reserved first, so that
 * once the step is appended nothing can fail any more.
 */
lam_status lam_filter_builder_add(lam_filter_builder *builder, const lam_filter_test *test,
                                  lam_error *error) {
    size_t number = builder->tests.size / sizeof *test;
    /* Levels below a VECTOR are unknown; refused here, before metadata could decide the test. */
    if (lam_is_in_vector(test->leaf))
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_VECTOR,
                 "field '%.150s' is in a VECTOR (parquet-format#592), which is not read",
                 test->leaf->name);
    LAM_TRY(lam_buffer_reserve(&builder->tests, sizeof *test, error));
    LAM_TRY(add_step(builder, LAM_STEP_TEST, (uint32_t)number, error));
    memcpy(builder->tests.data + builder->tests.size, test, sizeof *test);
    builder->tests.size += sizeof *test;
    builder->height++;
    builder->depth = builder->depth > builder->height ? builder->depth : builder->height;
    return LAM_STATUS_OK;
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
    void *memory;
    LAM_TRY(filter_find_leaf(builder, path, &leaf, error));
    LAM_TRY(lam_arena_array(&builder->arena, count, sizeof(lam_leaf_literal), &memory, error));
    lam_leaf_literal *literals = memory;
    for (size_t i = 0; i < count; i++) {
        literals[i].position = LAM_LITERAL_EXACT;
        LAM_TRY(
            lam_filter_copy_value(leaf, &values[i], &builder->arena, &literals[i].plain, error));
    }
    return lam_filter_builder_compare_leaf(builder, leaf, kind, literals, count, error);
}

/*
 * Equality becomes IN with one value, which leaves one code path for both. The table needs
 * `operation` to be in range; callers check numbers from outside.
 */
lam_test_kind lam_test_kind_of(lam_filter_operator operation) {
    static const lam_test_kind kinds[] = {
        [LAM_FILTER_EQUAL] = LAM_TEST_IN,
        [LAM_FILTER_NOT_EQUAL] = LAM_TEST_NOT_EQUAL,
        [LAM_FILTER_LESS] = LAM_TEST_LESS,
        [LAM_FILTER_LESS_OR_EQUAL] = LAM_TEST_LESS_OR_EQUAL,
        [LAM_FILTER_GREATER] = LAM_TEST_GREATER,
        [LAM_FILTER_GREATER_OR_EQUAL] = LAM_TEST_GREATER_OR_EQUAL,
    };
    return kinds[operation];
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
    void *memory;
    if (like->is_prefix && (like->ignores_case || like->escape != '\0'))
        LAM_FAIL(error, LAM_STATUS_INVALID, "a prefix has no escapes, and capital letters count");
    LAM_TRY(lam_arena_array(&builder->arena, 1, sizeof(lam_filter_pattern), &memory, error));
    lam_filter_pattern *pattern = memory;
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

/* --- Joining ------------------------------------------------------------------------------- */

/*
 * Adds a step that replaces the last `conditions` conditions by one: two for AND and OR, one for
 * NOT.
 */
static lam_status filter_build_join(lam_filter_builder *builder, lam_step_kind kind,
                                    size_t conditions, lam_error *error) {
    if (builder->height < conditions)
        LAM_FAIL(error, LAM_STATUS_STATE, "%zu conditions are needed, but there are %zu",
                 conditions, builder->height);
    LAM_TRY(add_step(builder, kind, 0, error));
    builder->height -= conditions - 1;
    return LAM_STATUS_OK;
}

lam_status lam_filter_builder_and(lam_filter_builder *builder, lam_error *error) {
    return filter_build_join(builder, LAM_STEP_AND, 2, error);
}

lam_status lam_filter_builder_or(lam_filter_builder *builder, lam_error *error) {
    return filter_build_join(builder, LAM_STEP_OR, 2, error);
}

lam_status lam_filter_builder_not(lam_filter_builder *builder, lam_error *error) {
    return filter_build_join(builder, LAM_STEP_NOT, 1, error);
}

/* Copies an array, not an empty one, from a buffer that grows into the arena of the filter. */
static lam_status move_array(lam_arena *arena, const lam_buffer *items, const void **ret_items,
                             lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_alloc(arena, items->size, &memory, error));
    memcpy(memory, items->data, items->size);
    *ret_items = memory;
    return LAM_STATUS_OK;
}

/*
 * Hands the arena over. Whatever can fail comes before that; the builder then gets a fresh arena
 * and starts anew, without steps and conditions.
 */
lam_status lam_filter_builder_finish(lam_filter_builder *builder, lam_filter **ret_filter,
                                     lam_error *error) {
    if (builder->height != 1)
        LAM_FAIL(error, LAM_STATUS_STATE, "a filter must be one condition, but there are %zu",
                 builder->height);
    const void *tests, *steps;
    void *memory;
    LAM_TRY(move_array(&builder->arena, &builder->tests, &tests, error));
    LAM_TRY(move_array(&builder->arena, &builder->steps, &steps, error));
    LAM_TRY(lam_alloc_array(&builder->allocator, 1, sizeof(lam_filter), &memory, error));
    lam_filter *filter = memory;
    filter->allocator = builder->allocator;
    filter->schema = lam_schema_share(builder->schema);
    filter->arena = builder->arena;
    filter->tests = tests;
    filter->test_count = builder->tests.size / sizeof(lam_filter_test);
    filter->steps = steps;
    filter->step_count = builder->steps.size / sizeof(lam_filter_step);
    filter->depth = builder->depth;
    lam_arena_init(&builder->arena, &builder->allocator, 0);
    lam_buffer_clear(&builder->tests);
    lam_buffer_clear(&builder->steps);
    builder->height = 0;
    builder->depth = 0;
    *ret_filter = filter;
    return LAM_STATUS_OK;
}
