/* SPDX-License-Identifier: Apache-2.0 */
/* Gives a column in runs that break at random places, in memory that is gone with the next read. */
#include "reference/broken_runs.h"

#include <lamella/dremel.h>
#include <stdlib.h>
#include <string.h>

#include "schema/tree.h"

void lam_broken_runs_init(lam_broken_runs *runs, const lam_field *leaf, lam_triples column,
                          size_t run_max, lam_random *random) {
    memset(runs, 0, sizeof *runs);
    runs->random = random;
    runs->leaf = leaf;
    runs->column = column;
    runs->run_max = run_max;
}

void lam_broken_runs_finish(lam_broken_runs *runs) {
    free(runs->repetition);
    free(runs->definition);
    free(runs->values);
    runs->repetition = NULL;
    runs->definition = NULL;
    runs->values = NULL;
}

static void *copy(const void *bytes, size_t size) {
    void *result = malloc(size + 1);
    if (result != NULL && size > 0)
        memcpy(result, bytes, size);
    return result;
}

/* NULL instead of levels that are all the same, as often as not. */
static uint8_t *copy_levels(lam_broken_runs *runs, const uint8_t *levels, size_t count,
                            uint8_t same) {
    bool all_same = true;
    for (size_t i = 0; i < count && levels != NULL; i++)
        all_same = all_same && levels[i] == same;
    if (levels == NULL || (all_same && lam_random_chance(runs->random, 50)))
        return NULL;
    return copy(levels, count);
}

static lam_status read_broken(void *state, lam_triples *ret_triples, lam_error *error) {
    (void)error;
    lam_broken_runs *runs = state;
    lam_broken_runs_finish(runs);
    size_t left = runs->column.count - runs->at;
    size_t count = 1 + (size_t)lam_random_below(runs->random, runs->run_max);
    count = count < left ? count : left;
    uint8_t max_definition = runs->leaf->max_definition;
    const uint8_t *repetition = runs->column.repetition;
    const uint8_t *definition = runs->column.definition;
    size_t value_count = count;
    for (size_t i = 0; i < count && definition != NULL; i++)
        value_count -= definition[runs->at + i] != max_definition;
    size_t size = lam_element_size(runs->leaf);
    runs->repetition = copy_levels(runs, repetition ? repetition + runs->at : NULL, count, 0);
    runs->definition =
        copy_levels(runs, definition ? definition + runs->at : NULL, count, max_definition);
    if (value_count > 0)
        runs->values =
            copy((const uint8_t *)runs->column.values + runs->value_at * size, value_count * size);
    runs->at += count;
    runs->value_at += value_count;
    lam_triples triples = {count, value_count, runs->repetition, runs->definition, runs->values};
    *ret_triples = triples;
    return LAM_STATUS_OK;
}

lam_triple_source lam_broken_runs_source(lam_broken_runs *runs) {
    lam_triple_source source = {runs, read_broken};
    return source;
}
