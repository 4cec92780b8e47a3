/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads patterns of texts and matches texts with them: takes bytes, which may be anything, and
 * gives a yes or no for each text. Matching takes no memory.
 *
 *     pattern a_c%x%yz        first piece at the start, last piece at the end, the others in
 *                             between, each at the first place where it fits
 *
 * The first place is always good enough: a piece that fits after a later place of another fits
 * after its first place, too. So the time is that of one search for each piece, never exponential.
 * A text is cut into the same characters from both of its ends, as each begins at a byte that does
 * not continue another.
 */
#include "scan/condition/filter_pattern.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "text/lower_case.h"

/* Above all characters; with it, bytes that are not UTF-8 are equal to themselves only. */
static const uint32_t PATTERN_NO_CHARACTER = 0x110000;

/* --- Characters ---------------------------------------------------------------------------- */

static bool pattern_continues(uint8_t byte) {
    return (byte & 0xC0) == 0x80;
}

/* Gives the end of the character that begins at `at`, which is before `end`. */
static const uint8_t *pattern_behind(const uint8_t *at, const uint8_t *end) {
    at++;
    while (at < end && pattern_continues(*at))
        at++;
    return at;
}

/* Gives the beginning of the character that ends at `at`, which is after `begin`. */
static const uint8_t *pattern_before(const uint8_t *at, const uint8_t *begin) {
    at--;
    while (at > begin && pattern_continues(*at))
        at--;
    return at;
}

/* Gives the small letter of a character (RFC 3629, section 3). */
static uint32_t pattern_lower(const uint8_t *bytes, size_t size) {
    static const uint8_t first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    if (size == 1 && bytes[0] < 0x80)
        return lam_lower_case(bytes[0]);
    if (size > 4 || lam_utf8_prefix(bytes, size) != size)
        return PATTERN_NO_CHARACTER;
    uint32_t character = bytes[0] & first_bits[size];
    for (size_t i = 1; i < size; i++)
        character = character << 6 | (bytes[i] & 0x3F);
    return lam_lower_case(character);
}

/* Whether a character of a text is the pattern's. */
static bool pattern_item_fits(const lam_pattern_item *item, const uint8_t *begin,
                              const uint8_t *end, bool ignores_case) {
    size_t size = (size_t)(end - begin);
    if (item->bytes.data == NULL)
        return true;
    if (ignores_case && item->lower != PATTERN_NO_CHARACTER)
        return pattern_lower(begin, size) == item->lower;
    return size == item->bytes.size && memcmp(begin, item->bytes.data, size) == 0;
}

/* --- Reading ------------------------------------------------------------------------------- */

/* A pattern on its way; items and pieces are arrays with room for one for each byte. */
typedef struct pattern_reader {
    const uint8_t *at;
    const uint8_t *end;
    lam_bytes escape;
    lam_pattern_item *items;
    size_t item_count;
    lam_pattern_piece *pieces;
    size_t piece_count;
    uint8_t *text; /* the characters of all pieces, without escapes */
    size_t text_size;
} pattern_reader;

/*
 * Ends a piece, whose items and characters began at the given counts. It has a text if each of its
 * items has bytes.
 */
static void pattern_end_piece(pattern_reader *reader, size_t first_item, size_t first_byte) {
    lam_pattern_piece *piece = &reader->pieces[reader->piece_count++];
    piece->items = reader->items + first_item;
    piece->count = reader->item_count - first_item;
    piece->text.data = reader->text + first_byte;
    piece->text.size = reader->text_size - first_byte;
    for (size_t i = 0; i < piece->count; i++)
        if (piece->items[i].bytes.data == NULL)
            piece->text = (lam_bytes){NULL, 0};
}

/* Adds a character that means itself. */
static void pattern_add_character(pattern_reader *reader, const uint8_t *begin,
                                  const uint8_t *end) {
    lam_pattern_item *item = &reader->items[reader->item_count++];
    item->bytes.data = reader->text + reader->text_size;
    item->bytes.size = (size_t)(end - begin);
    item->lower = pattern_lower(begin, item->bytes.size);
    memcpy(reader->text + reader->text_size, begin, item->bytes.size);
    reader->text_size += item->bytes.size;
}

static bool pattern_at_escape(const pattern_reader *reader, const uint8_t *behind) {
    return reader->escape.size > 0 && reader->escape.size == (size_t)(behind - reader->at) &&
           memcmp(reader->at, reader->escape.data, reader->escape.size) == 0;
}

static lam_status pattern_read_pieces(pattern_reader *reader, lam_error *error) {
    size_t first_item = 0, first_byte = 0;
    while (reader->at < reader->end) {
        const uint8_t *behind = pattern_behind(reader->at, reader->end);
        bool is_escaped = pattern_at_escape(reader, behind);
        if (is_escaped) {
            reader->at = behind;
            if (reader->at == reader->end)
                LAM_FAIL(error, LAM_ERROR_CODE_FILTER_SYNTAX,
                         "the pattern ends with its escape character");
            behind = pattern_behind(reader->at, reader->end);
        }
        bool is_single = behind - reader->at == 1;
        if (!is_escaped && is_single && *reader->at == '%') {
            pattern_end_piece(reader, first_item, first_byte);
            first_item = reader->item_count;
            first_byte = reader->text_size;
        } else if (!is_escaped && is_single && *reader->at == '_') {
            reader->items[reader->item_count++] = (lam_pattern_item){{NULL, 0}, 0};
        } else {
            pattern_add_character(reader, reader->at, behind);
        }
        reader->at = behind;
    }
    pattern_end_piece(reader, first_item, first_byte);
    return LAM_STATUS_OK;
}

/* Finds the prefix that metadata can use: the characters before the first _ or %. */
static void pattern_find_prefix(lam_filter_pattern *pattern) {
    const lam_pattern_piece *first = &pattern->pieces[0];
    size_t size = 0, i = 0;
    pattern->prefix = (lam_bytes){(const uint8_t *)"", 0};
    for (; i < first->count && first->items[i].bytes.data != NULL; i++)
        size += first->items[i].bytes.size;
    bool is_text = i == first->count;
    bool is_open = pattern->piece_count > 1;
    for (size_t piece = 1; piece < pattern->piece_count; piece++)
        is_text = is_text && pattern->pieces[piece].count == 0;
    pattern->is_prefix = is_text && is_open && (!pattern->ignores_case || size == 0);
    pattern->is_whole = is_text && !is_open && (!pattern->ignores_case || size == 0);
    if (size > 0 && !pattern->ignores_case)
        pattern->prefix = (lam_bytes){first->items[0].bytes.data, size};
}

lam_status lam_pattern_read(lam_bytes text, lam_bytes escape, bool ignores_case, lam_arena *arena,
                            lam_filter_pattern *ret_pattern, lam_error *error) {
    static const uint8_t nothing[1];
    pattern_reader reader = {.escape = escape};
    lam_filter_pattern pattern = {.ignores_case = ignores_case};
    reader.at = text.size > 0 ? text.data : nothing;
    reader.end = reader.at + text.size;
    if (escape.size > 0 &&
        pattern_behind(escape.data, escape.data + escape.size) != escape.data + escape.size)
        LAM_FAIL(error, LAM_ERROR_CODE_FILTER_SYNTAX, "an escape is one character, or none");
    LAM_TRY(LAM_ARENA_ARRAY(arena, text.size + 1, &reader.items, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, text.size + 1, &reader.pieces, error));
    LAM_TRY(lam_arena_bytes(arena, text.size + 1, &reader.text, error));
    LAM_TRY(pattern_read_pieces(&reader, error));
    pattern.pieces = reader.pieces;
    pattern.piece_count = reader.piece_count;
    pattern_find_prefix(&pattern);
    *ret_pattern = pattern;
    return LAM_STATUS_OK;
}

lam_status lam_pattern_of_prefix(lam_bytes prefix, lam_arena *arena,
                                 lam_filter_pattern *ret_pattern, lam_error *error) {
    lam_filter_pattern pattern = {.piece_count = 2, .is_prefix = true};
    lam_pattern_piece *pieces;
    char *copy;
    LAM_TRY(LAM_ARENA_ARRAY(arena, 2, &pieces, error));
    LAM_TRY(lam_arena_copy(arena, prefix.data, prefix.size, &copy, error));
    pieces[0].text = (lam_bytes){(const uint8_t *)copy, prefix.size};
    pattern.pieces = pieces;
    pattern.prefix = pieces[0].text;
    *ret_pattern = pattern;
    return LAM_STATUS_OK;
}

/* --- Matching ------------------------------------------------------------------------------ */

/* The piece at a start: gives its end in the text, NULL when it is not there. */
static const uint8_t *pattern_piece_from(const lam_pattern_piece *piece, bool ignores_case,
                                         const uint8_t *at, const uint8_t *end) {
    for (size_t i = 0; i < piece->count; i++) {
        if (at == end)
            return NULL;
        const uint8_t *behind = pattern_behind(at, end);
        if (!pattern_item_fits(&piece->items[i], at, behind, ignores_case))
            return NULL;
        at = behind;
    }
    return at;
}

/* The piece at an end: true when it fits, and does not begin before `begin`. */
static bool pattern_piece_to(const lam_pattern_piece *piece, bool ignores_case,
                             const uint8_t *begin, const uint8_t *at) {
    for (size_t i = piece->count; i > 0; i--) {
        if (at == begin)
            return false;
        const uint8_t *before = pattern_before(at, begin);
        if (!pattern_item_fits(&piece->items[i - 1], before, at, ignores_case))
            return false;
        at = before;
    }
    return true;
}

/* The first place of a text; gives its end, NULL when it does not occur. */
static const uint8_t *pattern_find_text(lam_bytes text, const uint8_t *at, const uint8_t *end) {
    while ((size_t)(end - at) >= text.size) {
        const uint8_t *found = memchr(at, text.data[0], (size_t)(end - at) - text.size + 1);
        if (found == NULL)
            return NULL;
        if (memcmp(found, text.data, text.size) == 0)
            return found + text.size;
        at = found + 1;
    }
    return NULL;
}

/*
 * False if no character of the pattern begins with this byte: ASCII has one letter for each of its
 * small ones, which others share.
 */
static bool pattern_may_begin(const lam_pattern_item *item, uint8_t byte) {
    if (item->bytes.data == NULL || byte >= 0x80)
        return true;
    uint32_t lower = byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte;
    return lower == item->lower;
}

/* The first place of a piece; gives its end, NULL when it does not occur. */
static const uint8_t *pattern_find_piece(const lam_pattern_piece *piece, bool ignores_case,
                                         const uint8_t *at, const uint8_t *end) {
    if (piece->count == 0)
        return at;
    if (!ignores_case && piece->text.data != NULL)
        return pattern_find_text(piece->text, at, end);
    for (; at < end; at = pattern_behind(at, end)) {
        if (!pattern_may_begin(&piece->items[0], *at))
            continue;
        const uint8_t *found = pattern_piece_from(piece, ignores_case, at, end);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static bool pattern_begins_with(lam_bytes text, lam_bytes prefix) {
    return text.size >= prefix.size &&
           (prefix.size == 0 || memcmp(text.data, prefix.data, prefix.size) == 0);
}

/* An empty text may have no data: it is compared by its size alone. */
bool lam_pattern_matches(const lam_filter_pattern *pattern, lam_bytes text) {
    static const uint8_t nothing[1];
    const uint8_t *at = text.size > 0 ? text.data : nothing, *end = at + text.size;
    size_t last = pattern->piece_count - 1;
    bool ignores_case = pattern->ignores_case;
    if (pattern->is_prefix)
        return pattern_begins_with(text, pattern->prefix);
    at = pattern_piece_from(&pattern->pieces[0], ignores_case, at, end);
    if (at == NULL || last == 0)
        return at == end;
    for (size_t i = 1; i < last && at != NULL; i++)
        at = pattern_find_piece(&pattern->pieces[i], ignores_case, at, end);
    return at != NULL && pattern_piece_to(&pattern->pieces[last], ignores_case, at, end);
}
