/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds ghosts by two comparisons per triple, from the levels of a batch and the definition level
 * of the triple before it; the levels that stay are moved together in the same arrays.
 *
 *   least[r]   definition level of the field that repeats at r: an element exists from there on
 *              optional group a (LIST) { repeated group list { optional int32 element } }
 *              least[1] is 2: 0 is a null list, 1 an empty one
 *
 * The invariant: a triple is removed only if it and the last one that stayed are both below
 * least[r]. least[0] is 0, so that the first triple of a record always stays. (README.md of the
 * format, "Nested Encoding")
 */
#include "chunk/read/ghost_levels.h"

#include <string.h>

#include "dremel/slots.h"

void lam_ghost_levels_init(lam_ghost_levels *ghosts, const lam_field *leaf) {
    memset(ghosts, 0, sizeof *ghosts);
    ghosts->max_repetition = leaf->max_repetition;
    lam_slots_least(leaf, ghosts->least);
}

/*
 * True if a triple after the first level may be a ghost. The loop has no branches, so that files
 * without ghosts lose little time.
 */
static bool may_have_some(const lam_ghost_levels *ghosts, const uint8_t *repetition,
                          const uint8_t *definition, size_t count) {
    uint8_t found = 0;
    for (unsigned level = 1; level <= ghosts->max_repetition; level++) {
        uint8_t wanted = (uint8_t)level, least = ghosts->least[level];
        for (size_t i = 0; i < count; i++)
            found |= (uint8_t)((repetition[i] == wanted) & (definition[i] < least));
    }
    return found != 0;
}

/* A null ARRAY of three elements has three such triples; the first stays: the null list. */
size_t lam_ghost_levels_drop(lam_ghost_levels *ghosts, uint8_t *repetition, uint8_t *definition,
                             size_t count) {
    size_t kept = 0;
    if (!may_have_some(ghosts, repetition, definition, count)) {
        ghosts->last_definition = definition[count - 1];
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t r = repetition[i], d = definition[i];
        if (d < ghosts->least[r] && ghosts->last_definition < ghosts->least[r])
            continue; /* least[0] is 0 */
        repetition[kept] = r;
        definition[kept] = d;
        kept++;
        ghosts->last_definition = d;
    }
    return kept;
}
