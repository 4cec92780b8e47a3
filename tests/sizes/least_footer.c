/* SPDX-License-Identifier: Apache-2.0 */
/* The least that reads a footer: how many rows a file has, and the name of each column. */
#include <lamella/reader.h>
#include <stdio.h>

int main(int count, char **arguments) {
    lam_reader *reader;
    lam_error error = lam_error_none();
    if (count < 2 || lam_reader_open_file(arguments[1], NULL, &reader, &error) != LAM_STATUS_OK)
        return puts(error.message), 1;
    const lam_schema *schema = lam_reader_schema(reader);
    printf("%llu rows\n", (unsigned long long)lam_reader_row_count(reader));
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++)
        puts(lam_field_name(lam_schema_leaf(schema, i)));
    lam_reader_close(reader);
    return 0;
}
