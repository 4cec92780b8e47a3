/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-16 in both orders, cut anywhere, and what is none. */
#include "text/utf16.h"

#include <criterion/criterion.h>
#include <string.h>

Test(utf16, a_mark_shows_the_encoding) {
    static const struct {
        const char *bytes;
        size_t size, mark;
        lam_text_encoding encoding;
    } cases[] = {{"", 0, 0, LAM_TEXT_UTF8},
                 {"\xff", 1, 0, LAM_TEXT_UTF8},
                 {"\xff\xfe", 2, 2, LAM_TEXT_UTF16_LE},
                 {"\xfe\xff{", 3, 2, LAM_TEXT_UTF16_BE},
                 {"\xef\xbb\xbf", 3, 3, LAM_TEXT_UTF8},
                 {"\xef\xbb", 2, 0, LAM_TEXT_UTF8},
                 {"{}", 2, 0, LAM_TEXT_UTF8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t mark;
        lam_text_encoding found =
            lam_text_encoding_of((const uint8_t *)cases[i].bytes, cases[i].size, &mark);
        cr_assert_eq(found, cases[i].encoding, "case %zu", i);
        cr_assert_eq(mark, cases[i].mark, "case %zu", i);
    }
}

/* The bytes of a unit in an order. */
static void put_unit(lam_text_encoding encoding, uint32_t unit, uint8_t *bytes) {
    bytes[encoding == LAM_TEXT_UTF16_LE ? 0 : 1] = (uint8_t)unit;
    bytes[encoding == LAM_TEXT_UTF16_LE ? 1 : 0] = (uint8_t)(unit >> 8);
}

/* The character that UTF-8 spells, by its own rule. */
static uint32_t decode_utf8(const uint8_t *bytes, size_t size) {
    uint32_t character = size == 1 ? bytes[0] : bytes[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++)
        character = character << 6 | (bytes[i] & 0x3F);
    return character;
}

Test(utf16, every_character_comes_through_in_both_orders) {
    for (int order = 0; order < 2; order++) {
        lam_text_encoding encoding = order == 0 ? LAM_TEXT_UTF16_LE : LAM_TEXT_UTF16_BE;
        for (uint32_t c = 0; c < 0x110000; c++) {
            uint8_t bytes[4], out[6];
            size_t used, size = c < 0x10000 ? 2 : 4;
            lam_utf16_end end;
            put_unit(encoding, c < 0x10000 ? c : 0xD800 + ((c - 0x10000) >> 10), bytes);
            put_unit(encoding, 0xDC00 + ((c - 0x10000) & 0x3FF), bytes + 2);
            size_t written = lam_utf16_to_utf8(encoding, bytes, size, out, &used, &end);
            if (c >= 0xD800 && c < 0xE000) {
                cr_assert_eq(written + used, 0);
                cr_assert_eq(end, c < 0xDC00 ? LAM_UTF16_CUT : LAM_UTF16_LONE, "U+%X", c);
                continue;
            }
            cr_assert_eq(used, size);
            cr_assert_eq(end, LAM_UTF16_CUT);
            cr_assert_eq(decode_utf8(out, written), c, "U+%X", c);
        }
    }
}

Test(utf16, what_is_cut_waits_and_what_is_alone_stops) {
    static const uint8_t text[] = "a\0\x3d\xd8\x00\xde";
    uint8_t out[12];
    size_t used;
    lam_utf16_end end;
    for (size_t size = 0; size <= 6; size++) {
        size_t written = lam_utf16_to_utf8(LAM_TEXT_UTF16_LE, text, size, out, &used, &end);
        cr_assert_eq(used, size < 2 ? 0 : size < 6 ? 2 : 6, "%zu", size);
        cr_assert_eq(written, size < 2 ? 0 : size < 6 ? 1 : 5, "%zu", size);
        cr_assert_eq(end, LAM_UTF16_CUT);
    }
    static const uint8_t alone[] = "a\0\x3d\xd8"
                                   "b\0";
    static const uint8_t before_private[] =
        "a\0\x3d\xd8\x00\xe0"; /* the first unit that is no low one */
    for (int i = 0; i < 2; i++) {
        const uint8_t *bytes = i == 0 ? alone : before_private;
        cr_assert_eq(lam_utf16_to_utf8(LAM_TEXT_UTF16_LE, bytes, 6, out, &used, &end), 1);
        cr_assert_eq(used, 2);
        cr_assert_eq(end, LAM_UTF16_LONE);
    }
}
