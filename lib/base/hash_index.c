/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the numbers that were added with a hash, in a table with open addressing, for the caller to
 * compare what they mean.
 *
 * The invariant: at most half of the slots have the present generation, so that every search ends
 * at a free one. A table that is filled a thousand times, mostly with little, must not cost its
 * largest size each time, hence clearing it only counts: slots of an older generation are free.
 */
#include "base/hash_index.h"

#include <string.h>
#include <xxhash.h>

#include "base/checked.h"
#include "base/entropy.h"
#include "base/error.h"
#include "base/wrap.h"

enum { HASH_SLOTS_FIRST = 16 };

void lam_hash_index_init(lam_hash_index *index, const lam_allocator *allocator) {
    memset(index, 0, sizeof *index);
    lam_buffer_init(&index->slots, allocator);
    index->generation = 1;
    lam_entropy((uint8_t *)&index->key, sizeof index->key);
}

void lam_hash_index_finish(lam_hash_index *index) {
    lam_buffer_finish(&index->slots);
}

/* After 2^32 generations old slots would come to life. */
void lam_hash_index_clear(lam_hash_index *index) {
    index->count = 0;
    if (index->generation == UINT32_MAX) {
        memset(index->slots.data, 0, index->slots.size);
        index->generation = 0;
    }
    index->generation++;
}

uint32_t lam_hash_index_hash(const lam_hash_index *index, const void *bytes, size_t size) {
    return lam_hash_index_hash_below(index, 0, bytes, size);
}

LAM_WRAPS uint32_t lam_hash_index_hash_below(const lam_hash_index *index, uint32_t parent,
                                             const void *bytes, size_t size) {
    return (uint32_t)XXH3_64bits_withSeed(bytes, size, index->key + parent);
}

static void hash_index_insert(lam_hash_slot *slots, size_t mask, lam_hash_slot entry) {
    size_t at = entry.hash;
    while (slots[at & mask].generation == entry.generation)
        at++;
    slots[at & mask] = entry;
}

/* Moves the entries to twice as many slots. */
static lam_status hash_index_grow(lam_hash_index *index, lam_error *error) {
    size_t count = index->slots.size / sizeof(lam_hash_slot), bytes;
    size_t wanted = count == 0 ? HASH_SLOTS_FIRST : count * 2;
    lam_buffer grown;
    if (!lam_mul_size(wanted, sizeof(lam_hash_slot), &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a hash table of %zu entries",
                 index->count);
    lam_buffer_init(&grown, &index->slots.allocator);
    LAM_TRY(lam_buffer_reserve(&grown, bytes, error));
    memset(grown.data, 0, bytes);
    grown.size = bytes;
    const lam_hash_slot *old = (const lam_hash_slot *)(const void *)index->slots.data;
    for (size_t i = 0; i < count; i++)
        if (old[i].generation == index->generation)
            hash_index_insert((lam_hash_slot *)(void *)grown.data, wanted - 1, old[i]);
    lam_buffer_finish(&index->slots);
    index->slots = grown;
    index->mask = wanted - 1;
    return LAM_STATUS_OK;
}

lam_status lam_hash_index_reserve(lam_hash_index *index, lam_error *error) {
    if (index->count < index->slots.size / sizeof(lam_hash_slot) / 2)
        return LAM_STATUS_OK;
    return hash_index_grow(index, error);
}

void lam_hash_index_put(lam_hash_index *index, uint32_t hash, uint32_t number) {
    const lam_hash_slot entry = {hash, number, index->generation};
    hash_index_insert((lam_hash_slot *)(void *)index->slots.data, index->mask, entry);
    index->count++;
}

lam_status lam_hash_index_add(lam_hash_index *index, uint32_t hash, uint32_t number,
                              lam_error *error) {
    LAM_TRY(lam_hash_index_reserve(index, error));
    lam_hash_index_put(index, hash, number);
    return LAM_STATUS_OK;
}
