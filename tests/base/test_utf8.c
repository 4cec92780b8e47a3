/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 is checked as RFC 3629 defines it. A table spelt out character by character is the oracle
 * for random bytes.
 */
#include "base/utf8.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/random.h"

static size_t prefix(const char *text) {
    return lam_utf8_prefix((const uint8_t *)text, strlen(text));
}

Test(utf8, text_of_all_lengths_is_good) {
    cr_assert_eq(prefix(""), 0);
    cr_assert_eq(lam_utf8_prefix(NULL, 0), 0);
    cr_assert_eq(prefix("plain ASCII that is longer than thirty-two bytes, and then some"), 63);
    cr_assert_eq(prefix("\xC3\xA4"), 2);
    cr_assert_eq(prefix("\xE4\xB8\x8A\xE6\xB5\xB7"), 6);
    cr_assert_eq(prefix("\xF0\x9F\x98\x80"), 4);
    cr_assert_eq(lam_utf8_prefix((const uint8_t *)"a\0b", 3), 3);
}

Test(utf8, the_first_and_last_character_of_each_length_is_good) {
    cr_assert_eq(prefix("\x7F"), 1);
    cr_assert_eq(prefix("\xC2\x80"), 2);
    cr_assert_eq(prefix("\xDF\xBF"), 2);
    cr_assert_eq(prefix("\xE0\xA0\x80"), 3);
    cr_assert_eq(prefix("\xED\x9F\xBF"), 3);
    cr_assert_eq(prefix("\xEE\x80\x80"), 3);
    cr_assert_eq(prefix("\xEF\xBF\xBF"), 3);
    cr_assert_eq(prefix("\xF0\x90\x80\x80"), 4);
    cr_assert_eq(prefix("\xF4\x8F\xBF\xBF"), 4);
}

Test(utf8, what_is_not_well_formed_ends_the_good_part) {
    cr_assert_eq(prefix("a\x80"), 1);            /* a byte that continues nothing */
    cr_assert_eq(prefix("\xC0\xAF"), 0);         /* overlong */
    cr_assert_eq(prefix("\xC1\xBF"), 0);         /* overlong */
    cr_assert_eq(prefix("\xE0\x9F\xBF"), 0);     /* overlong */
    cr_assert_eq(prefix("\xED\xA0\x80"), 0);     /* a surrogate */
    cr_assert_eq(prefix("\xF0\x8F\xBF\xBF"), 0); /* overlong */
    cr_assert_eq(prefix("\xF4\x90\x80\x80"), 0); /* above U+10FFFF */
    cr_assert_eq(prefix("\xF5\x80\x80\x80"), 0);
    cr_assert_eq(prefix("\xFF"), 0);
    cr_assert_eq(prefix("ab\xE4\xB8"), 2); /* cut */
    cr_assert_eq(prefix("ab\xF0\x9F\x98"), 2);
    cr_assert_eq(prefix("ab\xC3"), 2);
    cr_assert_eq(prefix("\xE4\xB8\x2A"), 0);
}

/* Every four bytes, by the table of RFC 3629 spelt out character by character. */
static size_t slow_prefix(const uint8_t *text, size_t size) {
    size_t at = 0;
    while (at < size) {
        uint8_t first = text[at];
        size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if ((first >= 0x80 && first < 0xC0) || first > 0xF7 || size - at < length)
            break;
        uint32_t character = length == 1 ? first : first & (0x7Fu >> length);
        size_t good = 1;
        while (good < length && (text[at + good] & 0xC0) == 0x80)
            character = character << 6 | (text[at + good++] & 0x3F);
        static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        if (good < length || character < least[length] || character > 0x10FFFF ||
            (character >= 0xD800 && character <= 0xDFFF))
            break;
        at += length;
    }
    return at;
}

Test(utf8, random_bytes_are_judged_as_their_characters_are) {
    static const uint8_t likely[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F,
                                     0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
                                     0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF};
    lam_random random = lam_random_start(lam_test_seed(3));
    for (int round = 0; round < 200000; round++) {
        uint8_t text[64];
        size_t size = (size_t)lam_random_below(&random, sizeof text);
        memset(text, 'a', size);
        size_t from = size < 4 ? 0 : (size_t)lam_random_below(&random, size - 3);
        for (size_t i = from; i < size && i < from + 6; i++)
            text[i] = likely[lam_random_below(&random, sizeof likely)];
        cr_assert_eq(lam_utf8_prefix(text, size), slow_prefix(text, size), "round %d", round);
    }
}
