/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the finite-state machine of record assembly (Dremel paper, section 4.3 and appendix C). A
 * state reads one triple of its leaf; then the repetition level r of the *next* triple in the same
 * column selects the edge to follow. There are only two kinds of edges.
 *
 * Forward, to the following leaf (or the end). Let G be the innermost group that holds both leaves.
 * A level up to G's own says that the column has no more for this element of G; the leaves that
 * follow have the rest of the element.
 *
 * Back. A higher level belongs to exactly one repeated field of the path, between G and the leaf.
 * The following leaf is not below that field, so this leaf is the last one there: its element is
 * complete, another one follows, and it starts with the field's first leaf. So every repeated field
 * has one edge back, from its last projected leaf to its first.
 *
 *     message Document {                          state            r = 0   1   2
 *       required int64 DocId;                 0   DocId                1
 *       optional group Links {
 *         repeated int64 Backward;            1   Links.Backward       2   1
 *         repeated int64 Forward; }           2   Links.Forward        3   2
 *       repeated group Name {
 *         repeated group Language {
 *           required binary Code;             3   Code                 4   4   4
 *           optional binary Country; }        4   Country              5   5   3
 *         optional binary Url; }}             5   Url                  6   3
 *                                             6   (the record ends)
 *
 * A projection needs no case of its own: all of this is meant among the projected leaves.
 */
#include "dremel/automaton.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "schema/tree.h"

/* A hostile schema may be both deep and wide; the tables of a real one are far smaller. */
static const size_t AUTOMATON_TABLE_BUDGET = (size_t)256 << 20;

struct lam_automaton {
    lam_allocator allocator;
    lam_schema *schema;
    lam_arena arena; /* holds all below */
    size_t state_count;
    uint32_t *leaves;          /* per state: leaf index */
    size_t *first_edge;        /* per state: where its edges start, one for each level */
    lam_automaton_edge *edges; /* of all states */
};

static const lam_field *automaton_leaf_of(const lam_automaton *automaton, size_t state) {
    return lam_leaf_at(automaton->schema, automaton->leaves[state]);
}

/*
 * Makes the edges of one state. Walks up from the leaf to G, the first ancestor whose leaves
 * include the following one. Each repeated field below G on the way is left by its last leaf, and
 * so gets its edge back; all levels up to G's own lead forward. O(depth + levels).
 *
 * At Country, followed by Url: Country and Language do not hold Url, and Language is repeated, so
 * level 2 leads back to Code. Name holds Url: levels 0 and 1 lead forward.
 */
static void connect(lam_automaton *automaton, size_t state, const uint32_t *first_state) {
    const lam_field *leaf = automaton_leaf_of(automaton, state);
    lam_automaton_edge *edges = automaton->edges + automaton->first_edge[state];
    bool last = state + 1 == automaton->state_count;
    /* No group holds the leaf SIZE_MAX, so the last state walks up to the root. */
    size_t following = last ? SIZE_MAX : automaton->leaves[state + 1];

    const lam_field *field = leaf;
    /*
     * Unsigned, so that a leaf before first_leaf is far above leaf_count, too: one test for the
     * range.
     */
    while (field->index != 0 && following - field->first_leaf >= field->leaf_count) {
        if (field->repetition == LAM_REPETITION_REPEATED) {
            edges[field->max_repetition].next = first_state[field->first_leaf];
            edges[field->max_repetition].turn = field->index;
        }
        field = lam_parent_of(field);
    }
    for (size_t level = 0; level <= field->max_repetition; level++) {
        edges[level].next = (uint32_t)state + 1;
        edges[level].turn = field->index;
    }
}

/*
 * Numbers the projected leaves. `first_state` gives, for each leaf of the schema, the first state
 * at or after it: for DocId and Country alone 0 1 1 1 1 2. Country's edges back then lead to
 * itself, as the first state below Name, and below Language, is its own.
 */
static lam_status number_states(lam_automaton *automaton, const bool *leaves, uint32_t *first_state,
                                lam_error *error) {
    size_t leaf_count = automaton->schema->leaf_count;
    size_t state_count = 0;
    for (size_t i = 0; i < leaf_count; i++) {
        first_state[i] = (uint32_t)state_count;
        if (leaves == NULL || leaves[i])
            state_count++;
    }
    LAM_TRY(LAM_ARENA_ARRAY(&automaton->arena, state_count, &automaton->leaves, error));
    automaton->state_count = state_count;
    for (size_t i = 0; i < leaf_count; i++)
        if (leaves == NULL || leaves[i])
            automaton->leaves[first_state[i]] = (uint32_t)i;
    return LAM_STATUS_OK;
}

/* Numbers the states, sums up their edges (max_repetition + 1 each), and connects them. */
static lam_status automaton_build(lam_automaton *automaton, const bool *leaves,
                                  uint32_t *first_state, lam_error *error) {
    LAM_TRY(number_states(automaton, leaves, first_state, error));
    LAM_TRY(
        LAM_ARENA_ARRAY(&automaton->arena, automaton->state_count, &automaton->first_edge, error));
    size_t edge_count = 0;
    for (size_t state = 0; state < automaton->state_count; state++) {
        automaton->first_edge[state] = edge_count;
        edge_count += (size_t)automaton_leaf_of(automaton, state)->max_repetition + 1;
    }
    LAM_TRY(LAM_ARENA_ARRAY(&automaton->arena, edge_count, &automaton->edges, error));
    for (size_t state = 0; state < automaton->state_count; state++)
        connect(automaton, state, first_state);
    return LAM_STATUS_OK;
}

lam_status lam_automaton_create(const lam_schema *schema, const bool *leaves,
                                const lam_allocator *allocator, lam_automaton **ret_automaton,
                                lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    LAM_TRY(lam_schema_require(schema, error));
    lam_automaton *automaton;
    LAM_TRY(LAM_NEW(&own, &automaton, error));
    automaton->allocator = own;
    automaton->schema = lam_schema_share(schema);
    lam_arena_init(&automaton->arena, &own, AUTOMATON_TABLE_BUDGET);
    uint32_t *first_state = NULL;
    lam_status status;
    LAM_TRY_OUT(LAM_ARRAY(&own, schema->leaf_count, &first_state, error));
    LAM_TRY_OUT(automaton_build(automaton, leaves, first_state, error));
    *ret_automaton = automaton;
out:
    lam_free(&own, first_state, schema->leaf_count * sizeof(uint32_t));
    if (status != LAM_STATUS_OK)
        lam_automaton_destroy(automaton);
    return status;
}

size_t lam_automaton_state_count(const lam_automaton *automaton) {
    return automaton->state_count;
}

const lam_field *lam_automaton_leaf(const lam_automaton *automaton, size_t state) {
    return state < automaton->state_count ? automaton_leaf_of(automaton, state) : NULL;
}

/* No check: the assembler has bounded the level by the leaf's maximum. */
lam_automaton_edge lam_automaton_edge_at(const lam_automaton *automaton, size_t state,
                                         uint8_t repetition) {
    return automaton->edges[automaton->first_edge[state] + repetition];
}

size_t lam_automaton_next(const lam_automaton *automaton, size_t state, uint8_t repetition) {
    if (state >= automaton->state_count ||
        repetition > automaton_leaf_of(automaton, state)->max_repetition)
        return automaton->state_count;
    return lam_automaton_edge_at(automaton, state, repetition).next;
}

void lam_automaton_destroy(lam_automaton *automaton) {
    if (automaton == NULL)
        return;
    lam_allocator allocator = automaton->allocator;
    lam_arena_finish(&automaton->arena);
    lam_schema_destroy(automaton->schema);
    lam_free(&allocator, automaton, sizeof *automaton);
}
