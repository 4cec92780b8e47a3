/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log_trial.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_sample.h"

enum {
    LIVES_MOST = 5,
    PRODUCERS_MOST = 4, /* of a life, its own one the first */
    SPANS_MOST = LIVES_MOST * PRODUCERS_MOST,
    SPAN_NUMBERS = 100000, /* between the first numbers of two producers */
    NS_PER_MS = 1000000
};

/* What one producer put. */
typedef struct trial_span {
    uint64_t first;
    atomic_uint_least64_t started;   /* records whose first verb was called */
    atomic_uint_least64_t confirmed; /* of these, durable as a call promised that succeeded */
    uint64_t put;                    /* at the cut: the same two */
    uint64_t durable;
    bool has_prefix; /* what is left of it has no gap */
} trial_span;

typedef struct trial_life {
    lam_log_options options;
    lam_writer_options writer;
    trial_span *spans;
    size_t span_count;
    uint64_t cut_at;                    /* the operation before which it ends */
    bool by_power;                      /* its end: a power cut, else a kill */
    atomic_uint_least64_t acknowledged; /* by on_durable */
    uint64_t durable;                   /* the same at the cut */
    atomic_uint_least64_t recovered;    /* by on_file */
} trial_life;

typedef struct log_trial {
    uint64_t seed;
    lam_random random, cut_random;
    lam_log_trial_counts *counts;
    lam_model_disk *disk;
    lam_model_disk *after; /* what the end of the life left */
    atomic_bool is_cut;
    lam_model_clock clock;
    lam_storage storage;
    lam_clock timer;
    lam_schema *schema, *wider;
    trial_span spans[SPANS_MOST];
    trial_life lives[LIVES_MOST];
    size_t lives_planned;
    size_t life_count; /* that have ended */
    trial_life *life;
    lam_log *log;
    lam_log_producer *producers[PRODUCERS_MOST]; /* of the life's spans; the first is NULL */
    const lam_schema *schemas[PRODUCERS_MOST];
    bool is_wide;
} log_trial;

/* Ends the test with the seed. */
static void trial_fail(const log_trial *trial, const char *format, ...) {
    char what[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    cr_assert_fail("seed %" PRIu64 ", life %zu: %s", trial->seed, trial->life_count, what);
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
        trial_fail(trial, "durable does not grow");
    atomic_store(&trial->life->acknowledged, durable);
}

static void note_final_file(void *state, const lam_log_file *file) {
    log_trial *trial = state;
    if (file->is_recovered)
        atomic_fetch_add(&trial->life->recovered, file->records);
}

/* --- Random options ------------------------------------------------------------------------ */

/* 0, the default, or a number from `least` on. */
static uint64_t some(lam_random *random, unsigned percent, uint64_t least, uint64_t most) {
    return lam_random_chance(random, percent) ? least + lam_random_below(random, most - least + 1)
                                              : 0;
}

static void choose_writer(log_trial *trial, trial_life *life) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    lam_random *random = &trial->random;
    life->writer = lam_writer_options_default();
    life->writer.codec = codecs[lam_random_below(random, 3)];
    life->writer.row_group_rows = some(random, 40, 1, 500);
    life->writer.row_group_bytes = some(random, 20, 1000, 20000);
    life->writer.page_bytes = some(random, 40, 20, 2000);
    life->writer.data_page_version = (int32_t)some(random, 50, 1, 2);
    life->options.writer = &life->writer;
}

/* Without syncs files survive kills only: its own one and those that follow. */
static bool may_go_without_syncs(const trial_life *life, size_t lives) {
    for (size_t i = 0; i < lives; i++)
        if (life[i].by_power)
            return false;
    return true;
}

static void choose_options(log_trial *trial, trial_life *life) {
    lam_random *random = &trial->random;
    lam_log_options *options = &life->options;
    *options = lam_log_options_default();
    options->storage = &trial->storage;
    options->clock = &trial->timer;
    options->callback_state = trial;
    options->on_durable = note_durable_records;
    options->on_file = note_final_file;
    options->journal = lam_random_chance(random, 50);
    options->background = lam_random_chance(random, 25);
    options->sync = (lam_log_sync)lam_random_below(random, options->journal ? 5 : 4);
    if (options->sync == LAM_LOG_SYNC_NEVER &&
        !may_go_without_syncs(life, (size_t)(trial->lives + trial->lives_planned - life)))
        options->sync = LAM_LOG_SYNC_DEFAULT;
    options->sync_ms = some(random, 50, 1, 2000);
    options->checkpoint_rows = some(random, 50, 1, 400);
    options->checkpoint_bytes = some(random, 30, 500, 20000);
    options->checkpoint_ms = some(random, 40, 1, 5000);
    options->rotate_bytes = some(random, 30, 3000, 60000);
    options->rotate_ms = some(random, 30, 100, 100000);
    options->memory_limit = some(random, 30, 2 << 20, 4 << 20);
    options->journal_bytes = some(random, 40, 500, 20000);
    if (lam_random_chance(random, 30)) {
        options->partition_by = "at";
        options->partition_format =
            lam_random_chance(random, 50) ? "date=%Y-%m-%d/hour=%H" : "hour=%H";
        options->open_files = (uint32_t)some(random, 70, 1, 4);
    }
    if (options->background && lam_random_chance(random, 15)) {
        options->when_full =
            lam_random_chance(random, 50) ? LAM_LOG_FULL_DROP_NEWEST : LAM_LOG_FULL_DROP_OLDEST;
        options->queue_bytes = 2000;
    }
    choose_writer(trial, life);
}

/* Early operations, where most of the kinds are, as often as late ones. */
static uint64_t choose_cut(lam_random *random) {
    return 1 + lam_random_below(random, UINT64_C(2) << lam_random_below(random, 9));
}

static bool drops(const trial_life *life) {
    return life->options.when_full > LAM_LOG_FULL_BLOCK;
}

/* --- Steps --------------------------------------------------------------------------------- */

/* True for a success. A failure is that of the cut, or ends the test. */
static bool went_well(log_trial *trial, lam_status status, const lam_error *error,
                      const char *what) {
    if (status == LAM_STATUS_OK)
        return true;
    if (!atomic_load(&trial->is_cut))
        trial_fail(trial, "%s fails without a cut: %s", what, error->message);
    return false;
}

static trial_span *add_span(log_trial *trial, lam_log_producer *producer) {
    trial_life *life = trial->life;
    size_t index = life->span_count;
    trial_span *span = &life->spans[index];
    span->first = (uint64_t)(span - trial->spans) * SPAN_NUMBERS;
    span->has_prefix = life->options.partition_by == NULL && !drops(life);
    trial->producers[index] = producer;
    trial->schemas[index] = trial->is_wide ? trial->wider : trial->schema;
    life->span_count++;
    return span;
}

static bool put_records(log_trial *trial) {
    trial_life *life = trial->life;
    lam_random *random = &trial->random;
    size_t index = (size_t)lam_random_below(random, life->span_count);
    trial_span *span = &life->spans[index];
    bool is_synced = life->options.sync == LAM_LOG_SYNC_RECORD && !drops(life);
    uint64_t count = 1 + lam_random_below(random, UINT64_C(1) << lam_random_below(random, 10));
    if (lam_random_chance(random, 1))
        count = 5000;
    if (is_synced && count > 50)
        count = 50;
    if (trial->producers[index] == NULL && index > 0)
        return true; /* destroyed */
    bool was_refused = false;
    lam_record_sink sink =
        index == 0 ? lam_log_sink(trial->log) : lam_log_producer_sink(trial->producers[index]);
    for (uint64_t i = 0; i < count; i++) {
        lam_error error = lam_error_none();
        uint64_t started = atomic_fetch_add(&span->started, 1);
        lam_status status =
            lam_log_sample_put(&sink, trial->schemas[index], span->first + started, 1, &error);
        if (status == LAM_STATUS_LIMIT && (life->span_count > 1 || !was_refused)) {
            was_refused = true; /* alone: the next one must not be, if no other has the memory */
            atomic_fetch_sub(&span->started, 1);
            continue;
        }
        was_refused = false;
        if (!went_well(trial, status, &error, "a record"))
            return false;
        if (is_synced)
            atomic_store(&span->confirmed, started + 1);
    }
    return true;
}

/* All that was put by now is durable. */
static void confirm_all(log_trial *trial) {
    trial_life *life = trial->life;
    for (size_t i = 0; i < life->span_count && !drops(life); i++)
        atomic_store(&life->spans[i].confirmed, atomic_load(&life->spans[i].started));
}

static bool step_checkpoint(log_trial *trial) {
    lam_error error = lam_error_none();
    if (!went_well(trial, lam_log_checkpoint(trial->log, &error), &error, "a checkpoint"))
        return false;
    confirm_all(trial);
    return true;
}

static bool step_rotate(log_trial *trial) {
    lam_error error = lam_error_none();
    if (!went_well(trial, lam_log_rotate(trial->log, &error), &error, "a rotation"))
        return false;
    confirm_all(trial);
    return true;
}

static bool step_poll(log_trial *trial) {
    lam_error error = lam_error_none();
    return went_well(trial, lam_log_poll(trial->log, NULL, &error), &error, "a poll");
}

static bool step_time(log_trial *trial) {
    lam_random *random = &trial->random;
    uint64_t ms = lam_random_below(random, UINT64_C(1) << lam_random_below(random, 22));
    lam_model_clock_advance(&trial->clock, ms * NS_PER_MS);
    if (lam_random_chance(random, 5)) /* somebody sets the clock */
        atomic_fetch_sub(&trial->clock.utc, (int64_t)ms * NS_PER_MS);
    return step_poll(trial);
}

static bool step_producer(log_trial *trial) {
    lam_error error = lam_error_none();
    lam_log_producer *producer;
    size_t index = (size_t)lam_random_below(&trial->random, PRODUCERS_MOST);
    if (index > 0 && index < trial->life->span_count) {
        lam_log_producer_destroy(trial->producers[index]);
        trial->producers[index] = NULL;
        return true;
    }
    if (trial->life->span_count == PRODUCERS_MOST)
        return true;
    if (!went_well(trial, lam_log_producer_create(trial->log, &producer, &error), &error,
                   "a producer"))
        return false;
    (void)add_span(trial, producer);
    return true;
}

static bool step_widen(log_trial *trial) {
    lam_error error = lam_error_none();
    if (trial->is_wide)
        return true;
    if (!went_well(trial, lam_log_widen(trial->log, trial->wider, &error), &error, "widening"))
        return false;
    trial->is_wide = true;
    return true;
}

static bool take_step(log_trial *trial) {
    uint64_t step = lam_random_below(&trial->random, 100);
    if (step < 60)
        return put_records(trial);
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
    return step < 98 ? step_producer(trial) : step_widen(trial);
}

/* --- Lives --------------------------------------------------------------------------------- */

static lam_log_info info_of(lam_log *log) {
    lam_log_info info = lam_log_info_default();
    cr_assert_eq(lam_log_get_info(log, &info, NULL), LAM_STATUS_OK);
    return info;
}

static void check_numbers_of_open(log_trial *trial) {
    lam_log_info info = info_of(trial->log);
    if (info.recovered != atomic_load(&trial->life->recovered))
        trial_fail(trial, "%" PRIu64 " records are recovered, in files %" PRIu64, info.recovered,
                   (uint64_t)atomic_load(&trial->life->recovered));
    if (info.accepted + info.durable + info.dropped > 0)
        trial_fail(trial, "records count that predecessors left");
}

/* Finishes the log; false when the cut came before. */
static bool finish_log(log_trial *trial) {
    lam_error error = lam_error_none();
    if (!went_well(trial, lam_log_finish(trial->log, &error), &error, "finish"))
        return false;
    lam_log_info info = info_of(trial->log);
    if (info.durable + info.dropped != info.accepted)
        trial_fail(trial, "%" PRIu64 " of %" PRIu64 " records are durable at the end", info.durable,
                   info.accepted);
    confirm_all(trial);
    return true;
}

static void close_log(log_trial *trial) {
    for (size_t i = 1; i < trial->life->span_count; i++) {
        lam_log_producer_destroy(trial->producers[i]);
        trial->producers[i] = NULL;
    }
    lam_log_close(trial->log);
    trial->log = NULL;
}

/* Opens the log; false when the cut came before. */
static bool open_trial_log(log_trial *trial) {
    lam_error error = lam_error_none();
    lam_log *log = NULL;
    trial->is_wide = lam_random_chance(&trial->random, 20);
    lam_status status = lam_log_open(trial->is_wide ? trial->wider : trial->schema, "logs",
                                     &trial->life->options, &log, &error);
    if (!went_well(trial, status, &error, "open"))
        return false;
    trial->log = log;
    check_numbers_of_open(trial);
    (void)add_span(trial, NULL);
    return true;
}

/* One life up to its end, with the disk that it leaves in place of the one that it found. */
static void run_life(log_trial *trial, bool is_last) {
    trial_life *life = &trial->lives[trial->life_count];
    lam_random *random = &trial->random;
    trial->life = life;
    trial->storage = lam_model_disk_storage(trial->disk);
    life->spans = &trial->spans[trial->life_count * PRODUCERS_MOST];
    life->cut_at = is_last ? UINT64_MAX : choose_cut(random);
    choose_options(trial, life);
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
    for (; *at < all->count && all->numbers[*at] < span->first + SPAN_NUMBERS; ++*at, count++) {
        uint64_t number = all->numbers[*at] - span->first;
        if (count > 0 && all->numbers[*at] == all->numbers[*at - 1])
            trial_fail(trial, "record %" PRIu64 " of span %zu is there twice", number,
                       (size_t)(span - trial->spans));
        if (number >= span->put)
            trial_fail(trial, "record %" PRIu64 " of span %zu was never put", number,
                       (size_t)(span - trial->spans));
        in_order += number == in_order;
    }
    if (in_order < durable)
        trial_fail(trial, "record %" PRIu64 " of span %zu is lost, %" PRIu64 " are durable",
                   in_order, (size_t)(span - trial->spans), durable);
    if (span->has_prefix && in_order < count)
        trial_fail(trial, "record %" PRIu64 " of span %zu is missing, %" PRIu64 " are there",
                   in_order, (size_t)(span - trial->spans), count);
    return count;
}

static void check_life(const log_trial *trial, const trial_life *life, const lam_log_numbers *all,
                       size_t *at) {
    uint64_t there = 0;
    for (size_t i = 0; i < life->span_count; i++) {
        const trial_span *span = &life->spans[i];
        uint64_t durable = span->durable;
        if (life->span_count == 1 && !drops(life) && life->durable > durable)
            durable = life->durable;
        there += check_span(trial, span, durable, all, at);
    }
    if (there < life->durable)
        trial_fail(trial, "%" PRIu64 " records of life %zu are durable, %" PRIu64 " are there",
                   life->durable, (size_t)(life - trial->lives), there);
    trial->counts->durable += life->durable;
}

static void check_disk(log_trial *trial) {
    lam_log_numbers all;
    size_t at = 0;
    lam_log_sample_numbers(trial->disk, "", &all);
    if (all.fault[0] != '\0' && getenv("LAMELLA_KEEP") != NULL)
        lam_model_disk_export(trial->disk, getenv("LAMELLA_KEEP"));
    if (all.fault[0] != '\0')
        trial_fail(trial, "%s", all.fault);
    if (all.other_files > all.bad_files)
        trial_fail(trial, "left over:%s", all.others);
    for (size_t i = 0; i < trial->life_count; i++)
        check_life(trial, &trial->lives[i], &all, &at);
    if (at < all.count)
        trial_fail(trial, "record %" PRIu64 " is of nobody", all.numbers[at]);
    trial->counts->records += all.count;
    trial->counts->bad_files += all.bad_files;
    lam_log_numbers_free(&all);
}

void lam_log_trial_run(uint64_t seed, unsigned power_percent, lam_log_trial_counts *counts) {
    log_trial *trial = calloc(1, sizeof *trial);
    cr_assert_not_null(trial);
    trial->seed = seed;
    trial->counts = counts;
    trial->random = lam_random_start(seed);
    trial->cut_random = lam_random_start(lam_random_next(&trial->random));
    trial->clock.utc = INT64_C(1763856000000000000);
    trial->timer = lam_model_clock_start(&trial->clock);
    trial->schema = lam_test_schema(LAM_LOG_SAMPLE_SCHEMA);
    trial->wider = lam_test_schema(LAM_LOG_SAMPLE_WIDER);
    trial->disk = lam_model_disk_create();
    lam_model_disk_set_renames_by_link(trial->disk, lam_random_chance(&trial->random, 30));
    size_t lives = 2 + (size_t)lam_random_below(&trial->random, LIVES_MOST - 1);
    for (size_t i = 0; i < lives; i++)
        trial->lives[i].by_power = lam_random_chance(&trial->random, power_percent);
    trial->lives[lives - 1].by_power = false; /* which could bring a removed journal back */
    trial->lives_planned = lives;
    for (size_t i = 0; i < lives; i++)
        run_life(trial, i + 1 == lives);
    check_disk(trial);
    lam_model_disk_destroy(trial->disk);
    lam_schema_destroy(trial->schema);
    lam_schema_destroy(trial->wider);
    free(trial);
    counts->cases++;
}
