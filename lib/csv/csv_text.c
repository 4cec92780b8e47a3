/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads delimited text from a source into a window of UTF-8. In: bytes, whose first two or three
 * may be a byte order mark. Out: the same text as UTF-8 without the mark, in a buffer with zeros
 * behind its end, so that blocks of 64 bytes may be read anywhere in it.
 *
 *     EF BB BF   UTF-8          FF FE   UTF-16, low byte first          FE FF   high byte first
 *
 * UTF-8 is not validated here but where strings are made. The invariant: `next` is at most the
 * size, and a record that does not fit makes the window grow, up to the limit of a record.
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

/* Whether more of the first bytes must be read to see whether they are a byte order mark. */
static bool csv_may_be_mark(const uint8_t *bytes, size_t size) {
    return size == 0 || bytes[0] == 0xef || bytes[0] >= 0xfe;
}

/*
 * Reads until `capacity` bytes are there or the source ends, as a pipe gives a few at a time. A
 * live text gets what is there, but for a byte order mark.
 */
static lam_status csv_read_all(lam_csv_text *text, uint8_t *bytes, size_t capacity,
                               size_t *ret_size, lam_error *error) {
    bool is_first = text->encoding == LAM_CSV_ENCODING_UNKNOWN;
    size_t size = 0, got = 1;
    while (size < capacity && got > 0 &&
           !(text->is_live && size > 0 && !(is_first && csv_may_be_mark(bytes, size)))) {
        LAM_TRY(text->source.read(text->source.state, bytes + size, capacity - size, &got, error));
        if (got > capacity - size)
            LAM_FAIL(error, LAM_ERROR_CODE_CALLBACK, "the source gave more bytes than requested");
        size += got;
    }
    text->is_at_end = got == 0;
    *ret_size = size;
    return LAM_STATUS_OK;
}

/* Takes the byte order mark from the first bytes; returns its size. */
static size_t csv_find_encoding(lam_csv_text *text, const uint8_t *bytes, size_t size) {
    text->encoding = LAM_CSV_ENCODING_UTF8;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        return 3;
    if (size >= 2 && memcmp(bytes, "\xff\xfe", 2) == 0)
        text->encoding = LAM_CSV_ENCODING_UTF16_LE;
    else if (size >= 2 && memcmp(bytes, "\xfe\xff", 2) == 0)
        text->encoding = LAM_CSV_ENCODING_UTF16_BE;
    return text->encoding == LAM_CSV_ENCODING_UTF8 ? 0 : 2;
}

static size_t csv_put_character(uint8_t *out, uint32_t character) {
    if (character < 0x80) {
        out[0] = (uint8_t)character;
        return 1;
    }
    if (character < 0x800) {
        out[0] = (uint8_t)(0xc0 | character >> 6);
        out[1] = (uint8_t)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character < 0x10000) {
        out[0] = (uint8_t)(0xe0 | character >> 12);
        out[1] = (uint8_t)(0x80 | (character >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (character & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | character >> 18);
    out[1] = (uint8_t)(0x80 | (character >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (character >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (character & 0x3f));
    return 4;
}

static uint32_t csv_unit(const lam_csv_text *text, const uint8_t *bytes) {
    return text->encoding == LAM_CSV_ENCODING_UTF16_LE ? bytes[0] | (uint32_t)bytes[1] << 8
                                                       : bytes[1] | (uint32_t)bytes[0] << 8;
}

/*
 * Appends UTF-16 as UTF-8, for which there is room: a unit of two bytes takes at most three. Keeps
 * up to three bytes that are no whole character in `rest`. (RFC 2781, section 2.2)
 */
static lam_status csv_append_utf16(lam_csv_text *text, const uint8_t *bytes, size_t size,
                                   lam_error *error) {
    uint8_t *out = text->bytes.data + text->bytes.size;
    size_t i = 0;
    while (size - i >= 2) {
        uint32_t unit = csv_unit(text, bytes + i);
        bool is_high = unit >= 0xd800 && unit < 0xdc00;
        if (is_high && size - i < 4)
            break;
        uint32_t low = is_high ? csv_unit(text, bytes + i + 2) : 0;
        if ((unit >= 0xdc00 && unit < 0xe000) || (is_high && (low < 0xdc00 || low > 0xdfff)))
            LAM_FAIL(error, LAM_STATUS_INVALID, "the text is not UTF-16, as its first bytes state");
        if (is_high)
            unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        out += csv_put_character(out, unit);
        i += is_high ? 4 : 2;
    }
    text->bytes.size = (size_t)(out - text->bytes.data);
    text->rest_size = size - i;
    memcpy(text->rest, bytes + i, text->rest_size);
    if (text->is_at_end && text->rest_size > 0 && !text->is_sample)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the text ends inside a character of UTF-16");
    return LAM_STATUS_OK;
}

/* Appends the next bytes of UTF-16, as many as there is room for in any case. */
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
    size_t mark = csv_find_encoding(text, first, size);
    if (text->encoding != LAM_CSV_ENCODING_UTF8) {
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
    bool is_first = text->encoding == LAM_CSV_ENCODING_UNKNOWN;
    if (is_first)
        LAM_TRY(csv_fill_first(text, text->window_bytes, error));
    size_t room = text->window_bytes - text->bytes.size;
    if (is_first && text->is_live) {
        /* Those few bytes may be a whole record. */
    } else if (text->encoding != LAM_CSV_ENCODING_UTF8) {
        LAM_TRY(csv_fill_utf16(text, room, error));
    } else if (!text->is_at_end) {
        LAM_TRY(csv_read_all(text, text->bytes.data + text->bytes.size, room, &size, error));
        text->bytes.size += size;
    }
    memset(text->bytes.data + text->bytes.size, 0, LAM_CSV_PADDING);
    return LAM_STATUS_OK;
}
