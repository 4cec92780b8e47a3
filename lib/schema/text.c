/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints message text into a buffer: takes bytes, numbers and words, and gives as much of the text
 * as fits, and the length of all of it, as snprintf does, so that a caller may measure with a
 * capacity of 0 and print into a buffer of that length plus 1.
 *
 * `length` always counts all bytes that were put; they are written only below `capacity`. Words are
 * quoted so that message_lexer.c reads back the same bytes, malformed UTF-8 included; the text
 * itself is always UTF-8 that shows (lam_visible_prefix).
 */
#include "schema/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* `length` may be far beyond `capacity`; the bytes that fit are those before it. */
void lam_text_put(lam_text *text, const char *bytes, size_t size) {
    if (size > 0 && text->length < text->capacity) {
        size_t room = text->capacity - text->length;
        memcpy(text->buffer + text->length, bytes, size < room ? size : room);
    }
    text->length += size;
}

void lam_text_put_string(lam_text *text, const char *string) {
    lam_text_put(text, string, strlen(string));
}

void lam_text_put_int(lam_text *text, int64_t number) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, number);
    lam_text_put(text, digits, (size_t)length);
}

/* Indentation: `count` is twice the depth of a field, at most 500. */
void lam_text_put_repeated(lam_text *text, char byte, size_t count) {
    for (size_t i = 0; i < count; i++)
        lam_text_put(text, &byte, 1);
}

/* In a buffer that is too small the NUL replaces the last byte. */
size_t lam_text_finish(lam_text *text) {
    if (text->capacity > 0)
        text->buffer[text->length < text->capacity ? text->length : text->capacity - 1] = '\0';
    return text->length;
}

/*
 * Bytes of 0x80 and above pass: they belong to UTF-8 characters, which the caller checks all
 * together.
 */
bool lam_word_byte(uint8_t byte) {
    return byte > ' ' && byte != 0x7F && strchr(";{}()=,", byte) == NULL;
}

/* True when the lexer would read the word back without quotation marks. */
static bool word_is_plain(const char *word, size_t size) {
    if (size == 0 || word[0] == '"' || word[0] == '#')
        return false;
    if (size > 1 && word[0] == '/' && (word[1] == '/' || word[1] == '*'))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!lam_word_byte((uint8_t)word[i]) || word[i] == '[' || word[i] == ']')
            return false;
    return lam_visible_prefix(word, size) == size;
}

/* \xHH, with upper-case digits. */
static void put_escaped_byte(lam_text *text, uint8_t byte) {
    static const char hex[] = "0123456789ABCDEF";
    char escape[4] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    lam_text_put(text, escape, sizeof escape);
}

/* One ASCII character within quotation marks: a named escape, \xHH for a control, or itself. */
static void put_ascii(lam_text *text, char c) {
    static const char named[] = "\"\\\n\r\t";
    static const char letters[] = "\"\\nrt";
    const char *position = c == '\0' ? NULL : strchr(named, c);
    if (position != NULL) {
        char escape[2] = {'\\', letters[position - named]};
        lam_text_put(text, escape, sizeof escape);
    } else if (c < ' ' || c == 0x7F) {
        put_escaped_byte(text, (uint8_t)c);
    } else {
        lam_text_put(text, &c, 1);
    }
}

/*
 * Copies visible characters as they are, and escapes the bytes of others and of malformed UTF-8,
 * one by one. `shown` is the end of the characters that are known to show; after others the check
 * starts again, so that each byte is checked once but for those near them.
 */
void lam_text_put_quoted(lam_text *text, const char *word, size_t size) {
    size_t shown = lam_visible_prefix(word, size);
    lam_text_put(text, "\"", 1);
    for (size_t i = 0; i < size;) {
        if (i < shown && (uint8_t)word[i] >= 0x80) {
            lam_text_put(text, &word[i++], 1);
        } else if ((uint8_t)word[i] < 0x80) {
            put_ascii(text, word[i++]);
        } else {
            char escape[LAM_VISIBLE_ESCAPE_ROOM];
            for (size_t left = lam_visible_escape(word + i, size - i, escape); left > 0; left--)
                put_escaped_byte(text, (uint8_t)word[i++]);
        }
        if (i > shown)
            shown = i + lam_visible_prefix(word + i, size - i);
    }
    lam_text_put(text, "\"", 1);
}

void lam_text_put_word(lam_text *text, const char *word, size_t size) {
    if (word_is_plain(word, size))
        lam_text_put(text, word, size);
    else
        lam_text_put_quoted(text, word, size);
}

lam_shown lam_show(const char *name, size_t size) {
    lam_shown shown;
    lam_text text = {shown.text, sizeof shown.text, 0};
    /* Longer names are cut in any case, so the bytes far beyond the room need no check. */
    lam_text_put_word(&text, name, size < sizeof shown.text ? size : sizeof shown.text);
    if (lam_text_finish(&text) < sizeof shown.text)
        return shown;
    /* Cuts at a character, with room for "..." and its NUL. */
    size_t kept = lam_visible_prefix(shown.text, sizeof shown.text - 4);
    memcpy(shown.text + kept, "...", 4);
    return shown;
}
