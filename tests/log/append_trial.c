/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random lives of a file that is appended to, each ended by a finish, a power cut or a kill, and
 * what must be there after it.
 */
#include "log/append_trial.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/recover.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_sample.h"
#include "support/random.h"

#define APPEND_PATH "file.parquet"
#define APPEND_NOTE "_file.parquet.append"
#define APPEND_NEW "new.parquet"

enum { ROWS_MOST = 100000 };

typedef struct append_trial {
    uint64_t seed, life;
    lam_random random, cut_random;
    lam_append_trial_counts *counts;
    lam_model_disk *disk;
    lam_model_disk *after; /* what the end of the life left */
    lam_storage storage;
    lam_schema *schema;
    bool is_cut, by_power;
    uint64_t cut_at;      /* the operation before which the life ends */
    uint64_t *numbers;    /* of the rows of the file, and behind them of the open append */
    uint64_t finished;    /* of these, rows that must be there */
    uint64_t safe;        /* of these, rows that a power cut leaves: those of an append that is
                             killed between its rename and the sync of the folder are seen before
                             they are safe */
    uint64_t seen;        /* rows that were seen, and may be gone after a power cut */
    bool is_syncing;      /* the folder */
    uint64_t ended;       /* rows in row groups that have ended */
    uint64_t put;         /* all rows whose first verb was called */
    uint64_t recovered;   /* rows of a recovery that may have taken the place of the file */
    uint64_t next_number; /* no number is put twice: rows that were given up stay known */
    bool is_in_place;     /* the append */
    bool is_finishing;    /* all rows may be there without a note */
} append_trial;

/* Ends the test with the seed. */
static void append_fail(const append_trial *trial, const char *format, ...) {
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (getenv("LAMELLA_KEEP") != NULL)
        lam_model_disk_export(trial->disk, getenv("LAMELLA_KEEP"));
    cr_assert_fail("seed %" PRIu64 ", life %" PRIu64 ": %s", trial->seed, trial->life, what);
}

/* True for a success. A failure is that of the cut, or ends the test. */
static bool append_went_well(const append_trial *trial, lam_status status, const lam_error *error,
                             const char *what) {
    if (status == LAM_STATUS_OK)
        return true;
    if (!trial->is_cut)
        append_fail(trial, "%s fails without a cut: %s", what, error->message);
    return false;
}

static bool has_file(const append_trial *trial, const char *path) {
    lam_bytes bytes;
    return lam_model_disk_content(trial->disk, path, &bytes);
}

/* --- The end of a life --------------------------------------------------------------------- */

static void cut_now(append_trial *trial) {
    trial->after = trial->by_power ? lam_model_disk_crash(trial->disk, &trial->cut_random)
                                   : lam_model_disk_kill(trial->disk);
    trial->is_cut = true;
}

static void watch_operation(void *state, const char *what) {
    append_trial *trial = state;
    uint64_t operations = lam_model_disk_counts(trial->disk).operations;
    if (trial->is_syncing && !trial->is_cut)
        trial->safe = trial->finished; /* what was there when the life began */
    trial->is_syncing = strcmp(what, "sync_folder") == 0;
    if (trial->is_cut || operations + 1 < trial->cut_at)
        return;
    cut_now(trial);
    const lam_model_fault gone = {
        .at = operations > 0 ? operations : 1, .stays = true, .os_error = 0};
    lam_model_disk_set_fault(trial->disk, gone);
    trial->counts->cuts++;
}

/* --- Random files -------------------------------------------------------------------------- */

static uint64_t some(lam_random *random, unsigned percent, uint64_t least, uint64_t most) {
    return lam_random_chance(random, percent) ? least + lam_random_below(random, most - least + 1)
                                              : 0;
}

static lam_writer_options choose_writer(lam_random *random) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    lam_writer_options options = lam_writer_options_default();
    options.codec = codecs[lam_random_below(random, 3)];
    options.row_group_rows = some(random, 50, 1, 300);
    options.row_group_bytes = some(random, 20, 1000, 20000);
    options.page_bytes = some(random, 50, 20, 2000);
    options.data_page_version = (int32_t)some(random, 50, 1, 2);
    options.page_crc = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_DEFAULT;
    options.statistics = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_DEFAULT;
    options.page_index = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_DEFAULT;
    options.auto_bloom_filters = lam_random_chance(random, 20);
    if (options.auto_bloom_filters) /* only of chunks with 1000 values */
        options.row_group_rows = options.row_group_bytes = 0;
    return options;
}

static lam_status put_numbers(append_trial *trial, lam_writer *writer, uint64_t count,
                              lam_error *error) {
    lam_record_sink sink = lam_writer_sink(writer);
    for (uint64_t i = 0; i < count; i++) {
        trial->numbers[trial->put++] = trial->next_number;
        lam_status status =
            lam_log_sample_put(&sink, lam_writer_schema(writer), trial->next_number++, 1, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    return LAM_STATUS_OK;
}

/* The file that is there at first, of a writer without records of its row groups, or a log. */
static void make_first_file(append_trial *trial) {
    lam_random *random = &trial->random;
    lam_writer_options options = choose_writer(random);
    uint64_t rows = lam_random_below(random, UINT64_C(1) << lam_random_below(random, 11));
    if (lam_random_chance(random, 30)) {
        lam_log *log;
        lam_log_options log_options = lam_log_options_default();
        log_options.storage = &trial->storage;
        cr_assert_eq(lam_log_open_file(trial->schema, APPEND_PATH, &log_options, &log, NULL),
                     LAM_STATUS_OK);
        lam_record_sink sink = lam_log_sink(log);
        cr_assert_eq(lam_log_sample_put(&sink, trial->schema, 0, rows, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
        lam_log_close(log);
        for (uint64_t i = 0; i < rows; i++)
            trial->numbers[trial->put++] = trial->next_number++;
    } else {
        lam_test_writer file = lam_test_write_as(trial->schema, &options);
        cr_assert_eq(put_numbers(trial, file.writer, rows / 2, NULL), LAM_STATUS_OK);
        if (lam_random_chance(random, 30))
            cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
        cr_assert_eq(put_numbers(trial, file.writer, rows - rows / 2, NULL), LAM_STATUS_OK);
        lam_buffer bytes = lam_test_written(&file);
        lam_model_disk_put(trial->disk, APPEND_PATH, bytes.data, bytes.size);
        lam_buffer_finish(&bytes);
    }
    trial->finished = trial->ended = trial->recovered = trial->safe = trial->seen = trial->put;
}

/* --- What must be there -------------------------------------------------------------------- */

/* Expects that a whole file has the first numbers of the trial: returns how many. */
static uint64_t check_rows(const append_trial *trial, const char *path, uint64_t least) {
    lam_log_numbers all = {0};
    lam_log_sample_list(trial->disk, path, &all);
    if (all.fault[0] != '\0')
        append_fail(trial, "%s", all.fault);
    for (size_t i = 0; i < all.count; i++)
        if (i >= trial->put || all.numbers[i] != trial->numbers[i])
            append_fail(trial, "%s: row %zu has number %" PRIu64, path, i, all.numbers[i]);
    uint64_t count = all.count;
    if (count < least)
        append_fail(trial, "%s: %" PRIu64 " rows of %" PRIu64 " are there", path, count, least);
    lam_log_numbers_free(&all);
    return count;
}

/* The rows that are there are those of the file from now on. */
static void take_rows(append_trial *trial, uint64_t count) {
    trial->finished = trial->ended = trial->put = trial->recovered = trial->seen = count;
    trial->is_finishing = false;
}

/* --- Recovery ------------------------------------------------------------------------------ */

/* Removes a file that may not exist; false when the cut came before. */
static bool remove_file(append_trial *trial, const char *path) {
    const lam_storage *storage = &trial->storage;
    lam_error error = lam_error_none();
    return !has_file(trial, path) ||
           (append_went_well(trial, storage->remove(storage->state, path, &error), &error,
                             "removing") &&
            append_went_well(trial, storage->sync_folder(storage->state, "", &error), &error,
                             "a sync"));
}

/* Does what the documentation says; false when the cut came before. */
static bool recover_file(append_trial *trial) {
    const lam_storage *storage = &trial->storage;
    lam_error error = lam_error_none();
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    options.storage = storage;
    if (!remove_file(trial, APPEND_NEW) ||
        !append_went_well(trial, lam_recover(APPEND_PATH, APPEND_NEW, &options, &found, &error),
                          &error, "recovering"))
        return false;
    uint64_t rows = check_rows(trial, APPEND_NEW, trial->ended);
    if (found.rows != rows)
        append_fail(trial, "%" PRIu64 " rows are reported, %" PRIu64 " are there", found.rows,
                    rows);
    trial->recovered = rows;
    if (!append_went_well(trial, storage->replace(storage->state, APPEND_NEW, APPEND_PATH, &error),
                          &error, "replacing") ||
        !append_went_well(trial, storage->sync_folder(storage->state, "", &error), &error,
                          "a sync") ||
        !remove_file(trial, APPEND_NOTE))
        return false;
    trial->counts->recoveries++;
    trial->counts->kept += rows - trial->finished;
    trial->counts->lost += trial->put - rows;
    take_rows(trial, rows);
    trial->safe = rows;
    return true;
}

/* After a life without a note: the file is whole, with all of the append or nothing of it. */
static void check_whole(append_trial *trial) {
    uint64_t rows = check_rows(trial, APPEND_PATH, trial->finished);
    if (rows != trial->finished && rows != trial->seen && rows != trial->recovered &&
        !(trial->is_finishing && rows == trial->put))
        append_fail(trial, "%" PRIu64 " rows are there, of %" PRIu64 " and %" PRIu64, rows,
                    trial->finished, trial->put);
    take_rows(trial, rows);
}

/* --- Lives --------------------------------------------------------------------------------- */

/* Opens an append, after a recovery if it must be; false when the cut came before. */
static bool open_append(append_trial *trial, lam_writer **ret_writer) {
    lam_random *random = &trial->random;
    lam_writer_options options = choose_writer(random);
    trial->is_in_place = lam_random_chance(random, 75);
    const lam_append_manner manner = trial->is_in_place ? LAM_APPEND_IN_PLACE : LAM_APPEND_ANEW;
    const lam_schema *schema = lam_random_chance(random, 50) ? trial->schema : NULL;
    for (int attempt = 0;; attempt++) {
        lam_error error = lam_error_none();
        lam_status status = lam_writer_open_append(APPEND_PATH, schema, manner, &trial->storage,
                                                   &options, ret_writer, &error);
        bool is_refused =
            !trial->is_cut && attempt == 0 &&
            (error.code == LAM_ERROR_CODE_FILE_EXISTS || status == LAM_STATUS_CORRUPT);
        trial->counts->in_place += trial->is_in_place && status == LAM_STATUS_OK;
        if (!is_refused && !append_went_well(trial, status, &error, "opening an append"))
            return false;
        if (!is_refused) {
            check_whole(trial); /* also after a cut that left nothing but a note */
            return true;
        }
        if (!has_file(trial, APPEND_NOTE))
            append_fail(trial, "the file is not whole, and no note says so: %s", error.message);
        if (!recover_file(trial))
            return false;
    }
}

static bool append_step(append_trial *trial, lam_writer *writer) {
    lam_random *random = &trial->random;
    lam_error error = lam_error_none();
    uint64_t step = lam_random_below(random, 10);
    uint64_t count = 1 + lam_random_below(random, UINT64_C(1) << lam_random_below(random, 12));
    if (step < 6) {
        if (trial->put + count > ROWS_MOST)
            return true;
        return append_went_well(trial, put_numbers(trial, writer, count, &error), &error,
                                "a record");
    }
    lam_status status =
        step < 8 ? lam_writer_end_row_group(writer, &error) : lam_writer_checkpoint(writer, &error);
    if (!append_went_well(trial, status, &error, "the end of a row group"))
        return false;
    if (trial->is_in_place)
        trial->ended = trial->put;
    return true;
}

/* Ends an append that was not cut so far: finishes it, gives it up, or leaves it to the cut. */
static void end_append(append_trial *trial, lam_writer *writer, bool must_finish) {
    lam_error error = lam_error_none();
    uint64_t end = lam_random_below(&trial->random, 10);
    if (must_finish || end < 5) {
        trial->is_finishing = true;
        if (append_went_well(trial, lam_writer_finish(writer, &error), &error, "finish")) {
            trial->counts->finished++;
            trial->safe = trial->put;
            take_rows(trial, trial->put);
        }
    } else if (end >= 7) {
        cut_now(trial);
        lam_model_disk_set_fault(trial->disk, (lam_model_fault){.at = 1, .stays = true});
    }
    lam_writer_close(writer);
    if (!trial->is_cut && !must_finish && end >= 5) {
        trial->counts->given_up++;
        take_rows(trial, trial->finished);
        if (has_file(trial, APPEND_NOTE))
            append_fail(trial, "a note is there after an append was given up");
    }
}

/* One life up to its end, with the disk that it leaves in place of the one that it found. */
static void run_append(append_trial *trial, bool is_last) {
    lam_random *random = &trial->random;
    lam_writer *writer;
    uint64_t steps = lam_random_below(random, 15);
    trial->storage = lam_model_disk_storage(trial->disk);
    trial->cut_at = UINT64_MAX;
    if (!is_last)
        trial->cut_at = 1 + lam_random_below(random, UINT64_C(2) << lam_random_below(random, 9));
    trial->is_cut = trial->is_syncing = false;
    lam_model_disk_watch(trial->disk, watch_operation, trial);
    if (open_append(trial, &writer)) {
        bool goes_on = true;
        trial->is_finishing = false;
        for (uint64_t i = 0; goes_on && i < steps; i++)
            goes_on = append_step(trial, writer);
        if (goes_on)
            end_append(trial, writer, is_last);
        else
            lam_writer_close(writer);
    }
    lam_model_disk_watch(trial->disk, NULL, NULL);
    if (!trial->is_cut)
        cut_now(trial);
    lam_model_disk_destroy(trial->disk);
    trial->disk = trial->after;
    if (trial->by_power)
        trial->ended = trial->finished = trial->safe;
    if (!has_file(trial, APPEND_NOTE)) {
        check_whole(trial);
        if (trial->by_power)
            trial->safe = trial->finished;
    }
    trial->life++;
    trial->counts->lives++;
}

void lam_append_trial_run(uint64_t seed, unsigned power_percent, lam_append_trial_counts *counts) {
    append_trial *trial = calloc(1, sizeof *trial);
    cr_assert_not_null(trial);
    trial->numbers = calloc(ROWS_MOST, sizeof *trial->numbers);
    cr_assert_not_null(trial->numbers);
    trial->seed = seed;
    trial->counts = counts;
    trial->random = lam_random_start(seed);
    trial->cut_random = lam_random_start(lam_random_next(&trial->random));
    trial->schema = lam_test_schema(lam_random_chance(&trial->random, 50) ? LAM_LOG_SAMPLE_SCHEMA
                                                                          : LAM_LOG_SAMPLE_WIDER);
    trial->disk = lam_model_disk_create();
    trial->storage = lam_model_disk_storage(trial->disk);
    lam_model_disk_set_renames_by_link(trial->disk, lam_random_chance(&trial->random, 30));
    make_first_file(trial);
    lam_model_disk_sync(trial->disk);
    uint64_t lives = 2 + lam_random_below(&trial->random, 6);
    for (uint64_t i = 0; i < lives; i++) {
        trial->by_power = lam_random_chance(&trial->random, power_percent);
        run_append(trial, i + 1 == lives);
    }
    if (has_file(trial, APPEND_NOTE))
        append_fail(trial, "a note is there after the last append was finished");
    counts->records += check_rows(trial, APPEND_PATH, trial->finished);
    counts->cases++;
    lam_model_disk_destroy(trial->disk);
    lam_schema_destroy(trial->schema);
    free(trial->numbers);
    free(trial);
}
