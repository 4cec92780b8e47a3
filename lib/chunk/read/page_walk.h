/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a column chunk in its file, and moves from page header to page header.
 */
#ifndef LAM_CHUNK_READ_PAGE_WALK_H
#define LAM_CHUNK_READ_PAGE_WALK_H

#include "base/arena.h"
#include "io/window.h"
#include "meta/metadata.h"

/* The bytes of a chunk in the file, checked: they are inside the input and before the footer. */
typedef struct lam_chunk_range {
    uint64_t offset;
    uint64_t size;
    uint64_t room; /* bytes between the end of the chunk and the footer */
} lam_chunk_range;

/*
 * Finds the bytes of a chunk. `limit` is the offset of the footer. CORRUPT if the numbers in the
 * footer contradict it; a chunk without values may state any offset and gives an empty range.
 */
lam_status lam_chunk_find(const lam_meta_column *column, uint64_t limit, lam_chunk_range *ret_range,
                          lam_error *error);

/*
 * A position that moves from page to page of a chunk. It reads headers; bodies only on request.
 * (The page headers of a chunk are a list without an index: each header states where the next one
 * begins.)
 */
typedef struct lam_page_walk {
    lam_window window;
    lam_arena arena;  /* the structs of the open header */
    uint64_t body;    /* offset of the body of the last page stepped over */
    uint64_t next;    /* offset of the next header, the end of that body */
    uint64_t room;    /* bytes by which the end may still move */
    uint64_t hidden;  /* bytes that the stated size of the chunk may leave out */
    bool header_only; /* the next page is likely skipped: read its header only */
} lam_page_walk;

void lam_page_walk_init(lam_page_walk *walk, const lam_input *input, lam_chunk_range range,
                        const lam_allocator *allocator);
void lam_page_walk_finish(lam_page_walk *walk);
/* True at the end of the chunk, according to its stated size. */
bool lam_page_walk_at_end(const lam_page_walk *walk);
/*
 * Moves the end of a chunk that lacks values, once. parquet-mr before 1.2.9 did not count the
 * header of the dictionary page in the size of a chunk (PARQUET-816), so the end moves by that
 * header's size. False if there is no such size, or no room before the footer.
 */
bool lam_page_walk_extend(lam_page_walk *walk);
/*
 * Reads the next header and moves past its page; gives the offset of the header, too. The structs
 * of the header are borrowed until the next call of this function, its byte strings until the body
 * is requested.
 */
lam_status lam_page_walk_next(lam_page_walk *walk, lam_meta_page_header *ret_header,
                              uint64_t *ret_offset, lam_error *error);
/* Gives the body of the page that `next` moved past, borrowed until the next call. */
lam_status lam_page_walk_body(lam_page_walk *walk, lam_bytes *ret_body, lam_error *error);
/*
 * Frees the memory of that body, which is not needed any more, if it is more than the bytes read
 * ahead.
 */
void lam_page_walk_release(lam_page_walk *walk);
/* Gives the first `size` bytes of that body, which must have as many. */
lam_status lam_page_walk_prefix(lam_page_walk *walk, size_t size, lam_bytes *ret_prefix,
                                lam_error *error);

#endif
