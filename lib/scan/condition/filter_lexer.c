/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits the text of a filter into tokens, one per call, without copying it. The text may come from
 * anyone: all of it is first checked to be UTF-8, so that quoted pieces can go into error messages,
 * paths and values as they are. The invariant: start <= end <= size, and the current token is empty
 * only at the end. Reading past the end gives NUL characters, which no token outside of quotation
 * marks contains, so that looking ahead by one or two characters needs no check of its own.
 */
#include "scan/condition/filter_lexer.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"
#include "schema/path_text.h"
#include "text/number_text.h"

/* Gives a character, or NUL past the end. */
static char at(const lam_filter_lexer *lexer, size_t index) {
    return index < lexer->size ? lexer->text[index] : '\0';
}

/* --- Errors -------------------------------------------------------------------------------- */

/* Shows at most 40 bytes of the token that was found: enough to recognize it. */
lam_status lam_filter_lexer_expected(const lam_filter_lexer *lexer, const char *what,
                                     lam_error *error) {
    size_t size = lexer->end - lexer->start;
    if (lexer->token == LAM_FILTER_TOKEN_END)
        lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX, "expected %s, found the end", what);
    else
        lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX, "expected %s, found %.*s", what,
                      (int)(size < 40 ? size : 40), lexer->text + lexer->start);
    lam_error_at_character(lexer->text, lexer->start, error);
    return LAM_STATUS_INVALID;
}

static lam_status filter_lexer_fail_at(const lam_filter_lexer *lexer, size_t offset,
                                       const char *message, lam_error *error) {
    lam_error_set(error, LAM_ERROR_CODE_FILTER_SYNTAX, "%s", message);
    lam_error_at_character(lexer->text, offset, error);
    return LAM_STATUS_INVALID;
}

/* --- Tokens -------------------------------------------------------------------------------- */

static size_t digits_end(const lam_filter_lexer *lexer, size_t index) {
    while (lam_ascii_is_digit(at(lexer, index)))
        index++;
    return index;
}

/*
 * Lexes [+-] digits [. digits] [e [+-] digits]. Digits may be missing on one side of the point, not
 * on both: .5 and 5. are numbers, a lone point is not. A letter or a second point right after it
 * makes all of it an error: 12abc, 1.2.3.
 */
static lam_status lex_number(lam_filter_lexer *lexer, lam_error *error) {
    size_t end = lexer->start;
    if (at(lexer, end) == '-' || at(lexer, end) == '+')
        end++;
    size_t whole = end;
    end = digits_end(lexer, end);
    bool has_digits = end > whole;
    if (at(lexer, end) == '.') {
        size_t fraction = end + 1;
        end = digits_end(lexer, fraction);
        has_digits = has_digits || end > fraction;
    }
    if (lam_ascii_lower(at(lexer, end)) == 'e') {
        size_t exponent = end + 1;
        if (at(lexer, exponent) == '-' || at(lexer, exponent) == '+')
            exponent++;
        end = digits_end(lexer, exponent);
        has_digits = has_digits && end > exponent;
    }
    if (!has_digits || lam_ascii_is_letter(at(lexer, end)) || at(lexer, end) == '.')
        return filter_lexer_fail_at(lexer, lexer->start, "no number", error);
    lexer->token = LAM_FILTER_TOKEN_NUMBER;
    lexer->end = end;
    return LAM_STATUS_OK;
}

/*
 * Lexes from the opening mark to the closing one; two marks in a row are one character of the
 * content. For a HEX token `open` is after its x.
 */
static lam_status lex_quoted(lam_filter_lexer *lexer, size_t open, lam_filter_token token,
                             lam_error *error) {
    char mark = lexer->text[open];
    for (size_t i = open + 1; i < lexer->size; i++) {
        if (lexer->text[i] != mark)
            continue;
        if (at(lexer, i + 1) != mark) {
            lexer->token = token;
            lexer->end = i + 1;
            return LAM_STATUS_OK;
        }
        i++;
    }
    return filter_lexer_fail_at(lexer, open, "the text that begins here does not end", error);
}

/* Longer marks come first in the table, so that "<=" is not read as "<". */
static lam_status lex_mark(lam_filter_lexer *lexer, lam_error *error) {
    static const char *const marks[] = {"==", "!=", "<>", "<=", ">=", "=", "<", ">",
                                        "(",  ")",  ",",  ".",  "[",  "]", NULL};
    for (size_t i = 0; marks[i] != NULL; i++) {
        size_t size = strlen(marks[i]);
        if (lexer->size - lexer->start >= size &&
            memcmp(lexer->text + lexer->start, marks[i], size) == 0) {
            lexer->token = LAM_FILTER_TOKEN_MARK;
            lexer->end = lexer->start + size;
            return LAM_STATUS_OK;
        }
    }
    return filter_lexer_fail_at(lexer, lexer->start,
                                "no word or literal begins with this character", error);
}

/* --- now() --------------------------------------------------------------------------------- */

static size_t space_end(const lam_filter_lexer *lexer, size_t index) {
    while (lam_ascii_is_space(at(lexer, index)))
        index++;
    return index;
}

/* Gives the seconds of a unit, 0 for other letters. */
static int64_t unit_seconds(char unit) {
    switch (lam_ascii_lower(unit)) {
    case 's':
        return 1;
    case 'm':
        return 60;
    case 'h':
        return 3600;
    case 'd':
        return 86400;
    case 'w':
        return 7 * 86400;
    default:
        return 0;
    }
}

/*
 * Gives the end of a term such as - 1d, which begins after white space, or the index itself without
 * a term. Only a sign begins one: no other sign may follow now().
 */
static bool lex_term(const lam_filter_lexer *lexer, size_t index, size_t *ret_end) {
    size_t sign = space_end(lexer, index);
    *ret_end = index;
    if (at(lexer, sign) != '-' && at(lexer, sign) != '+')
        return true;
    size_t digits = space_end(lexer, sign + 1), unit = digits_end(lexer, digits);
    if (unit == digits || unit_seconds(at(lexer, unit)) == 0 ||
        lam_ascii_is_letter(at(lexer, unit + 1)) || lam_ascii_is_digit(at(lexer, unit + 1)))
        return false;
    *ret_end = unit + 1;
    return true;
}

/* The word is the current token, and an opening parenthesis follows it. */
static lam_status lex_now(lam_filter_lexer *lexer, lam_error *error) {
    size_t open = space_end(lexer, lexer->end), end = space_end(lexer, open + 1);
    if (at(lexer, end) != ')')
        return filter_lexer_fail_at(lexer, end, "expected ): now() has no arguments", error);
    size_t next = end + 1;
    do {
        lexer->end = next;
        if (!lex_term(lexer, lexer->end, &next))
            return filter_lexer_fail_at(
                lexer, space_end(lexer, lexer->end),
                "expected a number and a unit, s, m, h, d or w, as in now() - 1d", error);
    } while (next > lexer->end);
    lexer->token = LAM_FILTER_TOKEN_NOW;
    return LAM_STATUS_OK;
}

/* Adds seconds to a sum; false if that needs more than 64 bits. */
static bool add_seconds(int64_t *sum, int64_t number, int64_t unit, bool is_negative) {
    if (number > INT64_MAX / unit)
        return false;
    int64_t seconds = is_negative ? -(number * unit) : number * unit;
    if ((seconds > 0 && *sum > INT64_MAX - seconds) || (seconds < 0 && *sum < INT64_MIN - seconds))
        return false;
    *sum += seconds;
    return true;
}

/* The token is well formed: after the parenthesis are only terms and white space. */
bool lam_filter_lexer_shift(const lam_filter_lexer *lexer, int64_t *ret_seconds) {
    const char *closing = memchr(lexer->text + lexer->start, ')', lexer->end - lexer->start);
    size_t index = (size_t)(closing - lexer->text) + 1;
    int64_t sum = 0;
    while (index < lexer->end) {
        size_t sign = space_end(lexer, index), digits = space_end(lexer, sign + 1);
        size_t unit = digits_end(lexer, digits);
        int64_t number;
        if (!lam_int64_parse(lexer->text + digits, unit - digits, &number) ||
            !add_seconds(&sum, number, unit_seconds(lexer->text[unit]), lexer->text[sign] == '-'))
            return false;
        index = unit + 1;
    }
    *ret_seconds = sum;
    return true;
}

/*
 * Decides by the first character, or two: x' begins hexadecimal bytes and not a word, and .5 is a
 * number where a point alone separates names.
 */
lam_status lam_filter_lexer_next(lam_filter_lexer *lexer, lam_error *error) {
    size_t index = lexer->end;
    while (index < lexer->size && lam_ascii_is_space(lexer->text[index]))
        index++;
    lexer->start = index;
    lexer->end = index;
    char first = at(lexer, index), second = at(lexer, index + 1);
    if (index == lexer->size) {
        lexer->token = LAM_FILTER_TOKEN_END;
        return LAM_STATUS_OK;
    }
    if (lam_ascii_lower(first) == 'x' && second == '\'')
        return lex_quoted(lexer, index + 1, LAM_FILTER_TOKEN_HEX, error);
    if (first == '\'')
        return lex_quoted(lexer, index, LAM_FILTER_TOKEN_TEXT, error);
    if (first == '"')
        return lex_quoted(lexer, index, LAM_FILTER_TOKEN_QUOTED, error);
    if (lam_ascii_is_digit(first) || first == '-' || first == '+' ||
        (first == '.' && lam_ascii_is_digit(second)))
        return lex_number(lexer, error);
    if (!lam_ascii_is_letter(first))
        return lex_mark(lexer, error);
    while (lam_ascii_is_letter(at(lexer, index)) || lam_ascii_is_digit(at(lexer, index)))
        index++;
    lexer->token = LAM_FILTER_TOKEN_WORD;
    lexer->end = index;
    if (lam_filter_lexer_at_keyword(lexer, "now") && at(lexer, space_end(lexer, index)) == '(')
        return lex_now(lexer, error);
    return LAM_STATUS_OK;
}

/* A caller must not use the lexer when the text is not good. */
lam_status lam_filter_lexer_init(lam_filter_lexer *lexer, const char *text, size_t size,
                                 lam_error *error) {
    size_t good = lam_utf8_prefix((const uint8_t *)text, size);
    lexer->text = text;
    lexer->size = size;
    if (good < size)
        return filter_lexer_fail_at(lexer, good, "the text is not UTF-8", error);
    lexer->end = 0;
    lexer->now = 0;
    return lam_filter_lexer_next(lexer, error);
}

bool lam_filter_lexer_at_mark(const lam_filter_lexer *lexer, const char *mark) {
    size_t size = lexer->end - lexer->start;
    return lexer->token == LAM_FILTER_TOKEN_MARK && size == strlen(mark) &&
           memcmp(lexer->text + lexer->start, mark, size) == 0;
}

bool lam_filter_lexer_at_keyword(const lam_filter_lexer *lexer, const char *keyword) {
    size_t size = lexer->end - lexer->start;
    return lexer->token == LAM_FILTER_TOKEN_WORD &&
           lam_ascii_is_word(lexer->text + lexer->start, size, keyword);
}

/*
 * Each mark inside is followed by its double, as the lexer ended the token at the first single one.
 */
lam_status lam_filter_lexer_append(const lam_filter_lexer *lexer, lam_buffer *out,
                                   lam_error *error) {
    char mark = lexer->text[lexer->start];
    for (size_t i = lexer->start + 1; i + 1 < lexer->end; i++) {
        LAM_TRY(lam_buffer_append_byte(out, (uint8_t)lexer->text[i], error));
        if (lexer->text[i] == mark)
            i++; /* skips the double */
    }
    return LAM_STATUS_OK;
}
