/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovery of what a writer left, on disks that are made once for each kind of leftover. Each
 * operation of a copy of the disk fails, and each allocation, once and with all behind it: the file
 * that comes out is the one without a failure, byte by byte, or the failure is reported, and trying
 * again makes that file.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <lamella/log.h>
#include <lamella/recover.h>
#include <lamella/stop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "file/file_sample.h"
#include "log/folder/append_note.h"
#include "log/log_disk.h"
#include "log/log_sample.h"
#include "meta/compact.h"
#include "support/failing_alloc.h"
#include "support/whole_footer.h"

enum { OLD = 100, MORE = 50 };

TestSuite(recover, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

/* --- Leftovers ------------------------------------------------------------------------------- */

/* Records in a row group, and more in the journal alone, of a log of one file. */
static void leave_log(const char *path, uint64_t rows, uint64_t more) {
    static const lam_log_key_value pairs[] = {{"made by", "a test"}, {"empty", ""}};
    lam_log_options options = lam_log_options_default();
    options.journal = true;
    options.key_values = pairs;
    options.key_value_count = 2;
    lam_log_disk_leave(lam_log_disk_open(path, false, options), 0, rows, more);
}

/* Beside it are a journal of another file, one that is none, and a folder of such a name. */
static void leave_part(void) {
    lam_log_disk_make_folder("logs");
    lam_log_disk_make_folder("logs/day=1");
    leave_log("logs/day=1/one.parquet", OLD, MORE);
    leave_log("logs/day=1/other.parquet", OLD, MORE);
    lam_model_disk_put(log_disk, "logs/day=1/notes.journal", "notes", 5);
    lam_log_disk_make_folder("logs/day=1/a.journal");
}

/* The target is there already: the same bytes are made again. */
static void leave_part_and_target(void) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    leave_part();
    options.storage = &log_storage;
    cr_assert_eq(lam_recover("logs/day=1/_one.parquet.part", "new.parquet", &options, &found, NULL),
                 LAM_STATUS_OK);
}

static void leave_journal(void) {
    leave_log("one.parquet", 0, MORE);
    lam_log_disk_remove("_one.parquet.part");
}

/* A finished file without records of its row groups, of which there are two. */
static lam_buffer plain_file(void) {
    lam_test_writer file = lam_test_write_as(log_schema, NULL);
    cr_assert_eq(lam_log_sample_put(&file.sink, log_schema, 0, OLD / 2, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_sample_put(&file.sink, log_schema, OLD / 2, OLD / 2, NULL), LAM_STATUS_OK);
    return lam_test_written(&file);
}

static void leave_finished(void) {
    lam_buffer bytes = plain_file();
    lam_model_disk_put(log_disk, "one.parquet", bytes.data, bytes.size);
    lam_buffer_finish(&bytes);
}

/* Records in place behind a file; with `finishes`, up to the removal of the note. */
static void append_in_place(bool finishes) {
    lam_writer *writer;
    lam_bytes whole;
    cr_assert(lam_model_disk_content(log_disk, "one.parquet", &whole));
    uint64_t size = whole.size;
    cr_assert_eq(lam_writer_open_append("one.parquet", NULL, LAM_APPEND_IN_PLACE, &log_storage,
                                        NULL, &writer, NULL),
                 LAM_STATUS_OK);
    lam_log_disk_write(writer, OLD, MORE);
    if (finishes)
        cr_assert_eq(lam_writer_finish(writer, NULL), LAM_STATUS_OK);
    else
        cr_assert_eq(lam_writer_end_row_group(writer, NULL), LAM_STATUS_OK);
    lam_log_disk_kill_writer(writer);
    if (finishes)
        cr_assert_eq(lam_append_note_write(&log_storage, "_one.parquet.append", "", size, NULL),
                     LAM_STATUS_OK);
}

static void leave_append(void) {
    leave_finished();
    append_in_place(false);
}

static uint8_t *bytes_to_change(const char *path, size_t *ret_size) {
    lam_bytes bytes;
    cr_assert(lam_model_disk_content(log_disk, path, &bytes));
    *ret_size = bytes.size;
    return (uint8_t *)(uintptr_t)bytes.data;
}

/* The footer behind the append is there, and pages before it are not. */
static void leave_torn_append(void) {
    size_t whole, size;
    leave_finished();
    (void)bytes_to_change("one.parquet", &whole);
    append_in_place(true);
    uint8_t *bytes = bytes_to_change("one.parquet", &size);
    memset(bytes + whole + 60, 0, 40);
}

/* The medium damaged a page of the second row group, which the old footer states. */
static void leave_damaged_append(void) {
    size_t size;
    leave_append();
    lam_buffer old = plain_file();
    lam_footer_change footer;
    lam_reader *reader = lam_test_open(old.data, old.size, NULL);
    lam_footer_change_begin(&footer, reader);
    int64_t at = lam_footer_change_column(&footer, 1, 0)->data_page_offset;
    lam_footer_change_end(&footer);
    lam_reader_close(reader);
    lam_buffer_finish(&old);
    uint8_t *bytes = bytes_to_change("one.parquet", &size);
    memset(bytes + at, 0xFF, 40);
}

static void append_bytes(lam_buffer *to, const void *bytes, size_t size) {
    cr_assert_eq(lam_buffer_append(to, bytes, size, NULL), LAM_STATUS_OK);
}

static void append_footer(lam_buffer *to, const lam_meta_file *meta) {
    size_t before = to->size;
    cr_assert_eq(lam_meta_write_file(meta, to, NULL), LAM_STATUS_OK);
    uint8_t size[4];
    lam_store_le32(size, (uint32_t)(to->size - before));
    append_bytes(to, size, sizeof size);
    append_bytes(to, "PAR1", 4);
}

/* Says that the row groups from `first` on lie `moved` bytes further on. */
static void move_row_groups(lam_footer_change *change, size_t first, size_t moved) {
    for (size_t i = first; i < 2; i++)
        for (size_t leaf = 0; leaf < lam_schema_leaf_count(log_schema); leaf++) {
            lam_meta_column_chunk *chunk = lam_footer_change_chunk(change, i, leaf);
            lam_meta_column *column = lam_footer_change_column(change, i, leaf);
            chunk->has &= ~(uint32_t)(LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                                      LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET);
            column->data_page_offset += (int64_t)moved;
            column->dictionary_page_offset += (int64_t)moved;
        }
}

/*
 * The file of another program, with bytes before the first row group, or before the second one,
 * that belong to no page: a walk ends there. Before the second one there is a footer, too.
 */
static void put_foreign_file(size_t row_group) {
    static const uint8_t gap[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    const lam_allocator allocator = lam_allocator_default();
    lam_footer_change change;
    lam_buffer file = plain_file(), made;
    lam_reader *reader = lam_test_open(file.data, file.size, NULL);
    lam_footer_change_begin(&change, reader);
    const lam_meta_column *first = lam_footer_change_column(&change, row_group, 0);
    size_t at = (size_t)((first->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0
                             ? first->dictionary_page_offset
                             : first->data_page_offset);
    lam_buffer_init(&made, &allocator);
    append_bytes(&made, file.data, at);
    if (row_group == 1) {
        lam_meta_file old = change.meta;
        old.row_groups.count = 1;
        old.num_rows = OLD / 2;
        append_footer(&made, &old);
    }
    append_bytes(&made, gap, sizeof gap);
    move_row_groups(&change, row_group, made.size - at);
    append_bytes(&made, file.data + at, reader->footer.offset - at);
    append_footer(&made, &change.meta);
    lam_footer_change_end(&change);
    lam_reader_close(reader);
    lam_model_disk_put(log_disk, "one.parquet", made.data, made.size);
    lam_buffer_finish(&made);
    lam_buffer_finish(&file);
}

static void leave_foreign_append(void) {
    put_foreign_file(0);
    append_in_place(false);
}

static void leave_foreign_append_with_two_footers(void) {
    put_foreign_file(1);
    append_in_place(false);
}

static const struct {
    const char *name;
    void (*leave)(void);
    const char *path;
    uint64_t rows; /* that can be had */
    bool in_place; /* too */
} leftovers[] = {
    {"part and journal", leave_part, "logs/day=1/_one.parquet.part", OLD + MORE, false},
    {"part and target", leave_part_and_target, "logs/day=1/_one.parquet.part", OLD + MORE, false},
    {"journal alone", leave_journal, "_one.parquet.part", MORE, false},
    {"finished file", leave_finished, "one.parquet", OLD, false},
    {"append", leave_append, "one.parquet", OLD + MORE, true},
    {"torn append", leave_torn_append, "one.parquet", OLD, true},
    {"damaged append", leave_damaged_append, "one.parquet", OLD, true},
    {"append to another program's file", leave_foreign_append, "one.parquet", OLD, true},
    {"append to one with two footers", leave_foreign_append_with_two_footers, "one.parquet", OLD,
     true},
};
enum { LEFTOVERS = sizeof leftovers / sizeof leftovers[0] };

/* --- Recovering ------------------------------------------------------------------------------ */

/* One recovery on a copy of the disk. */
typedef struct recovery_run {
    lam_model_disk *copy;
    lam_recover_options options;
    lam_storage storage;
    lam_recovery found;
    lam_error error;
    lam_status status;
} recovery_run;

static void begin_run(recovery_run *run, lam_model_disk *of) {
    *run = (recovery_run){.copy = lam_model_disk_kill(of)};
    run->options = lam_recover_options_default();
    run->storage = lam_model_disk_storage(run->copy);
    run->options.storage = &run->storage;
}

/* The place for the error is missing in every other run. */
static void recover_now(recovery_run *run, size_t which, const char *target, bool has_error) {
    run->found = lam_recovery_default();
    run->error = lam_error_none();
    run->status = lam_recover(leftovers[which].path, target, &run->options, &run->found,
                              has_error ? &run->error : NULL);
}

/* What comes out without a failure. */
static lam_buffer expected_bytes(size_t which, const char *target) {
    const lam_allocator allocator = lam_allocator_default();
    recovery_run run;
    lam_buffer expected;
    lam_bytes bytes;
    begin_run(&run, log_disk);
    recover_now(&run, which, target, true);
    cr_assert_eq(run.status, LAM_STATUS_OK, "%s: %s", leftovers[which].name, run.error.message);
    cr_assert_eq(run.found.rows + run.found.journal_rows, leftovers[which].rows, "%s: %" PRIu64,
                 leftovers[which].name, run.found.rows + run.found.journal_rows);
    cr_assert(lam_model_disk_content(run.copy, target, &bytes));
    lam_buffer_init(&expected, &allocator);
    cr_assert_eq(lam_buffer_append(&expected, bytes.data, bytes.size, NULL), LAM_STATUS_OK);
    lam_model_disk_destroy(run.copy);
    return expected;
}

static void expect_made(const recovery_run *run, const char *target, const lam_buffer *expected,
                        const char *label) {
    lam_bytes bytes;
    cr_assert(lam_model_disk_content(run->copy, target, &bytes), "%s: nothing is made", label);
    cr_assert_eq(bytes.size, expected->size, "%s: %zu bytes instead of %zu", label, bytes.size,
                 expected->size);
    cr_assert_arr_eq(bytes.data, expected->data, bytes.size, "%s: other bytes", label);
}

/* A failure is one of `status`; the next try, without one, makes the file unless it is made. */
static void check_run(recovery_run *run, size_t which, const char *target,
                      const lam_buffer *expected, lam_status status, const char *label) {
    lam_bytes note;
    lam_model_disk_set_fault(run->copy, (lam_model_fault){0});
    run->options.allocator = NULL;
    if (run->status != LAM_STATUS_OK) {
        cr_assert_eq(run->status, status, "%s: status %d: %s", label, (int)run->status,
                     run->error.message);
        /* In place without a note, only the last sync of the folder failed. */
        if (strcmp(leftovers[which].path, target) != 0 ||
            lam_model_disk_content(run->copy, "_one.parquet.append", &note))
            recover_now(run, which, target, true);
    }
    expect_made(run, target, expected, label);
    lam_model_disk_destroy(run->copy);
}

/* Other bytes come of a failure that nobody reports. */
static void sweep(size_t which, const char *target, bool stays, bool is_memory) {
    lam_buffer expected = expected_bytes(which, target);
    bool was_hit = true;
    for (uint64_t at = 1; was_hit; at += lam_test_step()) {
        char label[100];
        recovery_run run;
        lam_failing_alloc counter = {.fail_at = is_memory ? (size_t)at : 0, .fails_on = stays};
        lam_allocator allocator = lam_failing_allocator(&counter);
        snprintf(label, sizeof label, "%s, %s %" PRIu64 "%s", leftovers[which].name,
                 is_memory ? "allocation" : "operation", at, stays ? " and all behind it" : "");
        begin_run(&run, log_disk);
        run.options.allocator = &allocator;
        uint64_t before = lam_model_disk_counts(run.copy).operations;
        lam_model_disk_set_fault(
            run.copy, (lam_model_fault){.at = is_memory ? 0 : before + at, .stays = stays});
        recover_now(&run, which, target, (at + stays) % 2 == 0);
        was_hit = is_memory ? counter.requests >= at
                            : lam_model_disk_counts(run.copy).operations >= before + at;
        cr_assert_eq(counter.live_bytes, 0, "%s", label);
        check_run(&run, which, target, &expected, is_memory ? LAM_STATUS_NOMEM : LAM_STATUS_IO,
                  label);
    }
    lam_buffer_finish(&expected);
}

static void sweep_all(bool is_memory) {
    for (size_t i = 0; i < LEFTOVERS; i++) {
        leftovers[i].leave();
        for (int stays = 0; stays < 2; stays++) {
            sweep(i, "new.parquet", stays == 1, is_memory);
            if (leftovers[i].in_place)
                sweep(i, leftovers[i].path, stays == 1, is_memory);
        }
        lam_log_disk_renew();
    }
}

Test(recover, an_operation_that_fails_is_reported_and_the_next_try_makes_the_file) {
    sweep_all(false);
}

Test(recover, memory_that_runs_out_is_reported_and_the_next_try_makes_the_file) {
    sweep_all(true);
}

/* --- What is said of it ---------------------------------------------------------------------- */

static lam_recovery recover_part(const char *target) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    options.storage = &log_storage;
    cr_assert_eq(lam_recover("_one.parquet.part", target, &options, &found, &error), LAM_STATUS_OK,
                 "%s", error.message);
    return found;
}

Test(recover, a_journal_that_is_cut_or_damaged_loses_bytes) {
    size_t size;
    leave_log("one.parquet", OLD, MORE);
    cr_assert(recover_part("whole.parquet").is_complete);
    for (size_t cut = 0; cut < 2; cut++) {
        uint8_t *bytes = bytes_to_change("_one.parquet.journal", &size), copy[20000];
        cr_assert_leq(size, sizeof copy);
        memcpy(copy, bytes, size);
        copy[size - 1] ^= cut == 0;
        lam_model_disk_put(log_disk, "_one.parquet.journal", copy, size - cut);
        lam_recovery found = recover_part(cut == 0 ? "damaged.parquet" : "cut.parquet");
        cr_assert_not(found.is_complete);
        cr_assert_gt(found.lost_bytes, 0);
        cr_assert_lt(found.journal_rows, MORE);
    }
}

/* Its rows follow some that are in no file any more. */
Test(recover, a_journal_that_begins_behind_the_file_gives_no_rows) {
    leave_log("one.parquet", OLD, MORE);
    lam_model_disk_put(log_disk, "_one.parquet.part", "PAR1", 4);
    lam_recovery found = recover_part("new.parquet");
    cr_assert_eq(found.rows + found.journal_rows, 0);
    cr_assert_not(found.is_complete);
}

/* A cut of the journal that did not reach the disk: frames of before lie behind the present ones,
 * which have the same sizes. */
Test(recover, frames_from_before_a_cut_of_the_journal_are_no_loss) {
    enum { ALIKE = 105 }; /* records later; the same fields are NULL, and lists as long */
    lam_log_options options = lam_log_options_default();
    lam_bytes before, now;
    options.journal = true;
    lam_log *log = lam_log_disk_open("one.parquet", false, options);
    for (uint64_t i = 0; i < 2; i++) {
        lam_log_disk_put(log, ALIKE, MORE);
        cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    }
    cr_assert(lam_model_disk_content(log_disk, "_one.parquet.journal", &before));
    uint8_t *frames = malloc(before.size);
    cr_assert_not_null(frames);
    memcpy(frames, before.data, before.size);
    size_t size = before.size;
    cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    lam_log_disk_put(log, 2 * ALIKE, MORE);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    lam_log_disk_kill_log(log);
    cr_assert(lam_model_disk_content(log_disk, "_one.parquet.journal", &now));
    cr_assert_lt(now.size, size);
    memcpy(frames, now.data, now.size);
    lam_model_disk_put(log_disk, "_one.parquet.journal", frames, size);
    lam_recovery found = recover_part("new.parquet");
    cr_assert_eq(found.rows, 2 * MORE);
    cr_assert_eq(found.journal_rows, MORE);
    cr_assert(found.is_complete);
    cr_assert_eq(found.lost_bytes, 0);
    free(frames);
}

static lam_status keep_name(void *state, const lam_storage_entry *entry, lam_error *error) {
    char *name = state;
    (void)error;
    if (strstr(entry->name, ".parquet") != NULL)
        snprintf(name, 100, "%s", entry->name);
    return LAM_STATUS_OK;
}

/* The journal goes on, for files that are open. */
Test(recover, a_finished_file_whose_journal_goes_on_is_copied_as_it_is) {
    lam_log_options options = lam_log_options_default();
    lam_recover_options recover = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    lam_bytes made, original;
    char name[100] = "", path[200];
    options.journal = true;
    options.partition_by = "at";
    options.partition_format = "hour=%H";
    options.open_files = 1;
    lam_log *log = lam_log_disk_open("logs", true, options);
    lam_log_disk_put(log, 0, 150);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    lam_log_disk_put(log, 150, 10);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    lam_log_disk_kill_log(log);
    time_t first = (time_t)(lam_log_sample_time(0) / 1000000);
    snprintf(path, sizeof path, "logs/hour=%02d", (int)(first / 3600 % 24));
    cr_assert_eq(log_storage.list(log_storage.state, path, keep_name, name, NULL), LAM_STATUS_OK);
    snprintf(path + strlen(path), 120, "/%s", name);
    cr_assert_null(strstr(name, ".part."), "%s", name);
    recover.storage = &log_storage;
    cr_assert_eq(lam_recover(path, "new.parquet", &recover, &found, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert(found.has_footer);
    cr_assert_eq(found.rows, 100);
    cr_assert(lam_model_disk_content(log_disk, path, &original));
    cr_assert(lam_model_disk_content(log_disk, "new.parquet", &made));
    cr_assert_eq(made.size, original.size);
    cr_assert_arr_eq(made.data, original.data, made.size);
}

/* --- Refusals -------------------------------------------------------------------------------- */

Test(recover, a_file_that_is_being_written_is_read_only_if_the_options_say_so) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    lam_storage_file file;
    uint64_t size;
    leave_log("one.parquet", OLD, MORE);
    options.storage = &log_storage;
    cr_assert_eq(log_storage.open(log_storage.state, "_one.parquet.part", &file, &size, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_recover("_one.parquet.part", "new.parquet", &options, &found, NULL),
                 LAM_STATUS_IO);
    cr_assert_eq(lam_recover("_one.parquet.part", "new.parquet", &options, &found, &error),
                 LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_BUSY, "%s", error.message);
    options.ignores_locks = true;
    cr_assert_eq(lam_recover("_one.parquet.part", "new.parquet", &options, &found, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(found.rows + found.journal_rows, OLD + MORE);
    lam_storage_file_close(&file);
}

/* The note and the file stay as they are. */
Test(recover, a_file_without_a_row_group_is_not_replaced) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    lam_bytes bytes;
    size_t size;
    leave_append();
    uint8_t *changed = bytes_to_change("one.parquet", &size);
    memset(changed, 0, size);
    options.storage = &log_storage;
    for (int i = 0; i < 4; i++) { /* there, or elsewhere */
        const char *to = i < 2 ? "one.parquet" : "new.parquet";
        lam_error *why = i % 2 == 0 ? NULL : &error;
        cr_assert_eq(lam_recover("one.parquet", to, &options, &found, why), LAM_STATUS_CORRUPT);
    }
    cr_assert_eq(error.code, LAM_ERROR_CODE_FOOTER, "%s", error.message);
    cr_assert(!lam_log_disk_has("new.parquet"));
    cr_assert(lam_model_disk_content(log_disk, "one.parquet", &bytes) && bytes.size == size);
    cr_assert(lam_log_disk_has("_one.parquet.append"));
}

/* Notes of earlier builds have no mark before their names. */
Test(recover, an_append_that_an_earlier_build_began_is_refused_and_recovered) {
    lam_error error = lam_error_none();
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_writer *writer;
    leave_append();
    cr_assert_eq(
        log_storage.rename(log_storage.state, "_one.parquet.append", "one.parquet.append", NULL),
        LAM_STATUS_OK);
    cr_expect_eq(lam_writer_open_append("one.parquet", NULL, LAM_APPEND_IN_PLACE, &log_storage,
                                        NULL, &writer, &error),
                 LAM_STATUS_IO);
    cr_expect(strstr(error.message, "one.parquet.append: an append was interrupted") != NULL, "%s",
              error.message);
    options.storage = &log_storage;
    cr_assert_eq(lam_recover("one.parquet", "one.parquet", &options, &found, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_expect(!lam_log_disk_has("one.parquet.append"));
    cr_expect_geq(found.rows, OLD);
}

/* A request to stop says nothing about the file: what was appended is not given up. */
Test(recover, a_request_to_stop_ends_it_and_makes_nothing) {
    lam_stop stop_now = {0};
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    leave_append();
    lam_stop_request(&stop_now);
    options.storage = &log_storage;
    options.stop = &stop_now;
    cr_assert_eq(lam_recover("one.parquet", "new.parquet", &options, &found, NULL),
                 LAM_STATUS_CANCELLED);
    cr_assert(!lam_log_disk_has("new.parquet"));
}

Test(recover, what_is_missing_or_of_an_impossible_size_is_invalid) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    leave_finished();
    options.storage = &log_storage;
    cr_assert_eq(lam_recover(NULL, "new.parquet", &options, &found, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no path to recover (NULL)");
    cr_assert_eq(lam_recover("one.parquet", NULL, &options, &found, &error), LAM_STATUS_INVALID);
    found.struct_size = 1;
    cr_assert_eq(lam_recover("one.parquet", "x", &options, &found, NULL), LAM_STATUS_INVALID);
    found = lam_recovery_default();
    options.struct_size = 1;
    cr_assert_eq(lam_recover("one.parquet", "x", &options, &found, NULL), LAM_STATUS_INVALID);
}
