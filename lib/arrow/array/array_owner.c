/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts references to stores, blocks and arrays, and keeps large blocks for reuse.
 *
 *     reader or stream --> store <-- block <-- array     every arrow is a counted reference
 *                            |
 *                            kept blocks, not referred to
 *
 * A block's header precedes its bytes, and the children's structs are in the memory block of their
 * parent; a child that is moved out takes its own memory along, as each array owns no other's. The
 * invariant: the store outlives everything made from it, and the mutex guards all of its counters,
 * as release callbacks come from any thread. (The C data interface, "Memory management")
 */
#include "arrow/array/array_owner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

enum {
    KEPT_MOST = 64,           /* blocks */
    KEPT_LEAST_SIZE = 8 << 10 /* bytes; smaller blocks go back to the allocator */
};

/* The header of a block, in the same allocation in front of its bytes. */
typedef struct block_header {
    lam_array_block block; /* first, so that a pointer to it is one to the header */
    lam_array_store *store;
    atomic_size_t references;
    uint64_t batch; /* the one that took it */
    size_t size;    /* bytes of the entire allocation */
} block_header;

struct lam_array_store {
    lam_allocator allocator;
    atomic_size_t references; /* the owner's, and those of all blocks and arrays */
    pthread_mutex_t mutex;    /* protects all members below */
    bool is_open;             /* the owner has not dropped it: blocks may be kept */
    uint64_t batch;           /* number of the present batch */
    size_t batch_most;        /* bytes that the batch may hold at once; 0 is no limit */
    size_t batch_held;        /* bytes that it holds */
    size_t batch_size;        /* bytes of large blocks taken so far, given back or not */
    size_t kept_most;         /* bytes that may be kept: the highest `batch_size` of any batch */
    size_t kept_size;
    size_t kept_count;
    block_header *kept[KEPT_MOST];
};

/*
 * The private data of an array: one allocation, followed by the arrays that its struct points to.
 */
typedef struct array_owner {
    lam_array_store *store;
    size_t size;              /* bytes of the entire allocation */
    lam_array_block **blocks; /* the block that holds each buffer, or NULL */
} array_owner;

/* --- Store --------------------------------------------------------------------------------- */

lam_status lam_array_store_create(const lam_allocator *allocator, lam_array_store **ret_store,
                                  lam_error *error) {
    lam_array_store *store;
    LAM_TRY(LAM_NEW(allocator, &store, error));
    if (pthread_mutex_init(&store->mutex, NULL) != 0) {
        lam_free(allocator, store, sizeof *store);
        LAM_FAIL(error, LAM_STATUS_NOMEM, "the system has no more locks");
    }
    store->allocator = *allocator;
    store->is_open = true;
    atomic_init(&store->references, 1);
    *ret_store = store;
    return LAM_STATUS_OK;
}

/*
 * True when this was the last reference. The order makes all writes of the other owners visible to
 * the one that frees.
 */
static bool drop_reference(atomic_size_t *references) {
    return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

static lam_array_store *share_store(lam_array_store *store) {
    atomic_fetch_add_explicit(&store->references, 1, memory_order_relaxed);
    return store;
}

/*
 * Drops a reference to the store; the last one frees it, with a copy of the allocator that it
 * holds.
 */
static void let_go(lam_array_store *store) {
    if (!drop_reference(&store->references))
        return;
    lam_allocator allocator = store->allocator;
    pthread_mutex_destroy(&store->mutex);
    lam_free(&allocator, store, sizeof *store);
}

void lam_array_store_start_batch(lam_array_store *store, size_t most) {
    pthread_mutex_lock(&store->mutex);
    store->batch++;
    store->batch_most = most;
    store->batch_held = 0;
    store->batch_size = 0;
    pthread_mutex_unlock(&store->mutex);
}

size_t lam_array_store_batch_size(lam_array_store *store) {
    pthread_mutex_lock(&store->mutex);
    size_t held = store->batch_held;
    pthread_mutex_unlock(&store->mutex);
    return held;
}

void lam_array_store_drop(lam_array_store *store) {
    if (store == NULL)
        return;
    pthread_mutex_lock(&store->mutex);
    store->is_open = false;
    size_t count = store->kept_count;
    store->kept_count = 0;
    pthread_mutex_unlock(&store->mutex);
    /*
     * Outside of the mutex: a store that is not open takes no more blocks, so the list cannot
     * change.
     */
    for (size_t i = 0; i < count; i++)
        lam_free(&store->allocator, store->kept[i], store->kept[i]->size);
    let_go(store);
}

/* --- Kept blocks --------------------------------------------------------------------------- */

/*
 * Takes the smallest kept block that has room for `whole` bytes, unless it is more than four times
 * as large; or NULL. Also counts what the batch has taken, by which the number of kept bytes is
 * chosen. Under the mutex; a linear search, as there are at most KEPT_MOST.
 */
static block_header *take_kept(lam_array_store *store, size_t whole) {
    block_header *found = NULL;
    size_t best = store->kept_count;
    for (size_t i = 0; i < store->kept_count; i++)
        if (store->kept[i]->size >= whole && store->kept[i]->size / 4 <= whole &&
            (best == store->kept_count || store->kept[i]->size < store->kept[best]->size))
            best = i;
    if (best < store->kept_count) {
        found = store->kept[best];
        store->kept[best] = store->kept[--store->kept_count];
        store->kept_size -= found->size;
    }
    store->batch_size += found != NULL ? found->size : whole;
    if (store->batch_size > store->kept_most)
        store->kept_most = store->batch_size;
    return found;
}

/*
 * Charges the batch with a block of `whole` bytes, and gives a kept block for it, or NULL. False
 * when that would exceed the batch's limit.
 */
static bool array_owner_draw(lam_array_store *store, size_t whole, uint64_t *ret_batch,
                             block_header **ret_kept) {
    block_header *kept = NULL;
    pthread_mutex_lock(&store->mutex);
    bool allowed = store->batch_most == 0 || (store->batch_held <= store->batch_most &&
                                              whole <= store->batch_most - store->batch_held);
    if (allowed && whole >= KEPT_LEAST_SIZE)
        kept = take_kept(store, whole);
    if (allowed)
        store->batch_held += kept != NULL ? kept->size : whole;
    *ret_batch = store->batch;
    pthread_mutex_unlock(&store->mutex);
    *ret_kept = kept;
    return allowed;
}

/* Bytes come back: only those of the present batch count. Under the mutex. */
static void uncount(lam_array_store *store, uint64_t batch, size_t size) {
    if (batch == store->batch)
        store->batch_held -= size;
}

/*
 * Takes a block back that nothing refers to; false when it is not kept and the caller must free it.
 */
static bool array_owner_give_back(lam_array_store *store, block_header *header) {
    bool kept = false;
    pthread_mutex_lock(&store->mutex);
    uncount(store, header->batch, header->size);
    if (store->is_open && header->size >= KEPT_LEAST_SIZE && store->kept_count < KEPT_MOST &&
        header->size <= store->kept_most - store->kept_size) {
        store->kept[store->kept_count++] = header;
        store->kept_size += header->size;
        kept = true;
    }
    pthread_mutex_unlock(&store->mutex);
    return kept;
}

/* --- Blocks -------------------------------------------------------------------------------- */

/*
 * Allocates `whole` bytes for a header and the data after it. `skip` bytes bring the data to a
 * multiple of LAM_ARRAY_ALIGNMENT, and the capacity is rounded down to one:
 *
 *     | header | skip | data, 64-aligned ...            | rest |
 *
 * The columnar format recommends both, so that vector code may read full registers.
 */
static lam_status array_owner_allocate(lam_array_store *store, size_t whole,
                                       block_header **ret_header, lam_error *error) {
    void *memory;
    LAM_TRY(lam_alloc(&store->allocator, whole, &memory, error));
    block_header *header = memory;
    uintptr_t behind = (uintptr_t)(header + 1);
    size_t skip =
        (size_t)((LAM_ARRAY_ALIGNMENT - behind % LAM_ARRAY_ALIGNMENT) % LAM_ARRAY_ALIGNMENT);
    header->block.data = (uint8_t *)(header + 1) + skip;
    header->block.capacity = (whole - sizeof *header - skip) & ~(size_t)(LAM_ARRAY_ALIGNMENT - 1);
    header->size = whole;
    *ret_header = header;
    return LAM_STATUS_OK;
}

lam_status lam_array_block_create(lam_array_store *store, size_t size, lam_array_block **ret_block,
                                  lam_error *error) {
    /* Room for the header, for the bytes skipped, and to round `size` up. */
    const size_t slack = sizeof(block_header) + 2 * LAM_ARRAY_ALIGNMENT;
    size_t whole;
    uint64_t batch;
    block_header *header = NULL;
    lam_status status = LAM_STATUS_OK;
    if (!lam_add_size(size, slack, &whole))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu bytes", size);
    if (!array_owner_draw(store, whole, &batch, &header))
        LAM_FAIL(
            error, LAM_STATUS_LIMIT,
            "arrays of one batch would exceed the memory limit of %zu bytes (option memory_limit)",
            store->batch_most);
    if (header == NULL)
        status = array_owner_allocate(store, whole, &header, error);
    /* Not allocated: the batch does not hold it. */
    if (status != LAM_STATUS_OK) {
        pthread_mutex_lock(&store->mutex);
        uncount(store, batch, whole);
        pthread_mutex_unlock(&store->mutex);
        return status;
    }
    header->batch = batch;
    header->store = share_store(store);
    atomic_init(&header->references, 1);
    *ret_block = &header->block;
    return LAM_STATUS_OK;
}

/* Relaxed, as the caller's own reference keeps the block valid meanwhile. */
lam_array_block *lam_array_block_share(lam_array_block *block) {
    atomic_fetch_add_explicit(&((block_header *)block)->references, 1, memory_order_relaxed);
    return block;
}

void lam_array_block_drop(lam_array_block *block) {
    block_header *header = (block_header *)block;
    if (block == NULL || !drop_reference(&header->references))
        return;
    lam_array_store *store = header->store;
    if (!array_owner_give_back(store, header))
        lam_free(&store->allocator, header, header->size);
    let_go(store);
}

lam_status lam_array_block_reserve(lam_array_store *store, lam_array_block **block, size_t used,
                                   size_t size, lam_error *error) {
    lam_array_block *old = *block, *grown;
    if (old != NULL && size <= old->capacity)
        return LAM_STATUS_OK;
    /* Growth by half keeps the cost of copying linear in the final size. */
    size_t wanted = size;
    if (old != NULL && old->capacity / 2 <= SIZE_MAX - old->capacity &&
        wanted < old->capacity + old->capacity / 2)
        wanted = old->capacity + old->capacity / 2;
    LAM_TRY(lam_array_block_create(store, wanted, &grown, error));
    if (used > 0)
        memcpy(grown->data, old->data, used);
    lam_array_block_drop(old);
    *block = grown;
    return LAM_STATUS_OK;
}

/* --- Arrays -------------------------------------------------------------------------------- */

/*
 * The release callback: may come from any thread, and after children were moved away, which leaves
 * their `release` NULL. The structs of the children are part of the owner's memory, so they are
 * released first, and `array` itself, which the caller owns, is marked last.
 */
static void release_array(struct ArrowArray *array) {
    array_owner *owner = array->private_data;
    lam_array_store *store = owner->store;
    for (int64_t i = 0; i < array->n_children; i++)
        lam_array_release(array->children[i]);
    if (array->dictionary != NULL)
        lam_array_release(array->dictionary);
    for (int64_t i = 0; i < array->n_buffers; i++)
        lam_array_block_drop(owner->blocks[i]);
    lam_free(&store->allocator, owner, owner->size);
    let_go(store);
    array->release = NULL;
}

/*
 * Bytes of an owner and all that follows it, in this order so that each is aligned:
 *
 *     | owner | child structs | pointers to them | blocks | buffers |
 *
 * Structs need the alignment of int64_t, hence the extra 8 bytes; all others are pointers.
 */
static bool owner_size(size_t buffer_count, size_t struct_count, size_t *ret_size) {
    const size_t per_struct = sizeof(struct ArrowArray) + sizeof(struct ArrowArray *);
    size_t buffers, structs, both;
    return lam_mul_size(buffer_count, sizeof(lam_array_block *) + sizeof(void *), &buffers) &&
           lam_mul_size(struct_count, per_struct, &structs) &&
           lam_add_size(buffers, structs, &both) &&
           lam_add_size(both, sizeof(array_owner) + sizeof(int64_t), ret_size);
}

lam_status lam_array_create(lam_array_store *store, size_t buffer_count, size_t child_count,
                            bool has_dictionary, struct ArrowArray *ret_array, lam_error *error) {
    /* The dictionary's struct follows the children's. */
    size_t struct_count = child_count + has_dictionary, size;
    void *memory;
    if (!owner_size(buffer_count, struct_count, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for an array of %zu children", child_count);
    LAM_TRY(lam_alloc_array(&store->allocator, size, 1, &memory, error));
    array_owner *owner = memory;
    struct ArrowArray *structs = (void *)((uint8_t *)memory + (sizeof *owner + 7) / 8 * 8);
    void *behind = structs + struct_count;
    struct ArrowArray **children = behind;
    behind = children + struct_count;
    owner->store = share_store(store);
    owner->size = size;
    owner->blocks = behind;
    struct ArrowArray array = {0};
    array.n_buffers = (int64_t)buffer_count;
    array.n_children = (int64_t)child_count;
    array.buffers = (const void **)(owner->blocks + buffer_count);
    array.children = children;
    for (size_t i = 0; i < struct_count; i++)
        children[i] = &structs[i];
    array.dictionary = has_dictionary ? &structs[child_count] : NULL;
    array.release = release_array;
    array.private_data = owner;
    *ret_array = array;
    return LAM_STATUS_OK;
}

void lam_array_give(struct ArrowArray *array, size_t index, lam_array_block *block) {
    array_owner *owner = array->private_data;
    owner->blocks[index] = block;
    array->buffers[index] = block->data;
}

void lam_array_take_back(struct ArrowArray *array, size_t index) {
    array_owner *owner = array->private_data;
    lam_array_block_drop(owner->blocks[index]);
    owner->blocks[index] = NULL;
    array->buffers[index] = NULL;
}

lam_array_block *lam_array_block_of(const struct ArrowArray *array, size_t index) {
    const array_owner *owner = array->private_data;
    return owner->blocks[index];
}
