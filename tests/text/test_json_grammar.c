/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are JSON and texts that are not. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "text/json_grammar.h"

static lam_status check(const char *text, size_t size, lam_error *error) {
    lam_buffer nesting;
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(&nesting, &allocator);
    lam_status status =
        lam_json_grammar_check((lam_bytes){(const uint8_t *)text, size}, &nesting, error);
    cr_assert(status != LAM_STATUS_OK || nesting.size == 0);
    lam_buffer_finish(&nesting);
    return status;
}

static void expect_good(const char *text) {
    lam_error error = lam_error_none();
    cr_assert_eq(check(text, strlen(text), &error), LAM_STATUS_OK, "%s: %s", text, error.message);
}

static void expect_bad(const char *text, const char *words) {
    lam_error error = lam_error_none();
    cr_assert_eq(check(text, strlen(text), &error), LAM_STATUS_INVALID, "%s", text);
    cr_assert_not_null(strstr(error.message, words), "%s: %s", text, error.message);
}

Test(json_grammar, any_value_may_stand_alone) {
    static const char *const good[] = {
        "null",         "true",  "false", "0",        "-0",    "12",        "-1.5",
        "1e5",          "1E+05", "0e0",   "2.0e-9",   "\"\"",  "\"a\"",     "\"\\u00fC\\n\\/\"",
        "[]",           "{}",    " [ ] ", "\t{\r\n}", "[1,2]", "{\"a\":1}", "\"\\uD800\"",
        "\"\xC3\xBC\"",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        expect_good(good[i]);
}

Test(json_grammar, objects_and_arrays_nest) {
    expect_good("{\"a\":[1,{\"b\":null,\"\":[[],{}]}],\"a\":-1e0} ");
    expect_good("[[[[[\"x\"]]]], [ ] , { \"k\" : [ ] } ]");
}

Test(json_grammar, what_is_no_value_is_bad) {
    expect_bad("", "no value at byte 0 of 0");
    expect_bad("  ", "no value at byte 2 of 2");
    expect_bad("nul", "no value");
    expect_bad("nulls", "more after the value at byte 4 of 5");
    expect_bad("True", "no value");
    expect_bad("NaN", "no value");
    expect_bad("'a'", "no value");
    expect_bad("\xEF\xBB\xBFnull", "no value");
    expect_bad("[1] 2", "more after the value at byte 4");
    expect_bad("{}}", "more after the value");
}

Test(json_grammar, numbers_have_one_form) {
    expect_bad("01", "more after the value");
    expect_bad("+1", "no value");
    expect_bad(".5", "no value");
    expect_bad("1.", "no digit at byte 2 of 2");
    expect_bad("-", "no digit");
    expect_bad("-a", "no digit");
    expect_bad("1e", "no digit");
    expect_bad("1e+", "no digit");
    expect_bad("0x1", "more after the value");
    expect_bad("-Infinity", "no digit");
}

Test(json_grammar, strings_end_and_escape) {
    expect_bad("\"a", "a string without end at byte 2 of 2");
    expect_bad("\"a\\\"", "a string without end");
    expect_bad("\"\\", "an unknown escape");
    expect_bad("\"\\x\"", "an unknown escape at byte 2 of 4");
    expect_bad("\"\\u12G4\"", "fewer than four");
    expect_bad("\"\\u123\"", "fewer than four");
    expect_bad("\"a\nb\"", "a control character");
    lam_error error = lam_error_none();
    cr_assert_eq(check("\"\0\"", 3, &error), LAM_STATUS_INVALID);
    cr_assert_eq(check("\"\\\0\"", 4, &error), LAM_STATUS_INVALID);
    cr_assert_eq(check("1\0", 2, &error), LAM_STATUS_INVALID);
    cr_assert_eq(check(NULL, 0, &error), LAM_STATUS_INVALID);
}

Test(json_grammar, objects_and_arrays_have_their_signs) {
    expect_bad("[1,]", "no value at byte 3");
    expect_bad("[,1]", "no value");
    expect_bad("[1 2]", "neither comma nor ] at byte 3");
    expect_bad("[1", "neither comma nor ]");
    expect_bad("[1}", "neither comma nor ]");
    expect_bad("{\"a\":1,}", "no string at byte 7");
    expect_bad("{\"a\":1", "neither comma nor }");
    expect_bad("{\"a\":1]", "neither comma nor }");
    expect_bad("{\"a\" 1}", "no colon");
    expect_bad("{\"a\":}", "no value");
    expect_bad("{a:1}", "no string at byte 1");
    expect_bad("{1:1}", "no string");
    expect_bad("{", "no string");
    expect_bad("[", "no value");
    expect_bad("{\"a\":[}", "no value");
}

Test(json_grammar, no_prefix_of_an_object_is_one) {
    static const char text[] = "{\"a\":[1,{\"b\":null,\"\":[[],{}]},\"\\u0041\"],\"c\":-1e0}";
    lam_error error = lam_error_none();
    for (size_t size = 0; size < sizeof text - 1; size++) {
        char *exact = malloc(size + (size == 0)); /* so that a step beyond it is seen */
        memcpy(exact, text, size);
        cr_assert_eq(check(exact, size, &error), LAM_STATUS_INVALID, "%zu", size);
        free(exact);
    }
    expect_good(text);
}

Test(json_grammar, nesting_has_no_limit) {
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH);
    lam_error error = lam_error_none();
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    cr_assert_eq(check(text, (size_t)2 * DEPTH, &error), LAM_STATUS_OK);
    cr_assert_eq(check(text, (size_t)2 * DEPTH - 1, &error), LAM_STATUS_INVALID);
    free(text);
}

Test(json_grammar, memory_that_runs_out_is_no_fault_of_the_text) {
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_buffer nesting;
    lam_buffer_init(&nesting, &allocator);
    lam_bytes text = {(const uint8_t *)"[[1]]", 5};
    cr_assert_eq(lam_json_grammar_check(text, &nesting, NULL), LAM_STATUS_NOMEM);
    lam_buffer_finish(&nesting);
    cr_assert_eq(counter.live_bytes, 0);
}
