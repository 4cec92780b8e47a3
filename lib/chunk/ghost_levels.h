/*
 * Elements of lists that are not there, by the levels of writers that are known to write such.
 *
 *     r d
 *     0 0   the list is null
 *     1 0   a ghost: another element of it, which has no value
 *     0 3   the next row
 *
 * In come the levels of a chunk in the order of the file, part by part; out go those without
 * ghosts. A ghost has a repetition level above 0 and a definition level at which the field that
 * would repeat is not defined, behind a triple at which it is not defined either. Ghosts begin no
 * record and have no value, so that neither rows nor values of a part change. All else stays as it
 * is, for the reader of the levels to refuse. (README.md of the format, section "Nested Encoding")
 */
#ifndef LAM_CHUNK_GHOST_LEVELS_H
#define LAM_CHUNK_GHOST_LEVELS_H

#include <stddef.h>
#include <stdint.h>

#include "schema/tree.h"

typedef struct lam_ghost_levels {
    uint8_t max_repetition;
    uint8_t least[256];      /* by repetition level: where the field that repeats is defined */
    uint8_t last_definition; /* of the last triple that stayed; 0 when it is not known */
} lam_ghost_levels;

void lam_ghost_levels_init(lam_ghost_levels *ghosts, const lam_field *leaf);

/* Triples were passed over, or all that came are at the maximum or begin records. */
static inline void lam_ghost_levels_pass(lam_ghost_levels *ghosts, uint8_t last_definition) {
    ghosts->last_definition = last_definition;
}

/* Moves what stays of `count` > 0 triples to the front, and gives their number. */
size_t lam_ghost_levels_drop(lam_ghost_levels *ghosts, uint8_t *repetition, uint8_t *definition,
                             size_t count);

#endif
