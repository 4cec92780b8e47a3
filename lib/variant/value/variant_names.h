/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of field names, each held once: numbered from 0 as they arrive and found by hash. A name
 * keeps its number and its bytes stay where they are until the table is cleared.
 *
 * Objects with the same fields tend to follow each other, so a name remembers which name followed
 * it in its object: the next lookup can compare with that one first and skip the hash.
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_NAMES_H
#define LAM_VARIANT_VALUE_VARIANT_NAMES_H

#include <lamella/variant.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/list.h"

/* No name. */
#define LAM_VARIANT_NO_NAME UINT32_MAX

/*
 * One name, its bytes in the arena of the table. Both links are guesses that save a lookup, never
 * facts about the values.
 */
typedef struct lam_variant_name {
    const uint8_t *data;
    uint32_t size;   /* bytes */
    uint32_t behind; /* the name that followed it in the same object; NO_NAME for none */
    uint32_t first;  /* the first name in an object that is the value of this one; NO_NAME */
} lam_variant_name;

/* Names by number, and the index over them. */
typedef struct lam_variant_name_table {
    lam_arena bytes;                  /* of the names */
    LAM_LIST(lam_variant_name) names; /* by number */
    uint64_t byte_count;              /* bytes of all names */
    lam_hash_index index;             /* of the numbers */
} lam_variant_name_table;

/* Allocates nothing yet. */
void lam_variant_name_table_init(lam_variant_name_table *table, const lam_allocator *allocator);
void lam_variant_name_table_finish(lam_variant_name_table *table);
/* Removes all names and keeps the memory; numbers start at 0 again. */
void lam_variant_name_table_clear(lam_variant_name_table *table);

/*
 * Gives the number of a name, which is copied and added if it is new. INVALID if it is not UTF-8;
 * LIMIT if all names together would take 2^32 bytes or be 2^30; NOMEM.
 */
lam_status lam_variant_name_intern(lam_variant_name_table *table, const char *name, size_t size,
                                   uint32_t *ret_number, lam_error *error);

/* Whether the entry has exactly these bytes. */
static inline bool lam_variant_name_is(const lam_variant_name *entry, const char *name,
                                       size_t size) {
    return entry->size == size && lam_same_name(entry->data, name, size);
}

/* Gives the number of a name; false if the table lacks it. */
bool lam_variant_name_find(const lam_variant_name_table *table, const char *name, size_t size,
                           uint32_t *ret_number);

static inline lam_bytes lam_variant_name_bytes(const lam_variant_name *name) {
    lam_bytes bytes = {name->data, name->size};
    return bytes;
}

/*
 * Sorts numbers of names, all different, by the bytes of the names: the order of fields in an
 * object. `spare` has room for as many numbers.
 */
void lam_variant_names_sort(const lam_variant_name_table *table, uint32_t *numbers, size_t count,
                            uint32_t *spare);

/*
 * Appends metadata with the names in the order of `numbers`, so that numbers[i] gets the id i; NULL
 * means every name by its number. `is_sorted` is what the metadata claims. LIMIT when it does not
 * fit the format, NOMEM.
 */
lam_status lam_variant_names_write(const lam_variant_name_table *table, const uint32_t *numbers,
                                   size_t count, bool is_sorted, lam_buffer *out, lam_error *error);

#endif
