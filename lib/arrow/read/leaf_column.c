/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes a column chunk into an Arrow array of values. A column cursor and ranges of wanted rows
 * become the levels of the entries of these rows and the buffers of the array. The work nests four
 * deep, each level with its own unit:
 *
 *     batch           rows of one array                       lam_leaf_column_read
 *       row batch     consecutive rows, perhaps with gaps     read_row_batch
 *         chunk batch triples of one page                     read_whole_batch, read_picked_batch
 *           block     what stays in the nearest cache         read_entry_blocks, leaf_block.c
 *
 * The invariant: between two chunk batches the levels and the slots cover the same entries, `count`
 * of them, and no value is pending. Values reach their buffer directly where Parquet and Arrow have
 * the same bytes, else by way of scratch.
 */
#include "arrow/read/leaf_column.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "arrow/read/leaf_block.h"
#include "arrow/read/leaf_fault.h"
#include "arrow/read/leaf_pick.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/search.h"
#include "file/read/file_reader.h"
#include "schema/leaf_error.h"

enum {
    LEVELS_PER_BATCH = 65536, /* most entries of one chunk batch */
    ENTRY_BLOCK =
        LAM_LEVELS_BLOCK, /* entries whose values are spread at once, from the nearest cache */
    VALUE_BLOCK = 1024,   /* elements that are converted at once */
    LEAF_COLUMN_BLOCK_BYTES = 64 << 10, /* most bytes of a block, if it has more than one element */
    MOST_SLOT_BYTES = 64,               /* most bytes of slots expected of one byte of the file */
    MOST_DATA_BYTES = 16                /* the same, of data */
};

/* --- Opening ------------------------------------------------------------------------------- */

/* Decides what `values` collects: values, or indexes into a dictionary collected apart. */
static lam_status init_values(lam_leaf_column *column, lam_error *error) {
    const lam_arrow_field *field = column->node->field;
    const lam_field *leaf = column->node->leaf;
    const lam_kernels *kernels = lam_reader_kernels(column->reader);
    column->has_dictionary = field->is_dictionary;
    if (!field->is_dictionary) {
        LAM_TRY(lam_leaf_values_init(&column->values, kernels, leaf, &field->type, column->store,
                                     error));
        column->values.conversion.cuts = column->node->cuts_instants;
        lam_leaf_table_init(&column->table, &column->values);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_leaf_dictionary_init(&column->dictionary, kernels, leaf, &field->type,
                                     column->store, &column->reader->allocator, error));
    column->dictionary.values.conversion.cuts = column->node->cuts_instants;
    lam_leaf_values_init_indexes(&column->values, kernels, field->index_kind, column->store);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_column_init(lam_leaf_column *column, const lam_reader *reader,
                                const lam_arrow_node *node, lam_array_store *store,
                                lam_error *error) {
    lam_leaf_column fresh = {0};
    fresh.reader = reader;
    fresh.node = node;
    fresh.store = store;
    lam_arena_init(&fresh.arena, &reader->allocator, (size_t)reader->memory_limit);
    lam_buffer_init(&fresh.repetition, &reader->allocator);
    lam_buffer_init(&fresh.definition, &reader->allocator);
    lam_buffer_init(&fresh.scratch, &reader->allocator);
    lam_buffer_init(&fresh.indexes, &reader->allocator);
    lam_buffer_init(&fresh.marks, &reader->allocator);
    lam_leaf_pages_init(&fresh.pages, store, &reader->allocator);
    LAM_TRY(init_values(&fresh, error));
    *column = fresh;
    return LAM_STATUS_OK;
}

void lam_leaf_column_close(lam_leaf_column *column) {
    lam_column_cursor_destroy(column->cursor);
    column->cursor = NULL;
    column->meta = NULL;
    lam_leaf_pages_close(&column->pages);
    lam_arena_reset(&column->arena);
    lam_leaf_table_clear(&column->table);
    if (column->has_dictionary)
        lam_leaf_dictionary_clear(&column->dictionary);
}

void lam_leaf_column_finish(lam_leaf_column *column) {
    lam_leaf_column_close(column);
    lam_leaf_values_finish(&column->values);
    if (column->has_dictionary)
        lam_leaf_dictionary_finish(&column->dictionary);
    lam_arena_finish(&column->arena);
    lam_buffer_finish(&column->repetition);
    lam_buffer_finish(&column->definition);
    lam_buffer_finish(&column->scratch);
    lam_buffer_finish(&column->indexes);
    lam_buffer_finish(&column->marks);
}

/*
 * How many elements a block has: at most VALUE_BLOCK, or LEAF_COLUMN_BLOCK_BYTES of long ones, and
 * no more than the chunk has; at least 1. Bounds scratch, whatever type_length the file claims.
 */
static size_t size_block(const lam_leaf_column *column) {
    size_t element = lam_element_size(column->node->leaf);
    uint64_t values = (uint64_t)column->meta->num_values;
    size_t block = element <= LEAF_COLUMN_BLOCK_BYTES / VALUE_BLOCK
                       ? VALUE_BLOCK
                       : LEAF_COLUMN_BLOCK_BYTES / element;
    block = values < block ? (size_t)values : block;
    return block > 0 ? block : 1;
}

static uint64_t leaf_column_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static lam_status fail_here(const lam_leaf_column *column, lam_status status, lam_error *error) {
    lam_error_at_leaf(error, column->row_group, column->node->leaf);
    return status;
}

lam_status lam_leaf_column_open(lam_leaf_column *column, const lam_scan *scan, size_t row_group,
                                lam_error *error) {
    lam_leaf_column_close(column);
    column->row_group = row_group;
    size_t leaf = column->node->leaf->first_leaf;
    LAM_TRY(lam_scan_open_cursor(scan, row_group, leaf, &column->arena, &column->index_bytes,
                                 &column->cursor, error));
    column->meta = lam_column_cursor_metadata(column->cursor);
    if (column->values.form == LAM_LEAF_FORM_VIEWS)
        lam_leaf_pages_serve(&column->pages, column->cursor);
    column->group_rows = lam_reader_rows_of_group(column->reader, row_group);
    column->block = size_block(column);
    /* Marks start with one for the row before the batch (scan/evaluate/row_cursor.h). */
    size_t marks = 1 + (size_t)leaf_column_least(column->group_rows, LAM_ROW_BATCH_ROWS);
    if (column->node->leaf->max_repetition > 0)
        LAM_TRY(lam_buffer_reserve(&column->marks, marks, error));
    lam_row_cursor_init(&column->rows, &scan->ranges, column->marks.data);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_column_open_at(lam_leaf_column *column, const lam_scan *scan, size_t row_group,
                                   const lam_row_cursor *rows, lam_error *error) {
    /* Drop the slots of the failed read, if there was one. */
    lam_leaf_values_finish(&column->values);
    LAM_TRY(lam_leaf_column_open(column, scan, row_group, error));
    lam_row_cursor_go(&column->rows, rows);
    return LAM_STATUS_OK;
}

/* --- Levels -------------------------------------------------------------------------------- */

/*
 * Makes room for `count` levels after the first `used`. Levels that are all the same are not
 * written, so the buffer may have garbage before `used`; keep_levels fills that in later.
 */
static lam_status reserve_levels(lam_buffer *levels, size_t used, size_t count, lam_error *error) {
    levels->size = used;
    return lam_buffer_reserve(levels, count, error);
}

/*
 * Makes `count` levels follow the `before` ones. Levels stay unwritten while all are `whole`; the
 * first chunk batch that brings others fills in those before it, and from then on all are written:
 *
 *     chunk batches    D = 1 1      D = 1 0 1    D = 1 1
 *     definition       (nothing)    1 1 1 0 1    1 1 1 0 1 1 1
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
 * Reads the levels of the next chunk batch directly after those of the batch so far. A flat column
 * has one entry per row; entries of a nested one are unbounded by rows, but not by the values that
 * the footer counts.
 */
static lam_status read_batch_levels(lam_leaf_column *column, uint64_t rows, lam_batch *ret_batch,
                                    lam_error *error) {
    const lam_field *leaf = column->node->leaf;
    bool is_flat = leaf->max_repetition == 0;
    size_t most = (size_t)leaf_column_least(is_flat ? rows : (uint64_t)column->meta->num_values,
                                            LEVELS_PER_BATCH);
    if (leaf->max_repetition > 0)
        LAM_TRY(reserve_levels(&column->repetition, column->count, most, error));
    if (leaf->max_definition > 0)
        LAM_TRY(reserve_levels(&column->definition, column->count, most, error));
    uint8_t *repetition = column->repetition.data, *definition = column->definition.data;
    return lam_column_cursor_read_levels(
        column->cursor, most, rows, repetition == NULL ? NULL : repetition + column->count,
        definition == NULL ? NULL : definition + column->count, ret_batch, error);
}

/* Accepts `count` entries of a chunk batch, whose levels are where they belong already. */
static void keep_entries(lam_leaf_column *column, const lam_batch *chunk_batch, size_t count) {
    keep_levels(&column->repetition, column->count, count, 0, chunk_batch->has_repetition,
                &column->has_repetition);
    keep_levels(&column->definition, column->count, count, column->node->leaf->max_definition,
                chunk_batch->has_definition, &column->has_definition);
    column->count += count;
}

/* --- Values -------------------------------------------------------------------------------- */

/* The entries of a chunk batch, whose levels follow those of the batch so far. */
static lam_leaf_entries batch_entries(const lam_leaf_column *column, const lam_batch *chunk_batch) {
    lam_leaf_entries entries = {
        chunk_batch->has_repetition ? column->repetition.data + column->count : NULL,
        chunk_batch->has_definition ? column->definition.data + column->count : NULL,
        chunk_batch->count};
    return entries;
}

/*
 * Adds the row to the error of a block whose value was refused. `begun` rows of the row batch
 * precede the entries; `values_before` of the entries' values precede the block. Errors about
 * anything but one value pass unchanged.
 */
static lam_status fail_in_row(const lam_leaf_column *column, uint64_t begun,
                              const lam_leaf_entries *entries, size_t values_before,
                              lam_status status, lam_error *error) {
    const lam_field *leaf = column->node->leaf;
    if (column->fault == SIZE_MAX)
        return status;
    size_t rows = lam_leaf_fault_row(leaf, entries, values_before + column->fault);
    lam_leaf_fault_name(leaf, column->row_batch_begin + begun + rows - 1, error);
    return status;
}

/*
 * Reads the values of all entries of a chunk batch, some of which are null: block by block, counts
 * the values, decodes them without gaps, and spreads them over the slots while both are cached.
 */
static lam_status read_entry_blocks(lam_leaf_column *column, const lam_batch *chunk_batch,
                                    const lam_leaf_entries *entries, lam_error *error) {
    const lam_kernels *kernels = lam_reader_kernels(column->reader);
    const lam_arrow_node *node = column->node;
    const uint8_t *definition = entries->definition;
    for (size_t at = 0, some; at < chunk_batch->count; at += some) {
        uint8_t bits[ENTRY_BLOCK / 8];
        some = chunk_batch->count - at < ENTRY_BLOCK ? chunk_batch->count - at : ENTRY_BLOCK;
        size_t present = kernels->count_u8(definition + at, some, node->present_definition);
        size_t slots = lam_levels_leaf_bits(kernels, definition + at, some, node, bits);
        lam_leaf_block values = {chunk_batch->is_dictionary, present, NULL, 0};
        lam_status status = lam_leaf_block_read(column, &values, error);
        if (status != LAM_STATUS_OK)
            return fail_in_row(column, column->row_batch_begun, entries,
                               kernels->count_u8(definition, at, node->present_definition), status,
                               error);
        lam_leaf_values_spread(&column->values, bits, slots);
    }
    return LAM_STATUS_OK;
}

/* Reads a chunk batch whose rows are all wanted. Without nulls, nothing needs to be spread. */
static lam_status read_whole_batch(lam_leaf_column *column, const lam_batch *chunk_batch,
                                   lam_error *error) {
    const lam_leaf_entries entries = batch_entries(column, chunk_batch);
    if (chunk_batch->has_definition) {
        LAM_TRY(read_entry_blocks(column, chunk_batch, &entries, error));
    } else {
        lam_leaf_block values = {chunk_batch->is_dictionary, chunk_batch->value_count, NULL, 0};
        lam_status status = lam_leaf_block_read(column, &values, error);
        if (status != LAM_STATUS_OK)
            return fail_in_row(column, column->row_batch_begun, &entries, 0, status, error);
        lam_leaf_values_spread(&column->values, NULL, chunk_batch->count);
    }
    keep_entries(column, chunk_batch, chunk_batch->count);
    column->row_batch_begun += chunk_batch->row_count;
    return LAM_STATUS_OK;
}

/* Counts the rows below `end`, by halves; `rows` ascend. */
static size_t leaf_column_count_below(const uint16_t *rows, size_t count, size_t end) {
    size_t at;
    LAM_BISECT(at, 0, count, rows[at] < end);
    return at;
}

/* Picks the wanted ones of a block of entries; all of its rows have begun after that. */
static void leaf_column_pick(lam_leaf_column *column, const lam_leaf_entries *entries,
                             lam_leaf_picks *picks) {
    uint8_t present = column->node->present_definition;
    if (column->offsets == NULL) {
        lam_leaf_pick(column->rows.marks, &column->row_batch_begun, entries->repetition,
                      entries->definition, entries->count, present, picks);
        return;
    }
    const uint16_t *rows = column->offsets + column->row_batch_picked;
    size_t first = column->row_batch_begun;
    size_t count = leaf_column_count_below(
        rows, column->row_batch_wanted - column->row_batch_picked, first + entries->count);
    lam_leaf_pick_rows(column->values.kernels, rows, count, first, entries->definition,
                       entries->count, present, picks);
    column->row_batch_picked += count;
    column->row_batch_begun += entries->count;
}

/*
 * Reads a chunk batch with unwanted rows, block by block. The levels of wanted entries are moved
 * together in place: `kept` never passes `at`, so no level is overwritten before it is read.
 *
 *     R 0 1 0 0 1, the third row is wanted   ->   picks entries 3 and 4, R 0 1
 */
static lam_status read_picked_batch(lam_leaf_column *column, const lam_batch *chunk_batch,
                                    lam_error *error) {
    const lam_arrow_node *node = column->node;
    uint8_t *repetition =
        chunk_batch->has_repetition ? column->repetition.data + column->count : NULL;
    uint8_t *definition =
        chunk_batch->has_definition ? column->definition.data + column->count : NULL;
    size_t kept = 0;
    for (size_t at = 0, some; at < chunk_batch->count; at += some) {
        lam_leaf_picks picks;
        uint8_t bits[ENTRY_BLOCK / 8];
        some = chunk_batch->count - at < ENTRY_BLOCK ? chunk_batch->count - at : ENTRY_BLOCK;
        const lam_leaf_entries entries = {repetition == NULL ? NULL : repetition + at,
                                          definition == NULL ? NULL : definition + at, some};
        uint64_t begun = column->row_batch_begun;
        leaf_column_pick(column, &entries, &picks);
        lam_leaf_block values = {chunk_batch->is_dictionary, picks.all_values, picks.values,
                                 picks.value_count};
        size_t room = lam_leaf_block_room(column, &values);
        room = room > picks.entry_count ? room : picks.entry_count;
        LAM_TRY(lam_leaf_values_reserve(&column->values, room, error));
        lam_status status = lam_leaf_block_read(column, &values, error);
        if (status != LAM_STATUS_OK)
            return fail_in_row(column, begun, &entries, 0, status, error);
        if (repetition != NULL)
            lam_leaf_pick_levels(&picks, repetition + at, repetition + kept);
        if (definition != NULL)
            lam_leaf_pick_levels(&picks, definition + at, definition + kept);
        size_t slots = picks.entry_count;
        if (definition != NULL)
            slots =
                lam_levels_leaf_bits(column->values.kernels, definition + kept, slots, node, bits);
        lam_leaf_values_spread(&column->values, definition == NULL ? NULL : bits, slots);
        kept += picks.entry_count;
    }
    keep_entries(column, chunk_batch, kept);
    return LAM_STATUS_OK;
}

/*
 * Reads the values of a chunk batch. The chunk's dictionary comes first into the array's
 * dictionary, before any value of a PLAIN page, so that indexes of the pages are indexes of the
 * array.
 */
static lam_status read_batch_values(lam_leaf_column *column, const lam_batch *chunk_batch,
                                    lam_error *error) {
    const lam_dictionary *chunk = lam_column_cursor_dictionary(column->cursor);
    if (column->has_dictionary && chunk != NULL && column->dictionary.chunk == NULL)
        LAM_TRY(lam_leaf_dictionary_take(&column->dictionary, chunk, error));
    column->batch_entries = chunk_batch->count;
    if (column->is_picked)
        return read_picked_batch(column, chunk_batch, error);
    LAM_TRY(lam_leaf_values_reserve(&column->values, chunk_batch->count, error));
    return read_whole_batch(column, chunk_batch, error);
}

/* --- Batches ------------------------------------------------------------------------------- */

/*
 * The share of `rows` in `total`, but at most what the compressed bytes of the chunk make likely: a
 * footer that claims more cannot make a small file reserve a lot of memory. Floating point avoids
 * overflow; a guess needs no more.
 */
static size_t share_of(const lam_leaf_column *column, int64_t total, uint64_t rows,
                       uint64_t per_byte) {
    double share = (double)rows / (double)column->group_rows;
    double guess = total > 0 ? (double)total * (share < 1 ? share : 1) : 0;
    double most = (double)column->meta->total_compressed_size * (double)per_byte;
    guess = guess < most ? guess : most;
    /* unreachable: when a size has 64 bits, as no file has 2^56 bytes */
    return guess < (double)(SIZE_MAX / 2) ? (size_t)guess : SIZE_MAX / 2;
}

/*
 * Guesses how much the batch takes from the footer, because a buffer that grows is copied. The
 * batch before is the better guess if it had as many rows.
 */
static void leaf_column_expect_rows(lam_leaf_column *column, uint64_t rows) {
    const lam_meta_column *meta = column->meta;
    size_t slot = column->values.slot_size > 0 ? column->values.slot_size : 1;
    size_t slots = share_of(column, meta->num_values, rows, MOST_SLOT_BYTES / slot + 1);
    size_t data = share_of(column, meta->total_uncompressed_size, rows, MOST_DATA_BYTES);
    lam_leaf_values_expect(&column->values, slots, data, rows == column->last_rows);
    column->last_rows = rows;
}

/* Starts a batch: makes room for one block in scratch, and forgets the batch before. */
static lam_status prepare(lam_leaf_column *column, lam_error *error) {
    size_t element = lam_element_size(column->node->leaf);
    column->scratch.size = 0;
    column->indexes.size = 0;
    LAM_TRY(lam_buffer_reserve(&column->scratch, column->block * element, error));
    if (column->has_dictionary)
        LAM_TRY(lam_buffer_reserve(&column->indexes, column->block * sizeof(uint32_t), error));
    column->count = 0;
    column->fault = SIZE_MAX;
    column->has_repetition = false;
    column->has_definition = false;
    return LAM_STATUS_OK;
}

/*
 * Skips the unwanted rows before the next wanted one, in a flat leaf: between two chunk batches
 * there may be entire pages of them.
 */
static lam_status skip_unwanted(lam_leaf_column *column, uint64_t *left, lam_error *error) {
    if (column->offsets == NULL || column->row_batch_picked == column->row_batch_wanted)
        return LAM_STATUS_OK;
    size_t next = column->offsets[column->row_batch_picked];
    if (next == column->row_batch_begun)
        return LAM_STATUS_OK;
    LAM_TRY(lam_column_cursor_skip_to(column->cursor, column->row_batch_begin + next, error));
    *left -= next - column->row_batch_begun;
    column->row_batch_begun = next;
    return LAM_STATUS_OK;
}

/*
 * Reads one row batch, up to the last entry of its last row. `left` counts its rows that have not
 * begun; at 0 the loop continues to the end of the last record, until a chunk batch is empty. A
 * chunk that ends before its rows do contradicts the row group's num_rows.
 */
static lam_status read_row_batch(lam_leaf_column *column, const lam_row_batch *row_batch,
                                 const uint16_t *offsets, lam_error *error) {
    uint64_t left = row_batch->rows;
    LAM_TRY(lam_column_cursor_skip_to(column->cursor, row_batch->begin, error));
    column->row_batch_begin = row_batch->begin;
    column->is_picked = !row_batch->is_whole;
    column->offsets = offsets;
    column->row_batch_begun = 0;
    column->row_batch_wanted = (size_t)row_batch->wanted_rows;
    column->row_batch_picked = 0;
    for (lam_batch chunk_batch = {.count = 1}; chunk_batch.count > 0;) {
        LAM_TRY(skip_unwanted(column, &left, error));
        LAM_TRY(read_batch_levels(column, left, &chunk_batch, error));
        LAM_TRY(read_batch_values(column, &chunk_batch, error));
        left -= chunk_batch.row_count;
    }
    /* unreachable: the cursor compares the rows of a chunk with those of its row group */
    if (left > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "the chunk ends %" PRIu64 " rows before its row group",
                 left + column->group_rows - row_batch->begin - row_batch->rows);
    return LAM_STATUS_OK;
}

/* Reads the rows of the list: a flat leaf shares it with all others. */
static lam_status leaf_column_read_list(lam_leaf_column *column, const lam_row_list *list,
                                        lam_error *error) {
    for (size_t i = 0; i < lam_row_list_count(list); i++) {
        const lam_row_list_item *item = lam_row_list_at(list, i);
        const uint16_t *offsets = lam_row_list_offsets(list, item);
        LAM_TRY(read_row_batch(column, &item->batch, offsets, error));
    }
    lam_row_cursor_go(&column->rows, &list->end);
    return LAM_STATUS_OK;
}

static lam_status read_rows(lam_leaf_column *column, uint64_t rows, const lam_row_list *list,
                            lam_error *error) {
    LAM_TRY(prepare(column, error));
    leaf_column_expect_rows(column, rows);
    if (column->node->leaf->max_repetition == 0)
        return leaf_column_read_list(column, list, error);
    for (uint64_t left = rows; left > 0;) {
        lam_row_batch row_batch = lam_row_cursor_next(&column->rows, left);
        assert(row_batch.rows > 0);
        LAM_TRY(read_row_batch(column, &row_batch, NULL, error));
        left -= row_batch.wanted_rows;
    }
    return LAM_STATUS_OK;
}

static void lend_levels(const lam_leaf_column *column, lam_leaf_levels *ret_levels) {
    ret_levels->kernels = lam_reader_kernels(column->reader);
    ret_levels->count = column->count;
    ret_levels->max_repetition = column->node->leaf->max_repetition;
    ret_levels->repetition = column->has_repetition ? column->repetition.data : NULL;
    ret_levels->definition = column->has_definition ? column->definition.data : NULL;
}

/*
 * Makes the array from levels and slots. Its references to the buffers are its own, so releasing it
 * at any time leaves the column untouched.
 */
static lam_status make_array(lam_leaf_column *column, const lam_leaf_levels *levels,
                             struct ArrowArray *ret_array, lam_error *error) {
    lam_status status;
    struct ArrowArray array;
    size_t buffers = lam_leaf_values_buffer_count(&column->values);
    LAM_TRY(lam_array_create(column->store, buffers > 0 ? 1 + buffers : 0, 0,
                             column->has_dictionary, &array, error));
    /*
     * An empty slot below a null struct has index 0. The dictionary may have no value 0, so such
     * slots must be null, even in a field that is not nullable.
     */
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

lam_status lam_leaf_column_read(lam_leaf_column *column, uint64_t rows, const lam_row_list *list,
                                lam_leaf_levels *ret_levels, struct ArrowArray *ret_array,
                                lam_error *error) {
    lam_leaf_levels levels;
    lam_status status = read_rows(column, rows, list, error);
    if (status == LAM_STATUS_OK) {
        lend_levels(column, &levels);
        status = make_array(column, &levels, ret_array, error);
    }
    if (status != LAM_STATUS_OK)
        return fail_here(column, status, error);
    /* Free the pages now: the next column can use their memory while it is in the cache. */
    if (lam_row_cursor_at_end(&column->rows))
        lam_leaf_column_close(column);
    *ret_levels = levels;
    return LAM_STATUS_OK;
}
