/* SPDX-License-Identifier: Apache-2.0 */
#include "filter/filter_number.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/random.h"

static lam_status floor_of(const char *text, int32_t scale, lam_buffer *out,
                           lam_filter_number *number) {
    lam_filter_lexer lexer;
    cr_assert_eq(lam_filter_lexer_init(&lexer, text, strlen(text), NULL), LAM_STATUS_OK);
    return lam_filter_number_floor(&lexer, scale, out, number, NULL);
}

Test(filter_number, the_floor_of_a_number_is_exact_or_said_not_to_be) {
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
    };
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter_number number;
        cr_assert_eq(floor_of(cases[i].text, cases[i].scale, &out, &number), LAM_STATUS_OK);
        cr_expect_eq(number.size, strlen(cases[i].digits), "%s", cases[i].text);
        cr_expect(memcmp(number.digits, cases[i].digits, number.size) == 0, "%s is %.*s",
                  cases[i].text, (int)number.size, number.digits);
        cr_expect_eq(number.is_exact, cases[i].is_exact, "%s", cases[i].text);
    }
    lam_filter_number number;
    cr_expect_eq(floor_of("1e99999", 0, &out, &number), LAM_STATUS_LIMIT);
    lam_buffer_finish(&out);
}

Test(filter_number, quarters_have_the_floor_that_integers_give) {
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
        lam_filter_number number;
        cr_assert_eq(floor_of(text, 0, &out, &number), LAM_STATUS_OK);
        cr_assert(number.size == strlen(expected) &&
                      memcmp(number.digits, expected, number.size) == 0,
                  "%s: %.*s", text, (int)number.size, number.digits);
        cr_assert_eq(number.is_exact, quarters == 0);
    }
    lam_buffer_finish(&out);
}

Test(filter_number, numbers_are_put_into_the_form_of_json) {
    static const char *const cases[][2] = {{"+5", "5"},       {".5", "0.5"},    {"-.5e3", "-0.5e3"},
                                           {"5.", "5.0"},     {"007", "7"},     {"0", "0"},
                                           {"-00.1", "-0.1"}, {"5.e2", "5.0e2"}};
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter_lexer lexer;
        lam_buffer_clear(&out);
        cr_assert_eq(lam_filter_lexer_init(&lexer, cases[i][0], strlen(cases[i][0]), NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_filter_number_plain(&lexer, &out, NULL), LAM_STATUS_OK);
        cr_expect(out.size == strlen(cases[i][1]) && memcmp(out.data, cases[i][1], out.size) == 0,
                  "%s: %.*s", cases[i][0], (int)out.size, (const char *)out.data);
    }
    lam_buffer_finish(&out);
}
