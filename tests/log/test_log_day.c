/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A day of a logger, in the time of a clock that the test sets: a thousand partitions, files that
 * rotate each hour and by size, retention. What the log holds must not grow over the day.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <stdio.h>

#include "file/file_sample.h"
#include "support/model_disk.h"

enum { STATIONS = 1000, MINUTES = 24 * 60, MINUTE_RECORDS = 100, OPEN_FILES = 16 };

#define DAY_SCHEMA                                                                                 \
    "message m { required int64 number; required binary station (STRING); "                        \
    "optional double reading; required binary message (STRING); }"

typedef struct day {
    lam_schema *schema;
    lam_log *log;
    lam_model_disk *disk;
    lam_model_clock clock;
    uint64_t number;
    uint64_t final_records; /* by on_file */
} day;

static void count_records(void *state, const lam_log_file *file) {
    day *today = state;
    today->final_records += file->records;
}

/* Eight stations report in each minute, others in the next one. */
static void put_minute(day *today, uint64_t minute) {
    lam_record_sink sink = lam_log_sink(today->log);
    lam_error error = lam_error_none();
    for (uint64_t i = 0; i < MINUTE_RECORDS; i++, today->number++) {
        char station[30], message[60];
        snprintf(station, sizeof station, "station %" PRIu64, (minute * 7 + i % 8) % STATIONS);
        snprintf(message, sizeof message, "record %" PRIu64 " was measured",
                 today->number * UINT64_C(2654435761) % 1000003);
        (void)lam_begin(&sink, NULL);
        (void)lam_put_int64(&sink, lam_schema_find(today->schema, "number"), (int64_t)today->number,
                            NULL);
        (void)lam_put_string(&sink, lam_schema_find(today->schema, "station"), station, NULL);
        if (i % 3 != 0)
            (void)lam_put_double(&sink, lam_schema_find(today->schema, "reading"), (double)i, NULL);
        (void)lam_put_string(&sink, lam_schema_find(today->schema, "message"), message, NULL);
        cr_assert_eq(lam_end(&sink, &error), LAM_STATUS_OK, "%s", error.message);
    }
}

static lam_log_info info_of(day *today) {
    lam_log_info info = lam_log_info_default();
    cr_assert_eq(lam_log_get_info(today->log, &info, NULL), LAM_STATUS_OK);
    return info;
}

/* Polls as often as the log demands, up to the end of the minute. */
static void pass_minute(day *today) {
    uint64_t left = 60000, wait;
    lam_error error = lam_error_none();
    while (left > 0) {
        cr_assert_eq(lam_log_poll(today->log, &wait, &error), LAM_STATUS_OK, "%s", error.message);
        cr_assert_gt(wait, 0);
        uint64_t step = wait < left ? wait : left;
        lam_model_clock_advance(&today->clock, step * 1000000);
        left -= step;
    }
}

/* The highest memory of the second hour and of the last one differ by little. */
static void run_day(bool partitions, bool journal) {
    day today = {.disk = lam_model_disk_create(), .clock = {INT64_C(1763856000000000000), 0}};
    lam_storage storage = lam_model_disk_storage(today.disk);
    lam_clock timer = lam_model_clock_start(&today.clock);
    lam_log_options options = lam_log_options_default();
    uint64_t early = 0, late = 0;
    today.schema = lam_test_schema(DAY_SCHEMA);
    options.storage = &storage;
    options.clock = &timer;
    options.callback_state = &today;
    options.on_file = count_records;
    options.partition_by = partitions ? "station" : NULL;
    options.open_files = OPEN_FILES;
    options.journal = journal;
    options.sync_ms = journal ? 10000 : 0;
    options.checkpoint_ms = 30000;
    options.rotate_ms = 3600000;
    options.rotate_bytes = 100000;
    options.memory_limit = 16 << 20;
    options.keep_bytes = partitions ? 8 << 20 : 1 << 20;
    cr_assert_eq(lam_log_open(today.schema, "logs", &options, &today.log, NULL), LAM_STATUS_OK);
    for (uint64_t minute = 0; minute < MINUTES; minute++) {
        put_minute(&today, minute);
        pass_minute(&today);
        uint64_t memory = info_of(&today).memory;
        if (minute < MINUTES / 2 && memory > early)
            early = memory;
        if (minute >= MINUTES - 60 && memory > late)
            late = memory;
        cr_assert_leq(info_of(&today).open_files, partitions ? OPEN_FILES : 1);
    }
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_finish(today.log, &error), LAM_STATUS_OK, "%s", error.message);
    lam_log_info info = info_of(&today);
    cr_assert_eq(info.accepted, (uint64_t)MINUTES * MINUTE_RECORDS);
    cr_assert_eq(info.durable, info.accepted);
    cr_assert_eq(today.final_records, info.accepted);
    cr_assert_eq(info.retention_failures, 0);
    cr_assert_geq(info.files, partitions ? 1000 : 24);
    cr_assert_leq(info.memory_peak, options.memory_limit);
    cr_assert_leq(late, early + early / 20,
                  "%" PRIu64 " bytes are held in the first half, %" PRIu64 " in the last hour",
                  early, late);
    lam_log_close(today.log);
    lam_model_counts counts = lam_model_disk_counts(today.disk);
    cr_assert_leq(counts.most_open_files, OPEN_FILES + (journal ? 1 : 0) + 1);
    cr_assert_eq(counts.open_files, 0);
    lam_model_disk_destroy(today.disk);
    lam_schema_destroy(today.schema);
}

Test(log_day, memory_stays_as_it_is_over_a_day) {
    run_day(false, false);
    run_day(false, true);
}

Test(log_day, a_thousand_partitions_take_no_more_files_and_memory_at_the_end) {
    run_day(true, false);
    run_day(true, true);
}
