/* SPDX-License-Identifier: Apache-2.0 */
/* The disk in memory that the logs of a test are on, and what tests do with it. */
#include "log/log_disk.h"

#include <criterion/criterion.h>

#include "file/file_sample.h"
#include "log/log_sample.h"

lam_model_disk *log_disk;
lam_storage log_storage;
lam_schema *log_schema;
lam_model_clock log_clock;
lam_clock log_timer;

void lam_log_disk_start(void) {
    lam_log_disk_start_with(LAM_LOG_SAMPLE_SCHEMA);
}

void lam_log_disk_start_with(const char *schema_text) {
    lam_log_disk_use(lam_model_disk_create());
    log_clock.utc = INT64_C(1763856000000000000);
    log_timer = lam_model_clock_start(&log_clock);
    log_schema = lam_test_schema(schema_text);
}

void lam_log_disk_stop(void) {
    lam_model_disk_destroy(log_disk);
    lam_schema_destroy(log_schema);
}

void lam_log_disk_use(lam_model_disk *other) {
    log_disk = other;
    log_storage = lam_model_disk_storage(log_disk);
}

void lam_log_disk_replace(lam_model_disk *other) {
    lam_model_disk_destroy(log_disk);
    lam_log_disk_use(other);
}

void lam_log_disk_renew(void) {
    lam_log_disk_replace(lam_model_disk_create());
}

bool lam_log_disk_has(const char *path) {
    lam_bytes content;
    return lam_model_disk_content(log_disk, path, &content);
}

void lam_log_disk_remove(const char *path) {
    cr_assert_eq(log_storage.remove(log_storage.state, path, NULL), LAM_STATUS_OK, "%s", path);
}

void lam_log_disk_make_folder(const char *path) {
    cr_assert_eq(log_storage.make_folder(log_storage.state, path, NULL), LAM_STATUS_OK, "%s", path);
}

lam_reader *lam_log_disk_read(const char *path) {
    lam_bytes bytes;
    cr_assert(lam_model_disk_content(log_disk, path, &bytes), "%s", path);
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    return reader;
}

lam_status lam_log_disk_try_open(const char *path, bool is_folder, lam_log_options options,
                                 lam_log **ret_log, lam_error *error) {
    options.storage = &log_storage;
    return is_folder ? lam_log_open(log_schema, path, &options, ret_log, error)
                     : lam_log_open_file(log_schema, path, &options, ret_log, error);
}

lam_log *lam_log_disk_open(const char *path, bool is_folder, lam_log_options options) {
    lam_log *log;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_disk_try_open(path, is_folder, options, &log, &error), LAM_STATUS_OK,
                 "%s: %s", path, error.message);
    return log;
}

void lam_log_disk_put(lam_log *log, uint64_t first, uint64_t count) {
    lam_record_sink sink = lam_log_sink(log);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_sample_put(&sink, log_schema, first, count, &error), LAM_STATUS_OK, "%s",
                 error.message);
}

void lam_log_disk_write(lam_writer *writer, uint64_t first, uint64_t count) {
    lam_record_sink sink = lam_writer_sink(writer);
    cr_assert_eq(lam_log_sample_put(&sink, lam_writer_schema(writer), first, count, NULL),
                 LAM_STATUS_OK);
}

void lam_log_disk_file(const char *path, uint64_t first, uint64_t count) {
    lam_log *log = lam_log_disk_open(path, false, lam_log_options_default());
    lam_log_disk_put(log, first, count);
    lam_log_disk_finish(log);
}

lam_log_info lam_log_disk_info(lam_log *log) {
    lam_log_info info = lam_log_info_default();
    cr_assert_eq(lam_log_get_info(log, &info, NULL), LAM_STATUS_OK);
    return info;
}

void lam_log_disk_finish(lam_log *log) {
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_finish(log, &error), LAM_STATUS_OK, "%s", error.message);
    lam_log_close(log);
}

/* Returns the disk before, which takes nothing more. */
static lam_model_disk *end_process(void) {
    lam_model_disk *before = log_disk;
    lam_log_disk_use(lam_model_disk_kill(log_disk));
    lam_model_disk_set_fault(before, (lam_model_fault){.at = 1, .stays = true});
    return before;
}

void lam_log_disk_kill_log(lam_log *log) {
    lam_model_disk *before = end_process();
    lam_log_close(log);
    lam_model_disk_destroy(before);
}

void lam_log_disk_kill_writer(lam_writer *writer) {
    lam_model_disk *before = end_process();
    lam_writer_close(writer);
    lam_model_disk_destroy(before);
}

void lam_log_disk_leave(lam_log *log, uint64_t first, uint64_t records, uint64_t more) {
    lam_log_disk_put(log, first, records);
    if (records > 0)
        cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    lam_log_disk_put(log, first + records, more);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    lam_log_disk_kill_log(log);
}
