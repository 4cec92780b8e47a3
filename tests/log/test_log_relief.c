/* SPDX-License-Identifier: Apache-2.0 */
/* Journals on a disk that is full or about to be: row groups take their place. */
#include "log/files/log_relief.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "log/log_disk.h"
#include "log/log_sample.h"

enum { DISK = 250000, IN_A_PUT = 50 };

TestSuite(log_relief, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

static lam_status measure(void *state, const char *path, uint64_t *ret_free, uint64_t *ret_size,
                          lam_error *error) {
    uint64_t kept = lam_model_disk_counts(log_disk).bytes_kept;
    (void)state;
    (void)path;
    (void)error;
    *ret_size = DISK;
    *ret_free = DISK > kept ? DISK - kept : 0;
    return LAM_STATUS_OK;
}

static lam_log_options options_of(lam_log_sync sync) {
    lam_log_options options = lam_log_options_default();
    options.clock = &log_timer;
    options.journal = true;
    options.sync = sync;
    return options;
}

/* Puts records until that fails, or so many; gives how many were put. */
static uint64_t put_until_full(lam_log *log, uint64_t most, lam_error *error) {
    lam_record_sink sink = lam_log_sink(log);
    for (uint64_t count = 0; count < most; count += IN_A_PUT)
        if (lam_log_sample_put(&sink, log_schema, count, IN_A_PUT, error) != LAM_STATUS_OK ||
            lam_log_poll(log, NULL, error) != LAM_STATUS_OK)
            return count;
    return most;
}

/* How many records a journal takes to fill the disk. */
static uint64_t records_of_full_journal(void) {
    lam_log *log = lam_log_disk_open("logs", true, options_of(LAM_LOG_SYNC_RECORD));
    lam_log_disk_put(log, 0, IN_A_PUT);
    uint64_t bytes = lam_log_disk_info(log).journal_bytes;
    lam_log_disk_finish(log);
    lam_log_disk_renew();
    return (uint64_t)DISK / bytes * IN_A_PUT;
}

/*
 * The journal filled the disk, and its failure was the end of the log: of its records those that
 * were durable must stay so.
 */
Test(log_relief, a_disk_that_a_journal_fills_is_given_back_by_row_groups) {
    uint64_t alone = records_of_full_journal();
    for (int way = 0; way < 2; way++) {
        lam_error error = lam_error_none();
        lam_log_options options =
            options_of(way % 2 == 0 ? LAM_LOG_SYNC_RECORD : LAM_LOG_SYNC_NEVER);
        lam_log_disk_renew();
        lam_model_disk_set_limit(log_disk, DISK);
        options.measure_disk = measure;
        lam_log *log = lam_log_disk_open("logs", true, options);
        uint64_t count = put_until_full(log, 20 * alone, &error);
        cr_assert(count == 20 * alone || error.code == LAM_ERROR_CODE_DISK_FULL, "way %d: %s", way,
                  error.message);
        uint64_t durable = lam_log_disk_info(log).durable;
        cr_expect_gt(durable, 2 * alone, "way %d: %d of %d", way, (int)durable, (int)alone);
        lam_log_disk_kill_log(log);
        lam_model_disk_set_limit(log_disk, 0);
        lam_log_disk_finish(lam_log_disk_open("logs", true, options_of(LAM_LOG_SYNC_RECORD)));
        lam_log_content content = lam_log_sample_read(log_disk, "logs");
        cr_expect_geq(content.prefix, durable, "way %d", way);
        cr_expect_eq(content.other_files, 0);
    }
}

/* Whatever an append of the journal was to add is in the row groups that take its place. */
Test(log_relief, a_disk_that_is_full_for_the_journal_alone_is_no_failure) {
    for (int way = 0; way < 2; way++) {
        lam_error error = lam_error_none();
        lam_log_disk_renew();
        lam_log *log = lam_log_disk_open("logs", true, options_of(LAM_LOG_SYNC_RECORD));
        lam_record_sink sink = lam_log_sink(log);
        lam_log_disk_put(log, 0, IN_A_PUT);
        lam_model_fault full = {.at = lam_model_disk_counts(log_disk).operations + 1,
                                .os_error = ENOSPC,
                                .short_append = way == 0 ? 0 : 7};
        lam_model_disk_set_fault(log_disk, full);
        cr_expect_eq(lam_log_sample_put(&sink, log_schema, IN_A_PUT, IN_A_PUT, &error),
                     LAM_STATUS_OK, "%s", error.message);
        cr_expect_eq(lam_log_disk_info(log).durable, 2 * IN_A_PUT);
        lam_log_disk_kill_log(log);
        lam_log_disk_finish(lam_log_disk_open("logs", true, options_of(LAM_LOG_SYNC_RECORD)));
        cr_expect_eq(lam_log_sample_read(log_disk, "logs").prefix, 2 * IN_A_PUT);
    }
}

/* One file grew until the disk was full, and nothing that was finished could go. */
Test(log_relief, files_end_early_where_later_ones_can_take_their_place) {
    uint64_t alone = records_of_full_journal();
    for (int way = 0; way < 4; way++) {
        lam_error error = lam_error_none();
        lam_log_options options =
            options_of(way % 2 == 0 ? LAM_LOG_SYNC_RECORD : LAM_LOG_SYNC_NEVER);
        lam_log_disk_renew();
        lam_model_disk_set_limit(log_disk, DISK);
        options.measure_disk = measure;
        options.keep_free_bytes = way < 2 ? 1 : 0;
        options.keep_bytes = way < 2 ? 0 : DISK / 2;
        lam_log *log = lam_log_disk_open("logs", true, options);
        uint64_t count = 150 * alone / IN_A_PUT * IN_A_PUT;
        cr_assert_eq(put_until_full(log, count, &error), count, "way %d: %s", way, error.message);
        cr_expect_gt(lam_log_disk_info(log).removed_files, 0);
        lam_log_disk_finish(log);
        lam_log_content content = lam_log_sample_read(log_disk, "logs");
        cr_expect_eq(content.highest, count);
        cr_expect_eq(content.other_files, 0);
    }
}

/* One record of a partition kept the journal of all others, up to its limit. */
Test(log_relief, a_journal_is_not_much_larger_than_what_needs_it) {
    enum { LIMIT = 80000, HOUR = 100 };
    lam_log_options options = options_of(LAM_LOG_SYNC_RECORD);
    options.partition_by = "at";
    options.partition_format = "hour=%H";
    options.checkpoint_rows = HOUR;
    options.journal_bytes = LIMIT;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_log_disk_put(log, 10 * HOUR, 1);
    for (uint64_t i = 0; i < 50; i++) {
        lam_log_disk_put(log, 0, HOUR);
        cr_expect_lt(lam_log_disk_info(log).journal_bytes, LIMIT / 4);
    }
    lam_log_disk_finish(log);
    cr_expect_eq(lam_log_sample_read(log_disk, "logs").records, 50 * HOUR + 1);
}

/* What the thread of the log waits for, and files that ended since the journal was cut. */
typedef struct cut_watch {
    atomic_bool is_released;
    unsigned ended, most;
} cut_watch;

static void watch_cuts(void *state, const char *what) {
    cut_watch *watch = state;
    const struct timespec nap = {0, 1000000};
    while (!watch->is_released)
        nanosleep(&nap, NULL);
    if (strcmp(what, "remove") == 0)
        watch->ended = 0;
    if (strcmp(what, "rename") == 0)
        watch->ended++;
    watch->most = watch->ended > watch->most ? watch->ended : watch->most;
}

/* Up to 16 batches come between two looks at the time, and it was cut at those. */
Test(log_relief, a_journal_is_cut_as_soon_as_the_only_file_ends) {
    lam_log_options options = options_of(LAM_LOG_SYNC_INTERVAL);
    cut_watch watch = {0};
    options.background = true;
    options.clock = NULL;
    options.rotate_bytes = 2048;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_model_disk_watch(log_disk, watch_cuts, &watch);
    lam_log_disk_put(log, 0, 60000);
    watch.is_released = true;
    lam_log_disk_finish(log);
    lam_model_disk_watch(log_disk, NULL, NULL);
    cr_expect_gt(lam_log_sample_read(log_disk, "logs").files, 5);
    cr_expect_eq(watch.most, 1);
}
