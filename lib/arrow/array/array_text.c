/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the strings of a range of slots all at once. Strings with offsets are one after the other,
 * so their bytes are checked as one text, and only the borders between them one by one:
 *
 *     offsets  0 3 5      bytes  61 C3 A9 | C3 A9      two strings, of 2 characters and of 1
 *     offsets  0 2 5      bytes  61 C3 | A9 C3 A9      wrong: a border within a character
 *
 * True always means that every slot is UTF-8. False may be due to a null alone, so the caller then
 * checks value by value. String views may point anywhere, and are checked one by one.
 */
#include "arrow/array/array_text.h"

#include "base/bytes.h"
#include "base/utf8.h"

/*
 * Without a branch per byte. Most texts are ASCII, which needs no further check: every byte is a
 * character.
 */
static bool array_is_ascii(const uint8_t *text, size_t size) {
    uint8_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= text[i];
    return bits < 0x80;
}

/*
 * If the text is well-formed, then so is each of its strings, unless one starts within a character,
 * at a byte 10xxxxxx. (RFC 3629, section 3)
 */
bool lam_array_is_text(const lam_array_view *view, int64_t start, int64_t count) {
    int64_t first = lam_array_offset(view, start), end = lam_array_offset(view, start + count);
    const uint8_t *text = view->extent;
    if (array_is_ascii(text + first, (size_t)(end - first)))
        return true;
    if (lam_utf8_prefix(text + first, (size_t)(end - first)) < (size_t)(end - first))
        return false;
    for (int64_t i = start; i < start + count; i++) {
        int64_t at = lam_array_offset(view, i);
        if (at < end && (text[at] & 0xC0) == 0x80)
            return false;
    }
    return true;
}

/*
 * A short value is in the view itself, after its size; a long one in the data buffer that the view
 * names.
 */
lam_bytes lam_array_view_bytes(const lam_array_view *view, int64_t slot) {
    lam_string_view at = lam_array_string_view(view, slot);
    lam_bytes bytes = {NULL, (size_t)at.size};
    if (at.size <= LAM_STRING_VIEW_INLINE)
        bytes.data = view->slots + (view->offset + slot) * (int64_t)sizeof at + sizeof at.size;
    else
        bytes.data = (const uint8_t *)view->data[at.buffer] + at.offset;
    return bytes;
}

/* The same by words, the last of which overlaps; there are eight bytes at least. */
static inline bool array_is_ascii_words(const uint8_t *text, size_t size) {
    uint64_t bits = lam_load_le64(text + size - sizeof bits);
    for (size_t i = 0; i + sizeof bits < size; i += sizeof bits)
        bits |= lam_load_le64(text + i);
    return (bits & UINT64_C(0x8080808080808080)) == 0;
}

/* What follows a short value in its view is zeros; if it is not, the value is checked alone. */
bool lam_array_view_is_text(const lam_array_view *view, int64_t slot) {
    lam_bytes text = lam_array_view_bytes(view, slot);
    size_t words = text.size > LAM_STRING_VIEW_INLINE ? text.size : LAM_STRING_VIEW_INLINE;
    return array_is_ascii_words(text.data, words) ||
           lam_utf8_prefix(text.data, text.size) == text.size;
}
