/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drops elements of lists that do not exist, ghosts, from the levels of writers that are known to
 * write them. (known_faults.h, LAM_FAULT_ARRAY_LEVELS)
 *
 *   r d
 *   0 0   the list is null
 *   1 0   a ghost: another element of it, which has no value
 *   0 3   the next row
 *
 * Takes the levels of a chunk in the order of the file, batch by batch, and gives them without
 * ghosts. A ghost has a repetition level above 0 and a definition level at which the field that
 * would repeat is not defined, after a triple at which it is not defined either. Ghosts begin no
 * record and have no value, so that neither rows nor values of a batch change. Any other
 * contradiction stays, for the assembler of the levels to refuse. (README.md of the format, section
 * "Nested Encoding")
 */
#ifndef LAM_CHUNK_READ_GHOST_LEVELS_H
#define LAM_CHUNK_READ_GHOST_LEVELS_H

#include <stddef.h>
#include <stdint.h>

#include "schema/tree.h"

typedef struct lam_ghost_levels {
    uint8_t max_repetition;
    uint8_t least[256];      /* by repetition level: from where the repeated field is defined */
    uint8_t last_definition; /* of the last triple that stayed; 0 if it is not known */
} lam_ghost_levels;

void lam_ghost_levels_init(lam_ghost_levels *ghosts, const lam_field *leaf);

/*
 * Records that triples were skipped, or that none of those read can be a ghost: all are at the
 * maximum, or all begin records.
 */
static inline void lam_ghost_levels_pass(lam_ghost_levels *ghosts, uint8_t last_definition) {
    ghosts->last_definition = last_definition;
}

/* Moves the triples that stay, of `count` > 0, to the beginning; gives their number. */
size_t lam_ghost_levels_drop(lam_ghost_levels *ghosts, uint8_t *repetition, uint8_t *definition,
                             size_t count);

#endif
