/* SPDX-License-Identifier: Apache-2.0 */
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
                "{\"a\":\"x,y\",\"b\":\"NA\"}{\"a\":null,\"b\":\"\"}{\"a\":\"p;q\",\"b\":\"NAN\"}",
                &options, "x,y;\"NA\"\r\nNA;\r\n\"p;q\";NAN\r\n");
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

Test(delimited_write, every_allocation_may_fail) {
    written_file file;
    lam_reader *reader = file_of(TABLE_FIELDS ";", TABLE_RECORDS, 1, NULL, &file);
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
