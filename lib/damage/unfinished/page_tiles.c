/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays the column chunks of unchecked row groups over the pages of a walk, in the order of the
 * file, and says whether the one describes the other.
 *
 * The invariant: a chunk is accepted only if it is a whole number of pages, so that believed
 * metadata can never begin to read inside a page. The order of the chunks in the file is free, as
 * the format leaves it free. (parquet.thrift, ColumnMetaData; README.md of the format, "Column
 * chunks")
 */
#include "damage/unfinished/page_tiles.h"

#include <lamella/format.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"

/* The bytes that metadata state for one chunk. */
typedef struct chunk_tile {
    uint64_t offset;
    uint64_t end;
    const lam_meta_column *column;
} chunk_tile;

static int compare_tiles(const void *state, const void *a, const void *b) {
    const chunk_tile *left = a, *right = b;
    (void)state;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

/*
 * Gives the bytes of a chunk, which begins with its dictionary page, if it has one; see
 * lam_chunk_find. False for a chunk that cannot be in this file.
 */
static bool tile_of_chunk(const lam_meta_column_chunk *chunk, chunk_tile *ret_tile) {
    const lam_meta_column *column = chunk->meta_data;
    if (column == NULL || chunk->crypto_metadata != NULL ||
        (chunk->has & LAM_META_COLUMN_CHUNK_HAS_FILE_PATH) != 0)
        return false;
    int64_t start = column->data_page_offset;
    if ((column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0 &&
        column->dictionary_page_offset > 0 &&
        (start <= 0 || column->dictionary_page_offset < start))
        start = column->dictionary_page_offset;
    if (start < 0 || column->total_compressed_size < 0 || column->num_values < 0)
        return false;
    ret_tile->offset = (uint64_t)start;
    ret_tile->end = (uint64_t)start + (uint64_t)column->total_compressed_size;
    ret_tile->column = column;
    return true;
}

/* True when the list of a chunk's encodings has that of a page. */
static bool lists(const lam_meta_i32_list *encodings, int32_t encoding) {
    uint32_t i = 0;
    while (i < encodings->count && encodings->items[i] != encoding)
        i++;
    return i < encodings->count;
}

/* Moves `*page` past the pages of one chunk; false when they are not complete, or not as stated. */
static bool tile_fits(const lam_page_tiles *tiles, const chunk_tile *tile, size_t *page) {
    uint64_t at = tile->offset, values = 0;
    for (size_t first = *page; at < tile->end; ++*page) {
        if (*page == tiles->page_count)
            return false; /* there may be no pages at all, and no array of them */
        const lam_walked_page *next = &tiles->pages[*page];
        if (next->offset != at || (*page > first && next->begins_new) ||
            (*page > first && next->type == LAM_PAGE_DICTIONARY))
            return false;
        if (next->type != LAM_PAGE_DICTIONARY) {
            values += (uint64_t)next->value_count;
            if (tiles->lists_encodings && !lists(&tile->column->encodings, next->encoding))
                return false;
        }
        at = lam_walked_page_end(next);
    }
    return at == tile->end && values == (uint64_t)tile->column->num_values;
}

/* A chunk without a Bloom filter fits. The filters are in the order of the file. */
static bool bloom_fits(const lam_page_tiles *tiles, const lam_meta_column *column) {
    size_t at;
    if ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) == 0)
        return true;
    LAM_BISECT(at, 0, tiles->bloom_count,
               tiles->blooms[at].offset < (uint64_t)column->bloom_filter_offset);
    return at < tiles->bloom_count && column->bloom_filter_offset >= 0 &&
           tiles->blooms[at].offset == (uint64_t)column->bloom_filter_offset &&
           ((column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) == 0 ||
            (int64_t)tiles->blooms[at].size == column->bloom_filter_length);
}

/* Gives the chunks of all row groups that have bytes, unsorted; `*ret_fits` as above. */
static lam_status collect_tiles(const lam_page_tiles *tiles, const lam_meta_row_group *groups,
                                size_t count, size_t leaf_count, lam_buffer *list, bool *ret_fits,
                                lam_error *error) {
    *ret_fits = false;
    for (size_t g = 0; g < count; g++) {
        if (groups[g].columns.count != leaf_count || groups[g].num_rows < 0)
            return LAM_STATUS_OK;
        for (size_t i = 0; i < leaf_count; i++) {
            chunk_tile tile;
            if (!tile_of_chunk(&groups[g].columns.items[i], &tile) ||
                !bloom_fits(tiles, tile.column))
                return LAM_STATUS_OK;
            if (tile.end > tile.offset)
                LAM_TRY(lam_buffer_append(list, &tile, sizeof tile, error));
            else if (tile.column->num_values != 0)
                return LAM_STATUS_OK;
        }
    }
    *ret_fits = true;
    return LAM_STATUS_OK;
}

lam_status lam_page_tiles_match(const lam_page_tiles *tiles, const lam_meta_row_group *groups,
                                size_t count, size_t leaf_count, const lam_allocator *allocator,
                                bool *ret_match, lam_error *error) {
    lam_status status;
    bool fits;
    size_t page = 0;
    lam_buffer list;
    lam_buffer_init(&list, allocator);
    LAM_TRY_OUT(collect_tiles(tiles, groups, count, leaf_count, &list, &fits, error));
    chunk_tile *items = (chunk_tile *)(void *)list.data;
    size_t tile_count = list.size / sizeof *items;
    lam_sort(items, tile_count, sizeof *items, compare_tiles, NULL);
    for (size_t i = 0; i < tile_count && fits; i++)
        fits = tile_fits(tiles, &items[i], &page);
    *ret_match = fits && page == tiles->page_count;
out:
    lam_buffer_finish(&list);
    return status;
}

bool lam_row_group_is_same(const lam_meta_row_group *a, const lam_meta_row_group *b) {
    if (a->num_rows != b->num_rows || a->columns.count != b->columns.count)
        return false;
    for (uint32_t i = 0; i < a->columns.count; i++) {
        chunk_tile left, right;
        if (!tile_of_chunk(&a->columns.items[i], &left) ||
            !tile_of_chunk(&b->columns.items[i], &right) || left.offset != right.offset ||
            left.end != right.end || left.column->num_values != right.column->num_values)
            return false;
    }
    return true;
}
