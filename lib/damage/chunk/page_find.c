/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the pages of a damaged chunk one after the other. In: bytes of a chunk, and perhaps the
 * locations of an offset index. Out: pages, each sound or not, and holes between them.
 *
 *     | header | body | header | body | ???                  | header | body |
 *     a page whose     its checksum    no header: a hole up to where the footer or the offset index
 *     header leads     is wrong        has a page, or to the end of the chunk
 *     to another
 *
 * The invariant: a header is believed only if something else agrees with it: the checksum of the
 * body that it delimits; or, without checksums, that the body decodes; or, of a damaged body, that
 * another header begins where it ends. A header is mended, by one bit or by bytes that are the same
 * in all headers, where exactly one outcome is sound then. Nothing is searched for behind a header
 * that cannot be read: what looks like a page there, checksum and all, may be bytes of a value.
 * (parquet.thrift, PageHeader; PageIndex.md, "OffsetIndex")
 */
#include "damage/chunk/page_find.h"

#include <inttypes.h>
#include <lamella/format.h>
#include <string.h>

#include "base/error.h"
#include "base/thread/stop.h"
#include "damage/chunk/header_restore.h"
#include "damage/chunk/page_judge.h"
#include "meta/compact.h"

enum {
    FIND_HEADER_ROOM = 4 << 10, /* bytes that are tried as a header */
    FIND_REPAIR_BYTES = 256,    /* of a header, whose bits are tried */
    FIND_PATTERN_ROOM = 64,     /* of a header from which others are restored */
    FIND_TRIAL_WORK = 64        /* of parsing a header, in bytes */
};

/* --- Repair -------------------------------------------------------------------------------- */

/* The bytes of a header and what follows, of which single bits are turned over. */
typedef struct header_trial {
    uint8_t bytes[FIND_HEADER_ROOM];
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
           a->encoding == b->encoding && a->triples == b->triples && a->rows == b->rows &&
           a->content == b->content;
}

/* What a repaired header must come to, beside that its page is sound. */
typedef struct repair_goal {
    const lam_found_page *same_body; /* or NULL: a body of any size */
    int64_t rows;                    /* or -1 */
    int64_t triples;                 /* or -1 */
} repair_goal;

/* True when the checksum of the body is the last one that was computed. */
static bool page_is_known(const lam_page_finder *finder, const lam_found_page *page) {
    return page->has_crc && page->body == finder->crc_begin && page->end == finder->crc_end;
}

/*
 * True when a header takes as many bytes as it would if it were written: a bit that turns bytes
 * into a field that nobody knows does not repair it.
 */
static lam_status is_canonical(lam_page_finder *finder, const lam_meta_page_header *header,
                               size_t size, bool *ret_is_canonical, lam_error *error) {
    lam_buffer_clear(&finder->written);
    LAM_TRY(lam_meta_write_page_header(header, &finder->written, error));
    *ret_is_canonical = finder->written.size == size;
    return LAM_STATUS_OK;
}

/*
 * Tries bytes of which some before `end` were changed; `*ret_fits` when the page is sound with
 * them, and what is wanted.
 */
static lam_status try_trial(lam_page_finder *finder, const header_trial *trial, size_t end,
                            const repair_goal *goal, lam_found_page *page, bool *ret_fits,
                            lam_error *error) {
    lam_meta_page_header header;
    lam_page_trust trust;
    size_t header_size;
    *ret_fits = false;
    if (!lam_page_spend_work(finder, FIND_TRIAL_WORK))
        return LAM_STATUS_OK;
    bool parses =
        lam_page_parse(finder, (lam_bytes){trial->bytes, trial->size}, page, &header, &header_size);
    /* Bytes behind the header cannot have been what was wrong with it. */
    parses = parses && end <= header_size;
    if (parses)
        LAM_TRY(is_canonical(finder, &header, header_size, &parses, error));
    if (parses && goal->same_body != NULL)
        parses = page->body == goal->same_body->body && page->end == goal->same_body->end;
    if (parses && !page_is_known(finder, page))
        parses = lam_page_spend_work(finder, page->end - page->body);
    finder->is_trial = true;
    lam_status status = LAM_STATUS_OK;
    if (parses)
        status = lam_page_judge(finder, &header, page, &trust, error);
    finder->is_trial = false;
    LAM_TRY(status);
    /*
     * Any body is one of no values, so that without a checksum, or bytes that it sums, nothing
     * speaks for such a header.
     */
    bool says_nothing = page->triples == 0 && (!page->has_crc || page->end == page->body);
    if (!parses || !page->is_sound || page->is_odd || says_nothing ||
        (goal->rows >= 0 && page->rows != goal->rows) ||
        (goal->triples >= 0 && page->triples != goal->triples))
        return LAM_STATUS_OK;
    *ret_fits = true;
    return page->has_crc ? LAM_STATUS_OK : lam_page_is_followed(finder, page, ret_fits, error);
}

/* What has come of turning over the bits of a header. */
typedef struct bit_search {
    size_t bit; /* the first one that leads to the goal; SIZE_MAX for none */
    lam_found_page page;
    bool is_ambiguous; /* another one leads to another page */
} bit_search;

/* Tries each bit. */
static lam_status find_bit(lam_page_finder *finder, header_trial *trial, uint64_t offset,
                           const repair_goal *goal, bit_search *found, lam_error *error) {
    *found = (bit_search){.bit = SIZE_MAX};
    for (size_t bit = 0; bit < trial->bits && !found->is_ambiguous; bit++) {
        lam_found_page page = {.offset = offset, .error = lam_error_none()};
        const uint8_t mask = (uint8_t)(1u << bit % 8);
        bool fits;
        LAM_TRY(lam_stop_check(finder->chunk->stop, error));
        trial->bytes[bit / 8] ^= mask;
        LAM_TRY(try_trial(finder, trial, bit / 8 + 1, goal, &page, &fits, error));
        trial->bytes[bit / 8] ^= mask;
        found->is_ambiguous = fits && found->bit != SIZE_MAX && !is_same_page(&page, &found->page);
        if (!fits || found->bit != SIZE_MAX)
            continue;
        found->page = page;
        found->bit = bit;
    }
    return LAM_STATUS_OK;
}

lam_status lam_page_find_bit(lam_page_finder *finder, const lam_found_page *page, uint64_t rows,
                             int64_t triples, size_t *ret_bit, lam_error *error) {
    header_trial trial;
    bit_search found;
    const repair_goal goal = {page, (int64_t)rows, triples};
    LAM_TRY(begin_trial(finder, page->offset, page->body, &trial, error));
    LAM_TRY(find_bit(finder, &trial, page->offset, &goal, &found, error));
    *ret_bit = found.is_ambiguous ? SIZE_MAX : found.bit;
    return LAM_STATUS_OK;
}

lam_status lam_page_find_repair(lam_page_finder *finder, const lam_found_page *page, size_t bit,
                                lam_error *error) {
    LAM_TRY(lam_patched_input_flip(finder->patched, page->offset + bit / 8,
                                   (uint8_t)(1u << bit % 8), error));
    lam_buffer_clear(&finder->window.buffer);
    finder->repaired++;
    return LAM_STATUS_OK;
}

/*
 * Gives a header the bytes that are the same in all of the chunk, as the last sound page shows
 * them; `*ret_fits` when that makes a page with a checksum. Where more than a bit of a header is
 * damaged, a body without one need not be what was written, though it decodes.
 */
static lam_status restore_header(lam_page_finder *finder, header_trial *trial, uint64_t offset,
                                 const repair_goal *goal, lam_found_page *page, bool *ret_fits,
                                 lam_error *error) {
    const uint8_t *bytes;
    uint8_t pattern[FIND_PATTERN_ROOM], before[FIND_PATTERN_ROOM];
    size_t size = finder->pattern_size, room = sizeof before;
    lam_found_page restored = {.offset = offset, .error = lam_error_none()};
    *ret_fits = false;
    if (size == 0 || size > sizeof pattern)
        return LAM_STATUS_OK;
    LAM_TRY(lam_window_lend(&finder->window, finder->pattern, size, &bytes, error));
    memcpy(pattern, bytes, size);
    room = trial->size < room ? trial->size : room;
    memcpy(before, trial->bytes, room);
    size = lam_header_restore((lam_bytes){pattern, size}, trial->bytes, room);
    if (size > 0)
        LAM_TRY(try_trial(finder, trial, size, goal, &restored, ret_fits, error));
    *ret_fits = *ret_fits && restored.has_crc;
    if (!*ret_fits)
        return LAM_STATUS_OK;
    for (size_t i = 0; i < size; i++)
        if (before[i] != trial->bytes[i])
            LAM_TRY(lam_patched_input_flip(finder->patched, offset + i, before[i] ^ trial->bytes[i],
                                           error));
    lam_buffer_clear(&finder->window.buffer);
    finder->repaired++;
    *page = restored;
    return LAM_STATUS_OK;
}

/* --- Holes --------------------------------------------------------------------------------- */

/*
 * Where the footer has the first data page of a chunk that begins with a dictionary; the beginning
 * of the chunk when it states nothing that can be, or no page is there.
 */
static lam_status end_of_dictionary(lam_page_finder *finder, uint64_t *ret_end, lam_error *error) {
    const lam_meta_column *column = finder->chunk->column;
    lam_found_page first = {.offset = (uint64_t)column->data_page_offset};
    lam_meta_page_header header;
    bool is_header;
    *ret_end = finder->begin;
    if (column->data_page_offset <= 0 || first.offset <= finder->begin ||
        first.offset >= finder->end)
        return LAM_STATUS_OK;
    LAM_TRY(lam_page_read_header(finder, &first, &header, &is_header, error));
    *ret_end = is_header ? first.offset : finder->begin;
    return LAM_STATUS_OK;
}

/*
 * A hole ends where the offset index has the next page. Without one, that of a dictionary ends
 * where the footer has the first data page, and any other one with the chunk.
 */
static lam_status find_hole(lam_page_finder *finder, uint64_t offset, lam_found_page *ret_page,
                            lam_error *error) {
    lam_found_page hole = {.offset = offset, .body = offset, .is_hole = true, .type = -1};
    uint64_t data = finder->begin;
    hole.triples = -1;
    hole.rows = -1;
    hole.error = lam_error_none();
    size_t next = 0;
    while (next < finder->hints.count && (uint64_t)finder->hints.locations[next].offset <= offset)
        next++;
    if (offset == finder->begin)
        LAM_TRY(end_of_dictionary(finder, &data, error));
    hole.end = finder->end;
    if (next < finder->hints.count) {
        hole.end = (uint64_t)finder->hints.locations[next].offset;
    } else if (finder->hints.count == 0 && data > offset) {
        hole.end = data;
        hole.type = LAM_PAGE_DICTIONARY;
    }
    if (!lam_patched_input_has_gap(finder->patched, offset, hole.end, &hole.error))
        (void)lam_error_set(&hole.error, LAM_ERROR_CODE_PAGE_HEADER,
                            hole.end < finder->end || finder->hints.count > 0
                                ? "a page header cannot be read, and the next page is %" PRIu64
                                  " bytes further on"
                                : "a page header cannot be read, and nothing proves where in the "
                                  "%" PRIu64 " bytes to the end of the column chunk pages begin",
                            hole.end - offset);
    lam_error_at_offset(&hole.error, offset);
    *ret_page = hole;
    return LAM_STATUS_OK;
}

/* Of the headers that were tried as that of a dictionary, only a repaired one counts. */
static lam_status take_dictionary(lam_page_finder *finder, bool is_repaired, lam_found_page *page,
                                  lam_error *error) {
    lam_page_trust trust;
    lam_page_drop_dictionary(finder->cursor);
    return is_repaired ? lam_page_try(finder, page->offset, page, &trust, error) : LAM_STATUS_OK;
}

/* Repairs the header of what is no page, or none that is sound. */
static lam_status repair_page(lam_page_finder *finder, bool is_page, lam_found_page *page,
                              bool *ret_repaired, lam_error *error) {
    const lam_found_page damaged = *page;
    const repair_goal goal = {is_page && damaged.crc_is_right ? &damaged : NULL, -1, -1};
    uint64_t offset = damaged.offset;
    header_trial trial;
    bit_search found;
    LAM_TRY(begin_trial(finder, offset, is_page ? damaged.body : finder->end, &trial, error));
    LAM_TRY(find_bit(finder, &trial, offset, &goal, &found, error));
    *ret_repaired = found.bit != SIZE_MAX && !found.is_ambiguous;
    if (*ret_repaired) {
        *page = found.page;
        LAM_TRY(lam_page_find_repair(finder, page, found.bit, error));
    } else if (!found.is_ambiguous) {
        LAM_TRY(restore_header(finder, &trial, offset, &goal, page, ret_repaired, error));
    }
    return offset == finder->begin ? take_dictionary(finder, *ret_repaired, page, error)
                                   : LAM_STATUS_OK;
}

/* Whether the end that the header of a page states is where another page begins. */
static lam_status ends_right(lam_page_finder *finder, const lam_found_page *page,
                             bool *ret_ends_right, lam_error *error) {
    uint64_t end = finder->begin;
    bool is_dictionary = page->type == LAM_PAGE_DICTIONARY;
    *ret_ends_right =
        is_dictionary && page->end == (uint64_t)finder->chunk->column->data_page_offset;
    if (*ret_ends_right)
        return LAM_STATUS_OK;
    if (is_dictionary)
        LAM_TRY(end_of_dictionary(finder, &end, error));
    if (end > finder->begin)
        return LAM_STATUS_OK; /* which is elsewhere */
    *ret_ends_right = is_dictionary && page->is_sound;
    return *ret_ends_right ? LAM_STATUS_OK
                           : lam_page_is_followed(finder, page, ret_ends_right, error);
}

lam_status lam_page_find(lam_page_finder *finder, uint64_t offset, lam_found_page *ret_page,
                         lam_error *error) {
    lam_page_trust trust;
    bool is_page;
    LAM_TRY(lam_page_try(finder, offset, ret_page, &trust, error));
    is_page = trust == LAM_PAGE_TRUST_SOUND;
    /* Entries of a dictionary say nothing of where it ends. */
    bool needs_end = ret_page->type == LAM_PAGE_DICTIONARY && !ret_page->crc_is_right;
    if (trust == LAM_PAGE_TRUST_PARSES || (is_page && needs_end))
        LAM_TRY(ends_right(finder, ret_page, &is_page, error));
    bool is_whole = is_page && ret_page->is_sound && !ret_page->is_odd;
    if (!is_whole && (!is_page || ret_page->error.code != LAM_ERROR_CODE_DICTIONARY_MISSING)) {
        bool is_repaired;
        LAM_TRY(repair_page(finder, is_page, ret_page, &is_repaired, error));
        is_page = is_page || is_repaired;
    }
    if (!is_page)
        return find_hole(finder, offset, ret_page, error);
    ret_page->is_guessed =
        !ret_page->has_crc &&
        lam_patched_input_has_bit(finder->patched, ret_page->offset, ret_page->body);
    if (ret_page->is_sound && ret_page->type != LAM_PAGE_DICTIONARY) {
        finder->pattern = ret_page->offset;
        finder->pattern_size = (size_t)(ret_page->body - ret_page->offset);
    }
    return LAM_STATUS_OK;
}
