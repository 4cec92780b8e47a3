/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers rows from anywhere in some batches of complete columns: picks, each a batch and a row,
 * become complete columns of the picked rows, in the order of the picks.
 *
 *     batch 0   rows a b      picks   1:0  0:0  1:1  0:1      gathered   x a y b
 *     batch 1   rows x y
 *
 * The invariant: a row takes all its triples of a leaf along, and values have no gaps for nulls.
 * Leaves with one value in each row, the usual case, need no table of where rows begin.
 */
#include "rewrite/sort/sort_gather.h"

#include "base/alloc.h"
#include "base/error.h"

#if defined __GNUC__
#define GATHER_FETCH(address) __builtin_prefetch(address)
#else
#define GATHER_FETCH(address) ((void)(address))
#endif

enum { GATHER_AHEAD = 16 }; /* values that are fetched ahead */

/* --- Lists of buffers ---------------------------------------------------------------------- */

static lam_status make_buffers(size_t count, const lam_allocator *allocator,
                               lam_buffer **ret_buffers, lam_error *error) {
    lam_buffer *buffers;
    LAM_TRY(LAM_ARRAY(allocator, count, &buffers, error));
    for (size_t i = 0; i < count; i++)
        lam_buffer_init(&buffers[i], allocator);
    *ret_buffers = buffers;
    return LAM_STATUS_OK;
}

static void free_buffers(lam_buffer *buffers, size_t count, const lam_allocator *allocator) {
    if (buffers == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        lam_buffer_finish(&buffers[i]);
    lam_free(allocator, buffers, count * sizeof *buffers);
}

/* Room for `size` bytes, which replace what the buffer held. */
static lam_status resize_buffer(lam_buffer *buffer, size_t size, lam_error *error) {
    lam_buffer_clear(buffer);
    LAM_TRY(lam_buffer_reserve(buffer, size > 0 ? size : 1, error));
    buffer->size = size;
    return LAM_STATUS_OK;
}

/* --- Batches ------------------------------------------------------------------------------- */

lam_status lam_sort_batch_init(lam_sort_batch *batch, const lam_schema *schema,
                               const lam_allocator *allocator, lam_error *error) {
    memset(batch, 0, sizeof *batch);
    batch->schema = schema;
    LAM_LIST_INIT(&batch->columns, allocator);
    LAM_TRY(LAM_LIST_RESIZE(&batch->columns, schema->leaf_count, error));
    LAM_TRY(make_buffers(schema->leaf_count, allocator, &batch->triples, error));
    return make_buffers(schema->leaf_count, allocator, &batch->values, error);
}

void lam_sort_batch_finish(lam_sort_batch *batch) {
    if (batch->schema == NULL)
        return;
    const lam_allocator allocator = batch->columns.allocator;
    free_buffers(batch->triples, batch->schema->leaf_count, &allocator);
    free_buffers(batch->values, batch->schema->leaf_count, &allocator);
    LAM_LIST_FINISH(&batch->columns);
    memset(batch, 0, sizeof *batch);
}

/* The first triple of each row is the one with repetition level 0. */
static void index_triples(const lam_triples *column, uint32_t *starts) {
    size_t row = 0;
    for (size_t i = 0; i < column->count; i++)
        if (column->repetition[i] == 0)
            starts[row++] = (uint32_t)i;
    starts[row] = (uint32_t)column->count;
}

static void index_values(const lam_triples *column, uint8_t max_definition, const uint32_t *starts,
                         size_t rows, uint32_t *values) {
    uint32_t value = 0;
    size_t triple = 0;
    for (size_t row = 0; row <= rows; row++) {
        size_t end = starts != NULL ? starts[row] : row;
        for (; triple < end; triple++)
            value += column->definition[triple] == max_definition;
        values[row] = value;
    }
}

lam_status lam_sort_batch_index(lam_sort_batch *batch, size_t rows, lam_error *error) {
    size_t bytes = (rows + 1) * sizeof(uint32_t);
    batch->rows = rows;
    for (size_t i = 0; i < batch->schema->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(batch->schema, i);
        const lam_triples *column = &batch->columns.items[i];
        uint32_t *starts = NULL;
        lam_buffer_clear(&batch->triples[i]);
        lam_buffer_clear(&batch->values[i]);
        /* unreachable: in a test, as this many triples come in one call, and take 8 GiB */
        if (column->count > UINT32_MAX - 1)
            LAM_FAIL(error, LAM_STATUS_LIMIT, "more than 2^32 values in one batch of rows");
        if (leaf->max_repetition > 0 && column->repetition != NULL) {
            LAM_TRY(resize_buffer(&batch->triples[i], bytes, error));
            starts = (uint32_t *)(void *)batch->triples[i].data;
            index_triples(column, starts);
        }
        if (leaf->max_definition == 0 || column->definition == NULL)
            continue;
        LAM_TRY(resize_buffer(&batch->values[i], bytes, error));
        index_values(column, leaf->max_definition, starts, rows,
                     (uint32_t *)(void *)batch->values[i].data);
    }
    return LAM_STATUS_OK;
}

/* --- Gathering ----------------------------------------------------------------------------- */

lam_status lam_sort_gather_init(lam_sort_gather *gather, const lam_schema *schema,
                                const lam_allocator *allocator, lam_error *error) {
    memset(gather, 0, sizeof *gather);
    gather->schema = schema;
    LAM_LIST_INIT(&gather->columns, allocator);
    LAM_TRY(LAM_LIST_RESIZE(&gather->columns, schema->leaf_count, error));
    LAM_TRY(make_buffers(schema->leaf_count, allocator, &gather->repetition, error));
    LAM_TRY(make_buffers(schema->leaf_count, allocator, &gather->definition, error));
    return make_buffers(schema->leaf_count, allocator, &gather->values, error);
}

void lam_sort_gather_finish(lam_sort_gather *gather) {
    if (gather->schema == NULL)
        return;
    const lam_allocator allocator = gather->columns.allocator;
    free_buffers(gather->repetition, gather->schema->leaf_count, &allocator);
    free_buffers(gather->definition, gather->schema->leaf_count, &allocator);
    free_buffers(gather->values, gather->schema->leaf_count, &allocator);
    LAM_LIST_FINISH(&gather->columns);
    memset(gather, 0, sizeof *gather);
}

/* The triples and the values of one row. */
typedef struct row_extent {
    uint32_t triple;
    uint32_t triples;
    uint32_t value;
    uint32_t values;
} row_extent;

static row_extent extent_of(const lam_sort_batch *batch, size_t leaf, uint32_t row) {
    const uint32_t *starts = (const uint32_t *)(const void *)batch->triples[leaf].data;
    const uint32_t *values = (const uint32_t *)(const void *)batch->values[leaf].data;
    row_extent extent = {row, 1, 0, 0};
    if (batch->triples[leaf].size > 0) {
        extent.triple = starts[row];
        extent.triples = starts[row + 1] - starts[row];
    }
    extent.value = extent.triple;
    extent.values = extent.triples;
    if (batch->values[leaf].size > 0) {
        extent.value = values[row];
        extent.values = values[row + 1] - values[row];
    }
    return extent;
}

/* A copy of known size is no call. */
static void copy_values(uint8_t *to, const uint8_t *from, size_t count, size_t size) {
    if (count == 1 && size == 8)
        memcpy(to, from, 8);
    else if (count == 1 && size == 4)
        memcpy(to, from, 4);
    else if (count == 1 && size == 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, count * size);
}

/* The triples of one leaf in the picked rows. */
typedef struct leaf_picks {
    const lam_sort_batch *const *batches;
    const lam_sort_pick *picks;
    size_t count;
    size_t leaf;
    const lam_field *field;
} leaf_picks;

static const lam_triples *column_of(const leaf_picks *picks, size_t i) {
    return &picks->batches[picks->picks[i].batch]->columns.items[picks->leaf];
}

static void count_picks(const leaf_picks *picks, size_t *ret_triples, size_t *ret_values) {
    *ret_triples = *ret_values = 0;
    for (size_t i = 0; i < picks->count; i++) {
        row_extent extent =
            extent_of(picks->batches[picks->picks[i].batch], picks->leaf, picks->picks[i].row);
        *ret_triples += extent.triples;
        *ret_values += extent.values;
    }
}

static void copy_level(uint8_t *to, const uint8_t *from, uint32_t at, uint32_t count,
                       uint8_t otherwise) {
    if (from == NULL)
        memset(to, otherwise, count);
    else if (count == 1)
        *to = from[at];
    else
        memcpy(to, from + at, count);
}

/*
 * Leaves of one value in each row: values alone. Rows may be anywhere, so that nearly every value
 * waits for memory: values that are wanted soon are fetched while others are copied.
 */
static void gather_plain(const leaf_picks *picks, uint8_t *values) {
    size_t size = lam_element_size(picks->field);
    for (size_t i = 0; i < picks->count; i++) {
        if (i + GATHER_AHEAD < picks->count)
            GATHER_FETCH((const uint8_t *)column_of(picks, i + GATHER_AHEAD)->values +
                         picks->picks[i + GATHER_AHEAD].row * size);
        copy_values(values + i * size,
                    (const uint8_t *)column_of(picks, i)->values + picks->picks[i].row * size, 1,
                    size);
    }
}

/* Bytes of strings may be anywhere, too, and are taken once all leaves of a batch are gathered. */
static void fetch_bytes(const lam_bytes *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        GATHER_FETCH(values[i].data);
}

static void gather_levels(const leaf_picks *picks, uint8_t *repetition, uint8_t *definition,
                          uint8_t *values) {
    size_t size = lam_element_size(picks->field), triple = 0, value = 0;
    for (size_t i = 0; i < picks->count; i++) {
        const lam_triples *column = column_of(picks, i);
        row_extent extent =
            extent_of(picks->batches[picks->picks[i].batch], picks->leaf, picks->picks[i].row);
        if (picks->field->max_repetition > 0)
            copy_level(repetition + triple, column->repetition, extent.triple, extent.triples, 0);
        copy_level(definition + triple, column->definition, extent.triple, extent.triples,
                   picks->field->max_definition);
        if (extent.values > 0)
            copy_values(values + value * size,
                        (const uint8_t *)column->values + extent.value * size, extent.values, size);
        triple += extent.triples;
        value += extent.values;
    }
}

static lam_status gather_leaf(lam_sort_gather *gather, const leaf_picks *picks, lam_error *error) {
    size_t leaf = picks->leaf, triples = picks->count, values = picks->count;
    lam_triples *column = gather->columns.items + leaf;
    bool is_plain = picks->field->max_definition == 0;
    if (!is_plain)
        count_picks(picks, &triples, &values);
    LAM_TRY(resize_buffer(&gather->values[leaf], values * lam_element_size(picks->field), error));
    *column =
        (lam_triples){.count = triples, .value_count = values, .values = gather->values[leaf].data};
    if (is_plain) {
        gather_plain(picks, gather->values[leaf].data);
        if (picks->field->physical_type == LAM_PHYSICAL_BYTE_ARRAY)
            fetch_bytes(column->values, values);
        return LAM_STATUS_OK;
    }
    LAM_TRY(resize_buffer(&gather->repetition[leaf], triples, error));
    LAM_TRY(resize_buffer(&gather->definition[leaf], triples, error));
    gather_levels(picks, gather->repetition[leaf].data, gather->definition[leaf].data,
                  gather->values[leaf].data);
    column->repetition = picks->field->max_repetition > 0 ? gather->repetition[leaf].data : NULL;
    column->definition = values == triples ? NULL : gather->definition[leaf].data;
    return LAM_STATUS_OK;
}

lam_status lam_sort_gather_rows(lam_sort_gather *gather, const lam_sort_batch *const *batches,
                                const lam_sort_pick *picks, size_t count,
                                const lam_triples **ret_columns, lam_error *error) {
    for (size_t i = 0; i < gather->schema->leaf_count; i++) {
        const leaf_picks of_leaf = {batches, picks, count, i, lam_leaf_at(gather->schema, i)};
        LAM_TRY(gather_leaf(gather, &of_leaf, error));
    }
    *ret_columns = gather->columns.items;
    return LAM_STATUS_OK;
}
