/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes records: the verbs of a producer, from one thread, shred them into a batch of its own;
 * gives batches, which are handed over when they are large enough, or when another thread wants
 * them.
 *
 *     begin   lock     open, put, close   shred and check     end   unlock
 *
 * The invariant: the thread with the lock owns the batch. The producer holds it from begin to end,
 * so that a batch is only taken between records; the lock costs one exchange and one store while no
 * other thread wants it. A failed verb unlocks, too. A record costs its producer only the
 * shredding, unless the batch is full.
 */
#define _XOPEN_SOURCE 700
#include <sched.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "log/queue/log_state.h"
#include "record/value_rules.h"
#include "schema/tree.h"

enum { LEVEL_BYTES = 2 }; /* of a triple */

/* --- The lock ------------------------------------------------------------------------------ */

bool lam_log_producer_try_lock(lam_log_producer *producer) {
    return !atomic_exchange_explicit(&producer->is_busy, true, memory_order_acquire);
}

/* Others hold the lock only to exchange a pointer, or to hand over a batch. */
void lam_log_producer_lock(lam_log_producer *producer) {
    while (!lam_log_producer_try_lock(producer))
        sched_yield();
}

void lam_log_producer_unlock(lam_log_producer *producer) {
    atomic_store_explicit(&producer->is_busy, false, memory_order_release);
}

/* --- Verbs --------------------------------------------------------------------------------- */

/* Ends the record for the producer; its batch may be taken. */
static void leave_record(lam_log_producer *producer) {
    producer->in_record = false;
    lam_log_producer_unlock(producer);
}

/* A failed verb has ended its record; the next begin drops its remains in the shredder. */
static lam_status producer_keep_failure(lam_log_producer *producer, lam_status status,
                                        lam_error *error) {
    if (status == LAM_STATUS_OK)
        return status;
    producer->lacks_room |= status == LAM_STATUS_LIMIT;
    leave_record(producer);
    return lam_record_failure_keep(&producer->failure, status, error);
}

/*
 * The slow way into a record: the log is unusable, the batch is missing, or it had no room for a
 * record. It is handed over then: the records after that one are not refused as well.
 */
static lam_status prepare_record(lam_log_producer *producer, lam_error *error) {
    lam_log *log = producer->log;
    LAM_TRY(lam_log_check_usable(log, error));
    if (producer->lacks_room) {
        producer->lacks_room = false;
        if (producer->batch != NULL && lam_shredder_record_count(producer->batch->shredder) > 0)
            LAM_TRY(lam_log_hand_over(
                log, producer, log->settings.options.when_full == LAM_LOG_FULL_BLOCK, error));
    }
    if (producer->batch == NULL) {
        LAM_TRY(lam_log_batch_create(producer->generation, &log->settings.intake_allocator,
                                     &producer->batch, error));
        producer->shredder = lam_shredder_sink(producer->batch->shredder);
        producer->bytes = 0;
    }
    return LAM_STATUS_OK;
}

static lam_status producer_begin(void *state, lam_error *error) {
    lam_log_producer *producer = state;
    lam_error *kept = &producer->failure.error;
    lam_status status = LAM_STATUS_OK;
    lam_record_failure_clear(&producer->failure);
    if (!producer->in_record)
        lam_log_producer_lock(producer);
    producer->in_record = true;
    producer->record_bytes = LEVEL_BYTES * (uint64_t)producer->generation->schema->leaf_count;
    if (producer->batch == NULL || producer->lacks_room ||
        atomic_load_explicit(&producer->log->has_failed, memory_order_relaxed) ||
        atomic_load_explicit(&producer->log->has_ended, memory_order_relaxed))
        status = prepare_record(producer, kept);
    if (status == LAM_STATUS_OK)
        status = producer->shredder.begin(producer->shredder.state, kept);
    return producer_keep_failure(producer, status, error);
}

/* Refuses a verb outside of a record: with the failure that ended it, or because none began. */
static lam_status producer_refuse(lam_log_producer *producer, lam_error *error) {
    lam_error *kept = &producer->failure.error;
    LAM_TRY(lam_record_failure_status(&producer->failure));
    lam_status status = lam_error_set(kept, LAM_ERROR_CODE_RECORD_NOT_OPEN, "no record is open");
    return lam_record_failure_keep(&producer->failure, status, error);
}

static lam_status producer_open(void *state, const lam_field *group, lam_error *error) {
    lam_log_producer *producer = state;
    if (!producer->in_record)
        return producer_refuse(producer, error);
    return producer_keep_failure(
        producer,
        producer->shredder.open(producer->shredder.state, group, &producer->failure.error), error);
}

/* Bits of the bytes of a short text, which has one at least; some are read twice. */
static inline uint64_t bits_of_few(const uint8_t *data, size_t size) {
    uint32_t first, last;
    if (size < sizeof first)
        return (uint64_t)(data[0] | data[size / 2] | data[size - 1]);
    memcpy(&first, data, sizeof first);
    memcpy(&last, data + size - sizeof last, sizeof last);
    return first | last;
}

/* Text of at most 64 bytes that is ASCII, and so UTF-8; empty text is left to others. */
static inline bool is_short_ascii(lam_bytes text) {
    uint64_t bits, word;
    if (text.data == NULL || text.size == 0 || text.size > 64)
        return false;
    if (text.size < sizeof word) {
        bits = bits_of_few(text.data, text.size);
    } else {
        memcpy(&bits, text.data + text.size - sizeof bits, sizeof bits);
        for (size_t at = 0; at + sizeof word <= text.size; at += sizeof word) {
            memcpy(&word, text.data + at, sizeof word);
            bits |= word;
        }
    }
    return (bits & UINT64_C(0x8080808080808080)) == 0;
}

/* True when lam_value_check would find no fault: most values cost a producer no call for that. */
static inline bool is_plainly_valid(const lam_field *leaf, lam_value value) {
    switch (leaf->logical_type.kind) {
    case LAM_LOGICAL_NONE:
    case LAM_LOGICAL_DATE:
    case LAM_LOGICAL_TIMESTAMP:
        return true;
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        return is_short_ascii(value.bytes);
    default:
        return false;
    }
}

/* Bytes that the value takes in a batch. */
static inline uint64_t bytes_in_batch(const lam_field *leaf, lam_value value) {
    return LEVEL_BYTES + lam_element_size(leaf) +
           (leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY ? value.bytes.size : 0);
}

/* The value goes to the shredder first: a leaf that does not fit is the failure to report. */
static lam_status put_and_check(lam_log_producer *producer, const lam_field *leaf, lam_value value,
                                lam_error *error) {
    lam_error *kept = &producer->failure.error;
    if (!producer->in_record)
        return producer_refuse(producer, error);
    lam_status status = producer->shredder.put(producer->shredder.state, leaf, value, kept);
    if (status == LAM_STATUS_OK) {
        producer->record_bytes += bytes_in_batch(leaf, value);
        status = lam_value_check(leaf, &value, kept);
    }
    return producer_keep_failure(producer, status, error);
}

/* Counts the bytes before: after a failure they do not matter. */
static lam_status producer_put(void *state, const lam_field *leaf, lam_value value,
                               lam_error *error) {
    lam_log_producer *producer = state;
    if (leaf == NULL || !producer->in_record || !is_plainly_valid(leaf, value))
        return put_and_check(producer, leaf, value, error);
    producer->record_bytes += bytes_in_batch(leaf, value);
    lam_status status =
        producer->shredder.put(producer->shredder.state, leaf, value, &producer->failure.error);
    return status == LAM_STATUS_OK ? status : producer_keep_failure(producer, status, error);
}

static lam_status producer_close(void *state, const lam_field *group, lam_error *error) {
    lam_log_producer *producer = state;
    if (!producer->in_record)
        return producer_refuse(producer, error);
    lam_status status =
        producer->shredder.close(producer->shredder.state, group, &producer->failure.error);
    if (status == LAM_STATUS_OK) /* nulls of fields that did not appear */
        producer->record_bytes += LEVEL_BYTES * (uint64_t)group->leaf_count;
    return producer_keep_failure(producer, status, error);
}

/* Refuses a record that encoding might have no room for. */
static lam_status check_record_size(const lam_log_producer *producer, uint64_t bytes,
                                    lam_error *error) {
    const lam_log_settings *settings = &producer->log->settings;
    if (bytes > producer->record_limit)
        LAM_FAIL(
            error, LAM_ERROR_CODE_RECORD_LIMIT,
            "a record of about %llu bytes is above an eighth of the memory limit of %llu (option "
            "memory_limit)",
            (unsigned long long)bytes, (unsigned long long)settings->options.memory_limit);
    return LAM_STATUS_OK;
}

/*
 * Ends the record in the shredder. Its bytes were counted as they came: to ask each column at each
 * record would cost as much as a few values do.
 */
static lam_status producer_end_record(lam_log_producer *producer, lam_error *error) {
    LAM_TRY(check_record_size(producer, producer->record_bytes, error));
    LAM_TRY(producer->shredder.end(producer->shredder.state, error));
    producer->bytes += producer->record_bytes;
    return LAM_STATUS_OK;
}

/* Hands over a batch that is full, wanted, or to be durable at once; else leaves it. */
static lam_status leave_batch(lam_log_producer *producer, lam_error *error) {
    lam_log *log = producer->log;
    size_t records = lam_shredder_record_count(producer->batch->shredder);
    bool waits = log->settings.options.sync == LAM_LOG_SYNC_RECORD;
    if (!waits && records < producer->batch_records && producer->bytes < producer->batch_bytes &&
        !atomic_load_explicit(&producer->is_wanted, memory_order_relaxed) &&
        !atomic_load_explicit(&log->wants_checkpoint, memory_order_relaxed)) {
        if (records == 1 && log->has_thread && !atomic_exchange(&log->has_open_batches, true))
            lam_log_thread_wake(log);
        return LAM_STATUS_OK;
    }
    return lam_log_hand_over(log, producer, waits, error);
}

/*
 * The record counts once the shredder has it. A later failure is the log's, not the record's, but
 * this call reports it.
 */
static lam_status producer_end(void *state, lam_error *error) {
    lam_log_producer *producer = state;
    if (!producer->in_record) {
        (void)producer_refuse(producer, NULL);
        return lam_record_failure_end(&producer->failure, error);
    }
    lam_status status = producer_end_record(producer, &producer->failure.error);
    if (status != LAM_STATUS_OK) {
        (void)producer_keep_failure(producer, status, NULL);
        return lam_record_failure_end(&producer->failure, error);
    }
    uint64_t accepted = atomic_load_explicit(&producer->accepted, memory_order_relaxed);
    atomic_store_explicit(&producer->accepted, accepted + 1, memory_order_relaxed);
    status = leave_batch(producer, error);
    leave_record(producer);
    return status;
}

static lam_status producer_fail(void *state, const lam_error *failure, lam_error *error) {
    lam_log_producer *producer = state;
    if (producer->in_record)
        leave_record(producer);
    return lam_record_failure_take(&producer->failure, failure, error);
}

/* --- Producers ----------------------------------------------------------------------------- */

lam_record_sink lam_log_producer_sink(lam_log_producer *producer) {
    lam_record_sink sink = {producer,       producer_begin, producer_open, producer_put,
                            producer_close, producer_end,   producer_fail};
    return producer != NULL ? sink : lam_record_sink_of_nobody();
}

lam_status lam_log_producer_create(lam_log *log, lam_log_producer **ret_producer,
                                   lam_error *error) {
    LAM_TRY(lam_log_check_usable(log, error));
    lam_log_producer *producer;
    LAM_TRY(LAM_NEW(&log->settings.allocator, &producer, error));
    producer->log = log;
    lam_record_failure_init(&producer->failure);
    pthread_mutex_lock(&log->mutex);
    producer->generation = log->newest;
    producer->record_limit = lam_log_record_limit(&log->settings);
    producer->batch_bytes =
        lam_log_batch_bytes(&log->settings.options, producer->generation->schema);
    producer->batch_records = lam_log_batch_records(&log->settings.options, LAM_LOG_BATCH_RECORDS);
    producer->next = log->producers;
    log->producers = producer;
    pthread_mutex_unlock(&log->mutex);
    *ret_producer = producer;
    return LAM_STATUS_OK;
}

/* Takes the producer off the list; afterwards no other thread knows it. */
static void unlist_producer(lam_log *log, lam_log_producer *producer) {
    pthread_mutex_lock(&log->mutex);
    lam_log_producer **at = &log->producers;
    while (*at != producer)
        at = &(*at)->next;
    *at = producer->next;
    log->accepted += atomic_load(&producer->accepted);
    pthread_mutex_unlock(&log->mutex);
}

void lam_log_producer_destroy(lam_log_producer *producer) {
    if (producer == NULL)
        return;
    lam_log *log = producer->log;
    lam_allocator allocator = log->settings.allocator;
    unlist_producer(log, producer);
    if (!producer->in_record)
        lam_log_producer_lock(producer);
    if (producer->batch != NULL && lam_shredder_record_count(producer->batch->shredder) > 0 &&
        lam_log_check_usable(log, NULL) == LAM_STATUS_OK)
        (void)lam_log_hand_over(log, producer, false, NULL);
    lam_log_batch_destroy(producer->batch);
    lam_free(&allocator, producer, sizeof *producer);
}
