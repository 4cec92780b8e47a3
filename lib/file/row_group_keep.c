/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the row groups of a file again, for the footer of a writer that continues the file in
 * place. In: the old footer, of which nothing is certain. Out: the same descriptions, with all
 * their offsets, since nothing moves.
 *
 * The invariant: what the new footer states is as true as it was in the old one. The new footer
 * has another created_by and states column orders of its own; where the old bounds are in another
 * order, or their writer is known for wrong ones, they are left out, with the column index that
 * repeats them. (parquet.thrift, ColumnChunk, ColumnOrder)
 */
#include "file/row_group_keep.h"

#include "base/error.h"
#include "chunk/chunk.h"
#include "file/file_reader.h"
#include "file/writer_state.h"
#include "meta/compact.h"
#include "meta/known_faults.h"
#include "schema/leaf_error.h"

/* Faults that change how pages are read. */
enum {
    KEEP_FAULTS = LAM_FAULT_CHUNK_SIZES | LAM_FAULT_V2_COMPRESSION | LAM_FAULT_ARRAY_LEVELS |
                  LAM_FAULT_SORTED_VARIANTS
};

/* True when bounds of the leaf mean in the new footer what they mean in the old one. */
static bool bounds_stay_true(const lam_writer *writer, const lam_reader *reader,
                             size_t leaf_index) {
    const lam_meta_column_order_list *orders = &reader->footer.meta.column_orders;
    const lam_field *leaf = lam_leaf_at(writer->schema, leaf_index);
    return reader->faults == 0 && orders->count == writer->schema->leaf_count &&
           orders->items[leaf_index].kind ==
               lam_chunk_column_order(leaf, &writer->row_group.options);
}

/* One chunk, in memory of the footer's scratch arena; strings stay those of the reader. */
static lam_status keep_chunk(lam_writer *writer, const lam_reader *reader, size_t row_group,
                             size_t leaf_index, lam_meta_column *column,
                             lam_meta_column_chunk *chunk, lam_error *error) {
    const uint32_t column_index = LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                                  LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH;
    lam_chunk_range range;
    LAM_TRY(lam_reader_find_column(reader, row_group, leaf_index, &writer->footer.scratch, chunk,
                                   error));
    LAM_TRY(lam_chunk_find(chunk->meta_data, reader->footer.offset, &range, error));
    *column = *chunk->meta_data;
    chunk->meta_data = column;
    if (bounds_stay_true(writer, reader, leaf_index))
        return LAM_STATUS_OK;
    column->statistics = NULL;
    chunk->has &= ~column_index;
    return LAM_STATUS_OK;
}

static lam_status keep_row_group(lam_writer *writer, const lam_reader *reader, size_t row_group,
                                 lam_error *error) {
    size_t leaves = writer->schema->leaf_count;
    lam_arena *arena = &writer->footer.scratch;
    lam_meta_row_group group =
        lam_meta_bare_row_group(lam_reader_row_group_view(reader, row_group));
    void *memory;
    lam_arena_reset(arena);
    LAM_TRY(lam_arena_array(arena, leaves, sizeof(lam_meta_column_chunk), &memory, error));
    lam_meta_column_chunk *chunks = memory;
    LAM_TRY(lam_arena_array(arena, leaves, sizeof(lam_meta_column), &memory, error));
    lam_meta_column *columns = memory;
    for (size_t i = 0; i < leaves; i++)
        LAM_TRY(keep_chunk(writer, reader, row_group, i, &columns[i], &chunks[i], error));
    group.columns.items = chunks;
    group.columns.count = (uint32_t)leaves;
    group.has &= ~(uint32_t)LAM_META_ROW_GROUP_HAS_ORDINAL;
    if (row_group <= INT16_MAX) {
        group.has |= LAM_META_ROW_GROUP_HAS_ORDINAL;
        group.ordinal = (int16_t)row_group;
    }
    return lam_footer_build_add_resolved(&writer->footer, &group, error);
}

lam_status lam_writer_keep_key_values(lam_writer *writer, const lam_reader *reader,
                                      lam_error *error) {
    const lam_meta_key_value_list *list = &reader->footer.meta.key_value_metadata;
    for (uint32_t i = 0; i < list->count; i++) {
        const lam_meta_key_value *from = &list->items[i];
        bool has_value = (from->has & LAM_META_KEY_VALUE_HAS_VALUE) != 0;
        LAM_TRY(lam_footer_build_add_key_value(&writer->footer, from->key,
                                               has_value ? &from->value : NULL, error));
    }
    return LAM_STATUS_OK;
}

/* Refuses a file when readers need its created_by, which the new footer replaces. */
static lam_status check_faults(const lam_reader *reader, lam_error *error) {
    const lam_schema *schema = lam_reader_schema(reader);
    for (size_t i = 0; i < schema->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(schema, i);
        if ((lam_known_faults_of_leaf(reader->faults, leaf) & KEEP_FAULTS) == 0)
            continue;
        lam_status status =
            lam_error_set(error, LAM_STATUS_UNSUPPORTED,
                          "pages of %.60s may have a fault that readers know by that name: write "
                          "the rows anew, as import does",
                          reader->created_by);
        lam_error_of_leaf(error, leaf);
        return status;
    }
    return LAM_STATUS_OK;
}

lam_status lam_writer_keep_row_groups(lam_writer *writer, const lam_reader *reader,
                                      lam_error *error) {
    LAM_TRY(check_faults(reader, error));
    LAM_TRY(lam_writer_keep_key_values(writer, reader, error));
    for (size_t i = 0; i < reader->footer.meta.row_groups.count; i++)
        LAM_TRY(keep_row_group(writer, reader, i, error));
    return LAM_STATUS_OK;
}
