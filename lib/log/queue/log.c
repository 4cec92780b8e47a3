/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens and ends a log, and does all but take records: takes a schema, a path, options, and gives a
 * log that producers write to, and numbers about it.
 *
 *     open   settings -> leftovers of predecessors -> engine -> thread
 *     end    refuse records -> collect their open batches -> engine ends all files -> thread ends
 *
 * The invariant: the engine is used by one thread at a time, the log's own from thread_start to
 * thread_stop. A failure after records came in is kept, and every later call reports it.
 */
#define _XOPEN_SOURCE 700
#include <lamella/log.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/error.h"
#include "base/options.h"
#include "file/write/file_writer.h"
#include "file/write/triple_batch.h"
#include "log/files/log_resume.h"
#include "log/files/log_start.h"
#include "log/queue/log_state.h"
#include "log/queue/wider_schema.h"
#include "schema/leaf_error.h"

/* --- Opening ------------------------------------------------------------------------------- */

static lam_status make_mutexes(lam_log *log, lam_error *error) {
    if (pthread_mutex_init(&log->mutex, NULL) != 0 ||
        pthread_mutex_init(&log->command_mutex, NULL) != 0 ||
        pthread_cond_init(&log->changed, NULL) != 0)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "cannot make the locks of a log");
    log->has_mutexes = true;
    return LAM_STATUS_OK;
}

/* The engine of a log of one file, which continues where a predecessor stopped. */
static lam_status start_file(lam_log *log, const lam_schema *schema, const char *path,
                             lam_error *error) {
    lam_status status = lam_log_resume_prepare(&log->settings, &log->counts, path, error);
    if (status == LAM_STATUS_OK)
        status = lam_log_engine_init(&log->engine, &log->settings, &log->counts, schema, path,
                                     log->is_folder, error);
    if (status == LAM_STATUS_OK)
        status = lam_log_resume(&log->engine, path, error);
    if (status != LAM_STATUS_OK && log->engine.files.count == 0) {
        lam_log_engine_finish(&log->engine);
        lam_log_resume_undo(&log->settings, path);
    }
    return status;
}

/* The engine of a log in a folder, in which predecessors may have left files. */
static lam_status start_folder(lam_log *log, const lam_schema *schema, const char *root,
                               lam_error *error) {
    lam_log_keep_init(&log->keep, &log->settings, &log->counts, root);
    lam_log_keep_begin(log->settings.keep);
    lam_log_keep_run(log->settings.keep); /* recovered files need room */
    LAM_TRY(lam_log_start(&log->settings, &log->counts, root, error));
    return lam_log_engine_init(&log->engine, &log->settings, &log->counts, schema, root,
                               log->is_folder, error);
}

/* Everything after the settings, in an order that close can undo from any point. */
static lam_status start_log(lam_log *log, const lam_schema *schema, const char *path,
                            lam_error *error) {
    LAM_TRY(make_mutexes(log, error));
    LAM_TRY(lam_log_path_join(&log->root, "", path, "", error));
    const char *root = (const char *)log->root.data;
    LAM_TRY(log->is_folder ? start_folder(log, schema, root, error)
                           : start_file(log, schema, root, error));
    if (log->settings.options.leftovers == LAM_LOG_LEFTOVERS_RECOVER)
        lam_log_keep_forget(log->settings.keep); /* recovered files count, too */
    lam_log_keep_run(log->settings.keep);
    log->newest = log->engine.generations;
    LAM_TRY(lam_log_producer_create(log, &log->own, error));
    return log->settings.options.background ? lam_log_thread_start(log, error) : LAM_STATUS_OK;
}

/*
 * The log itself comes from the caller's allocator, as the budget is part of it; it is counted, so
 * that the limit is one for everything.
 */
lam_status lam_log_open_subject(const lam_log_subject *subject, const lam_log_options *given,
                                lam_log **ret_log, lam_error *error) {
    lam_log_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_log_options, given, &options, error));
    LAM_TRY(lam_schema_require(subject->schema, error));
    if (subject->path == NULL || subject->path[0] == '\0')
        LAM_FAIL(error, LAM_STATUS_INVALID, "no path for a log");
    lam_allocator allocator = lam_allocator_or_default(options.allocator);
    LAM_TRY(lam_writer_check_new_schema(subject->schema, &allocator, error));
    lam_log *log;
    LAM_TRY(LAM_NEW(&allocator, &log, error));
    log->wake[0] = log->wake[1] = -1;
    log->is_folder = subject->is_folder;
    lam_status status = lam_log_settings_init(&log->settings, &options, subject, error);
    if (status != LAM_STATUS_OK) {
        lam_free(&allocator, log, sizeof *log);
        return status;
    }
    lam_buffer_init(&log->root, &log->settings.allocator);
    status = start_log(log, subject->schema, subject->path, error);
    if (status != LAM_STATUS_OK) {
        lam_log_close(log);
        return status;
    }
    *ret_log = log;
    return LAM_STATUS_OK;
}

lam_status lam_log_open(const lam_schema *schema, const char *path, const lam_log_options *options,
                        lam_log **ret_log, lam_error *error) {
    const lam_log_subject subject = {.schema = schema, .path = path, .is_folder = true};
    return lam_log_open_subject(&subject, options, ret_log, error);
}

lam_status lam_log_open_file(const lam_schema *schema, const char *path,
                             const lam_log_options *options, lam_log **ret_log, lam_error *error) {
    const lam_log_subject subject = {.schema = schema, .path = path};
    return lam_log_open_subject(&subject, options, ret_log, error);
}

void lam_log_close(lam_log *log) {
    if (log == NULL)
        return;
    lam_allocator allocator = log->settings.budget.beneath;
    lam_log_batch *batch;
    lam_log_thread_stop(log);
    atomic_store(&log->has_ended, true); /* the own producer's records are dropped */
    lam_log_producer_destroy(log->own);
    while ((batch = lam_log_queue_pop(&log->queue)) != NULL)
        lam_log_batch_destroy(batch);
    while ((batch = log->spare) != NULL) {
        log->spare = batch->next;
        lam_log_batch_destroy(batch);
    }
    lam_log_engine_finish(&log->engine);
    lam_log_keep_finish(&log->keep);
    lam_buffer_finish(&log->root);
    if (log->has_mutexes) {
        pthread_cond_destroy(&log->changed);
        pthread_mutex_destroy(&log->command_mutex);
        pthread_mutex_destroy(&log->mutex);
    }
    lam_log_settings_finish(&log->settings);
    lam_free(&allocator, log, sizeof *log);
}

/* --- Records ------------------------------------------------------------------------------- */

lam_record_sink lam_log_sink(lam_log *log) {
    return lam_log_producer_sink(log != NULL ? log->own : NULL);
}

/* The schema of the log's own producer and of triples. */
static const lam_log_generation *newest_generation(lam_log *log) {
    pthread_mutex_lock(&log->mutex);
    const lam_log_generation *newest = log->newest;
    pthread_mutex_unlock(&log->mutex);
    return newest;
}

const lam_schema *lam_log_schema(const lam_log *log) {
    return log != NULL ? newest_generation((lam_log *)(uintptr_t)log)->schema : NULL;
}

/* All columns are checked before any record is taken. */
static lam_status check_columns(const lam_schema *schema, const lam_triples *columns,
                                size_t record_count, lam_error *error) {
    for (size_t i = 0; i < schema->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(schema, i);
        lam_status status =
            lam_triples_check(lam_kernels_get(), leaf, &columns[i], record_count, error);
        if (status != LAM_STATUS_OK)
            lam_error_of_leaf(error, leaf);
        LAM_TRY(status);
    }
    return LAM_STATUS_OK;
}

/* Copies the next records, and hands them over; `rest` moves on. */
static lam_status write_batch(lam_log *log, const lam_log_generation *generation,
                              lam_triple_batch *rest, lam_triples *next, size_t record_count,
                              lam_error *error) {
    const lam_schema *schema = generation->schema;
    lam_log_batch *batch;
    lam_triple_batches_cut(lam_kernels_get(), schema, rest, record_count);
    for (size_t i = 0; i < schema->leaf_count; i++)
        next[i] = rest[i].next;
    LAM_TRY(lam_log_batch_copy(generation, next, record_count, &log->settings.intake_allocator,
                               &batch, error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        rest[i].rest = rest[i].after;
    return lam_log_hand_over_batch(log, batch, error);
}

/* Records to take next: few enough that a batch stays small, but one at least. */
static size_t next_record_count(const lam_log *log, const lam_schema *schema,
                                lam_triple_batch *rest, size_t left) {
    uint64_t most = lam_log_batch_bytes(&log->settings.options, schema);
    size_t records = lam_log_batch_records(&log->settings.options, LAM_BATCH_RECORDS);
    size_t count = left < records ? left : records;
    if (lam_triple_batches_cut(lam_kernels_get(), schema, rest, count) <= most)
        return count;
    return lam_triple_batches_find(schema, rest, most);
}

lam_status lam_log_write_triples(lam_log *log, const lam_triples *columns, size_t record_count,
                                 lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    void *memory;
    LAM_TRY(lam_log_check_usable(log, error));
    const lam_log_generation *generation = newest_generation(log);
    const lam_schema *schema = generation->schema;
    LAM_TRY(check_columns(schema, columns, record_count, error));
    const size_t element = sizeof(lam_triple_batch) + sizeof(lam_triples);
    LAM_TRY(lam_alloc_array(&log->settings.allocator, schema->leaf_count, element, &memory, error));
    lam_triple_batch *rest = memory;
    lam_triples *next = (lam_triples *)(void *)(rest + schema->leaf_count);
    for (size_t i = 0; i < schema->leaf_count; i++)
        rest[i].rest = columns[i];
    while (record_count > 0) {
        size_t count = next_record_count(log, schema, rest, record_count);
        LAM_TRY_OUT(write_batch(log, generation, rest, next, count, error));
        record_count -= count;
    }
out:
    lam_free(&log->settings.allocator, memory, schema->leaf_count * element);
    return status;
}

/* --- Schemas ------------------------------------------------------------------------------- */

lam_status lam_log_widen(lam_log *log, const lam_schema *schema, lam_error *error) {
    lam_log_command command = {LAM_LOG_COMMAND_WIDEN, schema, false, LAM_STATUS_OK,
                               lam_error_none()};
    LAM_TRY(lam_log_check_usable(log, error));
    LAM_TRY(lam_schema_require(schema, error));
    if (!log->is_folder)
        LAM_FAIL(error, LAM_STATUS_STATE, "a log of one file has one schema");
    LAM_TRY(lam_writer_check_new_schema(schema, &log->settings.allocator, error));
    LAM_TRY(lam_log_schema_check_wider(newest_generation(log)->schema, schema,
                                       &log->settings.allocator, error));
    return lam_log_run_command(log, &command, error);
}

/* --- Time and durability ------------------------------------------------------------------- */

lam_status lam_log_poll(lam_log *log, uint64_t *ret_wait_ms, lam_error *error) {
    enum { NS_PER_MS = 1000000 };
    uint64_t due = UINT64_MAX, wait = UINT64_MAX;
    LAM_TRY(lam_log_check_usable(log, error));
    if (!log->has_thread) {
        const lam_clock *clock = &log->settings.clock;
        lam_error failure = lam_error_none();
        (void)lam_log_collect(log);
        lam_status status = lam_log_drain(log, &failure);
        if (status == LAM_STATUS_OK && atomic_exchange(&log->wants_checkpoint, false))
            status = lam_log_engine_checkpoint(&log->engine, &failure);
        if (status == LAM_STATUS_OK)
            status = lam_log_engine_poll(&log->engine, &due, &failure);
        LAM_TRY(lam_log_keep_failure(log, status, &failure, error));
        uint64_t now = clock->monotonic(clock->state);
        if (due != UINT64_MAX)
            wait = due > now ? (due - now + NS_PER_MS - 1) / NS_PER_MS : 0;
    }
    if (ret_wait_ms != NULL)
        *ret_wait_ms = wait;
    return LAM_STATUS_OK;
}

lam_status lam_log_checkpoint(lam_log *log, lam_error *error) {
    lam_log_command command = {LAM_LOG_COMMAND_CHECKPOINT, NULL, false, LAM_STATUS_OK,
                               lam_error_none()};
    LAM_TRY(lam_log_check_usable(log, error));
    return lam_log_run_command(log, &command, error);
}

void lam_log_request_checkpoint(lam_log *log) {
    atomic_store(&log->wants_checkpoint, true);
    lam_log_thread_wake(log);
}

lam_status lam_log_rotate(lam_log *log, lam_error *error) {
    lam_log_command command = {LAM_LOG_COMMAND_ROTATE, NULL, false, LAM_STATUS_OK,
                               lam_error_none()};
    LAM_TRY(lam_log_check_usable(log, error));
    if (!log->is_folder)
        LAM_FAIL(error, LAM_STATUS_STATE, "a log of one file cannot begin another one");
    return lam_log_run_command(log, &command, error);
}

lam_status lam_log_get_info(lam_log *log, lam_log_info *ret_info, lam_error *error) {
    lam_log_info info = lam_log_info_default();
    if (log == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no log (NULL)");
    const lam_log_counts *counts = &log->counts;
    pthread_mutex_lock(&log->mutex);
    info.accepted = log->accepted;
    for (const lam_log_producer *p = log->producers; p != NULL; p = p->next)
        info.accepted += atomic_load(&p->accepted);
    info.dropped = log->dropped;
    info.queued = log->queue.records;
    pthread_mutex_unlock(&log->mutex);
    info.durable = atomic_load(&counts->durable);
    info.recovered = atomic_load(&counts->recovered);
    info.files = atomic_load(&counts->files);
    info.removed_files = atomic_load(&counts->removed_files);
    info.retention_failures = atomic_load(&counts->retention_failures);
    info.bytes = atomic_load(&counts->closed_bytes) + atomic_load(&counts->open_bytes);
    info.journal_bytes = atomic_load(&counts->journal_bytes);
    info.checkpoints = atomic_load(&counts->checkpoints);
    info.syncs = atomic_load(&counts->syncs);
    info.open_files = atomic_load(&counts->open_files);
    info.memory = lam_budget_used(&log->settings.budget);
    info.memory_peak = lam_budget_peak(&log->settings.budget);
    info.passed_over = atomic_load(&counts->passed_over);
    info.unrecovered = atomic_load(&counts->unrecovered);
    info.put_aside = atomic_load(&counts->put_aside);
    info.incomplete = atomic_load(&counts->incomplete);
    info.has_failed = atomic_load(&log->has_failed);
    return LAM_INFO_WRITE(lam_log_info, &info, ret_info, error);
}

/* --- The end ------------------------------------------------------------------------------- */

/* True when no producer is inside a record. No new record begins meanwhile: has_ended is set. */
static bool all_are_outside(lam_log *log) {
    bool are_outside = true;
    pthread_mutex_lock(&log->mutex);
    for (lam_log_producer *p = log->producers; p != NULL && are_outside; p = p->next) {
        are_outside = lam_log_producer_try_lock(p);
        if (are_outside)
            lam_log_producer_unlock(p);
    }
    pthread_mutex_unlock(&log->mutex);
    return are_outside;
}

/* Waits for records that are open in other threads; without a thread there are none. */
static lam_status wait_for_producers(lam_log *log, lam_error *error) {
    enum { TRIES = 1000, NAP_NS = 1000000 };
    for (int i = 0; !all_are_outside(log); i++) {
        const struct timespec nap = {0, NAP_NS};
        if (!log->has_thread || i == TRIES)
            LAM_FAIL(error, LAM_ERROR_CODE_RECORD_OPEN, "a producer is inside a record");
        nanosleep(&nap, NULL);
    }
    return LAM_STATUS_OK;
}

lam_status lam_log_finish(lam_log *log, lam_error *error) {
    lam_log_command command = {LAM_LOG_COMMAND_END, NULL, false, LAM_STATUS_OK, lam_error_none()};
    LAM_TRY(lam_log_check_usable(log, error));
    atomic_store(&log->has_ended, true);
    lam_status status = wait_for_producers(log, error);
    if (status != LAM_STATUS_OK) {
        atomic_store(&log->has_ended, false);
        return status;
    }
    LAM_TRY(lam_log_run_command(log, &command, error));
    lam_log_thread_stop(log);
    return LAM_STATUS_OK;
}
