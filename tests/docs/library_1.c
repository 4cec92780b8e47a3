/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the block of docs/library.md: a file with a column, copied. */
#include <lamella/lamella.h>
#include <stdio.h>

lam_status copy_columns(const char *from, const char *to, lam_error *error);

#include "library_1.inc"

static bool write_numbers(const char *path, lam_error *error) {
    lam_schema *schema = NULL;
    lam_writer *writer = NULL;
    bool failed = lam_schema_parse_text("required int32 n;", NULL, &schema, error) ||
                  lam_writer_open_file(schema, path, NULL, &writer, error);
    lam_record_sink sink = lam_writer_sink(writer);
    for (int i = 0; i < 100 && !failed; i++)
        failed = lam_begin(&sink, error) ||
                 lam_put(&sink, lam_schema_find(schema, "n"), i, error) || lam_end(&sink, error);
    failed = failed || lam_writer_finish(writer, error);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    return !failed;
}

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    lam_reader *reader = NULL;
    char from[1000];
    if (argc != 2)
        return 2;
    snprintf(from, sizeof from, "%.900s.in", argv[1]);
    bool good = write_numbers(from, &error) &&
                copy_columns(from, argv[1], &error) == LAM_STATUS_OK &&
                lam_reader_open_file(argv[1], NULL, &reader, &error) == LAM_STATUS_OK &&
                lam_reader_row_count(reader) == 100;
    if (!good)
        fprintf(stderr, "%s\n", error.message);
    lam_reader_close(reader);
    (void)remove(argv[1]);
    (void)remove(from);
    return good ? 0 : 1;
}
