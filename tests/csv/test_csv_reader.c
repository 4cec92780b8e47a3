/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "csv_help.h"
#include "support/failing_alloc.h"

#define FIELDS "optional int64 a; optional binary b (STRING);"

Test(csv_reader, columns_find_their_leaves_by_name) {
    expect_read(FIELDS, "b,a\nx,1\n", NULL, "1|x\n");
    expect_read(FIELDS, "b\nx\n", NULL, "|x\n");
    expect_refused(FIELDS, "a,c\n1,2\n", NULL, LAM_STATUS_INVALID,
                   "line 1: the schema has no column c");
    lam_csv_options options = lam_csv_options_default();
    options.ignore_unknown = true;
    expect_read(FIELDS, "a,c\n1,2\n", &options, "1|\n");
}

Test(csv_reader, without_a_header_by_position) {
    lam_csv_options options = lam_csv_options_default();
    options.header = LAM_SWITCH_OFF;
    expect_read(FIELDS, "1,x\n2,y", &options, "1|x\n2|y\n");
    expect_refused(FIELDS, "1,x,z\n", &options, LAM_STATUS_INVALID,
                   "line 1: the schema has no column column3");
}

Test(csv_reader, a_text_without_records_gives_none) {
    expect_read(FIELDS, "", NULL, "");
    expect_read(FIELDS, "\n\n", NULL, "");
    expect_read(FIELDS, "a,b\n", NULL, "");
    expect_read(FIELDS, "a,b", NULL, "");
}

Test(csv_reader, required_columns_need_their_values) {
    expect_read("required int64 a; required binary b (STRING);", "a,b\n1,\"\"\n", NULL, "1|\n");
    expect_refused("required int64 a; required int64 b;", "a\n1\n", NULL, LAM_STATUS_INVALID,
                   "line 1: required column b is missing");
    expect_refused("required int64 a;", "a\n1\n\n", NULL, LAM_STATUS_INVALID,
                   "line 3, column a: a required value is missing");
    expect_refused("required binary a (STRING);", "a\nx\n\n", NULL, LAM_STATUS_INVALID,
                   "line 3, column a: a required value is missing");
}

Test(csv_reader, a_text_may_stand_for_null) {
    lam_csv_options options = lam_csv_options_default();
    options.null_text = "NA";
    expect_read(FIELDS, "a,b\nNA,NA\n1,\"NA\"\n", &options, "|\n1|NA\n");
}

Test(csv_reader, groups_and_repeated_fields_are_refused) {
    expect_refused("optional group g { optional int64 a; }", "a\n", NULL, LAM_STATUS_INVALID,
                   "g is not one value, and CSV has only those");
    expect_refused("repeated int64 a;", "a\n", NULL, LAM_STATUS_INVALID,
                   "a is not one value, and CSV has only those");
}

/* The line of a value far behind the first batch, with line ends inside of quotes before it. */
Test(csv_reader, a_value_that_does_not_fit_is_named_by_line_and_column) {
    enum { RECORDS = 40000 };
    char *text = malloc(RECORDS * 32), *out = text + sprintf(text, "b,a\n");
    for (int i = 0; i < RECORDS; i++)
        out += sprintf(out, "\"x\n\",%d\n", i);
    sprintf(out, "y,twelve\n");
    char message[128];
    snprintf(message, sizeof message, "line %d, column a: 'twelve' is not int64", 2 + 2 * RECORDS);
    char *printed = malloc(RECORDS * 32);
    uint64_t skipped;
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of(FIELDS);
    cr_expect_eq(read_csv_bytes(schema, pieces_of(text, 0), NULL, NULL, printed, &skipped, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, message);
    lam_csv_options options = lam_csv_options_default();
    options.skip_bad_lines = true;
    cr_expect_eq(
        read_csv_bytes(schema, pieces_of(text, 7000), &options, NULL, printed, &skipped, &error),
        LAM_STATUS_OK);
    cr_expect_eq(skipped, 1);
    lam_schema_destroy(schema);
    free(text);
    free(printed);
}

static lam_status fail_read(void *state, void *buffer, size_t capacity, size_t *ret_size,
                            lam_error *error) {
    (void)state;
    (void)buffer;
    (void)capacity;
    (void)ret_size;
    error->status = LAM_STATUS_IO;
    return LAM_STATUS_IO;
}

Test(csv_reader, without_a_schema_or_a_source_there_is_none) {
    lam_csv_source source = {NULL, fail_read};
    lam_error error = lam_error_none();
    lam_csv_reader *reader = NULL;
    lam_schema *schema = schema_of(FIELDS);
    cr_expect_eq(lam_csv_reader_create(NULL, &source, NULL, NULL, &reader, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no schema");
    cr_expect_eq(lam_csv_reader_create(schema, &source, NULL, NULL, &reader, &error),
                 LAM_STATUS_IO);
    cr_expect_null(reader);
    lam_schema_destroy(schema);
}

Test(csv_reader, a_stop_ends_it) {
    lam_stop stop = {0, 0};
    lam_csv_options options = lam_csv_options_default();
    options.stop = &stop;
    expect_read(FIELDS, "a,b\n1,x\n", &options, "1|x\n");
    lam_stop_request(&stop);
    char printed[256];
    uint64_t skipped;
    lam_error error = lam_error_none();
    lam_schema *schema = schema_of(FIELDS);
    cr_expect_eq(read_csv_bytes(schema, pieces_of("a,b\n1,x\n", 0), &options, NULL, printed,
                                &skipped, &error),
                 LAM_STATUS_CANCELLED);
    lam_schema_destroy(schema);
}

Test(csv_reader, every_allocation_may_fail) {
    lam_schema *schema = schema_of(FIELDS);
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_error error = lam_error_none();
        char printed[256];
        uint64_t skipped;
        lam_status status = read_csv_bytes(schema, pieces_of("a,b\n1,\"x\"\"y\"\n2,z\n", 0), NULL,
                                           &allocator, printed, &skipped, &error);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", fail_at);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM, "request %zu: %s", fail_at, error.message);
    }
    lam_schema_destroy(schema);
}
