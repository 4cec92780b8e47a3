/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a condition become bytes as PLAIN pages have them, sorted as the leaf orders them. */
#include "scan/condition/filter_values.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <math.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/random.h"
#include "support/test_file.h"

static const char SCHEMA[] =
    "message m { required boolean b; required int32 i; required int64 l; required float f;"
    "required double d; required binary s; required fixed_len_byte_array(3) x; required int96 t;"
    "required binary e (DECIMAL(9,2)); required int32 u (INTEGER(32,false)); }";

static lam_schema *parse(void) {
    lam_schema *schema = lam_test_parse(SCHEMA);
    return schema;
}

Test(filter_values, values_become_their_plain_bytes) {
    lam_schema *schema = parse();
    const struct {
        const char *leaf;
        lam_value value;
        const char *bytes;
        size_t size;
    } cases[] = {
        {"b", {.boolean = true}, "\1", 1},
        {"i", {.int32 = -2}, "\xFE\xFF\xFF\xFF", 4},
        {"l", {.int64 = 258}, "\2\1\0\0\0\0\0\0", 8},
        {"f", {.float32 = 1.0f}, "\0\0\x80\x3F", 4},
        {"d", {.float64 = -2.0}, "\0\0\0\0\0\0\0\xC0", 8},
        {"s", {.bytes = {(const uint8_t *)"abc", 3}}, "abc", 3},
        {"s", {.bytes = {(const uint8_t *)"", 0}}, "", 0},
        {"x", {.bytes = {(const uint8_t *)"abc", 3}}, "abc", 3},
        {"t", {.bytes = {(const uint8_t *)"twelve bytes", 12}}, "twelve bytes", 12},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_bytes plain;
        const lam_field *leaf = lam_schema_find(schema, cases[i].leaf);
        cr_assert_eq(lam_filter_copy_value(leaf, &cases[i].value, &arena, &plain, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(plain.size, cases[i].size, "%s", cases[i].leaf);
        cr_expect(memcmp(plain.data, cases[i].bytes, plain.size) == 0, "%s", cases[i].leaf);
    }
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

Test(filter_values, what_a_leaf_cannot_have_is_refused) {
    lam_schema *schema = parse();
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_bytes plain;
    lam_error error = lam_error_none();
    lam_value value = {.bytes = {(const uint8_t *)"ab", 2}};
    lam_arena_init(&arena, &allocator, 0);
    cr_expect_eq(
        lam_filter_copy_value(lam_schema_find(schema, "x"), &value, &arena, &plain, &error),
        LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "field 'x' has values of 3 bytes, not 2");
    cr_expect_eq(lam_filter_copy_value(lam_schema_find(schema, "t"), &value, &arena, &plain, NULL),
                 LAM_STATUS_INVALID);
    value.bytes.size = 0;
    cr_expect_eq(
        lam_filter_copy_value(lam_schema_find(schema, "e"), &value, &arena, &plain, &error),
        LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "a decimal without bytes for field 'e'");
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

static int sign(int order) {
    return (order > 0) - (order < 0);
}

Test(filter_values, sorted_values_rise_and_none_is_lost) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_schema *schema = parse();
    lam_value_order order = lam_filter_order_of(lam_schema_find(schema, "d"));
    for (int round = 0; round < 2000; round++) {
        static const double few[] = {0, -0.0, 1, -1, NAN, INFINITY, 2.5};
        enum { MOST = 20 };
        double numbers[MOST];
        uint8_t bytes[MOST][8];
        lam_bytes values[MOST], given[MOST];
        size_t count = (size_t)lam_random_below(&random, MOST + 1);
        for (size_t i = 0; i < count; i++) {
            lam_triples one = {1, 1, NULL, NULL, &numbers[i]};
            numbers[i] = few[lam_random_below(&random, sizeof few / sizeof *few)];
            given[i] = lam_value_plain(&order, one.values, 0, bytes[i]);
            if (given[i].data != bytes[i])
                memcpy(bytes[i], given[i].data, 8);
            given[i].data = bytes[i];
            values[i] = given[i];
        }
        size_t left = lam_filter_sort_values(&order, values, count);
        cr_assert_leq(left, count);
        for (size_t i = 1; i < left; i++)
            cr_assert_lt(lam_filter_compare(&order, values[i - 1], values[i]), 0);
        for (size_t i = 0; i < count; i++) {
            size_t k = 0;
            while (k < left && lam_filter_compare(&order, values[k], given[i]) != 0)
                k++;
            cr_assert_lt(k, left, "round %d", round);
        }
    }
    lam_schema_destroy(schema);
}

Test(filter_values, the_order_is_that_of_the_logical_type) {
    lam_schema *schema = parse();
    lam_value_order order = lam_filter_order_of(lam_schema_find(schema, "u"));
    const lam_bytes one = {(const uint8_t *)"\1\0\0\0", 4};
    const lam_bytes most = {(const uint8_t *)"\xFF\xFF\xFF\xFF", 4};
    cr_expect_eq(sign(lam_filter_compare(&order, one, most)), -1);
    order = lam_filter_order_of(lam_schema_find(schema, "i"));
    cr_expect_eq(sign(lam_filter_compare(&order, one, most)), 1);
    order = lam_filter_order_of(lam_schema_find(schema, "t"));
    cr_expect_neq(order.comparison, LAM_COMPARISON_UNDEFINED);
    lam_schema_destroy(schema);
}

Test(filter_values, without_memory_nothing_is_copied) {
    lam_schema *schema = parse();
    lam_failing_alloc failing = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&failing);
    lam_arena arena;
    lam_bytes plain = {NULL, 7};
    lam_value value = {.int32 = 1};
    lam_arena_init(&arena, &allocator, 0);
    cr_expect_eq(lam_filter_copy_value(lam_schema_find(schema, "i"), &value, &arena, &plain, NULL),
                 LAM_STATUS_NOMEM);
    cr_expect_eq(plain.size, 7);
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}

/* 4.5 and 4.7 are between 4 and 5: nothing is in that range, which begins behind 4. */
Test(filter_values, a_range_between_two_neighbours_is_empty) {
    static const struct {
        lam_literal_position low, high;
        int32_t from, to;
        size_t count;
        lam_test_kind kind;
    } cases[] = {
        {LAM_LITERAL_BETWEEN, LAM_LITERAL_BETWEEN, 4, 4, 0, LAM_TEST_IN},
        {LAM_LITERAL_BETWEEN, LAM_LITERAL_EXACT, 4, 4, 0, LAM_TEST_IN},
        {LAM_LITERAL_BETWEEN, LAM_LITERAL_BETWEEN, 4, 5, 2, LAM_TEST_BETWEEN},
        {LAM_LITERAL_EXACT, LAM_LITERAL_BETWEEN, 4, 4, 1, LAM_TEST_IN},
        {LAM_LITERAL_EXACT, LAM_LITERAL_EXACT, 5, 4, 0, LAM_TEST_IN},
    };
    lam_schema *schema = parse();
    const lam_field *leaf = lam_schema_find(schema, "i");
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_leaf_literal ends[2] = {{{NULL, 0}, cases[i].low}, {{NULL, 0}, cases[i].high}};
        lam_value values[2] = {{.int32 = cases[i].from}, {.int32 = cases[i].to}};
        lam_filter_test test = {0};
        for (size_t k = 0; k < 2; k++)
            cr_assert_eq(lam_filter_copy_value(leaf, &values[k], &arena, &ends[k].plain, NULL),
                         LAM_STATUS_OK);
        cr_assert_eq(lam_filter_leaf_test(LAM_TEST_BETWEEN, leaf, ends, 2, &arena, &test, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(test.kind, cases[i].kind, "case %zu", i);
        cr_expect_eq(test.value_count, cases[i].count, "case %zu", i);
    }
    lam_arena_finish(&arena);
    lam_schema_destroy(schema);
}
