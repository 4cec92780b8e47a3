/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers values across the pages of a chunk. Most chunks have only dictionary-encoded pages: their
 * dictionary is converted once, and its indexes are used as they are. The first page without
 * indexes makes a builder, a hash table of all values so far.
 *
 *     values     what the array's dictionary holds, in order of number
 *     builder    distinct values in the order in which it first saw them
 *     numbers    builder's index -> number here
 *
 * The two orders differ because a file may list a value twice in its dictionary page, which the
 * builder has once. Numbers never change between two clears, so that all batches from one
 * dictionary may share its buffers.
 */
#include "arrow/read/leaf_dictionary.h"

#include "base/error.h"

enum { LEAF_DICTIONARY_BLOCK = 1024 }; /* values that are numbered at once */

lam_status lam_leaf_dictionary_init(lam_leaf_dictionary *dictionary, const lam_kernels *kernels,
                                    const lam_field *leaf, const lam_arrow_type *type,
                                    lam_array_store *store, const lam_allocator *allocator,
                                    lam_error *error) {
    lam_leaf_dictionary fresh = {0};
    fresh.allocator = *allocator;
    fresh.layout.type = (lam_physical_type)leaf->physical_type;
    fresh.layout.type_length = leaf->type_length;
    LAM_LIST_INIT(&fresh.numbers, allocator);
    LAM_TRY(lam_leaf_values_init(&fresh.values, kernels, leaf, type, store, error));
    *dictionary = fresh;
    return LAM_STATUS_OK;
}

void lam_leaf_dictionary_clear(lam_leaf_dictionary *dictionary) {
    lam_leaf_values_finish(&dictionary->values);
    lam_dictionary_builder_destroy(dictionary->builder);
    dictionary->builder = NULL;
    dictionary->chunk = NULL;
    dictionary->numbers.count = 0;
}

void lam_leaf_dictionary_finish(lam_leaf_dictionary *dictionary) {
    lam_leaf_dictionary_clear(dictionary);
    LAM_LIST_FINISH(&dictionary->numbers);
}

/* Appends values to the dictionary; the count stays below 2^31, as Arrow has signed indexes. */
static lam_status leaf_dictionary_append(lam_leaf_dictionary *dictionary, const void *elements,
                                         size_t count, lam_error *error) {
    if (count > INT32_MAX - dictionary->values.count)
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_LIMIT, "a dictionary of more than %d values",
                 INT32_MAX);
    LAM_TRY(lam_leaf_values_reserve(&dictionary->values, count, error));
    LAM_TRY(lam_leaf_values_append(&dictionary->values, elements, count, error));
    lam_leaf_values_spread(&dictionary->values, NULL, count);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_dictionary_take(lam_leaf_dictionary *dictionary, const lam_dictionary *chunk,
                                    lam_error *error) {
    LAM_TRY(leaf_dictionary_append(dictionary, chunk->values, chunk->count, error));
    dictionary->chunk = chunk;
    return LAM_STATUS_OK;
}

/*
 * Looks values up in the builder, which adds new ones; it stops early when it cannot number more.
 */
static lam_status leaf_dictionary_build(lam_leaf_dictionary *dictionary, const void *elements,
                                        size_t count, uint32_t *indexes, lam_error *error) {
    size_t done = 0;
    LAM_TRY(
        lam_dictionary_builder_add(dictionary->builder, elements, count, indexes, &done, error));
    /* unreachable: in a test, as 2^31 different values take 48 GiB of memory */
    if (done < count)
        LAM_FAIL(error, LAM_ERROR_CODE_ARROW_LIMIT, "a dictionary of more than %d values",
                 INT32_MAX);
    return LAM_STATUS_OK;
}

/* Numbers the values that the builder has from `known` on: `first`, `first` + 1, ... */
static lam_status number(lam_leaf_dictionary *dictionary, size_t known, uint32_t first,
                         lam_error *error) {
    size_t count = lam_dictionary_builder_values(dictionary->builder).count;
    LAM_TRY(LAM_LIST_RESERVE(&dictionary->numbers, count - known, error));
    uint32_t *numbers = dictionary->numbers.items;
    for (size_t i = known; i < count; i++)
        numbers[i] = first + (uint32_t)(i - known);
    dictionary->numbers.count = count;
    return LAM_STATUS_OK;
}

/*
 * Makes the builder and gives it the chunk's values. A duplicate value gets the number of its first
 * occurrence:
 *
 *     dictionary page   a b a c      builder   a b c      numbers   0 1 3
 */
static lam_status start_builder(lam_leaf_dictionary *dictionary, lam_error *error) {
    LAM_TRY(lam_dictionary_builder_create(dictionary->layout, SIZE_MAX, &dictionary->allocator,
                                          &dictionary->builder, error));
    size_t count = dictionary->chunk == NULL ? 0 : dictionary->chunk->count;
    for (size_t at = 0, some; at < count; at += some) {
        uint32_t indexes[LEAF_DICTIONARY_BLOCK];
        some = count - at < LEAF_DICTIONARY_BLOCK ? count - at : LEAF_DICTIONARY_BLOCK;
        const uint8_t *elements = dictionary->chunk->values;
        size_t known = dictionary->numbers.count;
        LAM_TRY(leaf_dictionary_build(
            dictionary, elements + at * lam_layout_size(dictionary->layout), some, indexes, error));
        LAM_TRY(number(dictionary, known, 0, error));
        uint32_t *numbers = dictionary->numbers.items;
        for (size_t i = 0; i < some; i++)
            /*
             * The builder numbers new values in sequence, so an index of `known` is the first sight
             * of one.
             */
            if (indexes[i] == known)
                numbers[known++] = (uint32_t)(at + i);
    }
    return LAM_STATUS_OK;
}

/*
 * Parquet has no dictionaries of booleans, so both values are put into this one: false is number 0,
 * true is number 1.
 */
static lam_status add_booleans(lam_leaf_dictionary *dictionary, const uint8_t *elements,
                               size_t count, uint32_t *indexes, lam_error *error) {
    static const uint8_t both[] = {0, 1};
    if (dictionary->values.count == 0)
        LAM_TRY(leaf_dictionary_append(dictionary, both, 2, error));
    for (size_t i = 0; i < count; i++)
        indexes[i] = elements[i];
    return LAM_STATUS_OK;
}

lam_status lam_leaf_dictionary_add(lam_leaf_dictionary *dictionary, const void *elements,
                                   size_t count, uint32_t *indexes, lam_error *error) {
    if (dictionary->layout.type == LAM_PHYSICAL_BOOLEAN)
        return add_booleans(dictionary, elements, count, indexes, error);
    if (dictionary->builder == NULL)
        LAM_TRY(start_builder(dictionary, error));
    size_t known = dictionary->numbers.count;
    LAM_TRY(leaf_dictionary_build(dictionary, elements, count, indexes, error));
    /* New values go to the end of the array, in the order in which the builder saw them. */
    LAM_TRY(number(dictionary, known, (uint32_t)dictionary->values.count, error));
    lam_dictionary all = lam_dictionary_builder_values(dictionary->builder);
    const uint8_t *values = all.values;
    if (all.count > known)
        LAM_TRY(leaf_dictionary_append(dictionary,
                                       values + known * lam_layout_size(dictionary->layout),
                                       all.count - known, error));
    const uint32_t *numbers = dictionary->numbers.items;
    for (size_t i = 0; i < count; i++)
        indexes[i] = numbers[indexes[i]];
    return LAM_STATUS_OK;
}

lam_status lam_leaf_dictionary_export(lam_leaf_dictionary *dictionary, struct ArrowArray *ret_array,
                                      lam_error *error) {
    struct ArrowArray array;
    size_t buffers = lam_leaf_values_buffer_count(&dictionary->values);
    LAM_TRY(lam_array_create(dictionary->values.store, buffers > 0 ? 1 + buffers : 0, 0, false,
                             &array, error));
    array.length = (int64_t)dictionary->values.count;
    /* The values stay: later batches of the row group share the buffers and add to them. */
    lam_status status = lam_leaf_values_export(&dictionary->values, true, &array, error);
    if (status != LAM_STATUS_OK) {
        lam_array_release(&array);
        return status;
    }
    *ret_array = array;
    return LAM_STATUS_OK;
}
