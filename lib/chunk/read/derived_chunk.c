/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a chunk that has no pages of its own: triples of a derived chunk become batches of a
 * cursor, as column_cursor.c makes them from pages.
 *
 * The invariant: the values of a batch are those that the derived chunk lent with its levels, so
 * that it is not read further before all of them are read or skipped.
 */
#include "chunk/read/derived_chunk.h"

#include <string.h>

#include "base/error.h"
#include "base/thread/stop.h"
#include "chunk/read/cursor_state.h"

lam_status lam_cursor_read_derived(lam_column_cursor *cursor, size_t max_triples, uint64_t *rows,
                                   lam_triples *ret_triples, lam_error *error) {
    uint64_t before = *rows;
    lam_triples triples = {0};
    LAM_TRY(lam_stop_check(cursor->chunk.stop, error));
    if (max_triples > 0)
        LAM_TRY(cursor->derived->read(cursor->derived, max_triples, rows, &triples, error));
    cursor->triples += triples.count;
    cursor->rows += before - *rows;
    cursor->is_between = triples.count == 0 && max_triples > 0;
    *ret_triples = triples;
    return LAM_STATUS_OK;
}

lam_status lam_cursor_derived_batch(lam_column_cursor *cursor, const lam_batch_bounds *bounds,
                                    uint8_t *repetition, uint8_t *definition, lam_batch *ret_batch,
                                    lam_error *error) {
    uint64_t rows = bounds->rows;
    lam_triples triples;
    LAM_TRY(lam_cursor_read_derived(cursor, bounds->triples, &rows, &triples, error));
    if (triples.repetition != NULL && triples.count > 0)
        memcpy(repetition, triples.repetition, triples.count);
    if (triples.definition != NULL && triples.count > 0)
        memcpy(definition, triples.definition, triples.count);
    cursor->derived_values = triples.values;
    *ret_batch = (lam_batch){.count = triples.count,
                             .value_count = triples.value_count,
                             .row_count = (size_t)(bounds->rows - rows),
                             .has_repetition = triples.repetition != NULL,
                             .has_definition = triples.definition != NULL};
    return LAM_STATUS_OK;
}

void lam_cursor_derived_values(lam_column_cursor *cursor, size_t count, void *values) {
    size_t size = count * lam_element_size(cursor->chunk.leaf);
    if (values != NULL)
        memcpy(values, cursor->derived_values, size);
    cursor->derived_values += size;
}

lam_status lam_cursor_skip_derived(lam_column_cursor *cursor, uint64_t row, lam_error *error) {
    LAM_TRY(cursor->derived->skip_to(cursor->derived, row, error));
    cursor->rows = row;
    cursor->is_between = true;
    return LAM_STATUS_OK;
}
