/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a log, for its sources: log.c opens and ends it, log_producer.c takes records,
 * log_handover.c moves batches to the engine, and log_thread.c drives the engine in a thread.
 *
 *     producers   log_producer.c    one lock each, taken for a record or to steal its batch
 *     queue       log_handover.c    `mutex`
 *     engine      log_thread.c, or the caller's thread without one: no lock
 */
#ifndef LAM_LOG_QUEUE_LOG_STATE_H
#define LAM_LOG_QUEUE_LOG_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "log/files/log_batch.h"
#include "log/files/log_engine.h"
#include "log/files/log_keep.h"
#include "record/record_failure.h"
#include "schema/tree.h"

enum {
    LAM_LOG_BATCH_RECORDS = 4096,    /* of a producer, before it hands them over */
    LAM_LOG_BATCH_BYTES = 1 << 18,   /* stays in the cache of a core, */
    LAM_LOG_BATCH_LEAF_BYTES = 2048, /* but the engine has something to do for each leaf */
    LAM_LOG_QUEUE_BATCHES = 16 /* that the queue has room for at least: a batch takes several times
                                  its bytes while it is filled */
};

/* Bytes of a batch at which it is handed over. */
static inline uint64_t lam_log_batch_bytes(const lam_log_options *options,
                                           const lam_schema *schema) {
    uint64_t bytes = (uint64_t)schema->leaf_count * LAM_LOG_BATCH_LEAF_BYTES;
    if (bytes < LAM_LOG_BATCH_BYTES)
        bytes = LAM_LOG_BATCH_BYTES;
    uint64_t most = options->queue_bytes / LAM_LOG_QUEUE_BATCHES;
    return bytes < most ? bytes : most;
}

/* Records of a batch likewise: no more than a checkpoint by rows waits for. */
static inline size_t lam_log_batch_records(const lam_log_options *options, size_t most) {
    return options->checkpoint_rows > 0 && options->checkpoint_rows < most
               ? (size_t)options->checkpoint_rows
               : most;
}

/* What a caller wants from the engine. */
typedef enum lam_log_command_kind {
    LAM_LOG_COMMAND_NONE,
    LAM_LOG_COMMAND_CHECKPOINT,
    LAM_LOG_COMMAND_ROTATE,
    LAM_LOG_COMMAND_WIDEN,
    LAM_LOG_COMMAND_END
} lam_log_command_kind;

typedef struct lam_log_command {
    lam_log_command_kind kind;
    const lam_schema *schema; /* of WIDEN */
    bool is_done;
    lam_status status;
    lam_error error;
} lam_log_command;

struct lam_log_producer {
    lam_log *log;
    atomic_bool is_busy;   /* its own thread is inside a record, or its batch is being taken */
    atomic_bool is_wanted; /* somebody waits for its batch: hand it over at the next end */
    bool in_record;
    bool lacks_room; /* a record was refused, as the memory limit has no room in the batch */
    const lam_log_generation *generation;
    lam_log_batch *batch;
    lam_record_sink shredder; /* of the batch */
    uint64_t batch_bytes;     /* at which the batch is handed over */
    size_t batch_records;     /* likewise */
    uint64_t bytes;           /* of the batch's complete records, at most: counts all levels */
    uint64_t record_bytes;    /* of the open record, likewise */
    uint64_t record_limit;    /* that it may have */
    lam_record_failure failure;
    atomic_uint_least64_t accepted;
    lam_log_producer *next; /* of the log's list */
};

struct lam_log {
    lam_log_settings settings; /* must not move */
    lam_log_counts counts;
    lam_log_keep keep;
    lam_log_engine engine;
    lam_buffer root; /* the path, NUL-terminated */
    bool is_folder;

    pthread_mutex_t mutex;  /* protects the following members */
    pthread_cond_t changed; /* the queue has room, a ticket is done, or a command */
    lam_log_queue queue;
    lam_log_batch *spare; /* cleared batches with shredders */
    size_t spare_count;
    lam_log_producer *producers;
    lam_log_generation *newest;
    uint64_t tickets;      /* given to batches */
    uint64_t tickets_done; /* batches below are as durable as the policy makes them at once */
    uint64_t dropped;
    uint64_t accepted;        /* of producers that are gone */
    lam_log_command *command; /* or NULL */
    bool stops;               /* the thread is to end */
    lam_status failed;        /* the first failure of the engine; OK: none */
    lam_error failure;

    pthread_mutex_t command_mutex; /* one command at a time */
    lam_log_producer *own;         /* of lam_log_sink; made with the log */
    atomic_bool has_failed;        /* `failed`, for a look without the mutex */
    atomic_bool has_ended;         /* finished: no more records */
    atomic_bool wants_checkpoint;
    atomic_bool has_open_batches; /* a producer has begun a batch since the thread collected */

    bool has_mutexes;
    bool has_thread;
    pthread_t thread;
    int wake[2]; /* a pipe; a byte written to it wakes the thread. -1: none */
    atomic_bool is_waking;
};

/* --- log.c --------------------------------------------------------------------------------- */

/* Opens a log, as lam_log_open does. What the subject points at is borrowed for the call. */
lam_status lam_log_open_subject(const lam_log_subject *subject, const lam_log_options *given,
                                lam_log **ret_log, lam_error *error);

/* --- log_handover.c ------------------------------------------------------------------------ */

/* The first failure of the engine, or STATE when the log is finished. */
lam_status lam_log_check_usable(lam_log *log, lam_error *error);

/*
 * Takes the batch of a producer, whose lock the caller holds, and gives it another one. With
 * `waits`, returns when the records are as durable as SYNC_RECORD promises.
 */
lam_status lam_log_hand_over(lam_log *log, lam_log_producer *producer, bool waits,
                             lam_error *error);
/* Hands over a batch that belongs to no producer, and counts its records as accepted; it is freed
 * in any case. */
lam_status lam_log_hand_over_batch(lam_log *log, lam_log_batch *batch, lam_error *error);

/* Takes the batches of all producers that are not inside a record; the others hand them over when
 * that ends. False when there are others: one that was just leaving its record may not do so before
 * its next one ends. */
bool lam_log_collect(lam_log *log);

/* Lets the engine do everything in the queue, and commit; for the thread that owns the engine. */
lam_status lam_log_drain(lam_log *log, lam_error *error);

/* Keeps the first failure of the engine, which ends the log; returns `status`. */
lam_status lam_log_keep_failure(lam_log *log, lam_status status, const lam_error *failure,
                                lam_error *error);

/* Executes a command: by the thread, or here without one. */
lam_status lam_log_run_command(lam_log *log, lam_log_command *command, lam_error *error);
/* The same, for the thread that owns the engine, after the queue is drained. */
lam_status lam_log_execute(lam_log *log, const lam_log_command *command, lam_error *error);

/* --- log_producer.c ------------------------------------------------------------------------ */

void lam_log_producer_lock(lam_log_producer *producer);
bool lam_log_producer_try_lock(lam_log_producer *producer);
void lam_log_producer_unlock(lam_log_producer *producer);

/* --- log_thread.c -------------------------------------------------------------------------- */

lam_status lam_log_thread_start(lam_log *log, lam_error *error);
/* Wakes the thread; a signal handler may call it. Has no effect without one. */
void lam_log_thread_wake(lam_log *log);
/* Ends the thread, as soon as its current work is done. */
void lam_log_thread_stop(lam_log *log);

#endif
