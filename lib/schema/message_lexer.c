/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits message text into tokens: takes UTF-8 text of a known size, from anywhere, skipping a byte
 * order mark, and gives one token at a time, as a range of the text, its bytes on request, and
 * errors with line and column.
 *
 *     message "my doc" { # note          WORD message, QUOTED "my doc", MARK {,
 *       required int64 a (INT_64); }     WORD required ... MARK ( WORD INT_64 MARK ) MARK ; MARK }
 *
 * The offset only ever moves forward, and no byte at or after `size` is read: the text need not end
 * with a NUL. A failure leaves the lexer at the token it was at.
 */
#include "schema/message_lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"
#include "schema/text.h"

/* --- Places and failures ---------------------------------------------------------------------- */

/*
 * Lines and columns count from 1, columns in characters: bytes that continue a UTF-8 character do
 * not count. O(offset), on failure only.
 */
void lam_lexer_locate(const lam_lexer *lexer, size_t offset, lam_error *error) {
    if (error == NULL)
        return;
    size_t line = 1;
    size_t column = 1;
    for (size_t i = 0; i < offset; i++) {
        uint8_t byte = (uint8_t)lexer->text[i];
        if (byte == '\n') {
            line++;
            column = 1;
        } else if ((byte & 0xC0) != 0x80) {
            column++;
        }
    }
    char message[sizeof error->message];
    memcpy(message, error->message, sizeof message);
    lam_error_set(error, lam_error_kind(error), "line %zu, column %zu: %s", line, column, message);
}

/* Fails with a message at a byte of the text. */
static lam_status message_lexer_fail_at(const lam_lexer *lexer, size_t offset, const char *message,
                                        lam_error *error) {
    lam_error_set(error, LAM_ERROR_CODE_SCHEMA_SYNTAX, "%s", message);
    lam_lexer_locate(lexer, offset, error);
    return LAM_STATUS_INVALID;
}

/* A plain word that was found is shown, a quoted one is not: it may be long, and of any bytes. */
lam_status lam_lexer_expected(const lam_lexer *lexer, lam_error *error, const char *format, ...) {
    char expected[176];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof expected, format, arguments);
    va_end(arguments);
    char found[80];
    size_t size = lexer->end - lexer->start;
    if (lexer->token == LAM_TOKEN_END)
        snprintf(found, sizeof found, "the end of the text");
    else if (lexer->token == LAM_TOKEN_QUOTED)
        snprintf(found, sizeof found, "a quoted word");
    else if (lexer->token == LAM_TOKEN_MARK)
        snprintf(found, sizeof found, "'%c'", lexer->text[lexer->start]);
    else
        snprintf(found, sizeof found, "'%s'", lam_show(lexer->text + lexer->start, size).text);
    lam_error_set(error, LAM_ERROR_CODE_SCHEMA_SYNTAX, "expected %s, found %s", expected, found);
    lam_lexer_locate(lexer, lexer->start, error);
    return LAM_STATUS_INVALID;
}

/* --- Tokens ----------------------------------------------------------------------------------- */

/* True when the text has `with` at offset `at`, which is at most its size. */
static bool begins(const lam_lexer *lexer, size_t at, const char *with) {
    size_t size = strlen(with);
    return lexer->size - at >= size && memcmp(lexer->text + at, with, size) == 0;
}

/* The white space of C in its own locale: isspace follows that of the process. */
static bool message_lexer_is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Offset of the next newline, or of the end. */
static size_t end_of_line(const lam_lexer *lexer, size_t at) {
    const char *end = memchr(lexer->text + at, '\n', lexer->size - at);
    return end != NULL ? (size_t)(end - lexer->text) : lexer->size;
}

/* Passes white space and comments from `*at` on. */
static lam_status skip_between(const lam_lexer *lexer, size_t *at, lam_error *error) {
    while (*at < lexer->size) {
        if (message_lexer_is_space(lexer->text[*at])) {
            (*at)++;
        } else if (lexer->text[*at] == '#' || begins(lexer, *at, "//")) {
            *at = end_of_line(lexer, *at);
        } else if (begins(lexer, *at, "/*")) {
            size_t end = *at + 2;
            while (end < lexer->size && !begins(lexer, end, "*/"))
                end++;
            if (end == lexer->size)
                return message_lexer_fail_at(lexer, *at, "the comment that begins here has no end",
                                             error);
            *at = end + 2;
        } else {
            break;
        }
    }
    return LAM_STATUS_OK;
}

/*
 * Finds the offset after the closing quotation mark of the word that begins at `start`. A backslash
 * takes the byte after it along, whatever it is; escapes are checked where the word is taken.
 */
static lam_status end_of_quoted(const lam_lexer *lexer, size_t start, size_t *ret_end,
                                lam_error *error) {
    for (size_t at = start + 1; at < lexer->size; at++) {
        if (lexer->text[at] == '"') {
            *ret_end = at + 1;
            return LAM_STATUS_OK;
        }
        if (lexer->text[at] == '\0')
            break;
        if (lexer->text[at] == '\\')
            at++;
    }
    return message_lexer_fail_at(lexer, start, "the quotation mark has no counterpart", error);
}

/* The first byte determines the kind of the token. */
lam_status lam_lexer_next(lam_lexer *lexer, lam_error *error) {
    size_t start = lexer->end;
    LAM_TRY(skip_between(lexer, &start, error));
    size_t end = start;
    lam_token token = LAM_TOKEN_END;
    if (start < lexer->size) {
        char first = lexer->text[start];
        if (first == '"') {
            token = LAM_TOKEN_QUOTED;
            LAM_TRY(end_of_quoted(lexer, start, &end, error));
        } else if (lam_word_byte((uint8_t)first)) {
            token = LAM_TOKEN_WORD;
            while (end < lexer->size && lam_word_byte((uint8_t)lexer->text[end]))
                end++;
        } else if (first > ' ' && first != 0x7F) {
            token = LAM_TOKEN_MARK;
            end++;
        } else {
            return message_lexer_fail_at(lexer, start,
                                         "a control character outside of quotation marks", error);
        }
    }
    lexer->token = token;
    lexer->start = start;
    lexer->end = end;
    return LAM_STATUS_OK;
}

/* All of the text is checked once, so that no token ends inside a character. */
lam_status lam_lexer_init(lam_lexer *lexer, const char *text, size_t size, lam_error *error) {
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    memset(lexer, 0, sizeof *lexer);
    lexer->text = size > 0 ? text : "";
    lexer->size = size;
    size_t good = lam_utf8_prefix((const uint8_t *)lexer->text, size);
    if (good < size)
        return message_lexer_fail_at(lexer, good, "the text is not UTF-8", error);
    if (begins(lexer, 0, byte_order_mark))
        lexer->end = sizeof byte_order_mark - 1;
    return lam_lexer_next(lexer, error);
}

bool lam_lexer_at_mark(const lam_lexer *lexer, char mark) {
    return lexer->token == LAM_TOKEN_MARK && lexer->text[lexer->start] == mark;
}

bool lam_lexer_at_word(const lam_lexer *lexer, const char *word) {
    return lexer->token == LAM_TOKEN_WORD &&
           lam_ascii_is_word(lexer->text + lexer->start, lexer->end - lexer->start, word);
}

bool lam_lexer_at_text(const lam_lexer *lexer) {
    return lexer->token == LAM_TOKEN_WORD || lexer->token == LAM_TOKEN_QUOTED;
}

lam_status lam_lexer_pass(lam_lexer *lexer, char mark, const char *what, lam_error *error) {
    if (!lam_lexer_at_mark(lexer, mark))
        return lam_lexer_expected(lexer, error, "%s", what);
    return lam_lexer_next(lexer, error);
}

/* --- The content of tokens ------------------------------------------------------------------- */

/*
 * The byte of the escape at `*at`, which then moves past it; -1 when no such escape exists, and for
 * \x00, as names end with a NUL. A closing quotation mark follows somewhere, and the bytes after a
 * backslash are read only while none of them is that mark, so no byte after the text is read.
 */
static int escaped_byte(const char *text, size_t *at) {
    static const char letters[] = "\"\\nrt";
    static const char bytes[] = "\"\\\n\r\t";
    char letter = text[*at + 1];
    const char *position = letter == '\0' ? NULL : strchr(letters, letter);
    if (position != NULL) {
        *at += 2;
        return bytes[position - letters];
    }
    uint32_t high = letter == 'x' ? lam_ascii_hex(text[*at + 2]) : 16;
    uint32_t low = high > 15 ? 16 : lam_ascii_hex(text[*at + 3]);
    if (low > 15 || high + low == 0)
        return -1;
    *at += 4;
    return (int)(high << 4 | low);
}

/* The bytes of a quoted word are fewer than those of its token: the room is reserved at once. */
lam_status lam_lexer_take_text(const lam_lexer *lexer, lam_buffer *ret_text, lam_error *error) {
    size_t size = lexer->end - lexer->start;
    lam_buffer_clear(ret_text);
    LAM_TRY(lam_buffer_reserve(ret_text, size + 1, error));
    if (lexer->token == LAM_TOKEN_WORD) {
        memcpy(ret_text->data, lexer->text + lexer->start, size);
        ret_text->data[size] = '\0';
        ret_text->size = size + 1;
        return LAM_STATUS_OK;
    }
    for (size_t at = lexer->start + 1; at < lexer->end - 1;) {
        size_t escape = at;
        int byte = (uint8_t)lexer->text[at];
        if (byte == '\\')
            byte = escaped_byte(lexer->text, &at);
        else
            at++;
        if (byte < 0)
            return message_lexer_fail_at(
                lexer, escape, "expected one of \\\" \\\\ \\n \\r \\t and \\x01 to \\xFF", error);
        ret_text->data[ret_text->size++] = (uint8_t)byte;
    }
    ret_text->data[ret_text->size++] = '\0';
    return LAM_STATUS_OK;
}

/*
 * Digits with an optional minus. The number stops growing once it is above INT32_MAX, so that no
 * digits overflow it; it is then refused.
 */
lam_status lam_lexer_take_int(const lam_lexer *lexer, int32_t low, int32_t high, const char *what,
                              int32_t *ret_number, lam_error *error) {
    const char *text = lexer->text + lexer->start;
    size_t size = lexer->end - lexer->start;
    size_t at = size > 1 && text[0] == '-' ? 1 : 0;
    bool negative = at == 1;
    bool good = lexer->token == LAM_TOKEN_WORD;
    int64_t number = 0;
    for (; good && at < size; at++) {
        good = lam_ascii_is_digit(text[at]) && number <= INT32_MAX;
        number = good ? number * 10 + (text[at] - '0') : 0;
    }
    number = negative ? -number : number;
    if (!good || number < low || number > high)
        return lam_lexer_expected(lexer, error, "%s", what);
    *ret_number = (int32_t)number;
    return LAM_STATUS_OK;
}
