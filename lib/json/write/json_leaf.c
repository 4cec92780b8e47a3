/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the values of one leaf, or the dictionary entries of their indexes, batch by batch.
 *
 * Each entry of a dictionary that a value refers to is printed once, into a text of its own that
 * all further values copy, with the lead before it if that is always the same. Entries without a
 * value are never printed: one that has no text is a failure only of a record that has it. The kept
 * texts are bounded; an entry beyond prints each time. The invariant: `entries` and `texts` belong
 * to the dictionary of the cursor, which is the same for all of a chunk.
 */
#include "json/write/json_leaf.h"

#include "base/alloc.h"
#include "json/value/json_value.h"
#include "json/write/json_writer.h"

#if defined(__GNUC__)
#define JSON_LEAF_FETCH(address) __builtin_prefetch(address)
#else
#define JSON_LEAF_FETCH(address) ((void)(address))
#endif

void lam_json_leaf_init(lam_json_leaf *leaf, const lam_json_node *node,
                        const lam_json_levels *levels, lam_leaf_rows *rows, size_t memory,
                        const lam_allocator *allocator) {
    leaf->node = node;
    leaf->levels = levels;
    leaf->rows = rows;
    leaf->memory = memory;
    leaf->allocator = *allocator;
    lam_buffer_init(&leaf->texts, allocator);
}

void lam_json_leaf_finish(lam_json_leaf *leaf) {
    lam_free(&leaf->allocator, leaf->entries, leaf->entry_count * sizeof *leaf->entries);
    lam_buffer_finish(&leaf->texts);
}

/* Makes room to keep texts, if half of the memory is enough for the entries. */
static lam_status json_leaf_keep_entries(lam_json_leaf *leaf, lam_error *error) {
    leaf->dictionary = lam_column_cursor_dictionary(leaf->rows->cursor);
    size_t count = leaf->dictionary->count;
    if (count > leaf->memory / 2 / sizeof *leaf->entries)
        return LAM_STATUS_OK;
    LAM_TRY(LAM_ARRAY(&leaf->allocator, count, &leaf->entries, error));
    leaf->entry_count = count;
    return LAM_STATUS_OK;
}

/*
 * The entries of a chunk are considered with its first index. Before that there may be no
 * dictionary: a page without values refers to none, whatever its encoding.
 */
lam_status lam_json_leaf_read(void *state, lam_triples *ret_triples, lam_error *error) {
    lam_json_leaf *leaf = state;
    LAM_TRY(lam_leaf_rows_read_entries(leaf->rows, ret_triples, &leaf->is_indexes, error));
    if (leaf->is_indexes && ret_triples->value_count > 0 && leaf->dictionary == NULL)
        LAM_TRY(json_leaf_keep_entries(leaf, error));
    leaf->is_kept = leaf->is_indexes && leaf->entries != NULL;
    leaf->values_left = ret_triples->value_count;
    leaf->block_next = 0;
    leaf->block_size = 0;
    return LAM_STATUS_OK;
}

/* The texts are fetched ahead too, as those of a large dictionary are far apart. */
void lam_json_leaf_find_entries(lam_json_leaf *leaf, const lam_assembly_leaf *column) {
    size_t count =
        leaf->values_left < LAM_JSON_ENTRY_BLOCK ? leaf->values_left : LAM_JSON_ENTRY_BLOCK;
    for (size_t i = 0; i < count; i++) {
        uint32_t index;
        memcpy(&index, column->values + i * sizeof index, sizeof index);
        leaf->block[i] = leaf->entries[index];
        if (leaf->block[i].size > 0) {
            const uint8_t *text = leaf->texts.data + leaf->block[i].start;
            JSON_LEAF_FETCH(text);
            JSON_LEAF_FETCH(text + leaf->block[i].size - 1);
        }
    }
    leaf->block_next = 0;
    leaf->block_size = (uint16_t)count;
    leaf->values_left -= count;
}

/*
 * Prints a value of a VARIANT, unless it is one that cannot be in a VARIANT, or does not print: the
 * row group is declined then, as the events have the failure for it.
 */
static lam_status print_member(lam_json_writer *writer, const lam_json_leaf *leaf, lam_value value,
                               lam_error *error) {
    const lam_json_node *node = leaf->node;
    lam_status status =
        lam_json_member_check(leaf->levels->member, value, &writer->rows.scratch, error);
    if (status == LAM_STATUS_OK)
        status = lam_json_value_write(&writer->text, node->field, (lam_json_meaning)node->meaning,
                                      value, writer->binary, false, error);
    writer->rows.declines = status != LAM_STATUS_OK && status != LAM_STATUS_NOMEM;
    return status;
}

/* Prints a value as the events do, with the path in front of a failure. */
static lam_status print_value(lam_json_writer *writer, const lam_json_leaf *leaf, lam_value value,
                              lam_error *error) {
    const lam_json_node *node = leaf->node;
    lam_status status;
    if (leaf->levels->member != NULL)
        return print_member(writer, leaf, value, error);
    if (node->meaning == LAM_JSON_MEANS_FREE)
        status = lam_json_free_append(&writer->free_parser, value.bytes, &writer->text, error);
    else
        status = lam_json_value_write(&writer->text, node->field, (lam_json_meaning)node->meaning,
                                      value, writer->binary, writer->replace_invalid, error);
    return status == LAM_STATUS_OK ? status : lam_json_at_field(node->field, error);
}

/* Prints an entry, and keeps its text, from the lead on, if there is room for it. */
static lam_status print_entry(lam_json_writer *writer, lam_json_leaf *leaf,
                              const lam_assembly_leaf *column, uint32_t index, lam_error *error) {
    const uint8_t *values = leaf->dictionary->values;
    size_t start = writer->text.size - leaf->lead.size;
    LAM_TRY(print_value(writer, leaf,
                        lam_assembly_value(column, values + (size_t)index * column->element_size),
                        error));
    size_t size = writer->text.size - start;
    if (leaf->entries == NULL || size > leaf->memory / 2 ||
        leaf->texts.size + size + LAM_JSON_LEVEL_PADDING > leaf->memory / 2)
        return LAM_STATUS_OK;
    LAM_TRY(lam_buffer_reserve(&leaf->texts, size + LAM_JSON_LEVEL_PADDING, error));
    leaf->entries[index] = (lam_json_entry){(uint32_t)leaf->texts.size, (uint32_t)size};
    return lam_buffer_append(&leaf->texts, writer->text.data + start, size, error);
}

/* An entry may have got its text since its block was looked up; then it is copied as well. */
lam_status lam_json_leaf_print(lam_json_writer *writer, lam_json_leaf *leaf,
                               lam_assembly_leaf *column, lam_error *error) {
    lam_buffer *text = &writer->text;
    if (!leaf->is_indexes)
        return print_value(writer, leaf, lam_assembly_take_value(column), error);
    uint32_t index;
    memcpy(&index, column->values, sizeof index);
    column->values += sizeof index;
    leaf->block_next += leaf->is_kept;
    lam_json_entry entry = leaf->is_kept ? leaf->entries[index] : (lam_json_entry){0};
    if (entry.size == 0)
        return print_entry(writer, leaf, column, index, error);
    return lam_buffer_append(text, leaf->texts.data + entry.start + leaf->lead.size,
                             entry.size - leaf->lead.size, error);
}
