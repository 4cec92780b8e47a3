/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that strangers chose is shown on a terminal without steering it, and stays readable in all
 * scripts.
 */
#include "base/visible.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/utf8.h"

/* A text whole, as a caller of both functions shows it. */
static const char *shown(const char *text, size_t size) {
    static char room[4096];
    size_t used = 0;
    while (size > 0) {
        char escape[LAM_VISIBLE_ESCAPE_ROOM];
        size_t prefix = lam_visible_prefix(text, size);
        memcpy(room + used, text, prefix);
        used += prefix, text += prefix, size -= prefix;
        if (size > 0) {
            prefix = lam_visible_escape(text, size, escape);
            cr_assert(prefix > 0 && prefix <= size);
            strcpy(room + used, escape);
            used += strlen(escape), text += prefix, size -= prefix;
        }
    }
    room[used] = '\0';
    return room;
}

static void expect(const char *text, const char *wanted) {
    cr_expect_str_eq(shown(text, strlen(text)), wanted);
}

static size_t encode(uint32_t code, char *text) {
    if (code < 0x80) {
        text[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        text[0] = (char)(0xC0 | code >> 6);
        text[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        text[0] = (char)(0xE0 | code >> 12);
        text[1] = (char)(0x80 | (code >> 6 & 0x3F));
        text[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    text[0] = (char)(0xF0 | code >> 18);
    text[1] = (char)(0x80 | (code >> 12 & 0x3F));
    text[2] = (char)(0x80 | (code >> 6 & 0x3F));
    text[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

static bool shows(uint32_t code) {
    char text[8];
    size_t size = encode(code, text);
    size_t prefix = lam_visible_prefix(text, size);
    cr_assert(prefix == size || prefix == 0, "U+%04X", (unsigned)code);
    return prefix == size;
}

Test(visible, letters_of_all_scripts_show_as_they_are) {
    expect("", "");
    expect("plain ~", "plain ~");
    expect("gr\xC3\xB6\xC3\x9F\x65 \xE4\xB8\x8A\xE6\xB5\xB7 \xF0\x9F\x98\x80",
           "gr\xC3\xB6\xC3\x9F\x65 \xE4\xB8\x8A\xE6\xB5\xB7 \xF0\x9F\x98\x80");
    expect("\xC2\xA0\xD7\xA9\xD8\xA8\xE0\xA4\x95", "\xC2\xA0\xD7\xA9\xD8\xA8\xE0\xA4\x95");
}

Test(visible, what_steers_a_terminal_is_escaped) {
    expect("a\033[2Jb\x7F", "a\\u001b[2Jb\\u007f");
    expect("\b\f\n\r\t\v", "\\b\\f\\n\\r\\t\\u000b");
    expect("\xC2\x9B"
           "2J\xC2\x80\xC2\x9F",
           "\\u009b2J\\u0080\\u009f");
    cr_expect_str_eq(shown("100\0,000", 8), "100\\u0000,000");
}

Test(visible, what_turns_breaks_or_hides_text_is_escaped) {
    expect("\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8F\xD8\x9C", "\\u202e\\u2066\\u200f\\u061c");
    expect("\xE2\x80\xA8\xE2\x80\xA9\xEF\xBB\xBF\xE2\x80\x8B", "\\u2028\\u2029\\ufeff\\u200b");
    expect("\xF3\xA0\x81\x81\xEF\xB7\x90\xF4\x8F\xBF\xBF", "\\udb40\\udc41\\ufdd0\\udbff\\udfff");
}

Test(visible, bytes_that_are_no_character_are_escaped_one_by_one) {
    expect("\x80\xC0\xAF", "\\x80\\xc0\\xaf");
    expect("\xED\xA0\x80", "\\xed\\xa0\\x80");
    expect("\xE2\x80", "\\xe2\\x80");
    expect("\xE2\x80z\xFF", "\\xe2\\x80z\\xff");
    expect("\xF4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    /* The end of the text, not of its memory, cuts a character. */
    cr_expect_str_eq(shown("\xC3\xA4", 1), "\\xc3");
}

Test(visible, ranges_end_where_the_tables_of_unicode_have_it) {
    static const uint32_t hidden[] = {0x00,   0x1F,   0x7F,   0x80,    0x9F,    0xAD,    0x34F,
                                      0x600,  0x605,  0x61C,  0x70F,   0x180E,  0x200B,  0x200F,
                                      0x2028, 0x202E, 0x2060, 0x206F,  0xFDEF,  0xFE0F,  0xFFF9,
                                      0xFFFB, 0xFFFE, 0xFFFF, 0x1FFFE, 0xE0000, 0xE0FFF, 0x10FFFF};
    static const uint32_t visible[] = {0x20,   0x7E,   0xA0,    0xAC,    0xAE,    0x34E,   0x350,
                                       0x606,  0x61B,  0x61D,   0x200A,  0x2010,  0x2027,  0x202F,
                                       0x205F, 0x2070, 0xFDCF,  0xFDF0,  0xFE10,  0xFFFC,  0xFFFD,
                                       0xD7FF, 0xE000, 0x1FFFD, 0xDFFFD, 0xE1000, 0x10FFFD};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        cr_expect_not(shows(hidden[i]), "U+%04X", (unsigned)hidden[i]);
    for (size_t i = 0; i < sizeof visible / sizeof *visible; i++)
        cr_expect(shows(visible[i]), "U+%04X", (unsigned)visible[i]);
}

/* A table that is out of order would lose whole ranges: 4,339 characters of Unicode are in it. */
Test(visible, as_many_characters_are_hidden_as_unicode_has) {
    size_t hidden = 0;
    for (uint32_t code = 0; code < 0x110000; code++)
        if (code < 0xD800 || code > 0xDFFF)
            hidden += !shows(code);
    cr_expect_eq(hidden, 4339u, "%zu", hidden);
}

Test(visible, a_text_that_was_shown_shows_unchanged) {
    char once[256];
    const char text[] = "a\033\xC2\x9B\xFF\xF3\xA0\x81\x81\n\\";
    strcpy(once, shown(text, sizeof text - 1));
    expect(once, once);
}

Test(visible, a_room_that_is_too_small_for_escapes_gets_question_marks) {
    char room[16] = "a\033\xE2\x80\xAE"
                    "b";
    lam_visible_make(room, sizeof room);
    cr_expect_str_eq(room, "a\\u001b\\u202eb");
    char small[14] = "a\033\xE2\x80\xAE"
                     "b";
    lam_visible_make(small, sizeof small);
    cr_expect_str_eq(small, "a??b");
    char plain[1] = "";
    lam_visible_make(plain, sizeof plain);
    cr_expect_str_eq(plain, "");
}

Test(visible, decoding_gives_characters_and_their_bytes) {
    uint32_t code = 7;
    cr_expect_eq(lam_utf8_decode((const uint8_t *)"\xF0\x9F\x98\x80", 4, &code), 4);
    cr_expect_eq(code, 0x1F600u);
    cr_expect_eq(lam_utf8_decode((const uint8_t *)"\xDF\xBF", 2, &code), 2);
    cr_expect_eq(code, 0x7FFu);
    cr_expect_eq(lam_utf8_decode((const uint8_t *)"A", 1, &code), 1);
    cr_expect_eq(code, (uint32_t)'A');
    cr_expect_eq(lam_utf8_decode((const uint8_t *)"\xF0\x9F\x98", 3, &code), 0);
    cr_expect_eq(lam_utf8_decode(NULL, 0, &code), 0);
    cr_expect_eq(code, (uint32_t)'A');
}
