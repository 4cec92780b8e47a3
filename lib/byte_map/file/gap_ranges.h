/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that no footer refers to, item by item. */
#ifndef LAM_BYTE_MAP_FILE_GAP_RANGES_H
#define LAM_BYTE_MAP_FILE_GAP_RANGES_H

#include "byte_map/walk/byte_walk.h"

/* Reports a gap, and what is recognized in it. */
lam_status lam_byte_gap(lam_byte_walk *walk, uint64_t begin, uint64_t end, lam_error *error);
/*
 * Reports the same bytes item by item, for files without a footer: pages, recovery records,
 * footers, indexes and Bloom filters; all from the first byte that begins none of them is UNKNOWN,
 * with the note.
 */
lam_status lam_byte_items(lam_byte_walk *walk, uint64_t begin, uint64_t end, const char *note,
                          lam_error *error);

#endif
