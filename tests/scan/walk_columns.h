/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over the columns that a shredder holds, in batches that end anywhere. */
#ifndef LAM_TESTS_WALK_COLUMNS_H
#define LAM_TESTS_WALK_COLUMNS_H

#include <criterion/criterion.h>
#include <lamella/dremel.h>

#include "scan/match/filter_path_walk.h"
#include "support/random.h"

typedef struct column_batches {
    lam_triples all;
    const lam_field *leaf;
    lam_random *random; /* NULL: one batch */
    size_t next;
    size_t next_value;
} column_batches;

static inline lam_status next_batch(void *state, lam_triples *ret_triples, lam_error *error) {
    column_batches *column = state;
    const lam_triples *all = &column->all;
    lam_triples batch = {0};
    size_t left = all->count - column->next;
    (void)error;
    batch.count = left;
    if (column->random != NULL && left > 0)
        batch.count = 1 + (size_t)lam_random_below(column->random, left);
    if (all->repetition != NULL)
        batch.repetition = all->repetition + column->next;
    if (all->definition != NULL)
        batch.definition = all->definition + column->next;
    for (size_t i = 0; i < batch.count; i++)
        batch.value_count += batch.definition == NULL ||
                             batch.definition[i] == lam_field_max_definition(column->leaf);
    if (all->values != NULL)
        batch.values =
            (const uint8_t *)all->values + column->next_value * lam_element_size(column->leaf);
    column->next += batch.count;
    column->next_value += batch.value_count;
    *ret_triples = batch;
    return LAM_STATUS_OK;
}

/* Batches are of any length if `random` is not NULL. */
static inline lam_status walk_columns(const lam_filter *filter, const bool *tests,
                                      const lam_shredder *shredder, lam_random *random,
                                      const lam_allocator *allocator, uint8_t *const *outcomes,
                                      lam_error *error) {
    lam_allocator chosen = allocator == NULL ? lam_allocator_default() : *allocator;
    size_t records = lam_shredder_record_count(shredder), rows = 0;
    lam_path_walk *walk;
    lam_status status = lam_path_walk_create(filter, tests, &chosen, &walk, error);
    if (status != LAM_STATUS_OK)
        return status;
    size_t count = lam_path_walk_column_count(walk);
    column_batches *columns = calloc(count + 1, sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        columns[i].leaf = lam_path_walk_leaf(walk, i);
        columns[i].random = random;
        columns[i].all = lam_shredder_triples(shredder, lam_field_first_leaf(columns[i].leaf));
        lam_path_walk_set_source(walk, i, (lam_triple_source){&columns[i], next_batch});
    }
    status = lam_path_walk_rows(walk, records, outcomes, &rows, error);
    if (status == LAM_STATUS_OK)
        cr_assert_eq(rows, records);
    lam_path_walk_destroy(walk);
    free(columns);
    return status;
}

#endif
