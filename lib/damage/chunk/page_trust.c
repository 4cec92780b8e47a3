/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says how far a possible page can be trusted: takes an offset of a chunk, and gives the statements
 * of the header there, and whether the body is the one that it describes.
 *
 *     | header        | body                    | next header
 *       sizes, counts   checksum, or decodes      begins where the body ends
 *
 * The invariant: a page is sound only if its body matches the checksum of the header and decodes to
 * its end; if pages of a chunk have checksums, one without has lost it. A header that swallows
 * another one is not a header. (parquet.thrift, PageHeader)
 */
#include "damage/chunk/page_trust.h"

#include <lamella/format.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/crc32.h"
#include "base/error.h"
#include "base/search.h"
#include "base/thread/stop.h"
#include "encoding/value_layout.h"
#include "meta/compact.h"
#include "meta/page_header.h"

enum {
    TRUST_READ_AHEAD = 64 << 10,
    TRUST_HEADER_TRY = 4 << 10,    /* bytes; most headers are under 100 */
    TRUST_HEADER_LIMIT = 16 << 20, /* as in page_walk.c */
    TRUST_LONG_RUN = 64,
    TRUST_LEAST_PAGE = 8 /* bytes of the shortest header */
};

void lam_page_finder_init(lam_page_finder *finder, const lam_column_chunk *chunk,
                          lam_column_cursor *cursor, lam_patched_input *patched,
                          lam_survey_hints hints, lam_chunk_range range,
                          const lam_allocator *allocator) {
    memset(finder, 0, sizeof *finder);
    finder->chunk = chunk;
    finder->cursor = cursor;
    finder->hints = hints;
    finder->needs_crc = hints.has_crcs;
    finder->begin = range.offset;
    finder->end = range.offset + range.size;
    lam_window_init(&finder->window, chunk->input, finder->end, TRUST_READ_AHEAD, allocator);
    lam_header_repair_init(&finder->repair, patched, range.size, allocator);
}

void lam_page_finder_finish(lam_page_finder *finder) {
    lam_window_finish(&finder->window);
    lam_header_repair_finish(&finder->repair);
}

const lam_meta_page_location *lam_page_finder_location(const lam_page_finder *finder,
                                                       uint64_t offset) {
    const lam_meta_page_location *locations = finder->hints.locations;
    size_t at, count = finder->hints.count;
    LAM_BISECT(at, 0, count, (uint64_t)locations[at].offset < offset);
    return at < count && (uint64_t)locations[at].offset == offset ? &locations[at] : NULL;
}

/* --- Headers ------------------------------------------------------------------------------- */

/* True for a failure of the bytes, or of their statements; others are passed on. */
static bool is_damage(lam_status status) {
    return status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
           status == LAM_STATUS_LIMIT;
}

/* True when the chunk lists an encoding. The two names of dictionary indexes are one. */
static bool has_encoding(const lam_meta_column *column, int32_t encoding) {
    if (column->encodings.count == 0)
        return true;
    for (uint32_t i = 0; i < column->encodings.count; i++) {
        int32_t listed = column->encodings.items[i];
        if (listed == LAM_ENCODING_PLAIN_DICTIONARY)
            listed = LAM_ENCODING_RLE_DICTIONARY;
        if (listed ==
            (encoding == LAM_ENCODING_PLAIN_DICTIONARY ? LAM_ENCODING_RLE_DICTIONARY : encoding))
            return true;
    }
    return false;
}

bool lam_page_describe(const lam_page_finder *finder, const lam_meta_page_header *header,
                       lam_found_page *page) {
    const lam_meta_column *column = finder->chunk->column;
    page->type = header->type;
    page->triples = -1;
    page->rows = -1;
    page->encoding = -1;
    page->has_crc = (header->has & LAM_META_PAGE_HEADER_HAS_CRC) != 0;
    if (header->compressed_page_size < 0 || header->uncompressed_page_size < 0 ||
        !lam_range_fits(page->body, (uint64_t)header->compressed_page_size, finder->end))
        return false;
    page->end = page->body + (uint64_t)header->compressed_page_size;
    if (header->type == LAM_PAGE_DICTIONARY)
        return page->offset == finder->begin && lam_page_header_count(header) >= 0;
    page->triples = lam_page_header_count(header);
    page->encoding = lam_page_header_encoding(header);
    if (header->type == LAM_PAGE_DATA_V2)
        page->rows = header->data_page_header_v2->num_rows;
    return page->triples >= 0 && page->triples <= column->num_values &&
           has_encoding(column, page->encoding);
}

/* Parses a header from bytes at the page's offset; false when there is none. */
static bool parse_found(lam_page_finder *finder, lam_bytes bytes, lam_found_page *page,
                        lam_meta_page_header *ret_header, size_t *ret_size) {
    if (!lam_header_repair_parse(&finder->repair, bytes, ret_header, ret_size))
        return false;
    page->body = page->offset + *ret_size;
    return lam_page_describe(finder, ret_header, page);
}

/* Reads the header at the page's offset, from ever more bytes until it is complete. */
lam_status lam_page_read_header(lam_page_finder *finder, lam_found_page *page,
                                lam_meta_page_header *ret_header, bool *ret_is_header,
                                lam_error *error) {
    uint64_t left = finder->end - page->offset;
    for (size_t wanted = TRUST_HEADER_TRY;; wanted *= 2) {
        size_t header_size, size = wanted < left ? wanted : (size_t)left;
        lam_bytes bytes = {NULL, size};
        LAM_TRY(lam_window_lend(&finder->window, page->offset, size, &bytes.data, error));
        size_t measured = 0;
        *ret_is_header = parse_found(finder, bytes, page, ret_header, &header_size);
        bool is_cut = header_size == 0 &&
                      lam_meta_measure(bytes, &measured, NULL) == LAM_STATUS_OK && measured == 0;
        if (*ret_is_header || !is_cut || size == left || size >= TRUST_HEADER_LIMIT)
            return LAM_STATUS_OK;
    }
}

/* --- Bodies -------------------------------------------------------------------------------- */

/* Adds the levels of a batch to a sum; those that were not decoded are all the same. */
static uint32_t sum_levels(uint32_t sum, const lam_batch *batch, const lam_batch_room *room) {
    const uint8_t is_decoded[2] = {batch->has_repetition, batch->has_definition};
    sum = lam_crc32(sum, is_decoded, sizeof is_decoded);
    if (batch->has_repetition)
        sum = lam_crc32(sum, room->repetition, batch->count);
    return batch->has_definition ? lam_crc32(sum, room->definition, batch->count) : sum;
}

/* Decodes all levels and values of the open page, and counts its records and its values. */
static lam_status decode_all(lam_column_cursor *cursor, lam_found_page *page, lam_error *error) {
    lam_page_decoder *decoder = &cursor->page;
    const lam_batch_bounds bounds = {cursor->room.triples, UINT64_MAX, TRUST_LONG_RUN, false};
    lam_value_target to = {0};
    bool is_first = true, has_values = true;
    lam_status status = LAM_STATUS_OK;
    const uint64_t value_bytes = decoder->page.values.size;
    page->rows = 0;
    page->content = lam_crc32(0, &value_bytes, sizeof value_bytes);
    page->values = 0;
    while (decoder->triples < decoder->page.value_count) {
        lam_batch batch;
        LAM_TRY(lam_page_decoder_read_levels(decoder, &bounds, cursor->room.repetition,
                                             cursor->room.definition, &batch, error));
        if (is_first)
            page->continues = batch.has_repetition && cursor->room.repetition[0] != 0;
        is_first = false;
        page->rows += (int64_t)batch.row_count;
        page->content = sum_levels(page->content, &batch, &cursor->room);
        page->values += (int64_t)batch.value_count;
        if (batch.value_count > 0 && has_values) {
            LAM_TRY(lam_batch_room_need_values(&cursor->room, error));
            to.values = cursor->room.values;
            status = lam_page_decoder_read(decoder, batch.value_count, &to, error);
            if (status != LAM_STATUS_OK && !is_damage(status))
                return status;
            has_values = status == LAM_STATUS_OK;
        }
        if (!has_values)
            decoder->batch_values = 0;
    }
    if (!has_values)
        return status;
    page->is_padded = lam_page_decoder_levels_have_rest(decoder);
    LAM_TRY(lam_page_decoder_find_rest(decoder, &page->is_odd, error));
    return lam_page_decoder_end(decoder, error);
}

/*
 * True when a header of version 2 states levels that its column does not have, or other nulls than
 * there are. In nested columns, writers differ in what they count as a null; some never count any.
 */
static bool states_other_levels(const lam_field *leaf, const lam_meta_page_header *header,
                                int64_t values) {
    const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
    return header->type == LAM_PAGE_DATA_V2 && leaf->max_repetition == 0 &&
           (v2->repetition_levels_byte_length != 0 ||
            (leaf->max_definition == 0 && v2->definition_levels_byte_length != 0) ||
            (v2->num_nulls != 0 && values + v2->num_nulls != v2->num_values));
}

/* Opens and decodes a data page whose header was read last. */
static lam_status decode_page(lam_page_finder *finder, const lam_meta_page_header *header,
                              lam_found_page *page, lam_error *error) {
    lam_column_cursor *cursor = finder->cursor;
    lam_page open;
    lam_bytes body = {NULL, (size_t)(page->end - page->body)};
    LAM_TRY(lam_page_check_sizes(&cursor->reader, header, error));
    LAM_TRY(lam_window_lend(&finder->window, page->body, body.size, &body.data, error));
    LAM_TRY(lam_page_read_data(&cursor->reader, header, body, &open, error));
    lam_page_decoder_open(&cursor->page, &open,
                          cursor->has_dictionary ? &cursor->dictionary : NULL);
    lam_status status = decode_all(cursor, page, error);
    page->is_odd = page->is_odd || states_other_levels(finder->chunk->leaf, header, page->values);
    lam_page_decoder_open(&cursor->page, &(lam_page){0}, NULL);
    cursor->page.is_open = false;
    return status;
}

/* Forgets the dictionary of the cursor, or the remains of one that could not be decoded. */
void lam_page_drop_dictionary(lam_column_cursor *cursor) {
    lam_free(&cursor->allocator, cursor->dictionary_values, cursor->dictionary_values_size);
    cursor->dictionary_values = NULL;
    cursor->dictionary_values_size = 0;
    cursor->has_dictionary = false;
    lam_buffer_clear(&cursor->dictionary_bytes);
}

/* The cursor has the dictionary of the page that was tried last. */
static lam_status decode_dictionary(lam_page_finder *finder, const lam_meta_page_header *header,
                                    const lam_found_page *page, lam_error *error) {
    lam_column_cursor *cursor = finder->cursor;
    lam_bytes body = {NULL, (size_t)(page->end - page->body)};
    uint32_t count;
    lam_page_drop_dictionary(cursor);
    if (cursor->page.layout.type == LAM_PHYSICAL_BOOLEAN)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PAGE, "a dictionary of booleans");
    LAM_TRY(lam_page_check_sizes(&cursor->reader, header, error));
    LAM_TRY(lam_window_lend(&finder->window, page->body, body.size, &body.data, error));
    LAM_TRY(lam_page_read_dictionary(&cursor->reader, header, body, &cursor->dictionary_bytes,
                                     &count, error));
    return lam_cursor_decode_dictionary(cursor, count, error);
}

/* True for bytes that can begin the header of a page: fields 1 to 3, all of them i32. */
static bool may_begin_page(const uint8_t *bytes) {
    const uint8_t i32 = 0x15; /* one field on, type 5 (compact protocol, "Struct encoding") */
    bool is_page = bytes[1] == 2 * LAM_PAGE_DATA || bytes[1] == 2 * LAM_PAGE_DATA_V2;
    return bytes[0] == i32 && is_page && bytes[2] == i32;
}

/* A page that the offset index has is as long as the index says. */
static bool goes_with_index(const lam_page_finder *finder, const lam_found_page *page) {
    const lam_meta_page_location *location = lam_page_finder_location(finder, page->offset);
    return location == NULL || (uint64_t)location->compressed_page_size == page->end - page->offset;
}

/*
 * True when a header of the same body begins inside a header: then the bytes before that were
 * damaged, and read as an unknown field.
 */
static lam_status hides_header(lam_page_finder *finder, const lam_found_page *page, bool *ret_hides,
                               lam_error *error) {
    lam_meta_page_header header;
    size_t header_size, size = (size_t)(page->body - page->offset);
    lam_arena arena = finder->repair.arena; /* the open header stays */
    const uint8_t *bytes;
    *ret_hides = false;
    LAM_TRY(lam_window_lend(&finder->window, page->offset, size, &bytes, error));
    lam_arena_init(&finder->repair.arena, &arena.allocator, TRUST_HEADER_LIMIT);
    for (size_t i = 1; i + TRUST_LEAST_PAGE < size && !*ret_hides; i++) {
        lam_found_page inner = {.offset = page->offset + i};
        *ret_hides =
            may_begin_page(bytes + i) &&
            parse_found(finder, (lam_bytes){bytes + i, size - i}, &inner, &header, &header_size) &&
            inner.body == page->body;
    }
    lam_arena_finish(&finder->repair.arena);
    finder->repair.arena = arena;
    return LAM_STATUS_OK;
}

/* Some writers leave out the checksum of dictionaries; a repair that drops one is not a repair. */
static bool needs_crc(const lam_page_finder *finder, const lam_found_page *page) {
    return finder->needs_crc && (page->type != LAM_PAGE_DICTIONARY || finder->is_trial);
}

/* Compares a body with its header: the checksum first, then its decoded levels and values. */
static lam_status confirm_body(lam_page_finder *finder, const lam_meta_page_header *header,
                               lam_found_page *page, lam_page_trust *ret_trust, lam_error *error) {
    lam_error failure = lam_error_none();
    uint32_t actual;
    bool hides;
    int64_t stated_rows = page->rows;
    *ret_trust = LAM_PAGE_TRUST_PARSES;
    page->is_sound = false;
    page->crc_is_right = false;
    page->is_odd = false;
    LAM_TRY(hides_header(finder, page, &hides, error));
    if (hides || !goes_with_index(finder, page)) {
        *ret_trust = LAM_PAGE_TRUST_NONE;
        return LAM_STATUS_OK;
    }
    if (page->has_crc) {
        LAM_TRY(lam_header_repair_crc(&finder->repair, &finder->window, page->body, page->end,
                                      &actual, error));
        page->crc_is_right = actual == (uint32_t)header->crc;
        if (!page->crc_is_right) {
            (void)lam_error_set(&page->error, LAM_ERROR_CODE_PAGE_CRC,
                                "a page has the checksum %08x, and its header states %08x", actual,
                                (unsigned)header->crc);
            return LAM_STATUS_OK;
        }
        *ret_trust = LAM_PAGE_TRUST_SOUND;
    } else if (needs_crc(finder, page)) {
        (void)lam_error_set(&page->error, LAM_ERROR_CODE_PAGE_CRC,
                            "a page has no checksum, and others of its chunk have one");
        return LAM_STATUS_OK;
    }
    lam_status status = page->type == LAM_PAGE_DICTIONARY
                            ? decode_dictionary(finder, header, page, &failure)
                            : decode_page(finder, header, page, &failure);
    if (status == LAM_STATUS_OK) {
        page->is_odd = page->is_odd || (stated_rows >= 0 && stated_rows != page->rows);
        page->is_sound = true;
        *ret_trust = LAM_PAGE_TRUST_SOUND;
        return LAM_STATUS_OK;
    }
    if (!is_damage(status)) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    page->error = failure;
    if (!page->crc_is_right || failure.code != LAM_ERROR_CODE_DICTIONARY_MISSING)
        page->rows = stated_rows;
    return LAM_STATUS_OK;
}

/* A sound page has been read entirely, so all gaps in it are known. */
lam_status lam_page_confirm(lam_page_finder *finder, const lam_meta_page_header *header,
                            lam_found_page *page, lam_page_trust *ret_trust, lam_error *error) {
    int64_t stated_rows = page->rows;
    LAM_TRY(confirm_body(finder, header, page, ret_trust, error));
    if (!lam_patched_input_has_gap(finder->repair.patched, page->offset, page->end, &page->error))
        return LAM_STATUS_OK;
    page->is_sound = false;
    page->crc_is_right = false;
    page->is_odd = false;
    page->rows = stated_rows;
    *ret_trust = lam_patched_input_has_gap(finder->repair.patched, page->offset, page->body, NULL)
                     ? LAM_PAGE_TRUST_NONE
                     : LAM_PAGE_TRUST_PARSES;
    return LAM_STATUS_OK;
}

/* Reads a header; true if it is one of a data page. */
static lam_status is_data_header(lam_page_finder *finder, lam_found_page *page, bool *ret_is_header,
                                 bool *ret_is_data, lam_error *error) {
    lam_meta_page_header header;
    LAM_TRY(lam_page_read_header(finder, page, &header, ret_is_header, error));
    *ret_is_data = *ret_is_header && page->type != LAM_PAGE_DICTIONARY;
    return LAM_STATUS_OK;
}

lam_status lam_page_finder_begin(lam_page_finder *finder, lam_error *error) {
    lam_found_page page = {.end = finder->begin};
    bool is_header = true, is_data, any = false, has_crc = false;
    while (is_header && !has_crc && page.end < finder->end) {
        page.offset = page.end;
        LAM_TRY(lam_stop_check(finder->chunk->stop, error));
        LAM_TRY(is_data_header(finder, &page, &is_header, &is_data, error));
        any = any || is_data;
        has_crc = is_data && page.has_crc;
    }
    for (size_t i = 0; i < finder->hints.count && !has_crc; i++) {
        page.offset = (uint64_t)finder->hints.locations[i].offset;
        LAM_TRY(is_data_header(finder, &page, &is_header, &is_data, error));
        any = any || is_data;
        has_crc = is_data && page.has_crc;
    }
    finder->needs_crc = any ? has_crc : finder->hints.has_crcs;
    return LAM_STATUS_OK;
}

/* Tries the bytes at an offset as a page. */
lam_status lam_page_try(lam_page_finder *finder, uint64_t offset, lam_found_page *ret_page,
                        lam_page_trust *ret_trust, lam_error *error) {
    lam_meta_page_header header;
    bool is_header;
    lam_found_page page = {.offset = offset, .error = lam_error_none()};
    *ret_trust = LAM_PAGE_TRUST_NONE;
    LAM_TRY(lam_stop_check(finder->chunk->stop, error));
    LAM_TRY(lam_page_read_header(finder, &page, &header, &is_header, error));
    if (is_header)
        LAM_TRY(lam_page_confirm(finder, &header, &page, ret_trust, error));
    *ret_page = page;
    return LAM_STATUS_OK;
}

/*
 * True when another page, or the end of the chunk, follows a page. A page that was confirmed is as
 * long as the index says, if the index has it.
 */
lam_status lam_page_is_followed(lam_page_finder *finder, const lam_found_page *page,
                                bool *ret_is_followed, lam_error *error) {
    lam_meta_page_header header;
    lam_found_page next = {.offset = page->end};
    *ret_is_followed = true;
    if (page->end == finder->end || lam_page_finder_location(finder, page->end) != NULL ||
        lam_page_finder_location(finder, page->offset) != NULL)
        return LAM_STATUS_OK;
    return lam_page_read_header(finder, &next, &header, ret_is_followed, error);
}
