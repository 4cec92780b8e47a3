/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs whose old files go: with a clock that is behind, when they are opened, on a disk that is
 * full, and for a disk that is to keep room.
 */
#include "log/files/log_keep.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "log/log_disk.h"
#include "log/log_sample.h"

enum { IN_A_FILE = 200 };

TestSuite(log_keep, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

/* Removed files, in their order. */
typedef struct removal {
    size_t count;
    uint64_t bytes;
    uint64_t limit; /* of the disk, for measure */
    char paths[200][120];
} removal;

static void note_removed(void *state, const char *path, uint64_t bytes) {
    removal *removed = state;
    snprintf(removed->paths[removed->count++], sizeof removed->paths[0], "%s", path);
    removed->bytes += bytes;
    cr_assert_not(lam_log_disk_has(path));
}

static lam_status measure(void *state, const char *path, uint64_t *ret_free, uint64_t *ret_size,
                          lam_error *error) {
    const removal *removed = state;
    uint64_t kept = lam_model_disk_counts(log_disk).bytes_kept;
    (void)error;
    cr_assert_str_eq(path, "logs");
    *ret_size = removed->limit;
    *ret_free = removed->limit > kept ? removed->limit - kept : 0;
    return LAM_STATUS_OK;
}

static lam_log_options options_of(removal *removed) {
    lam_log_options options = lam_log_options_default();
    options.clock = &log_timer;
    options.callback_state = removed;
    options.on_removed = note_removed;
    return options;
}

/* Puts so many files of records. */
static void put_files(lam_log *log, uint64_t first, size_t files) {
    lam_error error = lam_error_none();
    for (size_t i = 0; i < files; i++) {
        lam_log_disk_put(log, first + i * IN_A_FILE, IN_A_FILE);
        lam_model_clock_advance(&log_clock, UINT64_C(60000000000));
        cr_assert_eq(lam_log_rotate(log, &error), LAM_STATUS_OK, "%s", error.message);
    }
}

static void run_log(const lam_log_options *options, uint64_t first, size_t files) {
    lam_log *log = lam_log_disk_open("logs", true, *options);
    put_files(log, first, files);
    lam_log_disk_finish(log);
}

static uint64_t bytes_kept(void) {
    return lam_model_disk_counts(log_disk).bytes_kept;
}

/*
 * A device without a battery for its clock began in 1970, and each of its new files was the oldest:
 * it was removed as soon as it was finished.
 */
Test(log_keep, a_clock_that_is_behind_costs_no_new_file) {
    removal removed = {0};
    lam_log_options options = options_of(&removed);
    run_log(&options, 0, 5);
    log_clock.utc += INT64_C(86400000000000);
    run_log(&options, 5 * IN_A_FILE, 5);
    options.keep_bytes = bytes_kept();
    log_clock.utc = 0; /* the third boot */
    run_log(&options, 10 * IN_A_FILE, 8);
    lam_log_content content = lam_log_sample_read(log_disk, "logs");
    cr_expect_eq(removed.count, 18 - content.files);
    cr_expect_eq(content.highest, 18 * IN_A_FILE);
    cr_expect_leq(bytes_kept(), options.keep_bytes);
    /* All of this boot, and the youngest of those before. */
    cr_expect_geq(content.files, 8);
    cr_expect_eq(content.records, content.files * IN_A_FILE);
    for (size_t i = 1; i < removed.count; i++)
        cr_expect_lt(strcmp(removed.paths[i - 1], removed.paths[i]), 0, "predecessors by time");
    /* When there are no others any more, the oldest of this boot go. */
    run_log(&options, 18 * IN_A_FILE, 30);
    content = lam_log_sample_read(log_disk, "logs");
    cr_expect_eq(content.highest, 48 * IN_A_FILE);
    cr_expect_gt(content.files, 5);
}

Test(log_keep, the_youngest_file_stays_however_few_bytes_are_to_be_kept) {
    removal removed = {0};
    lam_log_options options = options_of(&removed);
    options.keep_bytes = 1;
    lam_log *log = lam_log_disk_open("logs", true, options);
    for (uint64_t i = 0; i < 4; i++) {
        put_files(log, i * IN_A_FILE, 1);
        if (i == 2)
            log_clock.utc = 0; /* and when the clock jumps back while the log runs */
        lam_log_content content = lam_log_sample_read(log_disk, "logs");
        cr_expect_eq(content.highest, (i + 1) * IN_A_FILE, "%d", (int)i);
    }
    lam_log_disk_finish(log);
    cr_expect_eq(lam_log_sample_read(log_disk, "logs").highest, 4 * IN_A_FILE);
}

/* Two logs of one prefix: neither takes the other's new files for those of predecessors. */
Test(log_keep, logs_that_run_together_remove_the_oldest_files_of_all) {
    removal removed = {0};
    lam_log_options options = options_of(&removed);
    run_log(&options, 0, 6);
    options.keep_bytes = bytes_kept();
    lam_model_clock_advance(&log_clock, UINT64_C(1000000000000));
    lam_log *one = lam_log_disk_open("logs", true, options);
    lam_log *other = lam_log_disk_open("logs", true, options);
    for (uint64_t i = 0; i < 12; i++) {
        put_files(one, (6 + 2 * i) * IN_A_FILE, 1);
        put_files(other, (7 + 2 * i) * IN_A_FILE, 1);
    }
    lam_log_disk_finish(one);
    lam_log_disk_finish(other);
    lam_log_content content = lam_log_sample_read(log_disk, "logs");
    cr_expect_eq(content.highest, 30 * IN_A_FILE);
    cr_expect_eq(removed.count, 30 - content.files);
    for (size_t i = 1; i < removed.count; i++)
        cr_expect_lt(strcmp(removed.paths[i - 1], removed.paths[i]), 0, "%d", (int)i);
}

/* Files went only when one ended. */
Test(log_keep, what_is_too_much_goes_when_a_log_is_opened) {
    removal removed = {0};
    lam_log_options options = options_of(&removed);
    run_log(&options, 0, 10);
    options.keep_bytes = bytes_kept() / 3;
    lam_log *log = lam_log_disk_open("logs", true, options);
    cr_expect_leq(bytes_kept(), options.keep_bytes);
    cr_expect_gt(removed.count, 5);
    cr_expect_eq(lam_log_disk_info(log).removed_files, removed.count);
    lam_log_disk_finish(log);
    cr_expect_eq(lam_log_sample_read(log_disk, "logs").highest, 10 * IN_A_FILE);
}

/* Fills the disk with finished files and a leftover; gives the records that are in them. */
static uint64_t fill_disk(bool journal) {
    lam_error error = lam_error_none();
    lam_log_options options = lam_log_options_default();
    lam_log *log;
    options.clock = &log_timer;
    options.journal = journal;
    options.sync = journal ? LAM_LOG_SYNC_RECORD : LAM_LOG_SYNC_DEFAULT;
    lam_model_disk_set_limit(log_disk, 60000);
    log = lam_log_disk_open("logs", true, options);
    lam_record_sink sink = lam_log_sink(log);
    uint64_t count = 0;
    lam_status status = LAM_STATUS_OK;
    while (status == LAM_STATUS_OK) {
        status = lam_log_sample_put(&sink, log_schema, count, IN_A_FILE, &error);
        if (status == LAM_STATUS_OK)
            status = lam_log_rotate(log, &error);
        count += status == LAM_STATUS_OK ? IN_A_FILE : 0;
        lam_model_clock_advance(&log_clock, UINT64_C(60000000000));
    }
    cr_assert_eq(error.code, LAM_ERROR_CODE_DISK_FULL, "%s", error.message);
    lam_log_disk_kill_log(log);
    lam_model_disk_set_limit(log_disk, 60000);
    return count;
}

/* A device whose disk had been full once never logged again, whatever it was to keep. */
Test(log_keep, a_log_on_a_full_disk_starts_with_less_to_keep) {
    for (int journal = 0; journal < 2; journal++) {
        removal removed = {0};
        lam_log_options options = options_of(&removed);
        lam_log_disk_renew();
        uint64_t before = fill_disk(journal);
        options.journal = journal;
        options.keep_bytes = 20000;
        run_log(&options, before, 20);
        lam_log_content content = lam_log_sample_read(log_disk, "logs");
        cr_expect_eq(content.highest, before + 20 * IN_A_FILE);
        cr_expect_eq(content.other_files, 0);
        cr_expect_leq(bytes_kept(), 20000);
    }
}

/* Without a word of what is to be kept nothing is removed, and the disk is full. */
Test(log_keep, a_full_disk_costs_no_file_that_is_to_be_kept) {
    removal removed = {0};
    lam_log_options options = options_of(&removed);
    uint64_t before = fill_disk(false);
    lam_error error = lam_error_none();
    lam_log *log;
    options.keep_bytes = 1 << 20;
    options.leftovers = LAM_LOG_LEFTOVERS_KEEP;
    if (lam_log_disk_try_open("logs", true, options, &log, &error) == LAM_STATUS_OK) {
        lam_record_sink sink = lam_log_sink(log);
        lam_status status = LAM_STATUS_OK;
        while (status == LAM_STATUS_OK) {
            status = lam_log_sample_put(&sink, log_schema, before, IN_A_FILE, &error);
            if (status == LAM_STATUS_OK)
                status = lam_log_rotate(log, &error);
        }
        lam_log_close(log);
    }
    cr_expect_eq(error.code, LAM_ERROR_CODE_DISK_FULL);
    cr_expect_eq(removed.count, 0);
}

/* Each file takes the place of the oldest; a write that finds the disk full is tried again. */
Test(log_keep, a_disk_that_is_to_keep_room_never_ends_the_log) {
    for (int way = 0; way < 4; way++) {
        removal removed = {.limit = 60000};
        lam_log_options options = options_of(&removed);
        lam_log_disk_renew();
        lam_model_disk_set_limit(log_disk, removed.limit);
        options.measure_disk = measure;
        options.journal = way % 2 == 1;
        options.keep_free_bytes = way < 2 ? 1 : 0;
        options.keep_free_percent = way < 2 ? 0 : 40;
        run_log(&options, 0, 100);
        lam_log_content content = lam_log_sample_read(log_disk, "logs");
        cr_expect_eq(content.highest, 100 * IN_A_FILE);
        cr_expect_eq(content.other_files, 0);
        cr_expect_eq(content.files + removed.count, 100);
        cr_expect_geq(content.files, 2, "way %d: %d", way, (int)content.files);
        if (way >= 2)
            cr_expect_leq(bytes_kept(), removed.limit / 10 * 6);
    }
}

/* Others fill the disk, and the log notices without a file that ends. */
Test(log_keep, room_is_looked_for_while_no_file_ends) {
    removal removed = {.limit = 100000};
    lam_log_options options = options_of(&removed);
    static const uint8_t others[80000];
    options.measure_disk = measure;
    options.keep_free_bytes = 15000;
    lam_log *log = lam_log_disk_open("logs", true, options);
    put_files(log, 0, 5);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    cr_assert_eq(removed.count, 0);
    lam_model_disk_put(log_disk, "theirs", others, sizeof others);
    uint64_t wait_ms = 0;
    lam_model_clock_advance(&log_clock, UINT64_C(10000000000));
    cr_assert_eq(lam_log_poll(log, &wait_ms, NULL), LAM_STATUS_OK);
    cr_expect_gt(removed.count, 0);
    cr_expect_leq(wait_ms, 10000);
    lam_log_disk_finish(log);
}

/* That a disk cannot be measured is no reason to lose records. */
static lam_status fail_to_measure(void *state, const char *path, uint64_t *ret_free,
                                  uint64_t *ret_size, lam_error *error) {
    (void)state;
    (void)path;
    (void)ret_free;
    (void)ret_size;
    error->status = LAM_STATUS_IO;
    return LAM_STATUS_IO;
}

Test(log_keep, a_disk_that_cannot_be_measured_is_counted) {
    removal removed = {0};
    lam_log_options options = options_of(&removed);
    options.measure_disk = fail_to_measure;
    options.keep_free_bytes = 1;
    lam_log *log = lam_log_disk_open("logs", true, options);
    put_files(log, 0, 3);
    cr_expect_gt(lam_log_disk_info(log).retention_failures, 0);
    lam_log_disk_finish(log);
    cr_expect_eq(lam_log_sample_read(log_disk, "logs").records, 3 * IN_A_FILE);
}

/* What the operation at hand is, and the number of the last. */
typedef struct operation_watch {
    uint64_t count, at;
    char what[20];
} operation_watch;

static void watch_operation(void *state, const char *what) {
    operation_watch *watch = state;
    if (++watch->count == watch->at)
        snprintf(watch->what, sizeof watch->what, "%s", what);
}

/* One log, with whatever fails; the number of records that it was given before that. */
static lam_status run_with_fault(removal *removed, bool journal, uint64_t *ret_count) {
    lam_error error = lam_error_none();
    lam_log_options options = options_of(removed);
    lam_log *log;
    options.measure_disk = measure;
    options.journal = journal;
    options.keep_free_bytes = 20000;
    *ret_count = 0;
    LAM_TRY(lam_log_disk_try_open("logs", true, options, &log, &error));
    lam_record_sink sink = lam_log_sink(log);
    lam_status status = LAM_STATUS_OK;
    for (uint64_t i = 0; i < 8 && status == LAM_STATUS_OK; i++) {
        status = lam_log_sample_put(&sink, log_schema, i * IN_A_FILE, IN_A_FILE, &error);
        if (status == LAM_STATUS_OK)
            status = lam_log_rotate(log, &error);
        *ret_count += status == LAM_STATUS_OK ? IN_A_FILE : 0;
    }
    if (status == LAM_STATUS_OK)
        status = lam_log_finish(log, &error);
    cr_expect_eq(error.status, status);
    lam_log_close(log);
    return status;
}

/* A write that finds the disk full is the only failure that is made good. */
static uint64_t sweep_faults(int os_error, bool journal, size_t short_append) {
    uint64_t good = 0;
    for (uint64_t n = 1;; n++) {
        removal removed = {.limit = 45000};
        operation_watch watch = {.at = n};
        uint64_t count;
        lam_log_disk_renew();
        lam_model_disk_set_fault(
            log_disk,
            (lam_model_fault){.at = n, .os_error = os_error, .short_append = short_append});
        lam_model_disk_watch(log_disk, watch_operation, &watch);
        lam_status status = run_with_fault(&removed, journal, &count);
        lam_model_disk_watch(log_disk, NULL, NULL);
        lam_model_disk_set_fault(log_disk, (lam_model_fault){0});
        lam_log_content content = lam_log_sample_read(log_disk, "logs");
        if (watch.count < n)
            return good;
        bool is_write = strcmp(watch.what, "append") == 0 || strcmp(watch.what, "create") == 0;
        if (status == LAM_STATUS_OK)
            cr_expect_eq(content.highest, 8 * IN_A_FILE, "%s, operation %d", watch.what, (int)n);
        else
            cr_expect_eq(status, LAM_STATUS_IO);
        cr_expect(count == 0 || content.highest >= count, "%s, operation %d", watch.what, (int)n);
        if (status == LAM_STATUS_OK && is_write)
            good++;
    }
}

Test(log_keep, only_writes_to_a_full_disk_are_tried_again) {
    for (int journal = 0; journal < 2; journal++) {
        cr_expect_eq(sweep_faults(EIO, journal, 0), 0);
        /* The first ones have nothing to remove. */
        cr_expect_gt(sweep_faults(ENOSPC, journal, 0), 30);
        cr_expect_gt(sweep_faults(ENOSPC, journal, 3), 30);
    }
}

Test(log_keep, options_that_cannot_be_are_refused) {
    removal removed = {0};
    lam_log_options options = options_of(&removed);
    lam_error error = lam_error_none();
    lam_log *log;
    options.keep_free_bytes = 1;
    cr_expect_eq(lam_log_disk_try_open("logs", true, options, &log, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "keep_free of a storage of your own needs measure_disk");
    options.measure_disk = measure;
    cr_expect_eq(lam_log_disk_try_open("x.parquet", false, options, &log, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "keep_free needs a log of a folder, not of one file");
    options.keep_free_percent = 101;
    cr_expect_eq(lam_log_disk_try_open("logs", true, options, &log, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "keep_free_percent of 101 is above 100");
}
