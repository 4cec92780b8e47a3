/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns batches of rows into blocks of bytes and back: takes columns of triples, and gives one
 * self-contained block; and columns that point into it.
 *
 * Arrays begin at multiples of 8 bytes from the beginning of the block, so that elements can be
 * used in place. The invariant: columns that are read equal the ones that were written, in the same
 * process.
 */
#include "rewrite/sort/sort_block.h"

#include "base/error.h"

enum { BLOCK_ALIGNMENT = 8 };

/* What precedes the arrays of a leaf. */
typedef struct block_leaf {
    uint64_t triples;
    uint64_t values;
    uint8_t has_repetition;
    uint8_t has_definition;
    uint8_t padding[6];
} block_leaf;

static lam_status put_array(lam_buffer *out, const void *data, size_t size, lam_error *error) {
    static const uint8_t zeros[BLOCK_ALIGNMENT];
    LAM_TRY(lam_buffer_append(out, data, size, error));
    size_t rest = out->size % BLOCK_ALIGNMENT;
    return rest == 0 ? LAM_STATUS_OK : lam_buffer_append(out, zeros, BLOCK_ALIGNMENT - rest, error);
}

/* Byte arrays: all sizes, then all bytes. */
static lam_status put_texts(lam_buffer *out, const lam_bytes *values, size_t count,
                            lam_error *error) {
    size_t total = 0;
    LAM_TRY(lam_buffer_reserve(out, count * sizeof(uint32_t) + BLOCK_ALIGNMENT, error));
    for (size_t i = 0; i < count; i++) {
        uint32_t size = (uint32_t)values[i].size;
        memcpy(out->data + out->size + i * sizeof size, &size, sizeof size);
        total += values[i].size;
    }
    out->size += count * sizeof(uint32_t);
    /* unreachable: there is room for the added bytes */
    LAM_TRY(put_array(out, NULL, 0, error));
    LAM_TRY(lam_buffer_reserve(out, total, error));
    for (size_t i = 0; i < count; i++) {
        if (values[i].size > 0)
            memcpy(out->data + out->size, values[i].data, values[i].size);
        out->size += values[i].size;
    }
    return put_array(out, NULL, 0, error);
}

static lam_status put_leaf(lam_buffer *out, const lam_field *leaf, const lam_triples *column,
                           lam_error *error) {
    const block_leaf head = {.triples = column->count,
                             .values = column->value_count,
                             .has_repetition = column->repetition != NULL,
                             .has_definition = column->definition != NULL};
    LAM_TRY(put_array(out, &head, sizeof head, error));
    if (head.has_repetition)
        LAM_TRY(put_array(out, column->repetition, column->count, error));
    if (head.has_definition)
        LAM_TRY(put_array(out, column->definition, column->count, error));
    if (leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY)
        return put_texts(out, column->values, column->value_count, error);
    return put_array(out, column->values, column->value_count * lam_element_size(leaf), error);
}

lam_status lam_sort_block_write(const lam_schema *schema, const lam_triples *columns, size_t rows,
                                lam_buffer *out, lam_error *error) {
    uint64_t count = rows;
    LAM_TRY(put_array(out, &count, sizeof count, error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        LAM_TRY(put_leaf(out, lam_leaf_at(schema, i), &columns[i], error));
    return LAM_STATUS_OK;
}

/* The array at `*at`, which moves past it. */
static const uint8_t *take_array(lam_bytes block, size_t *at, size_t size) {
    const uint8_t *array = block.data + *at;
    *at += (size + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    return array;
}

/* Makes the views of byte arrays. */
static lam_status take_texts(lam_bytes block, size_t *at, size_t count, lam_buffer *views,
                             lam_error *error) {
    size_t total = 0;
    const uint8_t *sizes = take_array(block, at, count * sizeof(uint32_t));
    lam_buffer_clear(views);
    LAM_TRY(lam_buffer_reserve(views, count * sizeof(lam_bytes), error));
    lam_bytes *values = (lam_bytes *)(void *)views->data;
    for (size_t i = 0; i < count; i++) {
        uint32_t size;
        memcpy(&size, sizes + i * sizeof size, sizeof size);
        values[i] = (lam_bytes){block.data + *at + total, size};
        total += size;
    }
    (void)take_array(block, at, total);
    return LAM_STATUS_OK;
}

lam_status lam_sort_block_read(lam_bytes block, lam_buffer *views, lam_sort_batch *batch,
                               lam_error *error) {
    size_t at = 0;
    uint64_t rows;
    memcpy(&rows, take_array(block, &at, sizeof rows), sizeof rows);
    for (size_t i = 0; i < batch->schema->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(batch->schema, i);
        lam_triples *column = &batch->columns.items[i];
        block_leaf head;
        memcpy(&head, take_array(block, &at, sizeof head), sizeof head);
        *column = (lam_triples){.count = (size_t)head.triples, .value_count = (size_t)head.values};
        if (head.has_repetition)
            column->repetition = take_array(block, &at, column->count);
        if (head.has_definition)
            column->definition = take_array(block, &at, column->count);
        if (leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY) {
            LAM_TRY(take_texts(block, &at, column->value_count, &views[i], error));
            column->values = views[i].data;
        } else {
            column->values = take_array(block, &at, column->value_count * lam_element_size(leaf));
        }
    }
    return lam_sort_batch_index(batch, (size_t)rows, error);
}
