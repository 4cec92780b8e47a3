/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupted appends in place, and recovery in place. The file has 100 records, and 50 more in an
 * interrupted append.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/log.h>
#include <lamella/recover.h>
#include <string.h>

#include "log/folder/append_note.h"
#include "log/log_disk.h"
#include "log/log_sample.h"
#include "support/failing_alloc.h"

#define FILE_PATH "file.parquet"
#define NOTE_PATH "_file.parquet.append"

static uint64_t whole_size; /* of the file with 100 records */

static uint64_t size_of(const char *path) {
    lam_bytes bytes;
    cr_assert(lam_model_disk_content(log_disk, path, &bytes), "%s", path);
    return bytes.size;
}

static lam_status open_again(lam_append_manner manner, lam_writer **ret_writer, lam_error *error) {
    return lam_writer_open_append(FILE_PATH, NULL, manner, &log_storage, NULL, ret_writer, error);
}

static void start(void) {
    lam_log_disk_start();
    lam_log_disk_file(FILE_PATH, 0, 100);
    whole_size = size_of(FILE_PATH);
}

TestSuite(append, .init = start, .fini = lam_log_disk_stop);

/* Records 100 to 149 in place; with `finishes`, up to the last call of the storage. */
static void interrupt_append(bool finishes) {
    lam_writer *writer;
    cr_assert_eq(open_again(LAM_APPEND_IN_PLACE, &writer, NULL), LAM_STATUS_OK);
    lam_log_disk_write(writer, 100, 50);
    if (finishes)
        cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    else
        cr_assert_eq(lam_writer_end_row_group(writer, NULL), LAM_STATUS_OK);
    lam_log_disk_kill_writer(writer);
    if (finishes)
        cr_assert_eq(lam_append_note_write(&log_storage, NOTE_PATH, "", whole_size, NULL),
                     LAM_STATUS_OK);
}

/* The next append works, and nothing but the file is left. */
static void expect_goes_on(uint64_t records) {
    for (int manner = LAM_APPEND_ANEW; manner <= LAM_APPEND_IN_PLACE; manner++) {
        lam_writer *writer;
        lam_error error = lam_error_none();
        cr_assert_eq(open_again((lam_append_manner)manner, &writer, &error), LAM_STATUS_OK, "%s",
                     error.message);
        lam_log_disk_write(writer, records, 10);
        cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_OK, "%s", error.message);
        lam_writer_close(writer);
        records += 10;
        cr_assert_eq(lam_log_sample_count(log_disk, FILE_PATH, 0), records);
        cr_assert_eq(lam_log_sample_read(log_disk, "").other_files, 0);
    }
}

static void expect_refused(void) {
    for (int manner = LAM_APPEND_ANEW; manner <= LAM_APPEND_IN_PLACE; manner++) {
        lam_writer *writer;
        lam_error error = lam_error_none();
        cr_assert_eq(open_again((lam_append_manner)manner, &writer, &error), LAM_STATUS_IO);
        cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS);
        cr_assert_str_eq(error.message,
                         NOTE_PATH ": an append was interrupted: recover the file first, in place");
    }
}

static lam_status recover_to(const char *target, lam_recovery *ret_found, lam_error *error) {
    lam_recover_options options = lam_recover_options_default();
    options.storage = &log_storage;
    return lam_recover(FILE_PATH, target, &options, ret_found, error);
}

/* --- Row groups that are copied -------------------------------------------------------------- */

static lam_reader *open_reader(const char *path, lam_error *error) {
    lam_input input;
    lam_reader *reader;
    cr_assert_eq(log_storage.open_input(log_storage.state, path, &input, NULL), LAM_STATUS_OK);
    if (lam_reader_open(&input, NULL, &reader, error) == LAM_STATUS_OK)
        return reader;
    lam_input_close(&input);
    return NULL;
}

/* Appends records 100 to 119 in place; from the operation `fails_at` behind the opening on the disk
 * is gone. */
static bool append_a_copy(uint64_t fails_at) {
    lam_writer *writer;
    lam_log_disk_file("more.parquet", 100, 20);
    lam_reader *reader = open_reader("more.parquet", NULL);
    cr_assert_not_null(reader);
    cr_assert_eq(open_again(LAM_APPEND_IN_PLACE, &writer, NULL), LAM_STATUS_OK);
    uint64_t before = lam_model_disk_counts(log_disk).operations;
    lam_model_disk_set_fault(log_disk, (lam_model_fault){.at = before + fails_at, .stays = true});
    bool is_whole = lam_writer_copy_row_groups(writer, reader, 0, 1, NULL) == LAM_STATUS_OK &&
                    lam_writer_finish(writer, NULL) == LAM_STATUS_OK;
    lam_writer_close(writer);
    lam_reader_close(reader);
    return is_whole;
}

static void recover_unless_whole(uint64_t *recovered) {
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    lam_reader *reader = open_reader(FILE_PATH, NULL);
    if (reader == NULL) {
        cr_assert_eq(recover_to(FILE_PATH, &found, &error), LAM_STATUS_OK, "%s", error.message);
        (*recovered)++;
    }
    lam_reader_close(reader);
}

/* The note came behind the first bytes that were copied: a disk that failed before it left a file
 * without a footer at its end, which recovery refused for want of a note. */
Test(append, bytes_that_are_copied_in_place_come_behind_the_note) {
    bool is_whole = false;
    uint64_t recovered = 0;
    for (uint64_t at = 1; !is_whole; at++) {
        lam_log_disk_stop();
        start();
        is_whole = append_a_copy(at);
        lam_log_disk_replace(lam_model_disk_kill(log_disk));
        recover_unless_whole(&recovered);
        uint64_t records = lam_log_sample_count(log_disk, FILE_PATH, 0);
        cr_assert(records == 100 || records == 120);
        cr_assert_leq(at, 100);
    }
    cr_assert_gt(recovered, 0);
}

/* The note had to be removed by hand. */
Test(append, a_file_that_is_recovered_in_place_goes_on) {
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    interrupt_append(false);
    expect_refused();
    cr_assert_eq(recover_to(FILE_PATH, &found, &error), LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(found.rows, 150);
    cr_assert_eq(lam_log_sample_count(log_disk, FILE_PATH, 0), 150);
    cr_assert_eq(lam_log_sample_read(log_disk, "").other_files, 0);
    expect_goes_on(150);
}

/*
 * A file with a footer at its end was taken for whole: its page indexes may have been lost in a
 * power cut, and then deny rows that are there.
 */
Test(append, a_file_that_looks_whole_is_recovered_first) {
    lam_recovery found = lam_recovery_default();
    interrupt_append(true);
    expect_refused();
    cr_assert_eq(recover_to(FILE_PATH, &found, NULL), LAM_STATUS_OK);
    cr_assert_eq(found.rows, 150);
    cr_assert_eq(lam_log_sample_read(log_disk, "").other_files, 0);
    expect_goes_on(150);
}

Test(append, a_recovered_file_that_takes_the_name_goes_on_without_the_note) {
    lam_recovery found = lam_recovery_default();
    interrupt_append(false);
    cr_assert_eq(recover_to("new.parquet", &found, NULL), LAM_STATUS_OK);
    expect_refused(); /* the original stays as it is */
    cr_assert_eq(log_storage.replace(log_storage.state, "new.parquet", FILE_PATH, NULL),
                 LAM_STATUS_OK);
    expect_refused();
    cr_assert_eq(recover_to(FILE_PATH, &found, NULL), LAM_STATUS_OK);
    expect_goes_on(150);
}

/* A power cut may keep the footer and lose pages before it. */
Test(append, a_footer_behind_pages_that_are_damaged_is_not_believed) {
    lam_recovery found = lam_recovery_default();
    lam_bytes bytes;
    interrupt_append(true);
    cr_assert(lam_model_disk_content(log_disk, FILE_PATH, &bytes));
    memset((uint8_t *)(uintptr_t)bytes.data + whole_size + 60, 0, 40);
    expect_refused();
    cr_assert_eq(recover_to(FILE_PATH, &found, NULL), LAM_STATUS_OK);
    cr_assert_not(found.is_complete);
    cr_assert_eq(lam_log_sample_count(log_disk, FILE_PATH, 0), 100);
    expect_goes_on(100);
}

/* Where the path of the note found no memory, the footer was believed, with its page indexes. */
Test(append, the_note_counts_whenever_memory_runs_out) {
    lam_status status = LAM_STATUS_NOMEM;
    interrupt_append(true);
    for (size_t at = 1; status != LAM_STATUS_OK; at++) {
        lam_failing_alloc failing = {.fail_at = at};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_recover_options options = lam_recover_options_default();
        lam_recovery found = lam_recovery_default();
        options.storage = &log_storage;
        options.allocator = &allocator;
        status = lam_recover(FILE_PATH, "new.parquet", &options, &found, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "allocation %zu", at);
        cr_assert_not(found.has_footer, "allocation %zu", at);
        cr_assert_eq(failing.live_bytes, 0);
        if (lam_log_disk_has("new.parquet")) {
            cr_assert_eq(lam_log_sample_count(log_disk, "new.parquet", 0), 150, "allocation %zu",
                         at);
            lam_log_disk_remove("new.parquet");
        }
    }
}

Test(append, files_without_a_note_are_not_recovered_in_place) {
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    cr_assert_eq(recover_to(FILE_PATH, &found, &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_EXISTS);
    cr_assert_eq(size_of(FILE_PATH), whole_size);
}

/*
 * Each operation fails once, and a kill or a power cut follows: what is left is recovered. A read
 * that failed made recovery fall back to the old row groups.
 */
Test(append, recovery_in_place_may_be_interrupted) {
    bool was_hit = true;
    for (uint64_t at = 1; was_hit; at++) {
        lam_random random = lam_random_start(at);
        lam_recovery found = lam_recovery_default();
        lam_error error = lam_error_none();
        interrupt_append(false);
        lam_model_disk_sync(log_disk);
        uint64_t before = lam_model_disk_counts(log_disk).operations;
        lam_model_disk_set_fault(log_disk,
                                 (lam_model_fault){.at = before + at, .os_error = ENOSPC});
        lam_status status = recover_to(FILE_PATH, &found, NULL);
        was_hit = lam_model_disk_counts(log_disk).operations >= before + at;
        lam_log_disk_replace(at % 2 == 0 ? lam_model_disk_kill(log_disk)
                                         : lam_model_disk_crash(log_disk, &random));
        if (lam_log_disk_has(NOTE_PATH))
            status = recover_to(FILE_PATH, &found, &error);
        cr_assert(status == LAM_STATUS_OK || !lam_log_disk_has(NOTE_PATH), "operation %d: %s",
                  (int)at, error.message);
        cr_assert_eq(lam_log_sample_count(log_disk, FILE_PATH, 0), 150, "operation %d", (int)at);
        expect_goes_on(150);
        lam_log_disk_stop();
        start();
    }
}

/* --- Opening --------------------------------------------------------------------------------- */

/* Each request while an append is opened; the file stays as it is, or goes on. */
Test(append, an_append_that_finds_no_memory_changes_nothing) {
    for (int manner = LAM_APPEND_ANEW; manner <= LAM_APPEND_IN_PLACE; manner++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t at = 1; status != LAM_STATUS_OK; at++) {
            lam_failing_alloc failing = {.fail_at = at};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_writer_options options = lam_writer_options_default();
            lam_writer *writer;
            lam_error error = lam_error_none();
            options.allocator = &allocator;
            options.compat = LAM_COMPAT_MODERN;
            status = lam_writer_open_append(FILE_PATH, NULL, (lam_append_manner)manner,
                                            &log_storage, &options, &writer, &error);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "request %zu: %s", at,
                      error.message);
            if (status == LAM_STATUS_OK)
                lam_writer_close(writer);
            cr_assert_eq(failing.live_bytes, 0, "request %zu", at);
            cr_assert_eq(size_of(FILE_PATH), whole_size);
            cr_assert_eq(lam_log_sample_read(log_disk, "").other_files, 0, "request %zu", at);
        }
    }
}

/* A folder that has the name of a note is none. */
Test(append, a_folder_by_the_name_of_a_note_is_not_in_the_way) {
    lam_writer *writer;
    lam_error error = lam_error_none();
    lam_log_disk_make_folder(NOTE_PATH);
    cr_assert_eq(open_again(LAM_APPEND_ANEW, &writer, &error), LAM_STATUS_OK, "%s", error.message);
    lam_log_disk_write(writer, 100, 10);
    cr_assert_eq(lam_writer_finish(writer, &error), LAM_STATUS_OK, "%s", error.message);
    lam_writer_close(writer);
    cr_assert_eq(lam_log_sample_count(log_disk, FILE_PATH, 0), 110);
}

Test(append, what_is_missing_or_out_of_range_is_invalid) {
    lam_writer_options options = lam_writer_options_default();
    lam_writer *writer;
    lam_error error = lam_error_none();
    cr_assert_eq(
        lam_writer_open_append(NULL, NULL, LAM_APPEND_ANEW, &log_storage, NULL, &writer, &error),
        LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no path (NULL)");
    cr_assert_eq(open_again((lam_append_manner)9, &writer, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "manner 9 is none of lam_append_manner");
    options.struct_size = 1;
    cr_assert_eq(lam_writer_open_append(FILE_PATH, NULL, LAM_APPEND_ANEW, &log_storage, &options,
                                        &writer, &error),
                 LAM_STATUS_INVALID);
    /* Without a storage, the path is one of the system's files. */
    cr_assert_eq(lam_writer_open_append("/tmp/lamella-none/none.parquet", NULL, LAM_APPEND_ANEW,
                                        NULL, NULL, &writer, &error),
                 LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_MISSING, "%s", error.message);
}
