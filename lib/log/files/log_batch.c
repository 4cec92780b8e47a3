/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries batches of records from producers to the engine: records in a shredder, or the caller's
 * triples, become columns that the engine reads in another thread, while the producer continues
 * with another batch.
 *
 * The invariant: a batch has one owner at a time, its producer, the queue, or the engine, so that
 * it needs no lock; `bytes` and `record_count` of the queue are the sums over its batches.
 */
#include "log/files/log_batch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "schema/tree.h"

lam_status lam_log_batch_begin(const lam_log_generation *generation, const lam_allocator *allocator,
                               lam_log_batch **ret_batch, lam_error *error) {
    lam_log_batch *batch;
    LAM_TRY(LAM_NEW(allocator, &batch, error));
    batch->allocator = *allocator;
    batch->generation = generation;
    lam_arena_init(&batch->arena, allocator, 0);
    lam_status status =
        LAM_ARENA_ARRAY(&batch->arena, generation->schema->leaf_count, &batch->columns, error);
    if (status != LAM_STATUS_OK) {
        lam_log_batch_destroy(batch);
        return status;
    }
    *ret_batch = batch;
    return LAM_STATUS_OK;
}

lam_status lam_log_batch_create(const lam_log_generation *generation,
                                const lam_allocator *allocator, lam_log_batch **ret_batch,
                                lam_error *error) {
    lam_log_batch *batch;
    LAM_TRY(lam_log_batch_begin(generation, allocator, &batch, error));
    lam_status status = lam_shredder_create(generation->schema, allocator, &batch->shredder, error);
    if (status != LAM_STATUS_OK) {
        lam_log_batch_destroy(batch);
        return status;
    }
    *ret_batch = batch;
    return LAM_STATUS_OK;
}

void lam_log_batch_destroy(lam_log_batch *batch) {
    if (batch == NULL)
        return;
    lam_allocator allocator = batch->allocator;
    lam_shredder_destroy(batch->shredder);
    lam_arena_finish(&batch->arena);
    lam_free(&allocator, batch, sizeof *batch);
}

/* --- Copies -------------------------------------------------------------------------------- */

/* A copy of levels; NULL stays NULL. */
static lam_status copy_levels(lam_arena *arena, const uint8_t *levels, size_t count,
                              const uint8_t **ret_levels, lam_error *error) {
    uint8_t *copy = NULL;
    if (levels != NULL) {
        LAM_TRY(lam_arena_bytes(arena, count, &copy, error));
        memcpy(copy, levels, count);
    }
    *ret_levels = copy;
    return LAM_STATUS_OK;
}

/* A copy of byte arrays, with the bytes themselves back to back. */
static lam_status copy_byte_arrays(lam_arena *arena, const lam_triples *triples, uint64_t *bytes,
                                   void **ret_values, lam_error *error) {
    const lam_bytes *from = triples->values;
    lam_bytes *to;
    uint8_t *next;
    size_t size = 0;
    for (size_t i = 0; i < triples->value_count; i++)
        size += from[i].size;
    LAM_TRY(LAM_ARENA_ARRAY(arena, triples->value_count, &to, error));
    LAM_TRY(lam_arena_bytes(arena, size, &next, error));
    for (size_t i = 0; i < triples->value_count; i++) {
        if (from[i].size > 0)
            memcpy(next, from[i].data, from[i].size);
        to[i] = (lam_bytes){next, from[i].size};
        next += from[i].size;
    }
    *bytes += size;
    *ret_values = to;
    return LAM_STATUS_OK;
}

lam_status lam_log_batch_add_leaf(lam_log_batch *batch, size_t leaf_index,
                                  const lam_triples *triples, lam_error *error) {
    const lam_field *leaf = lam_leaf_at(batch->generation->schema, leaf_index);
    lam_triples *copy = &batch->columns[leaf_index];
    size_t element = lam_element_size(leaf);
    void *values = NULL;
    *copy = *triples;
    LAM_TRY(
        copy_levels(&batch->arena, triples->repetition, triples->count, &copy->repetition, error));
    LAM_TRY(
        copy_levels(&batch->arena, triples->definition, triples->count, &copy->definition, error));
    if (leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY) {
        LAM_TRY(copy_byte_arrays(&batch->arena, triples, &batch->bytes, &values, error));
    } else if (triples->value_count > 0) {
        LAM_TRY(lam_arena_array(&batch->arena, triples->value_count, element, &values, error));
        memcpy(values, triples->values, triples->value_count * element);
    }
    copy->values = values;
    batch->bytes += 2 * (uint64_t)triples->count + triples->value_count * (uint64_t)element;
    return LAM_STATUS_OK;
}

lam_status lam_log_batch_copy(const lam_log_generation *generation, const lam_triples *columns,
                              size_t record_count, const lam_allocator *allocator,
                              lam_log_batch **ret_batch, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_log_batch *batch;
    LAM_TRY(lam_log_batch_begin(generation, allocator, &batch, error));
    for (size_t i = 0; i < generation->schema->leaf_count; i++)
        LAM_TRY_OUT(lam_log_batch_add_leaf(batch, i, &columns[i], error));
    batch->record_count = record_count;
    *ret_batch = batch;
    return LAM_STATUS_OK;
out:
    lam_log_batch_destroy(batch);
    return status;
}

/* --- Shredders ----------------------------------------------------------------------------- */

void lam_log_batch_fill(lam_log_batch *batch) {
    for (size_t i = 0; i < batch->generation->schema->leaf_count; i++)
        batch->columns[i] = lam_shredder_triples(batch->shredder, i);
    batch->record_count = lam_shredder_record_count(batch->shredder);
    batch->bytes = lam_shredder_byte_count(batch->shredder);
}

void lam_log_batch_clear(lam_log_batch *batch) {
    lam_shredder_clear(batch->shredder);
    batch->record_count = 0;
    batch->bytes = 0;
}

/* --- The queue ----------------------------------------------------------------------------- */

void lam_log_queue_push(lam_log_queue *queue, lam_log_batch *batch) {
    batch->next = NULL;
    if (queue->last != NULL)
        queue->last->next = batch;
    else
        queue->first = batch;
    queue->last = batch;
    queue->bytes += batch->bytes;
    queue->records += batch->record_count;
}

lam_log_batch *lam_log_queue_pop(lam_log_queue *queue) {
    lam_log_batch *batch = queue->first;
    if (batch == NULL)
        return NULL;
    queue->first = batch->next;
    if (queue->first == NULL)
        queue->last = NULL;
    queue->bytes -= batch->bytes;
    queue->records -= batch->record_count;
    batch->next = NULL;
    return batch;
}
