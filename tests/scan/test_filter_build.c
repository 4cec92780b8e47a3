/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters built by calls: what cannot be compared is refused by name, joined tests count, sets are
 * sorted.
 */
#include <criterion/criterion.h>
#include <lamella/filter.h>
#include <lamella/filter_text.h>
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
    cr_expect_eq(lam_filter_builder_compare(builder, "b", LAM_FILTER_EQUAL, &value, 1, &error),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_str_eq(error.message, "no field 'b'");
    cr_expect_eq(lam_filter_builder_compare(builder, "g", LAM_FILTER_EQUAL, &value, 1, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "field 'g' is a group of 2 leaves");
    value.bytes = (lam_bytes){(const uint8_t *)"twelve bytes", 12};
    cr_expect_eq(lam_filter_builder_compare(builder, "i", LAM_FILTER_LESS, &value, 1, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "values of field 'i' have no order");
    cr_expect_eq(lam_filter_builder_compare(builder, "i", LAM_FILTER_EQUAL, &value, 1, &error),
                 LAM_STATUS_OK);
    value.bytes.size = 11;
    cr_expect_eq(lam_filter_builder_compare(builder, "i", LAM_FILTER_EQUAL, &value, 1, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "field 'i' has values of 12 bytes, not 11");
    cr_expect_eq(
        lam_filter_builder_compare(builder, "a", (lam_filter_operator)7, &value, 1, &error),
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
    cr_assert_eq(lam_filter_builder_compare(builder, "a", LAM_FILTER_EQUAL, &value, 1, NULL),
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
    cr_assert_eq(lam_filter_builder_compare(builder, "a", LAM_FILTER_EQUAL, values, 6, NULL),
                 LAM_STATUS_OK);
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
    status = lam_filter_builder_compare(builder, "a", LAM_FILTER_EQUAL, &value, 1, NULL);
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
        lam_filter_builder_compare(builder, "list.element", LAM_FILTER_EQUAL, &zero, 1, &error),
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
        cr_expect_eq(lam_filter_builder_like(builder, "v.a", pattern, &cases[i].like, &error),
                     cases[i].status, "case %zu", i);
        cr_expect_str_eq(error.message, cases[i].message);
    }
    cr_expect_eq(lam_filter_builder_like(builder, "s", pattern, NULL, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_like(builder, "v.a", pattern, NULL, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_filter_builder_like(builder, "z", pattern, NULL, NULL), LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_filter_builder_like(builder, "a", pattern, NULL, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_filter_builder_compare_fields(builder, "z", LAM_FILTER_LESS, "a", NULL),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_filter_builder_compare_fields(builder, "a", LAM_FILTER_LESS, "z", NULL),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_filter_builder_is_null(builder, "z", true, NULL), LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_filter_builder_join(builder, (lam_filter_join)3, NULL), LAM_STATUS_INVALID);
    lam_filter_builder_destroy(builder);
    cr_expect_eq(lam_filter_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_INVALID);
    lam_schema_destroy(schema);
}

/* --- Scalars -------------------------------------------------------------------------------- */

#define SCALAR(kind, member, ...)                                                                  \
    (lam_variant_scalar) {                                                                         \
        kind, {                                                                                    \
            .member = __VA_ARGS__                                                                  \
        }                                                                                          \
    }
#define INTEGER(number) SCALAR(LAM_VARIANT_INT64, integer, number)
#define REAL(number) SCALAR(LAM_VARIANT_DOUBLE, float64, number)
#define TEXT(literal)                                                                              \
    SCALAR(LAM_VARIANT_STRING, bytes, {(const uint8_t *)(literal), sizeof(literal) - 1})

/* The one test of both filters. */
static void expect_same_test(const lam_filter *built, const lam_filter *read, const char *text) {
    const lam_filter_test *a = &built->tests[0], *b = &read->tests[0];
    cr_assert(built->test_count == 1 && read->test_count == 1, "%s", text);
    cr_expect_eq(a->kind, b->kind, "%s", text);
    cr_expect_eq(a->leaf->index, b->leaf->index, "%s", text);
    cr_expect_eq(a->path == NULL, b->path == NULL, "%s", text);
    cr_expect_eq(a->excludes_low, b->excludes_low, "%s", text);
    cr_assert_eq(a->value_count, b->value_count, "%s", text);
    for (size_t i = 0; i < a->value_count; i++) {
        cr_assert_eq(a->values[i].size, b->values[i].size, "%s", text);
        cr_expect_arr_eq(a->values[i].data, b->values[i].data, a->values[i].size);
    }
}

Test(filter_build, a_condition_by_scalars_is_the_one_of_the_text) {
    const struct {
        const char *path;
        lam_filter_operator operation;
        lam_variant_scalar values[3];
        size_t count;
        const char *text;
    } cases[] = {
        {"a", LAM_FILTER_LESS, {INTEGER(7)}, 1, "a < 7"},
        {"a", LAM_FILTER_LESS, {REAL(10.5)}, 1, "a < 10.5"},
        {"a", LAM_FILTER_GREATER, {REAL(1e10)}, 1, "a > 1e10"},
        {"a", LAM_FILTER_NOT_EQUAL, {INTEGER(-1)}, 1, "a != -1"},
        {"a", LAM_FILTER_EQUAL, {INTEGER(3), REAL(1.5), INTEGER(1)}, 3, "a in (3, 1.5, 1)"},
        {"a", LAM_FILTER_BETWEEN, {INTEGER(2), REAL(5.5)}, 2, "a between 2 and 5.5"},
        {"s", LAM_FILTER_EQUAL, {TEXT("x"), TEXT("")}, 2, "s in ('x', '')"},
        {"d", LAM_FILTER_LESS_OR_EQUAL, {TEXT("2024-10-24")}, 1, "d <= '2024-10-24'"},
        {"d",
         LAM_FILTER_LESS_OR_EQUAL,
         {SCALAR(LAM_VARIANT_DATE, integer, 20020)},
         1,
         "d <= '2024-10-24'"},
        {"l", LAM_FILTER_EQUAL, {INTEGER(4)}, 1, "l = 4"},
        {"v.a", LAM_FILTER_LESS, {INTEGER(7)}, 1, "v.a < 7"},
        {"v.a", LAM_FILTER_BETWEEN, {INTEGER(2), INTEGER(5)}, 2, "v.a between 2 and 5"},
    };
    lam_schema *schema = lam_test_schema(
        "optional int32 a; optional binary s (STRING); optional int32 d (DATE);"
        "optional group l (LIST) { repeated group list { optional int32 element; } }"
        "optional group v (VARIANT(1)) { required binary metadata; optional binary value;"
        "  optional group typed_value { required group a { optional binary value;"
        "    optional int64 typed_value; } } }");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter_builder *builder = start(schema);
        lam_filter *built, *read;
        lam_error error = lam_error_none();
        cr_assert_eq(lam_filter_builder_compare_scalars(builder, cases[i].path, cases[i].operation,
                                                        cases[i].values, cases[i].count, &error),
                     LAM_STATUS_OK, "%s: %s", cases[i].text, error.message);
        cr_assert_eq(lam_filter_builder_finish(builder, &built, NULL), LAM_STATUS_OK);
        cr_assert_eq(
            lam_filter_parse(schema, cases[i].text, strlen(cases[i].text), NULL, NULL, &read, NULL),
            LAM_STATUS_OK);
        expect_same_test(built, read, cases[i].text);
        lam_filter_destroy(built);
        lam_filter_destroy(read);
        lam_filter_builder_destroy(builder);
    }
    lam_schema_destroy(schema);
}

Test(filter_build, scalars_that_a_leaf_cannot_be_compared_with_are_refused) {
    const struct {
        const char *path;
        lam_filter_operator operation;
        lam_variant_scalar values[2];
        size_t count;
        const char *message;
    } cases[] = {
        {"a", LAM_FILTER_EQUAL, {TEXT("x")}, 1, "a value for field 'a': expected a number"},
        {"a",
         LAM_FILTER_LESS,
         {INTEGER(1), INTEGER(2)},
         2,
         "2 values for an operator that takes 1"},
        {"a", LAM_FILTER_BETWEEN, {INTEGER(1)}, 1, "1 values for an operator that takes 2"},
        {"g", LAM_FILTER_EQUAL, {INTEGER(1)}, 1, "field 'g' is a group of 2 leaves"},
        {"i",
         LAM_FILTER_EQUAL,
         {INTEGER(1)},
         1,
         "a value for field 'i': expected bytes such as x'00FF'"},
    };
    lam_schema *schema = parse();
    lam_filter_builder *builder = start(schema);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        cr_expect_eq(lam_filter_builder_compare_scalars(builder, cases[i].path, cases[i].operation,
                                                        cases[i].values, cases[i].count, &error),
                     LAM_STATUS_INVALID, "case %zu", i);
        cr_expect_str_eq(error.message, cases[i].message);
    }
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}
