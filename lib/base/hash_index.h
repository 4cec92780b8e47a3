/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds numbers by the hash of what they mean: names, keys, paths and texts that the owner keeps in
 * an array. Each index draws a key of its own for its hashes, so that nobody can make names that
 * collide. It is emptied without touching its memory.
 *
 *     uint32_t hash = lam_hash_index_hash(&index, name, size), found;
 *     LAM_HASH_INDEX_FIND(&index, hash, found, is_name(names[found], name, size));
 *     if (found == LAM_HASH_INDEX_NONE)
 *         LAM_TRY(lam_hash_index_add(&index, hash, count, error));
 */
#ifndef LAM_BASE_HASH_INDEX_H
#define LAM_BASE_HASH_INDEX_H

#include <lamella/common.h>

#define LAM_HASH_INDEX_NONE UINT32_MAX

/* One entry; of an older generation, it is free. */
typedef struct lam_hash_slot {
    uint32_t hash;
    uint32_t number;
    uint32_t generation;
} lam_hash_slot;

typedef struct lam_hash_index {
    lam_allocator allocator;
    lam_hash_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;
    uint32_t generation; /* of the entries, from 1 */
    uint64_t key;        /* of the hashes */
} lam_hash_index;

/* Starts empty; allocates nothing yet. */
void lam_hash_index_init(lam_hash_index *index, const lam_allocator *allocator);
void lam_hash_index_finish(lam_hash_index *index);

/* Removes all entries and keeps the memory. */
void lam_hash_index_clear(lam_hash_index *index);

/* The hash of bytes, in this index; `bytes` may be NULL when `size` is 0. */
uint32_t lam_hash_index_hash(const lam_hash_index *index, const void *bytes, size_t size);

/* The same of a name that is one of several alike, such as that of a field below this parent. */
uint32_t lam_hash_index_hash_below(const lam_hash_index *index, uint32_t parent, const void *bytes,
                                   size_t size);

/* Adds a number; there may be others of the same hash. NOMEM, LIMIT: nothing is added. */
lam_status lam_hash_index_add(lam_hash_index *index, uint32_t hash, uint32_t number,
                              lam_error *error);

/* The same in two steps, of which the second cannot fail: room for one more, and its number. */
lam_status lam_hash_index_reserve(lam_hash_index *index, lam_error *error);
void lam_hash_index_put(lam_hash_index *index, uint32_t hash, uint32_t number);

/*
 * The next number with this hash; LAM_HASH_INDEX_NONE when there are no more. `*cursor` is the hash
 * at first, and is moved past what is returned.
 */
static inline uint32_t lam_hash_index_next(const lam_hash_index *index, uint32_t hash,
                                           size_t *cursor) {
    while (index->count > 0) {
        const lam_hash_slot *slot = &index->slots[(*cursor)++ & (index->slot_count - 1)];
        if (slot->generation != index->generation)
            break;
        if (slot->hash == hash)
            return slot->number;
    }
    return LAM_HASH_INDEX_NONE;
}

/*
 * Sets `found` to a number with this hash for which `is_same` holds, an expression with `found`; to
 * LAM_HASH_INDEX_NONE when there is none.
 */
#define LAM_HASH_INDEX_FIND(index, hash, found, is_same)                                           \
    for (size_t lam_cursor = (hash);                                                               \
         ((found) = lam_hash_index_next((index), (hash), &lam_cursor)) != LAM_HASH_INDEX_NONE &&   \
         !(is_same);)                                                                              \
    continue

#endif
