/* SPDX-License-Identifier: Apache-2.0 */
/* Options and arguments that a log refuses, with what it says, and calls that come too late. */
#include <criterion/criterion.h>
#include <lamella/log_arrays.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_disk.h"
#include "log/log_sample.h"
#include "log/log_sample_columns.h"
#include "support/failing_alloc.h"
#include "support/random.h"

static lam_schema *wider; /* than the schema of the logs */

static void start(void) {
    lam_log_disk_start();
    wider = lam_test_schema(LAM_LOG_SAMPLE_WIDER);
}

static void stop(void) {
    lam_schema_destroy(wider);
    lam_log_disk_stop();
}

TestSuite(log_options, .init = start, .fini = stop);

/* --- Options --------------------------------------------------------------------------------- */

static lam_log_options options_of_disk(void) {
    lam_log_options options = lam_log_options_default();
    options.storage = &log_storage;
    return options;
}

static lam_log *open_log(bool is_folder, const lam_log_options *options) {
    return lam_log_disk_open(is_folder ? "logs" : "a.parquet", is_folder, *options);
}

static void refuses(bool is_folder, const lam_log_options *options, const char *message) {
    lam_log *log = NULL;
    lam_error error = lam_error_none();
    lam_status status =
        lam_log_disk_try_open(is_folder ? "logs" : "a.parquet", is_folder, *options, &log, &error);
    cr_assert_eq(status, LAM_STATUS_INVALID, "instead of \"%s\"", message);
    cr_assert_not_null(strstr(error.message, message), "\"%s\" instead of \"%s\"", error.message,
                       message);
    cr_assert_null(log);
    cr_assert_eq(lam_log_sample_read(log_disk, "").files, 0);
}

/* Sets one member to a value, and expects the message. */
#define REFUSES(is_folder, member, value, message)                                                 \
    do {                                                                                           \
        lam_log_options options = options_of_disk();                                               \
        options.member = value;                                                                    \
        refuses(is_folder, &options, message);                                                     \
    } while (0)

Test(log_options, what_is_out_of_range_is_invalid) {
    lam_writer_options writer = lam_writer_options_default();
    writer.struct_size = 1;
    REFUSES(true, struct_size, 1, "lam_log_options");
    REFUSES(true, writer, &writer, "lam_writer_options");
    REFUSES(true, sync, (lam_log_sync)99, "sync 99 is none of lam_log_sync");
    REFUSES(true, when_full, (lam_log_full)99, "when_full 99 is none of lam_log_full");
    REFUSES(true, leftovers, (lam_log_leftovers)99, "leftovers 99 is none of lam_log_leftovers");
    REFUSES(true, open_files, 4097, "open_files of 4097 is above 4096");
    REFUSES(true, sync_ms, UINT64_MAX, "sync_ms of 18446744073709551615 milliseconds");
    REFUSES(true, checkpoint_ms, UINT64_MAX, "checkpoint_ms of ");
    REFUSES(true, rotate_ms, UINT64_MAX, "rotate_ms of ");
    REFUSES(true, keep_ms, UINT64_MAX, "keep_ms of ");
    REFUSES(true, sync, LAM_LOG_SYNC_RECORD, "sync by record needs the journal");
    REFUSES(true, sync_ms, 100, "sync_ms of 100 needs a journal (option journal)");
    REFUSES(true, memory_limit, 1, "a memory limit of 1 bytes is below the least of 2097152");
    REFUSES(true, memory_limit, UINT64_MAX, "a memory limit of 18446744073709551615 bytes");
    REFUSES(true, prefix, "a/b", "a/b");
    REFUSES(true, key_value_count, 1, "key_value_count is 1, and there are not as many");
    REFUSES(true, key_value_count, SIZE_MAX, "there are not as many");
    REFUSES(true, partition_format, "day=%d", "partition_format without partition_by");
}

Test(log_options, what_needs_a_folder_is_invalid_for_one_file) {
    REFUSES(false, partition_by, "at", "partition_by needs a log of a folder");
    REFUSES(false, rotate_bytes, 1, "rotate_bytes needs a log of a folder");
    REFUSES(false, rotate_ms, 1, "rotate_ms needs a log of a folder");
    REFUSES(false, keep_bytes, 1, "keep_bytes needs a log of a folder");
    REFUSES(false, keep_ms, 1, "keep_ms needs a log of a folder");
}

Test(log_options, a_queue_is_no_larger_than_a_quarter_of_the_memory) {
    lam_log_options options = options_of_disk();
    options.queue_bytes = UINT64_MAX;
    options.memory_limit = 2 << 20;
    lam_log *log = open_log(true, &options);
    lam_record_sink sink = lam_log_sink(log);
    cr_assert_eq(lam_log_sample_put(&sink, log_schema, 0, 20000, NULL), LAM_STATUS_OK);
    lam_log_info info = lam_log_info_default();
    cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_get_info(log, &info, NULL), LAM_STATUS_OK);
    cr_assert_leq(info.memory_peak, 2 << 20);
    lam_log_close(log);
    cr_assert_eq(lam_log_sample_read(log_disk, "logs").prefix, 20000);
}

/* Tables of dictionaries that do not pay were kept: a file ended with each batch. */
Test(log_options, small_memory_makes_row_groups_and_not_files) {
    lam_schema *schema;
    cr_assert_eq(lam_schema_parse_text("required int64 n; required double x; required double y;",
                                       NULL, &schema, NULL),
                 LAM_STATUS_OK);
    const lam_field *fields[3] = {lam_schema_find(schema, "n"), lam_schema_find(schema, "x"),
                                  lam_schema_find(schema, "y")};
    for (uint64_t limit = 2; limit <= 8; limit *= 2)
        for (int background = 0; background < 2; background++) {
            lam_random random = lam_random_start(limit);
            lam_log_options options = options_of_disk();
            lam_log_info info = lam_log_info_default();
            lam_log *log;
            lam_log_disk_renew();
            options.memory_limit = limit << 20;
            options.background = background == 1;
            cr_assert_eq(lam_log_open(schema, "logs", &options, &log, NULL), LAM_STATUS_OK);
            lam_record_sink sink = lam_log_sink(log);
            for (int64_t n = 0; n < 60000; n++) {
                lam_begin(&sink, NULL);
                lam_put_int64(&sink, fields[0], n, NULL);
                for (int i = 1; i < 3; i++)
                    lam_put_double(&sink, fields[i], (double)lam_random_next(&random), NULL);
                cr_assert_eq(lam_end(&sink, NULL), LAM_STATUS_OK);
            }
            cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_log_get_info(log, &info, NULL), LAM_STATUS_OK);
            lam_log_close(log);
            cr_expect_eq(info.files, 1, "%d MiB: %d files", (int)limit, (int)info.files);
            cr_expect_leq(info.memory_peak, options.memory_limit, "%d MiB: %d bytes", (int)limit,
                          (int)info.memory_peak);
        }
    lam_schema_destroy(schema);
}

Test(log_options, a_log_needs_a_path_and_a_schema) {
    lam_log_options options = options_of_disk();
    lam_log *log = NULL;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_open(log_schema, NULL, &options, &log, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no path for a log");
    cr_assert_eq(lam_log_open(log_schema, "", &options, &log, &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_log_open(NULL, "logs", &options, &log, &error), LAM_STATUS_INVALID);
    cr_assert_null(log);
}

/* --- No log, and a log that is finished ------------------------------------------------------ */

Test(log_options, without_a_log_calls_are_invalid) {
    lam_error error = lam_error_none();
    lam_log_info info = lam_log_info_default();
    lam_record_sink sink = lam_log_sink(NULL);
    cr_assert_null(lam_log_schema(NULL));
    cr_assert_neq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_checkpoint(NULL, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no log (NULL)");
    cr_assert_eq(lam_log_get_info(NULL, &info, &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_log_finish(NULL, NULL), LAM_STATUS_INVALID);
    lam_log_close(NULL);
    lam_log_arrays_destroy(NULL);
    lam_log_producer_destroy(NULL);
}

#define TOO_LATE(call)                                                                             \
    do {                                                                                           \
        lam_error error = lam_error_none();                                                        \
        cr_assert_eq((call), LAM_STATUS_STATE);                                                    \
        cr_assert_eq(error.code, LAM_ERROR_CODE_WRITER_FINISHED, "%s", error.message);             \
    } while (0)

Test(log_options, a_finished_log_takes_no_calls) {
    struct ArrowSchema arrow;
    lam_log_options options = options_of_disk();
    lam_log_producer *producer, *late;
    lam_log_arrays *arrays;
    lam_log *log = open_log(true, &options);
    lam_log_sample_arrow_schema(log_schema, &arrow);
    cr_assert_eq(lam_log_producer_create(log, &producer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_log_producer_sink(producer);
    TOO_LATE(lam_log_finish(log, &error));
    TOO_LATE(lam_log_checkpoint(log, &error));
    TOO_LATE(lam_log_rotate(log, &error));
    TOO_LATE(lam_log_poll(log, NULL, &error));
    TOO_LATE(lam_log_widen(log, wider, &error));
    TOO_LATE(lam_log_sample_triples(log, 0, 1, &error));
    TOO_LATE(lam_log_arrays_create(log, &arrow, &arrays, &error));
    TOO_LATE(lam_log_producer_create(log, &late, &error));
    TOO_LATE(lam_log_sample_put(&sink, log_schema, 0, 1, &error));
    arrow.release(&arrow);
    lam_log_producer_destroy(producer);
    lam_log_close(log);
}

/* --- Schemas --------------------------------------------------------------------------------- */

/* `how` the schema fails to have the field of the present one. */
static void widen_fails(lam_log *log, const char *text, const char *field, const char *how) {
    char message[100];
    lam_schema *other = lam_test_schema(text);
    lam_error error = lam_error_none();
    snprintf(message, sizeof message, "the wider schema %s a field of the present one", how);
    cr_assert_eq(lam_log_widen(log, other, &error), LAM_STATUS_INVALID, "%s", text);
    cr_assert_str_eq(error.message, message);
    cr_assert_str_eq(error.column_path, field);
    lam_schema_destroy(other);
}

/* Records of the log's schema, and then of the wider one. */
static void widens_to(lam_log *log, const char *text) {
    lam_schema *other = lam_test_schema(text);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_widen(log, other, &error), LAM_STATUS_OK, "%s: %s", text, error.message);
    cr_assert(lam_schema_equals(lam_log_schema(log), other));
    lam_schema_destroy(other);
}

#define AT "required int64 at (TIMESTAMP(MICROS,true)); "
#define TAGS                                                                                       \
    "optional group tags (LIST) { repeated group list { optional binary element (STRING); } } "

Test(log_options, a_wider_schema_has_all_fields_as_they_were) {
    lam_log_options options = options_of_disk();
    lam_log *log = open_log(true, &options);
    widen_fails(log, "message m { required int64 number; optional binary text (STRING); " AT "}",
                "tags.list.element", "lacks");
    widen_fails(log, "message m { optional binary text (STRING); " AT TAGS "}", "number", "lacks");
    widen_fails(log,
                "message m { required int32 number; optional binary text (STRING); " AT TAGS "}",
                "number", "changes");
    widen_fails(log, "message m { required int64 number; optional binary text; " AT TAGS "}",
                "text", "changes");
    widen_fails(log,
                "message m { required int64 number; required binary text (STRING); " AT TAGS "}",
                "text", "changes");
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_widen(log, NULL, &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_log_widen(log, wider, &error), LAM_STATUS_OK, "%s", error.message);
    lam_log_close(log);
    log_schema =
        (lam_schema_destroy(log_schema), lam_test_schema("message m { required "
                                                         "fixed_len_byte_array(4) bytes; }"));
    log = open_log(true, &options);
    widen_fails(log, "message m { required fixed_len_byte_array(5) bytes; }", "bytes", "changes");
    lam_log_close(log);
}

Test(log_options, a_wider_schema_may_have_another_order_and_types_that_hold_the_present_ones) {
    lam_log_options options = options_of_disk();
    lam_log *log = open_log(true, &options);
    widens_to(log, "message m { " AT "optional double more; required int64 number; "
                   "optional binary text (STRING); " TAGS "}");
    widens_to(log, "message m { required int64 at (TIMESTAMP(NANOS,true)); optional double more; "
                   "optional double number; optional binary text (STRING); " TAGS "}");
    widen_fails(log,
                "message m { required int64 at (TIMESTAMP(MICROS,true)); optional double more; "
                "optional double number; optional binary text (STRING); " TAGS "}",
                "at", "changes");
    lam_log_close(log);
}

Test(log_options, a_log_of_one_file_has_one_file_and_one_schema) {
    lam_log_options options = options_of_disk();
    lam_log *log = open_log(false, &options);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_widen(log, wider, &error), LAM_STATUS_STATE);
    cr_assert_str_eq(error.message, "a log of one file has one schema");
    cr_assert_eq(lam_log_rotate(log, &error), LAM_STATUS_STATE);
    cr_assert_str_eq(error.message, "a log of one file cannot begin another one");
    lam_log_close(log);
}

/* No memory is no failure of the log: records go on in the old schema. */
Test(log_options, a_wider_schema_that_finds_no_memory_is_refused_alone) {
    for (int way = 0; way < 4; way++) {
        char folder[20];
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_log_options options = options_of_disk();
        lam_error error = lam_error_none();
        lam_log *log;
        options.allocator = &allocator;
        options.background = way / 2 == 1;
        snprintf(folder, sizeof folder, "logs%d", way);
        cr_assert_eq(lam_log_open(log_schema, folder, &options, &log, NULL), LAM_STATUS_OK);
        counter.fail_at = counter.requests + 1;
        counter.fails_on = true;
        cr_assert_eq(lam_log_widen(log, wider, way % 2 == 0 ? &error : NULL), LAM_STATUS_NOMEM);
        counter.fail_at = 0;
        cr_assert(way % 2 == 1 || error.status == LAM_STATUS_NOMEM);
        lam_record_sink sink = lam_log_sink(log);
        cr_assert_eq(lam_log_sample_put(&sink, log_schema, 0, 10, &error), LAM_STATUS_OK);
        cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
        lam_log_close(log);
        cr_assert_eq(lam_log_sample_read(log_disk, folder).prefix, 10);
        cr_assert_eq(counter.live_bytes, 0);
    }
}
