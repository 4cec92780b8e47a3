/* SPDX-License-Identifier: Apache-2.0 */
/* Runs and packed bits as ranges: levels, dictionary indexes, booleans. */
#ifndef LAM_BYTE_MAP_ENCODINGS_HYBRID_RANGES_H
#define LAM_BYTE_MAP_ENCODINGS_HYBRID_RANGES_H

#include "byte_map/walk/byte_walk.h"

/* Number `index` of packed ones that have `size` bytes; bits beyond these are 0. */
uint64_t lam_byte_unpack(const uint8_t *bytes, size_t size, unsigned width, unsigned index,
                         bool is_reversed);

/* What packed numbers belong to, and how they print. */
typedef struct lam_byte_packed {
    unsigned bit_width;
    uint64_t first;   /* number of the first */
    uint64_t count;   /* of the numbers that count; those after them are padding */
    uint64_t base;    /* added to each */
    uint64_t *last;   /* NULL; else numbers are differences, to be added up from here */
    unsigned bits;    /* 32 or 64, of sums and differences; 0: the numbers are unsigned */
    bool is_reversed; /* the first number is in the highest bits: BIT_PACKED */
} lam_byte_packed;

/*
 * Reports groups of 8 numbers, each of `bit_width` bytes, that cover the view. Those without a
 * number that counts are one range of PADDING. A last group may be cut short.
 */
lam_status lam_byte_groups(lam_byte_walk *walk, lam_byte_view view, const lam_byte_packed *packed,
                           lam_error *error);

/*
 * Reports `count` numbers of the RLE / bit-packing hybrid. The remainder of the view is UNKNOWN.
 * (Encodings.md, "Run Length Encoding / Bit-Packing Hybrid")
 */
lam_status lam_byte_runs(lam_byte_walk *walk, lam_byte_view view, unsigned bit_width,
                         uint64_t count, lam_error *error);

#endif
