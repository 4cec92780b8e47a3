#include "arrow/leaf_column.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "file/file_reader.h"
#include "kernel/kernel.h"

enum {
    PART = 65536,           /* entries whose levels are read together */
    RUN = LAM_LEVELS_BLOCK, /* entries whose values are spread together, in the nearest cache */
    BLOCK = 1024,           /* elements that are converted together */
    BLOCK_BYTES = 64 << 10, /* of elements, unless one is larger */
    MOST_SLOT_BYTES = 64,   /* that a byte of the file may be expected to give */
    MOST_DATA_BYTES = 16
};

/* --- Opening ------------------------------------------------------------------------------- */

static lam_status init_values(lam_leaf_column *column, lam_error *error) {
    const lam_arrow_field *field = column->node->field;
    const lam_field *leaf = column->node->leaf;
    column->has_dictionary = field->is_dictionary;
    if (!field->is_dictionary)
        return lam_leaf_values_init(&column->values, leaf, &field->type, column->store, error);
    LAM_TRY(lam_leaf_dictionary_init(&column->dictionary, leaf, &field->type, column->store,
                                     &column->reader->allocator, error));
    lam_leaf_values_init_indexes(&column->values, field->index_kind, column->store);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_column_init(lam_leaf_column *column, const lam_reader *reader,
                                const lam_arrow_node *node, lam_array_store *store,
                                lam_error *error) {
    lam_leaf_column fresh = {0};
    fresh.reader = reader;
    fresh.node = node;
    fresh.store = store;
    lam_buffer_init(&fresh.repetition, &reader->allocator);
    lam_buffer_init(&fresh.definition, &reader->allocator);
    lam_buffer_init(&fresh.scratch, &reader->allocator);
    lam_buffer_init(&fresh.indexes, &reader->allocator);
    size_t element = lam_element_size(node->leaf);
    fresh.block = element <= BLOCK_BYTES / BLOCK ? BLOCK : BLOCK_BYTES / element;
    fresh.block = fresh.block > 0 ? fresh.block : 1;
    LAM_TRY(init_values(&fresh, error));
    *column = fresh;
    return LAM_STATUS_OK;
}

void lam_leaf_column_close(lam_leaf_column *column) {
    lam_chunk_reader_destroy(column->chunk);
    column->chunk = NULL;
    if (column->has_dictionary)
        lam_leaf_dictionary_clear(&column->dictionary);
}

void lam_leaf_column_finish(lam_leaf_column *column) {
    lam_leaf_column_close(column);
    lam_leaf_values_finish(&column->values);
    if (column->has_dictionary)
        lam_leaf_dictionary_finish(&column->dictionary);
    lam_buffer_finish(&column->repetition);
    lam_buffer_finish(&column->definition);
    lam_buffer_finish(&column->scratch);
    lam_buffer_finish(&column->indexes);
}

static lam_status fail_here(const lam_leaf_column *column, lam_status status, lam_error *error) {
    if (status != LAM_STATUS_OK)
        lam_error_at_chunk(error, column->row_group, column->node->leaf->first_leaf);
    return status;
}

lam_status lam_leaf_column_open(lam_leaf_column *column, size_t row_group, uint64_t skip_rows,
                                lam_error *error) {
    lam_leaf_column_close(column);
    column->row_group = row_group;
    size_t leaf = column->node->leaf->first_leaf;
    LAM_TRY(lam_reader_find_column(column->reader, row_group, leaf, &column->meta, error));
    LAM_TRY(lam_reader_open_chunk(column->reader, row_group, leaf, &column->chunk, error));
    column->group_rows = (uint64_t)column->reader->footer.meta.row_groups.items[row_group].num_rows;
    if (skip_rows == 0)
        return LAM_STATUS_OK;
    return fail_here(column, lam_chunk_reader_skip_rows(column->chunk, skip_rows, error), error);
}

/* --- Levels -------------------------------------------------------------------------------- */

/* Room for `count` more levels; what was not written yet, because it is all the same, stays so. */
static lam_status reserve_levels(lam_buffer *levels, size_t used, size_t count, lam_error *error) {
    levels->size = used;
    return lam_buffer_reserve(levels, count, error);
}

/*
 * Makes the levels of a part stand behind those before it. Levels that are all the same stay
 * unwritten until others come.
 */
static void keep_levels(const lam_buffer *levels, size_t before, size_t count, uint8_t whole,
                        bool written, bool *has_levels) {
    if (written && !*has_levels && before > 0)
        memset(levels->data, whole, before);
    if (!written && *has_levels)
        memset(levels->data + before, whole, count);
    *has_levels |= written;
}

/*
 * Entries may be many more than rows. What they take may be the memory limit, and as much more as
 * the bytes of the pages make likely; beyond that they would be nulls and repeated values that a
 * few bytes stand for.
 */
static lam_status check_entries(const lam_leaf_column *column, uint64_t rows, lam_error *error) {
    uint64_t most =
        MOST_SLOT_BYTES * lam_chunk_reader_page_bytes(column->chunk) + column->reader->memory_limit;
    size_t slot = column->values.slot_size > 0 ? column->values.slot_size : 1;
    if (column->count > rows && column->count - rows > most / slot)
        LAM_FAIL(error, LAM_STATUS_LIMIT,
                 "%" PRIu64 " rows have %zu values, which few bytes stand for: read smaller "
                 "batches, or raise the memory limit",
                 rows, column->count);
    return LAM_STATUS_OK;
}

static lam_status read_part_levels(lam_leaf_column *column, uint64_t rows, lam_chunk_part *ret_part,
                                   lam_error *error) {
    const lam_field *leaf = column->node->leaf;
    bool is_flat = leaf->max_repetition == 0;
    size_t most = is_flat && rows < PART ? (size_t)rows : PART;
    if (leaf->max_repetition > 0)
        LAM_TRY(reserve_levels(&column->repetition, column->count, most, error));
    if (leaf->max_definition > 0)
        LAM_TRY(reserve_levels(&column->definition, column->count, most, error));
    uint8_t *repetition = column->repetition.data, *definition = column->definition.data;
    lam_chunk_part part;
    LAM_TRY(lam_chunk_reader_read_levels(
        column->chunk, most, rows, repetition == NULL ? NULL : repetition + column->count,
        definition == NULL ? NULL : definition + column->count, &part, error));
    keep_levels(&column->repetition, column->count, part.count, 0, part.has_repetition,
                &column->has_repetition);
    keep_levels(&column->definition, column->count, part.count, leaf->max_definition,
                part.has_definition, &column->has_definition);
    *ret_part = part;
    return LAM_STATUS_OK;
}

/* --- Values -------------------------------------------------------------------------------- */

/* Indexes of `count` values, at most a block, to `indexes`. */
static lam_status read_indexes(lam_leaf_column *column, bool is_dictionary, size_t count,
                               uint32_t *indexes, lam_error *error) {
    if (is_dictionary)
        return lam_chunk_reader_read_indexes(column->chunk, count, indexes, error);
    LAM_TRY(lam_chunk_reader_read_values(column->chunk, count, column->scratch.data, error));
    return lam_leaf_dictionary_add(&column->dictionary, column->scratch.data, count, indexes,
                                   error);
}

/* The next values, at most a block, by way of scratch. */
static lam_status convert_block(lam_leaf_column *column, bool is_dictionary, size_t count,
                                lam_error *error) {
    if (!column->has_dictionary) {
        LAM_TRY(lam_chunk_reader_read_values(column->chunk, count, column->scratch.data, error));
        column->values.text_end = lam_chunk_reader_text_end(column->chunk);
        return lam_leaf_values_append(&column->values, column->scratch.data, count, error);
    }
    uint32_t *place = lam_leaf_values_place(&column->values);
    uint32_t *indexes = place != NULL ? place : (uint32_t *)(void *)column->indexes.data;
    LAM_TRY(read_indexes(column, is_dictionary, count, indexes, error));
    if (place == NULL)
        return lam_leaf_values_append(&column->values, indexes, count, error);
    lam_leaf_values_placed(&column->values, count);
    return LAM_STATUS_OK;
}

/* The next `count` values, without gaps. */
static lam_status read_values(lam_leaf_column *column, bool is_dictionary, size_t count,
                              lam_error *error) {
    void *place = column->has_dictionary ? NULL : lam_leaf_values_place(&column->values);
    if (place != NULL) {
        LAM_TRY(lam_chunk_reader_read_values(column->chunk, count, place, error));
        lam_leaf_values_placed(&column->values, count);
        return LAM_STATUS_OK;
    }
    for (size_t some; count > 0; count -= some) {
        some = count < column->block ? count : column->block;
        LAM_TRY(convert_block(column, is_dictionary, some, error));
    }
    return LAM_STATUS_OK;
}

/* Entries of a part that have definition levels, a run at a time. */
static lam_status read_runs(lam_leaf_column *column, const lam_chunk_part *part,
                            const uint8_t *definition, lam_error *error) {
    const lam_kernels *kernels = lam_kernels_get();
    const lam_arrow_node *node = column->node;
    for (size_t at = 0, some; at < part->count; at += some) {
        uint8_t bits[RUN / 8];
        some = part->count - at < RUN ? part->count - at : RUN;
        size_t present = kernels->count_u8(definition + at, some, node->present_definition);
        size_t slots = lam_levels_leaf_bits(definition + at, some, node, bits);
        LAM_TRY(read_values(column, part->is_dictionary, present, error));
        lam_leaf_values_spread(&column->values, bits, slots);
    }
    return LAM_STATUS_OK;
}

static lam_status read_part_values(lam_leaf_column *column, const lam_chunk_part *part,
                                   lam_error *error) {
    const lam_dictionary *chunk = lam_chunk_reader_dictionary(column->chunk);
    if (column->has_dictionary && chunk != NULL && column->dictionary.chunk == NULL)
        LAM_TRY(lam_leaf_dictionary_take(&column->dictionary, chunk, error));
    LAM_TRY(lam_leaf_values_reserve(&column->values, part->count, error));
    if (part->has_definition)
        return read_runs(column, part, column->definition.data + column->count, error);
    LAM_TRY(read_values(column, part->is_dictionary, part->value_count, error));
    lam_leaf_values_spread(&column->values, NULL, part->count);
    return LAM_STATUS_OK;
}

/* --- Batches ------------------------------------------------------------------------------- */

/* `total` cut to the share of some rows, but for what the bytes of the chunk make unlikely. */
static size_t share_of(const lam_leaf_column *column, int64_t total, uint64_t rows,
                       uint64_t per_byte) {
    double share = column->group_rows > 0 ? (double)rows / (double)column->group_rows : 0;
    double guess = total > 0 ? (double)total * (share < 1 ? share : 1) : 0;
    double most = (double)column->meta->total_compressed_size * (double)per_byte;
    guess = guess < most ? guess : most;
    return guess < (double)(SIZE_MAX / 2) ? (size_t)guess : SIZE_MAX / 2;
}

/* Buffers that grow are copied, so their sizes are guessed from what the footer says. */
static void expect_rows(lam_leaf_column *column, uint64_t rows) {
    const lam_meta_column *meta = column->meta;
    size_t slot = column->values.slot_size > 0 ? column->values.slot_size : 1;
    size_t slots = share_of(column, meta->num_values, rows, MOST_SLOT_BYTES / slot + 1);
    size_t data = share_of(column, meta->total_uncompressed_size, rows, MOST_DATA_BYTES);
    lam_leaf_values_expect(&column->values, slots, data, rows == column->last_rows);
    column->last_rows = rows;
}

/* Scratch for a block, where values do not go to their place at once. */
static lam_status prepare(lam_leaf_column *column, lam_error *error) {
    size_t element = lam_element_size(column->node->leaf);
    column->scratch.size = 0;
    column->indexes.size = 0;
    LAM_TRY(lam_buffer_reserve(&column->scratch, column->block * element, error));
    if (column->has_dictionary)
        LAM_TRY(lam_buffer_reserve(&column->indexes, column->block * sizeof(uint32_t), error));
    column->count = 0;
    column->has_repetition = false;
    column->has_definition = false;
    return LAM_STATUS_OK;
}

static lam_status read_rows(lam_leaf_column *column, uint64_t rows, lam_error *error) {
    uint64_t left = rows;
    LAM_TRY(prepare(column, error));
    expect_rows(column, rows);
    for (lam_chunk_part part = {.count = 1}; part.count > 0;) {
        LAM_TRY(read_part_levels(column, left, &part, error));
        LAM_TRY(read_part_values(column, &part, error));
        column->count += part.count;
        left -= part.row_count;
        LAM_TRY(check_entries(column, rows, error));
    }
    if (left > 0)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "the chunk ends %" PRIu64 " rows before its row group",
                 left);
    return LAM_STATUS_OK;
}

static void lend_levels(const lam_leaf_column *column, lam_leaf_levels *ret_levels) {
    ret_levels->count = column->count;
    ret_levels->max_repetition = column->node->leaf->max_repetition;
    ret_levels->repetition = column->has_repetition ? column->repetition.data : NULL;
    ret_levels->definition = column->has_definition ? column->definition.data : NULL;
}

/* The array of the values: buffers, validity and dictionary. */
static lam_status make_array(lam_leaf_column *column, const lam_leaf_levels *levels,
                             struct ArrowArray *ret_array, lam_error *error) {
    lam_status status;
    struct ArrowArray array;
    size_t buffers = lam_leaf_values_buffer_count(&column->values);
    LAM_TRY(lam_array_create(column->store, buffers > 0 ? 1 + buffers : 0, 0,
                             column->has_dictionary, &array, error));
    /* There may be no value in the dictionary that an empty slot could stand for. */
    bool may_be_null = column->node->field->nullable || column->has_dictionary;
    LAM_TRY_OUT(
        lam_levels_set_validity(levels, column->node, may_be_null, column->store, &array, error));
    LAM_TRY_OUT(lam_leaf_values_export(&column->values, false, &array, error));
    if (column->has_dictionary)
        LAM_TRY_OUT(lam_leaf_dictionary_export(&column->dictionary, array.dictionary, error));
    *ret_array = array;
    return LAM_STATUS_OK;
out:
    lam_array_release(&array);
    return status;
}

lam_status lam_leaf_column_read(lam_leaf_column *column, uint64_t rows, lam_leaf_levels *ret_levels,
                                struct ArrowArray *ret_array, lam_error *error) {
    lam_leaf_levels levels;
    lam_status status = read_rows(column, rows, error);
    if (status == LAM_STATUS_OK) {
        lend_levels(column, &levels);
        status = make_array(column, &levels, ret_array, error);
    }
    if (status != LAM_STATUS_OK)
        return fail_here(column, status, error);
    *ret_levels = levels;
    return LAM_STATUS_OK;
}
