/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the table of names of a builder or of shared names: hashing, growth, order and metadata.
 *
 * Takes a name as bytes, and gives a number that never changes. The invariant: a failed call leaves
 * the table as it was, and a name is found exactly if it was added. The names come from files and
 * from callers that read JSON, hence the index, whose hashes have a key of their own: a file cannot
 * be prepared whose names all collide.
 */
#include "variant/value/variant_names.h"

#include "base/error.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "variant/value/variant_metadata.h"

void lam_variant_name_table_init(lam_variant_name_table *table, const lam_allocator *allocator) {
    table->byte_count = 0;
    LAM_LIST_INIT(&table->names, allocator);
    lam_arena_init(&table->bytes, allocator, 0);
    lam_hash_index_init(&table->index, allocator);
}

/* Leaves an empty table, which may be used again. */
void lam_variant_name_table_finish(lam_variant_name_table *table) {
    lam_allocator allocator = table->names.allocator;
    LAM_LIST_FINISH(&table->names);
    lam_hash_index_finish(&table->index);
    lam_arena_finish(&table->bytes);
    lam_variant_name_table_init(table, &allocator);
}

/*
 * The arena keeps its newest block and the slots keep their size: the next values are likely to
 * have as many names.
 */
void lam_variant_name_table_clear(lam_variant_name_table *table) {
    table->names.count = 0;
    table->byte_count = 0;
    lam_arena_reset(&table->bytes);
    lam_hash_index_clear(&table->index);
}

/* The number of a name, LAM_HASH_INDEX_NONE if it is not there; and its hash. */
static uint32_t variant_names_number_of(const lam_variant_name_table *table, const char *name,
                                        size_t size, uint32_t *ret_hash) {
    uint32_t hash = lam_hash_index_hash(&table->index, name, size), found;
    LAM_HASH_INDEX_FIND(&table->index, hash, found,
                        lam_variant_name_is(&table->names.items[found], name, size));
    *ret_hash = hash;
    return found;
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
    if (size > UINT32_MAX - table->byte_count || table->names.count >= UINT32_MAX / 4)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "variant: names of more than 2^32 - 1 bytes");
    /* Room in both, before anything is changed. */
    LAM_TRY(lam_hash_index_reserve(&table->index, error));
    LAM_TRY(LAM_LIST_RESERVE(&table->names, 1, error));
    LAM_TRY(lam_arena_bytes(&table->bytes, size, &copy, error));
    if (size > 0)
        memcpy(copy, name, size);
    lam_variant_name *entry = &table->names.items[table->names.count];
    entry->data = copy;
    entry->size = (uint32_t)size;
    entry->behind = LAM_VARIANT_NO_NAME;
    entry->first = LAM_VARIANT_NO_NAME;
    table->byte_count += size;
    *ret_number = (uint32_t)table->names.count++;
    lam_hash_index_put(&table->index, hash, *ret_number);
    return LAM_STATUS_OK;
}

bool lam_variant_name_find(const lam_variant_name_table *table, const char *name, size_t size,
                           uint32_t *ret_number) {
    uint32_t hash, found = variant_names_number_of(table, name, size, &hash);
    if (found == LAM_HASH_INDEX_NONE)
        return false;
    *ret_number = found;
    return true;
}

lam_status lam_variant_name_intern(lam_variant_name_table *table, const char *name, size_t size,
                                   uint32_t *ret_number, lam_error *error) {
    uint32_t hash, found = variant_names_number_of(table, name, size, &hash);
    if (found == LAM_HASH_INDEX_NONE)
        return add_name(table, name, size, hash, ret_number, error);
    *ret_number = found;
    return LAM_STATUS_OK;
}

/* --- Order and metadata ---------------------------------------------------------------------- */

/* For lam_sort_numbers: `state` is the table. */
static bool variant_names_is_behind(const void *state, uint32_t a, uint32_t b) {
    const lam_variant_name_table *table = state;
    return lam_variant_compare_names(lam_variant_name_bytes(&table->names.items[a]),
                                     lam_variant_name_bytes(&table->names.items[b])) > 0;
}

void lam_variant_names_sort(const lam_variant_name_table *table, uint32_t *numbers, size_t count,
                            uint32_t *spare) {
    lam_sort_numbers(numbers, count, spare, variant_names_is_behind, table);
}

lam_status lam_variant_names_write(const lam_variant_name_table *table, const uint32_t *numbers,
                                   size_t count, bool is_sorted, lam_buffer *out,
                                   lam_error *error) {
    lam_variant_metadata_writer writer;
    uint64_t bytes = 0; /* the width of the offsets depends on all of them */
    for (size_t i = 0; i < count; i++)
        bytes += table->names.items[numbers == NULL ? i : numbers[i]].size;
    LAM_TRY(lam_variant_metadata_begin(&writer, count, bytes, is_sorted, out, error));
    for (size_t i = 0; i < count; i++)
        lam_variant_metadata_add(
            &writer, lam_variant_name_bytes(&table->names.items[numbers == NULL ? i : numbers[i]]));
    return LAM_STATUS_OK;
}
