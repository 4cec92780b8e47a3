/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves batches from producers to the engine: takes batches, from any thread, and calls the engine,
 * by one thread at a time: the log's own if it has one, else the caller's.
 *
 *     producer -> [ queue, at most queue_bytes ] -> engine
 *                   full: wait, drop this batch, drop the oldest
 *
 * The invariant: a batch in the queue has a ticket, tickets are done in order, and dropped batches
 * are counted. Locks are taken in the order producer, mutex; no thread waits for a producer's lock
 * with the mutex held.
 */
#include <string.h>

#include "base/error.h"
#include "file/write/triple_batch.h"
#include "log/queue/log_state.h"

/* --- Failures ------------------------------------------------------------------------------ */

/* Repeats the first failure as it was: a caller that gets it from the log's thread learns as much
 * as one whose own call failed. */
static lam_status log_fail_again(lam_log *log, lam_error *error) {
    pthread_mutex_lock(&log->mutex);
    lam_status status = log->failed;
    if (error != NULL)
        *error = log->failure;
    pthread_mutex_unlock(&log->mutex);
    return status;
}

lam_status lam_log_check_usable(lam_log *log, lam_error *error) {
    if (log == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no log (NULL)");
    if (atomic_load(&log->has_failed))
        return log_fail_again(log, error);
    if (atomic_load(&log->has_ended))
        LAM_FAIL(error, LAM_ERROR_CODE_WRITER_FINISHED, "the log is finished");
    return LAM_STATUS_OK;
}

lam_status lam_log_keep_failure(lam_log *log, lam_status status, const lam_error *failure,
                                lam_error *error) {
    if (status == LAM_STATUS_OK)
        return status;
    pthread_mutex_lock(&log->mutex);
    if (log->failed == LAM_STATUS_OK) {
        log->failed = status;
        log->failure = *failure;
    }
    atomic_store(&log->has_failed, true);
    pthread_cond_broadcast(&log->changed);
    pthread_mutex_unlock(&log->mutex);
    if (error != NULL)
        *error = *failure;
    return status;
}

/* --- Batches ------------------------------------------------------------------------------- */

/*
 * Keeps an empty batch for the next producer of its schema, or frees it: fresh memory costs a
 * producer page faults, so as many are kept as the queue has room for. Slow work happens without
 * the mutex, for which producers wait.
 */
static void recycle(lam_log *log, lam_log_batch *batch) {
    const lam_budget *intake = &log->settings.intake;
    bool is_kept = batch->shredder != NULL;
    if (is_kept) {
        const lam_log_options *options = &log->settings.options;
        uint64_t bytes = batch->bytes;
        uint64_t usual = lam_log_batch_bytes(options, batch->generation->schema);
        lam_log_batch_clear(batch);
        pthread_mutex_lock(&log->mutex);
        is_kept = batch->generation == log->newest && bytes < 2 * usual &&
                  lam_budget_used(intake) <= intake->most / 2 &&
                  log->queue.bytes + (log->spare_count + 1) * usual <= options->queue_bytes;
        if (is_kept) {
            batch->next = log->spare;
            log->spare = batch;
            log->spare_count++;
        }
        pthread_mutex_unlock(&log->mutex);
    }
    if (!is_kept)
        lam_log_batch_destroy(batch);
}

/* A batch for the producer in place of the one that it handed over; NULL: it makes one itself. */
static lam_log_batch *take_spare(lam_log *log, const lam_log_generation *generation) {
    lam_log_batch *batch = log->spare;
    if (batch == NULL || batch->generation != generation)
        return NULL;
    log->spare = batch->next;
    log->spare_count--;
    batch->next = NULL;
    return batch;
}

/*
 * Whether the queue has no room for a batch of `bytes`; an empty one always has. The memory counts
 * as well: a batch of one record takes far more than its bytes. The mutex is held.
 */
static bool queue_is_full(const lam_log *log, uint64_t bytes) {
    const lam_budget *intake = &log->settings.intake;
    return log->queue.first != NULL &&
           (log->queue.bytes + bytes > log->settings.options.queue_bytes ||
            lam_budget_used(intake) > intake->most / 2);
}

/* Takes the oldest batches out until `bytes` have room. The mutex is held. */
static void drop_oldest(lam_log *log, uint64_t bytes, lam_log_queue *dropped) {
    while (queue_is_full(log, bytes))
        lam_log_queue_push(dropped, lam_log_queue_pop(&log->queue));
    log->dropped += dropped->records;
}

/*
 * Puts a batch into the queue as the policy says; the mutex is held. False when it is to be
 * dropped, as are the batches in `dropped`. A batch that alone is larger than the queue has room in
 * an empty one.
 */
static bool push_batch(lam_log *log, lam_log_batch *batch, lam_log_queue *dropped) {
    const lam_log_options *options = &log->settings.options;
    if (options->when_full == LAM_LOG_FULL_DROP_OLDEST)
        drop_oldest(log, batch->bytes, dropped);
    while (queue_is_full(log, batch->bytes) && log->failed == LAM_STATUS_OK) {
        if (options->when_full == LAM_LOG_FULL_DROP_NEWEST) {
            log->dropped += batch->record_count;
            return false;
        }
        pthread_cond_wait(&log->changed, &log->mutex);
    }
    batch->ticket = ++log->tickets;
    lam_log_queue_push(&log->queue, batch);
    return true;
}

/* Sets the producer's next batch. */
static void give_batch(lam_log_producer *producer, lam_log_batch *batch) {
    producer->batch = batch;
    producer->bytes = 0;
    if (batch != NULL)
        producer->shredder = lam_shredder_sink(batch->shredder);
}

/*
 * Gives a batch to an engine with a thread of its own; with `waits`, waits until it is durable. The
 * producer, if there is one, gets another batch in its place.
 */
static lam_status enqueue(lam_log *log, lam_log_batch *batch, lam_log_producer *producer,
                          bool waits, lam_error *error) {
    lam_log_queue dropped = {NULL, NULL, 0, 0};
    lam_log_batch *oldest;
    pthread_mutex_lock(&log->mutex);
    bool is_queued = push_batch(log, batch, &dropped);
    uint64_t ticket = is_queued ? batch->ticket : 0;
    if (producer != NULL)
        give_batch(producer, take_spare(log, producer->generation));
    pthread_mutex_unlock(&log->mutex);
    lam_log_thread_wake(log);
    if (!is_queued)
        recycle(log, batch);
    while ((oldest = lam_log_queue_pop(&dropped)) != NULL)
        recycle(log, oldest);
    if (!waits || !is_queued)
        return LAM_STATUS_OK;
    pthread_mutex_lock(&log->mutex);
    while (log->tickets_done < ticket && log->failed == LAM_STATUS_OK)
        pthread_cond_wait(&log->changed, &log->mutex);
    bool is_done = log->tickets_done >= ticket;
    pthread_mutex_unlock(&log->mutex);
    return is_done ? LAM_STATUS_OK : log_fail_again(log, error);
}

static lam_status engine_take(lam_log *log, const lam_log_batch *batch, lam_error *error) {
    return lam_log_engine_write(&log->engine, batch->generation, batch->columns,
                                batch->record_count, batch->bytes, error);
}

/* Has the engine write one batch now, in this thread, and do what is due. */
static lam_status write_here(lam_log *log, lam_log_batch *batch, lam_error *error) {
    uint64_t due;
    LAM_TRY(engine_take(log, batch, error));
    LAM_TRY(lam_log_engine_commit(&log->engine, error));
    return lam_log_engine_poll(&log->engine, &due, error);
}

lam_status lam_log_hand_over(lam_log *log, lam_log_producer *producer, bool waits,
                             lam_error *error) {
    lam_log_batch *batch = producer->batch;
    atomic_store(&producer->is_wanted, false);
    lam_log_batch_fill(batch);
    if (log->has_thread)
        return enqueue(log, batch, producer, waits, error);
    lam_error failure = lam_error_none();
    lam_status status = write_here(log, batch, &failure);
    lam_log_batch_clear(batch);
    give_batch(producer, batch);
    LAM_TRY(lam_log_keep_failure(log, status, &failure, error));
    if (atomic_exchange(&log->wants_checkpoint, false)) {
        status = lam_log_engine_checkpoint(&log->engine, &failure);
        LAM_TRY(lam_log_keep_failure(log, status, &failure, error));
    }
    return LAM_STATUS_OK;
}

lam_status lam_log_hand_over_batch(lam_log *log, lam_log_batch *batch, lam_error *error) {
    pthread_mutex_lock(&log->mutex);
    log->accepted += batch->record_count;
    pthread_mutex_unlock(&log->mutex);
    if (log->has_thread)
        return enqueue(log, batch, NULL, log->settings.options.sync == LAM_LOG_SYNC_RECORD, error);
    lam_error failure = lam_error_none();
    lam_status status = write_here(log, batch, &failure);
    lam_log_batch_destroy(batch);
    return lam_log_keep_failure(log, status, &failure, error);
}

/* --- Collecting ---------------------------------------------------------------------------- */

/*
 * Takes the batch of one producer into `taken`, if it has records and no thread is inside one. The
 * mutex is held, so that the producer stays; its lock is only tried. False when a thread is inside
 * a record: that hands its batch over, or was already past that point.
 */
static bool collect_batch(lam_log *log, lam_log_producer *producer, lam_log_queue *taken) {
    if (!lam_log_producer_try_lock(producer)) {
        atomic_store(&producer->is_wanted, true);
        return false;
    }
    lam_log_batch *batch = producer->batch;
    if (batch != NULL && lam_shredder_record_count(batch->shredder) > 0) {
        lam_log_batch_fill(batch);
        give_batch(producer, take_spare(log, producer->generation));
        lam_log_queue_push(taken, batch);
    }
    lam_log_producer_unlock(producer);
    return true;
}

/* The thread that collects is the one that empties the queue, so it must not wait for room. */
bool lam_log_collect(lam_log *log) {
    lam_log_queue taken = {NULL, NULL, 0, 0};
    lam_log_batch *batch;
    bool are_all = true;
    pthread_mutex_lock(&log->mutex);
    for (lam_log_producer *producer = log->producers; producer != NULL; producer = producer->next)
        are_all &= collect_batch(log, producer, &taken);
    while ((batch = lam_log_queue_pop(&taken)) != NULL) {
        batch->ticket = ++log->tickets;
        lam_log_queue_push(&log->queue, batch);
    }
    pthread_mutex_unlock(&log->mutex);
    return are_all;
}

/* --- The engine's side --------------------------------------------------------------------- */

/* The next batch of the queue, or NULL; room in it is announced. */
static lam_log_batch *next_in_queue(lam_log *log) {
    pthread_mutex_lock(&log->mutex);
    lam_log_batch *batch = lam_log_queue_pop(&log->queue);
    if (batch != NULL)
        pthread_cond_broadcast(&log->changed);
    pthread_mutex_unlock(&log->mutex);
    return batch;
}

/*
 * All batches in the queue are written before one commit, so that a sync serves all producers that
 * wait; their number is bounded by the queue.
 */
lam_status lam_log_drain(lam_log *log, lam_error *error) {
    enum { COMMIT_BATCHES = 16 };
    lam_log_batch *batch = NULL;
    do {
        uint64_t ticket = 0, due;
        for (int i = 0; i < COMMIT_BATCHES && (batch = next_in_queue(log)) != NULL; i++) {
            lam_status status = engine_take(log, batch, error);
            ticket = batch->ticket;
            recycle(log, batch);
            LAM_TRY(status);
        }
        if (ticket == 0)
            return LAM_STATUS_OK;
        LAM_TRY(lam_log_engine_commit(&log->engine, error));
        LAM_TRY(lam_log_engine_poll(&log->engine, &due, error));
        pthread_mutex_lock(&log->mutex);
        log->tickets_done = ticket;
        pthread_cond_broadcast(&log->changed);
        pthread_mutex_unlock(&log->mutex);
    } while (batch != NULL);
    return LAM_STATUS_OK;
}

/* --- Commands ------------------------------------------------------------------------------ */

lam_status lam_log_execute(lam_log *log, const lam_log_command *command, lam_error *error) {
    switch (command->kind) {
    case LAM_LOG_COMMAND_CHECKPOINT:
        return lam_log_engine_checkpoint(&log->engine, error);
    case LAM_LOG_COMMAND_ROTATE:
        return lam_log_engine_rotate(&log->engine, error);
    case LAM_LOG_COMMAND_END:
        return lam_log_engine_end(&log->engine, error);
    default: /* WIDEN */
        LAM_TRY(lam_log_engine_add_schema(&log->engine, command->schema, error));
        pthread_mutex_lock(&log->mutex);
        log->newest = log->engine.generations;
        pthread_mutex_unlock(&log->mutex);
        return LAM_STATUS_OK;
    }
}

/* Without a thread: the producers' batches go first. A schema that is refused is no failure. */
static lam_status run_here(lam_log *log, lam_log_command *command, lam_error *error) {
    lam_error failure = lam_error_none();
    (void)lam_log_collect(log);
    lam_status status = lam_log_drain(log, &failure);
    if (status == LAM_STATUS_OK)
        status = lam_log_execute(log, command, &failure);
    if (command->kind == LAM_LOG_COMMAND_WIDEN && status != LAM_STATUS_OK) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    return lam_log_keep_failure(log, status, &failure, error);
}

lam_status lam_log_run_command(lam_log *log, lam_log_command *command, lam_error *error) {
    if (!log->has_thread)
        return run_here(log, command, error);
    pthread_mutex_lock(&log->command_mutex);
    pthread_mutex_lock(&log->mutex);
    command->is_done = false;
    log->command = command;
    pthread_mutex_unlock(&log->mutex);
    lam_log_thread_wake(log);
    pthread_mutex_lock(&log->mutex);
    while (!command->is_done && log->failed == LAM_STATUS_OK)
        pthread_cond_wait(&log->changed, &log->mutex);
    log->command = NULL;
    bool is_done = command->is_done;
    pthread_mutex_unlock(&log->mutex);
    pthread_mutex_unlock(&log->command_mutex);
    if (!is_done)
        return log_fail_again(log, error);
    if (command->status != LAM_STATUS_OK && error != NULL)
        *error = command->error;
    return command->status;
}
