/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a log finds when it starts: files and journals that a predecessor left are recovered,
 * continued or put aside, and none is lost.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_disk.h"
#include "log/log_sample.h"

TestSuite(log_start, .init = lam_log_disk_start, .fini = lam_log_disk_stop);
TestSuite(recover, .init = lam_log_disk_start, .fini = lam_log_disk_stop);
TestSuite(append, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

static lam_log *open_log(const char *path, bool is_folder, lam_log_options options) {
    options.clock = &log_timer;
    return lam_log_disk_open(path, is_folder, options);
}

Test(log_start, what_a_killed_log_left_becomes_final_files) {
    for (int journal = 0; journal < 2; journal++)
        for (int partitions = 0; partitions < 2; partitions++) {
            char folder[40];
            lam_log_options options = lam_log_options_default();
            snprintf(folder, sizeof folder, "logs%d%d", journal, partitions);
            options.journal = journal == 1;
            options.partition_by = partitions == 1 ? "at" : NULL;
            options.partition_format = partitions == 1 ? "date=%Y-%m-%d/hour=%H" : NULL;
            lam_log *log = open_log(folder, true, options);
            lam_log_disk_leave(log, 0, 450, 100);
            log = open_log(folder, true, options);
            uint64_t expected = journal == 1 ? 550 : 450;
            cr_assert_eq(lam_log_disk_info(log).recovered, expected);
            lam_log_disk_put(log, expected, 100);
            lam_log_disk_finish(log);
            lam_log_content content = lam_log_sample_read(log_disk, folder);
            cr_assert_eq(content.records, expected + 100, "%s", folder);
            cr_assert_eq(content.prefix, expected + 100);
            cr_assert_eq(content.other_files, 0);
        }
}

Test(log_start, a_log_of_one_file_goes_on_where_it_was_killed) {
    for (int journal = 0; journal < 2; journal++) {
        char path[40];
        uint64_t rows = 0;
        lam_log_options options = lam_log_options_default();
        snprintf(path, sizeof path, "one%d.parquet", journal);
        options.journal = journal == 1;
        for (int round = 0; round < 4; round++) {
            lam_log *log = open_log(path, false, options);
            cr_assert_eq(lam_log_disk_info(log).recovered, rows);
            lam_log_disk_leave(log, rows, 200, 50);
            rows += journal == 1 ? 250 : 200;
        }
        lam_log *log = open_log(path, false, options);
        cr_assert_eq(lam_log_disk_info(log).recovered, rows);
        lam_log_disk_finish(log);
        cr_assert_eq(lam_log_sample_count(log_disk, path, 0), rows);
    }
}

Test(log_start, what_another_log_has_open_is_left_alone) {
    lam_log_options options = lam_log_options_default();
    options.journal = true;
    lam_log *first = open_log("logs", true, options);
    lam_log_disk_put(first, 0, 100);
    cr_assert_eq(lam_log_checkpoint(first, NULL), LAM_STATUS_OK);
    lam_log *second = open_log("logs", true, options);
    cr_assert_eq(lam_log_disk_info(second).recovered, 0);
    lam_log_disk_put(second, 100, 100);
    lam_log_disk_finish(second);
    lam_log_disk_finish(first);
    lam_log_content content = lam_log_sample_read(log_disk, "logs");
    cr_assert_eq(content.prefix, 200);
    cr_assert_eq(content.files, 2);
    cr_assert_eq(content.other_files, 0);
}

Test(log_start, one_file_has_one_log) {
    lam_log_options options = lam_log_options_default();
    lam_log *log, *other;
    lam_error error = lam_error_none();
    log = open_log("one.parquet", false, options);
    lam_log_disk_put(log, 0, 10);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_disk_try_open("one.parquet", false, options, &other, &error),
                 LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_BUSY, "%s", error.message);
    lam_log_disk_finish(log);
    error = lam_error_none();
    cr_assert_eq(lam_log_disk_try_open("one.parquet", false, options, &other, &error),
                 LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS, "%s", error.message);
}

/* The name was free until the first record: a second log could take it, and the first failed. */
Test(log_start, one_file_is_taken_before_its_first_record) {
    lam_log_options options = lam_log_options_default();
    lam_log *log = open_log("one.parquet", false, options), *other;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_disk_try_open("one.parquet", false, options, &other, &error),
                 LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_BUSY, "%s", error.message);
    lam_log_disk_finish(log);
    cr_assert_eq(lam_log_sample_count(log_disk, "one.parquet", 0), 0);
}

Test(log_start, leftovers_stay_if_the_options_say_so) {
    lam_log_options options = lam_log_options_default();
    lam_log *log = open_log("logs", true, options);
    lam_log_disk_put(log, 0, 10);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    lam_log_disk_kill_log(log);
    options.leftovers = LAM_LOG_LEFTOVERS_KEEP;
    lam_log_disk_finish(open_log("logs", true, options));
    lam_log_content content = lam_log_sample_read(log_disk, "logs");
    cr_assert_eq(content.files, 0);
    cr_assert_eq(content.other_files, 1);
}

Test(log_start, a_leftover_without_a_row_group_is_put_aside) {
    lam_log_options options = lam_log_options_default();
    static const char *const part = "logs/_log-20261123T004500Z-00c0ffee12345678.parquet.part";
    lam_model_disk_put(log_disk, part, "PAR1 and pages that nobody knows", 32);
    lam_model_disk_put(log_disk, "logs/_log-20261123T004500Z-00c0ffee12345679.parquet.part", "PAR1",
                       4);
    lam_model_disk_put(log_disk, "logs/other.part", "x", 1);
    lam_log_disk_finish(open_log("logs", true, options));
    cr_assert(!lam_log_disk_has(part));
    cr_assert(lam_log_disk_has("logs/_log-20261123T004500Z-00c0ffee12345678.parquet.part.bad"));
    cr_assert(lam_log_disk_has("logs/other.part"));
    cr_assert_eq(lam_log_sample_read(log_disk, "logs").other_files, 2);
}

static void open_fails(const char *path, lam_log_options options, const char *text, int status) {
    lam_log *log;
    lam_error error = lam_error_none();
    lam_schema *other = lam_test_schema(text);
    options.storage = &log_storage;
    options.clock = &log_timer;
    cr_assert_eq((int)lam_log_open_file(other, path, &options, &log, &error), status, "%s",
                 error.message);
    lam_schema_destroy(other);
    cr_assert(strstr(error.message, "_one.parquet.part is of another log: ") != NULL, "%s",
              error.message);
}

/* The leftover had ".old" behind its name then, and lam_recover did not find its journal. */
Test(log_start, a_leftover_with_another_schema_keeps_its_names) {
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    for (int has_file = 0; has_file < 2; has_file++) {
        lam_log_options options = lam_log_options_default();
        options.journal = true;
        lam_log *log = open_log("one.parquet", false, options);
        lam_log_disk_put(log, 0, 100);
        if (has_file == 1)
            cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
        lam_log_disk_put(log, 100, 20);
        cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
        lam_log_disk_kill_log(log);
        for (int round = 0; round < 4; round++) {
            options.journal = round % 2 == 0;
            open_fails("one.parquet", options, "message m { required int32 other; }",
                       LAM_STATUS_INVALID);
            cr_assert_eq(lam_log_sample_read(log_disk, "").other_files, 2);
        }
        recover.storage = &log_storage;
        const char *target = has_file == 1 ? "a.parquet" : "b.parquet";
        cr_assert_eq(lam_recover("_one.parquet.part", target, &recover, &found, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(found.rows + found.journal_rows, 120);
        lam_log_disk_remove("_one.parquet.part");
        lam_log_disk_remove("_one.parquet.journal");
    }
}

/* Leaves 100 records in a row group, and with a journal 20 more. Returns their number. */
static uint64_t leave_records(const char *path, bool is_folder, bool journal) {
    lam_log_options options = lam_log_options_default();
    options.journal = journal;
    lam_log_disk_leave(open_log(path, is_folder, options), 0, 100, 20);
    return journal ? 120 : 100;
}

/* Leftovers kept ".old" behind their names where the new file or its journal had no room. */
Test(log_start, a_start_that_finds_the_disk_full_gives_the_names_back) {
    for (int has_journal = 0; has_journal < 2; has_journal++) {
        lam_log_options options = lam_log_options_default();
        lam_log *log;
        options.journal = has_journal == 1;
        lam_log_disk_renew();
        uint64_t rows = leave_records("one.parquet", false, has_journal == 1);
        lam_model_disk_set_limit(log_disk, 1);
        cr_assert_eq(lam_log_disk_try_open("one.parquet", false, options, &log, NULL),
                     LAM_STATUS_IO);
        lam_model_disk_set_limit(log_disk, 0);
        cr_assert(lam_log_disk_has("_one.parquet.part"));
        cr_assert_eq(lam_log_disk_has("_one.parquet.journal"), has_journal == 1);
        cr_assert(!lam_log_disk_has("_one.parquet.part.old"));
        cr_assert(!lam_log_disk_has("_one.parquet.journal.old"));
        options.clock = &log_timer;
        lam_log_disk_finish(open_log("one.parquet", false, options));
        cr_assert_eq(lam_log_sample_count(log_disk, "one.parquet", 0), rows);
    }
}

/* Opens a log while the `at`th operation fails, and then without a fault; false behind the last. */
static bool start_twice(const char *path, bool is_folder, uint64_t at, bool stays) {
    lam_log_options options = lam_log_options_default();
    lam_log *log = NULL;
    uint64_t before = lam_model_disk_counts(log_disk).operations;
    options.clock = &log_timer;
    lam_model_disk_set_fault(log_disk, (lam_model_fault){.at = before + at, .stays = stays});
    lam_status status = lam_log_disk_try_open(path, is_folder, options, &log, NULL);
    cr_assert_eq(status == LAM_STATUS_OK, log != NULL);
    bool was_hit = lam_model_disk_counts(log_disk).operations >= before + at;
    lam_log_close(log);
    lam_model_disk_set_fault(log_disk, (lam_model_fault){0});
    lam_log_disk_finish(open_log(path, is_folder, options));
    return was_hit;
}

/*
 * A file whose name could not be looked up counted as one that is there: what it would have been
 * made of was removed. A journal that could not be read counted as none.
 */
Test(log_start, a_start_that_fails_at_any_operation_loses_nothing) {
    for (int way = 0; way < 8; way++) {
        bool is_folder = way % 2 == 0, journal = way / 2 % 2 == 0, stays = way / 4 == 0;
        const char *path = is_folder ? "logs" : "one.parquet";
        bool was_hit = true;
        for (uint64_t at = 1; was_hit; at++) {
            lam_log_disk_renew();
            uint64_t rows = leave_records(path, is_folder, journal);
            was_hit = start_twice(path, is_folder, at, stays);
            lam_log_content content = lam_log_sample_read(log_disk, is_folder ? path : "");
            cr_assert_eq(content.prefix, rows, "way %d, operation %" PRIu64 ": %" PRIu64 " rows",
                         way, at, content.prefix);
            cr_assert_eq(content.records, rows);
            cr_assert_eq(content.other_files, 0);
        }
    }
}

/* The log of one file failed at each start, and a short file was removed. */
Test(log_start, a_journal_that_is_none_is_put_aside) {
    static const char *const texts[] = {
        "mine", "a text that is longer than the head of a journal",
        "LAMJX and a head that is damaged, or from a later version"};
    for (int i = 0; i < 3; i++) {
        char bad[60];
        lam_bytes bytes;
        lam_log_options options = lam_log_options_default();
        options.journal = i != 1;
        lam_model_disk_put(log_disk, "_one.parquet.journal", texts[i], strlen(texts[i]));
        lam_log *log = open_log("one.parquet", false, options);
        lam_log_disk_put(log, 0, 10);
        lam_log_disk_finish(log);
        cr_assert_eq(lam_log_sample_count(log_disk, "one.parquet", 0), 10);
        snprintf(bad, sizeof bad,
                 i == 0 ? "_one.parquet.journal.bad" : "_one.parquet.journal.%d.bad", i + 1);
        cr_assert(lam_model_disk_content(log_disk, bad, &bytes), "%s", bad);
        cr_assert_eq(bytes.size, strlen(texts[i]));
        lam_log_disk_remove("one.parquet");
    }
    static const char journal[] = "logs/_log-20261123T004500Z-00c0ffee12345678.parquet.journal";
    lam_model_disk_put(log_disk, journal, "notes", 5);
    lam_log_disk_finish(open_log("logs", true, lam_log_options_default()));
    cr_assert(lam_log_disk_has("logs/_log-20261123T004500Z-00c0ffee12345678.parquet.journal.bad"));
}

/* The journal that an interrupted start had begun took the place of the one with the rows. */
Test(log_start, a_start_that_has_a_journal_alone_may_be_interrupted) {
    for (uint64_t at = 1;; at++) {
        lam_log_options options = lam_log_options_default();
        lam_log *interrupted = NULL;
        lam_error error = lam_error_none();
        options.journal = true;
        lam_log_disk_leave(open_log("one.parquet", false, options), 0, 0, 50);
        lam_log_disk_remove("_one.parquet.part");
        lam_model_disk_set_fault(
            log_disk, (lam_model_fault){.at = lam_model_disk_counts(log_disk).operations + at,
                                        .stays = true});
        options.clock = &log_timer;
        lam_status status =
            lam_log_disk_try_open("one.parquet", false, options, &interrupted, &error);
        lam_log_close(interrupted);
        lam_log_disk_replace(lam_model_disk_kill(log_disk));
        lam_log_disk_finish(open_log("one.parquet", false, options));
        cr_assert_eq(lam_log_sample_count(log_disk, "one.parquet", 0), 50, "operation %" PRIu64,
                     at);
        lam_log_disk_remove("one.parquet");
        if (status == LAM_STATUS_OK)
            break;
    }
}

/* --- lam_recover ----------------------------------------------------------------------------- */

Test(recover, a_killed_file_and_its_journal_become_one_whole_file) {
    lam_log_options options = lam_log_options_default();
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    options.journal = true;
    lam_log *log = open_log("one.parquet", false, options);
    lam_log_disk_put(log, 0, 300);
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    lam_log_disk_put(log, 300, 33);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    recover.storage = &log_storage;
    cr_assert_eq(lam_recover("_one.parquet.part", "two.parquet", &recover, &found, &error),
                 LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_BUSY);
    lam_log_disk_kill_log(log);
    recover.storage = &log_storage;
    for (int round = 0; round < 4; round++) {
        const char *target = round % 2 == 0 ? "two.parquet" : "three.parquet";
        cr_assert_eq(lam_recover("_one.parquet.part", target, &recover, &found, &error),
                     LAM_STATUS_OK, "%s", error.message);
        cr_assert_eq(found.rows, 300);
        cr_assert_eq(found.journal_rows, 33);
        cr_assert_eq(found.row_groups, 1);
        cr_assert(found.is_complete);
        cr_assert_eq(lam_log_sample_count(log_disk, target, 0), 333);
    }
    /* A target that is another file stays: one with a row more, or with a bit that differs. */
    lam_bytes made;
    uint8_t other[100000];
    cr_assert(lam_model_disk_content(log_disk, "two.parquet", &made));
    cr_assert_lt(made.size, sizeof other);
    memcpy(other, made.data, made.size);
    other[made.size / 2] ^= 1;
    for (int round = 0; round < 2; round++) {
        lam_model_disk_put(log_disk, "other.parquet", other, made.size + (size_t)round);
        cr_assert_eq(lam_recover("_one.parquet.part", "other.parquet", &recover, &found, &error),
                     LAM_STATUS_IO);
        cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS);
    }
}

Test(recover, a_file_whose_name_was_lost_is_in_its_journal) {
    lam_log_options options = lam_log_options_default();
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    options.journal = true;
    lam_log_disk_leave(open_log("one.parquet", false, options), 0, 0, 20);
    recover.storage = &log_storage;
    lam_log_disk_remove("_one.parquet.part");
    cr_assert_eq(lam_recover("_one.parquet.part", "two.parquet", &recover, &found, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(found.journal_rows, 20);
    cr_assert_eq(lam_log_sample_count(log_disk, "two.parquet", 0), 20);
}

/* --- Appending ------------------------------------------------------------------------------- */

Test(append, rows_follow_those_of_a_finished_file) {
    for (int manner = LAM_APPEND_ANEW; manner <= LAM_APPEND_IN_PLACE; manner++) {
        char path[40];
        lam_writer *writer;
        lam_error error = lam_error_none();
        snprintf(path, sizeof path, "file%d.parquet", manner);
        lam_log_disk_file(path, 0, 100);
        for (uint64_t round = 1; round < 4; round++) {
            cr_assert_eq(lam_writer_open_append(path, log_schema, (lam_append_manner)manner,
                                                &log_storage, NULL, &writer, &error),
                         LAM_STATUS_OK, "%s", error.message);
            lam_log_disk_write(writer, round * 100, 50);
            cr_assert_eq(lam_writer_end_row_group(writer, NULL), LAM_STATUS_OK);
            lam_log_disk_write(writer, round * 100 + 50, 50);
            cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_OK, "%s", error.message);
            lam_writer_close(writer);
            cr_assert_eq(lam_log_sample_count(log_disk, path, 0), (round + 1) * 100);
        }
    }
    cr_assert_eq(lam_log_sample_read(log_disk, "").other_files, 0);
}

Test(append, an_append_that_is_given_up_changes_nothing) {
    for (int manner = LAM_APPEND_ANEW; manner <= LAM_APPEND_IN_PLACE; manner++) {
        lam_writer *writer;
        if (manner == LAM_APPEND_ANEW)
            lam_log_disk_file("file.parquet", 0, 100);
        cr_assert_eq(lam_writer_open_append("file.parquet", NULL, (lam_append_manner)manner,
                                            &log_storage, NULL, &writer, NULL),
                     LAM_STATUS_OK);
        lam_log_disk_write(writer, 100, 50);
        cr_assert_eq(lam_writer_end_row_group(writer, NULL), LAM_STATUS_OK);
        lam_writer_close(writer);
        cr_assert_eq(lam_log_sample_count(log_disk, "file.parquet", 0), 100);
        cr_assert_eq(lam_log_sample_read(log_disk, "").other_files, 0);
    }
}

Test(append, a_killed_append_in_place_is_recovered) {
    lam_writer *writer;
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    lam_log_disk_file("file.parquet", 0, 100);
    cr_assert_eq(lam_writer_open_append("file.parquet", NULL, LAM_APPEND_IN_PLACE, &log_storage,
                                        NULL, &writer, NULL),
                 LAM_STATUS_OK);
    lam_log_disk_write(writer, 100, 50);
    cr_assert_eq(lam_writer_end_row_group(writer, NULL), LAM_STATUS_OK);
    lam_log_disk_kill_writer(writer);
    recover.storage = &log_storage;
    cr_assert_eq(lam_recover("file.parquet", "whole.parquet", &recover, &found, &error),
                 LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(lam_log_sample_count(log_disk, "whole.parquet", 0), 150);
}

/* Creates a file of these bytes. */
static void put_bytes(const char *path, const void *bytes, size_t size) {
    lam_storage_file file;
    cr_assert_eq(log_storage.create(log_storage.state, path, &file, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.append(file.state, bytes, size, NULL), LAM_STATUS_OK);
    lam_storage_file_close(&file);
}

/*
 * A note that a kill tore, or that was written before the first byte was appended, was in the way
 * of every later append in place, though the file is whole. Other files of that name stay.
 */
Test(append, a_note_that_nothing_followed_is_not_in_the_way) {
    static const struct {
        const char *bytes;
        size_t size;
        bool is_note;
    } cases[] = {{"", 0, true},
                 {"PLAN\x01\x02\x03", 7, true},
                 {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, true},
                 {"mine", 4, false},
                 {"PLAN for the week", 17, false}};
    lam_log_disk_file("file.parquet", 0, 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_writer *writer;
        lam_error error = lam_error_none();
        put_bytes("_file.parquet.append", cases[i].bytes, cases[i].size);
        cr_assert_eq(lam_writer_open_append("file.parquet", NULL, LAM_APPEND_IN_PLACE, &log_storage,
                                            NULL, &writer, &error),
                     LAM_STATUS_OK, "%s", error.message);
        lam_log_disk_write(writer, 100 + 10 * i, 10);
        lam_status status = lam_writer_finish(writer, &error);
        lam_writer_close(writer);
        cr_assert_eq(status, cases[i].is_note ? LAM_STATUS_OK : LAM_STATUS_IO, "case %zu", i);
        if (cases[i].is_note)
            continue;
        cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS);
        cr_assert_eq(lam_log_sample_count(log_disk, "file.parquet", 0), 130);
        lam_log_disk_remove("_file.parquet.append");
    }
}

Test(append, another_schema_is_refused_by_its_first_field) {
    lam_writer *writer;
    lam_error error = lam_error_none();
    lam_schema *other = lam_test_schema("message m { required int32 number; }");
    lam_log_disk_file("file.parquet", 0, 10);
    cr_assert_eq(lam_writer_open_append("file.parquet", other, LAM_APPEND_ANEW, &log_storage, NULL,
                                        &writer, &error),
                 LAM_STATUS_INVALID);
    cr_assert(strstr(error.message, "field '") != NULL &&
                  strstr(error.message, "in the schema that is given") != NULL,
              "%s", error.message);
    lam_schema_destroy(other);
    cr_assert_eq(lam_log_sample_count(log_disk, "file.parquet", 0), 10);
}
