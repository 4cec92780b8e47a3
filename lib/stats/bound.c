/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortens minimum and maximum: turns a value into a bound of limited size. A prefix of a value
 * comes before the value. A prefix whose last character is raised by one comes after all values
 * that start with the prefix:
 *
 *     value          Blart Versenwald III
 *     lower, 5       Blart
 *     upper, 5       Blaru
 *
 * UTF-8 orders characters by their numbers, so the same holds for characters of several bytes. The
 * next character may take a byte more: U+0080 follows U+007F. The invariant: lower <= value <=
 * upper in the order of the column, and bounds of UTF-8 are UTF-8.
 */
#include "stats/bound.h"

#include "base/error.h"
#include "base/utf8.h"

lam_bound_kind lam_bound_kind_of(const lam_field *leaf, const lam_value_order *order) {
    if (!order->is_varied || order->comparison != LAM_COMPARISON_BYTES)
        return LAM_BOUND_WHOLE;
    switch (lam_field_logical_type(leaf)->kind) {
    case LAM_LOGICAL_NONE:
        return LAM_BOUND_BYTES;
    case LAM_LOGICAL_STRING:
        return LAM_BOUND_TEXT;
    default:
        return LAM_BOUND_WHOLE; /* half a document, or a cut ENUM, is not a value */
    }
}

/* Gives the longest prefix of at most `limit` bytes that does not split a character. */
static size_t bound_prefix_of(lam_bound_kind kind, lam_bytes value, size_t limit) {
    size_t size = limit;
    if (kind == LAM_BOUND_TEXT)
        size = lam_utf8_prefix(value.data, limit);
    return size;
}

size_t lam_bound_lower(lam_bound_kind kind, lam_bytes value, size_t limit) {
    if (kind == LAM_BOUND_WHOLE || value.size <= limit)
        return value.size;
    return bound_prefix_of(kind, value, limit);
}

/* True for the second and later bytes of a character. */
static bool bound_continues(uint8_t byte) {
    return (byte & 0xC0) == 0x80;
}

/*
 * Gives the number of a well-formed character. The first byte keeps 7 - size bits of it: 5 of two
 * bytes, 4 of three, 3 of four; each later byte has 6.
 */
static uint32_t bound_decode(const uint8_t *bytes, size_t size) {
    if (size == 1)
        return bytes[0];
    uint32_t code = bytes[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++)
        code = code << 6 | (bytes[i] & 0x3Fu);
    return code;
}

enum { BOUND_LONGEST = 4 }; /* bytes of a character */

/*
 * Writes a character in UTF-8; gives its size. 0xF00 shifted by the size leaves the mark of the
 * first byte: C0, E0, F0 in its lower eight bits.
 */
static size_t bound_encode(uint32_t code, uint8_t bytes[BOUND_LONGEST]) {
    if (code < 0x80) {
        bytes[0] = (uint8_t)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        bytes[i] = (uint8_t)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    bytes[0] = (uint8_t)(0xF00u >> size | code);
    return size;
}

/* Gives the character that follows another; 0 after the last. Surrogates are not characters. */
static uint32_t next_character(uint32_t code) {
    if (code == 0x10FFFF)
        return 0;
    return code == 0xD7FF ? 0xE000 : code + 1; /* skips the surrogates */
}

/*
 * Appends the text up to its last character that has a successor, raised to that; `*ret_raised` is
 * false when it has none. The text is well-formed: bound_prefix_of ended it before any error.
 */
static lam_status raise_text(lam_bytes text, lam_buffer *out, bool *ret_raised, lam_error *error) {
    size_t size = text.size;
    *ret_raised = false;
    while (size > 0) {
        size_t start = size - 1;
        while (start > 0 && bound_continues(text.data[start]))
            start--;
        uint32_t next = next_character(bound_decode(text.data + start, size - start));
        if (next != 0) {
            *ret_raised = true;
            LAM_TRY(lam_buffer_reserve(out, start + BOUND_LONGEST, error));
            memcpy(out->data + out->size, text.data, start);
            out->size += start;
            out->size += bound_encode(next, out->data + out->size);
            return LAM_STATUS_OK;
        }
        size = start;
    }
    return LAM_STATUS_OK;
}

/* The same for bytes: drops FF at the end, which has no successor, and raises the byte before. */
static lam_status raise_bytes(lam_bytes bytes, lam_buffer *out, bool *ret_raised,
                              lam_error *error) {
    size_t size = bytes.size;
    while (size > 0 && bytes.data[size - 1] == 0xFF)
        size--;
    *ret_raised = size > 0;
    if (size == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_buffer_append(out, bytes.data, size, error));
    out->data[out->size - 1]++;
    return LAM_STATUS_OK;
}

/* A text that is not UTF-8 from its first byte on has an empty prefix, and is not cut. */
lam_status lam_bound_upper(lam_bound_kind kind, lam_bytes value, size_t limit, lam_buffer *out,
                           lam_error *error) {
    bool raised = false;
    if (kind != LAM_BOUND_WHOLE && value.size > limit) {
        lam_bytes prefix = {value.data, bound_prefix_of(kind, value, limit)};
        if (kind == LAM_BOUND_TEXT)
            LAM_TRY(raise_text(prefix, out, &raised, error));
        else
            LAM_TRY(raise_bytes(prefix, out, &raised, error));
    }
    return raised ? LAM_STATUS_OK : lam_buffer_append(out, value.data, value.size, error);
}
