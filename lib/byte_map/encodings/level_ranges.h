/* SPDX-License-Identifier: Apache-2.0 */
/* Repetition and definition levels of a page as ranges. */
#ifndef LAM_BYTE_MAP_ENCODINGS_LEVEL_RANGES_H
#define LAM_BYTE_MAP_ENCODINGS_LEVEL_RANGES_H

#include "byte_map/walk/byte_walk.h"

typedef struct lam_byte_levels {
    lam_byte_kind kind; /* REPETITION_LEVELS or DEFINITION_LEVELS */
    lam_encoding encoding;
    uint8_t max_level;    /* of the leaf; 0: the page has no such levels */
    uint64_t count;       /* triples of the page */
    uint64_t value_count; /* out: levels that are the maximum */
} lam_byte_levels;

/*
 * Reports the levels that a V1 page has at `*at`, which moves past them, and counts those that are
 * the maximum. If they are damaged, all that remains is UNKNOWN.
 */
lam_status lam_byte_levels_v1(lam_byte_walk *walk, lam_byte_view view, size_t *at,
                              lam_byte_levels *levels, lam_error *error);
/* The same for levels of a V2 page, whose size is in its header. */
lam_status lam_byte_levels_v2(lam_byte_walk *walk, uint64_t begin, uint64_t size,
                              lam_byte_levels *levels, lam_error *error);

#endif
