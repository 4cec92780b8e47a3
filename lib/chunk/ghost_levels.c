#include "chunk/ghost_levels.h"

#include <string.h>

void lam_ghost_levels_init(lam_ghost_levels *ghosts, const lam_field *leaf) {
    memset(ghosts, 0, sizeof *ghosts);
    ghosts->max_repetition = leaf->max_repetition;
    for (const lam_field *field = leaf; field->index != 0; field = lam_parent_of(field))
        if (field->repetition == LAM_REPETITION_REPEATED)
            ghosts->least[field->max_repetition] = field->max_definition;
}

/* One comparison for many triples at once: files without ghosts should not be slower to read. */
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
