/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the bytes of byte arrays in a list of chunks, in the order in which they were pushed. Takes
 * bytes of any size, and gives pointers that always stay valid, because a full chunk is followed by
 * another one and never reallocated; a value is entirely in one chunk.
 *
 * All chunks before `current` are in use, all after it are free, and each chunk in use knows how
 * many bytes those before it hold. So a rewind is two assignments, however much it discards, and
 * the total is known without a walk over the list.
 */
#include "dremel/byte_store.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

struct lam_byte_chunk {
    lam_byte_chunk *next;
    size_t capacity; /* of `bytes` */
    size_t before;   /* bytes in use in earlier chunks, set when the chunk becomes current */
    uint8_t bytes[];
};

/*
 * Chunks double up to 1 MiB: a narrow column of a wide schema costs little, and a long column few
 * allocations.
 */
enum { FIRST_CHUNK = 256, LARGEST_CHUNK = 1 << 20 };

void lam_byte_store_finish(lam_byte_store *store, const lam_allocator *allocator) {
    lam_byte_chunk *chunk = store->first;
    while (chunk != NULL) {
        lam_byte_chunk *next = chunk->next;
        lam_free(allocator, chunk, sizeof *chunk + chunk->capacity);
        chunk = next;
    }
    memset(store, 0, sizeof *store);
}

/*
 * Puts a new chunk after the current one, with room for at least `size` bytes: twice as large as
 * the current one, or larger when a single value needs it. It takes the position of the chunk that
 * was kept there and is too small: else values that grow from record to record each leave one.
 */
static lam_status insert_chunk(lam_byte_store *store, size_t size, const lam_allocator *allocator,
                               lam_byte_chunk **ret_chunk, lam_error *error) {
    size_t capacity = FIRST_CHUNK;
    if (store->current != NULL)
        capacity = store->current->capacity < LARGEST_CHUNK / 2 ? store->current->capacity * 2
                                                                : LARGEST_CHUNK;
    if (capacity < size)
        capacity = size;
    size_t total;
    if (!lam_add_size(capacity, sizeof(lam_byte_chunk), &total))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu bytes", size);
    void *memory;
    lam_byte_chunk **link = store->current != NULL ? &store->current->next : &store->first;
    lam_byte_chunk *small = *link;
    if (small != NULL) {
        *link = small->next;
        lam_free(allocator, small, sizeof *small + small->capacity);
    }
    LAM_TRY(lam_alloc(allocator, total, &memory, error));
    lam_byte_chunk *chunk = memory;
    chunk->capacity = capacity;
    chunk->next = *link;
    *link = chunk;
    *ret_chunk = chunk;
    return LAM_STATUS_OK;
}

/* Takes the next kept chunk if it is large enough, else a new one. */
lam_status lam_byte_store_grow(lam_byte_store *store, size_t size, const lam_allocator *allocator,
                               lam_error *error) {
    lam_byte_chunk *chunk = store->current != NULL ? store->current->next : store->first;
    if (chunk == NULL || chunk->capacity < size)
        LAM_TRY(insert_chunk(store, size, allocator, &chunk, error));
    /* Counts the bytes in use, not those that stay free at the end of the previous chunk. */
    chunk->before = lam_byte_store_size(store);
    store->current = chunk;
    store->next = chunk->bytes;
    store->left = chunk->capacity;
    return LAM_STATUS_OK;
}

void lam_byte_store_rewind(lam_byte_store *store, lam_byte_mark mark) {
    store->current = mark.current;
    store->next = mark.next;
    store->left = 0;
    if (mark.current != NULL)
        store->left = mark.current->capacity - (size_t)(mark.next - mark.current->bytes);
}

size_t lam_byte_store_size(const lam_byte_store *store) {
    if (store->current == NULL)
        return 0;
    return store->current->before + (size_t)(store->next - store->current->bytes);
}
