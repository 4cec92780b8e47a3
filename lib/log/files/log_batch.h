/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches: records on their way from a producer to the engine, and the queue between the two.
 */
#ifndef LAM_LOG_FILES_LOG_BATCH_H
#define LAM_LOG_FILES_LOG_BATCH_H

#include <lamella/dremel.h>

#include "base/arena.h"
#include "log/files/log_writers.h"

/* Records of one schema as triples: in a shredder, or copied. */
typedef struct lam_log_batch {
    lam_allocator allocator;
    const lam_log_generation *generation;
    lam_shredder *shredder; /* or NULL: the triples are in the arena */
    lam_arena arena;
    lam_triples *columns; /* one per leaf; set by fill */
    size_t record_count;  /* likewise */
    uint64_t bytes;       /* likewise; levels and values */
    uint64_t ticket;      /* its number in the order of the queue, from 1 */
    struct lam_log_batch *next;
} lam_log_batch;

/* An empty batch with a shredder. The generation is borrowed until destroy. */
lam_status lam_log_batch_create(const lam_log_generation *generation,
                                const lam_allocator *allocator, lam_log_batch **ret_batch,
                                lam_error *error);
/* A batch with copies of triples, which are complete records. */
lam_status lam_log_batch_copy(const lam_log_generation *generation, const lam_triples *columns,
                              size_t record_count, const lam_allocator *allocator,
                              lam_log_batch **ret_batch, lam_error *error);
/*
 * The same leaf by leaf: an empty batch without a shredder, then the triples of each leaf, and then
 * the caller sets `record_count`.
 */
lam_status lam_log_batch_begin(const lam_log_generation *generation, const lam_allocator *allocator,
                               lam_log_batch **ret_batch, lam_error *error);
lam_status lam_log_batch_add_leaf(lam_log_batch *batch, size_t leaf_index,
                                  const lam_triples *triples, lam_error *error);
/* NULL is allowed. */
void lam_log_batch_destroy(lam_log_batch *batch);

/* Sets the columns and numbers from the complete records in the shredder. */
void lam_log_batch_fill(lam_log_batch *batch);
/* Forgets the records, and keeps the memory. */
void lam_log_batch_clear(lam_log_batch *batch);

/* Batches in order. */
typedef struct lam_log_queue {
    lam_log_batch *first;
    lam_log_batch *last;
    uint64_t bytes;
    uint64_t records;
} lam_log_queue;

void lam_log_queue_push(lam_log_queue *queue, lam_log_batch *batch);
/* The oldest batch, or NULL. */
lam_log_batch *lam_log_queue_pop(lam_log_queue *queue);

#endif
