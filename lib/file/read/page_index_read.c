/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the page index of one chunk as it is in the file, for callers that inspect it:
 *
 *     ColumnChunk.offset_index_offset, _length  ->  OffsetIndex: where pages are, their first rows
 *     ColumnChunk.column_index_offset, _length  ->  ColumnIndex: bounds and counts of each page
 *
 * Either may be absent. Contents are reported as stated; only the lengths of the lists are checked,
 * because accesses by page number depend on them. The invariant after opening: every present list
 * has one element per page, or one per page and level, so that accesses by page numbers below the
 * count need no check. scan/prune/trusted_metadata.c decides what a scan believes. (PageIndex.md)
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/options.h"
#include "file/read/file_reader.h"
#include "file/read/footer_range.h"
#include "file/read/statistics_info.h"
#include "meta/compact.h"
#include "meta/index_lists.h"
#include "schema/leaf_error.h"

struct lam_page_index_reader {
    lam_arena arena;       /* holds both structs' contents */
    const lam_field *leaf; /* its maximum levels size the histograms */
    bool has_offsets;
    bool has_bounds;
    lam_meta_offset_index offsets;
    lam_meta_column_index bounds;
};

/*
 * Adds to a failure which index could not be read, and turns its offset, which counts from the
 * start of the index, into one in the file. Passes other statuses through.
 */
static lam_status name_failure(lam_status status, const char *name, int64_t offset,
                               lam_error *error) {
    if (status == LAM_STATUS_OK || error == NULL)
        return status;
    lam_error cause = *error;
    lam_error_set(error, lam_error_kind(&cause), "%s cannot be read: %s", name, cause.message);
    lam_error_at_offset(error, (uint64_t)offset + (cause.offset > 0 ? (uint64_t)cause.offset : 0));
    return status;
}

/*
 * Decodes the offset index. Its page locations define the number of pages; the sizes of byte
 * arrays, if stated, must match them.
 */
static lam_status read_offsets(lam_page_index_reader *index, lam_bytes bytes, int64_t offset,
                               lam_error *error) {
    lam_meta_offset_index *offsets = &index->offsets;
    size_t size;
    LAM_TRY(name_failure(lam_meta_read_offset_index(bytes, &index->arena, offsets, &size, error),
                         "the offset index", offset, error));
    if (size == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_OFFSET_INDEX,
                 "the offset index does not end within its length");
    index->has_offsets = true;
    if (!lam_offset_index_lists_fit(offsets))
        LAM_FAIL(error, LAM_ERROR_CODE_INDEX_PAGES,
                 "the offset index has %" PRIu32 " pages and %" PRIu32 " sizes of byte arrays",
                 offsets->page_locations.count, offsets->unencoded_byte_array_data_bytes.count);
    return LAM_STATUS_OK;
}

/*
 * Decodes the column index and compares all its lists with null_pages, which is required, and with
 * the offset index if there is one. Histograms are flat lists: a page's counts for levels 0 to the
 * maximum, then those of the next page.
 */
static lam_status page_index_read_bounds(lam_page_index_reader *index, lam_bytes bytes,
                                         int64_t offset, lam_error *error) {
    lam_meta_column_index *bounds = &index->bounds;
    size_t size;
    LAM_TRY(name_failure(lam_meta_read_column_index(bytes, &index->arena, bounds, &size, error),
                         "the column index", offset, error));
    if (size == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_COLUMN_INDEX,
                 "the column index does not end within its length");
    index->has_bounds = true;
    if (index->has_offsets && bounds->null_pages.count != index->offsets.page_locations.count)
        LAM_FAIL(error, LAM_ERROR_CODE_INDEX_PAGES,
                 "the column index has %" PRIu32 " pages, but the offset index has %" PRIu32,
                 bounds->null_pages.count, index->offsets.page_locations.count);
    const char *wrong = lam_column_index_wrong_list(bounds, index->leaf->max_repetition,
                                                    index->leaf->max_definition);
    if (wrong != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_INDEX_PAGES,
                 "%s does not have one element for each of the %" PRIu32
                 " pages of the column index",
                 wrong, bounds->null_pages.count);
    return LAM_STATUS_OK;
}

/* The offset index first: the column index is compared with its number of pages. */
static lam_status read_both(const lam_reader *reader, const lam_meta_column_chunk *chunk,
                            lam_page_index_reader *index, lam_error *error) {
    lam_bytes bytes;
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) != 0) {
        LAM_TRY(lam_footer_range_read(reader, "the offset index", chunk->offset_index_offset,
                                      chunk->offset_index_length, &index->arena, &bytes, error));
        LAM_TRY(read_offsets(index, bytes, chunk->offset_index_offset, error));
    }
    if ((chunk->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) != 0) {
        LAM_TRY(lam_footer_range_read(reader, "the column index", chunk->column_index_offset,
                                      chunk->column_index_length, &index->arena, &bytes, error));
        LAM_TRY(page_index_read_bounds(index, bytes, chunk->column_index_offset, error));
    }
    return LAM_STATUS_OK;
}

/* Without any index the reader has 0 pages; that is no error. */
lam_status lam_page_index_reader_open(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                      lam_page_index_reader **ret_index, lam_error *error) {
    lam_meta_column_chunk chunk;
    lam_page_index_reader *index;
    LAM_TRY(LAM_NEW(&reader->allocator, &index, error));
    index->arena = lam_reader_chunk_arena(reader);
    lam_status status =
        lam_reader_find_column(reader, row_group, leaf_index, &index->arena, &chunk, error);
    if (status == LAM_STATUS_OK) {
        index->leaf = lam_leaf_at(reader->schema, leaf_index);
        status = read_both(reader, &chunk, index, error);
        if (status != LAM_STATUS_OK)
            lam_error_at_leaf(error, row_group, lam_schema_leaf(reader->schema, leaf_index));
    }
    if (status == LAM_STATUS_OK)
        *ret_index = index;
    else
        lam_page_index_reader_close(index);
    return status;
}

/* The arena's own copy of the allocator frees the struct. */
void lam_page_index_reader_close(lam_page_index_reader *index) {
    if (index == NULL)
        return;
    lam_allocator allocator = index->arena.allocator;
    lam_arena_finish(&index->arena);
    lam_free(&allocator, index, sizeof *index);
}

/* The number of pages; opening has checked that both indexes have the same, if both are there. */
static size_t page_count_of(const lam_page_index_reader *index) {
    return index->has_bounds    ? index->bounds.null_pages.count
           : index->has_offsets ? index->offsets.page_locations.count
                                : 0;
}

/* -1 as the boundary order if there is no column index. */
lam_status lam_page_index_reader_info(const lam_page_index_reader *index,
                                      lam_page_index_info *ret_info, lam_error *error) {
    lam_page_index_info info = lam_page_index_info_default();
    info.has_offsets = index->has_offsets;
    info.has_bounds = index->has_bounds;
    info.page_count = page_count_of(index);
    info.boundary_order = index->has_bounds ? index->bounds.boundary_order : -1;
    return LAM_INFO_WRITE(lam_page_index_info, &info, ret_info, error);
}

/*
 * The counts of one page in a flat list of histograms: `levels` counts per page. None if the list
 * is absent.
 */
static lam_level_counts page_index_levels_of(const lam_meta_i64_list *list, size_t page,
                                             size_t levels) {
    if (list->count == 0)
        return (lam_level_counts){NULL, 0};
    return (lam_level_counts){list->items + page * levels, levels};
}

/* The bounds of a null page are empty bytes, not absent ones. Counts stay -1 if they are absent. */
static void page_index_fill_bounds(const lam_page_index_reader *index, size_t page,
                                   lam_page_index_entry *entry) {
    const lam_meta_column_index *bounds = &index->bounds;
    entry->has_bounds = true;
    entry->is_null = bounds->null_pages.items[page];
    entry->min_value = lam_stated_bytes(1, 1, bounds->min_values.items[page]);
    entry->max_value = lam_stated_bytes(1, 1, bounds->max_values.items[page]);
    if ((bounds->has & LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS) != 0)
        entry->null_count = bounds->null_counts.items[page];
    if ((bounds->has & LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS) != 0)
        entry->nan_count = bounds->nan_counts.items[page];
    entry->repetition = page_index_levels_of(&bounds->repetition_level_histograms, page,
                                             (size_t)index->leaf->max_repetition + 1);
    entry->definition = page_index_levels_of(&bounds->definition_level_histograms, page,
                                             (size_t)index->leaf->max_definition + 1);
}

/* Starts with everything absent and fills in what each index states. */
lam_status lam_page_index_reader_page(const lam_page_index_reader *index, size_t page,
                                      lam_page_index_entry *ret_entry, lam_error *error) {
    lam_page_index_entry entry = lam_page_index_entry_default();
    size_t count = page_count_of(index);
    if (page >= count)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no page %zu: there are %zu", page, count);
    entry.offset = entry.compressed_size = entry.first_row = entry.unencoded_bytes = -1;
    entry.null_count = entry.nan_count = -1;
    if (index->has_offsets) {
        const lam_meta_page_location *location = &index->offsets.page_locations.items[page];
        entry.offset = location->offset;
        entry.compressed_size = location->compressed_page_size;
        entry.first_row = location->first_row_index;
        if (index->offsets.unencoded_byte_array_data_bytes.count > 0)
            entry.unencoded_bytes = index->offsets.unencoded_byte_array_data_bytes.items[page];
    }
    if (index->has_bounds)
        page_index_fill_bounds(index, page, &entry);
    return LAM_INFO_WRITE(lam_page_index_entry, &entry, ret_entry, error);
}
