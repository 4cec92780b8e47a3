/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table with open addressing. In: hashes and numbers. Out: the numbers of a hash, for the
 * caller to compare what they stand for.
 *
 * The invariant: at most half of the slots have the present generation, so that every search ends
 * at a free one. A batch of one partition must not pay for the memory of an earlier batch of a
 * thousand, hence clearing is counting: slots of an older generation are free.
 */
#include "log/route_table.h"

#include "base/checked.h"
#include "base/error.h"

enum { ROUTE_SLOTS_FIRST = 16 };

void lam_route_table_init(lam_route_table *table, const lam_allocator *allocator) {
    memset(table, 0, sizeof *table);
    lam_buffer_init(&table->slots, allocator);
    table->generation = 1;
}

void lam_route_table_finish(lam_route_table *table) {
    lam_buffer_finish(&table->slots);
}

/* After 2^32 generations old slots would come to life. */
void lam_route_table_clear(lam_route_table *table) {
    table->count = 0;
    if (++table->generation == 0) {
        memset(table->slots.data, 0, table->slots.size);
        table->generation = 1;
    }
}

static void route_table_put(lam_route_slot *slots, size_t mask, lam_route_slot entry) {
    size_t at = (size_t)entry.hash;
    while (slots[at & mask].generation == entry.generation)
        at++;
    slots[at & mask] = entry;
}

/* Moves the entries to twice as many slots. */
static lam_status route_table_grow(lam_route_table *table, lam_error *error) {
    size_t count = table->slots.size / sizeof(lam_route_slot), bytes;
    size_t wanted = count == 0 ? ROUTE_SLOTS_FIRST : count * 2;
    lam_buffer grown;
    if (!lam_mul_size(wanted, sizeof(lam_route_slot), &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu partitions", table->count);
    lam_buffer_init(&grown, &table->slots.allocator);
    LAM_TRY(lam_buffer_reserve(&grown, bytes, error));
    memset(grown.data, 0, bytes);
    grown.size = bytes;
    const lam_route_slot *old = (const lam_route_slot *)(const void *)table->slots.data;
    for (size_t i = 0; i < count; i++)
        if (old[i].generation == table->generation)
            route_table_put((lam_route_slot *)(void *)grown.data, wanted - 1, old[i]);
    lam_buffer_finish(&table->slots);
    table->slots = grown;
    table->mask = wanted - 1;
    return LAM_STATUS_OK;
}

lam_status lam_route_table_add(lam_route_table *table, uint64_t hash, uint32_t number,
                               lam_error *error) {
    lam_route_slot entry = {hash, number, table->generation};
    if (table->count >= table->slots.size / sizeof(lam_route_slot) / 2)
        LAM_TRY(route_table_grow(table, error));
    route_table_put((lam_route_slot *)(void *)table->slots.data, table->mask, entry);
    table->count++;
    return LAM_STATUS_OK;
}
