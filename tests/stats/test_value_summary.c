/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries of parts add up to that of the whole; NaNs and values without order are no bounds. */
#include "stats/value_summary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "meta/metadata.h"
#include "schema/tree.h"
#include "support/random.h"
#include "support/test_file.h"

typedef struct fixture {
    lam_schema *schema;
    lam_value_summary whole;
    lam_value_summary part;
} fixture;

static fixture open(const char *field, int32_t column_order) {
    fixture it;
    lam_allocator allocator = lam_allocator_default();
    it.schema = lam_test_parse(field);
    const lam_field *leaf = lam_schema_leaf(it.schema, 0);
    lam_value_order order = lam_value_order_of(leaf, column_order);
    cr_assert_eq(
        lam_value_summary_init(&it.whole, lam_kernels_get(), leaf, order, &allocator, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_value_summary_init(&it.part, lam_kernels_get(), leaf, order, &allocator, NULL),
                 LAM_STATUS_OK);
    return it;
}

static void close(fixture *it) {
    lam_value_summary_finish(&it->whole);
    lam_value_summary_finish(&it->part);
    lam_schema_destroy(it->schema);
}

static double number_of(const lam_buffer *bound) {
    double number;
    uint64_t bits = lam_load_le64(bound->data);
    memcpy(&number, &bits, sizeof number);
    return number;
}

Test(value_summary, parts_add_up_to_the_whole) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int round = 0; round < 200; round++) {
        fixture it = open("optional binary a;", LAM_META_COLUMN_ORDER_TYPE);
        const uint8_t text[] = "to be or not to be, that is the question";
        lam_bytes values[50];
        size_t bytes = 0;
        for (size_t i = 0; i < 50; i++) {
            size_t from = (size_t)lam_random_below(&random, 30);
            values[i] = (lam_bytes){text + from, (size_t)lam_random_below(&random, 10)};
            bytes += values[i].size;
        }
        for (size_t done = 0; done < 50;) {
            size_t some = (size_t)lam_random_below(&random, 50 - done + 1);
            lam_value_summary_clear(&it.part);
            cr_assert_eq(lam_value_summary_add(&it.part, values + done, some, NULL), LAM_STATUS_OK);
            lam_value_summary_definition(&it.part)[1] += some;
            cr_assert_eq(lam_value_summary_merge(&it.whole, &it.part, NULL), LAM_STATUS_OK);
            done += some;
        }
        lam_value_extremes all = lam_value_scan(lam_kernels_get(), &it.whole.order, values, 50);
        cr_assert_eq(it.whole.value_count, 50);
        cr_assert_eq(it.whole.byte_count, bytes);
        cr_assert_eq(lam_value_summary_definition(&it.whole)[1], 50);
        cr_assert_eq(lam_value_summary_repetition(&it.whole)[0], 0);
        cr_assert_eq(it.whole.min.size, values[all.min].size);
        cr_assert_eq(it.whole.max.size, values[all.max].size);
        close(&it);
    }
}

Test(value_summary, nans_are_no_bounds_where_there_is_anything_else) {
    double nan = NAN, values[3] = {nan, 2.0, -1.0};
    fixture it = open("optional double a;", LAM_META_COLUMN_ORDER_IEEE_754_TOTAL);
    cr_assert_eq(lam_value_summary_add(&it.whole, &nan, 1, NULL), LAM_STATUS_OK);
    cr_assert(it.whole.has_bounds && it.whole.bounds_are_nan);
    cr_assert_eq(lam_value_summary_add(&it.whole, values, 3, NULL), LAM_STATUS_OK);
    cr_assert(it.whole.has_bounds && !it.whole.bounds_are_nan);
    cr_assert_eq(lam_value_summary_add(&it.part, &nan, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_value_summary_merge(&it.whole, &it.part, NULL), LAM_STATUS_OK);
    cr_assert_eq(it.whole.nan_count, 3);
    cr_assert_eq(number_of(&it.whole.min), -1.0);
    cr_assert_eq(number_of(&it.whole.max), 2.0);
    close(&it);
}

Test(value_summary, type_order_has_no_bounds_of_nans) {
    double nan = NAN;
    fixture it = open("optional double a;", LAM_META_COLUMN_ORDER_TYPE);
    cr_assert_eq(lam_value_summary_add(&it.whole, &nan, 1, NULL), LAM_STATUS_OK);
    cr_assert(!it.whole.has_bounds);
    cr_assert_eq(it.whole.nan_count, 1);
    lam_value_summary_clear(&it.whole);
    cr_assert_eq(it.whole.nan_count, 0);
    close(&it);
}

Test(value_summary, columns_without_order_have_no_bounds) {
    uint8_t interval[24] = {0};
    fixture it = open("optional fixed(12) a (INTERVAL);", LAM_META_COLUMN_ORDER_TYPE);
    cr_assert_eq(lam_value_summary_add(&it.whole, interval, 2, NULL), LAM_STATUS_OK);
    cr_assert(!it.whole.has_bounds);
    cr_assert_eq(it.whole.value_count, 2);
    close(&it);
}

Test(value_summary, nans_are_bounds_among_themselves_in_total_order) {
    double nans[] = {NAN, -NAN}, found[2];
    fixture it = open("optional double a;", LAM_META_COLUMN_ORDER_IEEE_754_TOTAL);
    cr_assert_eq(lam_value_summary_add(&it.whole, nans, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_value_summary_add(&it.whole, nans + 1, 1, NULL), LAM_STATUS_OK);
    cr_assert(it.whole.has_bounds && it.whole.bounds_are_nan);
    cr_assert_eq(it.whole.nan_count, 2);
    found[0] = number_of(&it.whole.min);
    found[1] = number_of(&it.whole.max);
    cr_assert(isnan(found[0]) && isnan(found[1]));
    cr_assert(signbit(found[0]) && !signbit(found[1]));
    close(&it);
}

/* A page index had a minimum of no bytes, which readers take for that of a page without values. */
Test(value_summary, a_decimal_without_bytes_is_bounded_by_a_zero) {
    static const uint8_t minus_one = 0xFF, one = 1;
    const lam_bytes none = {NULL, 0}, below = {&minus_one, 1}, above = {&one, 1};
    const lam_bytes alone[] = {none}, least[] = {above, none}, most[] = {none, below};
    const struct {
        const lam_bytes *values;
        size_t count;
        uint8_t min, max;
    } cases[] = {{alone, 1, 0, 0}, {least, 2, 0, 1}, {most, 2, 0xFF, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture it = open("optional binary a (DECIMAL(9,2));", LAM_META_COLUMN_ORDER_TYPE);
        cr_assert_eq(lam_value_summary_add(&it.part, cases[i].values, cases[i].count, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_value_summary_merge(&it.whole, &it.part, NULL), LAM_STATUS_OK);
        const lam_value_summary *both[] = {&it.part, &it.whole};
        for (int j = 0; j < 2; j++) {
            cr_assert(both[j]->min.size == 1 && both[j]->min.data[0] == cases[i].min, "%zu", i);
            cr_assert(both[j]->max.size == 1 && both[j]->max.data[0] == cases[i].max, "%zu", i);
        }
        cr_assert_eq(it.whole.byte_count, i == 0 ? 0 : 1);
        close(&it);
    }
    fixture text = open("optional binary a;", LAM_META_COLUMN_ORDER_TYPE);
    cr_assert_eq(lam_value_summary_add(&text.whole, &none, 1, NULL), LAM_STATUS_OK);
    cr_assert(text.whole.has_bounds && text.whole.min.size == 0 && text.whole.max.size == 0);
    close(&text);
}
