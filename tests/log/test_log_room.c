/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs with little memory and many partitions: row groups and files end early, and every record is
 * there in the end; what fails meanwhile is reported. And clocks that do not wait for a log.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <stdio.h>
#include <string.h>

#include "log/log_disk.h"

enum { PARTITIONS = 24, ROUNDS = 6, TEXT = 200000, RECORDS = PARTITIONS * ROUNDS };

static void start(void) {
    lam_log_disk_start_with("message m { required int32 part; required binary text; }");
}

TestSuite(log_room, .init = start, .fini = lam_log_disk_stop);

/* A text that encoders cannot make smaller. */
static void put_record(const lam_record_sink *sink, int32_t part, uint32_t seed, lam_status *status,
                       lam_error *error) {
    static uint8_t text[TEXT];
    for (size_t i = 0; i < TEXT; i++) {
        seed = seed * 1664525 + 1013904223;
        text[i] = (uint8_t)(seed >> 24);
    }
    if (*status == LAM_STATUS_OK)
        *status = sink->begin(sink->state, error);
    if (*status == LAM_STATUS_OK)
        *status = sink->put(sink->state, lam_schema_leaf(log_schema, 0), (lam_value){.int32 = part},
                            error);
    if (*status == LAM_STATUS_OK)
        *status = sink->put(sink->state, lam_schema_leaf(log_schema, 1),
                            (lam_value){.bytes = {text, TEXT}}, error);
    if (*status == LAM_STATUS_OK)
        *status = sink->end(sink->state, error);
}

static lam_status write_log(const char *path, bool is_folder, bool journal, lam_log_info *ret_info,
                            lam_error *error) {
    lam_log_options options = lam_log_options_default();
    lam_log *log;
    options.memory_limit = 2 << 20;
    options.journal = journal;
    options.open_files = PARTITIONS;
    options.partition_by = is_folder ? "part" : NULL;
    lam_status status = lam_log_disk_try_open(path, is_folder, options, &log, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_record_sink sink = lam_log_sink(log);
    for (uint32_t i = 0; i < RECORDS; i++)
        put_record(&sink, (int32_t)(i % PARTITIONS), i, &status, error);
    *ret_info = lam_log_disk_info(log);
    if (status == LAM_STATUS_OK)
        status = lam_log_finish(log, error);
    lam_log_close(log);
    return status;
}

typedef struct names {
    size_t count;
    char texts[ROUNDS][80];
} names;

static lam_status note_name(void *state, const lam_storage_entry *entry, lam_error *error) {
    names *found = state;
    (void)error;
    cr_assert_lt(found->count, ROUNDS);
    snprintf(found->texts[found->count++], sizeof found->texts[0], "%s", entry->name);
    return LAM_STATUS_OK;
}

/* Rows of all files of one partition. */
static uint64_t rows_of_partition(const char *folder, int part) {
    char path[40], file[130];
    names found = {0};
    uint64_t rows = 0;
    snprintf(path, sizeof path, "%s/part=%d", folder, part);
    cr_assert_eq(log_storage.list(log_storage.state, path, note_name, &found, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < found.count; i++) {
        snprintf(file, sizeof file, "%s/%s", path, found.texts[i]);
        lam_reader *reader = lam_log_disk_read(file);
        rows += lam_reader_row_count(reader);
        lam_reader_close(reader);
    }
    return rows;
}

Test(log_room, files_end_when_the_memory_does) {
    for (int journal = 0; journal < 2; journal++) {
        lam_log_info info = lam_log_info_default();
        lam_error error = lam_error_none();
        const char *folder = journal == 1 ? "behind" : "here";
        cr_assert_eq(write_log(folder, true, journal == 1, &info, &error), LAM_STATUS_OK, "%s",
                     error.message);
        cr_expect_eq(info.accepted, RECORDS);
        cr_expect_gt(info.files, 0, "files have ended before the log has");
        for (int part = 0; part < PARTITIONS; part++)
            cr_expect_eq(rows_of_partition(folder, part), ROUNDS);
    }
}

Test(log_room, one_file_ends_its_row_groups_when_the_memory_does) {
    lam_log_info info = lam_log_info_default();
    lam_error error = lam_error_none();
    cr_assert_eq(write_log("one.parquet", false, false, &info, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_reader *reader = lam_log_disk_read("one.parquet");
    cr_expect_eq(lam_reader_row_count(reader), RECORDS);
    cr_expect_gt(lam_reader_row_group_count(reader), 1);
    lam_reader_close(reader);
}

Test(log_room, what_the_disk_does_not_take_while_files_end_is_reported) {
    lam_log_info info = lam_log_info_default();
    lam_error error = lam_error_none();
    cr_assert_eq(write_log("logs", true, false, &info, &error), LAM_STATUS_OK);
    uint64_t operations = lam_model_disk_counts(log_disk).operations;
    for (uint64_t at = 1; at < operations; at += 1 + operations / 40) {
        lam_log_disk_renew();
        error = lam_error_none();
        lam_model_disk_set_fault(log_disk, (lam_model_fault){.at = at});
        cr_assert_eq(write_log("logs", true, false, &info, &error), LAM_STATUS_IO,
                     "operation %" PRIu64, at);
        cr_assert_eq(error.status, LAM_STATUS_IO);
    }
}

/* --- Clocks ---------------------------------------------------------------------------------- */

/* A clock that moves on whenever it is read. */
typedef struct running_clock {
    uint64_t now, step;
} running_clock;

static uint64_t read_monotonic(void *state) {
    running_clock *clock = state;
    return clock->now += clock->step;
}

static int64_t read_utc(void *state) {
    (void)state;
    return INT64_C(1763856000000000000);
}

Test(log_room, a_poll_asks_for_another_at_once_where_the_time_has_come_meanwhile) {
    bool was_due = false;
    for (uint64_t ms = 1000; ms < 100000; ms += 1000) {
        running_clock running = {0, UINT64_C(10000000000)};
        const lam_clock clock = {&running, read_utc, read_monotonic};
        lam_log_options options = lam_log_options_default();
        lam_status status = LAM_STATUS_OK;
        uint64_t wait = 99;
        lam_log_disk_renew();
        options.clock = &clock;
        options.checkpoint_ms = ms;
        lam_log *log = lam_log_disk_open("logs", true, options);
        lam_record_sink sink = lam_log_sink(log);
        put_record(&sink, 1, 1, &status, NULL);
        cr_assert_eq(status, LAM_STATUS_OK);
        cr_assert_eq(lam_log_poll(log, &wait, NULL), LAM_STATUS_OK);
        cr_assert(wait == UINT64_MAX || wait <= ms || wait <= options.sync_ms);
        was_due = was_due || wait == 0;
        lam_log_disk_finish(log);
    }
    cr_expect(was_due);
}
