/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes the row groups of a file again, for the footer of a writer that continues the file in
 * place: takes the old footer, which may state anything, and gives the same descriptions, with all
 * their offsets, since no bytes move.
 *
 * The invariant: statements of the new footer are as true as they were in the old one. The new
 * footer has another created_by and column orders of its own; if the old bounds are in another
 * order, or their writer is known for wrong ones, they are left out, with the column index that
 * repeats them; so are Bloom filters and offset indexes that it gets wrong, and offset indexes to
 * pages that begin inside records. Ranges outside of the old file are left out, too: in the longer
 * file they would lead to bytes of other row groups. (parquet.thrift, ColumnChunk, ColumnOrder)
 */
#include "file/copy/row_group_keep.h"

#include <string.h>

#include "base/error.h"
#include "file/copy/copy_faults.h"
#include "file/copy/inside_records.h"
#include "file/copy/kept_order.h"
#include "file/read/bloom_header.h"
#include "file/read/file_reader.h"
#include "file/read/footer_range.h"
#include "file/write/chunk_measure.h"
#include "file/write/writer_state.h"
#include "meta/compact.h"
#include "meta/known_faults.h"
#include "schema/leaf_error.h"

/* Faults of the old writer that the new footer does not confess to. */
static uint32_t hidden_faults(const lam_writer *writer, const lam_reader *reader) {
    return reader->faults & ~lam_known_faults(writer->footer.created_by);
}

/* Whether the new footer names the same writer as the old one. */
static bool is_same_writer(const lam_writer *writer, const lam_reader *reader) {
    lam_bytes own = writer->footer.created_by;
    const char *old = reader->created_by; /* NULL: it names none */
    return old != NULL && own.size == strlen(old) && memcmp(own.data, old, own.size) == 0;
}

enum {
    COLUMN_INDEX = LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                   LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH,
    OFFSET_INDEX = LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                   LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH,
    BLOOM_FILTER = LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET | LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH
};

/* Leaves out what the chunk's writer is known to get wrong. */
static void keep_leave_out(uint32_t faults, bool keeps_bounds, lam_meta_column *column,
                           lam_meta_column_chunk *chunk) {
    const uint32_t of_pages = LAM_FAULT_CHUNK_SIZES | LAM_FAULT_V2_COMPRESSION |
                              LAM_FAULT_ARRAY_LEVELS | LAM_FAULT_SORTED_VARIANTS |
                              LAM_FAULT_LIST_PAGES | LAM_FAULT_SEQUEL_PAGES;
    const uint32_t of_indexes =
        LAM_FAULT_BLOOM_FILTERS | LAM_FAULT_OFFSET_INDEX | LAM_FAULT_LIST_NULL_PAGES;
    if (!keeps_bounds || (faults & ~(of_pages | of_indexes)) != 0) {
        column->statistics = NULL;
        chunk->has &= ~(uint32_t)COLUMN_INDEX;
    }
    if ((faults & LAM_FAULT_LIST_NULL_PAGES) != 0)
        chunk->has &= ~(uint32_t)COLUMN_INDEX;
    if ((faults & LAM_FAULT_OFFSET_INDEX) != 0) /* the column index is of no use without it */
        chunk->has &= ~(uint32_t)(COLUMN_INDEX | OFFSET_INDEX);
    if ((faults & LAM_FAULT_BLOOM_FILTERS) != 0)
        column->has &= ~(uint32_t)BLOOM_FILTER;
}

/* Whether a Bloom filter ends before the old footer; its length need not be stated. */
static lam_status keep_measure_bloom(const lam_reader *reader, const lam_meta_column *column,
                                     lam_arena *arena, bool *ret_fits, lam_error *error) {
    lam_meta_bloom_filter_header header;
    lam_error failure = lam_error_none();
    size_t size;
    int64_t length = column->bloom_filter_length;
    *ret_fits = false;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) == 0) {
        lam_status status = lam_bloom_header_read(reader, column->bloom_filter_offset, arena,
                                                  &header, &size, &failure);
        if (status == LAM_STATUS_IO || status == LAM_STATUS_NOMEM) {
            if (error != NULL)
                *error = failure;
            return status;
        }
        if (status != LAM_STATUS_OK)
            return LAM_STATUS_OK;
        length = (int64_t)size + header.num_bytes;
    }
    *ret_fits = lam_footer_range_fits(column->bloom_filter_offset, length, reader->footer.offset);
    return LAM_STATUS_OK;
}

/* Leaves out ranges that are not between the first magic and the old footer. */
static lam_status keep_what_is_inside(const lam_reader *reader, lam_arena *arena,
                                      lam_meta_column *column, lam_meta_column_chunk *chunk,
                                      lam_error *error) {
    bool fits = false;
    if ((chunk->has & OFFSET_INDEX) != OFFSET_INDEX ||
        !lam_footer_range_fits(chunk->offset_index_offset, chunk->offset_index_length,
                               reader->footer.offset))
        chunk->has &= ~(uint32_t)(COLUMN_INDEX | OFFSET_INDEX);
    if ((chunk->has & COLUMN_INDEX) != COLUMN_INDEX ||
        !lam_footer_range_fits(chunk->column_index_offset, chunk->column_index_length,
                               reader->footer.offset))
        chunk->has &= ~(uint32_t)COLUMN_INDEX;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0)
        LAM_TRY(keep_measure_bloom(reader, column, arena, &fits, error));
    if (!fits)
        column->has &= ~(uint32_t)BLOOM_FILTER;
    return LAM_STATUS_OK;
}

/* One chunk, in memory of the footer's scratch arena; strings stay those of the reader. */
static lam_status keep_chunk(lam_writer *writer, const lam_reader *reader, size_t row_group,
                             size_t leaf_index, lam_meta_column *column,
                             lam_meta_column_chunk *chunk, lam_error *error) {
    uint32_t faults = lam_known_faults_of_leaf(hidden_faults(writer, reader),
                                               lam_leaf_at(writer->schema, leaf_index));
    lam_chunk_range range;
    lam_chunk_measure measure;
    LAM_TRY(lam_reader_find_column(reader, row_group, leaf_index, &writer->footer.scratch, chunk,
                                   error));
    LAM_TRY(lam_chunk_find(chunk->meta_data, reader->footer.offset, &range, error));
    *column = *chunk->meta_data;
    chunk->meta_data = column;
    if ((faults & LAM_FAULT_CHUNK_SIZES) != 0 && column->num_values > 0) {
        LAM_TRY(lam_chunk_measure_pages(reader, column, range, &measure, error));
        column->total_compressed_size =
            (int64_t)(measure.range.offset + measure.range.size - range.offset);
    }
    bool keeps_bounds = lam_kept_order_is_same(
        reader, leaf_index, lam_leaf_at(writer->schema, leaf_index), &writer->row_group.options);
    if (!is_same_writer(writer, reader)) {
        lam_inside_records inside;
        LAM_TRY(lam_inside_records_find(reader, lam_leaf_at(reader->schema, leaf_index), chunk,
                                        range, &inside, error));
        LAM_TRY(lam_inside_records_refuse(&inside, error));
        faults |= inside.by_index ? LAM_FAULT_OFFSET_INDEX : 0u;
    }
    keep_leave_out(faults, keeps_bounds, column, chunk);
    return keep_what_is_inside(reader, &writer->footer.scratch, column, chunk, error);
}

/* Gives how many of the sorting columns, from the first one on, stay true. */
static uint32_t keep_sorting(const lam_writer *writer, const lam_reader *reader,
                             const lam_meta_sorting_column_list *columns) {
    uint32_t kept = 0, faults = hidden_faults(writer, reader);
    for (; kept < columns->count; kept++) {
        int32_t leaf = columns->items[kept].column_idx;
        if (leaf < 0 || (size_t)leaf >= writer->schema->leaf_count ||
            !lam_kept_order_sorts(lam_leaf_at(reader->schema, (size_t)leaf),
                                  lam_leaf_at(writer->schema, (size_t)leaf), faults))
            break;
    }
    return kept;
}

static lam_status keep_row_group(lam_writer *writer, const lam_reader *reader, size_t row_group,
                                 lam_error *error) {
    size_t leaves = writer->schema->leaf_count;
    lam_arena *arena = &writer->footer.scratch;
    lam_meta_row_group group =
        lam_meta_bare_row_group(lam_reader_row_group_view(reader, row_group));
    lam_arena_reset(arena);
    lam_meta_column_chunk *chunks;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaves, &chunks, error));
    lam_meta_column *columns;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaves, &columns, error));
    for (size_t i = 0; i < leaves; i++) {
        lam_status status =
            keep_chunk(writer, reader, row_group, i, &columns[i], &chunks[i], error);
        if (status != LAM_STATUS_OK)
            lam_error_at_leaf(error, row_group, lam_leaf_at(reader->schema, i));
        LAM_TRY(status);
    }
    group.columns.items = chunks;
    group.columns.count = (uint32_t)leaves;
    group.sorting_columns.count = keep_sorting(writer, reader, &group.sorting_columns);
    if (group.sorting_columns.count == 0)
        group.has &= ~(uint32_t)LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
    group.has &= ~(uint32_t)LAM_META_ROW_GROUP_HAS_ORDINAL;
    if (row_group <= INT16_MAX) {
        group.has |= LAM_META_ROW_GROUP_HAS_ORDINAL;
        group.ordinal = (int16_t)row_group;
    }
    return lam_footer_build_add_resolved(&writer->footer, &group, error);
}

lam_status lam_writer_keep_key_values(lam_writer *writer, const lam_reader *reader,
                                      lam_error *error) {
    return lam_writer_copy_key_values(writer, &reader->footer.meta.key_value_metadata, error);
}

/* Refuses a file when readers need its created_by, which the new footer replaces. */
static lam_status check_faults(const lam_writer *writer, const lam_reader *reader,
                               lam_error *error) {
    uint32_t faults = hidden_faults(writer, reader);
    for (size_t i = 0; i < reader->footer.meta.row_groups.count; i++)
        for (size_t leaf = 0; leaf < writer->schema->leaf_count; leaf++)
            LAM_TRY(lam_copy_check_faults(reader, i, leaf, faults, error));
    return LAM_STATUS_OK;
}

lam_status lam_writer_keep_row_groups(lam_writer *writer, const lam_reader *reader,
                                      lam_error *error) {
    LAM_TRY(check_faults(writer, reader, error));
    LAM_TRY(lam_writer_keep_key_values(writer, reader, error));
    for (size_t i = 0; i < reader->footer.meta.row_groups.count; i++)
        LAM_TRY(keep_row_group(writer, reader, i, error));
    return LAM_STATUS_OK;
}
