/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of ASCII characters, the same whatever the locale of the process is. */
#ifndef LAM_BASE_ASCII_H
#define LAM_BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool lam_ascii_is_digit(char c) {
    return (uint8_t)(c - '0') < 10;
}

/* The white space of JSON (RFC 8259, section 2), and of the library's own texts. */
static inline bool lam_ascii_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* What words begin with: an ASCII letter, _, or a byte of another character in UTF-8. */
static inline bool lam_ascii_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (uint8_t)c >= 0x80;
}

/* The small letter of a capital; other characters as they are. */
static inline char lam_ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * The value of a hexadecimal digit, and 16 of other characters: a bit that no digit has, so that
 * one test finds it in any of several.
 */
static inline uint32_t lam_ascii_hex(char c) {
    char lower = lam_ascii_lower(c);
    if (lam_ascii_is_digit(c))
        return (uint32_t)(c - '0');
    return lower >= 'a' && lower <= 'f' ? (uint32_t)(lower - 'a') + 10 : 16;
}

/* Whether a text is `word`, whose bytes are ASCII, in any case of letters. */
static inline bool lam_ascii_is_word(const void *text, size_t size, const char *word) {
    const char *letters = text;
    size_t same = 0;
    if (size != strlen(word))
        return false;
    while (same < size && lam_ascii_lower(letters[same]) == lam_ascii_lower(word[same]))
        same++;
    return same == size;
}

#endif
