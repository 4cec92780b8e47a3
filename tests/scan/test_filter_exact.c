/* SPDX-License-Identifier: Apache-2.0 */
/* Exact numbers of any length compare as their digits do when they are written out. */
#include "scan/condition/filter_exact.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scan/plain_number.h"
#include "support/failing_alloc.h"
#include "support/random.h"
#include "support/texts.h"

static lam_exact read(const char *text, lam_arena *arena) {
    lam_exact number;
    cr_assert_eq(lam_exact_of_text(text, strlen(text), arena, &number, NULL), LAM_STATUS_OK);
    return number;
}

static int sign(int order) {
    return (order > 0) - (order < 0);
}

Test(filter_exact, digits_have_no_zeros_at_their_ends) {
    static const struct {
        const char *text, *digits;
        int64_t exponent;
        bool is_negative;
    } cases[] = {
        {"-12.50", "125", 2, true},
        {"0.004", "4", -2, false},
        {"0", "", 0, false},
        {"-0", "", 0, false},
        {"-0.000e5", "", 0, false},
        {"0e999999999999999999999", "", 0, false},
        {"007", "7", 1, false},
        {"1200", "12", 4, false},
        {"1.2e3", "12", 4, false},
        {"1200E-2", "12", 2, false},
        {"0.0012e+4", "12", 2, false},
        {"1e0", "1", 1, false},
        {"100000000000000000000000000000000000000", "1", 39, false},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_exact number = read(cases[i].text, &arena);
        cr_expect_eq(number.count, strlen(cases[i].digits), "%s", cases[i].text);
        cr_expect(memcmp(number.digits, cases[i].digits, number.count) == 0, "%s", cases[i].text);
        cr_expect_eq(number.exponent, cases[i].exponent, "%s: %" PRId64, cases[i].text,
                     number.exponent);
        cr_expect_eq(number.is_negative, cases[i].is_negative, "%s", cases[i].text);
    }
    lam_arena_finish(&arena);
}

Test(filter_exact, numbers_beyond_all_others_are_larger_or_nearer_to_0) {
    static const char *const rising[] = LAM_TEXTS(
        "-2e99999999999999999999", "-9e400", "-1e39", "-1", "-1e-400", "-1e-99999999999999999999",
        "0", "1e-99999999999999999999", "1e-400", "1", "1e39", "9e400", "2e99999999999999999999");
    enum { COUNT = sizeof rising / sizeof *rising };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t a = 0; a < COUNT; a++)
        for (size_t b = 0; b < COUNT; b++) {
            lam_exact left = read(rising[a], &arena), right = read(rising[b], &arena);
            cr_expect_eq(sign(lam_exact_compare(&left, &right)), (a > b) - (a < b), "%s, %s",
                         rising[a], rising[b]);
        }
    lam_arena_finish(&arena);
}

/* --- Against numbers written out -------------------------------------------------------------- */

/* Few different digits, so that numbers are often equal or nearly so. */
static void random_text(lam_random *random, char *text) {
    static const char digits[] = "000001195";
    size_t before = 1 + (size_t)lam_random_below(random, lam_random_chance(random, 80) ? 4 : 40);
    size_t behind = (size_t)lam_random_below(random, lam_random_chance(random, 80) ? 4 : 40);
    if (lam_random_chance(random, 40))
        *text++ = '-';
    for (size_t i = 0; i < before; i++)
        *text++ = digits[lam_random_below(random, sizeof digits - 1)];
    if (behind > 0)
        *text++ = '.';
    for (size_t i = 0; i < behind; i++)
        *text++ = digits[lam_random_below(random, sizeof digits - 1)];
    *text = '\0';
    if (lam_random_chance(random, 40))
        sprintf(text, "%s%d", lam_random_chance(random, 50) ? "e" : "E+",
                (int)lam_random_below(random, lam_random_chance(random, 80) ? 4 : 300));
    else if (lam_random_chance(random, 40))
        sprintf(text, "e-%d", (int)lam_random_below(random, 5));
}

static lam_decimal random_decimal(lam_random *random) {
    lam_decimal decimal = {0, 0, (uint8_t)lam_random_below(random, 39)};
    uint64_t bits = lam_random_next(random) >> lam_random_below(random, 64);
    if (lam_random_chance(random, 30)) {
        decimal.low = lam_random_next(random);
        decimal.high = (int64_t)bits;
    } else {
        decimal.low = lam_random_chance(random, 50) ? bits : bits % 20;
        decimal.scale %= 4;
    }
    if (lam_random_chance(random, 40)) {
        decimal.high = ~decimal.high + (decimal.low == 0);
        decimal.low = 0 - decimal.low;
    }
    return decimal;
}

Test(filter_exact, order_is_that_of_the_digits_written_out) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    int equal = 0;
    lam_arena_init(&arena, &allocator, 0);
    for (int round = 0; round < 60000; round++) {
        char texts[2][160];
        uint8_t room[2][LAM_EXACT_DECIMAL_ROOM];
        lam_exact numbers[2];
        plain_number plain[2];
        for (int i = 0; i < 2; i++) {
            if (lam_random_chance(&random, 40)) {
                lam_decimal decimal = random_decimal(&random);
                plain_decimal_print(decimal, texts[i]);
                numbers[i] = lam_exact_of_decimal(&decimal, room[i]);
            } else {
                random_text(&random, texts[i]);
                numbers[i] = read(texts[i], &arena);
            }
            plain_number_read(texts[i], &plain[i]);
        }
        int expected = sign(plain_number_compare(&plain[0], &plain[1]));
        cr_assert_eq(sign(lam_exact_compare(&numbers[0], &numbers[1])), expected,
                     "round %d: %s, %s", round, texts[0], texts[1]);
        cr_assert_eq(sign(lam_exact_compare(&numbers[1], &numbers[0])), -expected,
                     "round %d: %s, %s", round, texts[1], texts[0]);
        equal += expected == 0;
        lam_arena_reset(&arena);
    }
    cr_expect_gt(equal, 200, "%d", equal);
    lam_arena_finish(&arena);
}

Test(filter_exact, the_least_and_largest_decimals_keep_all_39_digits) {
    static const struct {
        lam_decimal decimal;
        const char *text;
    } cases[] = {
        {{0, INT64_MIN, 0}, "-170141183460469231731687303715884105728"},
        {{UINT64_MAX, INT64_MAX, 0}, "170141183460469231731687303715884105727"},
        {{UINT64_MAX, INT64_MAX, 38}, "1.70141183460469231731687303715884105727"},
        {{UINT64_MAX, -1, 38}, "-0.00000000000000000000000000000000000001"},
        {{0, 1, 0}, "18446744073709551616"},
        {{0, 0, 38}, "0"},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t room[LAM_EXACT_DECIMAL_ROOM];
        lam_exact number = lam_exact_of_decimal(&cases[i].decimal, room);
        lam_exact expected = read(cases[i].text, &arena);
        cr_expect_eq(lam_exact_compare(&number, &expected), 0, "%s", cases[i].text);
    }
    lam_arena_finish(&arena);
}

Test(filter_exact, without_memory_nothing_is_read) {
    lam_failing_alloc failing = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&failing);
    lam_arena arena;
    lam_exact number;
    lam_arena_init(&arena, &allocator, 0);
    cr_expect_eq(lam_exact_of_text("1", 1, &arena, &number, NULL), LAM_STATUS_NOMEM);
    lam_arena_finish(&arena);
    cr_expect_eq(failing.live_bytes, 0);
}

/* --- Integers --------------------------------------------------------------------------------- */

static lam_status floor_of(const char *text, int32_t scale, lam_buffer *out, bool *ret_exact) {
    lam_arena arena;
    lam_arena_init(&arena, &out->allocator, 0);
    lam_exact number = read(text, &arena);
    lam_status status = lam_exact_floor(&number, scale, out, ret_exact, NULL);
    lam_arena_finish(&arena);
    return status;
}

Test(filter_exact, the_floor_of_a_number_is_exact_or_said_not_to_be) {
    static const struct {
        const char *text;
        int32_t scale;
        const char *digits;
        bool is_exact;
    } cases[] = {
        {"0", 0, "0", true},
        {"-0", 0, "0", true},
        {"10.5", 0, "10", false},
        {"-10.5", 0, "-11", false},
        {"-9.5", 0, "-10", false},
        {"-0.1", 0, "-1", false},
        {"0.1", 0, "0", false},
        {"1e3", 0, "1000", true},
        {"12345e-2", 2, "12345", true},
        {"12345e-3", 2, "1234", false},
        {"007.50", 1, "75", true},
        {"+.5", 1, "5", true},
        {"1e-999999", 2, "0", false},
        {"-1e-999999", 2, "-1", false},
        {"0e999999999999", 0, "0", true},
        {"-999.5", 0, "-1000", false},
        {"-99", -1, "-10", false},
        {"5", -1, "0", false},
        {"50", -1, "5", true},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_exact;
        cr_assert_eq(floor_of(cases[i].text, cases[i].scale, &out, &is_exact), LAM_STATUS_OK);
        cr_expect_eq(out.size, strlen(cases[i].digits), "%s", cases[i].text);
        cr_expect(memcmp((const char *)out.data, cases[i].digits, out.size) == 0, "%s is %.*s",
                  cases[i].text, (int)out.size, (const char *)out.data);
        cr_expect_eq(is_exact, cases[i].is_exact, "%s", cases[i].text);
    }
    lam_buffer_finish(&out);
}

Test(filter_exact, quarters_have_the_floor_that_integers_give) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    static const char *const parts[] = {"", ".25", ".50", ".75"};
    for (int round = 0; round < 5000; round++) {
        int64_t whole = (int64_t)lam_random_below(&random, 2000);
        int64_t quarters = (int64_t)lam_random_below(&random, 4);
        bool negative = lam_random_chance(&random, 50);
        char text[40], expected[40];
        snprintf(text, sizeof text, "%s%" PRId64 "%s", negative ? "-" : "", whole, parts[quarters]);
        int64_t floor = negative ? -whole - (quarters != 0) : whole;
        snprintf(expected, sizeof expected, "%" PRId64, floor);
        bool is_exact;
        cr_assert_eq(floor_of(text, 0, &out, &is_exact), LAM_STATUS_OK);
        cr_assert(out.size == strlen(expected) &&
                      memcmp((const char *)out.data, expected, out.size) == 0,
                  "%s: %.*s", text, (int)out.size, (const char *)out.data);
        cr_assert_eq(is_exact, quarters == 0);
    }
    lam_buffer_finish(&out);
}

Test(filter_exact, digits_are_printed_as_a_number_of_json) {
    static const char *const cases[][2] = {{"+5", "5e0"}, {".5", "5e-1"}, {"-.5e3", "-5e2"},
                                           {"5.", "5e0"}, {"007", "7e0"}, {"-00.10", "-1e-1"},
                                           {"0", "0"},    {"-0.0", "0"},  {"12.50", "125e-1"}};
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_buffer out;
    lam_arena_init(&arena, &allocator, 0);
    lam_buffer_init(&out, &allocator);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_exact number = read(cases[i][0], &arena);
        cr_assert_eq(lam_exact_print(&number, &out, NULL), LAM_STATUS_OK);
        cr_expect(out.size == strlen(cases[i][1]) && memcmp(out.data, cases[i][1], out.size) == 0,
                  "%s: %.*s", cases[i][0], (int)out.size, (const char *)out.data);
    }
    lam_buffer_finish(&out);
    lam_arena_finish(&arena);
}

/* The buffer grows wherever the digits end, or a mark behind them. */
Test(filter_exact, any_request_may_fail_for_numbers_of_every_length) {
    lam_allocator heap = lam_allocator_default();
    for (size_t count = 1; count < 140; count++) {
        char text[160] = "-";
        lam_arena arena;
        lam_arena_init(&arena, &heap, 0);
        memset(text + 1, '7', count);
        lam_exact number = read(text, &arena);
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
            lam_failing_alloc failing = {.fail_at = nth};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_buffer out;
            lam_buffer_init(&out, &allocator);
            status = lam_exact_print(&number, &out, NULL);
            if (status == LAM_STATUS_OK) {
                cr_expect_eq(out.size, count + 3);
                cr_expect_eq(memcmp(out.data, text, count + 1), 0);
                cr_expect_eq(memcmp(out.data + count + 1, "e0", 2), 0);
            }
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
            lam_buffer_finish(&out);
            cr_assert_eq(failing.live_bytes, 0);
        }
        lam_arena_finish(&arena);
    }
}
