/* SPDX-License-Identifier: Apache-2.0 */
/* Column chunks as pages, and pages as header, levels and body. */
#ifndef LAM_BYTE_MAP_FILE_PAGE_RANGES_H
#define LAM_BYTE_MAP_FILE_PAGE_RANGES_H

#include "byte_map/walk/byte_walk.h"

/* A page of a chunk, and all that its body is read with. */
typedef struct lam_byte_page {
    const lam_meta_page_header *header;
    const lam_field *leaf; /* NULL if the schema cannot be read: then the body is one range */
    lam_codec codec;
    uint64_t begin;
    uint64_t header_size;
    uint64_t first; /* triple of the chunk */
} lam_byte_page;

/*
 * Reports the inside of a chunk that was entered: its pages. `range` is where the footer says that
 * they are; they may end a little after it, at `*ret_end` (PARQUET-816).
 */
lam_status lam_byte_pages(lam_byte_walk *walk, const lam_meta_column *column, lam_chunk_range range,
                          lam_error *error);
/*
 * Finds where the last page of a chunk ends: past its stated range if that leaves out the header of
 * the dictionary page, and there is room for it before `next`.
 */
lam_status lam_byte_find_end(lam_byte_walk *walk, const lam_meta_column *column,
                             lam_chunk_range range, uint64_t next, uint64_t *ret_end,
                             lam_error *error);

/* Reports a page of no known chunk. */
lam_status lam_byte_lone_page(lam_byte_walk *walk, uint64_t begin, uint32_t header_size,
                              uint32_t body_size, lam_error *error);

/* Reports the inside of a page that was entered. */
lam_status lam_byte_page_sections(lam_byte_walk *walk, const lam_byte_page *page, lam_error *error);

/* The codec of a chunk by its number in the format; DEFAULT for one that is unknown. */
static inline lam_codec lam_byte_codec(int32_t number) {
    return number >= 0 && number < LAM_CODEC_LZ4_RAW ? (lam_codec)(number + 1) : LAM_CODEC_DEFAULT;
}

#endif
