/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the first block of README.md: one record, read back, and a path that cannot be written. */
#include <lamella/lamella.h>
#include <stdio.h>

bool write_reading(const char *path, int64_t time, double value, lam_error *error);

#include "README_1.inc"

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    lam_reader *reader = NULL;
    if (argc != 2)
        return 2;
    bool good = write_reading(argv[1], 7, 0.5, &error) &&
                lam_reader_open_file(argv[1], NULL, &reader, &error) == LAM_STATUS_OK &&
                lam_reader_row_count(reader) == 1;
    if (!good)
        fprintf(stderr, "%s\n", error.message);
    lam_reader_close(reader);
    (void)remove(argv[1]);
    bool refused = !write_reading("no/such/folder/x.parquet", 7, 0.5, &error);
    if (error.status != LAM_STATUS_IO)
        fprintf(stderr, "not the first failure: %s\n", error.message);
    return good && refused && error.status == LAM_STATUS_IO ? 0 : 1;
}
