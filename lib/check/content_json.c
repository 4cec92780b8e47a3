/*
 * The grammar of JSON (RFC 8259).
 *
 *     value  := object | array | string | number | true | false | null
 *     object := '{' (string ':' value) ,* '}'
 *     array  := '[' value ,* ']'
 *
 * Nesting has no limit in JSON, so what is open is a byte each in a buffer.
 */
#include <string.h>

#include "base/error.h"
#include "check/contents.h"

typedef struct json_text {
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
    lam_buffer *nesting; /* '{' and '[' */
} json_text;

static lam_status wrong(const json_text *text, const char *what, lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s at byte %zu of %zu", what,
             (size_t)(text->at - text->start), (size_t)(text->end - text->start));
}

/* The byte at hand; NUL, which no token begins with, at the end. */
static uint8_t peek(const json_text *text) {
    return text->at < text->end ? *text->at : 0;
}

static void skip_space(json_text *text) {
    while (peek(text) == ' ' || peek(text) == '\t' || peek(text) == '\n' || peek(text) == '\r')
        text->at++;
}

/* --- Scalars -------------------------------------------------------------------------------- */

static bool is_digit(uint8_t byte) {
    return byte >= '0' && byte <= '9';
}

static bool is_hex(uint8_t byte) {
    return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

/* Behind the backslash. */
static lam_status read_escape(json_text *text, lam_error *error) {
    uint8_t byte = peek(text);
    if (byte == 0 || strchr("\"\\/bfnrtu", byte) == NULL)
        return wrong(text, "an unknown escape", error);
    text->at++;
    for (int i = 0; byte == 'u' && i < 4; i++) {
        if (!is_hex(peek(text)))
            return wrong(text, "an escape of fewer than four hexadecimal digits", error);
        text->at++;
    }
    return LAM_STATUS_OK;
}

static lam_status read_string(json_text *text, lam_error *error) {
    if (peek(text) != '"')
        return wrong(text, "no string", error);
    text->at++;
    while (text->at < text->end && *text->at != '"') {
        if (*text->at < ' ')
            return wrong(text, "a control character in a string", error);
        if (*text->at++ == '\\')
            LAM_TRY(read_escape(text, error));
    }
    if (text->at == text->end)
        return wrong(text, "a string without end", error);
    text->at++;
    return LAM_STATUS_OK;
}

static lam_status read_digits(json_text *text, lam_error *error) {
    if (!is_digit(peek(text)))
        return wrong(text, "no digit", error);
    while (is_digit(peek(text)))
        text->at++;
    return LAM_STATUS_OK;
}

static lam_status read_number(json_text *text, lam_error *error) {
    text->at += peek(text) == '-';
    if (peek(text) == '0')
        text->at++;
    else
        LAM_TRY(read_digits(text, error));
    if (peek(text) == '.') {
        text->at++;
        LAM_TRY(read_digits(text, error));
    }
    if (peek(text) == 'e' || peek(text) == 'E') {
        text->at++;
        text->at += peek(text) == '+' || peek(text) == '-';
        LAM_TRY(read_digits(text, error));
    }
    return LAM_STATUS_OK;
}

static lam_status read_word(json_text *text, lam_error *error) {
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(text->end - text->at) < size || memcmp(text->at, words[i], size) != 0)
            continue;
        text->at += size;
        return LAM_STATUS_OK;
    }
    return wrong(text, "no value", error);
}

/* --- Objects and arrays --------------------------------------------------------------------- */

static lam_status read_name(json_text *text, lam_error *error) {
    skip_space(text);
    LAM_TRY(read_string(text, error));
    skip_space(text);
    if (peek(text) != ':')
        return wrong(text, "no colon", error);
    text->at++;
    return LAM_STATUS_OK;
}

static uint8_t innermost(const json_text *text) {
    return text->nesting->data[text->nesting->size - 1];
}

/* Opens an object or array; `*ret_ended` says that it is empty, and closed. */
static lam_status open_nested(json_text *text, bool *ret_ended, lam_error *error) {
    uint8_t bracket = *text->at++;
    skip_space(text);
    *ret_ended = peek(text) == (bracket == '{' ? '}' : ']');
    if (*ret_ended) {
        text->at++;
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_buffer_append_byte(text->nesting, bracket, error));
    return bracket == '{' ? read_name(text, error) : LAM_STATUS_OK;
}

/* Reads a value, or its beginning. */
static lam_status begin_value(json_text *text, bool *ret_ended, lam_error *error) {
    skip_space(text);
    uint8_t byte = peek(text);
    *ret_ended = true;
    if (byte == '{' || byte == '[')
        return open_nested(text, ret_ended, error);
    if (byte == '"')
        return read_string(text, error);
    if (byte == '-' || is_digit(byte))
        return read_number(text, error);
    return read_word(text, error);
}

/* Behind a value: closes what ends with it; `*ret_more` says that another value follows. */
static lam_status end_value(json_text *text, bool *ret_more, lam_error *error) {
    *ret_more = false;
    for (skip_space(text); text->nesting->size > 0; skip_space(text)) {
        bool in_object = innermost(text) == '{';
        if (peek(text) == ',') {
            text->at++;
            *ret_more = true;
            return in_object ? read_name(text, error) : LAM_STATUS_OK;
        }
        if (peek(text) != (in_object ? '}' : ']'))
            return wrong(text, in_object ? "neither comma nor }" : "neither comma nor ]", error);
        text->at++;
        text->nesting->size--;
    }
    return text->at == text->end ? LAM_STATUS_OK : wrong(text, "more behind the value", error);
}

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
