/* SPDX-License-Identifier: Apache-2.0 */
/* The least that reads a column: the triples of the first leaf of each row group. */
#include <lamella/column.h>
#include <stdio.h>

static lam_status read_chunk(const lam_reader *reader, size_t row_group, size_t *total,
                             lam_error *error) {
    lam_column_reader *column;
    lam_triples triples;
    lam_status status = lam_column_reader_open(reader, row_group, 0, &column, error);
    if (status != LAM_STATUS_OK)
        return status;
    do {
        status = lam_column_reader_read(column, 1000, &triples, error);
        *total += status == LAM_STATUS_OK ? triples.count : 0;
    } while (status == LAM_STATUS_OK && triples.count > 0);
    lam_column_reader_close(column);
    return status;
}

int main(int count, char **arguments) {
    lam_reader *reader;
    lam_error error = lam_error_none();
    size_t total = 0;
    if (count < 2 || lam_reader_open_file(arguments[1], NULL, &reader, &error) != LAM_STATUS_OK)
        return puts(error.message), 1;
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++)
        if (read_chunk(reader, i, &total, &error) != LAM_STATUS_OK)
            return puts(error.message), 1;
    lam_reader_close(reader);
    return printf("%zu triples\n", total) < 0;
}
