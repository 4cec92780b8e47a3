/* SPDX-License-Identifier: Apache-2.0 */
/* The automaton as "lamella automaton --json" prints it. */
#ifndef LAMELLA_TOOLS_AUTOMATON_JSON_H
#define LAMELLA_TOOLS_AUTOMATON_JSON_H

#include <lamella/dremel.h>

/*
 * Prints one object and a newline; states are counted from 0, and their number is the end:
 *
 *     {"leaves":["DocId",...],"max_repetition":[0,...],"next":[[1],...],
 *      "edges":[{"from":0,"to":1,"r":[0],"words":["no further DocId in this record: ..."]},...]}
 *
 * next[i][r] is the state after state i when r comes next in its column. "edges" has the same once
 * for each pair of states, with all levels that lead from one to the other.
 */
lam_status automaton_print_json(const lam_automaton *automaton, lam_error *error);

/* Whether no lower level leads from the state to the target of `r`: one arrow begins with it. */
bool automaton_is_first(const lam_automaton *automaton, size_t state, unsigned r);

#endif
