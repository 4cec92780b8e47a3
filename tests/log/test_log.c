/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log from records to files: partitions, checkpoints, rotation by size and time,
 * acknowledgements, and many producers at once.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "file/write/recovery_record.h"
#include "log/log_disk.h"
#include "log/log_sample.h"

TestSuite(log, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

static lam_log_options options_of_disk(void) {
    lam_log_options options = lam_log_options_default();
    options.storage = &log_storage;
    options.clock = &log_timer;
    return options;
}

Test(log, records_of_a_finished_log_are_in_one_file) {
    for (int background = 0; background < 2; background++)
        for (int journal = 0; journal < 2; journal++) {
            lam_log_options options = options_of_disk();
            char folder[40];
            options.background = background == 1;
            options.journal = journal == 1;
            snprintf(folder, sizeof folder, "logs%d%d", background, journal);
            lam_log *log = lam_log_disk_open(folder, true, options);
            lam_log_disk_put(log, 0, 10000);
            cr_assert_eq(lam_log_disk_info(log).accepted, 10000);
            cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_log_disk_info(log).durable, 10000);
            cr_assert_eq(lam_log_disk_info(log).files, 1);
            lam_log_close(log);
            lam_log_content content = lam_log_sample_read(log_disk, folder);
            cr_assert_eq(content.files, 1);
            cr_assert_eq(content.other_files, 0);
            cr_assert_eq(content.records, 10000);
            cr_assert_eq(content.prefix, 10000);
            cr_assert(content.is_ascending);
        }
}

Test(log, a_log_without_records_leaves_no_file) {
    lam_log_options options = options_of_disk();
    options.journal = true;
    lam_log_disk_finish(lam_log_disk_open("logs", true, options));
    lam_log_content content = lam_log_sample_read(log_disk, "logs");
    cr_assert_eq(content.files + content.other_files, 0);
}

Test(log, partitions_become_folders_and_the_oldest_files_end_first) {
    lam_log_options options = options_of_disk();
    options.partition_by = "at";
    options.partition_format = "date=%Y-%m-%d/hour=%H";
    options.open_files = 3;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_log_disk_put(log, 0, 1000);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    cr_assert_leq(lam_log_disk_info(log).open_files, 3);
    cr_assert_eq(lam_log_disk_info(log).durable, 1000);
    lam_log_disk_finish(log);
    cr_assert_leq(lam_model_disk_counts(log_disk).most_open_files, 3);
    lam_log_content content = lam_log_sample_read(log_disk, "logs");
    cr_assert_eq(content.files, 10);
    cr_assert_eq(content.prefix, 1000);
    /* The first record is of 2023-11-14 22:13:20 UTC, and each hour has 100. */
    cr_assert_eq(lam_log_sample_read(log_disk, "logs/date=2023-11-14/hour=22").records, 100);
    cr_assert_eq(lam_log_sample_read(log_disk, "logs/date=2023-11-14").records, 200);
    cr_assert_eq(lam_log_sample_read(log_disk, "logs/date=2023-11-15/hour=07").highest, 1000);
}

static void keep_first_durable(void *state, uint64_t durable, const char *path) {
    uint64_t *first = state;
    (void)path;
    if (*first == 0)
        *first = durable;
}

/* A checkpoint of the first partition of a batch counted all records of the batch as durable, also
 * those whose partitions were not written yet. */
Test(log, records_of_a_batch_are_durable_once_their_partitions_are) {
    lam_log_options options = options_of_disk();
    uint64_t first = 0;
    options.partition_by = "at";
    options.partition_format = "hour=%H";
    options.checkpoint_rows = 50;
    options.callback_state = &first;
    options.on_durable = keep_first_durable;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_log_disk_put(log, 0, 50); /* a batch with two hours: 0 to 99, and 100 to 109 */
    lam_record_sink sink = lam_log_sink(log);
    cr_assert_eq(lam_log_sample_put(&sink, log_schema, 100, 10, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    cr_assert_eq(first, 50);
    lam_log_disk_finish(log);
}

/* A checkpoint waited for a whole batch, of up to 4,096 records. */
Test(log, a_checkpoint_by_rows_does_not_wait_for_twice_as_many) {
    for (int background = 0; background < 2; background++) {
        lam_log_options options = options_of_disk();
        options.checkpoint_rows = 100;
        options.background = background == 1;
        lam_log *log = lam_log_disk_open("logs", true, options);
        lam_log_disk_put(log, 0, 5000);
        lam_log_info info = lam_log_disk_info(log);
        cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
        cr_assert_geq(lam_log_disk_info(log).checkpoints, 25);
        if (background == 0) {
            cr_assert_eq(info.checkpoints, 50);
            cr_assert_eq(info.durable, 5000);
        }
        lam_log_close(log);
    }
}

Test(log, a_checkpoint_makes_records_durable_with_a_footer) {
    lam_log_options options = options_of_disk();
    lam_log *log = lam_log_disk_open("one.parquet", false, options);
    for (uint64_t i = 0; i < 5; i++) {
        lam_log_disk_put(log, i * 100, 100);
        cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_log_disk_info(log).durable, (i + 1) * 100);
        cr_assert_eq(lam_log_sample_count(log_disk, "_one.parquet.part", 0), (i + 1) * 100);
    }
    lam_log_disk_put(log, 500, 10);
    lam_log_disk_finish(log);
    cr_assert_eq(lam_log_sample_count(log_disk, "one.parquet", 0), 510);
}

Test(log, time_demands_checkpoints_and_rotation) {
    lam_log_options options = options_of_disk();
    uint64_t wait;
    options.checkpoint_ms = 1000;
    options.rotate_ms = 5000;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_log_disk_put(log, 0, 10);
    cr_assert_eq(lam_log_poll(log, &wait, NULL), LAM_STATUS_OK);
    cr_assert_eq(wait, 1000);
    cr_assert_eq(lam_log_disk_info(log).durable, 0);
    lam_model_clock_advance(&log_clock, UINT64_C(1000000000));
    cr_assert_eq(lam_log_poll(log, &wait, NULL), LAM_STATUS_OK);
    cr_assert_eq(wait, 4000);
    cr_assert_eq(lam_log_disk_info(log).durable, 10);
    cr_assert_eq(lam_log_disk_info(log).files, 0);
    lam_model_clock_advance(&log_clock, UINT64_C(4000000000));
    cr_assert_eq(lam_log_poll(log, &wait, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_disk_info(log).files, 1);
    cr_assert_eq(wait, UINT64_MAX);
    lam_log_disk_finish(log);
    cr_assert_eq(lam_log_sample_read(log_disk, "logs").records, 10);
}

Test(log, files_rotate_at_their_size) {
    lam_log_options options = options_of_disk();
    options.rotate_bytes = 50000;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_log_disk_put(log, 0, 100000);
    lam_log_disk_finish(log);
    lam_log_content content = lam_log_sample_read(log_disk, "logs");
    cr_assert_gt(content.files, 2);
    cr_assert_eq(content.prefix, 100000);
    lam_model_counts counts = lam_model_disk_counts(log_disk);
    cr_assert_leq(counts.bytes / content.files, 80000);
}

Test(log, a_failed_record_is_refused_alone) {
    lam_log_options options = options_of_disk();
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_record_sink sink = lam_log_sink(log);
    lam_error error = lam_error_none();
    lam_log_disk_put(log, 0, 5);
    (void)lam_begin(&sink, NULL);
    (void)lam_put_string(&sink, lam_schema_find(log_schema, "text"), "\xFF", NULL);
    cr_assert_eq(lam_end(&sink, &error), LAM_STATUS_INVALID);
    cr_assert_eq(error.code, LAM_ERROR_CODE_RECORD_VALUE_UTF8);
    lam_log_disk_put(log, 5, 5);
    cr_assert_eq(lam_log_disk_info(log).accepted, 10);
    lam_log_disk_finish(log);
    cr_assert_eq(lam_log_sample_read(log_disk, "logs").prefix, 10);
}

/* Short text is checked eight bytes at a time. */
Test(log, text_that_is_not_utf8_is_refused_wherever_the_byte_is) {
    lam_log_options options = options_of_disk();
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_record_sink sink = lam_log_sink(log);
    const lam_field *leaf = lam_schema_find(log_schema, "text");
    for (size_t size = 1; size < 80; size++)
        for (size_t at = 0; at < size; at++) {
            char text[80], *exact = malloc(size); /* a read past the end is noticed */
            memset(text, 'x', sizeof text);
            text[at] = (char)0xC3;
            memcpy(exact, text, size);
            cr_assert_eq(lam_begin(&sink, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_put_bytes(&sink, leaf, exact, size, NULL), LAM_STATUS_INVALID);
            cr_assert_eq(lam_end(&sink, NULL), LAM_STATUS_INVALID);
            free(exact);
        }
    lam_log_disk_put(log, 0, 10);
    lam_log_disk_finish(log);
    cr_assert_eq(lam_log_sample_read(log_disk, "logs").records, 10);
}

Test(log, a_record_without_room_is_refused_with_the_memory_limit_of_the_log) {
    static char text[3 << 20];
    lam_log_options options = options_of_disk();
    lam_error error = lam_error_none();
    options.memory_limit = 2 << 20;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_record_sink sink = lam_log_sink(log);
    memset(text, 'x', sizeof text - 1);
    cr_assert_eq(lam_begin(&sink, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_put_string(&sink, lam_schema_find(log_schema, "text"), text, &error),
                 LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "records that are not written yet would exceed their half of "
                                    "the memory limit of the log of 2097152 bytes (option "
                                    "memory_limit)");
    cr_assert_eq(lam_end(&sink, NULL), LAM_STATUS_LIMIT);
    lam_log_disk_put(log, 0, 10);
    lam_log_disk_finish(log);
}

Test(log, many_producers_lose_nothing) {
    enum { PRODUCERS = 5 };
    lam_log_options options = options_of_disk();
    options.background = true;
    options.journal = true;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_log_producer *producers[PRODUCERS];
    for (int i = 0; i < PRODUCERS; i++)
        cr_assert_eq(lam_log_producer_create(log, &producers[i], NULL), LAM_STATUS_OK);
    for (uint64_t n = 0; n < 5000; n++) {
        lam_record_sink sink = lam_log_producer_sink(producers[n % PRODUCERS]);
        cr_assert_eq(lam_log_sample_put(&sink, log_schema, n, 1, NULL), LAM_STATUS_OK);
    }
    for (int i = 0; i < PRODUCERS; i++)
        lam_log_producer_destroy(producers[i]);
    cr_assert_eq(lam_log_disk_info(log).accepted, 5000);
    lam_log_disk_finish(log);
    lam_log_content content = lam_log_sample_read(log_disk, "logs");
    cr_assert_eq(content.records, 5000);
    cr_assert_eq(content.prefix, 5000);
}

Test(log, a_record_is_durable_when_its_end_returns) {
    for (int background = 0; background < 2; background++) {
        lam_log_options options = options_of_disk();
        char folder[40];
        options.background = background == 1;
        options.journal = true;
        options.sync = LAM_LOG_SYNC_RECORD;
        snprintf(folder, sizeof folder, "logs%d", background);
        lam_log *log = lam_log_disk_open(folder, true, options);
        for (uint64_t n = 0; n < 100; n++) {
            lam_log_disk_put(log, n, 1);
            cr_assert_eq(lam_log_disk_info(log).durable, n + 1);
        }
        lam_log_disk_finish(log);
    }
}

/* --- Threads ------------------------------------------------------------------------------- */

typedef struct waiter {
    lam_log_producer *producer;
    uint64_t first;
    uint64_t count;
} waiter;

static void *put_and_wait(void *state) {
    const waiter *w = state;
    lam_record_sink sink = lam_log_producer_sink(w->producer);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_sample_put(&sink, log_schema, w->first, w->count, &error), LAM_STATUS_OK,
                 "%s", error.message);
    return NULL;
}

/* Puts `count` records in each of several threads, each with a producer of its own. */
static void put_in_threads(lam_log *log, uint64_t count) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    waiter waiters[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        waiters[i] = (waiter){NULL, i * count, count};
        cr_assert_eq(lam_log_producer_create(log, &waiters[i].producer, NULL), LAM_STATUS_OK);
        cr_assert_eq(pthread_create(&threads[i], NULL, put_and_wait, &waiters[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        lam_log_producer_destroy(waiters[i].producer);
    }
    cr_assert_eq(lam_log_disk_info(log).accepted, THREADS * count);
    lam_log_disk_finish(log);
    lam_log_content content = lam_log_sample_read(log_disk, "logs");
    cr_assert_eq(content.records, THREADS * count);
    cr_assert_eq(content.prefix, THREADS * count);
}

/*
 * The thread emptied its pipe after it had allowed the next waker to write to it, and so could take
 * that byte, too: from then on everybody relied on a byte that was gone, and the log stood still.
 */
Test(log, nobody_waits_for_a_thread_that_sleeps, .timeout = 120) {
    lam_log_options options = options_of_disk();
    options.background = true;
    options.journal = true;
    options.sync = LAM_LOG_SYNC_RECORD;
    put_in_threads(lam_log_disk_open("logs", true, options), 5000);
}

Test(log, threads_share_a_queue_that_is_full, .timeout = 120) {
    lam_log_options options = options_of_disk();
    options.background = true;
    options.queue_bytes = 1 << 14;
    put_in_threads(lam_log_disk_open("logs", true, options), 20000);
}

/* Some readers keep the ordinal of a row group in 16 bits, and refuse files with more of them. */
Test(log, a_file_has_no_more_row_groups_than_an_ordinal_can_count) {
    lam_log_options options = options_of_disk();
    options.checkpoint_rows = 1;
    options.sync = LAM_LOG_SYNC_NEVER;
    options.memory_limit = 1 << 30; /* for the footer */
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_record_sink sink = lam_log_sink(log);
    for (uint64_t i = 0; i < 33000; i++) {
        cr_assert_eq(lam_log_sample_put(&sink, log_schema, i, 1, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_log_disk_info(log).files, 1);
    lam_log_disk_finish(log);
    cr_assert_eq(lam_log_sample_read(log_disk, "logs").prefix, 33000);
}

/* The metadata of many row groups is memory, which only the end of their file frees. */
Test(log, a_file_ends_before_its_footer_takes_the_memory) {
    lam_log_options options = options_of_disk();
    options.checkpoint_rows = 1;
    options.sync = LAM_LOG_SYNC_NEVER;
    options.memory_limit = 2 << 20;
    options.open_files = 1;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_log_disk_put(log, 0, 3000);
    cr_expect_gt(lam_log_disk_info(log).files, 0);
    lam_log_disk_finish(log);
    cr_assert_eq(lam_log_sample_read(log_disk, "logs").prefix, 3000);
}

/* Footers between row groups are dead bytes in the end: their sum is bounded, not each of them. */
Test(log, footers_of_checkpoints_are_at_most_two_percent) {
    lam_log_options options = options_of_disk();
    lam_bytes bytes;
    uint64_t dead = 0, row_groups = 0;
    options.checkpoint_rows = 200;
    lam_log *log = lam_log_disk_open("one.parquet", false, options);
    for (uint64_t i = 0; i < 1500; i++) {
        lam_log_disk_put(log, i * 200, 200);
        cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    }
    lam_log_disk_finish(log);
    cr_assert(lam_model_disk_content(log_disk, "one.parquet", &bytes));
    for (size_t at = 4; at + LAM_RECOVERY_HEADER_SIZE < bytes.size; at++) {
        lam_recovery_header header;
        if (!lam_recovery_header_read(bytes.data + at, &header))
            continue;
        at += LAM_RECOVERY_HEADER_SIZE + header.size + LAM_RECOVERY_CRC_SIZE - 1;
        row_groups += header.kind <= LAM_RECOVERY_ROW_GROUP;
        if (header.kind == LAM_RECOVERY_FOOTER)
            dead += lam_load_le32(bytes.data + at + 1 - LAM_RECOVERY_CRC_SIZE - header.size);
    }
    cr_assert_eq(row_groups, 1500);
    cr_assert_gt(dead, 0);
    cr_assert_leq(dead * 50, bytes.size);
}

/* --- Acknowledgements ---------------------------------------------------------------------- */

static lam_status count_folder(void *state, const lam_storage_entry *entry, lam_error *error) {
    (void)error;
    *(uint64_t *)state += entry->is_folder;
    return LAM_STATUS_OK;
}

/* Records are sorted by their hours, of which each has 100 and a folder. */
static void expect_folders(void *state, uint64_t durable, const char *path) {
    uint64_t folders = 0;
    (void)state, (void)path;
    cr_assert_eq(log_storage.list(log_storage.state, "logs", count_folder, &folders, NULL),
                 LAM_STATUS_OK);
    cr_expect_geq(folders * 100, durable);
}

/*
 * The number of the next record was ahead of the groups of a batch that were in no file yet: when a
 * checkpoint, or a file that ended, came between two groups, the later ones counted as durable.
 */
Test(log, groups_of_a_batch_are_durable_only_once_they_are_written) {
    for (int rotates = 0; rotates < 2; rotates++) {
        lam_log_options options = options_of_disk();
        options.partition_by = "at";
        options.on_durable = expect_folders;
        options.open_files = 2;
        options.checkpoint_rows = rotates == 0 ? 50 : 0;
        options.rotate_bytes = rotates == 1 ? 1 : 0;
        lam_log *log = lam_log_disk_open("logs", true, options);
        lam_log_disk_put(log, 0, 800);
        lam_log_disk_finish(log);
    }
}
