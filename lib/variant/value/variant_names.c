/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of names behind a builder and behind shared names: hashing, growth, order and metadata.
 *
 * A name comes in as bytes and goes out as a number that never changes. The slots hold numbers plus
 * 1 (0 is empty), with linear probing, and are at most half full, so a search always ends at an
 * empty slot. The invariant: a failed call leaves the table as it was, and a name is found exactly
 * if it was added. The names come from files and from callers that read JSON, so the hash is
 * seeded: a file cannot be prepared whose names all collide.
 */
#include "variant/value/variant_names.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/utf8.h"
#include "schema/name_index.h"
#include "variant/value/variant_metadata.h"

enum { VARIANT_NAMES_SMALLEST_TABLE = 64 };

void lam_variant_name_table_init(lam_variant_name_table *table, const lam_allocator *allocator) {
    memset(table, 0, sizeof *table);
    table->allocator = *allocator;
    lam_arena_init(&table->bytes, allocator, 0);
}

/* Leaves an empty table behind, which may be used again. */
void lam_variant_name_table_finish(lam_variant_name_table *table) {
    lam_free(&table->allocator, table->names, table->capacity * sizeof *table->names);
    lam_free(&table->allocator, table->slots, table->slot_count * sizeof *table->slots);
    lam_arena_finish(&table->bytes);
    lam_allocator allocator = table->allocator;
    lam_variant_name_table_init(table, &allocator);
}

/*
 * The arena keeps its newest block and the slots keep their size: the next values are likely to
 * have as many names.
 */
void lam_variant_name_table_clear(lam_variant_name_table *table) {
    table->count = 0;
    table->byte_count = 0;
    lam_arena_reset(&table->bytes);
    if (table->slots != NULL)
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
}

/*
 * The address of the table is the seed, so that a text whose names all collide cannot be prepared.
 */
static uint32_t variant_names_hash_of(const lam_variant_name_table *table, const char *name,
                                      size_t size) {
    return (uint32_t)lam_name_hash(name, size, (uint64_t)(uintptr_t)table);
}

/* The slot of a name, or the empty one where it belongs. There are slots, and one is empty. */
static size_t variant_names_slot_of(const lam_variant_name_table *table, const char *name,
                                    size_t size, uint32_t hash) {
    size_t slot = hash & (table->slot_count - 1);
    for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        const lam_variant_name *entry = &table->names[table->slots[slot] - 1];
        if (entry->hash == hash && lam_variant_name_is(entry, name, size))
            break;
    }
    return slot;
}

/*
 * Doubles the slots and enters all names again by their stored hashes; no names are compared, as
 * they are known to differ.
 */
static lam_status variant_names_grow_slots(lam_variant_name_table *table, lam_error *error) {
    size_t count = table->slot_count == 0 ? VARIANT_NAMES_SMALLEST_TABLE : table->slot_count * 2;
    void *memory;
    LAM_TRY(lam_alloc_array(&table->allocator, count, sizeof *table->slots, &memory, error));
    lam_free(&table->allocator, table->slots, table->slot_count * sizeof *table->slots);
    table->slots = memory;
    table->slot_count = count;
    for (size_t i = 0; i < table->count; i++) {
        size_t slot = table->names[i].hash & (count - 1);
        while (table->slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        table->slots[slot] = (uint32_t)i + 1;
    }
    return LAM_STATUS_OK;
}

/* Makes room for one more name in both arrays, before anything about it is changed. */
static lam_status variant_names_make_room(lam_variant_name_table *table, lam_error *error) {
    if (table->slot_count == 0 || table->count >= table->slot_count / 2)
        LAM_TRY(variant_names_grow_slots(table, error));
    if (table->count < table->capacity)
        return LAM_STATUS_OK;
    size_t capacity = table->capacity == 0 ? VARIANT_NAMES_SMALLEST_TABLE / 2 : table->capacity * 2,
           size;
    void *names = table->names;
    /* unreachable: where a size has 64 bits, as there are at most 2^30 names */
    if (!lam_mul_size(capacity, sizeof *table->names, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu names", capacity);
    LAM_TRY(lam_realloc(&table->allocator, &names, table->capacity * sizeof *table->names, size,
                        error));
    table->names = names;
    table->capacity = capacity;
    return LAM_STATUS_OK;
}

/*
 * Adds a name that is not there. A quarter of the 32-bit numbers is the limit, which leaves the
 * upper bits of a number free for flags (variant_build.c) and doubling of the slots in range.
 */
static lam_status add_name(lam_variant_name_table *table, const char *name, size_t size,
                           uint32_t hash, uint32_t *ret_number, lam_error *error) {
    uint8_t *copy;
    size_t good = lam_utf8_prefix((const uint8_t *)name, size);
    if (good < size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "variant: byte %zu of a name of %zu is not UTF-8", good,
                 size);
    if (size > UINT32_MAX - table->byte_count || table->count >= UINT32_MAX / 4)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "variant: names of more than 2^32 - 1 bytes");
    LAM_TRY(variant_names_make_room(table, error));
    LAM_TRY(lam_arena_bytes(&table->bytes, size, &copy, error));
    if (size > 0)
        memcpy(copy, name, size);
    size_t slot =
        variant_names_slot_of(table, name, size, hash); /* anew: the slots may have grown */
    lam_variant_name *entry = &table->names[table->count];
    entry->data = copy;
    entry->size = (uint32_t)size;
    entry->hash = hash;
    entry->behind = LAM_VARIANT_NO_NAME;
    entry->first = LAM_VARIANT_NO_NAME;
    table->byte_count += size;
    *ret_number = (uint32_t)table->count++;
    table->slots[slot] = (uint32_t)table->count;
    return LAM_STATUS_OK;
}

bool lam_variant_name_find(const lam_variant_name_table *table, const char *name, size_t size,
                           uint32_t *ret_number) {
    if (table->count == 0)
        return false;
    size_t slot =
        variant_names_slot_of(table, name, size, variant_names_hash_of(table, name, size));
    if (table->slots[slot] == 0)
        return false;
    *ret_number = table->slots[slot] - 1;
    return true;
}

lam_status lam_variant_name_intern(lam_variant_name_table *table, const char *name, size_t size,
                                   uint32_t *ret_number, lam_error *error) {
    uint32_t hash = variant_names_hash_of(table, name, size);
    size_t slot = table->slot_count == 0 ? 0 : variant_names_slot_of(table, name, size, hash);
    if (table->slot_count == 0 || table->slots[slot] == 0)
        return add_name(table, name, size, hash, ret_number, error);
    *ret_number = table->slots[slot] - 1;
    return LAM_STATUS_OK;
}

/* --- Order and metadata ---------------------------------------------------------------------- */

/* For lam_variant_sort_numbers: `state` is the table. */
static bool variant_names_is_behind(const void *state, uint32_t a, uint32_t b) {
    const lam_variant_name_table *table = state;
    return lam_variant_compare_names(lam_variant_name_bytes(&table->names[a]),
                                     lam_variant_name_bytes(&table->names[b])) > 0;
}

void lam_variant_names_sort(const lam_variant_name_table *table, uint32_t *numbers, size_t count,
                            uint32_t *spare) {
    lam_variant_sort_numbers(numbers, count, spare, variant_names_is_behind, table);
}

lam_status lam_variant_names_write(const lam_variant_name_table *table, const uint32_t *numbers,
                                   size_t count, bool is_sorted, lam_buffer *out,
                                   lam_error *error) {
    lam_variant_metadata_writer writer;
    uint64_t bytes = 0; /* the width of the offsets depends on all of them */
    for (size_t i = 0; i < count; i++)
        bytes += table->names[numbers == NULL ? i : numbers[i]].size;
    LAM_TRY(lam_variant_metadata_begin(&writer, count, bytes, is_sorted, out, error));
    for (size_t i = 0; i < count; i++)
        lam_variant_metadata_add(
            &writer, lam_variant_name_bytes(&table->names[numbers == NULL ? i : numbers[i]]));
    return LAM_STATUS_OK;
}
