/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the pages of a damaged chunk one after the other: takes bytes of a chunk, and perhaps the
 * locations of an offset index, and gives pages, each sound or not, and holes between them.
 *
 *     | header | body | header | body | ???                  | header | body |
 *     a page whose     its checksum    no header: a hole up to where the footer or the offset index
 *     header leads     is wrong        has a page, or to the end of the chunk
 *     to another
 *
 * The invariant: a header is believed only if other evidence agrees with it: the checksum of the
 * body that it delimits; or, without checksums, that the body decodes; or, for a damaged body, that
 * another header begins at its end. A header is mended, by one bit or by bytes that are the same in
 * all headers, if exactly one outcome is then sound. No page is searched for after a header that
 * cannot be read: one that seems to be there, checksum and all, may be bytes of a value.
 * (parquet.thrift, PageHeader; PageIndex.md, "OffsetIndex")
 */
#include "damage/chunk/page_find.h"

#include <inttypes.h>
#include <lamella/format.h>
#include <string.h>

#include "base/error.h"
#include "damage/chunk/header_restore.h"
#include "damage/chunk/page_trust.h"

enum { FIND_PATTERN_ROOM = 64 }; /* bytes of a header from which others are restored */

/* --- Repair -------------------------------------------------------------------------------- */

/* What a repaired header must state, besides having a sound page. */
typedef struct repair_goal {
    lam_page_finder *finder;
    uint64_t offset;
    const lam_found_page *same_body; /* or NULL: a body of any size */
    int64_t rows;                    /* or -1 */
    int64_t triples;                 /* or -1 */
    bool is_met;                     /* by some header */
    lam_found_page page;             /* of the first one */
} repair_goal;

/* True when a header states what is wanted, as far as that can be known before its body is read. */
static bool header_is_wanted(repair_goal *goal, const lam_meta_page_header *header,
                             lam_found_page *page) {
    lam_page_finder *finder = goal->finder;
    if (!lam_page_describe(finder, header, page) ||
        (goal->same_body != NULL &&
         (page->body != goal->same_body->body || page->end != goal->same_body->end)))
        return false;
    return (page->has_crc && lam_header_repair_has_crc(&finder->repair, page->body, page->end)) ||
           lam_header_repair_spend(&finder->repair, page->end - page->body);
}

static void keep_outcome(repair_goal *goal, const lam_found_page *page,
                         lam_header_outcome *ret_outcome) {
    *ret_outcome = (lam_header_outcome){.body = page->body,
                                        .end = page->end,
                                        .type = page->type,
                                        .encoding = page->encoding,
                                        .triples = page->triples,
                                        .rows = page->rows,
                                        .content = page->content};
    if (!goal->is_met)
        goal->page = *page;
    goal->is_met = true;
}

/* Met by the header of a page that is sound, and what is wanted. */
static lam_status makes_sound_page(void *state, const lam_meta_page_header *header,
                                   size_t header_size, lam_header_outcome *ret_outcome,
                                   bool *ret_is_met, lam_error *error) {
    repair_goal *goal = state;
    lam_page_finder *finder = goal->finder;
    lam_found_page page = {
        .offset = goal->offset, .body = goal->offset + header_size, .error = lam_error_none()};
    lam_page_trust trust;
    *ret_is_met = false;
    if (!header_is_wanted(goal, header, &page))
        return LAM_STATUS_OK;
    finder->is_trial = true;
    lam_status status = lam_page_confirm(finder, header, &page, &trust, error);
    finder->is_trial = false;
    LAM_TRY(status);
    /*
     * Any body is one of no values, so that without a checksum, or bytes that it sums, there is no
     * evidence for such a header.
     */
    bool says_nothing = page.triples == 0 && (!page.has_crc || page.end == page.body);
    if (!page.is_sound || page.is_odd || says_nothing ||
        (goal->rows >= 0 && page.rows != goal->rows) ||
        (goal->triples >= 0 && page.triples != goal->triples))
        return LAM_STATUS_OK;
    *ret_is_met = true;
    if (!page.has_crc)
        LAM_TRY(lam_page_is_followed(finder, &page, ret_is_met, error));
    if (*ret_is_met)
        keep_outcome(goal, &page, ret_outcome);
    return LAM_STATUS_OK;
}

static lam_header_goal header_goal_of(repair_goal *goal) {
    return (lam_header_goal){goal, makes_sound_page, goal->finder->chunk->stop};
}

lam_status lam_page_find_bit(lam_page_finder *finder, const lam_found_page *page, uint64_t rows,
                             int64_t triples, size_t *ret_bit, lam_error *error) {
    lam_header_trial trial;
    repair_goal wanted = {finder, page->offset, page, (int64_t)rows, triples, false, {0}};
    const lam_header_goal goal = header_goal_of(&wanted);
    bool is_ambiguous;
    LAM_TRY(lam_header_trial_begin(&trial, &finder->window, page->offset, page->body, error));
    LAM_TRY(lam_header_find_bit(&finder->repair, &trial, &goal, ret_bit, &is_ambiguous, error));
    if (is_ambiguous)
        *ret_bit = SIZE_MAX;
    return LAM_STATUS_OK;
}

lam_status lam_page_find_repair(lam_page_finder *finder, const lam_found_page *page, size_t bit,
                                lam_error *error) {
    LAM_TRY(lam_header_repair_flip(&finder->repair, &finder->window, page->offset + bit / 8,
                                   (uint8_t)(1u << bit % 8), error));
    finder->repaired++;
    return LAM_STATUS_OK;
}

/*
 * Gives a header the bytes that are the same in all of the chunk, as the last sound page shows
 * them; `*ret_is_restored` when that makes a page with a checksum. If more than a bit of a header
 * is damaged, a body without a checksum need not be the one that was written, though it decodes.
 */
static lam_status restore_header(lam_page_finder *finder, lam_header_trial *trial,
                                 repair_goal *wanted, lam_found_page *page, bool *ret_is_restored,
                                 lam_error *error) {
    const lam_header_goal goal = header_goal_of(wanted);
    const uint8_t *bytes;
    uint8_t pattern[FIND_PATTERN_ROOM], before[FIND_PATTERN_ROOM];
    size_t size = finder->pattern_size, room = sizeof before;
    lam_header_outcome outcome;
    *ret_is_restored = false;
    if (size == 0 || size > sizeof pattern)
        return LAM_STATUS_OK;
    LAM_TRY(lam_window_lend(&finder->window, finder->pattern, size, &bytes, error));
    memcpy(pattern, bytes, size);
    room = trial->size < room ? trial->size : room;
    memcpy(before, trial->bytes, room);
    size = lam_header_restore((lam_bytes){pattern, size}, trial->bytes, room);
    if (size > 0)
        LAM_TRY(lam_header_trial_check(&finder->repair, trial, size, &goal, &outcome,
                                       ret_is_restored, error));
    *ret_is_restored = *ret_is_restored && wanted->page.has_crc;
    if (!*ret_is_restored)
        return LAM_STATUS_OK;
    for (size_t i = 0; i < size; i++)
        if (before[i] != trial->bytes[i])
            LAM_TRY(lam_header_repair_flip(&finder->repair, &finder->window, trial->offset + i,
                                           before[i] ^ trial->bytes[i], error));
    finder->repaired++;
    *page = wanted->page;
    return LAM_STATUS_OK;
}

/* --- Holes --------------------------------------------------------------------------------- */

/*
 * The first data page, by the footer, of a chunk that begins with a dictionary; the beginning of
 * the chunk when it states an impossible one, or no page is there.
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
    if (!lam_patched_input_has_gap(finder->repair.patched, offset, hole.end, &hole.error))
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

/* Of the headers that were tried as a dictionary's, only a repaired one counts. */
static lam_status take_dictionary(lam_page_finder *finder, bool is_repaired, lam_found_page *page,
                                  lam_error *error) {
    lam_page_trust trust;
    lam_page_drop_dictionary(finder->cursor);
    return is_repaired ? lam_page_try(finder, page->offset, page, &trust, error) : LAM_STATUS_OK;
}

/* Repairs the header of bytes that are no page, or no sound one. */
static lam_status repair_page(lam_page_finder *finder, bool is_page, lam_found_page *page,
                              bool *ret_repaired, lam_error *error) {
    const lam_found_page damaged = *page;
    repair_goal wanted = {.finder = finder, .offset = damaged.offset, .rows = -1, .triples = -1};
    wanted.same_body = is_page && damaged.crc_is_right ? &damaged : NULL;
    const lam_header_goal goal = header_goal_of(&wanted);
    uint64_t offset = damaged.offset;
    lam_header_trial trial;
    bool is_ambiguous;
    size_t bit;
    LAM_TRY(lam_header_trial_begin(&trial, &finder->window, offset,
                                   is_page ? damaged.body : finder->end, error));
    LAM_TRY(lam_header_find_bit(&finder->repair, &trial, &goal, &bit, &is_ambiguous, error));
    *ret_repaired = bit != SIZE_MAX && !is_ambiguous;
    if (*ret_repaired) {
        *page = wanted.page;
        LAM_TRY(lam_page_find_repair(finder, page, bit, error));
    } else if (!is_ambiguous) {
        LAM_TRY(restore_header(finder, &trial, &wanted, page, ret_repaired, error));
    }
    return offset == finder->begin ? take_dictionary(finder, *ret_repaired, page, error)
                                   : LAM_STATUS_OK;
}

/* Whether another page begins at the end that a page's header states. */
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
    /* Entries of a dictionary do not show where it ends. */
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
        lam_patched_input_has_bit(finder->repair.patched, ret_page->offset, ret_page->body);
    if (ret_page->is_sound && ret_page->type != LAM_PAGE_DICTIONARY) {
        finder->pattern = ret_page->offset;
        finder->pattern_size = (size_t)(ret_page->body - ret_page->offset);
    }
    return LAM_STATUS_OK;
}
