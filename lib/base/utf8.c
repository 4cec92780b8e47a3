/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds how far text is well-formed UTF-8 (RFC 3629, section 4). Takes any bytes, and gives the
 * number of those before the first that does not begin or continue a character as this table
 * allows:
 *
 *     first byte   characters           bytes after it
 *     00 - 7F      U+0000 - U+007F      none
 *     C2 - DF      U+0080 - U+07FF      80 - BF
 *     E0 - EF      U+0800 - U+FFFF      80 - BF (A0 - BF after E0, 80 - 9F after ED), 80 - BF
 *     F0 - F4      U+10000 - U+10FFFF   80 - BF (90 - BF after F0, 80 - 8F after F4), 80 - BF,
 *                                       80 - BF
 *
 * The narrower ranges exclude overlong forms (E0, F0), surrogates (ED) and numbers above U+10FFFF
 * (F4). Bytes at or after the end are never read; a character that the end cuts is not counted.
 */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

/* The top bit of each byte, which ASCII leaves clear. */
static const uint64_t TOP_BITS = 0x8080808080808080u;

/* Byte order does not matter to a test of all top bits. */
static inline uint64_t load8(const uint8_t *bytes) {
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
    return x;
}

/* One comparison: a byte below `low` wraps to a large number. */
static inline bool between(uint8_t byte, uint8_t low, uint8_t high) {
    return (uint8_t)(byte - low) <= high - low;
}

/* 80 - BF. */
static inline bool utf8_continues(uint8_t byte) {
    return (byte & 0xC0) == 0x80;
}

/* Length of the character at `at`; 0 when it is not well-formed or goes beyond `end`. */
static inline size_t character(const uint8_t *at, const uint8_t *end) {
    uint8_t first = at[0];
    size_t left = (size_t)(end - at);
    if (first < 0x80)
        return 1;
    if (between(first, 0xC2, 0xDF))
        return left >= 2 && utf8_continues(at[1]) ? 2 : 0;
    if (between(first, 0xE0, 0xEF)) {
        uint8_t low = first == 0xE0 ? 0xA0 : 0x80;
        uint8_t high = first == 0xED ? 0x9F : 0xBF;
        return left >= 3 && between(at[1], low, high) && utf8_continues(at[2]) ? 3 : 0;
    }
    if (between(first, 0xF0, 0xF4)) {
        uint8_t low = first == 0xF0 ? 0x90 : 0x80;
        uint8_t high = first == 0xF4 ? 0x8F : 0xBF;
        return left >= 4 && between(at[1], low, high) && utf8_continues(at[2]) &&
                       utf8_continues(at[3])
                   ? 4
                   : 0;
    }
    return 0;
}

/*
 * True when a short text is ASCII. The last load ends at the end of the text and may overlap the
 * one before it, so that no byte needs a step of its own.
 */
static bool utf8_is_ascii(const uint8_t *text, size_t size) {
    uint32_t head, tail;
    if (size >= 8) {
        uint64_t bytes = load8(text + size - 8);
        for (size_t i = 0; i + 8 < size; i += 8)
            bytes |= load8(text + i);
        return (bytes & TOP_BITS) == 0;
    }
    if (size >= 4) {
        memcpy(&head, text, 4);
        memcpy(&tail, text + size - 4, 4);
        return ((head | tail) & (uint32_t)TOP_BITS) == 0;
    }
    /* One to three bytes: first, middle and last are all of them. */
    return size == 0 || (text[0] | text[size / 2] | text[size - 1]) < 0x80;
}

/* Names and most strings are short: they take the short path, without the loops. */
size_t lam_utf8_prefix(const uint8_t *text, size_t size) {
    enum { SHORT = 64 };
    if (size < SHORT && utf8_is_ascii(text, size))
        return size;
    const uint8_t *at = text;
    const uint8_t *end = text + size;
    while (at < end) {
        /* Most text is ASCII, or has long runs of it: 32 bytes at a time, then 8. */
        while (end - at >= 32 &&
               ((load8(at) | load8(at + 8) | load8(at + 16) | load8(at + 24)) & TOP_BITS) == 0)
            at += 32;
        while (end - at >= 8 && (load8(at) & TOP_BITS) == 0)
            at += 8;
        /* Other text: 8 characters at a time, as it rarely falls back to ASCII for long. */
        for (int i = 0; i < 8 && at < end; i++) {
            size_t length = character(at, end);
            if (length == 0)
                return (size_t)(at - text);
            at += length;
        }
    }
    return size;
}

size_t lam_utf8_decode(const uint8_t *text, size_t size, uint32_t *ret_code) {
    size_t length = size == 0 ? 0 : character(text, text + size);
    if (length == 0)
        return 0;
    uint32_t code = length == 1 ? text[0] : text[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (text[i] & 0x3Fu);
    *ret_code = code;
    return length;
}
