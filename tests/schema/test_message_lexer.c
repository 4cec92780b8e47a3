/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a schema as tokens, with their places. */
#include "schema/message_lexer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static lam_error error;

static lam_lexer started(const char *text) {
    lam_lexer lexer;
    cr_assert_eq(lam_lexer_init(&lexer, text, strlen(text), &error), LAM_STATUS_OK, "%s",
                 error.message);
    return lexer;
}

Test(message_lexer, tokens_are_marks_words_and_quoted_words) {
    lam_lexer lexer = started("a.b{\"c d\"=-7 ,ö#x // y\n/z /* } */ )");
    static const struct {
        lam_token token;
        const char *text;
    } tokens[] = {{LAM_TOKEN_WORD, "a.b"}, {LAM_TOKEN_MARK, "{"},  {LAM_TOKEN_QUOTED, "\"c d\""},
                  {LAM_TOKEN_MARK, "="},   {LAM_TOKEN_WORD, "-7"}, {LAM_TOKEN_MARK, ","},
                  {LAM_TOKEN_WORD, "ö#x"}, {LAM_TOKEN_WORD, "/z"}, {LAM_TOKEN_MARK, ")"},
                  {LAM_TOKEN_END, ""},     {LAM_TOKEN_END, ""}};
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        size_t size = strlen(tokens[i].text);
        cr_assert_eq(lexer.token, tokens[i].token, "%zu", i);
        cr_assert_eq(lexer.end - lexer.start, size);
        cr_assert_eq(strncmp(lexer.text + lexer.start, tokens[i].text, size), 0);
        cr_assert_eq(lam_lexer_next(&lexer, &error), LAM_STATUS_OK);
    }
}

Test(message_lexer, a_text_without_tokens_is_at_its_end) {
    static const char *const texts[] = {"",   " \t\r\n\f\v", "\xEF\xBB\xBF", "#",
                                        "//", "/**/",        "/*/*/"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        cr_assert_eq(started(texts[i]).token, LAM_TOKEN_END);
    lam_lexer lexer;
    cr_assert_eq(lam_lexer_init(&lexer, NULL, 0, &error), LAM_STATUS_OK);
    cr_assert_eq(lexer.token, LAM_TOKEN_END);
}

Test(message_lexer, what_is_no_token_has_a_place) {
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } wrong[] = {
        {"\n /*/", 5, "line 2, column 2: the comment that begins here has no end"},
        {"/* *", 4, "line 1, column 1: the comment that begins here has no end"},
        {"\"a", 2, "line 1, column 1: the quotation mark has no counterpart"},
        {"\"a\\\"", 4, "line 1, column 1: the quotation mark has no counterpart"},
        {"\"a\\", 3, "line 1, column 1: the quotation mark has no counterpart"},
        {"\"\0\"", 3, "line 1, column 1: the quotation mark has no counterpart"},
        {"\0", 1, "line 1, column 1: a control character outside of quotation marks"},
        {" \x7F", 2, "line 1, column 2: a control character outside of quotation marks"},
        {"ö\n上海\xFF", 10, "line 2, column 3: the text is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        lam_lexer lexer;
        cr_assert_eq(lam_lexer_init(&lexer, wrong[i].text, wrong[i].size, &error),
                     LAM_STATUS_INVALID);
        cr_assert_str_eq(error.message, wrong[i].message);
        cr_assert_eq(lam_lexer_init(&lexer, wrong[i].text, wrong[i].size, NULL),
                     LAM_STATUS_INVALID);
    }
}

Test(message_lexer, a_quoted_word_says_what_its_escapes_mean) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer text;
    lam_buffer_init(&text, &allocator);
    lam_lexer lexer = started("\"\\\"\\\\\\n\\r\\t\\x41\\xc3\\xB6ö;\n\"");
    cr_assert_eq(lam_lexer_take_text(&lexer, &text, &error), LAM_STATUS_OK);
    cr_assert_str_eq((const char *)text.data, "\"\\\n\r\tAöö;\n");
    cr_assert_eq(text.size, 13);
    static const char *const wrong[] = {"\"\\q\"",   "\"\\x\"",   "\"\\x4\"", "\"\\xg1\"",
                                        "\"\\x00\"", "\"\\x1g\"", "\"\\ö\""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        lexer = started(wrong[i]);
        cr_assert_eq(lam_lexer_take_text(&lexer, &text, &error), LAM_STATUS_INVALID, "%s",
                     wrong[i]);
        cr_assert_eq(strncmp(error.message, "line 1, column 2: expected one of", 33), 0);
    }
    lexer = started("\"\"");
    cr_assert_eq(lam_lexer_take_text(&lexer, &text, &error), LAM_STATUS_OK);
    cr_assert_str_eq((const char *)text.data, "");
    lam_buffer_finish(&text);
}

Test(message_lexer, words_are_compared_without_case_and_quoted_ones_never) {
    lam_lexer lexer = started("Group");
    cr_assert(lam_lexer_at_word(&lexer, "group"));
    cr_assert(lam_lexer_at_word(&lexer, "GROUP"));
    cr_assert_not(lam_lexer_at_word(&lexer, "groups"));
    cr_assert_not(lam_lexer_at_word(&lexer, "grou"));
    lexer = started("\"group\"");
    cr_assert_not(lam_lexer_at_word(&lexer, "group"));
    cr_assert(lam_lexer_at_text(&lexer));
}

Test(message_lexer, numbers_have_a_range) {
    static const struct {
        const char *text;
        int32_t low, high;
        bool good;
    } numbers[] = {{"7", 0, 7, true},
                   {"8", 0, 7, false},
                   {"-1", 0, 7, false},
                   {"-0", 0, 7, true},
                   {"007", 0, 7, true},
                   {"-", INT32_MIN, INT32_MAX, false},
                   {"+7", 0, 7, false},
                   {"7x", 0, 7, false},
                   {"\"7\"", 0, 7, false},
                   {"2147483647", 0, INT32_MAX, true},
                   {"-2147483648", INT32_MIN, INT32_MAX, true},
                   {"2147483648", INT32_MIN, INT32_MAX, false},
                   {"-2147483649", INT32_MIN, INT32_MAX, false},
                   {"99999999999999999999999999", INT32_MIN, INT32_MAX, false},
                   {"", INT32_MIN, INT32_MAX, false}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        lam_lexer lexer = started(numbers[i].text);
        int32_t number = 99;
        lam_status status = lam_lexer_take_int(&lexer, numbers[i].low, numbers[i].high, "a number",
                                               &number, &error);
        cr_assert_eq(status, numbers[i].good ? LAM_STATUS_OK : LAM_STATUS_INVALID, "%s",
                     numbers[i].text);
        cr_assert_eq(number, numbers[i].good ? strtol(numbers[i].text, NULL, 10) : 99);
    }
}
