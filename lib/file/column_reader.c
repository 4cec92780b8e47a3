#include <lamella/column.h>

#include "base/alloc.h"
#include "base/error.h"
#include "file/file_reader.h"
#include "schema/leaf_error.h"

struct lam_column_reader {
    lam_allocator allocator;
    lam_read_session session;
    size_t row_group;
    const lam_field *leaf;
    lam_chunk_reader *chunk;
};

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

void lam_column_reader_close(lam_column_reader *column) {
    if (column == NULL)
        return;
    lam_allocator allocator = column->allocator;
    lam_chunk_reader_destroy(column->chunk);
    lam_free(&allocator, column, sizeof *column);
}
