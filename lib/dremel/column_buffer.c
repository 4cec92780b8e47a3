/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds the triples of one leaf: two arrays of levels, one of values, and a byte store for byte
 * arrays. Takes levels and values, appended by the inline functions of the header, or by this file
 * when an array is full, and gives a lam_triples that points into the arrays.
 *
 * The invariant: count >= value_count, and as many definition levels are at the maximum as there
 * are values. An append that fails may break this in the open record; the caller rewinds to the
 * record's mark.
 */
#include "dremel/column_buffer.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "record/value_rules.h"
#include "schema/tree.h"

enum {
    COLUMN_BUFFER_SMALLEST_CAPACITY = 64,
    COLUMN_BUFFER_FIRST_BYTES = 1 << 16,
    BYTES_ELEMENT = 16 /* bytes of a lam_bytes on 64 bits */
};

/* Copies the properties of the leaf that every append needs, so that none follows the pointer. */
void lam_column_buffer_init(lam_column_buffer *column, const lam_field *leaf,
                            const lam_allocator *allocator) {
    memset(column, 0, sizeof *column);
    column->allocator = allocator;
    column->leaf = leaf;
    column->element_size = lam_element_size(leaf);
    column->physical_type = leaf->physical_type;
    column->max_repetition = leaf->max_repetition;
    column->max_definition = leaf->max_definition;
    if (leaf->max_definition == 0) /* then the maximum repetition level is 0, too */
        column->capacity = SIZE_MAX;
}

void lam_column_buffer_finish(lam_column_buffer *column) {
    lam_free(column->allocator, column->repetition, column->repetition_capacity);
    lam_free(column->allocator, column->definition, column->definition_capacity);
    lam_free(column->allocator, column->values, column->value_capacity * column->element_size);
    lam_byte_store_finish(&column->bytes, column->allocator);
}

/* Elements of the first room: fewer of large ones, whose length a file may have chosen. */
static size_t first_capacity(size_t element_size) {
    size_t most = COLUMN_BUFFER_FIRST_BYTES / (element_size > 0 ? element_size : 1);
    return most < 1                                 ? 1
           : most > COLUMN_BUFFER_SMALLEST_CAPACITY ? COLUMN_BUFFER_SMALLEST_CAPACITY
                                                    : most;
}

/*
 * Doubles an array of `*capacity` elements, which is in memory, so that the double is a size. On
 * failure the array and its capacity stay as they were.
 */
static lam_status grow_array(uint8_t **array, size_t *capacity, size_t element_size,
                             const lam_allocator *allocator, lam_error *error) {
    size_t grown = *capacity == 0 ? first_capacity(element_size) : *capacity * 2;
    size_t bytes;
    if (!lam_mul_size(grown, element_size, &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for more than %zu values", *capacity);
    void *memory = *array;
    LAM_TRY(lam_realloc(allocator, &memory, *capacity * element_size, bytes, error));
    *array = memory;
    *capacity = grown;
    return LAM_STATUS_OK;
}

/*
 * Both arrays grow together, and `capacity` is what both hold. If the second one fails, the first
 * has more room than `capacity` says, and the next call leaves it alone.
 */
lam_status lam_column_grow_levels(lam_column_buffer *column, lam_error *error) {
    if (column->max_repetition > 0 && column->repetition_capacity == column->capacity)
        LAM_TRY(grow_array(&column->repetition, &column->repetition_capacity, 1, column->allocator,
                           error));
    LAM_TRY(
        grow_array(&column->definition, &column->definition_capacity, 1, column->allocator, error));
    column->capacity = column->definition_capacity;
    return LAM_STATUS_OK;
}

lam_status lam_column_grow_values(lam_column_buffer *column, lam_error *error) {
    return grow_array(&column->values, &column->value_capacity, column->element_size,
                      column->allocator, error);
}

/* The rule and its message are those of the record checker. */
lam_status lam_column_refuse_bytes(const lam_column_buffer *column, lam_value value,
                                   lam_error *error) {
    return lam_value_check_bytes(column->leaf, &value, error);
}

lam_triples lam_column_triples(const lam_column_buffer *column, size_t count, size_t value_count) {
    lam_triples triples = {count, value_count, column->repetition, column->definition,
                           column->values};
    /* Without a null all levels are at the maximum, which lam_triples expresses by NULL. */
    if (value_count == count)
        triples.definition = NULL;
    return triples;
}

/*
 * Where a writer cuts its row groups depends on this, so a pointer and a size count as on 64 bits:
 * files are the same on every machine.
 */
size_t lam_column_byte_count(const lam_column_buffer *column) {
    size_t element =
        column->physical_type == LAM_PHYSICAL_BYTE_ARRAY ? BYTES_ELEMENT : column->element_size;
    /* A level is a byte, in each array that the leaf has. */
    size_t level_arrays = (column->max_repetition > 0) + (column->max_definition > 0);
    return column->count * level_arrays + column->value_count * element +
           lam_byte_store_size(&column->bytes);
}
