/* SPDX-License-Identifier: Apache-2.0 */
/* The automaton's edges, for the assembler: where each one leads, and at which field it turns. */
#ifndef LAM_DREMEL_AUTOMATON_H
#define LAM_DREMEL_AUTOMATON_H

#include <lamella/dremel.h>

typedef struct lam_automaton_edge {
    uint32_t next; /* state; state_count is the end of the record */
    uint32_t turn; /* index of a field: an ancestor of both leaves, or the leaf itself */
} lam_automaton_edge;

/*
 * The edge of a state for a repetition level from 0 to the leaf's maximum. On an edge that leads
 * forward, to the following state or the end, `turn` is the innermost group that holds both leaves
 * (the root for the end). On one that leads back, or to the state itself, `turn` is the repeated
 * field whose next element begins.
 */
lam_automaton_edge lam_automaton_edge_at(const lam_automaton *automaton, size_t state,
                                         uint8_t repetition);

#endif
