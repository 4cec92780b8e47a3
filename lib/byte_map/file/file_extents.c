/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the extents that a footer states, trusting none of its offsets and lengths: only those
 * inside the file and before the footer are kept.
 *
 * The invariant: an extent has at least one byte, and ends before the footer. Extents may overlap:
 * the walk gives each byte to the first that claims it. (parquet.thrift, ColumnChunk,
 * ColumnMetaData; BloomFilter.md, "File Format")
 */
#include "byte_map/file/file_extents.h"

#include "base/checked.h"
#include "base/sort.h"
#include "meta/compact.h"

enum { BLOOM_HEADER_TRY = 256 }; /* bytes; present headers take about 15 */

static lam_status add_extent(lam_byte_walk *walk, lam_buffer *extents, lam_file_extent extent,
                             lam_error *error) {
    if (extent.length == 0 || !lam_range_fits(extent.begin, extent.length, walk->footer_offset))
        return LAM_STATUS_OK;
    return lam_buffer_append(extents, &extent, sizeof extent, error);
}

lam_status lam_file_extents_add(lam_buffer *extents, lam_byte_kind kind, uint64_t begin,
                                uint64_t length, lam_error *error) {
    lam_file_extent extent = {begin, length, -1, -1, (uint8_t)kind, false, false};
    return lam_buffer_append(extents, &extent, sizeof extent, error);
}

/* An offset and a length of the footer, both of which must be stated. */
static lam_status add_stated_extent(lam_byte_walk *walk, lam_buffer *extents,
                                    lam_file_extent extent, bool is_stated, int64_t offset,
                                    int64_t length, lam_error *error) {
    if (!is_stated || offset < 0 || length < 0)
        return LAM_STATUS_OK;
    extent.begin = (uint64_t)offset;
    extent.length = (uint64_t)length;
    return add_extent(walk, extents, extent, error);
}

/* Older writers state no length: then the filter's header gives it. */
static lam_status add_bloom_extent(lam_byte_walk *walk, lam_buffer *extents, lam_file_extent extent,
                                   const lam_meta_column *column, lam_arena *arena,
                                   lam_error *error) {
    uint8_t room[BLOOM_HEADER_TRY];
    lam_meta_bloom_filter_header header;
    size_t size = 0;
    bool has_length = (column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) != 0;
    int64_t offset = column->bloom_filter_offset, length = column->bloom_filter_length;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) == 0 || offset < 0 ||
        (uint64_t)offset >= walk->footer_offset)
        return LAM_STATUS_OK;
    if (!has_length && !extent.is_encrypted) {
        uint64_t left = walk->footer_offset - (uint64_t)offset;
        lam_bytes bytes = {room, left < sizeof room ? (size_t)left : sizeof room};
        LAM_TRY(
            walk->input->read_at(walk->input->state, (uint64_t)offset, bytes.size, room, error));
        lam_status status = lam_meta_read_bloom_filter_header(bytes, arena, &header, &size, NULL);
        if (status != LAM_STATUS_OK || size == 0 || header.num_bytes < 0)
            return LAM_STATUS_OK; /* a header takes no memory, so that all failures are damage */
        length = (int64_t)size + header.num_bytes;
    }
    return add_stated_extent(walk, extents, extent, true, offset, length, error);
}

/*
 * A chunk whose numbers are impossible has no extent, and its bytes become a gap. One without
 * values may have any offset.
 */
static lam_status add_chunk_extent(lam_byte_walk *walk, lam_buffer *extents, lam_file_extent extent,
                                   const lam_meta_column *column, lam_error *error) {
    lam_meta_column counted = *column;
    lam_chunk_range range;
    extent.is_weak = column->num_values <= 0;
    counted.num_values = 1;
    if (lam_chunk_find(&counted, walk->footer_offset, &range, NULL) != LAM_STATUS_OK)
        return LAM_STATUS_OK;
    extent.begin = range.offset;
    extent.length = range.size;
    return add_extent(walk, extents, extent, error);
}

static lam_status collect_chunk(lam_byte_walk *walk, const lam_meta_column_chunk *chunk,
                                lam_buffer *extents, lam_file_extent extent, lam_arena *arena,
                                lam_error *error) {
    const uint32_t offset_index = LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                                  LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH;
    const uint32_t column_index = LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                                  LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH;
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_FILE_PATH) != 0)
        return LAM_STATUS_OK; /* in another file */
    extent.is_encrypted = chunk->crypto_metadata != NULL;
    extent.kind = LAM_BYTE_OFFSET_INDEX;
    LAM_TRY(add_stated_extent(walk, extents, extent, (chunk->has & offset_index) == offset_index,
                              chunk->offset_index_offset, chunk->offset_index_length, error));
    extent.kind = LAM_BYTE_COLUMN_INDEX;
    LAM_TRY(add_stated_extent(walk, extents, extent, (chunk->has & column_index) == column_index,
                              chunk->column_index_offset, chunk->column_index_length, error));
    if (chunk->meta_data == NULL)
        return LAM_STATUS_OK;
    extent.kind = LAM_BYTE_BLOOM_FILTER;
    LAM_TRY(add_bloom_extent(walk, extents, extent, chunk->meta_data, arena, error));
    extent.kind = LAM_BYTE_COLUMN_CHUNK;
    return add_chunk_extent(walk, extents, extent, chunk->meta_data, error);
}

lam_status lam_file_extents_collect(lam_byte_walk *walk, const lam_meta_file_view *meta,
                                    lam_buffer *extents, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_arena arena;
    lam_arena_init(&arena, &walk->allocator, (size_t)walk->limit);
    for (uint32_t i = 0; i < meta->row_groups.count; i++) {
        LAM_TRY_OUT(lam_stop_check(walk->stop, error));
        for (uint32_t j = 0; j < meta->row_groups.items[i].columns.count; j++) {
            lam_meta_column_chunk chunk;
            lam_file_extent extent = {.row_group = (int32_t)i, .column = (int32_t)j};
            lam_arena_reset(&arena);
            LAM_TRY_OUT(lam_meta_read_column_chunk(meta, i, j, &arena, &chunk, error));
            LAM_TRY_OUT(collect_chunk(walk, &chunk, extents, extent, &arena, error));
        }
    }
out:
    lam_arena_finish(&arena);
    return status;
}

/* Chunks first, then in the order of the footer, so that the result does not depend on the sort. */
static int order_extents(const void *state, const void *a, const void *b) {
    const lam_file_extent *left = a, *right = b;
    (void)state;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    if (left->is_weak != right->is_weak)
        return left->is_weak ? 1 : -1;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (left->row_group != right->row_group)
        return left->row_group < right->row_group ? -1 : 1;
    return left->column < right->column ? -1 : left->column > right->column;
}

void lam_file_extents_sort(lam_buffer *extents) {
    lam_sort(extents->data, extents->size / sizeof(lam_file_extent), sizeof(lam_file_extent),
             order_extents, NULL);
}
