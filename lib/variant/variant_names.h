/*
 * Field names, each once: numbered as they come, found by hash. A name keeps its number and its
 * bytes their place for as long as the table is not cleared.
 *
 * Objects of one shape follow each other, so a name remembers which name came behind it: whoever
 * looks for the next one can try that first.
 */
#ifndef LAM_VARIANT_VARIANT_NAMES_H
#define LAM_VARIANT_VARIANT_NAMES_H

#include <lamella/variant.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/bytes.h"

/* No name. */
#define LAM_VARIANT_NO_NAME UINT32_MAX

typedef struct lam_variant_name {
    const uint8_t *data;
    uint32_t size;
    uint32_t hash;
    uint32_t behind; /* the name that came behind it in the same object; NO_NAME for none */
    uint32_t first;  /* the name that came first in an object of this name */
} lam_variant_name;

typedef struct lam_variant_name_table {
    lam_allocator allocator;
    lam_arena bytes;
    lam_variant_name *names;
    size_t count;
    size_t capacity;
    uint64_t byte_count; /* of all names */
    uint32_t *slots;     /* open addressing: numbers plus 1, at most half full */
    size_t slot_count;   /* 0 or a power of two */
} lam_variant_name_table;

/* Allocates nothing yet. */
void lam_variant_name_table_init(lam_variant_name_table *table, const lam_allocator *allocator);
void lam_variant_name_table_finish(lam_variant_name_table *table);
void lam_variant_name_table_clear(lam_variant_name_table *table);

/*
 * The number of a name, which is added if it is new. INVALID when it is not UTF-8; LIMIT when all
 * names would take 2^32 bytes.
 */
lam_status lam_variant_name_intern(lam_variant_name_table *table, const char *name, size_t size,
                                   uint32_t *ret_number, lam_error *error);

static inline bool lam_variant_name_is(const lam_variant_name *entry, const char *name,
                                       size_t size) {
    return entry->size == size && lam_same_name(entry->data, name, size);
}

/* False when the table has no such name. */
bool lam_variant_name_find(const lam_variant_name_table *table, const char *name, size_t size,
                           uint32_t *ret_number);

static inline lam_bytes lam_variant_name_bytes(const lam_variant_name *name) {
    lam_bytes bytes = {name->data, name->size};
    return bytes;
}

/* Sorts numbers of names, all different, by their bytes. `spare` has room for as many. */
void lam_variant_names_sort(const lam_variant_name_table *table, uint32_t *numbers, size_t count,
                            uint32_t *spare);

/*
 * Appends the metadata of the names by `numbers`, NULL for all in turn. LIMIT when it does not fit
 * the format.
 */
lam_status lam_variant_names_write(const lam_variant_name_table *table, const uint32_t *numbers,
                                   size_t count, bool is_sorted, lam_buffer *out, lam_error *error);

#endif
