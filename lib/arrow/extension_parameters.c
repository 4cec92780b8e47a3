#include "arrow/extension_parameters.h"

#include <stdio.h>

#include "base/error.h"
#include "base/utf8.h"

/* What is left of the text. */
typedef struct cursor {
    const uint8_t *at;
    const uint8_t *end;
} cursor;

static void skip_space(cursor *in) {
    while (in->at < in->end &&
           (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r'))
        in->at++;
}

static bool take(cursor *in, char byte) {
    if (in->at == in->end || *in->at != (uint8_t)byte)
        return false;
    in->at++;
    return true;
}

static bool take_word(cursor *in, const char *word) {
    while (*word != '\0')
        if (!take(in, *word++))
            return false;
    return true;
}

static bool is_digit(uint8_t byte) {
    return byte >= '0' && byte <= '9';
}

static bool take_digits(cursor *in) {
    const uint8_t *start = in->at;
    while (in->at < in->end && is_digit(*in->at))
        in->at++;
    return in->at > start;
}

/* --- Strings ---------------------------------------------------------------------------------- */

static bool take_hex(cursor *in, uint32_t *unit) {
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        if (in->at == in->end)
            return false;
        uint8_t byte = *in->at++;
        uint8_t letter = byte | 0x20;
        if (is_digit(byte))
            *unit = *unit << 4 | (uint32_t)(byte - '0');
        else if (letter >= 'a' && letter <= 'f')
            *unit = *unit << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return false;
    }
    return true;
}

static bool take_escape(cursor *in, uint32_t *character) {
    static const char names[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    uint32_t low;
    for (size_t i = 0; i + 1 < sizeof names; i++) {
        *character = (uint8_t)meanings[i];
        if (take(in, names[i]))
            return true;
    }
    if (!take(in, 'u') || !take_hex(in, character))
        return false;
    if (*character < 0xD800 || *character > 0xDFFF)
        return true;
    if (*character > 0xDBFF || !take_word(in, "\\u") || !take_hex(in, &low) || low < 0xDC00 ||
        low > 0xDFFF)
        return false;
    *character = 0x10000 + ((*character - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

/*
 * The next character of a string's inside, or the next byte of one that is not ASCII; false at the
 * end and where there is none.
 */
static bool take_character(cursor *in, uint32_t *character, bool *is_byte) {
    *is_byte = false;
    if (in->at == in->end || *in->at < 0x20 || *in->at == '"')
        return false;
    if (take(in, '\\')) {
        bool taken = take_escape(in, character);
        if (!taken)
            in->at = in->end; /* no quotation mark behind it ends the string */
        return taken;
    }
    *is_byte = *in->at >= 0x80;
    *character = *in->at++;
    return true;
}

static bool take_string(cursor *in) {
    uint32_t character;
    bool is_byte;
    if (!take(in, '"'))
        return false;
    while (take_character(in, &character, &is_byte))
        continue;
    return take(in, '"');
}

/* --- Values ----------------------------------------------------------------------------------- */

static bool take_number(cursor *in) {
    take(in, '-');
    if (!take(in, '0') && !take_digits(in))
        return false;
    if (take(in, '.') && !take_digits(in))
        return false;
    if (take(in, 'e') || take(in, 'E')) {
        if (!take(in, '+'))
            take(in, '-');
        return take_digits(in);
    }
    return true;
}

static bool take_value(cursor *in, unsigned depth, lam_parameter *value);

/* An object or array up to its closing bracket. */
static bool take_members(cursor *in, unsigned depth, bool named, char closing) {
    lam_parameter member;
    skip_space(in);
    if (take(in, closing))
        return true;
    for (;;) {
        skip_space(in);
        if (named) {
            if (!take_string(in))
                return false;
            skip_space(in);
            if (!take(in, ':'))
                return false;
        }
        if (!take_value(in, depth, &member))
            return false;
        skip_space(in);
        if (take(in, closing))
            return true;
        if (!take(in, ','))
            return false;
    }
}

static bool take_nested(cursor *in, unsigned depth, lam_parameter *value) {
    bool named = *in->at == '{';
    value->kind = named ? LAM_PARAMETER_OBJECT : LAM_PARAMETER_ARRAY;
    in->at++;
    return depth < LAM_PARAMETER_DEPTH_MAX && take_members(in, depth + 1, named, named ? '}' : ']');
}

/* A value with the white space before it. */
static bool take_value(cursor *in, unsigned depth, lam_parameter *value) {
    bool taken;
    skip_space(in);
    const uint8_t *start = in->at;
    switch (in->at < in->end ? *in->at : 0) {
    case '{':
    case '[':
        taken = take_nested(in, depth, value);
        break;
    case '"':
        value->kind = LAM_PARAMETER_STRING;
        taken = take_string(in);
        break;
    case 'n':
        value->kind = LAM_PARAMETER_NULL;
        taken = take_word(in, "null");
        break;
    case 't':
    case 'f':
        value->kind = LAM_PARAMETER_BOOLEAN;
        taken = take_word(in, *in->at == 't' ? "true" : "false");
        break;
    default:
        value->kind = LAM_PARAMETER_NUMBER;
        taken = take_number(in);
        break;
    }
    value->text.data = start;
    value->text.size = (size_t)(in->at - start);
    return taken;
}

bool lam_parameters_read(lam_bytes text, lam_parameter *ret_object) {
    lam_parameter value;
    cursor in = {text.data, text.data + text.size};
    if (text.size == 0 || lam_utf8_prefix(text.data, text.size) != text.size ||
        !take_value(&in, 0, &value) || value.kind != LAM_PARAMETER_OBJECT)
        return false;
    skip_space(&in);
    if (in.at != in.end)
        return false;
    *ret_object = value;
    return true;
}

/* --- What is inside --------------------------------------------------------------------------- */

static cursor inside(const lam_parameter *value) {
    cursor in = {value->text.data + 1, value->text.data + value->text.size - 1};
    return in;
}

bool lam_parameter_is(const lam_parameter *value, const char *text) {
    uint32_t character;
    bool is_byte;
    if (value->kind != LAM_PARAMETER_STRING)
        return false;
    cursor in = inside(value);
    while (take_character(&in, &character, &is_byte))
        if (*text == '\0' || character != (uint8_t)*text++)
            return false;
    return *text == '\0';
}

bool lam_parameters_find(const lam_parameter *object, const char *key, lam_parameter *ret_value) {
    lam_parameter value;
    cursor in = inside(object);
    lam_parameter found = {LAM_PARAMETER_ABSENT, {NULL, 0}};
    skip_space(&in);
    while (in.at < in.end) {
        lam_parameter name;
        take_value(&in, 0, &name);
        skip_space(&in);
        take(&in, ':');
        take_value(&in, 0, &value);
        if (lam_parameter_is(&name, key)) {
            if (found.kind != LAM_PARAMETER_ABSENT)
                return false;
            found = value;
        }
        skip_space(&in);
        take(&in, ',');
    }
    *ret_value = found;
    return true;
}

bool lam_parameter_next(const lam_parameter *array, size_t *position, lam_parameter *ret_element) {
    cursor in = inside(array);
    const uint8_t *start = in.at;
    in.at += *position;
    skip_space(&in);
    if (in.at == in.end)
        return false;
    take_value(&in, 0, ret_element);
    skip_space(&in);
    take(&in, ',');
    *position = (size_t)(in.at - start);
    return true;
}

bool lam_parameter_number(const lam_parameter *value, int64_t least, int64_t most,
                          int64_t *ret_number) {
    enum { DIGITS_MAX = 18 };
    if (value->kind != LAM_PARAMETER_NUMBER || value->text.size > DIGITS_MAX)
        return false;
    bool negative = value->text.data[0] == '-';
    int64_t number = 0;
    for (size_t i = negative; i < value->text.size; i++) {
        if (!is_digit(value->text.data[i]))
            return false;
        number = number * 10 + (value->text.data[i] - '0');
    }
    number = negative ? -number : number;
    if (number < least || number > most)
        return false;
    *ret_number = number;
    return true;
}

static size_t put_utf8(uint8_t *out, uint32_t character) {
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

/* No escape is shorter than what it stands for. */
lam_status lam_parameter_text(const lam_parameter *string, lam_arena *arena, lam_bytes *ret_text,
                              lam_error *error) {
    uint8_t *bytes;
    uint32_t character;
    bool is_byte;
    size_t size = 0;
    cursor in = inside(string);
    LAM_TRY(lam_arena_bytes(arena, string->text.size, &bytes, error));
    while (take_character(&in, &character, &is_byte)) {
        if (is_byte)
            bytes[size++] = (uint8_t)character;
        else
            size += put_utf8(bytes + size, character);
    }
    bytes[size] = '\0';
    ret_text->data = bytes;
    ret_text->size = size;
    return LAM_STATUS_OK;
}

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
