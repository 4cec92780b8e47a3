/* SPDX-License-Identifier: Apache-2.0 */
/* Cells as delimited text: quotes, options, and formulas that no spreadsheet may run. */
#include "abi/growth.h"
#include "support/failing_alloc.h"
#include "table_help.h"

static lam_status print(const lam_reader *reader, const lam_delimited_options *options,
                        const lam_allocator *allocator, lam_output *output) {
    lam_delimited_writer *writer;
    lam_record_reader *records;
    uint64_t count;
    lam_status status = lam_delimited_writer_create(lam_reader_schema(reader), output, NULL,
                                                    options, allocator, &writer, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    status = lam_delimited_writer_print(writer, records, UINT64_MAX, &count, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_delimited_writer_flush(writer, NULL);
    lam_record_reader_close(records);
    lam_delimited_writer_destroy(writer);
    return status;
}

static void expect_text(const char *fields, const char *json, const lam_delimited_options *options,
                        const char *expected) {
    written_file file;
    lam_output output;
    lam_reader *reader = file_of(fields, json, 1, NULL, &file);
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(print(reader, options, NULL, &output), LAM_STATUS_OK);
    lam_bytes text = lam_output_memory_bytes(&output);
    cr_expect(text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0, "%.*s",
              (int)text.size, (const char *)text.data);
    lam_output_close(&output);
    lam_reader_close(reader);
    free(file.bytes);
}

Test(delimited_write, cells_are_quoted_where_they_must_be) {
    expect_text(TABLE_FIELDS ";", TABLE_RECORDS, NULL,
                "id,user.name,user.at.x,tags,m,ok\n"
                "1,\"a\n\"\"b\"\"\",1.5,\"[\"\"}\"\",null]\",\"{\"\"\\\"\"k\"\":true}\",true\n"
                ",,,,,\n"
                "-3,\"\",,[],{},false\n");
}

Test(delimited_write, every_option_changes_what_it_says) {
    lam_delimited_options options = lam_delimited_options_default();
    options.delimiter = ';';
    options.header = LAM_SWITCH_OFF;
    options.null_text = "NA";
    options.crlf = true;
    expect_text("optional binary a (STRING); optional binary b (STRING);",
                "{\"a\":\"x,y\",\"b\":\"NA\"}{\"a\":null,\"b\":\"\"}{\"a\":\"p;q\",\"b\":\"NAN\"}"
                "{\"a\":\"NB\",\"b\":null}",
                &options, "x,y;\"NA\"\r\nNA;\r\n\"p;q\";NAN\r\nNB;NA\r\n");
}

Test(delimited_write, formulas_are_disarmed_for_spreadsheets_alone) {
    lam_delimited_options options = lam_delimited_options_default();
    static const char fields[] = "optional binary \"=a\" (STRING); optional int32 \"b\"; "
                                 "optional double d;";
    static const char records[] = "{\"=a\":\"=1+1\",\"b\":-5,\"d\":-1.5}"
                                  "{\"=a\":\"-5,\",\"b\":null,\"d\":\"-Infinity\"}";
    expect_text(fields, records, &options, "=a,b,d\n=1+1,-5,-1.5\n\"-5,\",,-Infinity\n");
    options.audience = LAM_DELIMITED_FOR_SPREADSHEETS;
    options.null_text = "-";
    expect_text(fields, records, &options, "'=a,b,d\n'=1+1,-5,-1.5\n\"'-5,\",-,'-Infinity\n");
}

Test(delimited_write, times_end_without_zeros_and_are_what_spreadsheets_know) {
    lam_delimited_options options = lam_delimited_options_default();
    static const char fields[] =
        "optional int64 u (TIMESTAMP(NANOS,true)); optional int64 l (TIMESTAMP(MILLIS,false)); "
        "optional int32 t (TIME(MILLIS,false)); optional binary s (STRING); optional int96 d;";
    static const char records[] =
        "{\"u\":\"2024-10-24T12:00:00.500000000Z\",\"l\":\"2024-10-24T12:00:00.000\","
        "\"t\":\"12:00:00.000\",\"s\":\"2024-10-24T12:00:00.000\","
        "\"d\":\"2024-10-24T12:00:00.000000001\"}"
        "{\"u\":null,\"l\":\"-0044-03-15T00:00:00.000\",\"t\":\"12:00:00.120\",\"s\":null,"
        "\"d\":\"2024-10-24T12:00:00.000000000\"}";
    expect_text(fields, records, &options,
                "u,l,t,s,d\n"
                "2024-10-24T12:00:00.500Z,2024-10-24T12:00:00,12:00:00,2024-10-24T12:00:00.000,"
                "2024-10-24T12:00:00.000000001\n"
                ",-0044-03-15T00:00:00,12:00:00.120,,2024-10-24T12:00:00\n");
    options.audience = LAM_DELIMITED_FOR_SPREADSHEETS;
    expect_text(fields, records, &options,
                "u,l,t,s,d\n"
                "2024-10-24 12:00:00.500,2024-10-24 12:00:00,12:00:00,2024-10-24T12:00:00.000,"
                "2024-10-24 12:00:00.000000001\n"
                ",'-0044-03-15 00:00:00,12:00:00.120,,2024-10-24 12:00:00\n");
    options.delimiter = ':';
    expect_text("optional int32 t (TIME(MILLIS,false)); ", "{\"t\":\"12:00:00.000\"}", &options,
                "t\n\"12:00:00\"\n");
}

Test(delimited_write, names_are_quoted_as_cells_are) {
    expect_text("optional int32 \"a,b\"; optional int32 \"c\\\"d\";", "{\"a,b\":1,\"c\\\"d\":2}",
                NULL, "\"a,b\",\"c\"\"d\"\n1,2\n");
}

Test(delimited_write, a_character_that_cannot_delimit_is_refused) {
    lam_schema *schema = fields_of("required int32 a;");
    static const char wrong[] = {'"', '\n', '\r', (char)0xE9};
    for (size_t i = 0; i < sizeof wrong; i++) {
        lam_delimited_options options = lam_delimited_options_default();
        lam_delimited_writer *writer = NULL;
        options.delimiter = wrong[i];
        cr_expect_eq(lam_delimited_writer_create(schema, NULL, NULL, &options, NULL, &writer, NULL),
                     LAM_STATUS_INVALID);
        cr_expect_null(writer);
    }
    lam_schema_destroy(schema);
}

Test(delimited_write, options_that_are_none_are_refused) {
    lam_schema *schema = fields_of("required int32 a;");
    lam_delimited_options options = lam_delimited_options_default();
    lam_delimited_writer *writer = NULL;
    lam_error error = lam_error_none();
    options.header = (lam_switch)7;
    cr_expect_eq(lam_delimited_writer_create(schema, NULL, NULL, &options, NULL, &writer, &error),
                 LAM_STATUS_INVALID);
    cr_expect_not_null(strstr(error.message, "header"));
    options = lam_delimited_options_default();
    options.audience = (lam_delimited_audience)2;
    cr_expect_eq(lam_delimited_writer_create(schema, NULL, NULL, &options, NULL, &writer, &error),
                 LAM_STATUS_INVALID);
    cr_expect_not_null(strstr(error.message, "audience"));
    lam_json_writer_options json = lam_json_writer_options_default();
    json.struct_size = 1;
    cr_expect_eq(lam_delimited_writer_create(schema, NULL, &json, NULL, NULL, &writer, &error),
                 LAM_STATUS_INVALID);
    cr_expect_not_null(strstr(error.message, "lam_json_writer_options"));
    cr_expect_null(writer);
    lam_schema_destroy(schema);
}

/* An output that fails as often as it is told to, and counts its writes. */
typedef struct failing_output {
    int failures, writes;
    size_t size; /* of the last write */
} failing_output;

static lam_status fail_write(void *state, const void *data, size_t size, lam_error *error) {
    failing_output *failing = state;
    (void)data;
    failing->writes++;
    failing->size = size;
    if (failing->failures-- <= 0)
        return LAM_STATUS_OK;
    *error = lam_error_none();
    error->status = LAM_STATUS_IO;
    return LAM_STATUS_IO;
}

/* What a write that failed has not taken is kept. */
Test(delimited_write, lines_go_to_the_output_until_it_has_taken_them) {
    lam_schema *schema = fields_of("required int32 abc;");
    failing_output failing = {.failures = 1};
    lam_output output = {&failing, fail_write, NULL, NULL};
    lam_delimited_writer *writer;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_delimited_writer_create(schema, &output, NULL, NULL, NULL, &writer, NULL),
                 LAM_STATUS_OK);
    cr_expect_eq(lam_delimited_writer_flush(writer, &error), LAM_STATUS_IO);
    cr_expect_eq(error.status, LAM_STATUS_IO);
    cr_expect_eq(lam_delimited_writer_flush(writer, NULL), LAM_STATUS_OK);
    cr_expect_eq(failing.size, 4);
    cr_expect_eq(failing.writes, 2);
    cr_expect_eq(lam_delimited_writer_flush(writer, NULL), LAM_STATUS_OK);
    cr_expect_eq(failing.writes, 2); /* nothing is left to write */
    lam_delimited_writer_destroy(writer);
    lam_schema_destroy(schema);
}

static void expect_clean_failures(const char *fields, const char *records) {
    written_file file;
    lam_reader *reader = file_of(fields, records, 1, NULL, &file);
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_output output;
        cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
        lam_status status = print(reader, NULL, &allocator, &output);
        lam_output_close(&output);
        cr_expect_eq(counter.live_bytes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM, "request %zu", fail_at);
    }
    lam_reader_close(reader);
    free(file.bytes);
}

Test(delimited_write, every_allocation_may_fail) {
    expect_clean_failures(TABLE_FIELDS ";", TABLE_RECORDS);
}

/*
 * The text of lines begins with 64 bytes of memory, and it is full at each of their parts in turn:
 * a cell whose letters fit or do not, with the quotation marks they need, and a delimiter.
 */
Test(delimited_write, memory_may_run_out_in_any_part_of_a_line) {
    char text[200], name[65], fields[200];
    memset(name, 'n', 64);
    name[64] = '\0';
    snprintf(fields, sizeof fields, "required int32 %s; required int32 b;", name);
    snprintf(text, sizeof text, "{\"%s\":1,\"b\":2}", name);
    expect_clean_failures(fields, text);
    static const char *const marks[] = {"", ",", ","};
    static const int sizes[] = {60, 40, 70};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(text, sizeof text, "{\"a\":\"%s%.*s%s\",\"b\":2}", marks[i], sizes[i] - 10,
                 "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
                 &"1234567890"[strlen(marks[i])]);
        expect_clean_failures("required binary a (STRING); required int32 b;", text);
    }
}

static lam_status take_options(const void *options, lam_error *error) {
    lam_schema *schema = fields_of("optional int64 a;");
    lam_output output = {0};
    lam_delimited_writer *writer = NULL;
    lam_status status =
        lam_delimited_writer_create(schema, &output, NULL, options, NULL, &writer, error);
    lam_delimited_writer_destroy(writer);
    lam_schema_destroy(schema);
    return status;
}

Test(delimited_write, options_of_every_older_and_newer_version_are_taken) {
    static const option_type types[] = {TAKEN(lam_delimited_options, take_options)};
    expect_options_to_grow(types, 1);
}
