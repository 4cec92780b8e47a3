/* SPDX-License-Identifier: Apache-2.0 */
/* Finds numbers by the hash of what they stand for; empties without touching its memory. */
#ifndef LAM_LOG_ROUTE_TABLE_H
#define LAM_LOG_ROUTE_TABLE_H

#include "base/buffer.h"

/* One entry; of an older generation, it is free. */
typedef struct lam_route_slot {
    uint64_t hash;
    uint32_t number;
    uint32_t generation;
} lam_route_slot;

typedef struct lam_route_table {
    lam_buffer slots; /* a power of two of them, or none */
    size_t mask;      /* slots - 1 */
    size_t count;
    uint32_t generation; /* of the entries, from 1 */
} lam_route_table;

void lam_route_table_init(lam_route_table *table, const lam_allocator *allocator);
void lam_route_table_finish(lam_route_table *table);

/* Removes all entries and keeps the memory. */
void lam_route_table_clear(lam_route_table *table);

/* Adds a number; there may be others of the same hash. NOMEM, LIMIT: nothing is added. */
lam_status lam_route_table_add(lam_route_table *table, uint64_t hash, uint32_t number,
                               lam_error *error);

/*
 * The next number with this hash; UINT32_MAX: there is none. `*cursor` is the hash at first, and is
 * moved behind what is returned.
 */
static inline uint32_t lam_route_table_next(const lam_route_table *table, uint64_t hash,
                                            size_t *cursor) {
    const lam_route_slot *slots = (const lam_route_slot *)(const void *)table->slots.data;
    while (table->count > 0) {
        const lam_route_slot *slot = &slots[(*cursor)++ & table->mask];
        if (slot->generation != table->generation)
            break;
        if (slot->hash == hash)
            return slot->number;
    }
    return UINT32_MAX;
}

#endif
