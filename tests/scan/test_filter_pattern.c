/* SPDX-License-Identifier: Apache-2.0 */
/* LIKE patterns fit as in SQL; trying everything is the oracle for random ones. */
#include "scan/condition/filter_pattern.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/random.h"

static lam_bytes bytes_of(const char *text) {
    return (lam_bytes){(const uint8_t *)text, strlen(text)};
}

static bool matches(const char *pattern, const char *escape, bool ignores_case, const char *text) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_filter_pattern read;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(
        lam_pattern_read(bytes_of(pattern), bytes_of(escape), ignores_case, &arena, &read, NULL),
        LAM_STATUS_OK);
    bool answer = lam_pattern_matches(&read, bytes_of(text));
    lam_arena_finish(&arena);
    return answer;
}

Test(filter_pattern, texts_fit_as_in_sql) {
    static const struct {
        const char *pattern, *escape, *text;
        bool fits;
    } cases[] = {
        {"", "", "", true},
        {"", "", "a", false},
        {"%", "", "", true},
        {"%%", "", "abc", true},
        {"_", "", "", false},
        {"_", "", "a", true},
        {"_", "", "\xC3\xA9", true},
        {"_", "", "e\xCC\x81", false},
        {"__", "", "e\xCC\x81", true},
        {"a%", "", "abc", true},
        {"a%", "", "Abc", false},
        {"%c", "", "abc", true},
        {"%c", "", "c", true},
        {"%c", "", "cb", false},
        {"a%c", "", "ac", true},
        {"a%c", "", "a", false},
        {"a%a", "", "a", false},
        {"a%b%c", "", "aXbYc", true},
        {"a%b%c", "", "acb", false},
        {"%b_%", "", "abc", true},
        {"%b_%", "", "ab", false},
        {"%_b", "", "ab", true},
        {"%_b", "", "b", false},
        {"a\\b", "", "a\\b", true},
        {"a\\%", "\\", "a%", true},
        {"a\\%", "\\", "ab", false},
        {"a\\b", "\\", "ab", true},
        {"a!_c", "!", "a_c", true},
        {"a!_c", "!", "abc", false},
        {"!!", "!", "!", true},
        {"%%%a%%_%", "", "ab", true},
        {"%aab", "", "aaab", true},
        {"%ab%ab%", "", "abab", true},
        {"%ab%ab%", "", "abb", false},
        {"a\xC3\xA4%", "\xC3\xA4", "a%", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(matches(cases[i].pattern, cases[i].escape, false, cases[i].text),
                     cases[i].fits, "'%s' like '%s'", cases[i].text, cases[i].pattern);
}

Test(filter_pattern, letters_of_any_case_are_alike_where_that_is_wanted) {
    static const struct {
        const char *pattern, *text;
        bool fits;
    } cases[] = {
        {"ABC", "abc", true},
        {"a%C", "AxxC", true},
        {"%B%", "abc", true},
        {"%bc%", "0 A~ aBc", true},
        {"%bc%", "0 A~ aB", false},
        {"%\xC3\xA4%", "\xC3\x84", true},
        {"%\xC3\xA4%", "\xF0\x80\x80\x80\x80\x80", false}, /* no character has six bytes */
        {"%\xC3\xA4%", "\xF0\x80\x80", false},
        {"\xC3\x84%", "\xC3\xA4x", true},   /* Ae */
        {"%k", "\xE2\x84\xAA", true},       /* the Kelvin sign */
        {"\xE1\xBA\x9E", "\xC3\x9F", true}, /* capital and small sharp s */
        {"SS", "\xC3\x9F", false},
        {"\xCF\x83", "\xCF\x82", false}, /* sigma, and that at the end of a word */
        {"\xF0\x90\x90\x80", "\xF0\x90\x90\xA8", true},
        {"_", "\xC8\xBA", true},
        {"%\xC8\xBA", "x\xE2\xB1\xA5", true}, /* two bytes, and three */
        {"\xFF", "\xFF", true},
        {"\xFF", "\xFE", false},
        {"A\xFF%", "a\xFFz", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(matches(cases[i].pattern, "", true, cases[i].text), cases[i].fits,
                     "'%s' ilike '%s'", cases[i].text, cases[i].pattern);
}

/* Tries everything; texts have bytes that begin no character, too. */
static bool naive(const uint8_t *text, size_t size, const uint8_t *pattern, size_t left) {
    if (left == 0)
        return size == 0;
    size_t length = 1;
    while (length < size && (text[length] & 0xC0) == 0x80)
        length++;
    if (*pattern == '%')
        return naive(text, size, pattern + 1, left - 1) ||
               (size > 0 && naive(text + length, size - length, pattern, left));
    if (*pattern == '_')
        return size > 0 && naive(text + length, size - length, pattern + 1, left - 1);
    size_t literal = 1;
    while (literal < left && (pattern[literal] & 0xC0) == 0x80)
        literal++;
    return size >= length && size > 0 && length == literal && memcmp(text, pattern, length) == 0 &&
           naive(text + length, size - length, pattern + literal, left - literal);
}

Test(filter_pattern, random_texts_fit_as_when_everything_is_tried) {
    static const char *const pieces[] = {"a", "b", "ab", "%", "_", "\xC3\xA4", "\xE2\x82\xAC", ""};
    lam_random random = lam_random_start(lam_test_seed(1));
    size_t fitting = 0;
    for (int round = 0; round < 100000; round++) {
        char pattern[40] = "", text[40] = "";
        for (size_t i = lam_random_below(&random, 7); i > 0; i--)
            strcat(pattern, pieces[lam_random_below(&random, 8)]);
        for (size_t i = lam_random_below(&random, 9); i > 0; i--) {
            size_t piece = (size_t)lam_random_below(&random, 8);
            strcat(text, piece == 3 || piece == 4 ? "a" : pieces[piece]);
        }
        bool expected =
            naive((const uint8_t *)text, strlen(text), (const uint8_t *)pattern, strlen(pattern));
        fitting += expected;
        cr_assert_eq(matches(pattern, "", false, text), expected, "'%s' like '%s'", text, pattern);
        cr_assert_eq(matches(pattern, "", true, text), expected, "'%s' ilike '%s'", text, pattern);
    }
    cr_expect_gt(fitting, 1000);
}

Test(filter_pattern, what_comes_first_is_known_to_metadata) {
    static const struct {
        const char *pattern, *prefix;
        bool ignores_case, is_whole, is_prefix;
    } cases[] = {
        {"abc%", "abc", false, false, true}, {"abc", "abc", false, true, false},
        {"%", "", false, false, true},       {"%%", "", false, false, true},
        {"a_c%", "a", false, false, false},  {"ab%c", "ab", false, false, false},
        {"%ab", "", false, false, false},    {"", "", false, true, false},
        {"abc%", "", true, false, false},    {"abc", "", true, false, false},
        {"%", "", true, false, true},        {"ab!%%", "ab%", false, false, true},
    };
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_arena_init(&arena, &allocator, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_filter_pattern read;
        cr_assert_eq(lam_pattern_read(bytes_of(cases[i].pattern), bytes_of("!"),
                                      cases[i].ignores_case, &arena, &read, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(read.prefix.size, strlen(cases[i].prefix), "%s", cases[i].pattern);
        cr_expect_eq(memcmp(read.prefix.data, cases[i].prefix, read.prefix.size), 0);
        cr_expect_eq(read.is_whole, cases[i].is_whole, "%s", cases[i].pattern);
        cr_expect_eq(read.is_prefix, cases[i].is_prefix, "%s", cases[i].pattern);
    }
    lam_arena_finish(&arena);
}

Test(filter_pattern, an_escape_character_has_something_to_escape) {
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_filter_pattern read;
    lam_error error = lam_error_none();
    lam_arena_init(&arena, &allocator, 0);
    cr_expect_eq(lam_pattern_read(bytes_of("ab!"), bytes_of("!"), false, &arena, &read, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "the pattern ends with its escape character");
    cr_expect_eq(lam_pattern_read(bytes_of("ab"), bytes_of("xy"), false, &arena, &read, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "an escape is one character, or none");
    lam_arena_finish(&arena);
}
