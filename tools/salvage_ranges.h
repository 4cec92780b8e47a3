/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of a damaged column chunk can still be read. Where an offset index says at which row
 * each page begins, each page is tried alone; without one the chunk is lost from its first row on.
 */
#ifndef LAMELLA_TOOLS_SALVAGE_RANGES_H
#define LAMELLA_TOOLS_SALVAGE_RANGES_H

#include <lamella/lamella.h>

/* Rows of a row group, `end` not among them, that cannot be read of a leaf. */
typedef struct salvage_range {
    size_t leaf;
    uint64_t first;
    uint64_t end;
} salvage_range;

typedef struct salvage_ranges {
    salvage_range *items; /* by leaf, then by row */
    size_t count;
} salvage_ranges;

/*
 * Adds what cannot be read of a leaf in a row group that begins at row `base` of the file and has
 * `rows`. Gives how many rows that are; with the first failure in `error`, if there are any.
 */
uint64_t salvage_find(salvage_ranges *ranges, const lam_reader *reader, size_t row_group,
                      size_t leaf, uint64_t base, uint64_t rows, lam_error *error);

/* Unmarks the leaves that cannot be read at a row, and gives the next row where that changes. */
uint64_t salvage_leaves_at(const salvage_ranges *ranges, uint64_t row, uint64_t rows, bool *leaves);

#endif
