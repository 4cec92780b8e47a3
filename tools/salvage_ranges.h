/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of which leaves a salvage has found to be lost, row group by row group. */
#ifndef LAMELLA_TOOLS_SALVAGE_RANGES_H
#define LAMELLA_TOOLS_SALVAGE_RANGES_H

#include <lamella/salvage.h>

/* Rows of a row group, `end` not among them, that cannot be read of a leaf. */
typedef struct salvage_range {
    size_t row_group;
    size_t leaf;
    uint64_t first;
    uint64_t end;
    const lam_error *error; /* why; the salvage's */
} salvage_range;

typedef struct salvage_ranges {
    salvage_range *items; /* by row group, then leaf, then row; to be freed with free() */
    size_t count;
} salvage_ranges;

/* Lists what a salvage has lost. */
salvage_ranges salvage_list(const lam_salvage *salvage);

/*
 * Gives how many rows of a leaf are lost in a row group; with the first of their ranges, NULL if
 * there are none.
 */
uint64_t salvage_lost_rows(const salvage_ranges *ranges, size_t row_group, size_t leaf,
                           const salvage_range **ret_first);

/*
 * Unmarks the leaves that cannot be read at a row of a row group of `rows`, and gives the next row
 * where that changes.
 */
uint64_t salvage_leaves_at(const salvage_ranges *ranges, size_t row_group, uint64_t row,
                           uint64_t rows, bool *leaves);

#endif
