/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_sample.h"

static lam_model_disk *disk;
static lam_model_clock model_clock;
static lam_storage storage;
static lam_clock timer;
static lam_schema *schema;

static void use_disk(lam_model_disk *other) {
    disk = other;
    storage = lam_model_disk_storage(disk);
}

static void start(void) {
    use_disk(lam_model_disk_create());
    model_clock.utc = INT64_C(1763856000000000000);
    timer = lam_model_clock_start(&model_clock);
    schema = lam_test_schema(LAM_LOG_SAMPLE_SCHEMA);
}

static void stop(void) {
    lam_model_disk_destroy(disk);
    lam_schema_destroy(schema);
}

static lam_log *open_log(const char *path, bool is_folder, lam_log_options options) {
    lam_log *log;
    lam_error error = lam_error_none();
    options.storage = &storage;
    options.clock = &timer;
    lam_status status = is_folder ? lam_log_open(schema, path, &options, &log, &error)
                                  : lam_log_open_file(schema, path, &options, &log, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    return log;
}

static void put(lam_log *log, uint64_t first, uint64_t count) {
    lam_record_sink sink = lam_log_sink(log);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_sample_put(&sink, schema, first, count, &error), LAM_STATUS_OK, "%s",
                 error.message);
}

static void finish(lam_log *log) {
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_finish(log, &error), LAM_STATUS_OK, "%s", error.message);
    lam_log_close(log);
}

static lam_log_info info_of(lam_log *log) {
    lam_log_info info = lam_log_info_default();
    cr_assert_eq(lam_log_get_info(log, &info, NULL), LAM_STATUS_OK);
    return info;
}

/* Ends the process: what was written stays, the log's memory is freed. */
static void kill_log(lam_log *log) {
    lam_model_disk *before = disk;
    use_disk(lam_model_disk_kill(disk));
    lam_model_disk_set_fault(before, (lam_model_fault){.at = 1, .stays = true});
    lam_log_close(log);
    lam_model_disk_destroy(before);
}

Test(log_start, what_a_killed_log_left_becomes_final_files, .init = start, .fini = stop) {
    for (int journal = 0; journal < 2; journal++)
        for (int partitions = 0; partitions < 2; partitions++) {
            char folder[40];
            lam_log_options options = lam_log_options_default();
            snprintf(folder, sizeof folder, "logs%d%d", journal, partitions);
            options.journal = journal == 1;
            options.partition_by = partitions == 1 ? "at" : NULL;
            options.partition_format = partitions == 1 ? "date=%Y-%m-%d/hour=%H" : NULL;
            lam_log *log = open_log(folder, true, options);
            put(log, 0, 450);
            cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
            put(log, 450, 100);
            cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
            kill_log(log);
            log = open_log(folder, true, options);
            uint64_t expected = journal == 1 ? 550 : 450;
            cr_assert_eq(info_of(log).recovered, expected);
            put(log, expected, 100);
            finish(log);
            lam_log_content content = lam_log_sample_read(disk, folder);
            cr_assert_eq(content.records, expected + 100, "%s", folder);
            cr_assert_eq(content.prefix, expected + 100);
            cr_assert_eq(content.other_files, 0);
        }
}

Test(log_start, a_log_of_one_file_goes_on_where_it_was_killed, .init = start, .fini = stop) {
    for (int journal = 0; journal < 2; journal++) {
        char path[40];
        uint64_t rows = 0;
        lam_log_options options = lam_log_options_default();
        snprintf(path, sizeof path, "one%d.parquet", journal);
        options.journal = journal == 1;
        for (int round = 0; round < 4; round++) {
            lam_log *log = open_log(path, false, options);
            cr_assert_eq(info_of(log).recovered, rows);
            put(log, rows, 200);
            cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
            put(log, rows + 200, 50);
            cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
            rows += journal == 1 ? 250 : 200;
            kill_log(log);
        }
        lam_log *log = open_log(path, false, options);
        cr_assert_eq(info_of(log).recovered, rows);
        finish(log);
        cr_assert_eq(lam_log_sample_count(disk, path, 0), rows);
    }
}

Test(log_start, what_another_log_has_open_is_left_alone, .init = start, .fini = stop) {
    lam_log_options options = lam_log_options_default();
    options.journal = true;
    lam_log *first = open_log("logs", true, options);
    put(first, 0, 100);
    cr_assert_eq(lam_log_checkpoint(first, NULL), LAM_STATUS_OK);
    lam_log *second = open_log("logs", true, options);
    cr_assert_eq(info_of(second).recovered, 0);
    put(second, 100, 100);
    finish(second);
    finish(first);
    lam_log_content content = lam_log_sample_read(disk, "logs");
    cr_assert_eq(content.prefix, 200);
    cr_assert_eq(content.files, 2);
    cr_assert_eq(content.other_files, 0);
}

Test(log_start, one_file_has_one_log, .init = start, .fini = stop) {
    lam_log_options options = lam_log_options_default();
    lam_log *log, *other;
    lam_error error = lam_error_none();
    options.storage = &storage;
    log = open_log("one.parquet", false, options);
    put(log, 0, 10);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_open_file(schema, "one.parquet", &options, &other, &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_BUSY, "%s", error.message);
    finish(log);
    error = lam_error_none();
    cr_assert_eq(lam_log_open_file(schema, "one.parquet", &options, &other, &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS, "%s", error.message);
}

/* The name was free until the first record: a second log could take it, and the first failed. */
Test(log_start, one_file_is_taken_before_its_first_record, .init = start, .fini = stop) {
    lam_log_options options = lam_log_options_default();
    lam_log *log = open_log("one.parquet", false, options), *other;
    lam_error error = lam_error_none();
    options.storage = &storage;
    cr_assert_eq(lam_log_open_file(schema, "one.parquet", &options, &other, &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_BUSY, "%s", error.message);
    finish(log);
    cr_assert_eq(lam_log_sample_count(disk, "one.parquet", 0), 0);
}

Test(log_start, leftovers_stay_if_the_options_say_so, .init = start, .fini = stop) {
    lam_log_options options = lam_log_options_default();
    lam_log *log = open_log("logs", true, options);
    put(log, 0, 10);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    kill_log(log);
    options.leftovers = LAM_LOG_LEFTOVERS_KEEP;
    finish(open_log("logs", true, options));
    lam_log_content content = lam_log_sample_read(disk, "logs");
    cr_assert_eq(content.files, 0);
    cr_assert_eq(content.other_files, 1);
}

Test(log_start, a_leftover_without_a_row_group_is_put_aside, .init = start, .fini = stop) {
    lam_log_options options = lam_log_options_default();
    static const char *const part = "logs/log-20261123T004500Z-00c0ffee12345678.parquet.part";
    lam_bytes bytes;
    lam_model_disk_put(disk, part, "PAR1 and pages that nobody knows", 32);
    lam_model_disk_put(disk, "logs/log-20261123T004500Z-00c0ffee12345679.parquet.part", "PAR1", 4);
    lam_model_disk_put(disk, "logs/other.part", "x", 1);
    finish(open_log("logs", true, options));
    cr_assert(!lam_model_disk_content(disk, part, &bytes));
    cr_assert(lam_model_disk_content(
        disk, "logs/log-20261123T004500Z-00c0ffee12345678.parquet.part.bad", &bytes));
    cr_assert(lam_model_disk_content(disk, "logs/other.part", &bytes));
    cr_assert_eq(lam_log_sample_read(disk, "logs").other_files, 2);
}

static void open_fails(const char *path, lam_log_options options, const char *text, int status) {
    lam_log *log;
    lam_error error = lam_error_none();
    lam_schema *other = lam_test_schema(text);
    options.storage = &storage;
    options.clock = &timer;
    cr_assert_eq((int)lam_log_open_file(other, path, &options, &log, &error), status, "%s",
                 error.message);
    lam_schema_destroy(other);
    cr_assert(strstr(error.message, "one.parquet.part is of another log: ") != NULL, "%s",
              error.message);
}

/* The leftover had ".old" behind its name then, and lam_recover did not find its journal. */
Test(log_start, a_leftover_with_another_schema_keeps_its_names, .init = start, .fini = stop) {
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    for (int has_file = 0; has_file < 2; has_file++) {
        lam_log_options options = lam_log_options_default();
        options.journal = true;
        lam_log *log = open_log("one.parquet", false, options);
        put(log, 0, 100);
        if (has_file == 1)
            cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
        put(log, 100, 20);
        cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
        kill_log(log);
        for (int round = 0; round < 4; round++) {
            options.journal = round % 2 == 0;
            open_fails("one.parquet", options, "message m { required int32 other; }",
                       LAM_STATUS_INVALID);
            cr_assert_eq(lam_log_sample_read(disk, "").other_files, 2);
        }
        recover.storage = &storage;
        const char *target = has_file == 1 ? "a.parquet" : "b.parquet";
        cr_assert_eq(lam_recover("one.parquet.part", target, &recover, &found, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(found.rows + found.journal_rows, 120);
        cr_assert_eq(storage.remove(storage.state, "one.parquet.part", NULL), LAM_STATUS_OK);
        cr_assert_eq(storage.remove(storage.state, "one.parquet.journal", NULL), LAM_STATUS_OK);
    }
}

/* Leaves 100 records in a row group, and with a journal 20 more. Returns their number. */
static uint64_t leave_records(const char *path, bool is_folder, bool journal) {
    lam_log_options options = lam_log_options_default();
    options.journal = journal;
    lam_log *log = open_log(path, is_folder, options);
    put(log, 0, 100);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    put(log, 100, 20);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    kill_log(log);
    return journal ? 120 : 100;
}

/* Opens a log while the `at`th operation fails, and then without a fault; false behind the last. */
static bool start_twice(const char *path, bool is_folder, uint64_t at, bool stays) {
    lam_log_options options = lam_log_options_default();
    lam_log *log = NULL;
    uint64_t before = lam_model_disk_counts(disk).operations;
    options.storage = &storage;
    options.clock = &timer;
    lam_model_disk_set_fault(disk, (lam_model_fault){.at = before + at, .stays = stays});
    lam_status status = is_folder ? lam_log_open(schema, path, &options, &log, NULL)
                                  : lam_log_open_file(schema, path, &options, &log, NULL);
    cr_assert_eq(status == LAM_STATUS_OK, log != NULL);
    bool was_hit = lam_model_disk_counts(disk).operations >= before + at;
    lam_log_close(log);
    lam_model_disk_set_fault(disk, (lam_model_fault){0});
    finish(open_log(path, is_folder, options));
    return was_hit;
}

/*
 * A file whose name could not be looked up counted as one that is there: what it would have been
 * made of was removed. A journal that could not be read counted as none.
 */
Test(log_start, a_start_that_fails_at_any_operation_loses_nothing, .init = start, .fini = stop) {
    for (int way = 0; way < 8; way++) {
        bool is_folder = way % 2 == 0, journal = way / 2 % 2 == 0, stays = way / 4 == 0;
        const char *path = is_folder ? "logs" : "one.parquet";
        bool was_hit = true;
        for (uint64_t at = 1; was_hit; at++) {
            lam_model_disk *before = disk;
            use_disk(lam_model_disk_create());
            lam_model_disk_destroy(before);
            uint64_t rows = leave_records(path, is_folder, journal);
            was_hit = start_twice(path, is_folder, at, stays);
            lam_log_content content = lam_log_sample_read(disk, is_folder ? path : "");
            cr_assert_eq(content.prefix, rows, "way %d, operation %" PRIu64 ": %" PRIu64 " rows",
                         way, at, content.prefix);
            cr_assert_eq(content.records, rows);
            cr_assert_eq(content.other_files, 0);
        }
    }
}

/* The log of one file failed at each start, and a short file was removed. */
Test(log_start, a_journal_that_is_none_is_put_aside, .init = start, .fini = stop) {
    static const char *const texts[] = {
        "mine", "a text that is longer than the head of a journal",
        "LAMJX and a head that is damaged, or from a later version"};
    for (int i = 0; i < 3; i++) {
        char bad[60];
        lam_bytes bytes;
        lam_log_options options = lam_log_options_default();
        options.journal = i != 1;
        lam_model_disk_put(disk, "one.parquet.journal", texts[i], strlen(texts[i]));
        lam_log *log = open_log("one.parquet", false, options);
        put(log, 0, 10);
        finish(log);
        cr_assert_eq(lam_log_sample_count(disk, "one.parquet", 0), 10);
        snprintf(bad, sizeof bad, i == 0 ? "one.parquet.journal.bad" : "one.parquet.journal.%d.bad",
                 i + 1);
        cr_assert(lam_model_disk_content(disk, bad, &bytes), "%s", bad);
        cr_assert_eq(bytes.size, strlen(texts[i]));
        cr_assert_eq(storage.remove(storage.state, "one.parquet", NULL), LAM_STATUS_OK);
    }
    static const char journal[] = "logs/log-20261123T004500Z-00c0ffee12345678.parquet.journal";
    lam_bytes bytes;
    lam_model_disk_put(disk, journal, "notes", 5);
    finish(open_log("logs", true, lam_log_options_default()));
    cr_assert(lam_model_disk_content(
        disk, "logs/log-20261123T004500Z-00c0ffee12345678.parquet.journal.bad", &bytes));
}

/* The journal that an interrupted start had begun took the place of the one with the rows. */
Test(log_start, a_start_that_has_a_journal_alone_may_be_interrupted, .init = start, .fini = stop) {
    for (uint64_t at = 1;; at++) {
        lam_log_options options = lam_log_options_default();
        lam_log *interrupted = NULL;
        lam_error error = lam_error_none();
        options.journal = true;
        lam_log *log = open_log("one.parquet", false, options);
        put(log, 0, 50);
        cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
        kill_log(log);
        cr_assert_eq(storage.remove(storage.state, "one.parquet.part", NULL), LAM_STATUS_OK);
        lam_model_disk_set_fault(
            disk,
            (lam_model_fault){.at = lam_model_disk_counts(disk).operations + at, .stays = true});
        options.storage = &storage;
        options.clock = &timer;
        lam_status status =
            lam_log_open_file(schema, "one.parquet", &options, &interrupted, &error);
        lam_log_close(interrupted);
        lam_model_disk *before = disk;
        use_disk(lam_model_disk_kill(disk));
        lam_model_disk_destroy(before);
        finish(open_log("one.parquet", false, options));
        cr_assert_eq(lam_log_sample_count(disk, "one.parquet", 0), 50, "operation %" PRIu64, at);
        cr_assert_eq(storage.remove(storage.state, "one.parquet", NULL), LAM_STATUS_OK);
        if (status == LAM_STATUS_OK)
            break;
    }
}

/* --- lam_recover ----------------------------------------------------------------------------- */

Test(recover, a_killed_file_and_its_journal_become_one_whole_file, .init = start, .fini = stop) {
    lam_log_options options = lam_log_options_default();
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    options.journal = true;
    lam_log *log = open_log("one.parquet", false, options);
    put(log, 0, 300);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    put(log, 300, 33);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    recover.storage = &storage;
    cr_assert_eq(lam_recover("one.parquet.part", "two.parquet", &recover, &found, &error),
                 LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_BUSY);
    kill_log(log);
    recover.storage = &storage;
    for (int round = 0; round < 4; round++) {
        const char *target = round % 2 == 0 ? "two.parquet" : "three.parquet";
        cr_assert_eq(lam_recover("one.parquet.part", target, &recover, &found, &error),
                     LAM_STATUS_OK, "%s", error.message);
        cr_assert_eq(found.rows, 300);
        cr_assert_eq(found.journal_rows, 33);
        cr_assert_eq(found.row_groups, 1);
        cr_assert(found.is_complete);
        cr_assert_eq(lam_log_sample_count(disk, target, 0), 333);
    }
    /* A target that is another file stays: one with a row more, or with a bit that differs. */
    lam_bytes made;
    uint8_t other[100000];
    cr_assert(lam_model_disk_content(disk, "two.parquet", &made));
    cr_assert_lt(made.size, sizeof other);
    memcpy(other, made.data, made.size);
    other[made.size / 2] ^= 1;
    for (int round = 0; round < 2; round++) {
        lam_model_disk_put(disk, "other.parquet", other, made.size + (size_t)round);
        cr_assert_eq(lam_recover("one.parquet.part", "other.parquet", &recover, &found, &error),
                     LAM_STATUS_IO);
        cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS);
    }
}

Test(recover, a_file_whose_name_was_lost_is_in_its_journal, .init = start, .fini = stop) {
    lam_log_options options = lam_log_options_default();
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    options.journal = true;
    lam_log *log = open_log("one.parquet", false, options);
    put(log, 0, 20);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    kill_log(log);
    recover.storage = &storage;
    cr_assert_eq(storage.remove(storage.state, "one.parquet.part", NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_recover("one.parquet.part", "two.parquet", &recover, &found, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(found.journal_rows, 20);
    cr_assert_eq(lam_log_sample_count(disk, "two.parquet", 0), 20);
}

/* --- Appending ------------------------------------------------------------------------------- */

static void make_file(const char *path, uint64_t rows) {
    lam_log *log = open_log(path, false, lam_log_options_default());
    put(log, 0, rows);
    finish(log);
}

static void append_rows(lam_writer *writer, uint64_t first, uint64_t count) {
    lam_record_sink sink = lam_writer_sink(writer);
    cr_assert_eq(lam_log_sample_put(&sink, lam_writer_schema(writer), first, count, NULL),
                 LAM_STATUS_OK);
}

Test(append, rows_follow_those_of_a_finished_file, .init = start, .fini = stop) {
    for (int manner = LAM_APPEND_ANEW; manner <= LAM_APPEND_IN_PLACE; manner++) {
        char path[40];
        lam_writer *writer;
        lam_error error = lam_error_none();
        snprintf(path, sizeof path, "file%d.parquet", manner);
        make_file(path, 100);
        for (uint64_t round = 1; round < 4; round++) {
            cr_assert_eq(lam_writer_open_append(path, schema, (lam_append_manner)manner, &storage,
                                                NULL, &writer, &error),
                         LAM_STATUS_OK, "%s", error.message);
            append_rows(writer, round * 100, 50);
            cr_assert_eq(lam_writer_end_row_group(writer, NULL), LAM_STATUS_OK);
            append_rows(writer, round * 100 + 50, 50);
            cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_OK, "%s", error.message);
            lam_writer_close(writer);
            cr_assert_eq(lam_log_sample_count(disk, path, 0), (round + 1) * 100);
        }
    }
    cr_assert_eq(lam_log_sample_read(disk, "").other_files, 0);
}

Test(append, an_append_that_is_given_up_changes_nothing, .init = start, .fini = stop) {
    for (int manner = LAM_APPEND_ANEW; manner <= LAM_APPEND_IN_PLACE; manner++) {
        lam_writer *writer;
        if (manner == LAM_APPEND_ANEW)
            make_file("file.parquet", 100);
        cr_assert_eq(lam_writer_open_append("file.parquet", NULL, (lam_append_manner)manner,
                                            &storage, NULL, &writer, NULL),
                     LAM_STATUS_OK);
        append_rows(writer, 100, 50);
        cr_assert_eq(lam_writer_end_row_group(writer, NULL), LAM_STATUS_OK);
        lam_writer_close(writer);
        cr_assert_eq(lam_log_sample_count(disk, "file.parquet", 0), 100);
        cr_assert_eq(lam_log_sample_read(disk, "").other_files, 0);
    }
}

Test(append, a_killed_append_in_place_is_recovered, .init = start, .fini = stop) {
    lam_writer *writer;
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    make_file("file.parquet", 100);
    cr_assert_eq(lam_writer_open_append("file.parquet", NULL, LAM_APPEND_IN_PLACE, &storage, NULL,
                                        &writer, NULL),
                 LAM_STATUS_OK);
    append_rows(writer, 100, 50);
    cr_assert_eq(lam_writer_end_row_group(writer, NULL), LAM_STATUS_OK);
    lam_model_disk *before = disk;
    use_disk(lam_model_disk_kill(disk));
    lam_model_disk_set_fault(before, (lam_model_fault){.at = 1, .stays = true});
    lam_writer_close(writer);
    lam_model_disk_destroy(before);
    recover.storage = &storage;
    cr_assert_eq(lam_recover("file.parquet", "whole.parquet", &recover, &found, &error),
                 LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_log_sample_count(disk, "whole.parquet", 0), 150);
}

/* Creates a file of these bytes. */
static void put_bytes(const char *path, const void *bytes, size_t size) {
    lam_storage_file file;
    cr_assert_eq(storage.create(storage.state, path, &file, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.append(file.state, bytes, size, NULL), LAM_STATUS_OK);
    lam_storage_file_close(&file);
}

/*
 * A note that a kill tore, or that was written before the first byte was appended, was in the way
 * of every later append in place, though the file is whole. Other files of that name stay.
 */
Test(append, a_note_that_nothing_followed_is_not_in_the_way, .init = start, .fini = stop) {
    static const struct {
        const char *bytes;
        size_t size;
        bool is_note;
    } cases[] = {{"", 0, true},
                 {"PLAN\x01\x02\x03", 7, true},
                 {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, true},
                 {"mine", 4, false},
                 {"PLAN for the week", 17, false}};
    make_file("file.parquet", 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_writer *writer;
        lam_error error = lam_error_none();
        put_bytes("file.parquet.append", cases[i].bytes, cases[i].size);
        cr_assert_eq(lam_writer_open_append("file.parquet", NULL, LAM_APPEND_IN_PLACE, &storage,
                                            NULL, &writer, &error),
                     LAM_STATUS_OK, "%s", error.message);
        append_rows(writer, 100 + 10 * i, 10);
        lam_status status = lam_writer_finish(writer, &error);
        lam_writer_close(writer);
        cr_assert_eq(status, cases[i].is_note ? LAM_STATUS_OK : LAM_STATUS_IO, "case %zu", i);
        if (cases[i].is_note)
            continue;
        cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS);
        cr_assert_eq(lam_log_sample_count(disk, "file.parquet", 0), 130);
        cr_assert_eq(storage.remove(storage.state, "file.parquet.append", NULL), LAM_STATUS_OK);
    }
}

Test(append, another_schema_is_refused_by_its_first_field, .init = start, .fini = stop) {
    lam_writer *writer;
    lam_error error = lam_error_none();
    lam_schema *other = lam_test_schema("message m { required int32 number; }");
    make_file("file.parquet", 10);
    cr_assert_eq(lam_writer_open_append("file.parquet", other, LAM_APPEND_ANEW, &storage, NULL,
                                        &writer, &error),
                 LAM_STATUS_INVALID);
    cr_assert(strstr(error.message, "field '") != NULL &&
                  strstr(error.message, "in the schema that is given") != NULL,
              "%s", error.message);
    lam_schema_destroy(other);
    cr_assert_eq(lam_log_sample_count(disk, "file.parquet", 0), 10);
}
