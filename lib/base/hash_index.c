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

#include "base/alloc.h"
#include "base/entropy.h"
#include "base/error.h"
#include "base/wrap.h"

enum { HASH_SLOTS_FIRST = 16 };

void lam_hash_index_init(lam_hash_index *index, const lam_allocator *allocator) {
    memset(index, 0, sizeof *index);
    index->allocator = *allocator;
    index->generation = 1;
    lam_entropy((uint8_t *)&index->key, sizeof index->key);
}

void lam_hash_index_finish(lam_hash_index *index) {
    lam_free(&index->allocator, index->slots, index->slot_count * sizeof *index->slots);
    index->slots = NULL;
    index->slot_count = index->count = 0;
}

/* After 2^32 generations old slots would come to life. */
void lam_hash_index_clear(lam_hash_index *index) {
    index->count = 0;
    if (index->generation == UINT32_MAX) {
        memset(index->slots, 0, index->slot_count * sizeof *index->slots);
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
    size_t count = index->slot_count, wanted = count == 0 ? HASH_SLOTS_FIRST : count * 2;
    lam_hash_slot *grown;
    LAM_TRY(LAM_ARRAY(&index->allocator, wanted, &grown, error));
    for (size_t i = 0; i < count; i++)
        if (index->slots[i].generation == index->generation)
            hash_index_insert(grown, wanted - 1, index->slots[i]);
    lam_free(&index->allocator, index->slots, count * sizeof *grown);
    index->slots = grown;
    index->slot_count = wanted;
    return LAM_STATUS_OK;
}

lam_status lam_hash_index_reserve(lam_hash_index *index, lam_error *error) {
    if (index->count < index->slot_count / 2)
        return LAM_STATUS_OK;
    return hash_index_grow(index, error);
}

void lam_hash_index_put(lam_hash_index *index, uint32_t hash, uint32_t number) {
    const lam_hash_slot entry = {hash, number, index->generation};
    hash_index_insert(index->slots, index->slot_count - 1, entry);
    index->count++;
}

lam_status lam_hash_index_add(lam_hash_index *index, uint32_t hash, uint32_t number,
                              lam_error *error) {
    LAM_TRY(lam_hash_index_reserve(index, error));
    lam_hash_index_put(index, hash, number);
    return LAM_STATUS_OK;
}
