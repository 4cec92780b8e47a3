/* SPDX-License-Identifier: Apache-2.0 */
/* Checks text for UTF-8, and reads its characters. */
#ifndef LAM_BASE_UTF8_H
#define LAM_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Number of bytes from the start that are complete, well-formed characters: `size` when all are.
 * Overlong forms, surrogates and numbers above U+10FFFF are not well-formed. (RFC 3629, section 4)
 */
size_t lam_utf8_prefix(const uint8_t *text, size_t size);

/*
 * Gives the character at the start of a text and returns its bytes, or 0 if it is not complete and
 * well-formed, and then gives no character.
 */
size_t lam_utf8_decode(const uint8_t *text, size_t size, uint32_t *ret_code);

/*
 * Writes a character in 1 to 4 bytes and returns their number. (RFC 3629, section 3)
 *
 *     U+00E9    1100 0011  1010 1001             C3 A9
 *     U+20AC    1110 0010  1000 0010  1010 1100  E2 82 AC
 */
static inline size_t lam_utf8_put(uint8_t *out, uint32_t character) {
    if (character < 0x80) {
        out[0] = (uint8_t)character;
        return 1;
    }
    if (character < 0x800) {
        out[0] = (uint8_t)(0xC0 | character >> 6);
        out[1] = (uint8_t)(0x80 | (character & 0x3F));
        return 2;
    }
    if (character < 0x10000) {
        out[0] = (uint8_t)(0xE0 | character >> 12);
        out[1] = (uint8_t)(0x80 | (character >> 6 & 0x3F));
        out[2] = (uint8_t)(0x80 | (character & 0x3F));
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | character >> 18);
    out[1] = (uint8_t)(0x80 | (character >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (character >> 6 & 0x3F));
    out[3] = (uint8_t)(0x80 | (character & 0x3F));
    return 4;
}

#endif
