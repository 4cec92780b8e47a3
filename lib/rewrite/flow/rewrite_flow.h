/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewriting row by row: rows of all inputs in batches, for the code that sorts, divides and writes
 * them.
 */
#ifndef LAM_REWRITE_FLOW_REWRITE_FLOW_H
#define LAM_REWRITE_FLOW_REWRITE_FLOW_H

#include "rewrite/flow/rewrite_state.h"

/* A receiver of rows. */
typedef struct lam_row_sink {
    void *state;
    /*
     * Takes `rows` rows, at least 1, as triples of each leaf of `row_schema`, borrowed for the
     * call.
     */
    lam_status (*take)(void *state, const lam_triples *columns, size_t rows, lam_error *error);
} lam_row_sink;

static inline lam_status lam_row_sink_take(const lam_row_sink *sink, const lam_triples *columns,
                                           size_t rows, lam_error *error) {
    return sink->take(sink->state, columns, rows, error);
}

/* Gives the wanted rows of all inputs, in their order, to `sink`. */
lam_status lam_rewrite_flow(lam_rewrite *rewrite, const lam_row_sink *sink, lam_error *error);

#endif
