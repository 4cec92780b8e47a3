/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/log.h>
#include <lamella/reader.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_sample.h"

static lam_model_disk *disk;
static lam_storage storage;

static void start(void) {
    disk = lam_model_disk_create();
    storage = lam_model_disk_storage(disk);
}

static void stop(void) {
    lam_model_disk_destroy(disk);
}

/* Logs records one by one into a file, and opens that. */
static lam_reader *make_records(uint64_t count) {
    lam_schema *schema = lam_test_schema(LAM_LOG_SAMPLE_SCHEMA);
    lam_log_options options = lam_log_options_default();
    lam_log *log;
    lam_bytes bytes;
    lam_reader *reader;
    options.storage = &storage;
    cr_assert_eq(lam_log_open_file(schema, "records.parquet", &options, &log, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_log_sink(log);
    cr_assert_eq(lam_log_sample_put(&sink, schema, 0, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
    lam_log_close(log);
    lam_schema_destroy(schema);
    cr_assert(lam_model_disk_content(disk, "records.parquet", &bytes));
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    return reader;
}

Test(log_arrays, rows_of_arrays_are_logged_as_records_are, .init = start, .fini = stop) {
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
        options.storage = &storage;
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
        lam_log_content content = lam_log_sample_read(disk, folder);
        cr_assert_eq(content.prefix, RECORDS);
        cr_assert(content.is_ascending);
    }
    arrow_schema.release(&arrow_schema);
    lam_schema_destroy(schema);
    lam_reader_close(reader);
}

Test(log_arrays, arrays_of_another_schema_are_refused, .init = start, .fini = stop) {
    lam_reader *reader = make_records(10);
    struct ArrowSchema arrow_schema;
    lam_schema *schema = lam_test_schema("message m { required int32 other; }");
    lam_log_options options = lam_log_options_default();
    lam_log *log;
    lam_log_arrays *arrays;
    lam_error error = lam_error_none();
    options.storage = &storage;
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
