/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the JSON text of parameters without building a tree: a value is the bytes where it is
 * written, and members are found by reading those bytes again. Parameters are short, and read once
 * per field.
 *
 *     {"shape": [2, 5]}        find "shape"  ->  ARRAY, the 6 bytes [2, 5]
 *     [2, 5]                   next at 0     ->  NUMBER 2, position 2;  next at 2  ->  NUMBER 5
 *
 * The invariant: lam_parameters_read checks the complete text once, and all other functions only
 * see values within it, hence they ignore results that can only be true. Nesting is bounded, as
 * reading recurses. (RFC 8259, sections 2 to 7)
 */
#include "arrow/extension/extension_parameters.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"

/* The rest of the text. */
typedef struct parameter_cursor {
    const uint8_t *at;
    const uint8_t *end;
} parameter_cursor;

/* The four kinds of white space that JSON has. (RFC 8259, section 2) */
static void extension_parameters_skip_space(parameter_cursor *cursor) {
    while (cursor->at < cursor->end && lam_ascii_is_space(*cursor->at))
        cursor->at++;
}

/* Advances past one byte if it is next. */
static bool extension_parameters_take(parameter_cursor *cursor, char byte) {
    if (cursor->at == cursor->end || *cursor->at != (uint8_t)byte)
        return false;
    cursor->at++;
    return true;
}

/* Advances past a word; after false the cursor may be within it, as the text is refused then. */
static bool take_word(parameter_cursor *cursor, const char *word) {
    while (*word != '\0')
        if (!extension_parameters_take(cursor, *word++))
            return false;
    return true;
}

/* At least one digit. */
static bool extension_parameters_take_digits(parameter_cursor *cursor) {
    const uint8_t *start = cursor->at;
    while (cursor->at < cursor->end && lam_ascii_is_digit(*cursor->at))
        cursor->at++;
    return cursor->at > start;
}

/* --- Strings ---------------------------------------------------------------------------------- */

/* Four hexadecimal digits. */
static bool take_hex(parameter_cursor *cursor, uint32_t *unit) {
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t digit = cursor->at < cursor->end ? lam_ascii_hex(*cursor->at++) : 16;
        if (digit > 15)
            return false;
        *unit = *unit << 4 | digit;
    }
    return true;
}

/*
 * The character that follows a backslash. One beyond U+FFFF is two escapes, a high surrogate and a
 * low one: \uD83D \uDE00 without the space is U+1F600. Half of such a pair is refused. (RFC 8259,
 * section 7)
 */
static bool take_escape(parameter_cursor *cursor, uint32_t *character) {
    static const char names[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    uint32_t low;
    for (size_t i = 0; i + 1 < sizeof names; i++) {
        *character = (uint8_t)meanings[i];
        if (extension_parameters_take(cursor, names[i]))
            return true;
    }
    if (!extension_parameters_take(cursor, 'u') || !take_hex(cursor, character))
        return false;
    if (*character < 0xD800 || *character > 0xDFFF)
        return true;
    if (*character > 0xDBFF || !take_word(cursor, "\\u") || !take_hex(cursor, &low) ||
        low < 0xDC00 || low > 0xDFFF)
        return false;
    *character = 0x10000 + ((*character - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

/*
 * The next character of a string's inside, or the next byte of one that is not ASCII: the text is
 * UTF-8 already, so its bytes need no decoding. False at the end and at anything malformed.
 */
static bool take_character(parameter_cursor *cursor, uint32_t *character, bool *is_byte) {
    *is_byte = false;
    if (cursor->at == cursor->end || *cursor->at < 0x20 || *cursor->at == '"')
        return false;
    if (extension_parameters_take(cursor, '\\')) {
        bool taken = take_escape(cursor, character);
        if (!taken)
            cursor->at = cursor->end; /* so that no quotation mark can end the string */
        return taken;
    }
    *is_byte = *cursor->at >= 0x80;
    *character = *cursor->at++;
    return true;
}

static bool take_string(parameter_cursor *cursor) {
    uint32_t character;
    bool is_byte;
    if (!extension_parameters_take(cursor, '"'))
        return false;
    while (take_character(cursor, &character, &is_byte))
        continue;
    return extension_parameters_take(cursor, '"');
}

/* --- Values ----------------------------------------------------------------------------------- */

/* A sign, digits without leading zeros, a fraction, an exponent. (RFC 8259, section 6) */
static bool extension_parameters_take_number(parameter_cursor *cursor) {
    extension_parameters_take(cursor, '-');
    if (!extension_parameters_take(cursor, '0') && !extension_parameters_take_digits(cursor))
        return false;
    if (extension_parameters_take(cursor, '.') && !extension_parameters_take_digits(cursor))
        return false;
    if (extension_parameters_take(cursor, 'e') || extension_parameters_take(cursor, 'E')) {
        if (!extension_parameters_take(cursor, '+'))
            extension_parameters_take(cursor, '-');
        return extension_parameters_take_digits(cursor);
    }
    return true;
}

static bool extension_parameters_take_value(parameter_cursor *cursor, unsigned depth,
                                            lam_parameter *value);

/* The members of an object, with names, or of an array, up to the closing bracket. */
static bool take_members(parameter_cursor *cursor, unsigned depth, bool named, char closing) {
    lam_parameter member;
    extension_parameters_skip_space(cursor);
    if (extension_parameters_take(cursor, closing))
        return true;
    for (;;) {
        extension_parameters_skip_space(cursor);
        if (named) {
            if (!take_string(cursor))
                return false;
            extension_parameters_skip_space(cursor);
            if (!extension_parameters_take(cursor, ':'))
                return false;
        }
        if (!extension_parameters_take_value(cursor, depth, &member))
            return false;
        extension_parameters_skip_space(cursor);
        if (extension_parameters_take(cursor, closing))
            return true;
        if (!extension_parameters_take(cursor, ','))
            return false;
    }
}

/* An object or array, if it is not nested too deep. */
static bool take_nested(parameter_cursor *cursor, unsigned depth, lam_parameter *value) {
    bool named = *cursor->at == '{';
    value->kind = named ? LAM_PARAMETER_OBJECT : LAM_PARAMETER_ARRAY;
    cursor->at++;
    return depth < LAM_PARAMETER_DEPTH_MAX &&
           take_members(cursor, depth + 1, named, named ? '}' : ']');
}

/* A value and the white space before it. The first byte decides the kind. */
static bool extension_parameters_take_value(parameter_cursor *cursor, unsigned depth,
                                            lam_parameter *value) {
    bool taken;
    extension_parameters_skip_space(cursor);
    const uint8_t *start = cursor->at;
    switch (cursor->at < cursor->end ? *cursor->at : 0) {
    case '{':
    case '[':
        taken = take_nested(cursor, depth, value);
        break;
    case '"':
        value->kind = LAM_PARAMETER_STRING;
        taken = take_string(cursor);
        break;
    case 'n':
        value->kind = LAM_PARAMETER_NULL;
        taken = take_word(cursor, "null");
        break;
    case 't':
    case 'f':
        value->kind = LAM_PARAMETER_BOOLEAN;
        taken = take_word(cursor, *cursor->at == 't' ? "true" : "false");
        break;
    default:
        value->kind = LAM_PARAMETER_NUMBER;
        taken = extension_parameters_take_number(cursor);
        break;
    }
    value->text.data = start;
    value->text.size = (size_t)(cursor->at - start);
    return taken;
}

/* UTF-8 is checked for the entire text first, so that strings need no check of their own. */
bool lam_parameters_read(lam_bytes text, lam_parameter *ret_object) {
    lam_parameter value;
    if (text.size == 0 || lam_utf8_prefix(text.data, text.size) != text.size)
        return false;
    parameter_cursor cursor = {text.data, text.data + text.size};
    if (!extension_parameters_take_value(&cursor, 0, &value) || value.kind != LAM_PARAMETER_OBJECT)
        return false;
    extension_parameters_skip_space(&cursor);
    if (cursor.at != cursor.end)
        return false;
    *ret_object = value;
    return true;
}

/* --- What is inside --------------------------------------------------------------------------- */

/* What is between the brackets or the quotation marks. */
static parameter_cursor inside(const lam_parameter *value) {
    parameter_cursor cursor = {value->text.data + 1, value->text.data + value->text.size - 1};
    return cursor;
}

/* Compares by character, so that an escaped spelling is the same string: "sr\u0069d" is srid. */
bool lam_parameter_is(const lam_parameter *value, const char *text) {
    uint32_t character;
    bool is_byte;
    if (value->kind != LAM_PARAMETER_STRING)
        return false;
    parameter_cursor cursor = inside(value);
    while (take_character(&cursor, &character, &is_byte))
        if (*text == '\0' || character != (uint8_t)*text++)
            return false;
    return *text == '\0';
}

/*
 * `*position` counts from after the opening bracket, and is left after the comma. Depth counts from
 * 0 here, as the text was checked with its real depth before.
 */
static bool next_of(const lam_parameter *nested, size_t *position, lam_parameter *ret_name,
                    lam_parameter *ret_value) {
    parameter_cursor cursor = inside(nested);
    const uint8_t *start = cursor.at;
    cursor.at += *position;
    extension_parameters_skip_space(&cursor);
    if (cursor.at == cursor.end)
        return false;
    if (ret_name != NULL) {
        extension_parameters_take_value(&cursor, 0, ret_name);
        extension_parameters_skip_space(&cursor);
        extension_parameters_take(&cursor, ':');
    }
    extension_parameters_take_value(&cursor, 0, ret_value);
    extension_parameters_skip_space(&cursor);
    extension_parameters_take(&cursor, ',');
    *position = (size_t)(cursor.at - start);
    return true;
}

bool lam_parameter_next(const lam_parameter *array, size_t *position, lam_parameter *ret_element) {
    return next_of(array, position, NULL, ret_element);
}

bool lam_parameter_next_member(const lam_parameter *object, size_t *position,
                               lam_parameter *ret_name, lam_parameter *ret_value) {
    return next_of(object, position, ret_name, ret_value);
}

/* Goes through all members, since a duplicate key makes the object ambiguous. */
bool lam_parameters_find(const lam_parameter *object, const char *key, lam_parameter *ret_value) {
    lam_parameter name, value, found = {LAM_PARAMETER_ABSENT, {NULL, 0}};
    size_t position = 0;
    while (lam_parameter_next_member(object, &position, &name, &value)) {
        if (!lam_parameter_is(&name, key))
            continue;
        if (found.kind != LAM_PARAMETER_ABSENT)
            return false;
        found = value;
    }
    *ret_value = found;
    return true;
}

bool lam_parameter_number(const lam_parameter *value, int64_t least, int64_t most,
                          int64_t *ret_number) {
    /* 18 characters are below 10^18, so the sum cannot overflow. */
    enum { EXTENSION_PARAMETERS_DIGITS_MAX = 18 };
    if (value->kind != LAM_PARAMETER_NUMBER || value->text.size > EXTENSION_PARAMETERS_DIGITS_MAX)
        return false;
    bool negative = value->text.data[0] == '-';
    int64_t number = 0;
    for (size_t i = negative; i < value->text.size; i++) {
        if (!lam_ascii_is_digit(value->text.data[i]))
            return false;
        number = number * 10 + (value->text.data[i] - '0');
    }
    number = negative ? -number : number;
    if (number < least || number > most)
        return false;
    *ret_number = number;
    return true;
}

/*
 * Writes a character of 1 to 4 bytes from the last byte to the first, six bits each; the remaining
 * high bits go into the lead byte. (RFC 3629, section 3)
 *
 *     U+00E9    1100 0011  1010 1001             C3 A9
 *     U+20AC    1110 0010  1000 0010  1010 1100  E2 82 AC
 */
static size_t extension_parameters_put_utf8(uint8_t *out, uint32_t character) {
    if (character < 0x80) {
        out[0] = (uint8_t)character;
        return 1;
    }
    size_t size = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size - 1; i > 0; i--, character >>= 6)
        out[i] = (uint8_t)(0x80 | (character & 0x3F));
    out[0] = (uint8_t)(leads[size] | character);
    return size;
}

/*
 * No escape is shorter than its character, so the string's own size, quotation marks included, is
 * enough.
 */
lam_status lam_parameter_text(const lam_parameter *string, lam_arena *arena, lam_bytes *ret_text,
                              lam_error *error) {
    uint8_t *bytes;
    uint32_t character;
    bool is_byte;
    size_t size = 0;
    parameter_cursor cursor = inside(string);
    LAM_TRY(lam_arena_bytes(arena, string->text.size, &bytes, error));
    while (take_character(&cursor, &character, &is_byte)) {
        if (is_byte)
            bytes[size++] = (uint8_t)character;
        else
            size += extension_parameters_put_utf8(bytes + size, character);
    }
    bytes[size] = '\0';
    ret_text->data = bytes;
    ret_text->size = size;
    return LAM_STATUS_OK;
}

/*
 * Escapes control characters, quotation marks and backslashes; other bytes are UTF-8 and stay.
 *
 *     a"b, tab, c   ->   "a\"b\u0009c"
 */
lam_status lam_parameter_put_string(lam_buffer *buffer, const char *text, lam_error *error) {
    LAM_TRY(lam_buffer_append_byte(buffer, '"', error));
    for (; *text != '\0'; text++) {
        uint8_t byte = (uint8_t)*text;
        char escape[8];
        int size = byte < 0x20                   ? snprintf(escape, sizeof escape, "\\u%04x", byte)
                   : byte == '"' || byte == '\\' ? snprintf(escape, sizeof escape, "\\%c", *text)
                                                 : snprintf(escape, sizeof escape, "%c", *text);
        LAM_TRY(lam_buffer_append(buffer, escape, (size_t)size, error));
    }
    return lam_buffer_append_byte(buffer, '"', error);
}
