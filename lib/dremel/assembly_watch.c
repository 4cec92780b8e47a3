/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assembly for those who watch it: the loop of assembler.c, which also reports each step. In: an
 * assembler, a sink and a watch. Out: the same events as without a watch.
 *
 * The loop is apart so that assembly without a watch pays nothing for it. Both make the same calls
 * in the same order (dremel/assembly.h), so they accept the same columns.
 */
#include <lamella/dremel.h>

#include "dremel/assembly.h"

typedef struct watched_replay {
    lam_assembler *assembler;
    const lam_record_sink *sink;
    const lam_assembly_watch *watch;
} watched_replay;

/* Opens groups and puts the value, after the watch has seen the triple. */
static lam_status watched_triple(const watched_replay *replay, lam_assembly_position *at,
                                 lam_assembly_step *step, lam_error *error) {
    const lam_record_sink *sink = replay->sink;
    lam_assembly_leaf *leaf = at->leaf;
    bool has_value = step->definition == leaf->max_definition;
    if (has_value)
        step->value = lam_assembly_value(leaf, leaf->values);
    LAM_TRY(replay->watch->read(replay->watch->state, step, error));
    while (lam_assembly_open(replay->assembler, at, step->definition))
        LAM_TRY(sink->open(sink->state, leaf->path[at->depth - 1], error));
    if (has_value)
        LAM_TRY(sink->put(sink->state, leaf->field, lam_assembly_take_value(leaf), error));
    return LAM_STATUS_OK;
}

static lam_status assemble_watched(void *state, lam_error *error) {
    const watched_replay *replay = state;
    const lam_record_sink *sink = replay->sink;
    lam_assembler *assembler = replay->assembler;
    lam_assembly_position at = lam_assembly_start(assembler);
    LAM_TRY(sink->begin(sink->state, error));
    for (;;) {
        lam_assembly_leaf *leaf = at.leaf;
        if (!lam_assembly_expects(&at))
            return lam_assembly_contradiction(&at, error);
        lam_assembly_step step = {0};
        step.state = (size_t)(leaf - assembler->leaves);
        step.leaf = leaf->field;
        step.repetition = *leaf->repetition;
        step.definition = *leaf->definition;
        step.open_count = at.depth;
        LAM_TRY(watched_triple(replay, &at, &step, error));
        LAM_TRY(lam_assembly_advance(leaf, error));

        const lam_assembly_edge *edge = &leaf->edges[*leaf->repetition];
        memset(&step.value, 0, sizeof step.value);
        step.is_last = leaf->left == 0;
        step.next_repetition = *leaf->repetition;
        step.next_state = edge->next;
        step.kept_count = at.depth < edge->close_to ? at.depth : edge->close_to;
        LAM_TRY(replay->watch->follow(replay->watch->state, &step, error));
        while (at.depth > edge->close_to) {
            at.depth--;
            LAM_TRY(sink->close(sink->state, leaf->path[at.depth], error));
        }
        if (edge->next == assembler->leaf_count)
            return sink->end(sink->state, error);
        LAM_TRY(lam_assembly_follow(assembler, &at, edge, step.definition, error));
    }
}

lam_status lam_assembler_read_watched(lam_assembler *assembler, const lam_record_sink *sink,
                                      const lam_assembly_watch *watch, size_t max_records,
                                      size_t *ret_records, lam_error *error) {
    watched_replay replay = {assembler, sink, watch};
    return lam_assembly_read(assembler, assemble_watched, &replay, max_records, ret_records, error);
}
