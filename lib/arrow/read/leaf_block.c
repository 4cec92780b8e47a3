/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads values of a chunk batch into the slots of an array, without gaps. Takes a column cursor
 * that has read the levels of these values, and the positions of the wanted ones; gives pending
 * values of `column->values`. Values always reach their buffer directly where Parquet and Arrow
 * have the same bytes, else by way of scratch, a block at a time.
 */
#include "arrow/read/leaf_block.h"

#include "arrow/read/leaf_pick.h"
#include "arrow/read/leaf_text.h"
#include "base/error.h"

/*
 * Cuts out the `count` values that follow the first `first`. `next_position` moves past the
 * positions inside the piece, so that all pieces together take linear time:
 *
 *     positions 1 4 5, values cut by 3   ->   {1} and {4, 5}, the positions unchanged
 */
static lam_leaf_block cut_block(const lam_leaf_block *values, size_t first, size_t count,
                                size_t *next_position) {
    lam_leaf_block some = {values->is_dictionary, count, values->positions, 0};
    if (values->positions == NULL)
        return some;
    some.positions += *next_position;
    while (*next_position < values->position_count &&
           values->positions[*next_position] < first + count)
        ++*next_position;
    some.position_count = *next_position - (size_t)(some.positions - values->positions);
    return some;
}

/*
 * Moves the wanted ones of `elements` together and returns how many they are; `first` is the
 * position of elements[0].
 */
static size_t leaf_block_pick(const lam_leaf_block *values, size_t first, void *elements,
                              size_t size) {
    if (values->positions == NULL)
        return values->count;
    lam_leaf_pick_elements(values->positions, values->position_count, first, elements, size);
    return values->position_count;
}

/*
 * Reads the indexes of a block into `indexes`; `ret_count`: how many are wanted. Indexes of a
 * dictionary page are used as they are; values of PLAIN and other pages are added to the
 * dictionary, unwanted ones excluded.
 */
static lam_status leaf_block_read_indexes(lam_leaf_column *column, const lam_leaf_block *values,
                                          size_t first, uint32_t *indexes, size_t *ret_count,
                                          lam_error *error) {
    if (values->is_dictionary) {
        LAM_TRY(lam_column_cursor_read_indexes(column->cursor, values->count, indexes, error));
        *ret_count = leaf_block_pick(values, first, indexes, sizeof *indexes);
        return LAM_STATUS_OK;
    }
    void *scratch = column->scratch.data;
    LAM_TRY(lam_column_cursor_read_values(column->cursor, values->count, scratch, error));
    *ret_count = leaf_block_pick(values, first, scratch, lam_element_size(column->node->leaf));
    return lam_leaf_dictionary_add(&column->dictionary, scratch, *ret_count, indexes, error);
}

/*
 * Converts the `count` wanted values in scratch. A failure notes which value of the block it is
 * about, counting unwanted ones too, so that its row can be found.
 */
static lam_status append_block(lam_leaf_column *column, const lam_leaf_block *values, size_t first,
                               size_t count, lam_error *error) {
    lam_status status = lam_leaf_values_append(&column->values, column->scratch.data, count, error);
    size_t fault = column->values.fault;
    if (status != LAM_STATUS_OK && fault < count)
        column->fault = values->positions == NULL ? first + fault : values->positions[fault];
    return status;
}

/*
 * Reads and appends the next values, at most a block, by way of scratch. Values are passed over
 * undecoded if none of them is wanted. Indexes need no scratch if the index type has their 32 bits.
 */
static lam_status convert_block(lam_leaf_column *column, const lam_leaf_block *values, size_t first,
                                lam_error *error) {
    size_t count;
    if (values->positions != NULL && values->position_count == 0)
        return lam_column_cursor_skip_values(column->cursor, values->count, error);
    if (!column->has_dictionary) {
        void *scratch = column->scratch.data;
        LAM_TRY(lam_column_cursor_read_values(column->cursor, values->count, scratch, error));
        /* Byte arrays are borrowed from the page, whose end bounds what a copy may read. */
        column->values.text_end = lam_column_cursor_text_end(column->cursor);
        count = leaf_block_pick(values, first, scratch, lam_element_size(column->node->leaf));
        /* Without gaps, and slices of the page in its order. */
        column->values.lent_text = NULL;
        column->values.is_in_order = !values->is_dictionary && column->values.text_end != NULL;
        if (values->positions == NULL && column->values.is_in_order)
            LAM_TRY(lam_leaf_pages_lend(&column->pages, column->cursor, column->batch_entries,
                                        scratch, count, &column->values, error));
        return append_block(column, values, first, count, error);
    }
    uint32_t *room = lam_leaf_values_room(&column->values);
    uint32_t *indexes = room != NULL ? room : (uint32_t *)(void *)column->indexes.data;
    LAM_TRY(leaf_block_read_indexes(column, values, first, indexes, &count, error));
    if (room == NULL)
        return lam_leaf_values_append(&column->values, indexes, count, error);
    lam_leaf_values_filled(&column->values, count);
    return LAM_STATUS_OK;
}

/*
 * Appends strings with offsets by their indexes into the table, at most a block. The indexes are
 * read into the scratch of values, which has room for more of them than it has elements.
 */
static lam_status append_entries(lam_leaf_column *column, size_t count, lam_error *error) {
    uint32_t *indexes = (uint32_t *)(void *)column->scratch.data;
    LAM_TRY(lam_column_cursor_read_indexes(column->cursor, count, indexes, error));
    return lam_leaf_text_append_entries(&column->values, &column->table.values, indexes, count,
                                        error);
}

/*
 * Reads indexes of a dictionary whose entries are slots already: directly into the array, but for
 * strings with offsets, whose bytes are copied. All values are wanted: of indexes, some are always
 * picked.
 */
static lam_status read_by_table(lam_leaf_column *column, const lam_leaf_block *values,
                                lam_error *error) {
    const lam_leaf_values *table = &column->table.values;
    if (table->form == LAM_LEAF_FORM_OFFSETS_32 || table->form == LAM_LEAF_FORM_OFFSETS_64) {
        for (size_t at = 0, some; at < values->count; at += some) {
            some = values->count - at < column->block ? values->count - at : column->block;
            LAM_TRY(append_entries(column, some, error));
        }
        return LAM_STATUS_OK;
    }
    if (table->data_size > 0)
        LAM_TRY(lam_leaf_values_lend(&column->values, LAM_LEAF_DICTIONARY_DATA, table->data,
                                     table->data_size, error));
    void *slots = lam_leaf_values_slots(&column->values);
    LAM_TRY(lam_column_cursor_read_slots(column->cursor, table->slots->data, table->slot_size,
                                         values->count, slots, error));
    lam_leaf_values_filled(&column->values, values->count);
    return LAM_STATUS_OK;
}

/* True if the wanted values are read without the others. */
static bool leaf_block_is_picked(const lam_leaf_column *column, const lam_leaf_block *values) {
    return values->positions != NULL &&
           lam_column_cursor_can_pick(column->cursor,
                                      lam_picks_are_few(values->position_count, values->count));
}

size_t lam_leaf_block_room(const lam_leaf_column *column, const lam_leaf_block *values) {
    bool is_picked = values->position_count == 0 || leaf_block_is_picked(column, values);
    return is_picked ? values->position_count : values->count;
}

/* Fetches slots that are made already: those of the page, or of the chunk's dictionary. */
static lam_status leaf_block_pick_slots(lam_leaf_column *column, const lam_leaf_block *values,
                                        const lam_leaf_values *table, lam_error *error) {
    const lam_value_picks picks = {values->positions, values->position_count, 0};
    lam_value_target to = {.picks = &picks, .values = lam_leaf_values_slots(&column->values)};
    if (table != NULL) {
        to.entries = table->slots->data;
        to.entry_size = table->slot_size;
    }
    if (table != NULL && table->data_size > 0)
        LAM_TRY(lam_leaf_values_lend(&column->values, LAM_LEAF_DICTIONARY_DATA, table->data,
                                     table->data_size, error));
    LAM_TRY(lam_column_cursor_pick(column->cursor, values->count, &to, error));
    lam_leaf_values_filled(&column->values, picks.count);
    return LAM_STATUS_OK;
}

/* Fetches elements to scratch, and appends them as values, or as indexes of the dictionary. */
static lam_status leaf_block_pick_elements(lam_leaf_column *column, const lam_leaf_block *values,
                                           size_t first, lam_error *error) {
    const lam_value_picks picks = {values->positions, values->position_count, first};
    const lam_value_target to = {.picks = &picks, .values = column->scratch.data};
    LAM_TRY(lam_column_cursor_pick(column->cursor, values->count, &to, error));
    if (!column->has_dictionary) {
        column->values.text_end = lam_column_cursor_text_end(column->cursor);
        column->values.lent_text = NULL;
        /* No encoding that picks builds a byte array. */
        column->values.is_in_order = !values->is_dictionary;
        return append_block(column, values, first, picks.count, error);
    }
    uint32_t *indexes = (uint32_t *)(void *)column->indexes.data;
    LAM_TRY(lam_leaf_dictionary_add(&column->dictionary, column->scratch.data, picks.count, indexes,
                                    error));
    return lam_leaf_values_append(&column->values, indexes, picks.count, error);
}

/* Fetches indexes: of the array's own dictionary, or of entries whose bytes are copied. */
static lam_status leaf_block_pick_indexes(lam_leaf_column *column, const lam_leaf_block *values,
                                          size_t first, lam_error *error) {
    const lam_value_picks picks = {values->positions, values->position_count, first};
    uint32_t *indexes =
        (uint32_t *)(void *)(column->has_dictionary ? column->indexes.data : column->scratch.data);
    const lam_value_target to = {.picks = &picks, .indexes = indexes};
    LAM_TRY(lam_column_cursor_pick(column->cursor, values->count, &to, error));
    if (column->has_dictionary)
        return lam_leaf_values_append(&column->values, indexes, picks.count, error);
    return lam_leaf_text_append_entries(&column->values, &column->table.values, indexes,
                                        picks.count, error);
}

/*
 * Fetches the wanted values by way of scratch, a block at a time: as values, or as indexes of
 * entries whose bytes are copied.
 */
static lam_status leaf_block_pick_blocks(lam_leaf_column *column, const lam_leaf_block *values,
                                         bool as_indexes, lam_error *error) {
    size_t next_position = 0;
    for (size_t at = 0, some; at < values->count; at += some) {
        some = values->count - at < column->block ? values->count - at : column->block;
        lam_leaf_block block = cut_block(values, at, some, &next_position);
        if (block.position_count == 0)
            LAM_TRY(lam_column_cursor_skip_values(column->cursor, some, error));
        else if (as_indexes)
            LAM_TRY(leaf_block_pick_indexes(column, &block, at, error));
        else
            LAM_TRY(leaf_block_pick_elements(column, &block, at, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Appends only the wanted values, as their type needs it. Only these count for the table, as only
 * these are converted without it.
 */
static lam_status leaf_block_read_picked(lam_leaf_column *column, const lam_leaf_block *values,
                                         lam_error *error) {
    const lam_leaf_values *table = &column->table.values;
    bool has_table = false;
    if (!column->has_dictionary && lam_leaf_values_room(&column->values) != NULL)
        return leaf_block_pick_slots(column, values, NULL, error);
    if (column->has_dictionary)
        return leaf_block_pick_blocks(column, values, values->is_dictionary, error);
    if (values->is_dictionary)
        LAM_TRY(lam_leaf_table_prepare(&column->table, lam_column_cursor_dictionary(column->cursor),
                                       values->position_count, (uint64_t)column->meta->num_values,
                                       &has_table, error));
    bool is_text =
        table->form == LAM_LEAF_FORM_OFFSETS_32 || table->form == LAM_LEAF_FORM_OFFSETS_64;
    if (!has_table || is_text)
        return leaf_block_pick_blocks(column, values, has_table, error);
    return leaf_block_pick_slots(column, values, table, error);
}

/*
 * Appends the next values without gaps, to be spread over slots by the caller. If the bytes are the
 * same in both formats, they are decoded directly into the buffer of the array, and unwanted ones
 * are closed up there.
 */
lam_status lam_leaf_block_read(lam_leaf_column *column, const lam_leaf_block *values,
                               lam_error *error) {
    void *room = column->has_dictionary ? NULL : lam_leaf_values_room(&column->values);
    size_t next_position = 0;
    if (values->positions != NULL && values->position_count == 0)
        return lam_column_cursor_skip_values(column->cursor, values->count, error);
    if (leaf_block_is_picked(column, values))
        return leaf_block_read_picked(column, values, error);
    if (room != NULL) {
        LAM_TRY(lam_column_cursor_read_values(column->cursor, values->count, room, error));
        lam_leaf_values_filled(&column->values,
                               leaf_block_pick(values, 0, room, column->values.slot_size));
        return LAM_STATUS_OK;
    }
    bool has_table = false;
    if (values->is_dictionary && !column->has_dictionary)
        LAM_TRY(lam_leaf_table_prepare(&column->table, lam_column_cursor_dictionary(column->cursor),
                                       values->count, (uint64_t)column->meta->num_values,
                                       &has_table, error));
    if (has_table)
        return read_by_table(column, values, error);
    for (size_t at = 0, some; at < values->count; at += some) {
        some = values->count - at < column->block ? values->count - at : column->block;
        lam_leaf_block block = cut_block(values, at, some, &next_position);
        LAM_TRY(convert_block(column, &block, at, error));
    }
    return LAM_STATUS_OK;
}
