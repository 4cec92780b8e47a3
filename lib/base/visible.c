/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides texts into what people may see as it is and what only an escape shows. Of any bytes, from
 * a file, its name or its path, it gives those up to the first that does not show, or the escape of
 * one character.
 *
 *     text      a  b  ESC     [  2  J  U+202E  U+E0041       FF
 *     shown     a  b  \u001b  [  2  J  \u202e  \udb40\udc41  \xff
 *
 * Characters that do not show steer a terminal, break a line, turn the text around them, or take no
 * room, so that a text would pass for another one: the categories Cc, Cf, Zl and Zp of Unicode,
 * what it calls ignorable by default, and its noncharacters. Bytes that are not UTF-8 have no
 * character, and are escaped one by one.
 *
 * The invariant: escapes are plain ASCII, so that a text that was shown shows unchanged; those of
 * characters are the ones of JSON. (RFC 8259, section 7; Unicode 16, sections 4.5, 5.21 and 23.7)
 */
#include "base/visible.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "base/utf8.h"

/* Ranges of characters that do not show, in order; the last two of every plane are beside them. */
static const uint32_t hidden_ranges[][2] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x034F, 0x034F},
    {0x0600, 0x0605},   {0x061C, 0x061C},   {0x06DD, 0x06DD},   {0x070F, 0x070F},
    {0x0890, 0x0891},   {0x08E2, 0x08E2},   {0x115F, 0x1160},   {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
    {0x3164, 0x3164},   {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
    {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

static bool is_hidden(uint32_t code) {
    size_t at, count = sizeof hidden_ranges / sizeof hidden_ranges[0];
    if (code >= ' ' && code < 0x7F)
        return false;
    /* The first range that does not end before the character. */
    LAM_BISECT(at, 0, count, hidden_ranges[at][1] < code);
    return (at < count && hidden_ranges[at][0] <= code) || (code & 0xFFFE) == 0xFFFE;
}

size_t lam_visible_prefix(const char *text, size_t size) {
    const uint8_t *bytes = (const uint8_t *)text;
    size_t at = 0, length = 1;
    uint32_t code = 0;
    while (at < size) {
        if (bytes[at] < 0x80) {
            code = bytes[at];
            length = 1;
        } else {
            length = lam_utf8_decode(bytes + at, size - at, &code);
        }
        if (length == 0 || is_hidden(code))
            break;
        at += length;
    }
    return at;
}

size_t lam_visible_escape(const char *text, size_t size, char *escape) {
    static const char short_codes[] = "\b\f\n\r\t", short_letters[] = "bfnrt";
    uint32_t code = 0;
    size_t length = lam_utf8_decode((const uint8_t *)text, size, &code);
    if (length == 0) {
        snprintf(escape, LAM_VISIBLE_ESCAPE_ROOM, "\\x%02x", (unsigned)(unsigned char)*text);
        return 1;
    }
    const char *known = code == 0 || code > ' ' ? NULL : strchr(short_codes, (int)code);
    if (known != NULL)
        snprintf(escape, LAM_VISIBLE_ESCAPE_ROOM, "\\%c", short_letters[known - short_codes]);
    else if (code < 0x10000)
        snprintf(escape, LAM_VISIBLE_ESCAPE_ROOM, "\\u%04x", (unsigned)code);
    else
        snprintf(escape, LAM_VISIBLE_ESCAPE_ROOM, "\\u%04x\\u%04x",
                 (unsigned)(0xD800 + ((code - 0x10000) >> 10)),
                 (unsigned)(0xDC00 + ((code - 0x10000) & 0x3FF)));
    return length;
}

/* Bytes of a text in which everything that does not show is an escape. */
static size_t visible_size(const char *text) {
    size_t left = strlen(text), size = 0;
    char escape[LAM_VISIBLE_ESCAPE_ROOM];
    for (size_t shown; left > 0;) {
        shown = lam_visible_prefix(text, left);
        size += shown;
        text += shown;
        left -= shown;
        if (left > 0) {
            size_t length = lam_visible_escape(text, left, escape);
            size += strlen(escape);
            text += length;
            left -= length;
        }
    }
    return size;
}

/* Replaces `length` bytes of a text at `at` by `with`; what follows moves. */
static void put_instead(char *at, size_t length, const char *with) {
    size_t size = strlen(with);
    memmove(at + size, at + length, strlen(at + length) + 1);
    memcpy(at, with, size);
}

void lam_visible_make(char *text, size_t capacity) {
    const bool has_room = visible_size(text) < capacity;
    char escape[LAM_VISIBLE_ESCAPE_ROOM];
    while (*(text += lam_visible_prefix(text, strlen(text))) != '\0') {
        size_t length = lam_visible_escape(text, strlen(text), escape);
        put_instead(text, length, has_room ? escape : "?");
        text += has_room ? strlen(escape) : 1;
    }
}
