/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The automaton of a projection has the paper's transitions, and one edge back for each repeated
 * field.
 */
#include "dremel/automaton.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/dremel.h>
#include <stdio.h>
#include <string.h>

#include "reference/paper.h"
#include "reference/record_tree.h"
#include "support/failing_alloc.h"

static lam_automaton *create(const lam_schema *schema, const bool *leaves) {
    lam_automaton *automaton;
    cr_assert_eq(lam_automaton_create(schema, leaves, NULL, &automaton, NULL), LAM_STATUS_OK);
    return automaton;
}

Test(automaton, the_paper_s_document_has_the_paper_s_transitions) {
    static const uint8_t max_repetition[] = {0, 1, 1, 2, 2, 1};
    static const size_t next[][3] = {{1}, {2, 1}, {3, 2}, {4, 4, 4}, {5, 5, 3}, {6, 3}};
    lam_schema *schema = lam_paper_schema();
    lam_automaton *automaton = create(schema, NULL);
    cr_assert_eq(lam_automaton_state_count(automaton), 6);
    for (size_t state = 0; state < 6; state++) {
        cr_assert_eq(lam_automaton_leaf(automaton, state), lam_schema_leaf(schema, state));
        for (uint8_t level = 0; level <= max_repetition[state]; level++)
            cr_assert_eq(lam_automaton_next(automaton, state, level), next[state][level],
                         "from %zu with %u", state, level);
    }
    lam_automaton_destroy(automaton);
    lam_schema_destroy(schema);
}

Test(automaton, the_paper_s_projection_has_two_states) {
    /* Figure 5: DocId and Name.Language.Country; its second state stays at levels 1 and 2. */
    lam_schema *schema = lam_paper_schema();
    bool leaves[6] = {false};
    cr_assert_eq(lam_schema_select(schema, "DocId", leaves, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_schema_select(schema, "Name.Language.Country", leaves, NULL), LAM_STATUS_OK);
    lam_automaton *automaton = create(schema, leaves);
    cr_assert_eq(lam_automaton_state_count(automaton), 2);
    cr_assert_eq(lam_automaton_leaf(automaton, 1), lam_schema_leaf(schema, 4));
    cr_assert_eq(lam_automaton_next(automaton, 0, 0), 1);
    cr_assert_eq(lam_automaton_next(automaton, 1, 0), 2);
    cr_assert_eq(lam_automaton_next(automaton, 1, 1), 1);
    cr_assert_eq(lam_automaton_next(automaton, 1, 2), 1);
    lam_automaton_destroy(automaton);
    lam_schema_destroy(schema);
}

Test(automaton, a_projection_of_nothing_has_no_states) {
    lam_schema *schema = lam_paper_schema();
    bool leaves[6] = {false};
    lam_automaton *automaton = create(schema, leaves);
    cr_assert_eq(lam_automaton_state_count(automaton), 0);
    cr_assert_null(lam_automaton_leaf(automaton, 0));
    cr_assert_eq(lam_automaton_next(automaton, 0, 0), 0);
    lam_automaton_destroy(automaton);
    lam_schema_destroy(schema);
}

Test(automaton, what_is_out_of_range_is_the_end) {
    lam_schema *schema = lam_paper_schema();
    lam_automaton *automaton = create(schema, NULL);
    cr_assert_null(lam_automaton_leaf(automaton, 6));
    cr_assert_eq(lam_automaton_next(automaton, 6, 0), 6);
    cr_assert_eq(lam_automaton_next(automaton, 0, 1), 6);
    cr_assert_eq(lam_automaton_next(automaton, 3, 255), 6);
    lam_automaton_destroy(automaton);
    lam_schema_destroy(schema);
}

/* Counts the edges that lead back, per field at which they turn. */
static void count_back_edges(const lam_schema *schema, const bool *leaves, unsigned *back) {
    lam_automaton *automaton = create(schema, leaves);
    for (size_t state = 0; state < lam_automaton_state_count(automaton); state++) {
        uint8_t max = lam_field_max_repetition(lam_automaton_leaf(automaton, state));
        for (uint8_t level = 0; level <= max; level++) {
            lam_automaton_edge edge = lam_automaton_edge_at(automaton, state, level);
            if (edge.next <= state)
                back[edge.turn]++;
            else
                cr_assert_eq(edge.next, state + 1);
        }
    }
    lam_automaton_destroy(automaton);
}

Test(automaton, every_repeated_field_has_one_edge_back) {
    uint64_t seed = lam_test_seed(7);
    for (uint64_t i = 0; i < 500; i++) {
        lam_random random = lam_random_start(seed + i);
        lam_schema *schema = lam_tree_random_schema(&random, 100);
        bool leaves[600];
        for (size_t leaf = 0; leaf < lam_schema_leaf_count(schema); leaf++)
            leaves[leaf] = lam_random_chance(&random, 60);
        unsigned back[2000] = {0};
        count_back_edges(schema, leaves, back);
        for (size_t f = 0; f < lam_schema_field_count(schema); f++) {
            const lam_field *field = lam_schema_field(schema, f);
            bool projected = false;
            for (size_t leaf = 0; leaf < lam_field_leaf_count(field); leaf++)
                projected = projected || leaves[lam_field_first_leaf(field) + leaf];
            bool repeated = f > 0 && lam_field_repetition(field) == LAM_REPETITION_REPEATED;
            cr_assert_eq(back[f], repeated && projected ? 1 : 0, "seed %" PRIu64, seed + i);
        }
        lam_schema_destroy(schema);
    }
}

Test(automaton, a_schema_both_deep_and_wide_beyond_use_is_a_limit) {
    lam_schema_builder *builder;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    for (int i = 1; i < LAM_SCHEMA_DEPTH_MAX; i++)
        cr_assert_eq(
            lam_schema_builder_begin_group(builder, "g", LAM_REPETITION_REPEATED, NULL, NULL),
            LAM_STATUS_OK);
    for (int i = 0; i < 140000; i++) { /* each with 251 edges of 8 bytes */
        char name[16];
        snprintf(name, sizeof name, "f%d", i);
        cr_assert_eq(lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_REPEATED,
                                                 LAM_PHYSICAL_INT32, NULL, NULL),
                     LAM_STATUS_OK);
    }
    for (int i = 1; i < LAM_SCHEMA_DEPTH_MAX; i++)
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    lam_automaton *automaton = NULL;
    cr_assert_eq(lam_automaton_create(schema, NULL, NULL, &automaton, NULL), LAM_STATUS_LIMIT);
    cr_assert_null(automaton);
    lam_schema_destroy(schema);
}

Test(automaton, no_memory_is_an_error_without_a_leak) {
    lam_schema *schema = lam_paper_schema();
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_automaton *automaton = NULL;
        lam_status status = lam_automaton_create(schema, NULL, &allocator, &automaton, NULL);
        lam_automaton_destroy(automaton);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_null(automaton);
        cr_assert_lt(fail_at, 100);
    }
    lam_schema_destroy(schema);
}
