#include "json/json_string.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"

/* The value of four hexadecimal digits; false when they are none. */
static bool json_string_read_unit(const char *digits, uint32_t *ret_unit) {
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        char c = digits[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return false;
        unit = unit << 4 | digit;
    }
    *ret_unit = unit;
    return true;
}

/*
 * Reads the code point of a \u escape, which has `left` bytes from its backslash, and gives how
 * many bytes it takes: 6, or 12 for a pair of surrogates. 0 when it is not valid.
 */
static size_t read_code_point(const char *escape, size_t left, uint32_t *ret_code_point) {
    uint32_t high, low;
    if (left < 6 || !json_string_read_unit(escape + 2, &high))
        return 0;
    if (high < 0xD800 || high > 0xDFFF) {
        *ret_code_point = high;
        return 6;
    }
    if (high > 0xDBFF || left < 12 || escape[6] != '\\' || escape[7] != 'u' ||
        !json_string_read_unit(escape + 8, &low) || low < 0xDC00 || low > 0xDFFF)
        return 0;
    *ret_code_point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    return 12;
}

static size_t json_string_put_utf8(uint32_t c, char *text) {
    if (c < 0x80) {
        text[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        text[0] = (char)(0xC0 | c >> 6);
        text[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        text[0] = (char)(0xE0 | c >> 12);
        text[1] = (char)(0x80 | (c >> 6 & 63));
        text[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    text[0] = (char)(0xF0 | c >> 18);
    text[1] = (char)(0x80 | (c >> 12 & 63));
    text[2] = (char)(0x80 | (c >> 6 & 63));
    text[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* The byte behind the backslash of a short escape, and the byte it stands for. */
static const char short_escapes[] = "\"\\/bfnrt";
static const char short_values[] = "\"\\/\b\f\n\r\t";

bool lam_json_string_check(const char *content, size_t size, size_t *ret_bad) {
    size_t i = 0;
    while (i < size) {
        const char *backslash = memchr(content + i, '\\', size - i);
        if (backslash == NULL)
            return true;
        i = (size_t)(backslash - content);
        uint32_t code_point;
        size_t taken = 0;
        if (size - i >= 2 && content[i + 1] == 'u')
            taken = read_code_point(backslash, size - i, &code_point);
        else if (size - i >= 2 && memchr(short_escapes, content[i + 1], 8) != NULL)
            taken = 2;
        if (taken == 0) {
            *ret_bad = i;
            return false;
        }
        i += taken;
    }
    return true;
}

size_t lam_json_string_unescape(const char *content, size_t size, char *text) {
    size_t i = 0, length = 0;
    while (i < size) {
        const char *backslash = memchr(content + i, '\\', size - i);
        size_t plain = (backslash == NULL ? size : (size_t)(backslash - content)) - i;
        memcpy(text + length, content + i, plain);
        length += plain;
        i += plain;
        if (backslash == NULL)
            break;
        if (content[i + 1] == 'u') {
            uint32_t code_point = 0;
            i += read_code_point(backslash, size - i, &code_point);
            length += json_string_put_utf8(code_point, text + length);
        } else {
            const char *escape = memchr(short_escapes, content[i + 1], 8);
            text[length++] = short_values[escape - short_escapes];
            i += 2;
        }
    }
    return length;
}

/*
 * The length of the UTF-8 sequence at `text` (Unicode, table 3-7), or minus the length of the
 * maximal subpart of one that is not whole.
 */
static int sequence(const uint8_t *text, size_t left) {
    uint8_t c = text[0];
    if (c < 0x80)
        return 1;
    if (c < 0xC2 || c > 0xF4)
        return -1;
    uint8_t low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    uint8_t high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    int length = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    for (int i = 1; i < length; i++) {
        if ((size_t)i >= left || text[i] < low || text[i] > high)
            return -i;
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

/* True when one of eight bytes is below 0x20, above 0x7F, a quote or a backslash. */
static bool any_special(uint64_t bytes) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    uint64_t quotes = bytes ^ ones * '"', slashes = bytes ^ ones * '\\';
    return (((bytes - ones * 0x20) | (quotes - ones) | (slashes - ones) | bytes) & tops) != 0;
}

static bool is_plain(uint8_t c) {
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* The length of the run of bytes that print as they are, ASCII only. */
static size_t plain_run(const uint8_t *text, size_t size) {
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t bytes;
        memcpy(&bytes, text + i, 8);
        if (any_special(bytes))
            break;
    }
    while (i < size && is_plain(text[i]))
        i++;
    return i;
}

/* Whether all of a text prints as it is, ASCII only. The last step may look at bytes again. */
static bool is_plain_text(const uint8_t *text, size_t size) {
    uint64_t bytes;
    uint32_t head, tail;
    if (size >= 8) {
        for (size_t i = 0; i + 8 <= size; i += 8) {
            memcpy(&bytes, text + i, 8);
            if (any_special(bytes))
                return false;
        }
        memcpy(&bytes, text + size - 8, 8);
        return !any_special(bytes);
    }
    if (size >= 4) {
        memcpy(&head, text, 4);
        memcpy(&tail, text + size - 4, 4);
        return !any_special((uint64_t)head << 32 | tail);
    }
    return size == 0 || (is_plain(text[0]) && is_plain(text[size / 2]) && is_plain(text[size - 1]));
}

/* Writes the escape of a quote, a backslash or a control character. */
static size_t put_escape(uint8_t c, uint8_t *out) {
    static const char hex[] = "0123456789abcdef";
    const char *value = memchr(short_values, c, 8);
    out[0] = '\\';
    if (value != NULL) {
        out[1] = (uint8_t)short_escapes[value - short_values];
        return 2;
    }
    memcpy(out + 1, "u00", 3);
    out[4] = (uint8_t)hex[c >> 4];
    out[5] = (uint8_t)hex[c & 15];
    return 6;
}

lam_status lam_json_string_print(lam_buffer *buffer, const void *text, size_t size, bool replace,
                                 lam_error *error) {
    enum { SLACK = 16 }; /* both quotes and the longest thing that is not a plain byte */
    const uint8_t *bytes = text;
    size_t needed, i = 0;
    if (!lam_add_size(size, SLACK, &needed))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a string of %zu bytes", size);
    LAM_TRY(lam_buffer_reserve(buffer, needed, error));
    uint8_t *first = buffer->data + buffer->size;
    first[0] = '"';
    if (is_plain_text(bytes, size)) { /* as most are */
        if (size > 0)
            memcpy(first + 1, bytes, size);
        first[size + 1] = '"';
        buffer->size += size + 2;
        return LAM_STATUS_OK;
    }
    buffer->size++;
    while (i < size) {
        size_t run = plain_run(bytes + i, size - i);
        LAM_TRY(lam_buffer_reserve(buffer, run + SLACK, error));
        memcpy(buffer->data + buffer->size, bytes + i, run);
        buffer->size += run;
        i += run;
        if (i == size)
            break;
        uint8_t *out = buffer->data + buffer->size;
        if (bytes[i] < 0x80) {
            buffer->size += put_escape(bytes[i++], out);
            continue;
        }
        int length = sequence(bytes + i, size - i);
        if (length < 0 && !replace)
            LAM_FAIL(error, LAM_ERROR_CODE_JSON_SYNTAX, "byte %zu of the text is not UTF-8", i);
        if (length < 0)
            memcpy(out, "\xEF\xBF\xBD", 3);
        else
            memcpy(out, bytes + i, (size_t)length);
        buffer->size += length < 0 ? 3 : (size_t)length;
        i += (size_t)(length < 0 ? -length : length);
    }
    LAM_TRY(lam_buffer_reserve(buffer, 1, error));
    buffer->data[buffer->size++] = '"';
    return LAM_STATUS_OK;
}
