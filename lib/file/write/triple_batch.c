/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks complete columns of triples that a caller hands over, and cuts all columns at the same
 * records: takes arrays of any size, and gives batches.
 *
 * Checking comes first and reads everything once: levels within the leaf's maxima, the first
 * repetition level 0, as many records and values as are claimed. Only then may anything index
 * values by levels, because a wrong count would read past the caller's arrays. The invariant of
 * cutting: `next` holds complete records, the same ones in every column, and `rest` is what follows
 * the batches that were written. With repetition levels 0 1 1 0 0 1 the first two records are 4
 * triples.
 *
 * Kernels count levels; all else is linear in the triples of a batch.
 */
#include "file/write/triple_batch.h"

#include "base/error.h"
#include "kernel/kernel.h"
#include "schema/tree.h"

/*
 * INVALID if a level is above the maximum; `kind` names it. NULL means levels that are all the same
 * and needs no check.
 */
static lam_status triple_batch_check_levels(const lam_kernels *kernels, const uint8_t *levels,
                                            size_t count, uint8_t max_level, const char *kind,
                                            lam_error *error) {
    if (levels == NULL)
        return LAM_STATUS_OK;
    uint8_t highest = kernels->max_u8(levels, count);
    if (highest > max_level)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s level %u where the maximum is %u", kind,
                 (unsigned)highest, (unsigned)max_level);
    return LAM_STATUS_OK;
}

/* Each record begins with repetition level 0; without levels each triple is a record. */
static size_t count_records(const lam_kernels *kernels, const lam_triples *triples) {
    return triples->repetition == NULL ? triples->count
                                       : kernels->count_u8(triples->repetition, triples->count, 0);
}

/*
 * A value belongs to each triple of the maximum definition level; without levels, to every triple.
 */
static size_t triple_batch_count_values(const lam_kernels *kernels, const lam_field *leaf,
                                        const lam_triples *triples) {
    return triples->definition == NULL
               ? triples->count
               : kernels->count_u8(triples->definition, triples->count, leaf->max_definition);
}

/*
 * INVALID for missing arrays and for byte arrays that the format cannot hold: PLAIN has a length of
 * 4 bytes in front, which readers treat as signed.
 */
static lam_status triple_batch_check_values(const lam_field *leaf, const lam_triples *triples,
                                            lam_error *error) {
    if (triples->value_count > 0 && triples->values == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%zu values are missing", triples->value_count);
    if (leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
        return LAM_STATUS_OK;
    const lam_bytes *values = triples->values;
    for (size_t i = 0; i < triples->value_count; i++)
        if (values[i].size > INT32_MAX || (values[i].size > 0 && values[i].data == NULL))
            LAM_FAIL(error, LAM_STATUS_INVALID, "value %zu of %zu bytes cannot be written", i,
                     values[i].size);
    return LAM_STATUS_OK;
}

/* The order matters: the counts below are meaningful only for levels that are in range. */
lam_status lam_triples_check(const lam_kernels *kernels, const lam_field *leaf,
                             const lam_triples *triples, size_t record_count, lam_error *error) {
    LAM_TRY(triple_batch_check_levels(kernels, triples->repetition, triples->count,
                                      leaf->max_repetition, "repetition", error));
    LAM_TRY(triple_batch_check_levels(kernels, triples->definition, triples->count,
                                      leaf->max_definition, "definition", error));
    if (triples->count > 0 && triples->repetition != NULL && triples->repetition[0] != 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the first repetition level is %u, not 0",
                 (unsigned)triples->repetition[0]);
    if (count_records(kernels, triples) != record_count)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the levels hold %zu records, not %zu",
                 count_records(kernels, triples), record_count);
    if (triple_batch_count_values(kernels, leaf, triples) != triples->value_count)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the levels need %zu values, but %zu are given",
                 triple_batch_count_values(kernels, leaf, triples), triples->value_count);
    return triple_batch_check_values(leaf, triples, error);
}

/*
 * The number of triples of the first `record_count` records: the index of the repetition level 0
 * that begins the record after them.
 */
static size_t find_end(const lam_triples *triples, size_t record_count) {
    if (triples->repetition == NULL)
        return record_count;
    size_t records = 0;
    for (size_t i = 0; i < triples->count; i++) {
        if (triples->repetition[i] == 0 && records++ == record_count)
            return i;
    }
    return triples->count;
}

/* Moves the arrays of `rest` past what it returns. Arrays that are NULL stay NULL. */
lam_triples lam_triples_take(const lam_kernels *kernels, const lam_field *leaf, lam_triples *rest,
                             size_t record_count) {
    lam_triples next = *rest;
    next.count = find_end(rest, record_count);
    next.value_count = triple_batch_count_values(kernels, leaf, &next);
    rest->count -= next.count;
    rest->value_count -= next.value_count;
    if (rest->repetition != NULL)
        rest->repetition += next.count;
    if (rest->definition != NULL)
        rest->definition += next.count;
    if (rest->values != NULL)
        rest->values = (const uint8_t *)rest->values + next.value_count * lam_element_size(leaf);
    return next;
}

/* --- Batches of all columns ---------------------------------------------------------------- */

/* PLAIN bytes in front of each byte array: its length. */
enum { LENGTH_BYTES = 4 };

/* A required flat column has no levels in the file. */
static bool has_levels(const lam_field *leaf) {
    return leaf->max_repetition > 0 || leaf->max_definition > 0;
}

/* The PLAIN bytes of some values, which estimate what they take in a chunk. */
static uint64_t value_bytes(const lam_field *leaf, const void *values, size_t count) {
    if (leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
        return (uint64_t)count * lam_element_size(leaf);
    const lam_bytes *bytes = values;
    uint64_t total = (uint64_t)count * LENGTH_BYTES;
    for (size_t i = 0; i < count; i++)
        total += bytes[i].size;
    return total;
}

/* May be called again with fewer records before `rest` moves on: it always starts at `rest`. */
uint64_t lam_triple_batches_cut(const lam_kernels *kernels, const lam_schema *schema,
                                lam_triple_batch *batches, size_t record_count) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < schema->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(schema, i);
        lam_triple_batch *batch = &batches[i];
        batch->after = batch->rest;
        batch->next = lam_triples_take(kernels, leaf, &batch->after, record_count);
        bytes += value_bytes(leaf, batch->next.values, batch->next.value_count);
        bytes += has_levels(leaf) ? batch->next.count : 0;
    }
    return bytes;
}

/*
 * Adds the bytes of one column to `sizes`, one sum per record: a byte per triple if there are
 * levels, and the values.
 */
static void add_sizes(const lam_field *leaf, const lam_triples *triples, uint64_t *sizes) {
    size_t element = lam_element_size(leaf);
    const uint8_t *value = triples->values;
    uint64_t *size = sizes;
    for (size_t i = 0; i < triples->count; i++) {
        /* The first triple begins the first record, so it does not move on. */
        if (i > 0 && (triples->repetition == NULL || triples->repetition[i] == 0))
            size++;
        *size += has_levels(leaf);
        if (triples->definition == NULL || triples->definition[i] == leaf->max_definition) {
            *size += value_bytes(leaf, value, 1);
            value += element;
        }
    }
}

/*
 * Sums per record, not per column, show where the bytes are complete; this is done only once per
 * check of the row group's limits.
 */
size_t lam_triple_batches_find(const lam_schema *schema, const lam_triple_batch *batches,
                               uint64_t bytes) {
    uint64_t sizes[LAM_BATCH_RECORDS] = {0};
    uint64_t sum = 0;
    size_t records = 0;
    for (size_t i = 0; i < schema->leaf_count; i++)
        add_sizes(lam_leaf_at(schema, i), &batches[i].next, sizes);
    while (records < LAM_BATCH_RECORDS && sum < bytes)
        sum += sizes[records++];
    return records;
}
