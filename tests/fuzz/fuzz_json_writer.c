/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of any file as JSON. What is valid by its logical types reads back from the text and
 * prints the same. (any_file.h)
 */
#include <lamella/dremel.h>
#include <lamella/scan.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz/any_file.h"
#include "fuzz/harness.h"
#include "fuzz/json_trip.h"

enum { VERBS_MAX = 50000 };

/*
 * Only a file can have siblings of one name, and names that are not UTF-8; what is printed of those
 * does not read back.
 */
static bool names_read_back(const lam_schema *schema) {
    for (size_t i = 1; i < lam_schema_field_count(schema); i++) {
        const lam_field *field = lam_schema_field(schema, i);
        const char *name = lam_field_name(field);
        size_t size = strlen(name);
        if (lam_field_child_named(lam_field_parent(field), name, size) != field ||
            lam_utf8_prefix((const uint8_t *)name, size) != size)
            return false;
    }
    return true;
}

/* A file may have its VARIANTs in groups that are read, and that nothing is written to. */
static bool variants_are_written(const lam_schema *schema) {
    for (size_t i = 1; i < lam_schema_field_count(schema); i++) {
        const lam_field *field = lam_schema_field(schema, i);
        if (lam_field_logical_type(field)->kind == LAM_LOGICAL_VARIANT &&
            lam_variant_check_group(field, LAM_VARIANT_WRITE, NULL) != LAM_STATUS_OK)
            return false;
    }
    return true;
}

/* False when reading ended early, which is a failure of the file or its values. */
static bool print_records(const lam_fuzz_file *file, lam_fuzz_sink *sink) {
    lam_error error = lam_error_none();
    lam_record_reader *records;
    lam_record_sink verbs = lam_fuzz_sink_verbs(sink);
    uint64_t count;
    if (!lam_fuzz_file_judge(file, lam_record_reader_open(file->reader, NULL, &records, &error),
                             &error))
        return false;
    lam_status status = lam_record_reader_read(records, &verbs, UINT64_MAX, &count, &error);
    if (sink->next_failed) /* the bytes of a VARIANT are the file's */
        lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER | LAM_FUZZ_OF_FILE);
    else if (!sink->cancelled)
        lam_fuzz_file_judge(file, status, &error);
    lam_record_reader_close(records);
    return status == LAM_STATUS_OK;
}

/* False for a schema with a VARIANT that can hold no values, which is refused. */
static bool open_writer(const lam_schema *schema, lam_output *output,
                        const lam_json_writer_options *options, const lam_allocator *allocator,
                        lam_json_writer **ret_writer) {
    lam_error error = lam_error_none();
    lam_status status =
        lam_json_writer_create(schema, output, options, allocator, ret_writer, &error);
    return lam_fuzz_judge(status, &error, LAM_FUZZ_OF_CALLER | LAM_FUZZ_OF_FILE);
}

/* Without a checker in front, the writer meets values that are not of their logical type. */
static void print_anything(const lam_fuzz_file *file, const lam_json_writer_options *options) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_output output;
    lam_json_writer *writer;
    LAM_FUZZ_OK(lam_output_memory(&allocator, &output, &fault));
    if (!open_writer(lam_reader_schema(file->reader), &output, options, &allocator, &writer)) {
        lam_output_close(&output);
        return;
    }
    lam_fuzz_sink sink = {.next = lam_json_writer_sink(writer), .verbs_left = VERBS_MAX};
    print_records(file, &sink);
    LAM_FUZZ_OK(lam_json_writer_flush(writer, &fault));
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
}

/* With one, all that is printed reads back. */
static void print_valid(const lam_fuzz_file *file, const lam_json_writer_options *options) {
    lam_allocator allocator = lam_fuzz_allocator();
    const lam_schema *schema = lam_reader_schema(file->reader);
    lam_output output;
    lam_json_writer *writer;
    lam_record_checker *checker;
    LAM_FUZZ_OK(lam_output_memory(&allocator, &output, &fault));
    if (!open_writer(schema, &output, options, &allocator, &writer)) {
        lam_output_close(&output);
        return;
    }
    lam_record_sink verbs = lam_json_writer_sink(writer);
    LAM_FUZZ_OK(lam_record_checker_create(schema, &verbs, &allocator, &checker, &fault));
    lam_fuzz_sink sink = {.next = lam_record_checker_sink(checker), .verbs_left = VERBS_MAX};
    print_records(file, &sink);
    LAM_FUZZ_OK(lam_json_writer_flush(writer, &fault));
    lam_fuzz_json_text trip = {.schema = schema, .must_fit = true};
    trip.text = lam_output_memory_bytes(&output);
    trip.options = lam_json_reader_options_default();
    trip.options.binary = options->binary;
    if (names_read_back(schema) && variants_are_written(schema))
        LAM_FUZZ_EXPECT(lam_fuzz_json_trip(&trip) == sink.records);
    lam_record_checker_destroy(checker);
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_file file;
    lam_fuzz_file_open(&file, data, size);
    if (file.reader != NULL) {
        lam_json_writer_options options = lam_json_writer_options_default();
        options.binary =
            file.choice & LAM_FUZZ_FILE_HEX ? LAM_JSON_BINARY_HEX : LAM_JSON_BINARY_BASE64;
        print_valid(&file, &options);
        options.replace_invalid = file.choice & LAM_FUZZ_FILE_REPLACE;
        print_anything(&file, &options);
    }
    lam_fuzz_file_close(&file);
    lam_fuzz_expect_no_leak();
    return 0;
}
