/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one column chunk as triples for callers of the public API: a thin handle around
 * lam_column_cursor that adds the needs of a handle.
 *
 * The session gives the handle a memory budget of its own, so that one column reader cannot use up
 * what another may need; everything but the handle itself is counted against it. The triples given
 * are borrowed from the cursor until its next call. (See lamella/column.h for the contract.)
 */
#include <lamella/column.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/read/file_reader.h"

struct lam_column_reader {
    lam_allocator allocator; /* of this struct alone; the cursor draws on the session */
    lam_read_session session;
    lam_column_cursor *cursor;
};

/*
 * The session must not move once the cursor is open, because its allocator points into it;
 * therefore the handle is allocated first and the session is set up in it. Errors of opening
 * already carry their location.
 */
lam_status lam_column_reader_open(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                  lam_column_reader **ret_column, lam_error *error) {
    if (reader == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no reader (NULL)");
    lam_column_reader *column;
    LAM_TRY(LAM_NEW(&reader->allocator, &column, error));
    column->allocator = reader->allocator;
    lam_read_session_init(&column->session, reader, NULL);
    lam_status status = lam_reader_open_cursor(&column->session.reader, row_group, leaf_index,
                                               &column->cursor, error);
    if (status != LAM_STATUS_OK) {
        lam_free(&column->allocator, column, sizeof *column);
        return status;
    }
    *ret_column = column;
    return LAM_STATUS_OK;
}

lam_status lam_column_reader_read(lam_column_reader *column, size_t max_triples,
                                  lam_triples *ret_triples, lam_error *error) {
    return lam_column_cursor_read(column->cursor, max_triples, ret_triples, error);
}

/* The allocator is copied first: the struct that holds it is freed through it. */
void lam_column_reader_close(lam_column_reader *column) {
    if (column == NULL)
        return;
    lam_allocator allocator = column->allocator;
    lam_column_cursor_destroy(column->cursor);
    lam_free(&allocator, column, sizeof *column);
}
