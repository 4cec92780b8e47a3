/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outcomes of a filter on batches of columns, against each record worked out alone, and comparisons
 * of every type.
 */
#include <criterion/criterion.h>
#include <lamella/filter.h>
#include <lamella/record.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "meta/metadata.h"
#include "scan/condition/filter_program.h"
#include "scan/random_filter.h"
#include "support/test_file.h"

/* Gives the column in runs that end anywhere. */
static void match_in_runs(const lam_filter_test *test, const lam_triples *column, size_t element,
                          lam_random *random, uint8_t *outcomes) {
    lam_filter_rows rows = {0, outcomes};
    uint8_t matches[RANDOM_ROWS * RANDOM_ITEMS];
    uint8_t max = lam_field_max_definition(test->leaf);
    size_t values = 0;
    for (size_t at = 0; at < column->count;) {
        size_t count = 1 + (size_t)lam_random_below(random, column->count - at);
        lam_triples run = {count, 0, NULL, NULL, NULL};
        if (column->repetition != NULL)
            run.repetition = column->repetition + at;
        if (column->definition != NULL)
            run.definition = column->definition + at;
        for (size_t i = 0; i < count; i++)
            run.value_count += run.definition == NULL || run.definition[i] == max;
        run.values = (const uint8_t *)column->values + values * element;
        if (test->kind != LAM_TEST_NULL && test->kind != LAM_TEST_NOT_NULL)
            lam_filter_match_values(test, run.values, run.value_count, matches);
        lam_filter_match_rows(test, &run, matches, &rows);
        at += count;
        values += run.value_count;
    }
}

Test(filter_match, outcomes_are_those_of_each_record_worked_out_alone) {
    lam_random random = lam_random_start(lam_test_seed(1));
    static random_table table;
    for (int round = 0; round < 20000; round++) {
        uint8_t expected[RANDOM_ROWS];
        uint8_t found[RANDOM_TESTS][RANDOM_ROWS] = {{0}};
        const uint8_t *tests[RANDOM_TESTS];
        uint8_t stack[RANDOM_TESTS * RANDOM_ROWS];
        random_table_fill(&table, &random);
        lam_filter *filter = random_filter(&table, table.schema, &random, expected);
        for (size_t i = 0; i < filter->test_count; i++) {
            const lam_filter_test *test = &filter->tests[i];
            match_in_runs(test, &table.columns[test->leaf->first_leaf],
                          lam_element_size(test->leaf), &random, found[i]);
            tests[i] = found[i];
        }
        lam_filter_run(filter, tests, table.row_count, stack);
        for (size_t i = 0; i < table.row_count; i++)
            cr_assert_eq(stack[i], expected[i], "round %d, row %zu: %d, not %d", round, i, stack[i],
                         expected[i]);
        lam_filter_destroy(filter);
        random_table_finish(&table);
    }
}

Test(filter_match, numbers_compare_as_their_logical_type_says) {
    lam_filter_builder *builder;
    lam_filter *filter;
    const char *text = "required int32 a (INTEGER(32,false)); required binary b (DECIMAL(9,2));"
                       "required fixed_len_byte_array(2) c (FLOAT16); required int96 d;";
    lam_schema *schema = lam_test_parse(text);
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    lam_value value = {.int32 = 5};
    cr_assert_eq(lam_filter_builder_compare(builder, "a", LAM_FILTER_GREATER, &value, 1, NULL),
                 LAM_STATUS_OK);
    value.bytes = (lam_bytes){(const uint8_t *)"\xFF", 1}; /* -1 */
    cr_assert_eq(lam_filter_builder_compare(builder, "b", LAM_FILTER_GREATER, &value, 1, NULL),
                 LAM_STATUS_OK);
    value.bytes = (lam_bytes){(const uint8_t *)"\x00\x3C", 2}; /* 1.0 */
    cr_assert_eq(lam_filter_builder_compare(builder, "c", LAM_FILTER_LESS, &value, 1, NULL),
                 LAM_STATUS_OK);
    value.bytes = (lam_bytes){(const uint8_t *)"\0\0\0\0\0\0\0\0\1\0\0\0", 12}; /* day 1 */
    cr_assert_eq(lam_filter_builder_compare(builder, "d", LAM_FILTER_LESS, &value, 1, NULL),
                 LAM_STATUS_OK);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(lam_filter_builder_and(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);

    uint8_t matches[3];
    const int32_t numbers[] = {-1, 5, 6}; /* 2^32 - 1 is the first */
    lam_filter_match_values(&filter->tests[0], numbers, 3, matches);
    cr_expect(memcmp(matches, "\1\0\1", 3) == 0);
    const lam_bytes decimals[] = {{(const uint8_t *)"\xFF\xFE", 2}, /* -2 */
                                  {(const uint8_t *)"\xFF\xFF\xFF", 3},
                                  {(const uint8_t *)"\0\0\0\1", 4}};
    lam_filter_match_values(&filter->tests[1], decimals, 3, matches);
    cr_expect(memcmp(matches, "\0\0\1", 3) == 0);
    lam_filter_match_values(&filter->tests[2], "\x00\xBC\x00\x3C\xFF\x3B", 3, matches);
    cr_expect(memcmp(matches, "\1\0\1", 3) == 0);
    lam_filter_match_values(
        &filter->tests[3],
        "\xFF\xFF\xFF\xFF\xFF\x3F\0\0\0\0\0\0"
        "\0\0\0\0\0\0\0\0\2\0\0\0"
        "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1\0\0\0", /* a nanosecond before day 1 */
        3, matches);
    cr_expect(memcmp(matches, "\1\0\1", 3) == 0);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}

Test(filter_match, tests_that_ask_no_values_are_of_each_record_what_its_levels_say) {
    static const char text[] = "message m { required int32 a; optional int32 b;"
                               "optional group l (LIST) { repeated group list {"
                               "optional int32 element; } } }";
    /* no list, an empty one, one of a null, one of a null and a value */
    static const uint8_t repetition[] = {0, 0, 0, 0, 1}, definition[] = {0, 1, 2, 2, 3};
    static const uint8_t flat[] = {0, 1};
    static const struct {
        const char *path;
        lam_triples triples;
        size_t records;
        const char *any, *unknown; /* outcomes as digits */
    } cases[] = {
        {"a", {3, 3, NULL, NULL, NULL}, 3, "222", "111"},
        {"b", {2, 1, NULL, flat, NULL}, 2, "12", "11"},
        {"l.list.element", {5, 1, repetition, definition, NULL}, 4, "1012", "1011"},
    };
    lam_schema *schema = lam_test_parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int is_any = 0; is_any < 2; is_any++) {
            lam_filter_test test = {.kind = is_any ? LAM_TEST_ANY : LAM_TEST_UNKNOWN,
                                    .leaf = lam_schema_find(schema, cases[i].path)};
            uint8_t outcomes[4] = {0};
            lam_filter_rows rows = {0, outcomes};
            cr_expect_not(lam_filter_needs_values(&test));
            lam_filter_match_rows(&test, &cases[i].triples, NULL, &rows);
            cr_expect_eq(rows.records, cases[i].records);
            for (size_t k = 0; k < cases[i].records; k++)
                cr_expect_eq(outcomes[k] + '0', (is_any ? cases[i].any : cases[i].unknown)[k],
                             "%s, any %d: record %zu is %d", cases[i].path, is_any, k, outcomes[k]);
        }
    lam_schema_destroy(schema);
}

/* --- Numbers of every type ------------------------------------------------------------------ */

/* Values of a type, in memory and as PLAIN bytes, in ascending order; a NaN is the last. */
#define NUMBERS(NAME, TYPE, STORE, ...)                                                            \
    static size_t fill_##NAME(void *values, uint8_t plain[][8]) {                                  \
        const TYPE numbers[] = {__VA_ARGS__};                                                      \
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)                              \
            STORE(plain[i], numbers[i]);                                                           \
        memcpy(values, numbers, sizeof numbers);                                                   \
        return sizeof numbers / sizeof *numbers;                                                   \
    }

static void store_float(uint8_t *plain, float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    lam_store_le32(plain, bits);
}

static void store_double(uint8_t *plain, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    lam_store_le64(plain, bits);
}

#define STORE_32(PLAIN, NUMBER) lam_store_le32(PLAIN, (uint32_t)(NUMBER))
#define STORE_64(PLAIN, NUMBER) lam_store_le64(PLAIN, (uint64_t)(NUMBER))
NUMBERS(int32, int32_t, STORE_32, INT32_MIN, -7, 0, 7, INT32_MAX)
NUMBERS(int64, int64_t, STORE_64, INT64_MIN, -7, 0, 7, INT64_MAX)
NUMBERS(uint32, uint32_t, STORE_32, 0, 7, 1u << 31, UINT32_MAX - 1, UINT32_MAX)
NUMBERS(uint64, uint64_t, STORE_64, 0, 7, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX)
NUMBERS(float, float, store_float, -INFINITY, -1.5f, 0.1f, INFINITY, NAN)
NUMBERS(double, double, store_double, -(double)INFINITY, -1.5, 0.1, 1e300, (double)NAN)

/* What a test says of value `i`, the bounds being values `low` and `high`. */
static bool number_passes(lam_test_kind kind, bool excludes_low, size_t i, size_t low,
                          size_t high) {
    switch (kind) {
    case LAM_TEST_LESS:
        return i < low;
    case LAM_TEST_LESS_OR_EQUAL:
        return i <= low;
    case LAM_TEST_GREATER:
        return i > low;
    case LAM_TEST_GREATER_OR_EQUAL:
        return i >= low;
    case LAM_TEST_NOT_EQUAL:
        return i != low;
    case LAM_TEST_BETWEEN:
        return (excludes_low ? i > low : i >= low) && i <= high;
    default:
        return i == low;
    }
}

Test(filter_match, numbers_of_every_type_pass_each_comparison_by_their_order) {
    static const struct {
        const char *text;
        size_t size;
        size_t (*fill)(void *values, uint8_t plain[][8]);
    } types[] = {
        {"required int32 n;", 4, fill_int32},
        {"required int64 n;", 8, fill_int64},
        {"required int32 n (INTEGER(32,false));", 4, fill_uint32},
        {"required int64 n (INTEGER(64,false));", 8, fill_uint64},
        {"required float n;", 4, fill_float},
        {"required double n;", 8, fill_double},
    };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        lam_schema *schema;
        uint64_t values[8];
        uint8_t plain[8][8], matches[8];
        size_t count = types[t].fill(values, plain);
        schema = lam_test_parse(types[t].text);
        lam_filter_test test = {.leaf = lam_schema_leaf(schema, 0)};
        test.order = lam_value_order_of(test.leaf, LAM_META_COLUMN_ORDER_TYPE);
        for (size_t low = 0; low < count; low++)
            for (size_t high = low; high < count; high++)
                for (int kind = LAM_TEST_LESS; kind <= LAM_TEST_BETWEEN; kind++)
                    for (int open = 0; open < 2; open++) {
                        lam_bytes bounds[] = {{plain[low], types[t].size},
                                              {plain[high], types[t].size}};
                        test.kind = (lam_test_kind)kind;
                        test.values = bounds;
                        test.value_count = kind == LAM_TEST_BETWEEN ? 2 : 1;
                        test.excludes_low = open != 0;
                        lam_filter_match_values(&test, values, count, matches);
                        for (size_t i = 0; i < count; i++)
                            cr_assert_eq(matches[i],
                                         number_passes(test.kind, test.excludes_low, i, low, high),
                                         "%s kind %d, open %d: %zu by %zu to %zu", types[t].text,
                                         kind, open, i, low, high);
                    }
        lam_schema_destroy(schema);
    }
}

/* Bytes without an order of their type are equal or not, and have some order all the same. */
Test(filter_match, values_without_an_order_are_compared_as_bytes) {
    const lam_value_order order = {.comparison = LAM_COMPARISON_UNDEFINED};
    const lam_bytes none = {NULL, 0}, a = {(const uint8_t *)"a", 1}, b = {(const uint8_t *)"b", 1},
                    ab = {(const uint8_t *)"ab", 2};
    cr_assert_eq(lam_filter_compare(&order, none, none), 0);
    cr_assert_eq(lam_filter_compare(&order, a, a), 0);
    cr_assert_lt(lam_filter_compare(&order, a, b), 0);
    cr_assert_gt(lam_filter_compare(&order, b, a), 0);
    cr_assert_lt(lam_filter_compare(&order, b, ab), 0);
    cr_assert_gt(lam_filter_compare(&order, ab, b), 0);
}
