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
 * see values within it, hence they walk without checks. (RFC 8259, sections 2 to 7)
 */
#include "arrow/extension/extension_parameters.h"

#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/utf8.h"
#include "text/json_grammar.h"
#include "text/json_string.h"

/* \u0069 is one character. */
enum { LONGEST_ESCAPE = 6 };

/* --- The complete text ------------------------------------------------------------------------ */

static void *no_more_room(void *state, void *memory, size_t old_size, size_t new_size) {
    (void)state, (void)memory, (void)old_size, (void)new_size;
    return NULL;
}

/* True when the text is JSON that is not nested too deep: a byte for each level is all the room. */
static bool is_json(lam_bytes text) {
    uint8_t levels[LAM_PARAMETER_DEPTH_MAX];
    lam_buffer nesting = {{NULL, NULL, no_more_room, NULL}, levels, 0, sizeof levels};
    return lam_json_grammar_check(text, &nesting, NULL) == LAM_STATUS_OK;
}

/* True when no string of a checked text has half of a surrogate pair. */
static bool has_whole_characters(const uint8_t *at, const uint8_t *end) {
    size_t bad;
    while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        const uint8_t *string = at + 1;
        at = lam_json_string_end(string);
        if (!lam_json_string_check((const char *)string, (size_t)(at - string), &bad))
            return false;
        at++;
    }
    return true;
}

/* The first byte that is not white space. */
static const uint8_t *white_end(const uint8_t *at) {
    while (lam_ascii_is_space((char)*at))
        at++;
    return at;
}

/* The value that begins at `at`, inside of an array or object or as one. */
static lam_parameter value_at(const uint8_t *at) {
    lam_parameter_kind kind = LAM_PARAMETER_NUMBER;
    const uint8_t *end;
    switch (*at) {
    case '{':
    case '[':
        kind = *at == '{' ? LAM_PARAMETER_OBJECT : LAM_PARAMETER_ARRAY;
        end = lam_json_nested_end(at);
        break;
    case '"':
        kind = LAM_PARAMETER_STRING;
        end = lam_json_string_end(at + 1) + 1;
        break;
    case 'n':
        kind = LAM_PARAMETER_NULL;
        end = lam_json_word_end(at);
        break;
    case 't':
    case 'f':
        kind = LAM_PARAMETER_BOOLEAN;
        end = lam_json_word_end(at);
        break;
    default:
        end = lam_json_word_end(at);
        break;
    }
    return (lam_parameter){kind, {at, (size_t)(end - at)}};
}

bool lam_parameters_read(lam_bytes text, lam_parameter *ret_object) {
    if (text.size == 0 || lam_utf8_prefix(text.data, text.size) != text.size || !is_json(text) ||
        !has_whole_characters(text.data, text.data + text.size))
        return false;
    const uint8_t *first = white_end(text.data);
    if (*first != '{')
        return false;
    *ret_object = value_at(first);
    return true;
}

/* --- What is inside --------------------------------------------------------------------------- */

/* What is between the quotation marks. */
static lam_bytes inside(const lam_parameter *string) {
    return (lam_bytes){string->text.data + 1, string->text.size - 2};
}

/* Compares by character, so that an escaped spelling is the same string: "sr\u0069d" is srid. */
bool lam_parameter_is(const lam_parameter *value, const char *text) {
    char plain[LAM_PARAMETER_NAME_MAX * LONGEST_ESCAPE];
    if (value->kind != LAM_PARAMETER_STRING || inside(value).size > sizeof plain)
        return false;
    lam_bytes string = inside(value);
    size_t size = lam_json_string_unescape((const char *)string.data, string.size, plain);
    return size == strlen(text) && memcmp(plain, text, size) == 0;
}

/* `*position` counts from after the opening bracket, and is left after the comma. */
static bool next_of(const lam_parameter *nested, size_t *position, lam_parameter *ret_name,
                    lam_parameter *ret_value) {
    const uint8_t *start = nested->text.data + 1;
    const uint8_t *at = white_end(start + *position);
    if (*at == ']' || *at == '}')
        return false;
    if (ret_name != NULL) {
        *ret_name = value_at(at);
        at = white_end(ret_name->text.data + ret_name->text.size);
        at = white_end(at + 1); /* the colon */
    }
    *ret_value = value_at(at);
    at = white_end(ret_value->text.data + ret_value->text.size);
    *position = (size_t)(at - start) + (*at == ',');
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

/* A text is never longer than it is written. */
lam_status lam_parameter_text(const lam_parameter *string, lam_arena *arena, lam_bytes *ret_text,
                              lam_error *error) {
    uint8_t *bytes;
    lam_bytes written = inside(string);
    LAM_TRY(lam_arena_bytes(arena, written.size + 1, &bytes, error));
    size_t size = lam_json_string_unescape((const char *)written.data, written.size, (char *)bytes);
    bytes[size] = '\0';
    *ret_text = (lam_bytes){bytes, size};
    return LAM_STATUS_OK;
}
