/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways to print the records of a file: by events, and from columns. */
#ifndef LAM_TESTS_PRINT_WAYS_H
#define LAM_TESTS_PRINT_WAYS_H

#include <lamella/scan.h>
#include <lamella/writer.h>

#include "json_help.h"
#include "support/random.h"
#include "support/test_file.h"

typedef enum print_way { BY_EVENTS, FROM_COLUMNS, BY_BOTH } print_way;

/* What a print gives: text for free(), the status, and the message of a failure. */
typedef struct printed {
    char *text;
    lam_status status;
    lam_error error;
} printed;

/*
 * Prints all records that the scan wants. With `splits` in calls of any size, some of which skip:
 * the same numbers come of the same seed. BY_BOTH changes the way between calls.
 */
static inline printed print_file(const lam_reader *reader, const lam_scan_options *scan,
                                 const lam_json_writer_options *options, print_way way,
                                 uint64_t splits) {
    printed result = {NULL, LAM_STATUS_OK, lam_error_none()};
    lam_random random = lam_random_start(splits);
    lam_output output;
    lam_json_writer *writer;
    lam_record_reader *records;
    uint64_t count = 1;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(
        lam_json_writer_create(lam_reader_schema(reader), &output, options, NULL, &writer, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_open_scan(reader, scan, &records, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_json_writer_sink(writer);
    for (int call = 0; result.status == LAM_STATUS_OK && count > 0; call++) {
        uint64_t most = splits == 0 ? UINT64_MAX : 1 + lam_random_below(&random, 20);
        if (splits != 0 && lam_random_chance(&random, 20))
            result.status = lam_record_reader_skip(records, most, &count, &result.error);
        else if (way == BY_EVENTS || (way == BY_BOTH && call % 2 == 1))
            result.status = lam_record_reader_read(records, &sink, most, &count, &result.error);
        else
            result.status = lam_json_writer_print(writer, records, most, &count, &result.error);
    }
    lam_record_reader_close(records);
    cr_assert_eq(lam_json_writer_flush(writer, NULL), LAM_STATUS_OK);
    lam_bytes bytes = lam_output_memory_bytes(&output);
    result.text = calloc(1, bytes.size + 1);
    if (bytes.size > 0)
        memcpy(result.text, bytes.data, bytes.size);
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
    return result;
}

/* Ends the test unless all ways print the same, with the same failure. Returns the text. */
static inline char *expect_same_ways(const lam_reader *reader, const lam_scan_options *scan,
                                     const lam_json_writer_options *options, uint64_t splits,
                                     const char *context) {
    printed events = print_file(reader, scan, options, BY_EVENTS, splits);
    for (print_way way = FROM_COLUMNS; way <= BY_BOTH; way++) {
        printed other = print_file(reader, scan, options, way, splits);
        cr_assert_str_eq(other.text, events.text, "%s", context);
        cr_assert_eq(other.status, events.status, "%s: %s", context, other.error.message);
        cr_assert_str_eq(other.error.message, events.error.message, "%s", context);
        cr_assert_eq(other.error.offset, events.error.offset, "%s", context);
        free(other.text);
    }
    return events.text;
}

/* A file in memory. */
typedef struct written_file {
    lam_output view; /* of what the writer has, until it is closed */
    char *bytes;
    size_t size;
} written_file;

static inline lam_writer *open_writer(const lam_schema *schema, const lam_writer_options *options,
                                      written_file *file) {
    lam_writer *writer;
    lam_output output;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    file->view = output;
    cr_assert_eq(lam_writer_open(schema, &output, options, &writer, NULL), LAM_STATUS_OK);
    return writer;
}

/* Closes the writer and keeps the bytes, for free(). */
static inline void finish_writer(lam_writer *writer, written_file *file) {
    lam_error error = lam_error_none();
    cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_OK, "%s", error.message);
    lam_bytes bytes = lam_output_memory_bytes(&file->view);
    file->bytes = malloc(bytes.size);
    file->size = bytes.size;
    memcpy(file->bytes, bytes.data, bytes.size);
    lam_writer_close(writer);
}

static inline lam_reader *open_file(const written_file *file) {
    lam_reader *reader = lam_test_open(file->bytes, file->size, NULL);
    return reader;
}

/* Writes JSON records `times` times. */
static inline lam_reader *file_of(const char *fields, const char *json, int times,
                                  const lam_writer_options *options, written_file *file) {
    lam_schema *schema = fields_of(fields);
    lam_writer *writer = open_writer(schema, options, file);
    lam_record_sink sink = lam_writer_sink(writer);
    lam_error error = lam_error_none();
    size_t records;
    for (int i = 0; i < times; i++)
        cr_assert_eq(read_json(lam_writer_schema(writer), json, strlen(json), NULL, NULL, &sink,
                               &records, &error),
                     LAM_STATUS_OK, "%s", error.message);
    lam_schema_destroy(schema);
    finish_writer(writer, file);
    return open_file(file);
}

#endif
