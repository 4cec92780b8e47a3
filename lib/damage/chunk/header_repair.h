/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the one wrong bit of a page header, for walks over chunks and over entire files. */
#ifndef LAM_DAMAGE_CHUNK_HEADER_REPAIR_H
#define LAM_DAMAGE_CHUNK_HEADER_REPAIR_H

#include <lamella/stop.h>

#include "base/arena.h"
#include "io/patched_input.h"
#include "io/window.h"
#include "meta/metadata.h"

/* What trying headers needs and leaves. The window that is given must read the patched input. */
typedef struct lam_header_repair {
    lam_patched_input *patched; /* borrowed */
    lam_arena arena;            /* of the header that was parsed last */
    lam_buffer written;         /* a header, as it would be written */
    uint64_t crc_begin;         /* the last checksum that was computed, and its bytes */
    uint64_t crc_end;
    uint32_t crc;
    uint64_t work_left; /* bytes that may still be read to try possible pages */
    bool lacks_memory;  /* for the structs of a header */
} lam_header_repair;

/* The work is bounded by the `size` bytes in which headers are tried. Cannot fail. */
void lam_header_repair_init(lam_header_repair *repair, lam_patched_input *patched, uint64_t size,
                            const lam_allocator *allocator);
void lam_header_repair_finish(lam_header_repair *repair);

/*
 * Spends some of the work that trying may take; false when none is left. Hostile bytes may look
 * like a header everywhere, and each trial reads a body.
 */
bool lam_header_repair_spend(lam_header_repair *repair, uint64_t work);

/*
 * Computes the checksum of bytes of the file. The last one is remembered, as most bits of a header
 * leave the body as it is: `has_crc` says that it is of these bytes.
 */
lam_status lam_header_repair_crc(lam_header_repair *repair, lam_window *window, uint64_t begin,
                                 uint64_t end, uint32_t *ret_crc, lam_error *error);
bool lam_header_repair_has_crc(const lam_header_repair *repair, uint64_t begin, uint64_t end);

/* Parses a header; false, or a size of 0, when there is none. It lives until the next call. */
bool lam_header_repair_parse(lam_header_repair *repair, lam_bytes bytes,
                             lam_meta_page_header *ret_header, size_t *ret_size);

enum { LAM_HEADER_TRIAL_ROOM = 4 << 10 };

/* The bytes of a header and those after it, some of which are changed to try the outcome. */
typedef struct lam_header_trial {
    uint64_t offset;
    uint8_t bytes[LAM_HEADER_TRIAL_ROOM];
    size_t size;
    size_t bits; /* from the first on, that may be wrong */
} lam_header_trial;

/* What a header makes of the file. Numbers that a caller does not know are the same in all. */
typedef struct lam_header_outcome {
    uint64_t body;
    uint64_t end;
    int32_t type;
    int32_t encoding;
    int64_t triples;
    int64_t rows;
    uint32_t content; /* a sum of all else that tells two pages apart */
} lam_header_outcome;

/* Who knows when the page of a header is sound. */
typedef struct lam_header_goal {
    void *state;
    /* A header of `header_size` bytes was tried; an outcome is set only if it meets the goal. */
    lam_status (*is_met)(void *state, const lam_meta_page_header *header, size_t header_size,
                         lam_header_outcome *ret_outcome, bool *ret_is_met, lam_error *error);
    const lam_stop *stop; /* or NULL */
} lam_header_goal;

/* Takes the bytes at `offset`; bits of those before `end` may be wrong, but no more than a few. */
lam_status lam_header_trial_begin(lam_header_trial *trial, lam_window *window, uint64_t offset,
                                  uint64_t end, lam_error *error);

/*
 * Tries bytes of which some of the first `changed` were changed. They meet the goal only as a
 * header that contains all of these, and is as long as it would be written.
 */
lam_status lam_header_trial_check(lam_header_repair *repair, const lam_header_trial *trial,
                                  size_t changed, const lam_header_goal *goal,
                                  lam_header_outcome *ret_outcome, bool *ret_is_met,
                                  lam_error *error);

/*
 * Finds the first bit that meets the goal when it is flipped: its number, or SIZE_MAX for none.
 * `*ret_is_ambiguous` when another one does, with another outcome.
 */
lam_status lam_header_find_bit(lam_header_repair *repair, lam_header_trial *trial,
                               const lam_header_goal *goal, size_t *ret_bit, bool *ret_is_ambiguous,
                               lam_error *error);

/* Turns over bits of the byte at `offset`, in all that is read from then on. */
lam_status lam_header_repair_flip(lam_header_repair *repair, lam_window *window, uint64_t offset,
                                  uint8_t mask, lam_error *error);

#endif
