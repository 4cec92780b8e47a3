/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the indexes of all chunks as bytes, and writes them side by side in front of the footer.
 *
 * An index is encoded when its row group ends, because the summary of a chunk is reused for the
 * next one; its position in the file is known only at the end. Until then the offset in the chunk's
 * description counts from the start of the buffer:
 *
 *     add     column_index_offset = bytes of column indexes before it
 *     write   column_index_offset += offset of the first index in the file
 *
 * The descriptions are in the footer's arena, which never moves them, so pointers to them suffice.
 */
#include "file/page_index_write.h"

#include "base/error.h"
#include "meta/compact.h"

/* The scratch arena holds one index at a time, as a struct. */
void lam_page_index_init(lam_page_index *index, const lam_allocator *allocator) {
    lam_buffer_init(&index->columns, allocator);
    lam_buffer_init(&index->offsets, allocator);
    lam_buffer_init(&index->chunks, allocator);
    lam_arena_init(&index->scratch, allocator, 0);
}

void lam_page_index_finish(lam_page_index *index) {
    lam_buffer_finish(&index->columns);
    lam_buffer_finish(&index->offsets);
    lam_buffer_finish(&index->chunks);
    lam_arena_finish(&index->scratch);
}

/* Lengths of indexes are i32 in the footer (parquet.thrift, ColumnChunk). */
static lam_status check_size(size_t size, lam_error *error) {
    if (size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a page index of %zu bytes is too large for the format", size);
    return LAM_STATUS_OK;
}

/*
 * Adds no column index where the format forbids one: the type has no order, or a page has only NaNs
 * and the column's order has no position for them.
 */
static lam_status add_column_index(lam_page_index *index, const lam_chunk_summary *summary,
                                   lam_meta_column_chunk *chunk, lam_error *error) {
    lam_meta_column_index meta;
    bool has;
    size_t before = index->columns.size;
    LAM_TRY(lam_chunk_summary_column_index(summary, &index->scratch, &meta, &has, error));
    if (!has)
        return LAM_STATUS_OK;
    LAM_TRY(lam_meta_write_column_index(&meta, &index->columns, error));
    LAM_TRY(check_size(index->columns.size - before, error));
    chunk->has |= LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                  LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH;
    chunk->column_index_offset = (int64_t)before;
    chunk->column_index_length = (int32_t)(index->columns.size - before);
    return LAM_STATUS_OK;
}

/*
 * Adds the offset index. Without statistics it keeps the locations and leaves out the sizes of byte
 * arrays.
 */
static lam_status add_offset_index(lam_page_index *index, const lam_chunk_summary *summary,
                                   bool has_statistics, uint64_t first_page,
                                   lam_meta_column_chunk *chunk, lam_error *error) {
    lam_meta_offset_index meta;
    size_t before = index->offsets.size;
    LAM_TRY(lam_chunk_summary_offset_index(summary, first_page, &index->scratch, &meta, error));
    if (!has_statistics)
        meta.has = 0;
    LAM_TRY(lam_meta_write_offset_index(&meta, &index->offsets, error));
    LAM_TRY(check_size(index->offsets.size - before, error));
    chunk->has |= LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                  LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH;
    chunk->offset_index_offset = (int64_t)before;
    chunk->offset_index_length = (int32_t)(index->offsets.size - before);
    return LAM_STATUS_OK;
}

/* The chunk is remembered last: after a failure no offset of it is corrected by write. */
lam_status lam_page_index_add(lam_page_index *index, const lam_chunk_summary *summary,
                              bool has_statistics, uint64_t first_page,
                              lam_meta_column_chunk *chunk, lam_error *error) {
    lam_arena_reset(&index->scratch);
    if (has_statistics)
        LAM_TRY(add_column_index(index, summary, chunk, error));
    LAM_TRY(add_offset_index(index, summary, has_statistics, first_page, chunk, error));
    return lam_buffer_append(&index->chunks, &chunk, sizeof chunk, error);
}

/* Appends a buffer to the output, if it has bytes, and moves the offset behind them. */
static lam_status write_buffer(const lam_buffer *bytes, lam_output *output, uint64_t *offset,
                               lam_error *error) {
    if (bytes->size > 0)
        LAM_TRY(output->write(output->state, bytes->data, bytes->size, error));
    *offset += bytes->size;
    return LAM_STATUS_OK;
}

/*
 * Turns all offsets into offsets of the file, then writes both buffers: `*offset` is where the
 * column indexes begin, and the offset indexes follow them.
 */
lam_status lam_page_index_write(lam_page_index *index, lam_output *output, uint64_t *offset,
                                lam_error *error) {
    lam_meta_column_chunk **chunks = (lam_meta_column_chunk **)(void *)index->chunks.data;
    size_t count = index->chunks.size / sizeof *chunks;
    for (size_t i = 0; i < count; i++) {
        if ((chunks[i]->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) != 0)
            chunks[i]->column_index_offset += (int64_t)*offset;
        chunks[i]->offset_index_offset += (int64_t)(*offset + index->columns.size);
    }
    lam_buffer_clear(&index->chunks);
    LAM_TRY(write_buffer(&index->columns, output, offset, error));
    return write_buffer(&index->offsets, output, offset, error);
}
