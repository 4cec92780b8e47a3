/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies one column chunk from file to file: takes the old footer's statements about the chunk,
 * none of them certain, and its pages, which are not read, and gives the same bytes, and metadata
 * with offsets of the new file.
 *
 * The invariant: statements about the copy are as true as they were about the original. The new
 * footer has another created_by and column orders of its own, so bounds in another order, and
 * statements that the original's writer is known to get wrong, are left out, also in page headers.
 * So is an offset index to pages that begin inside records, whoever wrote it. Metadata that readers
 * do not need are left out, too, if they do not fit the chunk. (parquet.thrift, ColumnMetaData)
 */
#include "file/copy/chunk_copy.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "file/copy/copy_faults.h"
#include "file/copy/kept_order.h"
#include "file/read/file_reader.h"
#include "meta/compact.h"
#include "meta/index_lists.h"
#include "meta/known_faults.h"
#include "schema/leaf_error.h"
#include "stats/bloom.h"

enum {
    COPY_PIECE = 1 << 20,  /* bytes that are read and written at once */
    COPY_BLOOM_HEADER = 64 /* bytes; present headers take about 15 */
};

void lam_chunk_copy_init(lam_chunk_copy *copy, lam_writer *writer, const lam_reader *reader) {
    memset(copy, 0, sizeof *copy);
    copy->writer = writer;
    copy->reader = reader;
    copy->faults = reader->faults & ~lam_known_faults(writer->footer.created_by);
    lam_arena_init(&copy->arena, &writer->allocator, (size_t)reader->memory_limit);
    lam_buffer_init(&copy->piece, &writer->allocator);
    LAM_LIST_INIT(&copy->moved, &writer->allocator);
}

void lam_chunk_copy_finish(lam_chunk_copy *copy) {
    lam_arena_finish(&copy->arena);
    lam_buffer_finish(&copy->piece);
    LAM_LIST_FINISH(&copy->moved);
}

/* --- Bytes --------------------------------------------------------------------------------- */

/* In pieces if no better way is set. */
lam_status lam_chunk_copy_range(lam_chunk_copy *copy, uint64_t offset, uint64_t size,
                                lam_error *error) {
    lam_writer *writer = copy->writer;
    const lam_input *input = &copy->reader->input;
    if (writer->copy != NULL && size > 0) {
        LAM_TRY(writer->copy(writer->copy_state, input, offset, size, error));
        writer->offset += size;
        return LAM_STATUS_OK;
    }
    for (uint64_t done = 0; done < size;) {
        size_t piece = size - done < COPY_PIECE ? (size_t)(size - done) : COPY_PIECE;
        const uint8_t *bytes = NULL;
        LAM_TRY(lam_stop_check(copy->reader->stop, error));
        if (input->borrow != NULL)
            bytes = input->borrow(input->state, offset + done, piece);
        if (bytes == NULL) {
            lam_buffer_clear(&copy->piece);
            LAM_TRY(lam_buffer_reserve(&copy->piece, piece, error));
            LAM_TRY(input->read_at(input->state, offset + done, piece, copy->piece.data, error));
            bytes = copy->piece.data;
        }
        LAM_TRY(lam_writer_append(writer, (lam_bytes){bytes, piece}, error));
        done += piece;
    }
    return LAM_STATUS_OK;
}

/* --- Statistics ---------------------------------------------------------------------------- */

/* True when bounds of a chunk mean in the new footer what they mean in the old one. */
static bool order_is_same(const lam_chunk_copy *copy, const lam_chunk_source *source) {
    return lam_kept_order_is_same(copy->reader, source->leaf->first_leaf, source->own,
                                  &copy->writer->row_group.options);
}

/* True when the order that the new footer states requires a nan_count, which is missing. */
static bool lacks_nan_count(const lam_chunk_copy *copy, const lam_field *leaf,
                            const lam_meta_statistics *statistics) {
    return lam_chunk_column_order(leaf, &copy->writer->row_group.options) ==
               LAM_META_COLUMN_ORDER_IEEE_754_TOTAL &&
           (statistics->has & LAM_META_STATISTICS_HAS_NAN_COUNT) == 0;
}

/* The deprecated bounds have their own order, which no footer states. */
uint32_t lam_chunk_copy_untrue_statistics(const lam_chunk_copy *copy,
                                          const lam_chunk_source *source) {
    const lam_field *leaf = source->leaf;
    const uint32_t bounds = LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE |
                            LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT |
                            LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT;
    const uint32_t old_bounds = LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    const uint32_t of_pages = LAM_FAULT_LIST_PAGES | LAM_FAULT_LIST_NULL_PAGES;
    bool are_wrong = lam_known_faults_spoil_statistics(copy->faults, leaf);
    uint32_t untrue = 0;
    if (are_wrong || !order_is_same(copy, source))
        untrue |= bounds;
    if (are_wrong || (lam_known_faults_of_leaf(copy->faults, leaf) & ~of_pages) != 0 ||
        !lam_kept_order_is_known(leaf, source->own))
        untrue |= old_bounds;
    if (!lam_kept_order_is_stated(copy->reader, leaf->first_leaf))
        untrue |= LAM_META_STATISTICS_HAS_NAN_COUNT;
    if (lam_known_faults_spoil_null_counts(copy->faults, leaf))
        untrue |= LAM_META_STATISTICS_HAS_NULL_COUNT;
    return untrue;
}

static lam_status copy_statistics(const lam_chunk_copy *copy, const lam_chunk_source *source,
                                  lam_arena *arena, lam_meta_column *column, lam_error *error) {
    if (column->statistics == NULL)
        return LAM_STATUS_OK;
    lam_meta_statistics *statistics;
    LAM_TRY(LAM_ARENA_NEW(arena, &statistics, error));
    *statistics = *column->statistics;
    statistics->has &= ~lam_chunk_copy_untrue_statistics(copy, source);
    column->statistics = lacks_nan_count(copy, source->leaf, statistics) ? NULL : statistics;
    return LAM_STATUS_OK;
}

/* --- Page indexes -------------------------------------------------------------------------- */

/* Turns damage of metadata that readers can do without into `*ret_good` false. */
static lam_status forgive(lam_status status, const lam_error *failure, bool *ret_good,
                          lam_error *error) {
    *ret_good = status == LAM_STATUS_OK;
    if (status != LAM_STATUS_NOMEM)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = *failure;
    return status;
}

/* Reads a range of the file; no bytes when it cannot be before the footer. */
static lam_status copy_read(lam_chunk_copy *copy, int64_t offset, int64_t size,
                            lam_bytes *ret_bytes, lam_error *error) {
    uint8_t *bytes;
    bool good;
    lam_error failure = lam_error_none();
    const lam_input *input = &copy->reader->input;
    *ret_bytes = (lam_bytes){NULL, 0};
    if (offset < 0 || size <= 0 || (uint64_t)size > SIZE_MAX ||
        !lam_range_fits((uint64_t)offset, (uint64_t)size, copy->reader->footer.offset))
        return LAM_STATUS_OK;
    LAM_TRY(forgive(lam_arena_bytes(&copy->arena, (size_t)size, &bytes, &failure), &failure, &good,
                    error));
    if (!good)
        return LAM_STATUS_OK;
    LAM_TRY(input->read_at(input->state, (uint64_t)offset, (size_t)size, bytes, error));
    *ret_bytes = (lam_bytes){bytes, (size_t)size};
    return LAM_STATUS_OK;
}

/*
 * False when a location of an offset index is not inside the chunk, or they are out of order.
 * (PageIndex.md)
 */
static bool locations_fit(const lam_chunk_range *range, int64_t rows,
                          const lam_meta_page_location_list *locations) {
    uint64_t at = range->offset, end = range->offset + range->size;
    int64_t row = -1;
    for (uint32_t i = 0; i < locations->count; i++) {
        const lam_meta_page_location *page = &locations->items[i];
        if (page->offset < 0 || page->compressed_page_size < 0 || (uint64_t)page->offset < at ||
            page->first_row_index <= row || page->first_row_index >= rows ||
            (i == 0 && page->first_row_index != 0) ||
            !lam_range_fits((uint64_t)page->offset, (uint64_t)page->compressed_page_size, end))
            return false;
        at = (uint64_t)page->offset + (uint64_t)page->compressed_page_size;
        row = page->first_row_index;
    }
    return locations->count > 0;
}

/* Moves locations that fit by one distance. The items were allocated when the index was read. */
static void shift_locations(const lam_meta_page_location_list *locations, int64_t shift) {
    lam_meta_page_location *items = (lam_meta_page_location *)(uintptr_t)locations->items;
    for (uint32_t i = 0; i < locations->count; i++)
        items[i].offset += shift;
}

/* Moves locations to pages of other sizes; false unless each is that of one page, in order. */
static bool move_locations(const lam_chunk_copy *copy,
                           const lam_meta_page_location_list *locations) {
    lam_meta_page_location *items = (lam_meta_page_location *)(uintptr_t)locations->items;
    const lam_moved_page *moved = copy->moved.items;
    if (locations->count != copy->moved.count)
        return false;
    for (uint32_t i = 0; i < locations->count; i++) {
        if ((uint64_t)items[i].offset != moved[i].from || moved[i].size > INT32_MAX ||
            (uint64_t)items[i].compressed_page_size != moved[i].old_size)
            return false;
        items[i].offset = (int64_t)moved[i].to;
        items[i].compressed_page_size = (int32_t)moved[i].size;
    }
    return true;
}

/* Adds both indexes of a chunk to those of the writer; `bounds` may be NULL. */
static lam_status add_indexes(lam_page_index *index, const lam_meta_offset_index *locations,
                              const lam_meta_column_index *bounds, lam_meta_column_chunk *chunk,
                              lam_error *error) {
    if (bounds != NULL)
        LAM_TRY(lam_page_index_put_bounds(index, bounds, chunk, error));
    return lam_page_index_put_locations(index, locations, chunk, error);
}

/*
 * True when the null pages of a column index may be what they are called: those of a flat column
 * have as many nulls as rows. Some writers also call a page null that has no bounds because of
 * NaNs. (parquet.thrift, ColumnIndex.null_pages)
 */
static bool are_null_pages_possible(const lam_chunk_copy *copy, const lam_field *leaf,
                                    const lam_meta_column_index *bounds,
                                    const lam_meta_page_location_list *locations) {
    uint32_t count = bounds->null_pages.count;
    int64_t end = lam_reader_row_group_view(copy->reader, copy->row_group)->num_rows;
    bool is_counted = (bounds->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0;
    if (count != locations->count)
        return false;
    for (uint32_t i = count; i-- > 0; end = locations->items[i].first_row_index) {
        bool is_null = bounds->null_pages.items[i];
        int64_t rows = end - locations->items[i].first_row_index;
        if (is_null && lam_known_faults_spoil_null_pages(copy->faults, leaf))
            return false;
        if (is_counted && leaf->max_repetition == 0 &&
            is_null != (bounds->null_counts.items[i] == rows))
            return false;
    }
    return true;
}

/* Reads the column index of a chunk; `*ret_good` is false when it may not be copied. */
static lam_status copy_read_bounds(lam_chunk_copy *copy, const lam_chunk_source *source,
                                   const lam_meta_page_location_list *locations,
                                   lam_meta_column_index *ret_bounds, bool *ret_good,
                                   lam_error *error) {
    const lam_meta_column_chunk *old = &source->old;
    const lam_field *leaf = source->leaf;
    lam_bytes bytes;
    size_t size = 0;
    lam_error failure = lam_error_none();
    *ret_good = false;
    if ((old->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) == 0 ||
        lam_known_faults_spoil_column_index(copy->faults, leaf) ||
        lam_known_faults_spoil_null_counts(copy->faults, leaf) || !order_is_same(copy, source))
        return LAM_STATUS_OK;
    LAM_TRY(copy_read(copy, old->column_index_offset, old->column_index_length, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    LAM_TRY(forgive(lam_meta_read_column_index(bytes, &copy->arena, ret_bounds, &size, &failure),
                    &failure, ret_good, error));
    *ret_good = *ret_good && size > 0 &&
                lam_column_index_wrong_list(ret_bounds, leaf->max_repetition,
                                            leaf->max_definition) == NULL &&
                are_null_pages_possible(copy, leaf, ret_bounds, locations);
    return LAM_STATUS_OK;
}

lam_status lam_chunk_copy_indexes(lam_chunk_copy *copy, const lam_chunk_source *source,
                                  const int64_t *shift, lam_meta_column_chunk *chunk,
                                  lam_error *error) {
    const lam_meta_column_chunk *old = &source->old;
    lam_bytes bytes;
    size_t size = 0;
    bool good, has_bounds;
    lam_error failure = lam_error_none();
    lam_meta_offset_index locations;
    lam_meta_column_index bounds;
    int64_t rows = lam_reader_row_group_view(copy->reader, copy->row_group)->num_rows;
    if ((old->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) == 0 ||
        source->inside.by_index ||
        (lam_known_faults_of_leaf(copy->faults, source->leaf) & LAM_FAULT_OFFSET_INDEX) != 0 ||
        copy->writer->row_group.options.no_page_index)
        return LAM_STATUS_OK;
    lam_arena_reset(&copy->arena);
    LAM_TRY(copy_read(copy, old->offset_index_offset, old->offset_index_length, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    LAM_TRY(forgive(lam_meta_read_offset_index(bytes, &copy->arena, &locations, &size, &failure),
                    &failure, &good, error));
    if (!good || size == 0 || !lam_offset_index_lists_fit(&locations) ||
        !locations_fit(&source->range, rows, &locations.page_locations))
        return LAM_STATUS_OK;
    if (shift != NULL)
        shift_locations(&locations.page_locations, *shift);
    else if (!move_locations(copy, &locations.page_locations))
        return LAM_STATUS_OK;
    LAM_TRY(copy_read_bounds(copy, source, &locations.page_locations, &bounds, &has_bounds, error));
    return add_indexes(&copy->writer->row_group.page_index, &locations, has_bounds ? &bounds : NULL,
                       chunk, error);
}

/* --- Chunks -------------------------------------------------------------------------------- */

/* `*ret_damaged` is true for a chunk that is kept as it is stated. */
static lam_status measure_source(const lam_chunk_copy *copy, lam_chunk_source *source,
                                 bool *ret_damaged, lam_error *error) {
    const lam_meta_column *column = source->old.meta_data;
    lam_error failure = lam_error_none();
    lam_status status =
        lam_chunk_measure_pages(copy->reader, column, source->range, &source->measure, &failure);
    *ret_damaged =
        copy->keeps_damage && (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_LIMIT);
    if (*ret_damaged) {
        source->measure = lam_chunk_measure_stated(column, source->range);
        return LAM_STATUS_OK;
    }
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

/* Pages are found by their own headers: their end in the footer may be wrong. */
static lam_status check_source(const lam_chunk_copy *copy, lam_chunk_source *source,
                               lam_error *error) {
    const lam_meta_column *column = source->old.meta_data;
    const lam_chunk_range *range = &source->range;
    if (column->type != source->leaf->physical_type)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_TYPE,
                 "the chunk has type %" PRId32 ", not that of its column", column->type);
    if (range->size > 0 && column->data_page_offset > 0 &&
        !lam_range_fits((uint64_t)column->data_page_offset, 1, range->offset + range->size))
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_RANGE,
                 "the first data page is at %" PRId64 ", outside of the chunk",
                 column->data_page_offset);
    bool is_damaged = false;
    if (column->num_values > 0) {
        LAM_TRY(measure_source(copy, source, &is_damaged, error));
        source->range = source->measure.range;
    }
    if (is_damaged) /* it stays unreadable, whatever the name of its writer */
        return LAM_STATUS_OK;
    if (!copy->keeps_damage) {
        LAM_TRY(lam_inside_records_find(copy->reader, source->leaf, &source->old, *range,
                                        &source->inside, error));
        LAM_TRY(lam_inside_records_refuse(&source->inside, error));
    }
    return lam_copy_check_faults(copy->reader, copy->row_group, source->leaf->first_leaf,
                                 copy->faults, error);
}

lam_status lam_chunk_copy_find(lam_chunk_copy *copy, size_t leaf_index, const lam_field *own,
                               lam_arena *arena, lam_chunk_source *ret_source, lam_error *error) {
    lam_chunk_source source = {.leaf = lam_leaf_at(copy->reader->schema, leaf_index), .own = own};
    LAM_TRY(lam_reader_find_column(copy->reader, copy->row_group, leaf_index, arena, &source.old,
                                   error));
    lam_status status =
        lam_chunk_find(source.old.meta_data, copy->reader->footer.offset, &source.range, error);
    if (status == LAM_STATUS_OK)
        status = check_source(copy, &source, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_leaf(error, copy->row_group, source.leaf);
    else
        *ret_source = source;
    return status;
}

lam_status lam_chunk_copy_describe(lam_chunk_copy *copy, const lam_chunk_source *source,
                                   lam_arena *arena, lam_meta_column *column, lam_error *error) {
    *column = *source->old.meta_data;
    column->has &= ~(uint32_t)(LAM_META_COLUMN_HAS_INDEX_PAGE_OFFSET |
                               LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET |
                               LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET |
                               LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH);
    if (source->range.size == 0) { /* pages without values stay where they are */
        column->total_uncompressed_size = 0;
        column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_ENCODING_STATS;
    }
    return copy_statistics(copy, source, arena, column, error);
}

/* (BloomFilter.md, section "File Format") */
lam_status lam_chunk_copy_bloom(lam_chunk_copy *copy, const lam_chunk_source *source,
                                lam_meta_column *column, lam_error *error) {
    const lam_meta_column *old = source->old.meta_data;
    const lam_field *leaf = source->leaf;
    lam_meta_bloom_filter_header header;
    lam_bytes bytes;
    size_t size = 0;
    if ((old->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) == 0 || old->num_values == 0 ||
        (lam_known_faults_of_leaf(copy->faults, leaf) & LAM_FAULT_BLOOM_FILTERS) != 0)
        return LAM_STATUS_OK;
    int64_t left = old->bloom_filter_offset < 0
                       ? 0
                       : (int64_t)copy->reader->footer.offset - old->bloom_filter_offset;
    lam_arena_reset(&copy->arena);
    LAM_TRY(copy_read(copy, old->bloom_filter_offset,
                      left < COPY_BLOOM_HEADER ? left : COPY_BLOOM_HEADER, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    /* The header takes no memory, so that it can only be damaged. */
    bool good = lam_meta_read_bloom_filter_header(bytes, &copy->arena, &header, &size, NULL) ==
                LAM_STATUS_OK;
    int64_t total = good && size > 0 ? (int64_t)size + header.num_bytes : 0;
    if (!good || size == 0 || header.num_bytes <= 0 ||
        header.num_bytes % LAM_BLOOM_BLOCK_SIZE != 0 || total > left || total > INT32_MAX ||
        ((old->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) != 0 &&
         old->bloom_filter_length != total))
        return LAM_STATUS_OK;
    column->has |=
        LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET | LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
    column->bloom_filter_offset = (int64_t)copy->writer->offset;
    column->bloom_filter_length = (int32_t)total;
    return lam_chunk_copy_range(copy, (uint64_t)old->bloom_filter_offset, (uint64_t)total, error);
}
