/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of a document nest and stay inside it, whatever the text; what is wrong is told with
 * its place.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/random.h"
#include "json/parse/json_tokens.h"

static lam_status parse(lam_json_tokens *parsed, const char *text, size_t size, lam_error *error) {
    static char padded[65536 + LAM_STRUCTURAL_PADDING];
    cr_assert_leq(size, 65536);
    memset(padded, 0, sizeof padded);
    memcpy(padded, text, size);
    return lam_json_tokens_parse(parsed, padded, size, error);
}

static void expect_token(const lam_json_tokens *parsed, size_t index, lam_json_kind kind,
                         const char *text, uint32_t next) {
    const lam_json_token *token = &parsed->tokens[index];
    cr_expect_eq(token->kind, kind, "token %zu", index);
    cr_expect_eq(lam_json_token_size(token), strlen(text), "token %zu", index);
    cr_expect_eq(memcmp(lam_json_token_text(parsed, token), text, strlen(text)), 0, "token %zu",
                 index);
    cr_expect_eq(token->next, next, "token %zu", index);
}

Test(json_tokens, lists_the_tokens_of_a_document) {
    static const char text[] = " {\"a\": [1, \"x\\n\" ] ,\"b\":null, \"\":-2.5e3,\"d\":{}}\r\n";
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    cr_assert_eq(parse(parsed, text, strlen(text), NULL), LAM_STATUS_OK);
    cr_assert_eq(parsed->count, 11);
    expect_token(parsed, 0, LAM_JSON_OBJECT,
                 "{\"a\": [1, \"x\\n\" ] ,\"b\":null, \"\":-2.5e3,\"d\":{}}", 11);
    expect_token(parsed, 1, LAM_JSON_STRING, "a", 2);
    expect_token(parsed, 2, LAM_JSON_ARRAY, "[1, \"x\\n\" ]", 5);
    expect_token(parsed, 3, LAM_JSON_INTEGER, "1", 4);
    expect_token(parsed, 4, LAM_JSON_STRING, "x\\n", 5);
    expect_token(parsed, 6, LAM_JSON_NULL, "null", 7);
    expect_token(parsed, 7, LAM_JSON_STRING, "", 8);
    expect_token(parsed, 8, LAM_JSON_REAL, "-2.5e3", 9);
    expect_token(parsed, 10, LAM_JSON_OBJECT, "{}", 11);
    cr_expect(parsed->tokens[4].escaped);
    cr_expect_not(parsed->tokens[1].escaped);
    lam_json_tokens_finish(parsed);
    free(parsed);
}

Test(json_tokens, takes_every_scalar_and_nothing_that_looks_like_one) {
    static const char *const good[] = {"0",   "-0",   "10",         "1.5",  "-1.25e+10",
                                       "1E5", "true", "false",      "null", "\"\"",
                                       " 7 ", "1e-7", "\"\\u00e9\""};
    static const char *const bad[] = {
        "1234567;9",   "01",       "-",       "+1",       ".5",    "1.",    "1e",   "1e+",
        "0x1",         "1a",       "tru",     "True",     "nulll", "NaN",   "'a'",  "1 2",
        "--1",         "1.5.5",    "\"\\x\"", "\"a\"b",   "\xFF",  "1\x0c", "\x1a", "true\x01",
        "\"\\ud800\"", "\"a\nb\"", "\"a",     "Infinity", "1,",    ":",     "]"};
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_expect_eq(parse(parsed, good[i], strlen(good[i]), NULL), LAM_STATUS_OK, "%s", good[i]);
        cr_expect_eq(parsed->count, 1, "%s", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(parse(parsed, bad[i], strlen(bad[i]), NULL), LAM_STATUS_INVALID, "%s", bad[i]);
        cr_expect_leq(parsed->problem, strlen(bad[i]), "%s", bad[i]);
    }
    cr_expect_eq(parse(parsed, "a\0b", 3, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(parse(parsed, "1\0", 2, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(parse(parsed, " \t\r\n", 4, NULL), LAM_STATUS_OK);
    cr_expect_eq(parsed->count, 0);
    lam_json_tokens_finish(parsed);
    free(parsed);
}

Test(json_tokens, says_what_was_expected_and_where) {
    static const struct {
        const char *text;
        size_t problem;
        const char *message;
    } cases[] = {
        {"{\"a\" 1}", 5, "expected a colon, found '1'"},
        {"{\"a\":}", 5, "expected a value, found '}'"},
        {"{a:1}", 1, "expected a key or }, found 'a'"},
        {"{\"a\":1,}", 7, "expected a key in quotes, found '}'"},
        {"[1,]", 3, "expected a value, found ']'"},
        {"[1 2]", 3, "expected a comma or ], found '2'"},
        {"[,", 1, "expected a value or ], found ','"},
        {"{\"a\":1]", 6, "expected a comma or }, found ']'"},
        {"[1}", 2, "expected a comma or ], found '}'"},
        {"1 {", 2, "expected nothing after the value, found '{'"},
        {"{\"a\":[1", 7, "the text ends inside a value"},
        {"{\"a\":\"b", 5, "a string does not end"},
        {"[\"a\tb\"]", 3, "a control character inside a string"},
        {"[\"ab\xC3\"]", 4, "the text is not UTF-8"},
        {"[\"ab\\q\"]", 4, "a string has an escape that is not valid"},
        {"[012]", 1, "a number is not well formed"},
        {"[\x01]", 1, "expected a value or ], found byte 0x01"},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        cr_expect_eq(parse(parsed, cases[i].text, strlen(cases[i].text), &error),
                     LAM_STATUS_INVALID, "%s", cases[i].text);
        cr_expect_str_eq(error.message, cases[i].message, "%s: %s", cases[i].text, error.message);
        cr_expect_eq(parsed->problem, cases[i].problem, "%s: %zu", cases[i].text, parsed->problem);
    }
    lam_json_tokens_finish(parsed);
    free(parsed);
}

Test(json_tokens, nesting_has_a_limit_and_no_recursion) {
    char text[2 * LAM_JSON_DEPTH_MAX + 4];
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    memset(text, '[', LAM_JSON_DEPTH_MAX + 1);
    memset(text + LAM_JSON_DEPTH_MAX + 1, ']', LAM_JSON_DEPTH_MAX + 1);
    cr_expect_eq(parse(parsed, text, 2 * (LAM_JSON_DEPTH_MAX + 1), NULL), LAM_STATUS_INVALID);
    cr_expect_eq(parse(parsed, text + 1, 2 * LAM_JSON_DEPTH_MAX, NULL), LAM_STATUS_OK);
    cr_expect_eq(parsed->count, LAM_JSON_DEPTH_MAX);
    lam_json_tokens_finish(parsed);
    free(parsed);
}

/* Whatever the text, tokens stay inside it and nest. */
static void check_tokens(const lam_json_tokens *parsed, size_t size) {
    for (size_t i = 0; i < parsed->count; i++) {
        const lam_json_token *token = &parsed->tokens[i];
        cr_assert(token->start <= token->end && token->end <= size);
        cr_assert(token->next > i && token->next <= parsed->count);
    }
}

static const char sample[] = "{\"name\": [\"a\\u00e9\\n\", 1.5e3, -7, {\"k\": null}], "
                             "\"\xE4\xB8\x8A\": {\"t\": true, \"f\": false, \"e\": {}}, \"z\": []}";

Test(json_tokens, every_prefix_is_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    cr_assert_eq(parse(parsed, sample, strlen(sample), NULL), LAM_STATUS_OK);
    for (size_t size = 1; size < strlen(sample); size++) {
        cr_assert_eq(parse(parsed, sample, size, NULL), LAM_STATUS_INVALID, "%zu", size);
        cr_assert_leq(parsed->problem, size);
    }
    lam_json_tokens_finish(parsed);
    free(parsed);
}

Test(json_tokens, every_byte_changed_in_every_way_is_parsed_or_refused) {
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    size_t taken = 0;
    char text[sizeof sample];
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i + 1 < sizeof sample; i++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            memcpy(text, sample, sizeof sample);
            text[i] = (char)byte;
            lam_status status = parse(parsed, text, sizeof sample - 1, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_INVALID);
            taken += status == LAM_STATUS_OK;
            if (status == LAM_STATUS_OK)
                check_tokens(parsed, sizeof sample - 1);
        }
    }
    cr_expect_gt(taken, sizeof sample);
    lam_json_tokens_finish(parsed);
    free(parsed);
}

Test(json_tokens, random_soup_of_tokens_is_parsed_or_refused) {
    static const char *const parts[] = {"{",     "}",   "[",    "]",  ",", ":",
                                        "\"a\"", "1",   "null", " ",  "-", "\"",
                                        "\\",    "2.5", "true", "\n", "e", "\"b\\n\""};
    uint64_t seed = lam_test_seed(29);
    lam_random random = lam_random_start(seed);
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 100000; i++) {
        char text[256] = "";
        size_t count = lam_random_below(&random, 20);
        for (size_t j = 0; j < count; j++)
            strcat(text, parts[lam_random_below(&random, sizeof parts / sizeof *parts)]);
        lam_status status = parse(parsed, text, strlen(text), NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_INVALID);
        if (status == LAM_STATUS_OK)
            check_tokens(parsed, strlen(text));
    }
    lam_json_tokens_finish(parsed);
    free(parsed);
}

Test(json_tokens, memory_that_is_refused_is_reported) {
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {0};
        counter.fail_at = fail_at;
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_json_tokens *parsed = malloc(sizeof *parsed);
        lam_status status = lam_json_tokens_init(parsed, &allocator, NULL);
        if (status == LAM_STATUS_OK)
            status = parse(parsed, sample, strlen(sample), NULL);
        lam_json_tokens_finish(parsed);
        free(parsed);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_lt(fail_at, 10);
    }
}

/* Room for many tokens stays while texts need it, and goes when a number of them did not. */
Test(json_tokens, room_for_many_tokens_stays_while_it_is_needed) {
    enum { SIZE = 1 << 21, SHORT = 20 };
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    char *text = calloc(1, SIZE + LAM_STRUCTURAL_PADDING);
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    text[0] = '[';
    for (size_t i = 1; i + 2 < SIZE; i += 2)
        memcpy(text + i, "1,", 2);
    memcpy(text + SIZE - 3, "1 ]", 3);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(lam_json_tokens_parse(parsed, text, SIZE, NULL), LAM_STATUS_OK);
    size_t large = parsed->capacity;
    cr_expect_geq(large, SIZE / 2);
    for (int i = 0; i < SHORT; i++) {
        cr_assert_eq(parse(parsed, "[1]", 3, NULL), LAM_STATUS_OK);
        cr_assert(parsed->capacity == large || i > 0);
    }
    cr_expect_lt(parsed->capacity, large / 4);
    lam_json_tokens_finish(parsed);
    free(parsed);
    free(text);
}

Test(json_tokens, a_stop_ends_the_parsing_of_a_long_text) {
    enum { SIZE = 1 << 16 };
    static char text[SIZE];
    lam_allocator allocator = lam_allocator_default();
    lam_json_tokens *parsed = malloc(sizeof *parsed);
    lam_stop stop = {0};
    cr_assert_eq(lam_json_tokens_init(parsed, &allocator, NULL), LAM_STATUS_OK);
    parsed->stop = &stop;
    text[0] = '[';
    for (size_t i = 1; i + 2 < SIZE; i += 2)
        memcpy(text + i, "1,", 2);
    memcpy(text + SIZE - 3, "1 ]", 3);
    cr_expect_eq(parse(parsed, text, SIZE, NULL), LAM_STATUS_OK);
    lam_stop_request(&stop);
    cr_expect_eq(parse(parsed, text, SIZE, NULL), LAM_STATUS_CANCELLED);
    cr_expect_lt(parsed->count, SIZE / 8);
    lam_json_tokens_finish(parsed);
    free(parsed);
}
