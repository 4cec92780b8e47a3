/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the indexes of all chunks as bytes, and writes them side by side before the footer.
 * Takes an index as a struct, and gives its position in the file.
 *
 * An index is encoded when its row group ends, because the summary of a chunk is reused for the
 * next one; its position in the file is known only when it is written. The invariant: until then
 * its offset counts from the start of its buffer, and footer_build.c adds the buffer's position in
 * the file:
 *
 *     add     column_index_offset = bytes of column indexes before it
 *     write   columns_at = offset of the first column index in the file
 */
#include "file/write/page_index_write.h"

#include "base/error.h"
#include "meta/compact.h"

/* The scratch arena holds one index at a time, as a struct. */
void lam_page_index_init(lam_page_index *index, const lam_allocator *allocator) {
    lam_buffer_init(&index->columns, allocator);
    lam_buffer_init(&index->offsets, allocator);
    lam_arena_init(&index->scratch, allocator, 0);
}

void lam_page_index_finish(lam_page_index *index) {
    lam_buffer_finish(&index->columns);
    lam_buffer_finish(&index->offsets);
    lam_arena_finish(&index->scratch);
}

/* Lengths of indexes are i32 in the footer (parquet.thrift, ColumnChunk). */
static lam_status check_size(size_t size, lam_error *error) {
    if (size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                 "a page index of %zu bytes is too large for the format", size);
    return LAM_STATUS_OK;
}

lam_status lam_page_index_put_bounds(lam_page_index *index, const lam_meta_column_index *bounds,
                                     lam_meta_column_chunk *chunk, lam_error *error) {
    size_t before = index->columns.size;
    LAM_TRY(lam_meta_write_column_index(bounds, &index->columns, error));
    LAM_TRY(check_size(index->columns.size - before, error));
    chunk->has |= LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                  LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH;
    chunk->column_index_offset = (int64_t)before;
    chunk->column_index_length = (int32_t)(index->columns.size - before);
    return LAM_STATUS_OK;
}

lam_status lam_page_index_put_locations(lam_page_index *index,
                                        const lam_meta_offset_index *locations,
                                        lam_meta_column_chunk *chunk, lam_error *error) {
    size_t before = index->offsets.size;
    LAM_TRY(lam_meta_write_offset_index(locations, &index->offsets, error));
    LAM_TRY(check_size(index->offsets.size - before, error));
    chunk->has |= LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                  LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH;
    chunk->offset_index_offset = (int64_t)before;
    chunk->offset_index_length = (int32_t)(index->offsets.size - before);
    return LAM_STATUS_OK;
}

/*
 * Adds no column index if the format forbids one: the type has no order, or a page has only NaNs
 * and the column's order has no position for them.
 */
static lam_status add_column_index(lam_page_index *index, const lam_chunk_summary *summary,
                                   lam_meta_column_chunk *chunk, lam_error *error) {
    lam_meta_column_index meta;
    bool has;
    LAM_TRY(lam_chunk_summary_column_index(summary, &index->scratch, &meta, &has, error));
    return has ? lam_page_index_put_bounds(index, &meta, chunk, error) : LAM_STATUS_OK;
}

/*
 * Adds the offset index. Without statistics it keeps the locations and leaves out the sizes of byte
 * arrays.
 */
static lam_status add_offset_index(lam_page_index *index, const lam_chunk_summary *summary,
                                   bool has_statistics, uint64_t first_page,
                                   lam_meta_column_chunk *chunk, lam_error *error) {
    lam_meta_offset_index meta;
    LAM_TRY(lam_chunk_summary_offset_index(summary, first_page, &index->scratch, &meta, error));
    if (!has_statistics)
        meta.has = 0;
    return lam_page_index_put_locations(index, &meta, chunk, error);
}

lam_status lam_page_index_add(lam_page_index *index, const lam_chunk_summary *summary,
                              bool has_statistics, uint64_t first_page,
                              lam_meta_column_chunk *chunk, lam_error *error) {
    lam_arena_reset(&index->scratch);
    if (has_statistics)
        LAM_TRY(add_column_index(index, summary, chunk, error));
    return add_offset_index(index, summary, has_statistics, first_page, chunk, error);
}

uint64_t lam_page_index_byte_count(const lam_page_index *index) {
    return (uint64_t)index->columns.size + index->offsets.size;
}

/* Moves a buffer to the output, if it has bytes, and the offset past them. */
static lam_status write_buffer(lam_buffer *bytes, lam_output *output, uint64_t *offset,
                               lam_error *error) {
    if (bytes->size > 0)
        LAM_TRY(output->write(output->state, bytes->data, bytes->size, error));
    *offset += bytes->size;
    lam_buffer_clear(bytes);
    return LAM_STATUS_OK;
}

/* The offset indexes follow the column indexes. */
lam_status lam_page_index_write(lam_page_index *index, lam_output *output, uint64_t *offset,
                                uint64_t *ret_columns_at, uint64_t *ret_offsets_at,
                                lam_error *error) {
    uint64_t columns_at = *offset;
    LAM_TRY(write_buffer(&index->columns, output, offset, error));
    uint64_t offsets_at = *offset;
    LAM_TRY(write_buffer(&index->offsets, output, offset, error));
    *ret_columns_at = columns_at;
    *ret_offsets_at = offsets_at;
    return LAM_STATUS_OK;
}
