/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints an automaton as JSON: its states, its table, and its arrows, where levels that lead from
 * one state to the same other are always one arrow.
 */
#include "automaton_json.h"

#include "level_words.h"
#include "levels_json.h"
#include "tool.h"

typedef struct edge_phrase {
    const lam_field *leaf;
    const lam_field *next;
    unsigned r;
} edge_phrase;

static lam_status write_edge(const void *state, lam_output *out, lam_error *error) {
    const edge_phrase *edge = state;
    return level_words_edge(edge->leaf, edge->next, edge->r, out, error);
}

bool automaton_is_first(const lam_automaton *automaton, size_t state, unsigned r) {
    size_t next = lam_automaton_next(automaton, state, (uint8_t)r);
    for (unsigned lower = 0; lower < r; lower++)
        if (lam_automaton_next(automaton, state, (uint8_t)lower) == next)
            return false;
    return true;
}

/* One arrow: its levels, and a phrase for each. */
static lam_status print_edge(const lam_automaton *automaton, size_t state, unsigned r,
                             lam_error *error) {
    const lam_field *leaf = lam_automaton_leaf(automaton, state);
    size_t to = lam_automaton_next(automaton, state, (uint8_t)r);
    edge_phrase edge = {leaf, lam_automaton_leaf(automaton, to), r};
    lam_status status = LAM_STATUS_OK;
    tool_print("{\"from\":%zu,\"to\":%zu,\"r\":[%u", state, to, r);
    for (unsigned more = r + 1; more <= lam_field_max_repetition(leaf); more++)
        if (lam_automaton_next(automaton, state, (uint8_t)more) == to)
            tool_print(",%u", more);
    tool_print("],\"words\":[");
    for (; edge.r <= lam_field_max_repetition(leaf) && status == LAM_STATUS_OK; edge.r++) {
        if (lam_automaton_next(automaton, state, (uint8_t)edge.r) != to)
            continue;
        tool_print(edge.r == r ? "" : ",");
        status = levels_print_phrase(write_edge, &edge, error);
    }
    tool_print("]}");
    return status;
}

static lam_status print_edges(const lam_automaton *automaton, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    bool is_first = true;
    for (size_t state = 0; state < lam_automaton_state_count(automaton); state++) {
        unsigned max = lam_field_max_repetition(lam_automaton_leaf(automaton, state));
        for (unsigned r = 0; r <= max && status == LAM_STATUS_OK; r++) {
            if (!automaton_is_first(automaton, state, r))
                continue;
            tool_print(is_first ? "" : ",");
            is_first = false;
            status = print_edge(automaton, state, r, error);
        }
    }
    return status;
}

lam_status automaton_print_json(const lam_automaton *automaton, lam_error *error) {
    size_t count = lam_automaton_state_count(automaton);
    tool_print("{\"leaves\":[");
    for (size_t state = 0; state < count; state++) {
        tool_print(state == 0 ? "" : ",");
        tool_print_path_json(lam_automaton_leaf(automaton, state));
    }
    tool_print("],\"max_repetition\":[");
    for (size_t state = 0; state < count; state++)
        tool_print(state == 0 ? "%u" : ",%u",
                   lam_field_max_repetition(lam_automaton_leaf(automaton, state)));
    tool_print("],\"next\":[");
    for (size_t state = 0; state < count; state++) {
        tool_print(state == 0 ? "[" : ",[");
        unsigned max = lam_field_max_repetition(lam_automaton_leaf(automaton, state));
        for (unsigned r = 0; r <= max; r++)
            tool_print(r == 0 ? "%zu" : ",%zu", lam_automaton_next(automaton, state, (uint8_t)r));
        tool_print("]");
    }
    tool_print("],\"edges\":[");
    lam_status status = print_edges(automaton, error);
    tool_print("]}\n");
    return status;
}
