/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts tests together to a filter: appends a test with the step that runs it, or a step that joins
 * the conditions before it. The result is the postfix program of scan/condition/filter_program.h,
 * whose memory the filter then owns.
 *
 *     compare a        height 1      [a]
 *     compare b        height 2      [a] [b]
 *     not              height 2      [a] [not b]
 *     and              height 1      [a and not b]
 *
 * The invariant: `height` counts the conditions that are on the stack when the program reaches its
 * end, `depth` is the highest it has been, and a call that fails changes neither, nor the tests and
 * steps.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "scan/condition/filter_builder.h"

/*
 * Bounds the program, whose length may come from a text that somebody else wrote. Test numbers then
 * fit a uint32_t, and the stack of outcomes stays within reason.
 */
enum { MOST_STEPS = 1 << 20 };

/* Allocates an empty builder. Memory of lam_alloc_array is cleared, so height and depth are 0. */
lam_status lam_filter_builder_create(const lam_schema *schema, const lam_allocator *allocator,
                                     lam_filter_builder **ret_builder, lam_error *error) {
    lam_allocator chosen = lam_allocator_or_default(allocator);
    LAM_TRY(lam_schema_require(schema, error));
    lam_filter_builder *builder;
    LAM_TRY(LAM_NEW(&chosen, &builder, error));
    builder->allocator = chosen;
    builder->schema = lam_schema_share(schema);
    lam_arena_init(&builder->arena, &chosen, 0);
    LAM_LIST_INIT(&builder->tests, &chosen);
    LAM_LIST_INIT(&builder->steps, &chosen);
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
    LAM_LIST_FINISH(&builder->tests);
    LAM_LIST_FINISH(&builder->steps);
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

/* Appends a step; `test` matters for LAM_STEP_TEST only. Height is the caller's to adjust. */
static lam_status add_step(lam_filter_builder *builder, lam_step_kind kind, uint32_t test,
                           lam_error *error) {
    lam_filter_step step = {kind, test};
    if (builder->steps.count >= MOST_STEPS)
        LAM_FAIL(error, LAM_ERROR_CODE_FILTER_LIMIT, "a filter of more than %d steps", MOST_STEPS);
    return LAM_LIST_ADD(&builder->steps, &step, error);
}

/*
 * The order of the calls makes failure harmless: memory for the test is reserved first, so that
 * after the step is appended no failure is possible.
 */
lam_status lam_filter_builder_add(lam_filter_builder *builder, const lam_filter_test *test,
                                  lam_error *error) {
    size_t number = builder->tests.count;
    /* Levels below a VECTOR are unknown; refused here, before metadata could decide the test. */
    if (lam_is_in_vector(test->leaf))
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_VECTOR,
                 "field '%.150s' is in a VECTOR (parquet-format#592), which is not read",
                 test->leaf->name);
    LAM_TRY(LAM_LIST_RESERVE(&builder->tests, 1, error));
    LAM_TRY(add_step(builder, LAM_STEP_TEST, (uint32_t)number, error));
    builder->tests.items[builder->tests.count++] = *test;
    builder->height++;
    builder->depth = builder->depth > builder->height ? builder->depth : builder->height;
    return LAM_STATUS_OK;
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
        [LAM_FILTER_BETWEEN] = LAM_TEST_BETWEEN,
    };
    return kinds[operation];
}

/* A step replaces two conditions by one for AND and OR, and one for NOT. */
lam_status lam_filter_builder_join(lam_filter_builder *builder, lam_filter_join join,
                                   lam_error *error) {
    static const struct {
        lam_step_kind kind;
        size_t conditions;
    } joins[] = {[LAM_FILTER_AND] = {LAM_STEP_AND, 2},
                 [LAM_FILTER_OR] = {LAM_STEP_OR, 2},
                 [LAM_FILTER_NOT] = {LAM_STEP_NOT, 1}};
    if ((unsigned)join > LAM_FILTER_NOT)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown join %d", (int)join);
    size_t conditions = joins[join].conditions;
    if (builder->height < conditions)
        LAM_FAIL(error, LAM_STATUS_STATE, "%zu conditions are needed, but there are %zu",
                 conditions, builder->height);
    LAM_TRY(add_step(builder, joins[join].kind, 0, error));
    builder->height -= conditions - 1;
    return LAM_STATUS_OK;
}

/*
 * Hands the arena over. All that can fail comes before that; the builder then gets a new arena and
 * starts over, without steps and conditions.
 */
lam_status lam_filter_builder_finish(lam_filter_builder *builder, lam_filter **ret_filter,
                                     lam_error *error) {
    if (builder->height != 1)
        LAM_FAIL(error, LAM_STATUS_STATE, "a filter must be one condition, but there are %zu",
                 builder->height);
    lam_filter_test *tests;
    lam_filter_step *steps;
    LAM_TRY(LAM_ARENA_ARRAY(&builder->arena, builder->tests.count, &tests, error));
    LAM_TRY(LAM_ARENA_ARRAY(&builder->arena, builder->steps.count, &steps, error));
    memcpy(tests, builder->tests.items, builder->tests.count * sizeof *tests);
    memcpy(steps, builder->steps.items, builder->steps.count * sizeof *steps);
    lam_filter *filter;
    LAM_TRY(LAM_NEW(&builder->allocator, &filter, error));
    filter->allocator = builder->allocator;
    filter->schema = lam_schema_share(builder->schema);
    filter->arena = builder->arena;
    filter->tests = tests;
    filter->test_count = builder->tests.count;
    filter->steps = steps;
    filter->step_count = builder->steps.count;
    filter->depth = builder->depth;
    lam_arena_init(&builder->arena, &builder->allocator, 0);
    builder->tests.count = 0;
    builder->steps.count = 0;
    builder->height = 0;
    builder->depth = 0;
    *ret_filter = filter;
    return LAM_STATUS_OK;
}
