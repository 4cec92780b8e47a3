/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests on parts of VARIANTs are built by calls: by class and in order, and refused without a
 * trace.
 */
#include <lamella/filter.h>

#include "scan/condition/filter_builder.h"
#include "scan/path_help.h"
#include "support/failing_alloc.h"

static const char EVENT[] =
    "message m { required int32 n; optional group v (VARIANT) { required binary metadata;"
    "optional binary value; optional group typed_value {"
    "required group a { optional binary value; optional int64 typed_value; } } }"
    "optional group bad (VARIANT) { required binary metadata; optional int32 value; } }";

static const lam_variant_scalar one = {LAM_VARIANT_INT8, {.integer = 1}};
static const lam_variant_scalar two = {LAM_VARIANT_DECIMAL4, {.decimal = {20, 0, 1}}};
static const lam_variant_scalar text = {LAM_VARIANT_STRING, {.bytes = {(const uint8_t *)"x", 1}}};
static const lam_variant_scalar nothing = {LAM_VARIANT_NULL, {0}};

Test(filter_path_build, what_cannot_be_compared_is_refused_and_leaves_the_builder_as_it_was) {
    const lam_variant_scalar both[] = {one, two}, mixed[] = {one, text};
    const struct {
        const char *path;
        lam_filter_operator operation;
        const lam_variant_scalar *values;
        size_t count;
        lam_status status;
    } cases[] = {
        {"v.a", LAM_FILTER_LESS, both, 2, LAM_STATUS_INVALID},
        {"v.a", LAM_FILTER_EQUAL, &nothing, 1, LAM_STATUS_INVALID},
        {"v.a", (lam_filter_operator)7, &one, 1, LAM_STATUS_INVALID},
        {"v.a", LAM_FILTER_BETWEEN, &one, 1, LAM_STATUS_INVALID},
        {"v.a", (lam_filter_operator)-1, &one, 1, LAM_STATUS_INVALID},
        {"n", LAM_FILTER_EQUAL, &text, 1, LAM_STATUS_INVALID},
        {"n", LAM_FILTER_LESS, both, 2, LAM_STATUS_INVALID},
        {"", LAM_FILTER_EQUAL, &one, 1, LAM_STATUS_INVALID},
        {"n.a", LAM_FILTER_EQUAL, &one, 1, LAM_STATUS_NOT_FOUND},
        {"w", LAM_FILTER_EQUAL, &one, 1, LAM_STATUS_NOT_FOUND},
        {"v.", LAM_FILTER_EQUAL, &one, 1, LAM_STATUS_INVALID},
        {"v.\"a", LAM_FILTER_EQUAL, &one, 1, LAM_STATUS_INVALID},
        {"v.a[]b", LAM_FILTER_EQUAL, &one, 1, LAM_STATUS_INVALID},
        {"bad.a", LAM_FILTER_EQUAL, &one, 1, LAM_STATUS_INVALID},
    };
    lam_schema *schema = path_schema(EVENT);
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_error error;
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        error = lam_error_none();
        cr_expect_eq(lam_filter_builder_compare_scalars(builder, cases[i].path, cases[i].operation,
                                                        cases[i].values, cases[i].count, &error),
                     cases[i].status, "case %zu: %s", i, error.message);
        cr_expect_neq(error.message[0], '\0', "case %zu", i);
    }
    cr_expect_eq(lam_filter_builder_is_missing(builder, "n", true, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_filter_builder_is_missing(builder, "w.a", true, NULL), LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_STATE);
    cr_assert_eq(
        lam_filter_builder_compare_scalars(builder, "v.a", LAM_FILTER_LESS, mixed, 2, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    cr_expect_eq(filter->test_count, 1);
    cr_expect_eq(filter->step_count, 1);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(filter_path_build, literals_are_by_class_and_in_order) {
    lam_schema *schema = path_schema(EVENT);
    lam_filter *filter = path_filter(schema, "v.a in (3, 'b', -1, 2.5, 'a', true, 1e2, -1.0)");
    const lam_filter_path *asked = filter->tests[0].path;
    static const size_t counts[LAM_LITERAL_CLASS_COUNT] = {[LAM_LITERAL_NUMBER] = 5,
                                                           [LAM_LITERAL_BOOLEAN] = 1,
                                                           [LAM_LITERAL_STRING] = 2,
                                                           [LAM_LITERAL_BINARY] = 2};
    for (int class = 0; class < LAM_LITERAL_CLASS_COUNT; class ++) {
        const lam_literal_list *list = &asked->literals[class];
        cr_expect_eq(list->count, counts[class], "class %d: %zu", class, list->count);
        for (size_t i = 0; i < list->count; i++) {
            cr_expect_eq((int)list->items[i].kind, class);
            if (i > 0)
                cr_expect_leq(lam_literal_order(&list->items[i - 1], &list->items[i]), 0);
        }
    }
    cr_expect_eq(filter->tests[0].value_count, 3, "3, -1 and 100 are integers");
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}

Test(filter_path_build, a_range_whose_ends_share_no_class_is_unknown) {
    static const struct {
        const char *condition;
        lam_test_kind kind;
    } cases[] = {{"v.a between 1 and 5", LAM_TEST_BETWEEN},
                 {"v.a between 1 and 'x'", LAM_TEST_UNKNOWN},
                 {"v.a between 'x' and 1", LAM_TEST_UNKNOWN}};
    lam_schema *schema = path_schema(EVENT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter *filter = path_filter(schema, cases[i].condition);
        cr_expect_eq(filter->tests[0].kind, cases[i].kind, "%s: %d", cases[i].condition,
                     (int)filter->tests[0].kind);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_path_build, an_end_of_a_range_is_one_value_of_a_class) {
    lam_schema *schema = path_schema(EVENT);
    lam_filter_builder *builder;
    lam_path_target target;
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    const lam_field *field;
    cr_assert_eq(lam_filter_path_target(schema, "v.a", &builder->arena, &target, &field, NULL),
                 LAM_STATUS_OK);
    for (size_t lows = 1; lows < 3; lows++)
        for (size_t highs = 1; highs < 3; highs++) {
            lam_literal low[2], high[2];
            lam_error error = lam_error_none();
            for (size_t i = 0; i < 2; i++) {
                cr_assert_eq(lam_literal_of_scalar(&one, &builder->arena, &low[i], NULL),
                             LAM_STATUS_OK);
                cr_assert_eq(lam_literal_of_scalar(&two, &builder->arena, &high[i], NULL),
                             LAM_STATUS_OK);
            }
            bool is_good = lows == 1 && highs == 1;
            cr_expect_eq(
                lam_filter_builder_range_path(builder, &target, low, lows, high, highs, &error),
                is_good ? LAM_STATUS_OK : LAM_STATUS_INVALID);
            cr_expect_str_eq(error.message,
                             is_good ? "" : "several values of one class for one comparison");
        }
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(filter_path_build, bytes_are_copied) {
    lam_schema *schema = path_schema(EVENT);
    lam_filter_builder *builder;
    lam_filter *filter;
    uint8_t bytes[3] = {'a', 'b', 'c'};
    char path[] = "v.name";
    lam_variant_scalar value = {LAM_VARIANT_STRING, {.bytes = {bytes, 3}}};
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(
        lam_filter_builder_compare_scalars(builder, path, LAM_FILTER_EQUAL, &value, 1, NULL),
        LAM_STATUS_OK);
    memset(bytes, 0, sizeof bytes);
    memset(path, 0, sizeof path);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    const lam_filter_path *asked = filter->tests[0].path;
    lam_variant_scalar same = {LAM_VARIANT_STRING, {.bytes = {(const uint8_t *)"abc", 3}}};
    cr_expect_eq(lam_filter_path_compare(asked, &same), LAM_OUTCOME_TRUE);
    cr_assert_eq(asked->step_count, 1);
    cr_assert_eq(asked->steps[0].name.size, 4);
    cr_expect_arr_eq(asked->steps[0].name.data, "name", 4);
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}

Test(filter_path_build, with_no_values_nothing_is_known) {
    lam_schema *schema = path_schema(EVENT);
    lam_filter_builder *builder;
    lam_filter *filter;
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(
        lam_filter_builder_compare_scalars(builder, "v.a", LAM_FILTER_EQUAL, NULL, 0, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    cr_expect_eq(filter->tests[0].kind, LAM_TEST_UNKNOWN);
    cr_expect_eq(lam_filter_path_compare(filter->tests[0].path, &one), LAM_OUTCOME_UNKNOWN);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

/* What failed once is done again, with the memory there. */
static void build_with(lam_filter_builder *builder, const lam_variant_scalar *values,
                       size_t count) {
    lam_filter *filter;
    lam_status status = LAM_STATUS_NOMEM;
    for (int i = 0; i < 2 && status == LAM_STATUS_NOMEM; i++)
        status = lam_filter_builder_compare_scalars(builder, "v.a.\"b c\"[]", LAM_FILTER_EQUAL,
                                                    values, count, NULL);
    cr_assert_eq(status, LAM_STATUS_OK);
    status = LAM_STATUS_NOMEM;
    for (int i = 0; i < 2 && status == LAM_STATUS_NOMEM; i++)
        status = lam_filter_builder_finish(builder, &filter, NULL);
    cr_assert_eq(status, LAM_STATUS_OK);
    cr_expect_eq(filter->test_count, 1);
    cr_expect_eq(filter->step_count, 1);
    lam_filter_destroy(filter);
}

Test(filter_path_build, a_failing_allocation_leaves_the_builder_as_it_was) {
    const lam_variant_scalar values[] = {one, text, two};
    lam_schema *schema = path_schema(EVENT);
    lam_failing_alloc failing = {.requests = 1, .fail_at = 1};
    for (size_t nth = 1; failing.requests >= failing.fail_at; nth++) {
        failing = (lam_failing_alloc){.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_filter_builder *builder = NULL;
        if (nth == 1)
            cr_expect_eq(lam_filter_builder_create(schema, &allocator, &builder, NULL),
                         LAM_STATUS_NOMEM);
        else
            cr_assert_eq(lam_filter_builder_create(schema, &allocator, &builder, NULL),
                         LAM_STATUS_OK);
        if (builder != NULL)
            build_with(builder, values, 3);
        lam_filter_builder_destroy(builder);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert_eq(failing.wrong_sizes, 0);
    }
    cr_expect_gt(failing.fail_at, 5);
    lam_schema_destroy(schema);
}
