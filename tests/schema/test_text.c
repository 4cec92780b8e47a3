/* SPDX-License-Identifier: Apache-2.0 */
/* Names in messages and schema texts: plain, quoted, escaped and cut. */
#include "schema/text.h"

#include <criterion/criterion.h>
#include <string.h>

static void word_is(const char *word, size_t size, const char *wanted) {
    char buffer[256];
    lam_text text = {buffer, sizeof buffer, 0};
    lam_text_put_word(&text, word, size);
    cr_assert_eq(lam_text_finish(&text), strlen(wanted));
    cr_assert_str_eq(buffer, wanted);
}

Test(text, plain_words_stay_plain) {
    static const char *const plain[] = {"a",    "DocId", "a.b", "größe", "上海", "a#b",
                                        "a//b", "a\"",   "/",   "-1",    "/a*",  "\\"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        word_is(plain[i], strlen(plain[i]), plain[i]);
}

Test(text, other_words_are_quoted_with_escapes) {
    static const char *const pairs[][2] = {
        {"", "\"\""},
        {"a b", "\"a b\""},
        {"a;", "\"a;\""},
        {"(", "\"(\""},
        {"a[9]", "\"a[9]\""},
        {"]", "\"]\""},
        {"a=b", "\"a=b\""},
        {"#1", "\"#1\""},
        {"//", "\"//\""},
        {"/*", "\"/*\""},
        {"\"", "\"\\\"\""},
        {"a\\ ", "\"a\\\\ \""},
        {"\n\r\t", "\"\\n\\r\\t\""},
        {"\x01\x7F", "\"\\x01\\x7F\""},
        {"ö ", "\"ö \""},
        {"\xC3", "\"\\xC3\""},
        {"ö\xFF上 \xE4\xB8", "\"ö\\xFF上 \\xE4\\xB8\""},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        word_is(pairs[i][0], strlen(pairs[i][0]), pairs[i][1]);
    word_is("a\0b", 3, "\"a\\x00b\"");
}

Test(text, a_text_beyond_its_room_is_counted_and_cut) {
    for (size_t capacity = 0; capacity < 15; capacity++) {
        char buffer[16];
        memset(buffer, '?', sizeof buffer);
        lam_text text = {capacity > 0 ? buffer : NULL, capacity, 0};
        lam_text_put_string(&text, "ab");
        lam_text_put_int(&text, -123);
        lam_text_put_repeated(&text, 'c', 3);
        lam_text_put(&text, "defg", 3);
        cr_assert_eq(lam_text_finish(&text), 12);
        size_t kept = capacity == 0 ? 0 : capacity - 1 < 12 ? capacity - 1 : 12;
        cr_assert_eq(strncmp(buffer, "ab-123cccdef", kept), 0);
        cr_assert_eq(buffer[capacity > 0 ? kept : 0], capacity > 0 ? '\0' : '?');
        cr_assert_eq(buffer[capacity > kept ? capacity : kept + 1], '?');
    }
    lam_text ends = {NULL, 0, 0};
    lam_text_put_int(&ends, INT64_MIN);
    cr_assert_eq(lam_text_finish(&ends), 20);
}

Test(text, a_shown_name_is_one_line_of_bounded_length) {
    cr_assert_str_eq(lam_show("a", 1).text, "a");
    cr_assert_str_eq(lam_show("a\nb", 3).text, "\"a\\nb\"");
    char longest[71 + 1] = "";
    memset(longest, 'x', 71);
    cr_assert_str_eq(lam_show(longest, 71).text, longest);
    char longer[300];
    memset(longer, 'x', sizeof longer);
    lam_shown shown = lam_show(longer, sizeof longer);
    cr_assert_eq(strlen(shown.text), sizeof shown.text - 1);
    cr_assert_str_eq(shown.text + sizeof shown.text - 5, "x...");
    for (size_t shift = 0; shift < 3; shift++) {
        for (size_t i = shift; i + 3 <= sizeof longer; i += 3)
            memcpy(longer + i, "上", 3);
        shown = lam_show(longer, sizeof longer);
        size_t length = strlen(shown.text);
        cr_assert_str_eq(shown.text + length - 3, "...");
        cr_assert_eq(memcmp(shown.text + length - 6, "上", 3), 0, "%s", shown.text);
    }
}
