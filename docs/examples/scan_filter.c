/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a column of the records that a filter wants, into a sink of its own.
 *
 *     scan_filter FILE CONDITION COLUMN
 */
#include <lamella/lamella.h>
#include <stdio.h>
#include <string.h>

static lam_status on_record(void *state, lam_error *error) {
    return (void)state, (void)error, LAM_STATUS_OK;
}

static lam_status on_group(void *state, const lam_field *group, lam_error *error) {
    return (void)group, on_record(state, error);
}

static lam_status on_value(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_DOUBLE)
        printf("%s %g\n", lam_field_name(leaf), value.float64);
    return on_record(state, error);
}

static bool scan(lam_reader *reader, const char *where, const char *column, lam_error *error) {
    const lam_schema *schema = lam_reader_schema(reader);
    lam_record_sink sink = {NULL, on_record, on_group, on_value, on_group, on_record, NULL};
    lam_scan_options options = lam_scan_options_default();
    lam_filter *filter = NULL;
    lam_projection *projection = NULL;
    lam_record_reader *records = NULL;
    bool failed = lam_filter_parse(schema, where, strlen(where), NULL, NULL, &filter, error) ||
                  lam_projection_create(schema, NULL, &projection, error) ||
                  lam_projection_add(projection, column, error);
    options.filter = filter;
    options.projection = projection;
    uint64_t count = 0;
    failed = failed || lam_record_reader_open_scan(reader, &options, &records, error) ||
             lam_record_reader_read(records, &sink, UINT64_MAX, &count, error);
    if (!failed)
        printf("%d records\n", (int)count);
    lam_record_reader_close(records);
    lam_projection_destroy(projection);
    lam_filter_destroy(filter);
    return failed;
}

int main(int argc, char **argv) {
    lam_error error = lam_error_none();
    lam_reader *reader = NULL;
    if (argc != 4)
        return 2;
    bool failed = lam_reader_open_file(argv[1], NULL, &reader, &error) ||
                  scan(reader, argv[2], argv[3], &error);
    if (failed)
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
    lam_reader_close(reader);
    return failed ? 1 : 0;
}
