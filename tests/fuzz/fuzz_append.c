/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends records to any file, anew and in place, on a disk on which an operation may fail. A file
 * that was appended to opens, and has its records and the new ones; what fails leaves it as it was,
 * or, in place, as one that recovery makes the same again. (any_file.h)
 */
#include <lamella/recover.h>
#include <stdlib.h>

#include "fuzz/any_file.h"
#include "fuzz/any_record.h"
#include "fuzz/any_rows.h"
#include "fuzz/harness.h"
#include "support/model_disk.h"

enum { CELLS_MAX = 100000, RECORDS_MOST = 30, OPERATIONS = 40 };

typedef struct append_trial {
    const lam_fuzz_file *file;
    lam_allocator allocator;
    lam_random dice;
    lam_model_disk *disk;
    lam_storage storage;
    lam_append_manner manner;
    bool has_fault; /* an operation of the disk fails */
    bool is_sound;  /* `check` finds no error in the file */
    lam_fuzz_rows rows;
    uint64_t added;
} append_trial;

static const char path[] = "in.parquet";

static lam_bytes content_of(const append_trial *trial) {
    lam_bytes content;
    LAM_FUZZ_EXPECT(lam_model_disk_content(trial->disk, path, &content));
    return content;
}

static bool is_unchanged(const append_trial *trial) {
    lam_bytes content = content_of(trial);
    return content.size == trial->file->size &&
           memcmp(content.data, trial->file->bytes, content.size) == 0;
}

static bool judge(const append_trial *trial, lam_status status, const lam_error *error) {
    unsigned allowed = LAM_FUZZ_OF_CALLER;
    if (!trial->is_sound || !trial->rows.are_whole)
        allowed |= LAM_FUZZ_OF_FILE;
    if (trial->has_fault)
        allowed |= 1 << LAM_STATUS_IO | 1 << LAM_STATUS_STATE;
    return lam_fuzz_judge(status, error, allowed);
}

/* Gives whether the writer has finished. */
static bool append(append_trial *trial) {
    lam_writer_options options = lam_writer_options_default();
    lam_error error = lam_error_none();
    lam_writer *writer;
    options.allocator = &trial->allocator;
    options.row_group_rows = 1 + lam_random_below(&trial->dice, 20);
    options.page_rows = 1 + lam_random_below(&trial->dice, 20);
    if (!judge(trial,
               lam_writer_open_append(path, NULL, trial->manner, &trial->storage, &options, &writer,
                                      &error),
               &error))
        return false;
    lam_record_sink sink = lam_writer_sink(writer);
    bool is_good = true;
    for (uint64_t left = lam_random_below(&trial->dice, RECORDS_MOST); left > 0 && is_good;
         left--) {
        is_good =
            judge(trial,
                  lam_fuzz_drive_record(lam_writer_schema(writer), &sink, &trial->dice, 60, &error),
                  &error);
        trial->added += is_good;
    }
    /* A record that is refused is left out, and the writer goes on. */
    error = lam_error_none();
    is_good = judge(trial, lam_writer_finish(writer, &error), &error);
    lam_writer_close(writer);
    return is_good;
}

static lam_reader *open_content(const append_trial *trial) {
    lam_reader_options options = lam_reader_options_default();
    lam_bytes content = content_of(trial);
    lam_input input = lam_input_memory(content.data, content.size);
    lam_reader *reader = NULL;
    options.allocator = &trial->allocator;
    LAM_FUZZ_OK(lam_reader_open(&input, &options, &reader, &fault));
    return reader;
}

static void expect_appended(const append_trial *trial) {
    lam_reader *reader = open_content(trial);
    lam_fuzz_rows found = {.are_whole = true};
    uint64_t old = lam_reader_row_count(trial->file->reader);
    const char *text;
    LAM_FUZZ_EXPECT(lam_reader_row_count(reader) == old + trial->added);
    lam_fuzz_rows_add(&found, reader, old);
    if (trial->rows.are_whole && found.are_whole)
        LAM_FUZZ_EXPECT(found.ordered == trial->rows.ordered && found.count == old);
    if (trial->is_sound && lam_fuzz_errors_of(content_of(trial), false, &text) > 0)
        lam_fuzz_fail(__FILE__, __LINE__, text, NULL);
    lam_reader_close(reader);
}

/* After a failure in place the file is recovered, to a file with all of its rows. */
static void expect_recovered(const append_trial *trial) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery recovery = lam_recovery_default();
    lam_error error = lam_error_none();
    lam_bytes note;
    options.allocator = &trial->allocator;
    options.storage = &trial->storage;
    lam_model_disk_set_fault(trial->disk, (lam_model_fault){.at = 0});
    if (is_unchanged(trial))
        return;
    if (!lam_model_disk_content(trial->disk, "_in.parquet.append", &note)) {
        lam_reader *reader = open_content(trial);
        LAM_FUZZ_EXPECT(lam_reader_row_count(reader) >= lam_reader_row_count(trial->file->reader));
        lam_reader_close(reader);
        return;
    }
    lam_status status = lam_recover(path, path, &options, &recovery, &error);
    if (!trial->is_sound) {
        (void)lam_fuzz_judge(status, &error, LAM_FUZZ_OF_FILE | LAM_FUZZ_OF_CALLER);
        return;
    }
    if (status != LAM_STATUS_OK)
        lam_fuzz_fail(__FILE__, __LINE__, "a sound file is recovered", &error);
    lam_reader *reader = open_content(trial);
    LAM_FUZZ_EXPECT(lam_reader_row_count(reader) >= lam_reader_row_count(trial->file->reader));
    lam_reader_close(reader);
}

static void try_append(const lam_fuzz_file *file) {
    append_trial trial = {.file = file,
                          .allocator = lam_fuzz_allocator(),
                          .dice = lam_random_start(file->seed + file->choice * 0x1000000u),
                          .disk = lam_model_disk_create()};
    const char *text;
    trial.storage = lam_model_disk_storage(trial.disk);
    trial.manner = lam_random_chance(&trial.dice, 50) ? LAM_APPEND_IN_PLACE : LAM_APPEND_ANEW;
    trial.has_fault = lam_random_chance(&trial.dice, 25);
    trial.rows = lam_fuzz_rows_of(file->reader);
    trial.is_sound = lam_fuzz_errors_of((lam_bytes){file->bytes, file->size}, false, &text) == 0;
    lam_model_disk_put(trial.disk, path, file->bytes, file->size);
    if (trial.has_fault)
        lam_model_disk_set_fault(
            trial.disk, (lam_model_fault){.at = 1 + lam_random_below(&trial.dice, OPERATIONS),
                                          .stays = lam_random_chance(&trial.dice, 50)});
    if (append(&trial))
        expect_appended(&trial);
    else if (trial.manner == LAM_APPEND_ANEW)
        LAM_FUZZ_EXPECT(trial.has_fault || is_unchanged(&trial));
    else
        expect_recovered(&trial);
    lam_model_disk_destroy(trial.disk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_file file;
    lam_fuzz_file_open(&file, data, size);
    if (file.reader != NULL && lam_fuzz_is_small(file.reader, CELLS_MAX))
        try_append(&file);
    lam_fuzz_file_close(&file);
    lam_fuzz_expect_no_leak();
    return 0;
}
