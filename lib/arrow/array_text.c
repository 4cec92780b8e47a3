#include "arrow/array_text.h"

#include "base/utf8.h"

static bool array_is_ascii(const uint8_t *text, size_t size) {
    uint8_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= text[i];
    return bits < 0x80;
}

/* Text that is well-formed from end to end is so in each part, when no part begins within a
 * character: parts of ASCII need no closer look. */
bool lam_array_is_text(const lam_array_view *view, int64_t start, int64_t count) {
    int64_t first = lam_array_offset(view, start), end = lam_array_offset(view, start + count);
    const uint8_t *text = view->extent;
    if (first == end || array_is_ascii(text + first, (size_t)(end - first)))
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

lam_bytes lam_array_view_bytes(const lam_array_view *view, int64_t slot) {
    lam_string_view at = lam_array_string_view(view, slot);
    lam_bytes bytes = {NULL, (size_t)at.size};
    if (at.size <= LAM_STRING_VIEW_INLINE)
        bytes.data = view->slots + (view->offset + slot) * (int64_t)sizeof at + sizeof at.size;
    else
        bytes.data = (const uint8_t *)view->data[at.buffer] + at.offset;
    return bytes;
}

bool lam_array_view_is_text(const lam_array_view *view, int64_t slot) {
    lam_bytes text = lam_array_view_bytes(view, slot);
    return lam_utf8_prefix(text.data, text.size) == text.size;
}
