/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random lives of a log, each ended by a power cut or a kill at a random operation, and what the
 * final files must then hold.
 */
#include "log/log_trial.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_sample.h"
#include "log/log_sample_columns.h"
#include "log/log_trial_state.h"

/* Where the cut comes depends on when the threads run, and not on the seed alone. */
static bool has_threads(const log_trial *trial) {
    for (size_t i = 0; i < trial->lives_planned && i <= trial->life_count; i++)
        if (trial->lives[i].options.background)
            return true;
    return false;
}

void log_trial_fail(const log_trial *trial, const char *format, ...) {
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (getenv("LAMELLA_KEEP") != NULL)
        lam_model_disk_export(trial->disk, getenv("LAMELLA_KEEP"));
    cr_assert_fail("seed %" PRIu64 ", life %zu%s: %s", trial->seed, trial->life_count,
                   has_threads(trial) ? " (of threads: repeat the seed)" : "", what);
}

/* --- The end of a life --------------------------------------------------------------------- */

/* Keeps what the callers know by now, and then what the disk holds. */
static void cut_now(log_trial *trial) {
    trial_life *life = trial->life;
    life->durable = atomic_load(&life->acknowledged);
    for (size_t i = 0; i < life->span_count; i++) {
        life->spans[i].durable = atomic_load(&life->spans[i].confirmed);
        life->spans[i].put = atomic_load(&life->spans[i].started);
    }
    trial->after = life->by_power ? lam_model_disk_crash(trial->disk, &trial->cut_random)
                                  : lam_model_disk_kill(trial->disk);
    atomic_store(&trial->is_cut, true);
}

/* Before each operation: cuts, from which on the disk fails. */
static void watch_operation(void *state, const char *what) {
    log_trial *trial = state;
    uint64_t operations = lam_model_disk_counts(trial->disk).operations;
    (void)what;
    if (atomic_load(&trial->is_cut) || operations + 1 < trial->life->cut_at)
        return;
    cut_now(trial);
    const lam_model_fault gone = {
        .at = operations > 0 ? operations : 1, .stays = true, .os_error = 0};
    lam_model_disk_set_fault(trial->disk, gone);
    trial->counts->cuts++;
    trial->counts->cuts_of_start += trial->log == NULL;
}

static void note_durable_records(void *state, uint64_t durable, const char *path) {
    log_trial *trial = state;
    (void)path;
    if (durable <= atomic_load(&trial->life->acknowledged))
        log_trial_fail(trial, "durable does not grow");
    atomic_store(&trial->life->acknowledged, durable);
}

static void note_final_file(void *state, const lam_log_file *file) {
    log_trial *trial = state;
    if (file->is_recovered)
        atomic_fetch_add(&trial->life->recovered, file->records);
}

/* --- Steps --------------------------------------------------------------------------------- */

bool log_trial_went_well(const log_trial *trial, lam_status status, const lam_error *error,
                         const char *what) {
    if (status == LAM_STATUS_OK)
        return true;
    if (!atomic_load(&trial->is_cut))
        log_trial_fail(trial, "%s fails without a cut: %s", what, error->message);
    return false;
}

static bool step_checkpoint(log_trial *trial) {
    lam_error error = lam_error_none();
    if (!log_trial_went_well(trial, lam_log_checkpoint(trial->log, &error), &error, "a checkpoint"))
        return false;
    log_trial_confirm_all(trial);
    return true;
}

static bool step_rotate(log_trial *trial) {
    lam_error error = lam_error_none();
    if (trial->kind.is_one_file)
        return true;
    if (!log_trial_went_well(trial, lam_log_rotate(trial->log, &error), &error, "a rotation"))
        return false;
    log_trial_confirm_all(trial);
    return true;
}

static bool step_poll(log_trial *trial) {
    lam_error error = lam_error_none();
    return log_trial_went_well(trial, lam_log_poll(trial->log, NULL, &error), &error, "a poll");
}

static bool step_time(log_trial *trial) {
    lam_random *random = &trial->random;
    uint64_t ms = lam_random_below(random, UINT64_C(1) << lam_random_below(random, 22));
    lam_model_clock_advance(&trial->clock, ms * TRIAL_NS_PER_MS);
    if (lam_random_chance(random, 5)) /* somebody sets the clock */
        atomic_fetch_sub(&trial->clock.utc, (int64_t)ms * TRIAL_NS_PER_MS);
    return step_poll(trial);
}

static bool take_step(log_trial *trial) {
    uint64_t step = lam_random_below(&trial->random, 100);
    if (step < 60)
        return log_trial_put(trial);
    if (step < 75)
        return step_time(trial);
    if (step < 80)
        return step_poll(trial);
    if (step < 87)
        return step_checkpoint(trial);
    if (step < 91)
        return step_rotate(trial);
    if (step < 93) {
        lam_log_request_checkpoint(trial->log);
        return true;
    }
    if (step < 98 || trial->kind.is_one_file)
        return log_trial_change_sources(trial);
    return log_trial_widen(trial);
}

/* Early operations, where most of the kinds are, as often as late ones. */
static uint64_t choose_cut(lam_random *random) {
    return 1 + lam_random_below(random, UINT64_C(2) << lam_random_below(random, 9));
}

/* --- Lives --------------------------------------------------------------------------------- */

static lam_log_info info_of(lam_log *log) {
    lam_log_info info = lam_log_info_default();
    cr_assert_eq(lam_log_get_info(log, &info, NULL), LAM_STATUS_OK);
    return info;
}

/* Renames within a folder, as one who takes finished files does; false when the cut came before. */
static bool take_file(log_trial *trial, const char *folder, const char *path, const char *moved) {
    const lam_storage *storage = &trial->storage;
    lam_error error = lam_error_none();
    return log_trial_went_well(trial, storage->replace(storage->state, path, moved, &error), &error,
                               "moving") &&
           log_trial_went_well(trial, storage->sync_folder(storage->state, folder, &error), &error,
                               "a sync");
}

/*
 * The name of a log of one file: one that no finished file has. That may be taken away, to a name
 * that is free.
 */
static bool make_way(log_trial *trial, char path[TRIAL_PATH_ROOM]) {
    lam_error error = lam_error_none();
    lam_bytes bytes;
    char moved[TRIAL_PATH_ROOM];
    size_t number = 0;
    lam_log *log;
    do
        snprintf(path, TRIAL_PATH_ROOM, "one-%zu.parquet", number);
    while (lam_model_disk_content(trial->disk, path, &bytes) && number++ < trial->files_done);
    if (!lam_model_disk_content(trial->disk, path, &bytes))
        return true;
    if (lam_random_chance(&trial->random, 30)) {
        lam_status status =
            lam_log_open_file(trial->schema, path, &trial->life->options, &log, &error);
        if (status == LAM_STATUS_OK || (error.code != LAM_ERROR_CODE_FILE_EXISTS &&
                                        !log_trial_went_well(trial, status, &error, "open")))
            return false;
    }
    if (!trial->takes_files || lam_random_chance(&trial->random, 50)) {
        snprintf(path, TRIAL_PATH_ROOM, "one-%zu.parquet", ++trial->files_done);
        return true;
    }
    number = 0;
    do
        snprintf(moved, TRIAL_PATH_ROOM, "done-%zu.parquet", number++);
    while (lam_model_disk_content(trial->disk, moved, &bytes));
    return take_file(trial, "", path, moved);
}

/* A finished file of the folder, by chance one of several. */
static lam_status choose_file(void *state, const lam_storage_entry *entry, lam_error *error) {
    log_trial *trial = state;
    size_t size = strlen(entry->name);
    (void)error;
    if (!entry->is_folder && strncmp(entry->name, "log-", 4) == 0 && size < TRIAL_PATH_ROOM &&
        strcmp(entry->name + size - 8, ".parquet") == 0 && lam_random_chance(&trial->random, 30))
        memcpy(trial->taken, entry->name, size + 1);
    return LAM_STATUS_OK;
}

/*
 * Somebody takes a finished file away before the log starts again; it must not come back. That is
 * the promise of a log that was open: a start that was cut may have made files of leftovers that
 * are still there.
 */
static bool take_from_folder(log_trial *trial) {
    const lam_storage *storage = &trial->storage;
    lam_error error = lam_error_none();
    char path[TRIAL_PATH_ROOM + 16], moved[TRIAL_PATH_ROOM + 16];
    trial->taken[0] = '\0';
    if (!trial->was_open || !trial->takes_files)
        return true;
    lam_status status = storage->list(storage->state, "logs", choose_file, trial, &error);
    if (error.code == LAM_ERROR_CODE_FILE_MISSING ||
        (status == LAM_STATUS_OK && trial->taken[0] == '\0'))
        return true;
    if (!log_trial_went_well(trial, status, &error, "a list"))
        return false;
    snprintf(path, sizeof path, "logs/%s", trial->taken);
    snprintf(moved, sizeof moved, "logs/taken-%s", trial->taken);
    return take_file(trial, "logs", path, moved);
}

static void check_numbers_of_open(log_trial *trial) {
    lam_log_info info = info_of(trial->log);
    trial->counts->recovered += info.recovered;
    if (!trial->kind.is_one_file && info.recovered != atomic_load(&trial->life->recovered))
        log_trial_fail(trial, "%" PRIu64 " records are recovered, in files %" PRIu64,
                       info.recovered, (uint64_t)atomic_load(&trial->life->recovered));
    if (info.accepted + info.durable + info.dropped > 0)
        log_trial_fail(trial, "records count that predecessors left");
}

/* Finishes the log; false when the cut came before. */
static bool finish_log(log_trial *trial) {
    lam_error error = lam_error_none();
    if (!log_trial_went_well(trial, lam_log_finish(trial->log, &error), &error, "finish"))
        return false;
    lam_log_info info = info_of(trial->log);
    if (info.durable + info.dropped != info.accepted)
        log_trial_fail(trial, "%" PRIu64 " of %" PRIu64 " records are durable at the end",
                       info.durable, info.accepted);
    log_trial_confirm_all(trial);
    return true;
}

static void close_log(log_trial *trial) {
    log_trial_end_sources(trial);
    lam_log_close(trial->log);
    trial->log = NULL;
}

/* Opens the log; false when the cut came before. */
static bool open_trial_log(log_trial *trial) {
    lam_error error = lam_error_none();
    lam_log *log = NULL;
    char path[TRIAL_PATH_ROOM] = "logs";
    const lam_log_options *options = &trial->life->options;
    if (trial->kind.is_one_file ? !make_way(trial, path) : !take_from_folder(trial))
        return false;
    trial->was_open = false;
    if (!trial->kind.is_one_file)
        trial->is_wide = lam_random_chance(&trial->random, 20);
    const lam_schema *schema = trial->is_wide ? trial->wider : trial->schema;
    lam_status status = trial->kind.is_one_file
                            ? lam_log_open_file(schema, path, options, &log, &error)
                            : lam_log_open(schema, path, options, &log, &error);
    if (!log_trial_went_well(trial, status, &error, "open"))
        return false;
    trial->log = log;
    trial->was_open = true;
    check_numbers_of_open(trial);
    log_trial_add_own(trial);
    return true;
}

/* One life up to its end, with the disk that it leaves in place of the one that it found. */
static void run_life(log_trial *trial, bool is_last) {
    trial_life *life = &trial->lives[trial->life_count];
    lam_random *random = &trial->random;
    trial->life = life;
    trial->storage = lam_model_disk_storage(trial->disk);
    life->spans = &trial->spans[trial->life_count * TRIAL_SOURCES_MOST];
    life->cut_at = is_last ? UINT64_MAX : choose_cut(random);
    log_trial_choose_options(trial, life);
    life->options.callback_state = trial;
    life->options.on_durable = note_durable_records;
    life->options.on_file = note_final_file;
    trial->after = NULL;
    atomic_store(&trial->is_cut, false);
    lam_model_disk_watch(trial->disk, watch_operation, trial);
    bool goes_on = open_trial_log(trial);
    uint64_t steps = is_last ? lam_random_below(random, 4) : 1 + lam_random_below(random, 40);
    for (uint64_t i = 0; goes_on && i < steps; i++)
        goes_on = take_step(trial);
    if (goes_on && (is_last || lam_random_chance(random, 50)))
        (void)finish_log(trial);
    lam_model_disk_watch(trial->disk, NULL, NULL);
    if (!atomic_load(&trial->is_cut))
        cut_now(trial);
    close_log(trial);
    lam_model_disk_destroy(trial->disk);
    trial->disk = trial->after;
    trial->life_count++;
    trial->counts->lives++;
}

/* --- What must be there -------------------------------------------------------------------- */

/* Returns how many numbers of the span are there. */
static uint64_t check_span(const log_trial *trial, const trial_span *span, uint64_t durable,
                           const lam_log_numbers *all, size_t *at) {
    uint64_t count = 0, in_order = 0;
    for (; *at < all->count && all->numbers[*at] < span->first + LAM_LOG_SAMPLE_SPAN;
         ++*at, count++) {
        uint64_t number = all->numbers[*at] - span->first;
        if (count > 0 && all->numbers[*at] == all->numbers[*at - 1])
            log_trial_fail(trial, "record %" PRIu64 " of span %zu is there twice", number,
                           (size_t)(span - trial->spans));
        if (number >= span->put)
            log_trial_fail(trial, "record %" PRIu64 " of span %zu was never put", number,
                           (size_t)(span - trial->spans));
        in_order += number == in_order;
    }
    if (in_order < durable)
        log_trial_fail(trial, "record %" PRIu64 " of span %zu is lost, %" PRIu64 " are durable",
                       in_order, (size_t)(span - trial->spans), durable);
    if (span->has_prefix && in_order < count)
        log_trial_fail(trial, "record %" PRIu64 " of span %zu is missing, %" PRIu64 " are there",
                       in_order, (size_t)(span - trial->spans), count);
    return count;
}

static void check_life(const log_trial *trial, const trial_life *life, const lam_log_numbers *all,
                       size_t *at) {
    uint64_t there = 0;
    for (size_t i = 0; i < life->span_count; i++) {
        const trial_span *span = &life->spans[i];
        uint64_t durable = span->durable;
        if (life->span_count == 1 && !log_trial_drops(life) && life->durable > durable)
            durable = life->durable;
        there += check_span(trial, span, durable, all, at);
    }
    if (there < life->durable)
        log_trial_fail(trial, "%" PRIu64 " records of life %zu are durable, %" PRIu64 " are there",
                       life->durable, (size_t)(life - trial->lives), there);
    trial->counts->durable += life->durable;
}

/* Expects the records of one file in the order of lives. */
static void check_lives_of_file(const log_trial *trial, const char *path) {
    const uint64_t of_life = TRIAL_SOURCES_MOST * LAM_LOG_SAMPLE_SPAN;
    lam_log_numbers all = {0};
    lam_bytes bytes;
    if (!lam_model_disk_content(trial->disk, path, &bytes))
        return;
    lam_log_sample_list(trial->disk, path, &all);
    for (size_t i = 1; i < all.count; i++)
        if (all.numbers[i] / of_life < all.numbers[i - 1] / of_life)
            log_trial_fail(trial, "%s: row %zu is of an earlier life than the one before", path, i);
    lam_log_numbers_free(&all);
}

static void check_order(const log_trial *trial, const lam_log_numbers *all) {
    char path[TRIAL_PATH_ROOM];
    if (!all->has_spans_in_order)
        log_trial_fail(trial, "records are not in the order of their source");
    for (size_t i = 0; i < TRIAL_LIVES_MOST && trial->kind.is_one_file; i++) {
        snprintf(path, sizeof path, "one-%zu.parquet", i);
        check_lives_of_file(trial, path);
        snprintf(path, sizeof path, "done-%zu.parquet", i);
        check_lives_of_file(trial, path);
    }
}

/* What an ended log may leave beside its file, if it is cut: no log has the name since. */
static size_t count_ended_leftovers(const log_trial *trial) {
    static const char *const suffixes[] = {".part", ".journal"};
    char path[TRIAL_PATH_ROOM];
    lam_bytes bytes;
    size_t count = 0;
    for (size_t i = 0; i < 2 * (trial->files_done + 1) && trial->kind.is_one_file; i++) {
        snprintf(path, sizeof path, "one-%zu.parquet", i / 2);
        bool is_final = lam_model_disk_content(trial->disk, path, &bytes);
        snprintf(path, sizeof path, "_one-%zu.parquet%s", i / 2, suffixes[i % 2]);
        count += is_final && lam_model_disk_content(trial->disk, path, &bytes);
    }
    return count;
}

/* A cut may take the name of a file that was finished, and of which a log was not yet told. */
static void finish_files(log_trial *trial) {
    char path[TRIAL_PATH_ROOM];
    for (size_t i = 0; i <= trial->files_done && trial->kind.is_one_file; i++) {
        lam_log *log;
        lam_bytes bytes;
        lam_error error = lam_error_none();
        lam_log_options options = lam_log_options_default();
        trial->storage = lam_model_disk_storage(trial->disk);
        options.storage = &trial->storage;
        snprintf(path, sizeof path, "one-%zu.parquet", i);
        if (lam_model_disk_content(trial->disk, path, &bytes))
            continue;
        lam_status status = lam_log_open_file(trial->is_wide ? trial->wider : trial->schema, path,
                                              &options, &log, &error);
        if (status != LAM_STATUS_OK || lam_log_finish(log, &error) != LAM_STATUS_OK)
            log_trial_fail(trial, "%s", error.message);
        lam_log_close(log);
    }
}

static void check_disk(log_trial *trial) {
    lam_log_numbers all;
    size_t at = 0;
    lam_log_sample_numbers(trial->disk, "", &all);
    if (all.fault[0] != '\0')
        log_trial_fail(trial, "%s", all.fault);
    if (all.other_files > all.bad_files + count_ended_leftovers(trial))
        log_trial_fail(trial, "left over:%s", all.others);
    check_order(trial, &all);
    for (size_t i = 0; i < trial->life_count; i++)
        check_life(trial, &trial->lives[i], &all, &at);
    if (at < all.count)
        log_trial_fail(trial, "record %" PRIu64 " is of nobody", all.numbers[at]);
    trial->counts->records += all.count;
    trial->counts->bad_files += all.bad_files;
    lam_log_numbers_free(&all);
}

/* The schema that holds arrays of the sample where there are some. */
static lam_schema *sample_schema(const log_trial *trial, const char *text) {
    struct ArrowSchema arrow;
    lam_schema *imported, *schema = lam_test_schema(text);
    if (!trial->kind.has_columns)
        return schema;
    lam_log_sample_arrow_schema(schema, &arrow);
    cr_assert_eq(lam_arrow_import_schema(&arrow, NULL, &imported, NULL), LAM_STATUS_OK);
    arrow.release(&arrow);
    lam_schema_destroy(schema);
    return imported;
}

/* Draws what holds for all lives. */
static void prepare_trial(log_trial *trial) {
    lam_random *random = &trial->random;
    trial->clock.utc = INT64_C(1763856000000000000);
    trial->timer = lam_model_clock_start(&trial->clock);
    trial->schema = sample_schema(trial, LAM_LOG_SAMPLE_SCHEMA);
    trial->wider = sample_schema(trial, LAM_LOG_SAMPLE_WIDER);
    trial->disk = lam_model_disk_create();
    /* The old one of two names is a leftover to a start, if it does not see the finished file. */
    trial->takes_files = lam_random_chance(random, 70);
    lam_model_disk_set_renames_by_link(trial->disk, !trial->takes_files);
    size_t lives = 2 + (size_t)lam_random_below(random, TRIAL_LIVES_MOST - 1);
    for (size_t i = 0; i < lives; i++)
        trial->lives[i].by_power = lam_random_chance(random, trial->kind.power_percent);
    trial->lives[lives - 1].by_power = false; /* which could bring a removed journal back */
    trial->lives_planned = lives;
    trial->is_wide = lam_random_chance(random, 50);
}

void lam_log_trial_run(uint64_t seed, const lam_log_trial_kind *kind,
                       lam_log_trial_counts *counts) {
    log_trial *trial = calloc(1, sizeof *trial);
    cr_assert_not_null(trial);
    trial->seed = seed;
    trial->kind = *kind;
    trial->counts = counts;
    trial->random = lam_random_start(seed);
    trial->cut_random = lam_random_start(lam_random_next(&trial->random));
    prepare_trial(trial);
    for (size_t i = 0; i < trial->lives_planned; i++)
        run_life(trial, i + 1 == trial->lives_planned);
    finish_files(trial);
    check_disk(trial);
    lam_model_disk_destroy(trial->disk);
    lam_schema_destroy(trial->schema);
    lam_schema_destroy(trial->wider);
    free(trial);
    counts->cases++;
}
