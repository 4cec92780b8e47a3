/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the pages of a damaged column chunk. */
#ifndef LAM_DAMAGE_CHUNK_PAGE_FIND_H
#define LAM_DAMAGE_CHUNK_PAGE_FIND_H

#include "chunk/read/cursor_state.h"
#include "damage/chunk/header_repair.h"
#include "damage/chunk/page_survey.h"

/* What is at an offset of a chunk. */
typedef struct lam_found_page {
    uint64_t offset;
    uint64_t body;
    uint64_t end;
    bool is_hole;  /* bytes that are no page: the header is damaged, or is missed */
    bool is_sound; /* the body matches its checksum, if there is one, and decodes */
    bool has_crc;
    bool crc_is_right;
    int32_t type;     /* lam_page_type */
    int32_t encoding; /* of the values of a data page */
    uint32_t content; /* a sum of its levels and of how many bytes its values take */
    int64_t triples;  /* by the header; -1 for none */
    int64_t rows;     /* counted in a sound page; else num_rows of a V2 header, or -1 */
    int64_t values;   /* counted in a sound page */
    bool continues;   /* a sound page whose first triple continues a record */
    bool is_odd;      /* a sound page with other values than its header counts */
    bool is_padded;   /* a sound page with bytes after its levels */
    bool is_guessed;  /* a bit of the header was flipped, and there is no checksum */
    lam_error error;  /* why it is not sound */
} lam_found_page;

/*
 * True when the end that the header of a page states is right: its body is sound up to there, or
 * matches the checksum, or the input fails to read it, and the header has no fault.
 */
static inline bool lam_page_ends_as_stated(const lam_found_page *page) {
    bool is_unreadable = !page->is_hole && page->error.status == LAM_STATUS_IO;
    return (page->is_sound && !page->is_guessed && !page->is_odd) || page->crc_is_right ||
           is_unreadable;
}

/* Looks at one chunk. `cursor` is of the same chunk, and lends its decoders and its dictionary. */
typedef struct lam_page_finder {
    const lam_column_chunk *chunk;
    lam_column_cursor *cursor;
    lam_survey_hints hints;
    bool is_trial;  /* a header of which bytes were changed is tried */
    bool needs_crc; /* pages of the chunk have checksums: one without has a damaged header */
    uint64_t begin; /* of the chunk */
    uint64_t end;
    lam_window window;
    lam_header_repair repair;
    uint64_t pattern;    /* offset of the header of the last sound data page */
    size_t pattern_size; /* and its size; 0 before the first */
    size_t repaired;
} lam_page_finder;

void lam_page_finder_init(lam_page_finder *finder, const lam_column_chunk *chunk,
                          lam_column_cursor *cursor, lam_patched_input *patched,
                          lam_survey_hints hints, lam_chunk_range range,
                          const lam_allocator *allocator);
/* Finds out whether pages of the chunk have checksums. Comes before all that follow. */
lam_status lam_page_finder_begin(lam_page_finder *finder, lam_error *error);
void lam_page_finder_finish(lam_page_finder *finder);

/*
 * Finds what is at `offset`, where a page must begin: a page, or a hole up to where the next one is
 * known to be. A hole where the dictionary must be has its type.
 */
lam_status lam_page_find(lam_page_finder *finder, uint64_t offset, lam_found_page *ret_page,
                         lam_error *error);
/*
 * Finds the one bit of the header of a page, whose body is as long as before, that makes it a sound
 * page of `rows` rows, and of `triples` triples if that is not -1: its number in the header. It is
 * SIZE_MAX when there is none, or when bits differ in their results.
 */
lam_status lam_page_find_bit(lam_page_finder *finder, const lam_found_page *page, uint64_t rows,
                             int64_t triples, size_t *ret_bit, lam_error *error);
/* Turns that bit over. */
lam_status lam_page_find_repair(lam_page_finder *finder, const lam_found_page *page, size_t bit,
                                lam_error *error);

/* The location that the offset index has of an offset; NULL without one. */
const lam_meta_page_location *lam_page_finder_location(const lam_page_finder *finder,
                                                       uint64_t offset);

#endif
