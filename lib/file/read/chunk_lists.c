/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps copies of a decoded chunk's lists, which lam_reader_chunk_details lends. The chunk is
 * decoded for one call; its lists must live until the reader is closed, and threads share the
 * reader.
 *
 *     slots ---> [ NULL | chunk 1 | NULL | ... ]     chunk 1: repetition, definition, types
 *
 * The invariant: a slot goes from NULL to one copy, once. A thread that finds NULL makes a copy and
 * tries to put it there; if another one was faster, it frees its own and takes that one, which is
 * equal, since both come from the same bytes. So no lock is needed, and lists that were lent never
 * move. (parquet.thrift, SizeStatistics, GeospatialStatistics)
 */
#include "file/read/chunk_lists.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

/* Numbers of all lists of a chunk, one after the other; the types are the last. */
struct lam_kept_lists {
    size_t size; /* bytes of the entire struct */
    int64_t numbers[];
};

typedef _Atomic(lam_kept_lists *) list_slot;

void lam_chunk_lists_init(lam_chunk_lists *lists, const lam_allocator *allocator,
                          size_t chunk_count) {
    lists->allocator = *allocator;
    lists->chunk_count = chunk_count;
    atomic_init(&lists->slots, NULL);
}

void lam_chunk_lists_finish(lam_chunk_lists *lists) {
    list_slot *slots = atomic_load(&lists->slots);
    if (slots == NULL)
        return;
    for (size_t i = 0; i < lists->chunk_count; i++) {
        lam_kept_lists *kept = atomic_load(&slots[i]);
        if (kept != NULL)
            lam_free(&lists->allocator, kept, kept->size);
    }
    lam_free(&lists->allocator, slots, lists->chunk_count * sizeof(list_slot));
    atomic_store(&lists->slots, NULL);
}

/* Gives the slots, which the first thread makes. */
static lam_status find_slots(lam_chunk_lists *lists, uint64_t limit, list_slot **ret_slots,
                             lam_error *error) {
    void *made, *found = atomic_load(&lists->slots);
    size_t size;
    if (found == NULL) {
        if (!lam_mul_size(lists->chunk_count, sizeof(list_slot), &size) || size > limit)
            LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                     "the lists of %zu column chunks are above the memory limit of %" PRIu64
                     " (option memory_limit)",
                     lists->chunk_count, limit);
        LAM_TRY(lam_alloc_array(&lists->allocator, lists->chunk_count, sizeof(list_slot), &made,
                                error));
        if (atomic_compare_exchange_strong(&lists->slots, &found, made))
            found = made;
        else
            lam_free(&lists->allocator, made, size);
    }
    *ret_slots = found;
    return LAM_STATUS_OK;
}

/* Bytes of the lists of a chunk. */
static size_t list_bytes(const lam_meta_size_statistics *sizes,
                         const lam_meta_geospatial_statistics *geospatial) {
    size_t bytes = 0;
    if (sizes != NULL)
        bytes += ((size_t)sizes->repetition_level_histogram.count +
                  sizes->definition_level_histogram.count) *
                 sizeof(int64_t);
    if (geospatial != NULL)
        bytes += (size_t)geospatial->geospatial_types.count * sizeof(int32_t);
    return bytes;
}

/* Copies a list to `*to` and moves `*to` past it; without `copies`, points the list there. */
static void use_list(const void **items, size_t bytes, bool copies, uint8_t **to) {
    if (bytes > 0 && copies)
        memcpy(*to, *items, bytes);
    else
        *items = *to;
    *to += bytes;
}

/* Copies all lists to the struct, or points them at it. */
static void use_lists(lam_kept_lists *kept, bool copies, lam_meta_size_statistics *sizes,
                      lam_meta_geospatial_statistics *geospatial) {
    uint8_t *at = (uint8_t *)kept->numbers;
    if (sizes != NULL) {
        const void *items = sizes->repetition_level_histogram.items;
        use_list(&items, sizes->repetition_level_histogram.count * sizeof(int64_t), copies, &at);
        sizes->repetition_level_histogram.items = items;
        items = sizes->definition_level_histogram.items;
        use_list(&items, sizes->definition_level_histogram.count * sizeof(int64_t), copies, &at);
        sizes->definition_level_histogram.items = items;
    }
    if (geospatial != NULL) {
        const void *items = geospatial->geospatial_types.items;
        use_list(&items, geospatial->geospatial_types.count * sizeof(int32_t), copies, &at);
        geospatial->geospatial_types.items = items;
    }
}

lam_status lam_chunk_lists_keep(lam_chunk_lists *lists, size_t chunk, uint64_t limit,
                                lam_meta_size_statistics *sizes,
                                lam_meta_geospatial_statistics *geospatial, lam_error *error) {
    list_slot *slots;
    void *made;
    size_t size = sizeof(lam_kept_lists) + list_bytes(sizes, geospatial);
    if (size == sizeof(lam_kept_lists))
        return LAM_STATUS_OK;
    LAM_TRY(find_slots(lists, limit, &slots, error));
    lam_kept_lists *found = atomic_load(&slots[chunk]);
    if (found == NULL) {
        LAM_TRY(lam_alloc(&lists->allocator, size, &made, error));
        lam_kept_lists *own = made;
        own->size = size;
        use_lists(own, true, sizes, geospatial);
        if (atomic_compare_exchange_strong(&slots[chunk], &found, own))
            found = own;
        else
            lam_free(&lists->allocator, own, size);
    }
    use_lists(found, false, sizes, geospatial);
    return LAM_STATUS_OK;
}
