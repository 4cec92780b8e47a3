/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters built by calls: what cannot be compared is refused by name, joined tests count, sets are
 * sorted.
 */
#include <criterion/criterion.h>
#include <lamella/filter.h>
#include <lamella/record.h>
#include <string.h>

#include "file/file_sample.h"
#include "scan/condition/filter_program.h"
#include "support/failing_alloc.h"

static lam_schema *parse(void) {
    return lam_test_schema(
        "optional int32 a; optional group g { optional int32 x; optional int32 y; }"
        "optional fixed_len_byte_array(12) i (INTERVAL);");
}

static lam_filter_builder *start(const lam_schema *schema) {
    lam_filter_builder *builder;
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    return builder;
}

Test(filter_build, what_cannot_be_compared_is_refused_by_name) {
    lam_schema *schema = parse();
    lam_filter_builder *builder = start(schema);
    lam_error error = lam_error_none();
    lam_value value = {.int32 = 1};
    cr_expect_eq(lam_filter_builder_compare(builder, "b", LAM_FILTER_EQUAL, value, &error),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_str_eq(error.message, "no field 'b'");
    cr_expect_eq(lam_filter_builder_compare(builder, "g", LAM_FILTER_EQUAL, value, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "field 'g' is a group of 2 leaves");
    value.bytes = (lam_bytes){(const uint8_t *)"twelve bytes", 12};
    cr_expect_eq(lam_filter_builder_compare(builder, "i", LAM_FILTER_LESS, value, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "values of field 'i' have no order");
    cr_expect_eq(lam_filter_builder_compare(builder, "i", LAM_FILTER_EQUAL, value, &error),
                 LAM_STATUS_OK);
    value.bytes.size = 11;
    cr_expect_eq(lam_filter_builder_compare(builder, "i", LAM_FILTER_EQUAL, value, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "field 'i' has values of 12 bytes, not 11");
    cr_expect_eq(lam_filter_builder_compare(builder, "a", (lam_filter_operator)6, value, &error),
                 LAM_STATUS_INVALID);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(filter_build, conditions_are_joined_when_there_are_enough) {
    lam_schema *schema = parse();
    lam_filter_builder *builder = start(schema);
    lam_filter *filter;
    lam_value value = {.int32 = 1};
    cr_expect_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_filter_builder_not(builder, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_filter_builder_compare(builder, "a", LAM_FILTER_EQUAL, value, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_and(builder, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_filter_builder_is_null(builder, "g", true, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_filter_builder_or(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    cr_expect_eq(filter->step_count, 3);
    cr_expect_eq(filter->depth, 2);
    cr_expect_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_STATE);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(filter_build, values_of_a_set_are_sorted_and_each_there_once) {
    lam_schema *schema = parse();
    lam_filter_builder *builder = start(schema);
    lam_filter *filter;
    const int32_t numbers[] = {5, -1, 5, 3, -1, 0};
    lam_value values[6];
    memset(values, 0, sizeof values);
    for (size_t i = 0; i < 6; i++)
        values[i].int32 = numbers[i];
    cr_assert_eq(lam_filter_builder_in(builder, "a", values, 6, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    const lam_filter_test *test = &filter->tests[0];
    cr_assert_eq(test->value_count, 4);
    for (size_t i = 1; i < 4; i++)
        cr_expect(lam_filter_compare(&test->order, test->values[i - 1], test->values[i]) < 0);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

static lam_status build(const lam_schema *schema, const lam_allocator *allocator) {
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_value value = {.int32 = 1};
    lam_status status = lam_filter_builder_create(schema, allocator, &builder, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_filter_builder_compare(builder, "a", LAM_FILTER_EQUAL, value, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_filter_builder_is_null(builder, "g", false, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_filter_builder_and(builder, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_filter_builder_finish(builder, &filter, NULL);
    if (status == LAM_STATUS_OK)
        lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    return status;
}

Test(filter_build, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    lam_schema *schema = parse();
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        status = build(schema, &allocator);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert(nth < 100);
    }
    lam_schema_destroy(schema);
}

Test(filter_build, a_filter_has_a_limited_number_of_steps) {
    enum { MOST = 1 << 20 };
    lam_schema *schema = parse();
    lam_filter_builder *builder = start(schema);
    lam_filter *filter;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_filter_builder_is_null(builder, "g", true, NULL), LAM_STATUS_OK);
    for (int i = 1; i < MOST; i++)
        cr_assert_eq(lam_filter_builder_not(builder, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_not(builder, &error), LAM_STATUS_LIMIT);
    cr_expect_str_eq(error.message, "a filter of more than 1048576 steps");
    cr_expect_eq(lam_filter_builder_is_null(builder, "g", true, &error), LAM_STATUS_LIMIT);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    cr_expect_eq(filter->step_count, MOST);
    cr_expect_eq(filter->test_count, 1);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

/* parquet-format#592 */
Test(filter_build, fields_of_a_vector_have_no_conditions) {
    static const char message[] =
        "field 'element' is in a VECTOR (parquet-format#592), which is not read";
    const lam_value zero = {.float32 = 0};
    lam_schema *schema = lam_test_vector_schema();
    lam_error error = lam_error_none();
    lam_filter_builder *builder = start(schema);
    cr_expect_eq(
        lam_filter_builder_compare(builder, "list.element", LAM_FILTER_EQUAL, zero, &error),
        LAM_STATUS_UNSUPPORTED);
    cr_expect_str_eq(error.message, message);
    cr_expect_eq(lam_filter_builder_is_null(builder, "list", true, &error), LAM_STATUS_UNSUPPORTED);
    cr_expect_str_eq(error.message, message);
    error = lam_error_none();
    cr_expect_eq(
        lam_filter_builder_compare_fields(builder, "a", LAM_FILTER_LESS, "list.element", &error),
        LAM_STATUS_UNSUPPORTED);
    cr_expect_str_eq(error.message, message);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(filter_build, a_group_without_columns_is_not_asked_for_nulls) {
    lam_schema_builder *made;
    lam_schema *schema;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_schema_builder_create("m", NULL, &made, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(made);
    cr_assert_eq(lam_schema_builder_begin_group(made, "empty", LAM_REPETITION_OPTIONAL, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_end_group(made, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_builder_finish(made, &schema, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_schema_builder_destroy(made);
    lam_filter_builder *builder = start(schema);
    cr_expect_eq(lam_filter_builder_is_null(builder, "empty", true, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "field 'empty' has no columns");
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(filter_build, patterns_are_read_by_their_options) {
    static const char text[] = "optional binary s (STRING); optional int32 a;"
                               "optional group v (VARIANT(1)) { required binary metadata;"
                               "  optional binary value; }";
    static const lam_bytes pattern = {(const uint8_t *)"a!%", 3};
    static const struct {
        lam_filter_like like;
        lam_status status;
        const char *message;
    } cases[] = {
        {{.escape = '!'}, LAM_STATUS_OK, ""},
        {{.ignores_case = true}, LAM_STATUS_OK, ""},
        {{.is_prefix = true}, LAM_STATUS_OK, ""},
        {{.is_prefix = true, .ignores_case = true},
         LAM_STATUS_INVALID,
         "a prefix has no escapes, and capital letters count"},
        {{.is_prefix = true, .escape = '!'},
         LAM_STATUS_INVALID,
         "a prefix has no escapes, and capital letters count"},
    };
    lam_schema *schema = lam_test_parse(text);
    lam_filter_builder *builder = start(schema);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        cr_expect_eq(lam_filter_builder_like(builder, "s", pattern, &cases[i].like, &error),
                     cases[i].status, "case %zu", i);
        cr_expect_str_eq(error.message, cases[i].message);
        error = lam_error_none();
        cr_expect_eq(
            lam_filter_builder_variant_like(builder, "v.a", pattern, &cases[i].like, &error),
            cases[i].status, "case %zu", i);
        cr_expect_str_eq(error.message, cases[i].message);
    }
    cr_expect_eq(lam_filter_builder_like(builder, "s", pattern, NULL, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_variant_like(builder, "v.a", pattern, NULL, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_like(builder, "z", pattern, NULL, NULL), LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_filter_builder_like(builder, "a", pattern, NULL, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_filter_builder_compare_fields(builder, "z", LAM_FILTER_LESS, "a", NULL),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_filter_builder_compare_fields(builder, "a", LAM_FILTER_LESS, "z", NULL),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_filter_builder_is_null(builder, "z", true, NULL), LAM_STATUS_NOT_FOUND);
    lam_filter_builder_destroy(builder);
    cr_expect_eq(lam_filter_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_INVALID);
    lam_schema_destroy(schema);
}
