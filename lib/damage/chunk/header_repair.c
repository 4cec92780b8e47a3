/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the wrong bit in a page header: takes the bytes where a page must begin, and a goal that a
 * sound page meets, and gives the bit, which is flipped in all later reads.
 *
 *     | header: one bit of it is tried after the other | body                | next header
 *       sizes, counts, checksum                          matches them, or not
 *
 * The repair never guesses. A header is believed only if it is as long as it would be written and
 * its page is sound; bits that differ in their results leave the header as it is. The work is
 * bounded, as any bytes may look like a header. (parquet.thrift, PageHeader)
 */
#include "damage/chunk/header_repair.h"

#include <string.h>

#include "base/crc32.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "meta/compact.h"

enum {
    REPAIR_HEADER_LIMIT = 16 << 20, /* bytes of the structs of a header, as in page_walk.c */
    REPAIR_HEADER_BYTES = 256,      /* of a header, whose bits are tried */
    REPAIR_CRC_BYTES = 64 << 10,    /* that are summed at once */
    REPAIR_LEAST_WORK = 64 << 20,   /* bytes that are read to try possible pages */
    REPAIR_WORK_FACTOR = 8,         /* and how often those of the file are, beside these */
    REPAIR_TRIAL_WORK = 64          /* of parsing a header, in bytes */
};

void lam_header_repair_init(lam_header_repair *repair, lam_patched_input *patched, uint64_t size,
                            const lam_allocator *allocator) {
    *repair = (lam_header_repair){.patched = patched};
    repair->work_left = REPAIR_LEAST_WORK + REPAIR_WORK_FACTOR * size;
    lam_arena_init(&repair->arena, allocator, REPAIR_HEADER_LIMIT);
    lam_buffer_init(&repair->written, allocator);
}

void lam_header_repair_finish(lam_header_repair *repair) {
    lam_arena_finish(&repair->arena);
    lam_buffer_finish(&repair->written);
}

bool lam_header_repair_spend(lam_header_repair *repair, uint64_t work) {
    uint64_t spent = work < repair->work_left ? work : repair->work_left;
    repair->work_left -= spent;
    return repair->work_left > 0;
}

/* --- Headers and bodies -------------------------------------------------------------------- */

/* None is computed at first, and that of no bytes is 0. */
bool lam_header_repair_has_crc(const lam_header_repair *repair, uint64_t begin, uint64_t end) {
    return begin == repair->crc_begin && end == repair->crc_end;
}

lam_status lam_header_repair_crc(lam_header_repair *repair, lam_window *window, uint64_t begin,
                                 uint64_t end, uint32_t *ret_crc, lam_error *error) {
    uint32_t crc = 0;
    if (lam_header_repair_has_crc(repair, begin, end)) {
        *ret_crc = repair->crc;
        return LAM_STATUS_OK;
    }
    for (uint64_t at = begin; at < end;) {
        const uint8_t *bytes;
        size_t size = end - at < REPAIR_CRC_BYTES ? (size_t)(end - at) : REPAIR_CRC_BYTES;
        LAM_TRY(lam_window_lend(window, at, size, &bytes, error));
        crc = lam_crc32(crc, bytes, size);
        at += size;
    }
    repair->crc_begin = begin;
    repair->crc_end = end;
    repair->crc = crc;
    *ret_crc = crc;
    return LAM_STATUS_OK;
}

bool lam_header_repair_parse(lam_header_repair *repair, lam_bytes bytes,
                             lam_meta_page_header *ret_header, size_t *ret_size) {
    *ret_size = 0;
    lam_arena_reset(&repair->arena);
    lam_status status =
        lam_meta_read_page_header(bytes, &repair->arena, ret_header, ret_size, NULL);
    repair->lacks_memory = repair->lacks_memory || status == LAM_STATUS_NOMEM;
    return status == LAM_STATUS_OK && *ret_size > 0;
}

/*
 * True when a header takes as many bytes as it would if it were written: a bit that turns bytes
 * into an unknown field does not repair it.
 */
static lam_status header_is_canonical(lam_header_repair *repair, const lam_meta_page_header *header,
                                      size_t size, bool *ret_is_canonical, lam_error *error) {
    lam_buffer_clear(&repair->written);
    LAM_TRY(lam_meta_write_page_header(header, &repair->written, error));
    *ret_is_canonical = repair->written.size == size;
    return LAM_STATUS_OK;
}

/* --- Trials -------------------------------------------------------------------------------- */

lam_status lam_header_trial_begin(lam_header_trial *trial, lam_window *window, uint64_t offset,
                                  uint64_t end, lam_error *error) {
    const uint8_t *bytes;
    uint64_t left = window->end - offset;
    trial->offset = offset;
    trial->size = left < sizeof trial->bytes ? (size_t)left : sizeof trial->bytes;
    LAM_TRY(lam_window_lend(window, offset, trial->size, &bytes, error));
    memcpy(trial->bytes, bytes, trial->size);
    uint64_t most = end - offset < REPAIR_HEADER_BYTES ? end - offset : REPAIR_HEADER_BYTES;
    trial->bits = 8 * (size_t)(most < trial->size ? most : trial->size);
    return LAM_STATUS_OK;
}

lam_status lam_header_trial_check(lam_header_repair *repair, const lam_header_trial *trial,
                                  size_t changed, const lam_header_goal *goal,
                                  lam_header_outcome *ret_outcome, bool *ret_is_met,
                                  lam_error *error) {
    lam_meta_page_header header;
    size_t size;
    *ret_is_met = false;
    if (!lam_header_repair_spend(repair, REPAIR_TRIAL_WORK) ||
        !lam_header_repair_parse(repair, (lam_bytes){trial->bytes, trial->size}, &header, &size))
        return LAM_STATUS_OK;
    /* Bytes after the header cannot have been its fault. */
    bool is_canonical = changed <= size;
    if (is_canonical)
        LAM_TRY(header_is_canonical(repair, &header, size, &is_canonical, error));
    return is_canonical ? goal->is_met(goal->state, &header, size, ret_outcome, ret_is_met, error)
                        : LAM_STATUS_OK;
}

static bool is_same_outcome(const lam_header_outcome *a, const lam_header_outcome *b) {
    return a->body == b->body && a->end == b->end && a->type == b->type &&
           a->encoding == b->encoding && a->triples == b->triples && a->rows == b->rows &&
           a->content == b->content;
}

lam_status lam_header_find_bit(lam_header_repair *repair, lam_header_trial *trial,
                               const lam_header_goal *goal, size_t *ret_bit, bool *ret_is_ambiguous,
                               lam_error *error) {
    lam_header_outcome first = {0};
    *ret_bit = SIZE_MAX;
    *ret_is_ambiguous = false;
    for (size_t bit = 0; bit < trial->bits && !*ret_is_ambiguous; bit++) {
        const uint8_t mask = (uint8_t)(1u << bit % 8);
        lam_header_outcome outcome;
        bool is_met;
        LAM_TRY(lam_stop_check(goal->stop, error));
        trial->bytes[bit / 8] ^= mask;
        LAM_TRY(lam_header_trial_check(repair, trial, bit / 8 + 1, goal, &outcome, &is_met, error));
        trial->bytes[bit / 8] ^= mask;
        if (is_met && *ret_bit == SIZE_MAX) {
            *ret_bit = bit;
            first = outcome;
        } else if (is_met) {
            *ret_is_ambiguous = !is_same_outcome(&outcome, &first);
        }
    }
    return LAM_STATUS_OK;
}

lam_status lam_header_repair_flip(lam_header_repair *repair, lam_window *window, uint64_t offset,
                                  uint8_t mask, lam_error *error) {
    LAM_TRY(lam_patched_input_flip(repair->patched, offset, mask, error));
    lam_buffer_clear(&window->buffer);
    return LAM_STATUS_OK;
}
