/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks and resolves the escapes of JSON strings, and prints text as such strings (RFC 8259,
 * section 7).
 *
 * Reading: the content of a string, without its quotes, is UTF-8 already, so only escapes are left.
 * They are checked once and resolved later without checks. Writing: the text comes from a file and
 * may hold any bytes. Most strings are ASCII without escapes, and are copied as they are; eight
 * bytes are checked at a time.
 *
 *     "a\u00e9"        61 C3 A9
 *     "\ud83d\ude00"   F0 9F 98 80     U+1F600, by a high and a low surrogate
 *     "\ude00"         INVALID         a low surrogate alone
 */
#include "text/json_string.h"

#include <string.h>

#include "base/ascii.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/utf8.h"
#include "base/wrap.h"

/* Gives the value of four hexadecimal digits; false when one is none. */
static bool json_string_read_unit(const char *digits, uint32_t *ret_unit) {
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t digit = lam_ascii_hex(digits[i]);
        if (digit > 15)
            return false;
        unit = unit << 4 | digit;
    }
    *ret_unit = unit;
    return true;
}

/*
 * Reads the code point of a \u escape, which has `left` bytes from its backslash on, and returns
 * how many bytes it takes: 6, or 12 for a pair of surrogates. 0 when it is not valid.
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

/*
 * The byte after the backslash of a short escape, and, at the same index, the byte that it means.
 * The slash may be escaped in text that is read; it never is in text that is printed.
 */
static const char short_escapes[] = "\"\\/bfnrt";
static const char short_values[] = "\"\\/\b\f\n\r\t";

/* Goes from backslash to backslash: the bytes between them were checked already. */
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
        /* Also for a backslash at the end of the content. */
        if (taken == 0) {
            *ret_bad = i;
            return false;
        }
        i += taken;
    }
    return true;
}

/* Copies the runs between escapes in one go. No escape fails here, as the string was checked. */
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
            length += lam_utf8_put((uint8_t *)text + length, code_point);
        } else {
            const char *escape = memchr(short_escapes, content[i + 1], 8);
            text[length++] = short_values[escape - short_escapes];
            i += 2;
        }
    }
    return length;
}

/*
 * Gives the length of the UTF-8 sequence at `text`, whose first byte is not ASCII (Unicode, table
 * 3-7), or minus the length of the maximal subpart of an incomplete one. The second byte has bounds
 * of its own after four first bytes: E0 and F0 exclude overlong forms, ED surrogates, F4 characters
 * above U+10FFFF.
 *
 *     F0 9F 98 80   4
 *     F0 9F 98 41   -3      three bytes that begin a sequence, one U+FFFD for them
 *     ED A0 80      -1      a surrogate: ED, A0 and 80 each give a U+FFFD
 */
static int sequence(const uint8_t *text, size_t left) {
    uint8_t c = text[0];
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

/*
 * True when one of eight bytes is below 0x20, above 0x7F, a quote or a backslash. Each difference
 * sets the top bit of a byte that is below 0x20, or equal to the quote or backslash. A byte borrows
 * from the one above it only if it is special itself, so the answer is exact.
 */
LAM_WRAPS static bool any_special(uint64_t bytes) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones * 0x80;
    uint64_t quotes = bytes ^ ones * '"', slashes = bytes ^ ones * '\\';
    return (((bytes - ones * 0x20) | (quotes - ones) | (slashes - ones) | bytes) & tops) != 0;
}

/* Printable ASCII that needs no escape; DEL is allowed as it is. */
static bool is_plain(uint8_t c) {
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/*
 * Gives the length of the run of bytes that print as they are, ASCII only. A block of eight with a
 * special byte is counted byte by byte.
 */
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

/*
 * Whether a text prints as it is, ASCII only. Instead of a loop over the last bytes, the last step
 * overlaps the one before: texts of 4 to 7 bytes take two loads, those of 1 to 3 three bytes.
 */
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

/*
 * Writes the escape of a quote, a backslash or a control character: the short one if there is one,
 * else \u00XX.
 */
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

/*
 * Room is reserved once for text of plain bytes, and again before each run, as escapes take more.
 * The failure for bytes that are not UTF-8 leaves an unfinished string in the buffer; callers drop
 * it with the record.
 */
lam_status lam_json_string_print(lam_buffer *buffer, const void *text, size_t size, bool replace,
                                 lam_error *error) {
    /* Both quotes, the longest output for one input byte, an escape of 6, and the room after it. */
    enum { SLACK = 2 + 6 + LAM_JSON_ROOM_BEHIND_STRING };
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
    /* The last run has left room for a longer escape, or for all of them. */
    buffer->data[buffer->size++] = '"';
    return LAM_STATUS_OK;
}
