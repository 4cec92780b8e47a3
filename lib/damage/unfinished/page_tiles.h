/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the column chunks of metadata with the pages that are there: chunks must cover the pages
 * as tiles cover a floor.
 *
 *     pages    | d |  p  |  p  | d |  p  |   filter   | p | p |
 *     chunks   |  leaf 0       |  leaf 1 |            | next group's leaf 0
 */
#ifndef LAM_DAMAGE_UNFINISHED_PAGE_TILES_H
#define LAM_DAMAGE_UNFINISHED_PAGE_TILES_H

#include "damage/unfinished/file_item.h"
#include "meta/metadata.h"

/* A Bloom filter that a walk has passed, header and bitset. */
typedef struct lam_walked_bloom {
    uint64_t offset;
    uint64_t size;
} lam_walked_bloom;

/* What a walk has passed, in the order of the file. */
typedef struct lam_page_tiles {
    const lam_walked_page *pages;
    size_t page_count;
    const lam_walked_bloom *blooms;
    size_t bloom_count;
    bool lists_encodings; /* the writer lists the encodings of all pages: compare them, too */
} lam_page_tiles;

/*
 * True when the chunks of `count` row groups begin and end where pages do, leave none of the pages
 * out and overlap nowhere, have the values that the pages have, and each row group has `leaf_count`
 * chunks in this file; and when their Bloom filters are among those given. NOMEM.
 */
lam_status lam_page_tiles_match(const lam_page_tiles *tiles, const lam_meta_row_group *groups,
                                size_t count, size_t leaf_count, const lam_allocator *allocator,
                                bool *ret_match, lam_error *error);

/* True when both row groups have the same rows in the same chunks. */
bool lam_row_group_is_same(const lam_meta_row_group *a, const lam_meta_row_group *b);

#endif
