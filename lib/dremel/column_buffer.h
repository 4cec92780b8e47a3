/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The triples of one leaf in memory, as the shredder appends them and lam_triples presents them:
 * levels as bytes, values packed without gaps for the nulls. Name.Language.Country of the paper's
 * two records:
 *
 *     repetition  0 2 1 1 0      only when the leaf's maximum is above 0
 *     definition  3 2 1 3 1      only when the leaf's maximum is above 0
 *     values      us gb          as many as there are definition levels at the maximum
 */
#ifndef LAM_DREMEL_COLUMN_BUFFER_H
#define LAM_DREMEL_COLUMN_BUFFER_H

#include <lamella/record.h>

#include "dremel/byte_store.h"

/* How much a column holds. Set when a record begins; a record that fails is rewound to it. */
typedef struct lam_column_mark {
    size_t count;
    size_t value_count;
    lam_byte_mark bytes;
} lam_column_mark;

typedef struct lam_column_buffer {
    uint8_t *repetition; /* NULL when the leaf's maximum is 0 */
    uint8_t *definition; /* NULL when the leaf's maximum is 0 */
    size_t count;
    size_t capacity; /* triples that both level arrays can hold; unbounded without levels */
    uint8_t *values;
    size_t value_count;
    size_t value_capacity;
    lam_byte_store bytes; /* of BYTE_ARRAY values */
    lam_column_mark mark;
    const lam_allocator *allocator;
    const lam_field *leaf;
    size_t element_size; /* of one value in `values` */
    size_t repetition_capacity;
    size_t definition_capacity;
    uint8_t physical_type;
    uint8_t max_repetition;
    uint8_t max_definition;
} lam_column_buffer;

/* Starts empty; allocates nothing yet. The allocator and the leaf are borrowed. */
void lam_column_buffer_init(lam_column_buffer *column, const lam_field *leaf,
                            const lam_allocator *allocator);
void lam_column_buffer_finish(lam_column_buffer *column);

/* Make room for more triples, or for more values. NOMEM leaves the column unchanged. */
lam_status lam_column_grow_levels(lam_column_buffer *column, lam_error *error);
lam_status lam_column_grow_values(lam_column_buffer *column, lam_error *error);

/* Reports why bytes cannot be appended: INVALID for NULL with a size, or for the wrong length. */
lam_status lam_column_refuse_bytes(const lam_column_buffer *column, lam_value value,
                                   lam_error *error);

/*
 * A view of the first `count` triples, which hold `value_count` values; borrowed until the next
 * append.
 */
lam_triples lam_column_triples(const lam_column_buffer *column, size_t count, size_t value_count);

/* Bytes of levels, of elements, and of the byte arrays that elements point to. */
size_t lam_column_byte_count(const lam_column_buffer *column);

/* Marks the present end: a record begins here. */
static inline void lam_column_set_mark(lam_column_buffer *column) {
    column->mark.count = column->count;
    column->mark.value_count = column->value_count;
    column->mark.bytes = lam_byte_store_mark(&column->bytes);
}

/* Discards the triples appended since the mark and keeps the memory. */
static inline void lam_column_rewind(lam_column_buffer *column) {
    column->count = column->mark.count;
    column->value_count = column->mark.value_count;
    lam_byte_store_rewind(&column->bytes, column->mark.bytes);
}

/*
 * Appends the levels of a triple. A leaf whose maximum is 0 has no level array; its triples are
 * only counted, and its capacity is unbounded.
 */
static inline lam_status lam_column_put_levels(lam_column_buffer *column, uint8_t repetition,
                                               uint8_t definition, lam_error *error) {
    size_t at = column->count;
    if (at == column->capacity) {
        lam_status status = lam_column_grow_levels(column, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    if (column->repetition != NULL)
        column->repetition[at] = repetition;
    if (column->definition != NULL)
        column->definition[at] = definition;
    column->count = at + 1;
    return LAM_STATUS_OK;
}

/* True for a value whose bytes are as many as those of its type, if that has a length. */
static inline bool lam_column_takes_size(const lam_column_buffer *column, lam_value value) {
    return (column->physical_type != LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY &&
            column->physical_type != LAM_PHYSICAL_INT96) ||
           (value.bytes.size == column->element_size && value.bytes.data != NULL);
}

/*
 * Appends a value. The sizes are constants in each case, so that every copy is one store. No room
 * is made for one that is refused.
 */
static inline lam_status lam_column_put_value(lam_column_buffer *column, lam_value value,
                                              lam_error *error) {
    size_t at = column->value_count;
    if (at == column->value_capacity) {
        lam_status status = lam_column_takes_size(column, value)
                                ? lam_column_grow_values(column, error)
                                : lam_column_refuse_bytes(column, value, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    switch ((lam_physical_type)column->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        column->values[at] = value.boolean ? 1 : 0;
        break;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_FLOAT:
        memcpy(column->values + at * sizeof(int32_t), &value, sizeof(int32_t));
        break;
    case LAM_PHYSICAL_INT64:
    case LAM_PHYSICAL_DOUBLE:
        memcpy(column->values + at * sizeof(int64_t), &value, sizeof(int64_t));
        break;
    case LAM_PHYSICAL_BYTE_ARRAY: {
        lam_bytes copy = {NULL, value.bytes.size};
        if (value.bytes.data == NULL && value.bytes.size > 0)
            return lam_column_refuse_bytes(column, value, error);
        lam_status status =
            lam_byte_store_push(&column->bytes, value.bytes, column->allocator, &copy.data, error);
        if (status != LAM_STATUS_OK)
            return status;
        memcpy(column->values + at * sizeof copy, &copy, sizeof copy);
        break;
    }
    default: /* FIXED_LEN_BYTE_ARRAY and INT96 */
        if (!lam_column_takes_size(column, value))
            return lam_column_refuse_bytes(column, value, error);
        memcpy(column->values + at * column->element_size, value.bytes.data, column->element_size);
        break;
    }
    column->value_count = at + 1;
    return LAM_STATUS_OK;
}

#endif
