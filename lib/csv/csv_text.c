/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads delimited text from a source into a window of UTF-8. The first two or three bytes may be a
 * byte order mark; the window has the same text as UTF-8 without the mark, in a buffer with zeros
 * after its end, so that blocks of 64 bytes may be read anywhere in it.
 *
 *     EF BB BF   UTF-8          FF FE   UTF-16, low byte first          FE FF   high byte first
 *
 * UTF-8 is validated only where strings are made. The invariant: `next` is at most the size. A
 * record that does not fit makes the window grow, up to the limit of a record.
 */
#include "csv/csv_text.h"

#include "base/error.h"

enum { CSV_WINDOW_BYTES = 256 << 10 };

void lam_csv_text_init(lam_csv_text *text, const lam_csv_source *source, size_t max_bytes,
                       const lam_allocator *allocator) {
    memset(text, 0, sizeof *text);
    text->source = *source;
    text->max_bytes = max_bytes;
    text->window_bytes = CSV_WINDOW_BYTES;
    lam_buffer_init(&text->bytes, allocator);
}

void lam_csv_text_finish(lam_csv_text *text) {
    lam_buffer_finish(&text->bytes);
}

/* Whether more must be read after the first byte to see whether it begins a byte order mark. */
static bool csv_may_be_mark(const uint8_t *bytes) {
    return bytes[0] == 0xef || bytes[0] >= 0xfe;
}

/*
 * Reads until there are `capacity` bytes or the source ends, as a pipe gives a few at a time. A
 * live text gets what there is, except for a byte order mark.
 */
static lam_status csv_read_all(lam_csv_text *text, uint8_t *bytes, size_t capacity,
                               size_t *ret_size, lam_error *error) {
    bool is_first = text->encoding == LAM_TEXT_UNKNOWN;
    size_t size = 0, got = 1;
    while (size < capacity && got > 0 &&
           !(text->is_live && size > 0 && !(is_first && csv_may_be_mark(bytes)))) {
        LAM_TRY(text->source.read(text->source.state, bytes + size, capacity - size, &got, error));
        if (got > capacity - size)
            LAM_FAIL(error, LAM_ERROR_CODE_CALLBACK, "the source gave more bytes than requested");
        size += got;
    }
    text->is_at_end = got == 0;
    *ret_size = size;
    return LAM_STATUS_OK;
}

/*
 * Appends UTF-16 as UTF-8, for which there is room: a unit of two bytes takes at most three. Keeps
 * up to three bytes of an incomplete character in `rest`.
 */
static lam_status csv_append_utf16(lam_csv_text *text, const uint8_t *bytes, size_t size,
                                   lam_error *error) {
    size_t used;
    lam_utf16_end end;
    text->bytes.size += lam_utf16_to_utf8(text->encoding, bytes, size,
                                          text->bytes.data + text->bytes.size, &used, &end);
    if (end == LAM_UTF16_LONE)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the text is not UTF-16, as its first bytes state");
    text->rest_size = size - used;
    memcpy(text->rest, bytes + used, text->rest_size);
    if (text->is_at_end && text->rest_size > 0 && !text->is_sample)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the text ends inside a character of UTF-16");
    return LAM_STATUS_OK;
}

/* Appends the next bytes of UTF-16, as many as certainly have room. */
static lam_status csv_fill_utf16(lam_csv_text *text, size_t room, lam_error *error) {
    uint8_t block[8192];
    size_t size;
    while (room >= 2 * sizeof block && !text->is_at_end) {
        memcpy(block, text->rest, text->rest_size);
        LAM_TRY(csv_read_all(text, block + text->rest_size, sizeof block - text->rest_size, &size,
                             error));
        size_t before = text->bytes.size;
        LAM_TRY(csv_append_utf16(text, block, size + text->rest_size, error));
        room -= text->bytes.size - before;
        if (text->is_live)
            break;
    }
    return LAM_STATUS_OK;
}

/* The first bytes show the encoding; those of UTF-16 are converted. */
static lam_status csv_fill_first(lam_csv_text *text, size_t room, lam_error *error) {
    uint8_t first[3];
    size_t size;
    LAM_TRY(csv_read_all(text, first, sizeof first, &size, error));
    size_t mark;
    text->encoding = lam_text_encoding_of(first, size, &mark);
    if (text->encoding != LAM_TEXT_UTF8) {
        text->rest_size = size - mark;
        memcpy(text->rest, first + mark, text->rest_size);
        if (text->is_at_end)
            return csv_append_utf16(text, first + mark, text->rest_size, error);
        return csv_fill_utf16(text, room, error);
    }
    memcpy(text->bytes.data, first + mark, size - mark);
    text->bytes.size = size - mark;
    return LAM_STATUS_OK;
}

lam_status lam_csv_text_fill(lam_csv_text *text, lam_error *error) {
    size_t kept = text->bytes.size - text->next, size = 0;
    if (kept > 0 && text->next > 0)
        memmove(text->bytes.data, text->bytes.data + text->next, kept);
    text->bytes.size = kept;
    text->next = 0;
    if (kept > text->max_bytes)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_LIMIT, "a record has more than %zu bytes",
                 text->max_bytes);
    while (text->window_bytes / 2 < kept)
        text->window_bytes *= 2;
    LAM_TRY(lam_buffer_reserve(&text->bytes, text->window_bytes - kept + LAM_CSV_PADDING, error));
    bool is_first = text->encoding == LAM_TEXT_UNKNOWN;
    if (is_first)
        LAM_TRY(csv_fill_first(text, text->window_bytes, error));
    size_t room = text->window_bytes - text->bytes.size;
    if (is_first && text->is_live) {
        /* Those few bytes may be a complete record. */
    } else if (text->encoding != LAM_TEXT_UTF8) {
        LAM_TRY(csv_fill_utf16(text, room, error));
    } else if (!text->is_at_end) {
        LAM_TRY(csv_read_all(text, text->bytes.data + text->bytes.size, room, &size, error));
        text->bytes.size += size;
    }
    memset(text->bytes.data + text->bytes.size, 0, LAM_CSV_PADDING);
    return LAM_STATUS_OK;
}
