/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one column as triples, row group by row group: how many values it has, and their sum.
 *
 *     read_columns FILE COLUMN
 */
#include <lamella/lamella.h>
#include <stdio.h>

typedef struct totals {
    uint64_t triples, values;
    int64_t sum; /* of an INT32 column */
} totals;

static lam_status add_chunk(const lam_reader *reader, size_t row_group, const lam_field *leaf,
                            totals *found, lam_error *error) {
    lam_column_reader *column = NULL;
    lam_status status =
        lam_column_reader_open(reader, row_group, lam_field_first_leaf(leaf), &column, error);
    while (status == LAM_STATUS_OK) {
        lam_triples run;
        status = lam_column_reader_read(column, 4096, &run, error);
        if (status != LAM_STATUS_OK || run.count == 0)
            break; /* a run without triples is the end of the chunk */
        found->triples += run.count;
        found->values += run.value_count;
        for (size_t i = 0; i < run.value_count; i++)
            found->sum += ((const int32_t *)run.values)[i];
    }
    lam_column_reader_close(column);
    return status;
}

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    lam_reader *reader = NULL;
    totals found = {0, 0, 0};
    if (argc != 3)
        return fprintf(stderr, "usage: read_columns FILE COLUMN\n"), 2;
    lam_status status = lam_reader_open_file(argv[1], NULL, &reader, &error);
    if (status == LAM_STATUS_OK) {
        const lam_field *leaf = lam_schema_find(lam_reader_schema(reader), argv[2]);
        if (leaf == NULL || lam_field_physical_type(leaf) != LAM_PHYSICAL_INT32) {
            lam_reader_close(reader);
            return fprintf(stderr, "%s is no INT32 column\n", argv[2]), 2;
        }
        for (size_t i = 0; i < lam_reader_row_group_count(reader) && status == LAM_STATUS_OK; i++)
            status = add_chunk(reader, i, leaf, &found, &error);
    }
    if (status == LAM_STATUS_OK)
        printf("%d triples, %d values, sum %lld\n", (int)found.triples, (int)found.values,
               (long long)found.sum);
    else
        fprintf(stderr, "%s: %s: %s\n", argv[1], lam_status_name(status), error.message);
    lam_reader_close(reader);
    return status == LAM_STATUS_OK ? 0 : 1;
}
