/* SPDX-License-Identifier: Apache-2.0 */
/* Each of the 256 bytes is of the kinds that its row in these texts says. */
#include "base/ascii.h"

#include <criterion/criterion.h>

static bool is_in(const char *set, int c) {
    return c != 0 && strchr(set, c) != NULL;
}

Test(ascii, every_byte_has_its_kinds) {
    static const char digits[] = "0123456789";
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    static const char large[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char hexes[] = "0123456789abcdef0123456789ABCDEF";
    for (int c = 0; c < 256; c++) {
        char byte = (char)(unsigned char)c;
        const char *capital = is_in(large, c) ? strchr(large, c) : NULL;
        const char *hex = is_in(hexes, c) ? strrchr(hexes, c) : NULL;
        cr_assert_eq(lam_ascii_is_digit(byte), is_in(digits, c), "%d", c);
        cr_assert_eq(lam_ascii_is_space(byte), is_in(" \t\r\n", c), "%d", c);
        cr_assert_eq(lam_ascii_is_letter(byte),
                     c >= 0x80 || c == '_' || is_in(small, c) || capital != NULL, "%d", c);
        cr_assert_eq(lam_ascii_lower(byte), capital != NULL ? small[capital - large] : byte, "%d",
                     c);
        cr_assert_eq(lam_ascii_hex(byte), hex != NULL ? (uint32_t)((hex - hexes) % 16) : 16, "%d",
                     c);
    }
}

Test(ascii, words_are_found_in_any_case) {
    cr_assert(lam_ascii_is_word("True", 4, "true"));
    cr_assert(lam_ascii_is_word("TRUEST", 4, "true"));
    cr_assert(lam_ascii_is_word("", 0, ""));
    cr_assert_not(lam_ascii_is_word("tru", 3, "true"));
    cr_assert_not(lam_ascii_is_word("truE1", 5, "true"));
    cr_assert_not(lam_ascii_is_word("T\022UE", 4, "true"), "a control character is no letter");
}
