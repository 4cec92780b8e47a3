/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison with a asked is where one typed column holds the asked. */
#include <lamella/filter.h>
#include <lamella/record.h>
#include <math.h>

#include "scan/path_help.h"
#include "scan/random_condition.h"
#include "support/failing_alloc.h"
#include "variant/random_variant.h"
#include "variant/shred/variant_schema.h"

static const char *const types[] = {"boolean typed_value",
                                    "int32 typed_value (INTEGER(8,true))",
                                    "int32 typed_value (INTEGER(16,true))",
                                    "int32 typed_value",
                                    "int64 typed_value",
                                    "float typed_value",
                                    "double typed_value",
                                    "int32 typed_value (DECIMAL(9,2))",
                                    "int64 typed_value (DECIMAL(18,0))",
                                    "fixed_len_byte_array(16) typed_value (DECIMAL(38,5))",
                                    "binary typed_value (DECIMAL(38,37))",
                                    "int32 typed_value (DATE)",
                                    "int64 typed_value (TIME(MICROS,false))",
                                    "int64 typed_value (TIMESTAMP(MICROS,true))",
                                    "int64 typed_value (TIMESTAMP(NANOS,true))",
                                    "int64 typed_value (TIMESTAMP(MICROS,false))",
                                    "int64 typed_value (TIMESTAMP(NANOS,false))",
                                    "binary typed_value",
                                    "binary typed_value (STRING)",
                                    "fixed_len_byte_array(16) typed_value (UUID)"};
enum { TYPE_COUNT = sizeof types / sizeof *types };

static lam_schema *schema_with(const char *type) {
    char text[300];
    snprintf(text, sizeof text,
             "message m { required group v (VARIANT) { required binary metadata;"
             "optional binary value; optional %s; } }",
             type);
    return path_schema(text);
}

/* --- Values of a column ----------------------------------------------------------------------- */

/* A value that the column can have, as a scalar. */
static lam_variant_scalar random_of_leaf(lam_random *random, const lam_field *leaf) {
    lam_variant_scalar scalar = lam_random_scalar_of(random, lam_variant_kind_of_leaf(leaf));
    bool is_timestamp = lam_field_logical_type(leaf)->kind == LAM_LOGICAL_TIMESTAMP;
    if (lam_field_logical_type(leaf)->kind == LAM_LOGICAL_DECIMAL)
        scalar.as.decimal.scale = (uint8_t)lam_field_logical_type(leaf)->scale;
    if (is_timestamp && lam_random_chance(random, 20))
        scalar.as.integer = lam_random_chance(random, 50)
                                ? INT64_MIN + (int64_t)lam_random_below(random, 1000)
                                : INT64_MAX - (int64_t)lam_random_below(random, 1000);
    if (scalar.kind == LAM_VARIANT_DOUBLE && lam_random_chance(random, 10))
        scalar.as.float64 = lam_random_chance(random, 50) ? (double)NAN : (double)-INFINITY;
    if (scalar.kind == LAM_VARIANT_FLOAT && lam_random_chance(random, 10))
        scalar.as.float32 = lam_random_chance(random, 50) ? NAN : INFINITY;
    return scalar;
}

static void put_big_endian(lam_decimal decimal, uint8_t bytes[16]) {
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)((uint64_t)decimal.high >> (56 - 8 * i));
        bytes[8 + i] = (uint8_t)(decimal.low >> (56 - 8 * i));
    }
}

/* Whether the column's value passes the test. */
static uint8_t outcome_of(const lam_filter_test *test, const lam_variant_scalar *scalar) {
    uint8_t big[16], outcome = 0, match = 0;
    lam_triples triples = {1, 1, NULL, NULL, NULL};
    lam_filter_rows rows = {0, &outcome};
    lam_bytes bytes = {big, sizeof big};
    int32_t number = (int32_t)scalar->as.integer;
    bool is_decimal = scalar->kind >= LAM_VARIANT_DECIMAL4 && scalar->kind <= LAM_VARIANT_DECIMAL16;
    lam_physical_type type = lam_field_physical_type(test->leaf);
    bool is_fixed = type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    triples.values = &scalar->as;
    if (type == LAM_PHYSICAL_INT32) {
        number = is_decimal ? (int32_t)scalar->as.decimal.low : number;
        triples.values = &number;
    } else if (is_decimal && type != LAM_PHYSICAL_INT64) {
        put_big_endian(scalar->as.decimal, big);
        triples.values = is_fixed ? (const void *)big : &bytes;
    } else if (is_fixed) {
        triples.values = scalar->as.bytes.data;
    }
    if (lam_filter_needs_values(test))
        lam_filter_match_values(test, triples.values, 1, &match);
    lam_filter_match_rows(test, &triples, &match, &rows);
    return outcome;
}

static lam_variant build(lam_variant_builder *builder, const lam_variant_scalar *scalar) {
    lam_variant variant;
    cr_assert_eq(lam_variant_builder_put(builder, scalar, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_builder_finish(builder, &variant, NULL), LAM_STATUS_OK);
    return variant;
}

static lam_filter *filter_of(const lam_schema *schema, const random_condition *asked) {
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(random_condition_add(asked, builder, &error), LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    lam_filter_builder_destroy(builder);
    return filter;
}

Test(filter_path_leaf, a_typed_column_gives_what_its_values_are_as_scalars) {
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    lam_variant_builder *builder;
    size_t outcomes[3] = {0};
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    for (int round = 0; round < 40000; round++) {
        static random_condition asked;
        const char *type = types[lam_random_below(&random, TYPE_COUNT)];
        lam_schema *schema = schema_with(type);
        const lam_field *leaf = lam_schema_find(schema, "v.typed_value");
        lam_variant_scalar near = random_of_leaf(&random, leaf);
        lam_variant sample = build(builder, &near);
        do
            random_condition_make(&random, "v", sample, false, &asked);
        while (asked.question != PATH_COMPARES || asked.step_count > 0);
        lam_filter *filter = filter_of(schema, &asked);
        const lam_filter_test *test = &filter->tests[0];
        cr_assert(test->path->has_leaf_test && test->leaf == leaf);
        for (int k = 0; k < 3; k++) {
            lam_variant_scalar scalar = near;
            if (k == 0)
                cr_assert_eq(lam_variant_get(sample, &scalar, NULL), LAM_STATUS_OK);
            else
                scalar = random_of_leaf(&random, leaf);
            uint8_t expected = random_condition_of_scalar(&asked, &scalar);
            cr_assert_eq(lam_filter_path_compare(test->path, &scalar), expected,
                         "seed %llu, round %d: %s", (unsigned long long)seed, round, type);
            cr_assert_eq(outcome_of(test, &scalar), expected,
                         "seed %llu, round %d: %s, operation %d, kind %d, test %d",
                         (unsigned long long)seed, round, type, (int)asked.operation,
                         (int)asked.values[0].scalar.kind, (int)test->kind);
            outcomes[expected]++;
        }
        lam_filter_destroy(filter);
        lam_schema_destroy(schema);
    }
    for (int i = 0; i < 3; i++)
        cr_expect_gt(outcomes[i], 3000, "outcome %d: %zu", i, outcomes[i]);
    lam_variant_builder_destroy(builder);
}

/* --- Single cases ----------------------------------------------------------------------------- */

static void expect_test(const char *type, const char *condition, lam_test_kind kind,
                        size_t values) {
    lam_schema *schema = schema_with(type);
    lam_filter *filter = path_filter(schema, condition);
    cr_expect_eq(filter->tests[0].kind, kind, "%s, %s: %d", type, condition,
                 (int)filter->tests[0].kind);
    cr_expect_eq(filter->tests[0].value_count, values, "%s, %s: %zu", type, condition,
                 filter->tests[0].value_count);
    lam_filter_destroy(filter);
    lam_schema_destroy(schema);
}

Test(filter_path_leaf, what_no_value_of_the_column_is_asks_no_values) {
    expect_test("int32 typed_value", "v < 2147483648", LAM_TEST_ANY, 0);
    expect_test("int32 typed_value", "v > -2147483649", LAM_TEST_ANY, 0);
    expect_test("int32 typed_value", "v = 0.5", LAM_TEST_IN, 0);
    expect_test("int32 typed_value", "v <> 0.5", LAM_TEST_ANY, 0);
    expect_test("int32 typed_value", "v > 0.5", LAM_TEST_GREATER, 1);
    expect_test("int32 typed_value", "v = 'Infinity'", LAM_TEST_IN, 0);
    expect_test("int32 typed_value", "v < 'NaN'", LAM_TEST_ANY, 0);
    expect_test("int32 typed_value", "v < '-Infinity'", LAM_TEST_IN, 0);
    expect_test("int32 typed_value", "v = 'x'", LAM_TEST_UNKNOWN, 0);
    expect_test("int32 typed_value", "v in (1, 1.0, 10e-1, 2, 2.5, 'x', true)", LAM_TEST_IN, 2);
    expect_test("double typed_value", "v in (0.1, 0.10, 0.1000000000000000055, 1e400)", LAM_TEST_IN,
                1);
    expect_test("binary typed_value (STRING)", "v = '2024-01-01'", LAM_TEST_IN, 1);
    expect_test("int32 typed_value (DATE)", "v = '2024-01-01'", LAM_TEST_IN, 1);
    expect_test("int64 typed_value (TIMESTAMP(NANOS,true))", "v > '9999-01-01T00:00:00Z'",
                LAM_TEST_IN, 0);
}

/* A number with an exponent beyond what integers are written out to was refused, though only where
 * the asked is in a column of integers or decimals. */
Test(filter_path_leaf, numbers_beyond_all_columns_are_above_or_below_all_values) {
    expect_test("int64 typed_value", "v < 1e10000", LAM_TEST_ANY, 0);
    expect_test("int64 typed_value", "v = 1e99999999999999999999", LAM_TEST_IN, 0);
    expect_test("int64 typed_value", "v > 1e10000", LAM_TEST_IN, 0);
    expect_test("int64 typed_value", "v >= -1e10000", LAM_TEST_ANY, 0);
    expect_test("binary typed_value (DECIMAL(38,37))", "v <= -1e10000", LAM_TEST_IN, 0);
    expect_test("int64 typed_value", "v > 0e10000", LAM_TEST_GREATER, 1);
    expect_test("int64 typed_value", "v > 1e-10000", LAM_TEST_GREATER, 1);
}

/* The first 808 nanoseconds that 64 bits have room for were taken to lie in front of them all. */
Test(filter_path_leaf, the_first_and_the_last_nanosecond_are_in_a_column_of_nanoseconds) {
    lam_schema *schema = schema_with("int64 typed_value (TIMESTAMP(NANOS,true))");
    static const int64_t times[] = {INT64_MIN, INT64_MIN + 807, INT64_MIN + 808, INT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        lam_variant_scalar scalar = {LAM_VARIANT_TIMESTAMP_NANOS, {.integer = times[i]}};
        random_condition asked = {.path = "v", .operation = LAM_FILTER_EQUAL, .value_count = 1};
        path_value_of(&scalar, &asked.values[0]);
        lam_filter *filter = filter_of(schema, &asked);
        cr_expect_eq(outcome_of(&filter->tests[0], &scalar), LAM_OUTCOME_TRUE, "%zu", i);
        lam_filter_destroy(filter);
    }
    lam_schema_destroy(schema);
}

Test(filter_path_leaf, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    static const char condition[] = "v in (1.5, 2, 'abc', '2024-01-01') and v[] > 1e3 or v < 7";
    for (size_t type = 0; type < TYPE_COUNT; type++) {
        lam_schema *schema = schema_with(types[type]);
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
            lam_failing_alloc failing = {.fail_at = nth};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_filter *filter = NULL;
            status = lam_filter_parse(schema, condition, strlen(condition), NULL, &allocator,
                                      &filter, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%d", (int)status);
            lam_filter_destroy(filter);
            cr_assert_eq(failing.live_bytes, 0);
            cr_assert_eq(failing.wrong_sizes, 0);
        }
        lam_schema_destroy(schema);
    }
}
