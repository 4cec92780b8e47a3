/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives field ids to shared names, in batches: the names that arrived since the last batch are
 * sorted among themselves and follow the ones before, whose ids are already in finished values.
 *
 *     added b, a             ids   0 a   1 b          metadata: sorted
 *     added d, c             ids   0 a   1 b   2 c   3 d             still sorted
 *     added aa               ids   0 a   1 b   2 c   3 d   4 aa      not sorted any more
 *
 * Takes names from the caller and from builders, and gives ids and metadata. An id never changes,
 * so later metadata serves all earlier values.
 */
#include "variant/value/variant_shared_names.h"

#include "base/alloc.h"
#include "base/error.h"
#include "variant/value/variant_layout.h"

/* Without names the dictionary counts as sorted: the first batch decides. */
lam_status lam_variant_names_create(const lam_allocator *allocator, lam_variant_names **ret_names,
                                    lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_variant_names *names;
    LAM_TRY(LAM_NEW(&own, &names, error));
    names->allocator = own;
    names->is_sorted = true;
    lam_variant_name_table_init(&names->table, &own);
    lam_buffer_init(&names->metadata, &own);
    *ret_names = names;
    return LAM_STATUS_OK;
}

lam_status lam_variant_names_add(lam_variant_names *names, const char *name, size_t size,
                                 lam_error *error) {
    uint32_t number;
    return lam_variant_name_intern(&names->table, name, size, &number, error);
}

/*
 * Grows `ids`, `numbers` and `spare` together, in one block of three arrays of `capacity` numbers;
 * the content of the first two is kept.
 */
static lam_status variant_shared_names_make_room(lam_variant_names *names, lam_error *error) {
    size_t capacity = names->capacity == 0 ? 64 : names->capacity;
    void *memory;
    if (names->table.count <= names->capacity)
        return LAM_STATUS_OK;
    while (capacity < names->table.count)
        capacity *= 2;
    LAM_TRY(lam_alloc_array(&names->allocator, capacity, 3 * sizeof(uint32_t), &memory, error));
    uint32_t *ids = memory;
    if (names->fixed > 0) {
        memcpy(ids, names->ids, names->fixed * sizeof *ids);
        memcpy(ids + capacity, names->numbers, names->fixed * sizeof *ids);
    }
    lam_free(&names->allocator, names->ids, names->capacity * 3 * sizeof *ids);
    names->ids = ids;
    names->numbers = ids + capacity;
    names->spare = ids + 2 * capacity;
    names->capacity = capacity;
    return LAM_STATUS_OK;
}

/* Sorted batches are sorted together if each begins after the end of the one before. */
lam_status lam_variant_names_fix(lam_variant_names *names, lam_error *error) {
    size_t count = names->table.count, fixed = names->fixed;
    if (fixed == count)
        return LAM_STATUS_OK;
    LAM_TRY(variant_shared_names_make_room(names, error));
    for (size_t i = fixed; i < count; i++)
        names->numbers[i] = (uint32_t)i;
    lam_variant_names_sort(&names->table, names->numbers + fixed, count - fixed, names->spare);
    for (size_t id = fixed; id < count; id++)
        names->ids[names->numbers[id]] = (uint32_t)id;
    if (fixed > 0) {
        const lam_variant_name *entries = names->table.names;
        lam_bytes before = lam_variant_name_bytes(&entries[names->numbers[fixed - 1]]);
        lam_bytes behind = lam_variant_name_bytes(&entries[names->numbers[fixed]]);
        names->is_sorted &= lam_variant_compare_names(before, behind) < 0;
    }
    names->fixed = count;
    return LAM_STATUS_OK;
}

/*
 * Written again only if names came since the last call. While it is written, 0 marks it as
 * incomplete, in case of a failure.
 */
lam_status lam_variant_names_metadata(lam_variant_names *names, lam_bytes *ret_metadata,
                                      lam_error *error) {
    LAM_TRY(lam_variant_names_fix(names, error));
    if (names->in_metadata != names->fixed + 1) {
        names->in_metadata = 0;
        lam_buffer_clear(&names->metadata);
        LAM_TRY(lam_variant_names_write(&names->table, names->numbers, names->fixed,
                                        names->is_sorted, &names->metadata, error));
        names->in_metadata = names->fixed + 1;
    }
    *ret_metadata = lam_buffer_bytes(&names->metadata);
    return LAM_STATUS_OK;
}

void lam_variant_names_destroy(lam_variant_names *names) {
    if (names == NULL)
        return;
    lam_allocator allocator = names->allocator;
    lam_free(&allocator, names->ids, names->capacity * 3 * sizeof *names->ids);
    lam_variant_name_table_finish(&names->table);
    lam_buffer_finish(&names->metadata);
    lam_free(&allocator, names, sizeof *names);
}
