/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one column chunk as triples for callers of the public API: a thin handle around
 * lam_chunk_reader that adds what a handle needs.
 *
 * The session gives the handle a memory budget of its own, so that one column reader cannot use up
 * what another may need; everything but the handle itself is counted against it. Every failure
 * names the row group and the column. The triples given are borrowed from the chunk reader until
 * its next call. (See lamella/column.h for the contract.)
 */
#include <lamella/column.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/file_reader.h"
#include "schema/leaf_error.h"

struct lam_column_reader {
    lam_allocator allocator; /* of this struct alone; the chunk draws on the session */
    lam_read_session session;
    size_t row_group;
    const lam_field *leaf;
    lam_chunk_reader *chunk;
};

/*
 * The session must not move once the chunk is open, because the chunk's allocator points into it;
 * therefore the handle is allocated first and the session is set up in it. Errors of opening
 * already carry their location.
 */
lam_status lam_column_reader_open(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                  lam_column_reader **ret_column, lam_error *error) {
    void *memory;
    if (reader == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no reader (NULL)");
    LAM_TRY(lam_alloc_array(&reader->allocator, 1, sizeof(lam_column_reader), &memory, error));
    lam_column_reader *column = memory;
    column->allocator = reader->allocator;
    column->row_group = row_group;
    lam_read_session_init(&column->session, reader, NULL);
    lam_status status = lam_reader_open_chunk(&column->session.reader, row_group, leaf_index,
                                              &column->chunk, error);
    if (status != LAM_STATUS_OK) {
        lam_free(&column->allocator, column, sizeof *column);
        return status;
    }
    column->leaf = lam_schema_leaf(reader->schema, leaf_index);
    *ret_column = column;
    return LAM_STATUS_OK;
}

lam_status lam_column_reader_read(lam_column_reader *column, size_t max_triples,
                                  lam_triples *ret_triples, lam_error *error) {
    lam_status status = lam_chunk_reader_read(column->chunk, max_triples, ret_triples, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_leaf(error, column->row_group, column->leaf);
    return status;
}

/* The allocator is copied first: the struct that holds it is freed through it. */
void lam_column_reader_close(lam_column_reader *column) {
    if (column == NULL)
        return;
    lam_allocator allocator = column->allocator;
    lam_chunk_reader_destroy(column->chunk);
    lam_free(&allocator, column, sizeof *column);
}
