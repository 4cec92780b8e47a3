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

#include <string.h>

#include "base/error.h"
#include "base/stop.h"
#include "chunk/page_judge.h"
#include "meta/compact.h"

enum {
    FIND_HEADER_ROOM = 4 << 10, /* bytes that are tried as a header */
    FIND_REPAIR_BYTES = 256,    /* of a header, whose bits are tried */
    FIND_LEAST_PAGE = 8,        /* bytes of the shortest header */
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
           a->encoding == b->encoding && a->triples == b->triples && a->rows == b->rows;
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

/* Tries one bit; `*ret_fits` when the page is sound with it, and what is wanted. */
static lam_status try_bit(lam_page_finder *finder, header_trial *trial, size_t bit,
                          const repair_goal *goal, lam_found_page *page, bool *ret_fits,
                          lam_error *error) {
    lam_meta_page_header header;
    lam_page_trust trust;
    size_t header_size;
    *ret_fits = false;
    if (!lam_page_spend_work(finder, FIND_TRIAL_WORK))
        return LAM_STATUS_OK;
    trial->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    bool parses =
        lam_page_parse(finder, (lam_bytes){trial->bytes, trial->size}, page, &header, &header_size);
    /* A bit behind the header cannot have been what was wrong with it. */
    parses = parses && bit / 8 < header_size;
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
    trial->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    /* Any body is one of no values, so that without a checksum nothing speaks for such a header. */
    bool says_nothing = page->triples == 0 && !page->has_crc;
    if (!parses || !page->is_sound || page->is_odd || says_nothing ||
        (goal->rows >= 0 && page->rows != goal->rows) ||
        (goal->triples >= 0 && page->triples != goal->triples))
        return LAM_STATUS_OK;
    *ret_fits = true;
    return page->has_crc ? LAM_STATUS_OK : lam_page_is_followed(finder, page, ret_fits, error);
}

/* Finds the bit that leads to the goal; SIZE_MAX for none. Several must make the same of it. */
static lam_status find_bit(lam_page_finder *finder, uint64_t offset, uint64_t end,
                           const repair_goal *goal, lam_found_page *ret_page, size_t *ret_bit,
                           lam_error *error) {
    header_trial trial;
    lam_found_page found = {0};
    size_t found_bit = SIZE_MAX;
    *ret_bit = SIZE_MAX;
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
    *ret_page = found_bit == SIZE_MAX ? *ret_page : found;
    *ret_bit = found_bit;
    return LAM_STATUS_OK;
}

lam_status lam_page_find_bit(lam_page_finder *finder, const lam_found_page *page, uint64_t rows,
                             int64_t triples, size_t *ret_bit, lam_error *error) {
    lam_found_page repaired;
    const repair_goal goal = {page, (int64_t)rows, triples};
    return find_bit(finder, page->offset, page->body, &goal, &repaired, ret_bit, error);
}

lam_status lam_page_find_repair(lam_page_finder *finder, const lam_found_page *page, size_t bit,
                                lam_error *error) {
    LAM_TRY(lam_patched_input_flip(finder->patched, page->offset + bit / 8, (unsigned)(bit % 8),
                                   error));
    lam_buffer_clear(&finder->window.buffer);
    finder->repaired++;
    return LAM_STATUS_OK;
}

/* --- Holes --------------------------------------------------------------------------------- */

/* Without checksums a page that was found must lead from page to page to the end of the chunk. */
static lam_status leads_to_end(lam_page_finder *finder, const lam_found_page *first,
                               bool *ret_leads, lam_error *error) {
    lam_found_page page = *first;
    *ret_leads = true;
    while (*ret_leads && page.end < finder->end) {
        lam_meta_page_header header;
        page.offset = page.end;
        LAM_TRY(lam_stop_check(finder->chunk->stop, error));
        LAM_TRY(lam_page_read_header(finder, &page, &header, ret_leads, error));
        *ret_leads = *ret_leads && lam_page_spend_work(finder, FIND_TRIAL_WORK);
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
        lam_page_trust trust;
        bool leads;
        LAM_TRY(lam_window_lend(&finder->window, at, 4, &bytes, error));
        if (!lam_page_may_begin(bytes))
            continue;
        LAM_TRY(lam_page_try(finder, at, &page, &trust, error));
        if (!lam_page_spend_work(finder, FIND_TRIAL_WORK + (page.end > at ? page.end - at : 0)))
            return LAM_STATUS_OK;
        if (trust != LAM_PAGE_TRUST_SOUND)
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
    if (!lam_patched_input_has_gap(finder->patched, offset, hole.end, &hole.error))
        (void)lam_error_set(
            &hole.error, LAM_ERROR_CODE_PAGE_HEADER,
            "a page header cannot be read, and the next page is %u bytes further on",
            (unsigned)(hole.end - offset));
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
    size_t bit;
    LAM_TRY(
        find_bit(finder, offset, is_page ? damaged.body : finder->end, &goal, page, &bit, error));
    *ret_repaired = bit != SIZE_MAX;
    if (*ret_repaired)
        LAM_TRY(lam_page_find_repair(finder, page, bit, error));
    return offset == finder->begin ? take_dictionary(finder, *ret_repaired, page, error)
                                   : LAM_STATUS_OK;
}

lam_status lam_page_find(lam_page_finder *finder, uint64_t offset, lam_found_page *ret_page,
                         lam_error *error) {
    lam_page_trust trust;
    bool is_page;
    LAM_TRY(lam_page_try(finder, offset, ret_page, &trust, error));
    is_page = trust == LAM_PAGE_TRUST_SOUND;
    if (trust == LAM_PAGE_TRUST_PARSES)
        LAM_TRY(lam_page_is_followed(finder, ret_page, &is_page, error));
    if (is_page && ret_page->is_sound && !ret_page->is_odd)
        return LAM_STATUS_OK;
    if (!is_page || ret_page->error.code != LAM_ERROR_CODE_DICTIONARY_MISSING) {
        bool is_repaired;
        LAM_TRY(repair_page(finder, is_page, ret_page, &is_repaired, error));
        is_page = is_page || is_repaired;
    }
    return is_page ? LAM_STATUS_OK : find_hole(finder, offset, ret_page, error);
}
