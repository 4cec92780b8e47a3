/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validates, orders, searches and extends the metadata of assembled values.
 *
 * Takes the `metadata` column's value of each record, and gives ids by name, ranks by id, and the
 * metadata of the assembled value. Most files repeat one metadata, so the bytes are compared with
 * those of the last record and all is reused if they agree. The invariant: ids of the given names
 * never change, so bytes of a `value` column stay valid under the extended metadata. A claim of
 * sorted names is kept only if it is true: DuckDB 1.5.0 to 1.5.4 wrote false ones.
 */
#include "variant/value/variant_dictionary.h"

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "variant/value/variant_metadata.h"
#include "variant/value/variant_validate.h"

void lam_variant_dictionary_init(lam_variant_dictionary *dictionary,
                                 const lam_allocator *allocator) {
    memset(dictionary, 0, sizeof *dictionary);
    lam_buffer_init(&dictionary->original, allocator);
    lam_buffer_init(&dictionary->extended, allocator);
    lam_buffer_init(&dictionary->spare, allocator);
    LAM_LIST_INIT(&dictionary->order, allocator);
    LAM_LIST_INIT(&dictionary->ranks, allocator);
}

void lam_variant_dictionary_finish(lam_variant_dictionary *dictionary) {
    lam_buffer_finish(&dictionary->original);
    lam_buffer_finish(&dictionary->extended);
    lam_buffer_finish(&dictionary->spare);
    LAM_LIST_FINISH(&dictionary->order);
    LAM_LIST_FINISH(&dictionary->ranks);
    dictionary->is_known = false;
}

/*
 * Whether the metadata is the one from which `original` was copied. The first byte is compared with
 * the one kept apart, as `original` may have lost the flag for sorted names.
 */
static bool is_same(const lam_variant_dictionary *dictionary, lam_bytes metadata) {
    const lam_buffer *original = &dictionary->original;
    return dictionary->is_known && metadata.size == original->size &&
           metadata.data[0] == dictionary->header &&
           memcmp(metadata.data + 1, original->data + 1, metadata.size - 1) == 0;
}

/*
 * Copies and validates metadata. A false claim of sorted names is removed from the copy: they are
 * then searched by ranks, and the assembled values do not repeat the claim.
 */
static lam_status variant_dictionary_take(lam_variant_dictionary *dictionary, lam_bytes metadata,
                                          lam_error *error) {
    lam_buffer *original = &dictionary->original;
    lam_buffer_clear(original);
    LAM_TRY(lam_buffer_append(original, metadata.data, metadata.size, error));
    LAM_TRY(lam_variant_validate_names(lam_buffer_bytes(original), LAM_VARIANT_ACCEPT_ANY_NAMES,
                                       &dictionary->given, error));
    dictionary->header = original->data[0];
    if (!dictionary->given.is_sorted)
        original->data[0] &= (uint8_t)~LAM_VARIANT_SORTED;
    return LAM_STATUS_OK;
}

/* `is_known` is false while the content changes, so that a failure cannot leave a stale view. */
lam_status lam_variant_dictionary_set(lam_variant_dictionary *dictionary, lam_bytes metadata,
                                      bool *ret_same, lam_error *error) {
    bool same = is_same(dictionary, metadata);
    if (!same) {
        dictionary->is_known = false;
        dictionary->is_ordered = false;
        lam_buffer_clear(&dictionary->extended);
        LAM_TRY(variant_dictionary_take(dictionary, metadata, error));
        dictionary->names = dictionary->given;
        dictionary->is_known = true;
    }
    *ret_same = same;
    return LAM_STATUS_OK;
}

/* The name of an id that is in range; validation has checked all offsets. */
static lam_bytes variant_dictionary_name_of(const lam_variant_names_view *names, size_t id) {
    lam_bytes name = {NULL, 0};
    (void)lam_variant_name_at(names, id, &name);
    return name;
}

/* For lam_sort_numbers: `state` is the view of the names. */
static bool variant_dictionary_is_behind(const void *state, uint32_t a, uint32_t b) {
    return lam_variant_compare_names(variant_dictionary_name_of(state, a),
                                     variant_dictionary_name_of(state, b)) > 0;
}

/*
 * A name that appears twice gets one rank for both ids: fields with either id are the same field,
 * and encoding an object with both must find the repetition.
 */
lam_status lam_variant_dictionary_order(lam_variant_dictionary *dictionary, lam_error *error) {
    const lam_variant_names_view *names = &dictionary->names;
    if (dictionary->is_ordered || names->is_sorted) {
        dictionary->is_ordered = true;
        return LAM_STATUS_OK;
    }
    /* Bounded by the metadata's size: each name has an offset of at least one byte. */
    LAM_TRY(LAM_LIST_RESERVE(&dictionary->order, 2 * names->count + 1, error));
    LAM_TRY(LAM_LIST_RESERVE(&dictionary->ranks, names->count + 1, error));
    uint32_t *order = dictionary->order.items, *ranks = dictionary->ranks.items;
    for (size_t id = 0; id < names->count; id++)
        order[id] = (uint32_t)id;
    lam_sort_numbers(order, names->count, order + names->count, variant_dictionary_is_behind,
                     names);
    uint32_t rank = 0;
    for (size_t i = 0; i < names->count; i++) {
        rank += i > 0 && variant_dictionary_is_behind(names, order[i], order[i - 1]);
        ranks[order[i]] = rank;
    }
    dictionary->is_ordered = true;
    return LAM_STATUS_OK;
}

/* Binary search over the sorted ids, which are the order itself for sorted names. */
bool lam_variant_dictionary_find(const lam_variant_dictionary *dictionary, lam_bytes name,
                                 uint32_t *ret_id) {
    const lam_variant_names_view *names = &dictionary->names;
    const uint32_t *order = dictionary->order.items;
    size_t at;
    LAM_BISECT_EQUAL(
        at, 0, names->count,
        lam_variant_compare_names(
            variant_dictionary_name_of(names, names->is_sorted ? (uint32_t)at : order[at]), name));
    if (at == names->count)
        return false;
    *ret_id = names->is_sorted ? (uint32_t)at : order[at];
    return true;
}

/*
 * Writes the entire dictionary into `spare` and swaps; the caller's names may be anywhere but in
 * `spare`. The result claims no order.
 */
lam_status lam_variant_dictionary_extend(lam_variant_dictionary *dictionary, const lam_bytes *names,
                                         size_t count, lam_error *error) {
    const lam_variant_names_view *before = &dictionary->names;
    lam_variant_metadata_writer writer;
    uint64_t bytes = before->size;
    for (size_t i = 0; i < count; i++)
        bytes += names[i].size;
    lam_buffer_clear(&dictionary->spare);
    LAM_TRY(lam_variant_metadata_begin(&writer, before->count + count, bytes, false,
                                       &dictionary->spare, error));
    for (size_t id = 0; id < before->count; id++)
        lam_variant_metadata_add(&writer, variant_dictionary_name_of(before, id));
    for (size_t i = 0; i < count; i++)
        lam_variant_metadata_add(&writer, names[i]);
    lam_buffer grown = dictionary->spare; /* `names` was on `extended` until here */
    dictionary->spare = dictionary->extended;
    dictionary->extended = grown;
    dictionary->is_ordered = false;
    (void)lam_variant_open_names(lam_buffer_bytes(&dictionary->extended), &dictionary->names);
    return LAM_STATUS_OK;
}

lam_bytes lam_variant_dictionary_metadata(const lam_variant_dictionary *dictionary) {
    return lam_buffer_bytes(dictionary->extended.size > 0 ? &dictionary->extended
                                                          : &dictionary->original);
}
