/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the pages of a damaged chunk one after the other. In: bytes of a chunk, and perhaps the
 * locations of an offset index. Out: pages, each sound or not, and holes between them.
 *
 *     | header | body | header | body | ???        | header | body |
 *     a page whose     its checksum    no header:   by the offset index, or the first header
 *     header leads     is wrong        a hole       whose page is sound
 *     to another
 *
 * The invariant: a header is believed only if something else agrees with it: the checksum of the
 * body that it delimits; or, without checksums, that the body decodes; or, of a damaged body, that
 * another header begins where it ends. One bit is turned over where exactly one outcome is sound
 * then. (parquet.thrift, PageHeader; PageIndex.md, "OffsetIndex")
 */
#include "chunk/page_find.h"

#include <lamella/format.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/crc32.h"
#include "base/error.h"
#include "base/stop.h"
#include "meta/compact.h"

enum {
    FIND_READ_AHEAD = 64 << 10,
    FIND_HEADER_TRY = 4 << 10,    /* bytes; most headers are under 100 */
    FIND_HEADER_LIMIT = 16 << 20, /* as in page_walk.c */
    FIND_REPAIR_BYTES = 256,      /* of a header, whose bits are tried */
    FIND_LONG_RUN = 64,
    FIND_LEAST_PAGE = 8,        /* bytes of the shortest header */
    FIND_TRIAL_WORK = 64,       /* of parsing a header, in bytes */
    FIND_LEAST_WORK = 64 << 20, /* bytes of a chunk that are read to try what may be a page */
    FIND_WORK_FACTOR = 8
};

/* What speaks for a header, from nothing to all. */
typedef enum find_trust {
    FIND_NONE,   /* it is none, or states what cannot be */
    FIND_PARSES, /* its body is damaged, or it is not its body */
    FIND_SOUND
} find_trust;

void lam_page_finder_init(lam_page_finder *finder, const lam_column_chunk *chunk,
                          lam_column_cursor *cursor, lam_patched_input *patched,
                          lam_survey_hints hints, lam_chunk_range range,
                          const lam_allocator *allocator) {
    memset(finder, 0, sizeof *finder);
    finder->chunk = chunk;
    finder->cursor = cursor;
    finder->patched = patched;
    finder->hints = hints;
    finder->needs_crc = hints.has_crcs;
    finder->begin = range.offset;
    finder->end = range.offset + range.size;
    finder->work_left = FIND_LEAST_WORK + FIND_WORK_FACTOR * range.size;
    lam_window_init(&finder->window, chunk->input, finder->end, FIND_READ_AHEAD, allocator);
    lam_arena_init(&finder->arena, allocator, FIND_HEADER_LIMIT);
}

void lam_page_finder_finish(lam_page_finder *finder) {
    lam_window_finish(&finder->window);
    lam_arena_finish(&finder->arena);
}

const lam_meta_page_location *lam_page_finder_location(const lam_page_finder *finder,
                                                       uint64_t offset) {
    size_t low = 0, high = finder->hints.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uint64_t)finder->hints.locations[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there =
        low < finder->hints.count && (uint64_t)finder->hints.locations[low].offset == offset;
    return is_there ? &finder->hints.locations[low] : NULL;
}

/* --- Headers ------------------------------------------------------------------------------- */

/* True for a failure of the bytes, or of what they state; others are passed on. */
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

/* Takes the numbers of a header; false when they cannot be those of a page of the chunk. */
static bool describe_found(const lam_page_finder *finder, const lam_meta_page_header *header,
                           lam_found_page *page) {
    const lam_meta_data_page_header *v1 = header->data_page_header;
    const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
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
        return header->dictionary_page_header != NULL && page->offset == finder->begin &&
               header->dictionary_page_header->num_values >= 0;
    if (header->type == LAM_PAGE_DATA && v1 != NULL) {
        page->triples = v1->num_values;
        page->encoding = v1->encoding;
    } else if (header->type == LAM_PAGE_DATA_V2 && v2 != NULL) {
        page->triples = v2->num_values;
        page->encoding = v2->encoding;
        page->rows = v2->num_rows;
    }
    return page->triples >= 0 && page->triples <= column->num_values &&
           has_encoding(column, page->encoding);
}

/* Parses a header from bytes at the page's offset; false when there is none. */
static bool parse(lam_page_finder *finder, lam_bytes bytes, lam_found_page *page,
                  lam_meta_page_header *ret_header, size_t *ret_size) {
    *ret_size = 0;
    lam_arena_reset(&finder->arena);
    if (lam_meta_read_page_header(bytes, &finder->arena, ret_header, ret_size, NULL) !=
            LAM_STATUS_OK ||
        *ret_size == 0)
        return false;
    page->body = page->offset + *ret_size;
    return describe_found(finder, ret_header, page);
}

/* Reads the header at the page's offset, from ever more bytes until it is whole. */
static lam_status read_header(lam_page_finder *finder, lam_found_page *page,
                              lam_meta_page_header *ret_header, bool *ret_is_header,
                              lam_error *error) {
    uint64_t left = finder->end - page->offset;
    for (size_t wanted = FIND_HEADER_TRY;; wanted *= 2) {
        size_t header_size, size = wanted < left ? wanted : (size_t)left;
        lam_bytes bytes = {NULL, size};
        LAM_TRY(lam_window_lend(&finder->window, page->offset, size, &bytes.data, error));
        size_t measured = 0;
        *ret_is_header = parse(finder, bytes, page, ret_header, &header_size);
        bool is_cut = header_size == 0 &&
                      lam_meta_measure(bytes, &measured, NULL) == LAM_STATUS_OK && measured == 0;
        if (*ret_is_header || !is_cut || size == left || size >= FIND_HEADER_LIMIT)
            return LAM_STATUS_OK;
    }
}

/*
 * Spends some of the work that trying may take; false when none is left. What is hostile may look
 * like a header everywhere, and each trial reads a body.
 */
static bool spend_work(lam_page_finder *finder, uint64_t work) {
    uint64_t spent = work < finder->work_left ? work : finder->work_left;
    finder->work_left -= spent;
    return finder->work_left > 0;
}

/* --- Bodies -------------------------------------------------------------------------------- */

/* The checksum of bytes of the file; the last one is remembered, for headers that are tried. */
static lam_status checksum(lam_page_finder *finder, uint64_t begin, uint64_t end, uint32_t *ret_crc,
                           lam_error *error) {
    uint32_t crc = 0;
    if (begin == finder->crc_begin && end == finder->crc_end && end > begin) {
        *ret_crc = finder->crc;
        return LAM_STATUS_OK;
    }
    for (uint64_t at = begin; at < end;) {
        const uint8_t *bytes;
        size_t size = end - at < FIND_READ_AHEAD ? (size_t)(end - at) : FIND_READ_AHEAD;
        LAM_TRY(lam_window_lend(&finder->window, at, size, &bytes, error));
        crc = lam_crc32(crc, bytes, size);
        at += size;
    }
    finder->crc_begin = begin;
    finder->crc_end = end;
    finder->crc = crc;
    *ret_crc = crc;
    return LAM_STATUS_OK;
}

/* Decodes all levels and values of the open page, and counts its records. */
static lam_status decode_all(lam_column_cursor *cursor, lam_found_page *page, lam_error *error) {
    lam_page_decoder *decoder = &cursor->page;
    const lam_batch_bounds bounds = {cursor->room.triples, UINT64_MAX, FIND_LONG_RUN};
    lam_value_target to = {0};
    bool is_first = true, has_values = true;
    lam_status status = LAM_STATUS_OK;
    page->rows = 0;
    while (decoder->triples < decoder->page.value_count) {
        lam_batch batch;
        LAM_TRY(lam_page_decoder_read_levels(decoder, &bounds, cursor->room.repetition,
                                             cursor->room.definition, &batch, error));
        if (is_first)
            page->continues = batch.has_repetition && cursor->room.repetition[0] != 0;
        is_first = false;
        page->rows += (int64_t)batch.row_count;
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
    return has_values ? lam_page_decoder_end(decoder, error) : status;
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
    lam_page_decoder_open(&cursor->page, &(lam_page){0}, NULL);
    cursor->page.is_open = false;
    return status;
}

/* Forgets the dictionary of the cursor, or what is there of one that could not be decoded. */
static void drop_dictionary(lam_column_cursor *cursor) {
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
    drop_dictionary(cursor);
    if (cursor->page.layout.type == LAM_PHYSICAL_BOOLEAN)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PAGE, "a dictionary of booleans");
    LAM_TRY(lam_page_check_sizes(&cursor->reader, header, error));
    LAM_TRY(lam_window_lend(&finder->window, page->body, body.size, &body.data, error));
    LAM_TRY(lam_page_read_dictionary(&cursor->reader, header, body, &cursor->dictionary_bytes,
                                     &count, error));
    return lam_cursor_decode_dictionary(cursor, count, error);
}

/* Compares a body with its header: the checksum first, then what it decodes to. */
static lam_status judge_page(lam_page_finder *finder, const lam_meta_page_header *header,
                             lam_found_page *page, find_trust *ret_trust, lam_error *error) {
    lam_error failure = lam_error_none();
    uint32_t actual;
    int64_t stated_rows = page->rows;
    *ret_trust = FIND_PARSES;
    page->is_sound = false;
    page->crc_is_right = false;
    if (page->has_crc) {
        LAM_TRY(checksum(finder, page->body, page->end, &actual, error));
        page->crc_is_right = actual == (uint32_t)header->crc;
        if (!page->crc_is_right) {
            (void)lam_error_set(&page->error, LAM_ERROR_CODE_PAGE_CRC,
                                "a page has the checksum %08x, and its header states %08x", actual,
                                (unsigned)header->crc);
            return LAM_STATUS_OK;
        }
        *ret_trust = FIND_SOUND;
    } else if (finder->needs_crc) {
        (void)lam_error_set(&page->error, LAM_ERROR_CODE_PAGE_CRC,
                            "a page has no checksum, and others of its chunk have one");
        return LAM_STATUS_OK;
    }
    lam_status status = page->type == LAM_PAGE_DICTIONARY
                            ? decode_dictionary(finder, header, page, &failure)
                            : decode_page(finder, header, page, &failure);
    if (status == LAM_STATUS_OK) {
        page->is_sound = true;
        *ret_trust = FIND_SOUND;
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

lam_status lam_page_finder_begin(lam_page_finder *finder, lam_error *error) {
    lam_meta_page_header header;
    lam_found_page page = {.end = finder->begin};
    bool is_header = true, any = false;
    while (is_header && !page.has_crc && page.end < finder->end) {
        page.offset = page.end;
        LAM_TRY(lam_stop_check(finder->chunk->stop, error));
        LAM_TRY(read_header(finder, &page, &header, &is_header, error));
        any = any || is_header;
    }
    for (size_t i = 0; i < finder->hints.count && !page.has_crc; i++) {
        page.offset = (uint64_t)finder->hints.locations[i].offset;
        LAM_TRY(read_header(finder, &page, &header, &is_header, error));
        any = any || is_header;
    }
    finder->needs_crc = any ? page.has_crc : finder->hints.has_crcs;
    return LAM_STATUS_OK;
}

/* Tries what is at an offset as a page. */
static lam_status try_page(lam_page_finder *finder, uint64_t offset, lam_found_page *ret_page,
                           find_trust *ret_trust, lam_error *error) {
    lam_meta_page_header header;
    bool is_header;
    lam_found_page page = {.offset = offset, .error = lam_error_none()};
    *ret_trust = FIND_NONE;
    LAM_TRY(lam_stop_check(finder->chunk->stop, error));
    LAM_TRY(read_header(finder, &page, &header, &is_header, error));
    if (is_header)
        LAM_TRY(judge_page(finder, &header, &page, ret_trust, error));
    *ret_page = page;
    return LAM_STATUS_OK;
}

/* True when another page, or the end of the chunk, is where a page ends. */
static lam_status is_followed(lam_page_finder *finder, const lam_found_page *page,
                              bool *ret_is_followed, lam_error *error) {
    lam_meta_page_header header;
    lam_found_page next = {.offset = page->end};
    const lam_meta_page_location *location = lam_page_finder_location(finder, page->offset);
    *ret_is_followed = true;
    if (page->end == finder->end || lam_page_finder_location(finder, page->end) != NULL)
        return LAM_STATUS_OK;
    if (location != NULL && (uint64_t)location->compressed_page_size == page->end - page->offset)
        return LAM_STATUS_OK;
    return read_header(finder, &next, &header, ret_is_followed, error);
}

/* --- Repair -------------------------------------------------------------------------------- */

/* The bytes of a header and what follows, of which single bits are turned over. */
typedef struct header_trial {
    uint8_t bytes[FIND_HEADER_TRY];
    size_t size;
    size_t bits; /* that are tried */
} header_trial;

static lam_status begin_trial(lam_page_finder *finder, uint64_t offset, uint64_t end,
                              header_trial *trial, lam_error *error) {
    const uint8_t *bytes;
    uint64_t left = finder->end - offset;
    trial->size = left < sizeof trial->bytes ? (size_t)left : sizeof trial->bytes;
    LAM_TRY(lam_window_lend(&finder->window, offset, trial->size, &bytes, error));
    memcpy(trial->bytes, bytes, trial->size);
    uint64_t most = end - offset < FIND_REPAIR_BYTES ? end - offset : FIND_REPAIR_BYTES;
    trial->bits = 8 * (size_t)(most < trial->size ? most : trial->size);
    return LAM_STATUS_OK;
}

/* True when two outcomes make the same of the file. */
static bool is_same_page(const lam_found_page *a, const lam_found_page *b) {
    return a->body == b->body && a->end == b->end && a->type == b->type &&
           a->encoding == b->encoding && a->triples == b->triples && a->rows == b->rows;
}

/* What a repaired header must come to, beside that its page is sound. */
typedef struct repair_goal {
    const lam_found_page *same_body; /* or NULL: a body of any size */
    int64_t rows;                    /* or -1 */
} repair_goal;

/* True when the checksum of the body is the last one that was computed. */
static bool page_is_known(const lam_page_finder *finder, const lam_found_page *page) {
    return page->has_crc && page->body == finder->crc_begin && page->end == finder->crc_end;
}

/* Tries one bit; `*ret_fits` when the page is sound with it, and what is wanted. */
static lam_status try_bit(lam_page_finder *finder, header_trial *trial, size_t bit,
                          const repair_goal *goal, lam_found_page *page, bool *ret_fits,
                          lam_error *error) {
    lam_meta_page_header header;
    find_trust trust;
    size_t header_size;
    *ret_fits = false;
    if (!spend_work(finder, FIND_TRIAL_WORK))
        return LAM_STATUS_OK;
    trial->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    bool parses =
        parse(finder, (lam_bytes){trial->bytes, trial->size}, page, &header, &header_size);
    /* A bit behind the header cannot have been what was wrong with it. */
    parses = parses && bit / 8 < header_size;
    if (parses && goal->same_body != NULL)
        parses = page->body == goal->same_body->body && page->end == goal->same_body->end;
    if (parses && !page_is_known(finder, page))
        parses = spend_work(finder, page->end - page->body);
    if (parses)
        LAM_TRY(judge_page(finder, &header, page, &trust, error));
    trial->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    if (!parses || !page->is_sound || (goal->rows >= 0 && page->rows != goal->rows))
        return LAM_STATUS_OK;
    *ret_fits = true;
    return page->has_crc ? LAM_STATUS_OK : is_followed(finder, page, ret_fits, error);
}

/* Turns over the one bit that leads to the goal; several must make the same of it. */
static lam_status repair(lam_page_finder *finder, uint64_t offset, uint64_t end,
                         const repair_goal *goal, lam_found_page *ret_page, bool *ret_repaired,
                         lam_error *error) {
    header_trial trial;
    lam_found_page found = {0};
    size_t found_bit = SIZE_MAX;
    *ret_repaired = false;
    LAM_TRY(begin_trial(finder, offset, end, &trial, error));
    for (size_t bit = 0; bit < trial.bits; bit++) {
        lam_found_page page = {.offset = offset, .error = lam_error_none()};
        bool fits;
        LAM_TRY(lam_stop_check(finder->chunk->stop, error));
        LAM_TRY(try_bit(finder, &trial, bit, goal, &page, &fits, error));
        if (!fits)
            continue;
        if (found_bit != SIZE_MAX && !is_same_page(&page, &found))
            return LAM_STATUS_OK;
        found = page;
        found_bit = found_bit == SIZE_MAX ? bit : found_bit;
    }
    if (found_bit == SIZE_MAX)
        return LAM_STATUS_OK;
    LAM_TRY(lam_patched_input_flip(finder->patched, offset + found_bit / 8,
                                   (unsigned)(found_bit % 8), error));
    lam_buffer_clear(&finder->window.buffer);
    finder->repaired++;
    *ret_page = found;
    *ret_repaired = true;
    return LAM_STATUS_OK;
}

lam_status lam_page_find_repair_rows(lam_page_finder *finder, const lam_found_page *page,
                                     uint64_t rows, bool *ret_repaired, lam_error *error) {
    lam_found_page repaired;
    const repair_goal goal = {page, (int64_t)rows};
    return repair(finder, page->offset, page->body, &goal, &repaired, ret_repaired, error);
}

/* --- Holes --------------------------------------------------------------------------------- */

/* True for bytes that can begin the header of a page: fields 1 to 3, all of them i32. */
static bool may_begin_header(const uint8_t *bytes) {
    const uint8_t i32 = 0x15; /* one field on, type 5 (compact protocol, "Struct encoding") */
    bool is_page = bytes[1] == 2 * LAM_PAGE_DATA || bytes[1] == 2 * LAM_PAGE_DATA_V2;
    return bytes[0] == i32 && is_page && bytes[2] == i32;
}

/* Without checksums a page that was found must lead from page to page to the end of the chunk. */
static lam_status leads_to_end(lam_page_finder *finder, const lam_found_page *first,
                               bool *ret_leads, lam_error *error) {
    lam_found_page page = *first;
    *ret_leads = true;
    while (*ret_leads && page.end < finder->end) {
        lam_meta_page_header header;
        page.offset = page.end;
        LAM_TRY(lam_stop_check(finder->chunk->stop, error));
        LAM_TRY(read_header(finder, &page, &header, ret_leads, error));
        *ret_leads = *ret_leads && spend_work(finder, FIND_TRIAL_WORK);
    }
    return LAM_STATUS_OK;
}

/* Searches for the next sound page behind an offset. */
static lam_status search_page(lam_page_finder *finder, uint64_t from, uint64_t *ret_end,
                              lam_error *error) {
    *ret_end = finder->end;
    for (uint64_t at = from; at + FIND_LEAST_PAGE < finder->end; at++) {
        const uint8_t *bytes;
        lam_found_page page;
        find_trust trust;
        bool leads;
        LAM_TRY(lam_window_lend(&finder->window, at, 4, &bytes, error));
        if (!may_begin_header(bytes))
            continue;
        LAM_TRY(try_page(finder, at, &page, &trust, error));
        if (!spend_work(finder, FIND_TRIAL_WORK + (page.end > at ? page.end - at : 0)))
            return LAM_STATUS_OK;
        if (trust != FIND_SOUND)
            continue;
        leads = page.has_crc;
        if (!leads)
            LAM_TRY(leads_to_end(finder, &page, &leads, error));
        if (!leads)
            continue;
        *ret_end = at;
        return LAM_STATUS_OK;
    }
    return LAM_STATUS_OK;
}

/* A hole ends where the offset index has the next page; without one, where a sound page is. */
static lam_status find_hole(lam_page_finder *finder, uint64_t offset, lam_found_page *ret_page,
                            lam_error *error) {
    lam_found_page hole = {.offset = offset, .body = offset, .is_hole = true, .type = -1};
    hole.triples = -1;
    hole.rows = -1;
    hole.error = lam_error_none();
    size_t next = 0;
    while (next < finder->hints.count && (uint64_t)finder->hints.locations[next].offset <= offset)
        next++;
    if (next < finder->hints.count)
        hole.end = (uint64_t)finder->hints.locations[next].offset;
    else if (finder->hints.count > 0)
        hole.end = finder->end;
    else
        LAM_TRY(search_page(finder, offset + 1, &hole.end, error));
    (void)lam_error_set(&hole.error, LAM_ERROR_CODE_PAGE_HEADER,
                        "a page header cannot be read, and the next page is %u bytes further on",
                        (unsigned)(hole.end - offset));
    lam_error_at_offset(&hole.error, offset);
    *ret_page = hole;
    return LAM_STATUS_OK;
}

/* Of the headers that were tried as that of a dictionary, only a repaired one counts. */
static lam_status take_dictionary(lam_page_finder *finder, bool is_repaired, lam_found_page *page,
                                  lam_error *error) {
    find_trust trust;
    drop_dictionary(finder->cursor);
    return is_repaired ? try_page(finder, page->offset, page, &trust, error) : LAM_STATUS_OK;
}

lam_status lam_page_find(lam_page_finder *finder, uint64_t offset, lam_found_page *ret_page,
                         lam_error *error) {
    find_trust trust;
    bool is_page;
    LAM_TRY(try_page(finder, offset, ret_page, &trust, error));
    is_page = trust == FIND_SOUND;
    if (trust == FIND_PARSES)
        LAM_TRY(is_followed(finder, ret_page, &is_page, error));
    if (is_page && ret_page->is_sound)
        return LAM_STATUS_OK;
    if (!is_page || ret_page->error.code != LAM_ERROR_CODE_DICTIONARY_MISSING) {
        const lam_found_page damaged = *ret_page;
        const repair_goal goal = {is_page && damaged.crc_is_right ? &damaged : NULL, -1};
        bool is_repaired;
        LAM_TRY(repair(finder, offset, is_page ? damaged.body : finder->end, &goal, ret_page,
                       &is_repaired, error));
        is_page = is_page || is_repaired;
        if (offset == finder->begin)
            LAM_TRY(take_dictionary(finder, is_repaired, ret_page, error));
    }
    return is_page ? LAM_STATUS_OK : find_hole(finder, offset, ret_page, error);
}
