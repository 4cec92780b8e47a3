/* SPDX-License-Identifier: Apache-2.0 */
/* The order of literals of every class, against values worked out plainly. */
#include "scan/condition/filter_literal.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scan/random_condition.h"
#include "support/failing_alloc.h"
#include "variant/random_variant.h"

static int sign(int order) {
    return (order > 0) - (order < 0);
}

static lam_literal literal_of(const lam_variant_scalar *scalar, lam_arena *arena) {
    lam_literal literal;
    cr_assert_eq(lam_literal_of_scalar(scalar, arena, &literal, NULL), LAM_STATUS_OK, "%s",
                 lam_variant_kind_name(scalar->kind));
    return literal;
}

static lam_literal literal_of_text(const char *text, lam_arena *arena) {
    lam_literal literal;
    cr_assert_eq(lam_literal_of_number(text, strlen(text), arena, &literal, NULL), LAM_STATUS_OK);
    return literal;
}

/* A value near to another, that often equals it. */
static lam_variant_scalar random_value(lam_random *random) {
    lam_variant_kind kind =
        (lam_variant_kind)(1 + lam_random_below(random, LAM_VARIANT_OBJECT - 1));
    lam_variant_scalar scalar = lam_random_scalar_of(random, kind);
    if (kind == LAM_VARIANT_BOOLEAN || kind == LAM_VARIANT_STRING || kind == LAM_VARIANT_BINARY ||
        kind == LAM_VARIANT_UUID || lam_random_chance(random, 20))
        return scalar;
    int small = (int)lam_random_below(random, 7) - 3;
    if (kind == LAM_VARIANT_FLOAT)
        scalar.as.float32 = (float)small / 10;
    else if (kind == LAM_VARIANT_DOUBLE)
        scalar.as.float64 = (double)small / 10;
    else if (kind >= LAM_VARIANT_DECIMAL4 && kind <= LAM_VARIANT_DECIMAL16)
        scalar.as.decimal = (lam_decimal){(uint64_t)(small * 10), small < 0 ? -1 : 0,
                                          (uint8_t)lam_random_below(random, 3)};
    else
        scalar.as.integer =
            kind == LAM_VARIANT_TIMESTAMP_NANOS || kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS
                ? small * 500
                : small;
    return scalar;
}

Test(filter_literal, order_is_that_of_values_worked_out_plainly) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    int equal = 0;
    lam_arena_init(&arena, &allocator, 0);
    for (int round = 0; round < 200000; round++) {
        bool alike;
        path_value value;
        lam_variant_scalar other = random_value(&random);
        path_value_of(&other, &value);
        lam_literal literal = literal_of(&other, &arena);
        lam_variant_scalar scalar = random_value(&random);
        int expected = path_value_compare(&scalar, &value, &alike);
        cr_assert_eq(lam_literal_class_of(scalar.kind) == literal.kind, alike);
        if (alike) {
            cr_assert_eq(sign(lam_literal_compare(&scalar, &literal)), sign(expected),
                         "round %d: %s, %s %s", round, lam_variant_kind_name(scalar.kind),
                         lam_variant_kind_name(other.kind), value.number);
            equal += expected == 0;
        }
        lam_arena_reset(&arena);
    }
    cr_expect_gt(equal, 2000, "%d", equal);
    lam_arena_finish(&arena);
}

/* A list of literals is searched by comparing scalars: its order must be one for them, too. */
Test(filter_literal, literals_are_in_an_order_that_scalars_of_all_kinds_follow) {
    lam_random random = lam_random_start(lam_test_seed(2));
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (int round = 0; round < 100000; round++) {
        lam_variant_scalar a = random_value(&random);
        lam_literal left = literal_of(&a, &arena);
        lam_variant_scalar b = random_value(&random);
        lam_literal right = literal_of(&b, &arena);
        lam_variant_scalar scalar = random_value(&random);
        if (left.kind == right.kind && left.kind == lam_literal_class_of(scalar.kind)) {
            int order = sign(lam_literal_order(&left, &right));
            cr_assert_eq(sign(lam_literal_order(&right, &left)), -order);
            int by_left = sign(lam_literal_compare(&scalar, &left));
            int by_right = sign(lam_literal_compare(&scalar, &right));
            cr_assert(order == 0 ? by_left == by_right
                                 : (order < 0 ? by_left >= by_right : by_left <= by_right),
                      "round %d: %s, %s, %s", round, lam_variant_kind_name(scalar.kind),
                      lam_variant_kind_name(a.kind), lam_variant_kind_name(b.kind));
        }
        lam_arena_reset(&arena);
    }
    lam_arena_finish(&arena);
}

Test(filter_literal, nan_is_above_all_numbers_and_zeros_are_equal) {
    static const double rising[] = {-INFINITY, -DBL_MAX, -1, 0, DBL_MIN, 1, DBL_MAX, INFINITY, NAN};
    enum { COUNT = sizeof rising / sizeof *rising };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t a = 0; a < COUNT; a++)
        for (size_t b = 0; b < COUNT; b++) {
            lam_variant_scalar left = {LAM_VARIANT_DOUBLE, {.float64 = rising[a]}};
            lam_variant_scalar right = {LAM_VARIANT_DOUBLE, {.float64 = rising[b]}};
            lam_literal literal = literal_of(&right, &arena);
            int expected = (a > b) - (a < b);
            cr_expect_eq(sign(lam_literal_compare(&left, &literal)), expected, "%g, %g", rising[a],
                         rising[b]);
            lam_literal other = literal_of(&left, &arena);
            if (isinf(rising[a]) || isinf(rising[b]) || !isnan(rising[a]))
                cr_expect_eq(sign(lam_literal_order(&other, &literal)), expected);
        }
    lam_variant_scalar zero = {LAM_VARIANT_FLOAT, {.float32 = -0.0f}};
    lam_literal literal = literal_of_text("0", &arena);
    cr_expect_eq(lam_literal_compare(&zero, &literal), 0);
    literal = literal_of(&zero, &arena);
    zero.as.float32 = 0;
    cr_expect_eq(lam_literal_compare(&zero, &literal), 0);
    lam_variant_scalar integer = {LAM_VARIANT_INT64, {.integer = 0}};
    cr_expect_eq(lam_literal_compare(&integer, &literal), 0);
    lam_arena_finish(&arena);
}

Test(filter_literal, a_real_is_held_against_the_nearest_of_its_kind) {
    static const struct {
        const char *text;
        double real;
        bool is_float;
        int order;
    } cases[] = {
        {"0.1", 0.1, false, 0},
        {"0.1", (double)0.1f, true, 0},
        {"0.1", (double)0.1f, false, 1},
        {"0.1000000000000000055511151231257827", 0.1, false, 0},
        {"16777217", 16777216, true, 0},
        {"16777217", 16777217, false, 0},
        {"1e400", DBL_MAX, false, -1},
        {"1e400", INFINITY, false, 1},
        {"-1e400", -DBL_MAX, false, 1},
        {"-1e400", -INFINITY, false, -1},
        {"1e39", (double)FLT_MAX, true, -1},
        {"1e39", INFINITY, true, 1},
        {"-1e39", (double)-FLT_MAX, true, 1},
        {"-1e39", -INFINITY, true, -1},
        {"1e39", 1e39, false, 0},
        {"1e-400", 0, false, 0},
        {"-1e-400", 0, false, 0},
        {"1e-400", 4.9406564584124654e-324, false, 1},
        {"1e-60", 0, true, 0},
        {"1e400", NAN, false, 1},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_variant_scalar scalar = {LAM_VARIANT_DOUBLE, {.float64 = cases[i].real}};
        if (cases[i].is_float) {
            scalar.kind = LAM_VARIANT_FLOAT;
            scalar.as.float32 = (float)cases[i].real;
        }
        lam_literal literal = literal_of_text(cases[i].text, &arena);
        cr_expect_eq(sign(lam_literal_compare(&scalar, &literal)), cases[i].order, "%s, %g",
                     cases[i].text, cases[i].real);
    }
    lam_arena_finish(&arena);
}

Test(filter_literal, timestamps_compare_in_any_unit_down_to_the_first_nanosecond) {
    static const struct {
        int64_t nanos, micros;
        int order;
    } cases[] = {
        {1000, 1, 0},
        {1001, 1, 1},
        {-1, 0, -1},
        {-1, -1, 1},
        {-1000, -1, 0},
        {INT64_MIN, INT64_MIN / 1000 - 1, 1},
        {INT64_MIN, INT64_MIN / 1000, -1},
        {INT64_MAX, INT64_MAX / 1000, 1},
        {INT64_MAX, INT64_MAX, -1},
        {INT64_MIN, INT64_MIN, 1},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_variant_scalar nanos = {LAM_VARIANT_TIMESTAMP_NANOS, {.integer = cases[i].nanos}};
        lam_variant_scalar micros = {LAM_VARIANT_TIMESTAMP, {.integer = cases[i].micros}};
        lam_literal literal = literal_of(&micros, &arena), other = literal_of(&nanos, &arena);
        cr_expect_eq(sign(lam_literal_compare(&nanos, &literal)), cases[i].order, "case %zu", i);
        cr_expect_eq(sign(lam_literal_compare(&micros, &other)), -cases[i].order, "case %zu", i);
        cr_expect_eq(sign(lam_literal_order(&other, &literal)), cases[i].order, "case %zu", i);
        cr_expect_eq(lam_literal_compare(&nanos, &other), 0, "case %zu", i);
    }
    lam_arena_finish(&arena);
}

Test(filter_literal, kinds_are_in_one_class_each) {
    for (int kind = 0; kind <= LAM_VARIANT_UNKNOWN; kind++) {
        bool none = kind == LAM_VARIANT_NULL || kind >= LAM_VARIANT_OBJECT;
        cr_expect_eq(lam_literal_class_of((lam_variant_kind)kind) == LAM_LITERAL_NO_CLASS, none);
    }
    cr_expect_neq(lam_literal_class_of(LAM_VARIANT_TIMESTAMP),
                  lam_literal_class_of(LAM_VARIANT_TIMESTAMP_NTZ));
    cr_expect_eq(lam_literal_class_of(LAM_VARIANT_TIMESTAMP),
                 lam_literal_class_of(LAM_VARIANT_TIMESTAMP_NANOS));
}

Test(filter_literal, what_compares_with_nothing_is_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_literal literal;
    lam_error error = lam_error_none();
    lam_arena_init(&arena, &allocator, 0);
    static const lam_variant_kind kinds[] = {LAM_VARIANT_NULL, LAM_VARIANT_OBJECT,
                                             LAM_VARIANT_ARRAY, LAM_VARIANT_UNKNOWN};
    for (size_t i = 0; i < 4; i++) {
        lam_variant_scalar scalar = {kinds[i], {0}};
        cr_expect_eq(lam_literal_of_scalar(&scalar, &arena, &literal, &error), LAM_STATUS_INVALID);
    }
    lam_variant_scalar uuid = {LAM_VARIANT_UUID, {.bytes = {(const uint8_t *)"short", 5}}};
    cr_expect_eq(lam_literal_of_scalar(&uuid, &arena, &literal, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "a UUID of 5 bytes, not 16");
    lam_variant_scalar decimal = {LAM_VARIANT_DECIMAL16, {.decimal = {1, 0, 39}}};
    cr_expect_eq(lam_literal_of_scalar(&decimal, &arena, &literal, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "a decimal with the scale 39");
    lam_arena_finish(&arena);
}

Test(filter_literal, without_memory_nothing_is_read) {
    lam_random random = lam_random_start(lam_test_seed(3));
    for (int kind = 1; kind < LAM_VARIANT_OBJECT; kind++) {
        lam_variant_scalar scalar = lam_random_scalar_of(&random, (lam_variant_kind)kind);
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
            lam_failing_alloc failing = {.fail_at = nth};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_arena arena;
            lam_literal literal;
            lam_arena_init(&arena, &allocator, 0);
            status = lam_literal_of_scalar(&scalar, &arena, &literal, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
            lam_arena_finish(&arena);
            cr_assert_eq(failing.live_bytes, 0);
        }
    }
}
