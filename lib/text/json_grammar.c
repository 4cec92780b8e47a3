/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the grammar of JSON (RFC 8259) without building or decoding anything.
 *
 *     value  := object | array | string | number | true | false | null
 *     object := '{' (string ':' value) ,* '}'
 *     array  := '[' value ,* ']'
 *
 * Nesting has no limit in JSON, so that open containers are a byte each in a buffer instead of
 * calls: `[{"a": [` holds `[{[`. The loop alternates between the beginning of a value and its end.
 * Duplicate names and lone surrogates are allowed by the grammar. Whether strings are UTF-8 is left
 * to the caller.
 */
#include "text/json_grammar.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"

/* A text that is read from `at`. */
typedef struct json_text {
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
    lam_buffer *nesting; /* '{' and '[', the innermost one last */
} json_text;

/* Says what is wrong at the current byte, and the number of bytes. */
static lam_status json_grammar_wrong(const json_text *text, const char *what, lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s at byte %zu of %zu", what,
             (size_t)(text->at - text->start), (size_t)(text->end - text->start));
}

/*
 * The current byte; at the end NUL, which begins no token. A NUL in the text is refused for the
 * same reason.
 */
static uint8_t json_grammar_peek(const json_text *text) {
    return text->at < text->end ? *text->at : 0;
}

/* The four characters of white space in RFC 8259, section 2; no others. */
static void json_grammar_skip_space(json_text *text) {
    while (lam_ascii_is_space(json_grammar_peek(text)))
        text->at++;
}

/* --- Scalars -------------------------------------------------------------------------------- */

/*
 * Reads what follows a backslash: one character, or u and four hexadecimal digits. strchr would
 * find the NUL at the end of its set, so that is excluded first.
 */
static lam_status read_escape(json_text *text, lam_error *error) {
    uint8_t byte = json_grammar_peek(text);
    if (byte == 0 || strchr("\"\\/bfnrtu", byte) == NULL)
        return json_grammar_wrong(text, "an unknown escape", error);
    text->at++;
    for (int i = 0; byte == 'u' && i < 4; i++) {
        if (lam_ascii_hex(json_grammar_peek(text)) > 15)
            return json_grammar_wrong(text, "an escape of fewer than four hexadecimal digits",
                                      error);
        text->at++;
    }
    return LAM_STATUS_OK;
}

/* Reads a string with its quotes. Bytes from 0x80 up pass; control characters must be escaped. */
static lam_status json_grammar_read_string(json_text *text, lam_error *error) {
    if (json_grammar_peek(text) != '"')
        return json_grammar_wrong(text, "no string", error);
    text->at++;
    while (text->at < text->end && *text->at != '"') {
        if (*text->at < ' ')
            return json_grammar_wrong(text, "a control character in a string", error);
        if (*text->at++ == '\\')
            LAM_TRY(read_escape(text, error));
    }
    if (text->at == text->end)
        return json_grammar_wrong(text, "a string without end", error);
    text->at++;
    return LAM_STATUS_OK;
}

/* At least one digit. */
static lam_status read_digits(json_text *text, lam_error *error) {
    if (!lam_ascii_is_digit(json_grammar_peek(text)))
        return json_grammar_wrong(text, "no digit", error);
    while (lam_ascii_is_digit(json_grammar_peek(text)))
        text->at++;
    return LAM_STATUS_OK;
}

/*
 * number := '-'? ('0' | [1-9] digits) ('.' digits)? ([eE] [+-]? digits)?
 *
 * A leading 0 ends the integer: the 1 of `01` then is an unexpected byte after the value.
 */
static lam_status json_grammar_read_number(json_text *text, lam_error *error) {
    text->at += json_grammar_peek(text) == '-';
    if (json_grammar_peek(text) == '0')
        text->at++;
    else
        LAM_TRY(read_digits(text, error));
    if (json_grammar_peek(text) == '.') {
        text->at++;
        LAM_TRY(read_digits(text, error));
    }
    if (json_grammar_peek(text) == 'e' || json_grammar_peek(text) == 'E') {
        text->at++;
        text->at += json_grammar_peek(text) == '+' || json_grammar_peek(text) == '-';
        LAM_TRY(read_digits(text, error));
    }
    return LAM_STATUS_OK;
}

/* `nullx` reads as null with a byte too many, which end_value refuses. */
static lam_status read_word(json_text *text, lam_error *error) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(text->end - text->at) < size || memcmp(text->at, words[i], size) != 0)
            continue;
        text->at += size;
        return LAM_STATUS_OK;
    }
    return json_grammar_wrong(text, "no value", error);
}

/* --- Objects and arrays --------------------------------------------------------------------- */

/* Reads a name with its colon; the value follows. */
static lam_status json_grammar_read_name(json_text *text, lam_error *error) {
    json_grammar_skip_space(text);
    LAM_TRY(json_grammar_read_string(text, error));
    json_grammar_skip_space(text);
    if (json_grammar_peek(text) != ':')
        return json_grammar_wrong(text, "no colon", error);
    text->at++;
    return LAM_STATUS_OK;
}

/* Only called while something is open. */
static uint8_t innermost(const json_text *text) {
    return text->nesting->data[text->nesting->size - 1];
}

/*
 * Opens an object or array, up to its first value; `*ret_ended` is true when it is empty and closed
 * again. Empty containers never get onto the stack.
 */
static lam_status open_nested(json_text *text, bool *ret_ended, lam_error *error) {
    uint8_t bracket = *text->at++;
    json_grammar_skip_space(text);
    *ret_ended = json_grammar_peek(text) == (bracket == '{' ? '}' : ']');
    if (*ret_ended) {
        text->at++;
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_buffer_append_byte(text->nesting, bracket, error));
    return bracket == '{' ? json_grammar_read_name(text, error) : LAM_STATUS_OK;
}

/*
 * Reads a scalar, or the beginning of a container. `*ret_ended` is true when the value is complete.
 */
static lam_status begin_value(json_text *text, bool *ret_ended, lam_error *error) {
    json_grammar_skip_space(text);
    uint8_t byte = json_grammar_peek(text);
    *ret_ended = true;
    if (byte == '{' || byte == '[')
        return open_nested(text, ret_ended, error);
    if (byte == '"')
        return json_grammar_read_string(text, error);
    if (byte == '-' || lam_ascii_is_digit(byte))
        return json_grammar_read_number(text, error);
    return read_word(text, error);
}

/*
 * After a complete value: closes the containers that end with it. `*ret_more` is true when a comma
 * announces another value; false at the end of the text.
 */
static lam_status end_value(json_text *text, bool *ret_more, lam_error *error) {
    *ret_more = false;
    for (json_grammar_skip_space(text); text->nesting->size > 0; json_grammar_skip_space(text)) {
        bool in_object = innermost(text) == '{';
        if (json_grammar_peek(text) == ',') {
            text->at++;
            *ret_more = true;
            return in_object ? json_grammar_read_name(text, error) : LAM_STATUS_OK;
        }
        if (json_grammar_peek(text) != (in_object ? '}' : ']'))
            return json_grammar_wrong(
                text, in_object ? "neither comma nor }" : "neither comma nor ]", error);
        text->at++;
        text->nesting->size--;
    }
    return text->at == text->end ? LAM_STATUS_OK
                                 : json_grammar_wrong(text, "more after the value", error);
}

/* `at` must not be NULL, even for no bytes, because pointers are compared and subtracted. */
lam_status lam_json_grammar_check(lam_bytes bytes, lam_buffer *nesting, lam_error *error) {
    static const uint8_t nothing[1];
    json_text text = {.start = bytes.size > 0 ? bytes.data : nothing, .nesting = nesting};
    bool more = true;
    text.at = text.start;
    text.end = text.start + bytes.size;
    while (more) {
        bool ended;
        LAM_TRY(begin_value(&text, &ended, error));
        if (ended)
            LAM_TRY(end_value(&text, &more, error));
    }
    return LAM_STATUS_OK;
}
