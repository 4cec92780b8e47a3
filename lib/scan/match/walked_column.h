/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column that is walked through triple by triple, and the triple at hand: batches of a source in,
 * levels and the place of a value out. The walks over several columns (filter_path_walk.c,
 * filter_peer_walk.c) have one for each, with what else they know of it.
 */
#ifndef LAM_SCAN_MATCH_WALKED_COLUMN_H
#define LAM_SCAN_MATCH_WALKED_COLUMN_H

#include "base/error.h"
#include "schema/tree.h"

typedef struct lam_walked_column {
    const lam_field *leaf;
    lam_triple_source source;
    lam_triples batch;
    size_t next;        /* the triple of the batch behind the one at hand */
    size_t next_value;  /* the value behind the one at hand, if that has one */
    uint8_t repetition; /* of the triple at hand */
    uint8_t definition;
} lam_walked_column;

static inline bool lam_walked_column_is_spent(const lam_walked_column *column) {
    return column->next == column->batch.count;
}

static inline bool lam_walked_column_has_value(const lam_walked_column *column) {
    return column->definition == column->leaf->max_definition;
}

/* Takes the next batch; its count is 0 at the end, and after a failure. */
static inline lam_status lam_walked_column_read(lam_walked_column *column, lam_error *error) {
    lam_triples batch = {0};
    column->batch.count = 0;
    column->next = 0;
    column->next_value = 0;
    LAM_TRY(column->source.read(column->source.state, &batch, error));
    column->batch = batch;
    return LAM_STATUS_OK;
}

/* Goes to the next triple of the batch, which is not spent. */
static inline void lam_walked_column_step(lam_walked_column *column) {
    size_t at = column->next++;
    column->repetition = column->batch.repetition == NULL ? 0 : column->batch.repetition[at];
    column->definition = column->batch.definition == NULL ? column->leaf->max_definition
                                                          : column->batch.definition[at];
    column->next_value += lam_walked_column_has_value(column);
}

#endif
