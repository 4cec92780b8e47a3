/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of arrays are logged exactly as records are, and what contradicts the schema leaves nothing
 * in the log.
 */
#include <criterion/criterion.h>
#include <lamella/log_arrays.h>
#include <lamella/reader.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_disk.h"
#include "log/log_sample.h"

TestSuite(log_arrays, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

/* Logs records one by one into a file, and opens that. */
static lam_reader *make_records(uint64_t count) {
    lam_log *log = lam_log_disk_open("records.parquet", false, lam_log_options_default());
    lam_log_disk_put(log, 0, count);
    lam_log_disk_finish(log);
    return lam_log_disk_read("records.parquet");
}

Test(log_arrays, rows_of_arrays_are_logged_as_records_are) {
    enum { RECORDS = 5000 };
    lam_reader *reader = make_records(RECORDS);
    struct ArrowArrayStream stream;
    struct ArrowSchema arrow_schema;
    lam_schema *schema;
    lam_log *log;
    lam_log_arrays *arrays;
    lam_log_info info = lam_log_info_default();
    lam_error error = lam_error_none();
    cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, &error), LAM_STATUS_OK);
    cr_assert_eq(stream.get_schema(&stream, &arrow_schema), 0);
    cr_assert_eq(lam_arrow_import_schema(&arrow_schema, NULL, &schema, &error), LAM_STATUS_OK);
    for (int background = 0; background < 2; background++) {
        lam_log_options options = lam_log_options_default();
        options.storage = &log_storage;
        options.background = background == 1;
        options.journal = true;
        const char *folder = background == 1 ? "behind" : "here";
        cr_assert_eq(lam_log_open(schema, folder, &options, &log, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_log_arrays_create(log, &arrow_schema, &arrays, &error), LAM_STATUS_OK,
                     "%s", error.message);
        if (background == 1)
            cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, &error), LAM_STATUS_OK);
        for (;;) {
            struct ArrowArray array;
            cr_assert_eq(stream.get_next(&stream, &array), 0);
            if (array.release == NULL)
                break;
            cr_assert_eq(lam_log_arrays_write(arrays, &array, &error), LAM_STATUS_OK, "%s",
                         error.message);
            array.release(&array);
        }
        stream.release(&stream);
        lam_log_arrays_destroy(arrays);
        cr_assert_eq(lam_log_get_info(log, &info, NULL), LAM_STATUS_OK);
        cr_assert_eq(info.accepted, RECORDS);
        cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
        lam_log_close(log);
        lam_log_content content = lam_log_sample_read(log_disk, folder);
        cr_assert_eq(content.prefix, RECORDS);
        cr_assert(content.is_ascending);
    }
    arrow_schema.release(&arrow_schema);
    lam_schema_destroy(schema);
    lam_reader_close(reader);
}

Test(log_arrays, arrays_of_another_schema_are_refused) {
    lam_reader *reader = make_records(10);
    struct ArrowSchema arrow_schema;
    lam_schema *schema = lam_test_schema("message m { required int32 other; }");
    lam_log_options options = lam_log_options_default();
    lam_log *log;
    lam_log_arrays *arrays;
    lam_error error = lam_error_none();
    options.storage = &log_storage;
    cr_assert_eq(lam_arrow_export_schema(reader, NULL, &arrow_schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_open(schema, "logs", &options, &log, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_arrays_create(log, &arrow_schema, &arrays, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "the log's schema is not the one that holds the Arrow schema");
    cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
    lam_log_close(log);
    arrow_schema.release(&arrow_schema);
    lam_schema_destroy(schema);
    lam_reader_close(reader);
}

/* --- Arrays of other files ----------------------------------------------------------------- */

/* A log, the handle for arrays of its schema, and an array whose schema may be wider. */
typedef struct arrays_trial {
    lam_trial_output bytes;
    lam_reader *reader;
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    lam_log *log;
    lam_log_arrays *arrays;
} arrays_trial;

typedef void fill_record(const lam_record_sink *sink, const lam_schema *schema, int record);

/* Writes records into a file in memory, and opens that. */
static lam_reader *make_file(const char *text, fill_record *fill, int records,
                             lam_trial_output *bytes) {
    lam_schema *schema = lam_test_schema(text);
    lam_error error = lam_error_none();
    lam_test_writer file = lam_test_write_as(schema, NULL);
    for (int i = 0; i < records; i++) {
        cr_assert_eq(file.sink.begin(file.sink.state, &error), LAM_STATUS_OK);
        fill(&file.sink, schema, i);
        cr_assert_eq(file.sink.end(file.sink.state, &error), LAM_STATUS_OK, "%s", error.message);
    }
    bytes->bytes = lam_test_written(&file);
    lam_reader *reader = lam_test_open(bytes->bytes.data, bytes->bytes.size, NULL);
    lam_schema_destroy(schema);
    return reader;
}

static void open_trial(arrays_trial *trial, const char *logged, const char *given,
                       fill_record *fill, int records) {
    lam_trial_output none = {0};
    lam_log_options options = lam_log_options_default();
    struct ArrowSchema arrow_schema;
    lam_schema *schema;
    memset(trial, 0, sizeof *trial);
    lam_reader *empty = make_file(logged, fill, 0, &none);
    cr_assert_eq(lam_arrow_export_schema(empty, NULL, &arrow_schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_import_schema(&arrow_schema, NULL, &schema, NULL), LAM_STATUS_OK);
    options.storage = &log_storage;
    cr_assert_eq(lam_log_open(schema, "logs", &options, &trial->log, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_arrays_create(trial->log, &arrow_schema, &trial->arrays, NULL),
                 LAM_STATUS_OK);
    arrow_schema.release(&arrow_schema);
    lam_schema_destroy(schema);
    lam_reader_close(empty);
    lam_trial_output_free(&none);
    trial->reader = make_file(given, fill, records, &trial->bytes);
    cr_assert_eq(lam_arrow_read_stream(trial->reader, NULL, &trial->stream, NULL), LAM_STATUS_OK);
    cr_assert_eq(trial->stream.get_next(&trial->stream, &trial->array), 0);
    cr_assert_eq(trial->array.length, records);
}

/* Ends the log, which has taken so many records. */
static void close_trial(arrays_trial *trial, uint64_t accepted) {
    lam_log_info info = lam_log_info_default();
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_get_info(trial->log, &info, NULL), LAM_STATUS_OK);
    cr_expect_eq(info.accepted, accepted);
    lam_log_arrays_destroy(trial->arrays);
    cr_expect_eq(lam_log_finish(trial->log, &error), LAM_STATUS_OK, "%s", error.message);
    lam_log_close(trial->log);
    trial->array.release(&trial->array);
    trial->stream.release(&trial->stream);
    lam_reader_close(trial->reader);
    lam_trial_output_free(&trial->bytes);
}

/* Every second value is null. */
static void fill_number(const lam_record_sink *sink, const lam_schema *schema, int record) {
    if (record % 2 == 0)
        cr_assert_eq(sink->put(sink->state, lam_schema_find(schema, "number"),
                               (lam_value){.int64 = record}, NULL),
                     LAM_STATUS_OK);
}

/* Every second group is null. */
static void fill_group(const lam_record_sink *sink, const lam_schema *schema, int record) {
    const lam_field *group = lam_schema_find(schema, "g");
    if (record % 2 != 0)
        return;
    cr_assert_eq(sink->open(sink->state, group, NULL), LAM_STATUS_OK);
    cr_assert_eq(
        sink->put(sink->state, lam_schema_find(schema, "g.x"), (lam_value){.int64 = record}, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(sink->close(sink->state, group, NULL), LAM_STATUS_OK);
}

static void fill_list(const lam_record_sink *sink, const lam_schema *schema, int record) {
    const lam_field *list = lam_schema_find(schema, "l"),
                    *items = lam_schema_find(schema, "l.list");
    cr_assert_eq(sink->open(sink->state, list, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 40; i++) {
        cr_assert_eq(sink->open(sink->state, items, NULL), LAM_STATUS_OK);
        cr_assert_eq(sink->put(sink->state, lam_schema_find(schema, "l.list.element"),
                               (lam_value){.int32 = record}, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(sink->close(sink->state, items, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(sink->close(sink->state, list, NULL), LAM_STATUS_OK);
}

Test(log_arrays, nulls_of_a_required_field_leave_nothing_in_the_log) {
    arrays_trial trial;
    lam_error error = lam_error_none();
    open_trial(&trial, "message m { required int64 number; }",
               "message m { optional int64 number; }", fill_number, 5);
    cr_expect_eq(lam_log_arrays_write(trial.arrays, &trial.array, &error), LAM_STATUS_INVALID);
    cr_expect_not_null(strstr(error.message, "number"), "%s", error.message);
    close_trial(&trial, 0);
}

Test(log_arrays, nulls_below_a_null_are_none_of_a_required_field) {
    arrays_trial trial;
    lam_error error = lam_error_none();
    open_trial(&trial, "message m { optional group g { required int64 x; } }",
               "message m { optional group g { optional int64 x; } }", fill_group, 5);
    cr_expect_eq(lam_log_arrays_write(trial.arrays, &trial.array, &error), LAM_STATUS_OK, "%s",
                 error.message);
    close_trial(&trial, 5);
}

Test(log_arrays, an_array_that_contradicts_its_schema_is_refused) {
    arrays_trial trial;
    lam_error error = lam_error_none();
    open_trial(&trial, "message m { optional int64 number; }",
               "message m { optional int64 number; }", fill_number, 5);
    trial.array.length = -1;
    cr_expect_eq(lam_log_arrays_write(trial.arrays, &trial.array, &error), LAM_STATUS_INVALID);
    trial.array.length = 5;
    cr_expect_eq(lam_log_arrays_write(trial.arrays, &trial.array, &error), LAM_STATUS_OK);
    close_trial(&trial, 5);
}

/* Rows of long lists go into smaller batches. */
Test(log_arrays, rows_of_long_lists_are_logged) {
    static const char text[] = "message m { optional group l (LIST) { repeated group list {"
                               " optional int32 element; } } }";
    arrays_trial trial;
    lam_error error = lam_error_none();
    open_trial(&trial, text, text, fill_list, 1100);
    cr_expect_eq(lam_log_arrays_write(trial.arrays, &trial.array, &error), LAM_STATUS_OK, "%s",
                 error.message);
    close_trial(&trial, 1100);
}
