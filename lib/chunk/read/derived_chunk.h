/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Triples that a column cursor gives in place of pages: those of a column that a file has in
 * another form, or not at all.
 *
 *     file source --> column_cursor (of the file's own leaf) --> derived chunk --> column_cursor
 *
 * Readers of the outer cursor find no dictionary and no page, and all else as in any other chunk.
 */
#ifndef LAM_CHUNK_READ_DERIVED_CHUNK_H
#define LAM_CHUNK_READ_DERIVED_CHUNK_H

#include "chunk/read/column_cursor.h"

typedef struct lam_derived_chunk lam_derived_chunk;

/*
 * The verbs. Levels and values are those of the outer leaf, and checked by the code that derives
 * them.
 */
struct lam_derived_chunk {
    /* As lam_column_cursor_skip_to. */
    lam_status (*skip_to)(lam_derived_chunk *chunk, uint64_t row, lam_error *error);
    /* As lam_column_cursor_read_rows; the triples are borrowed until the next call. */
    lam_status (*read)(lam_derived_chunk *chunk, size_t max_triples, uint64_t *rows,
                       lam_triples *ret_triples, lam_error *error);
    void (*destroy)(lam_derived_chunk *chunk);
};

/*
 * Creates a cursor that reads `derived`, which is its own from then on, after a failure too.
 * `chunk` is as for lam_column_cursor_create, but is not read from the file.
 */
lam_status lam_column_cursor_create_derived(const lam_column_chunk *chunk,
                                            lam_derived_chunk *derived,
                                            const lam_allocator *allocator,
                                            lam_column_cursor **ret_cursor, lam_error *error);

#endif
