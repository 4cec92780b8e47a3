/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes a finished chunk for the footer: a lam_finished_chunk becomes ColumnMetaData, filled
 * except for the offsets, which only row_group_write.c knows. Everything that the description
 * points at is allocated from the arena of the footer, because the chunk's own bytes are gone by
 * the time the footer is written.
 *
 * Lists always name exactly what the pages hold. An encoding is listed only if a page, a dictionary
 * or a level uses it, and the page counts add up to the pages of the chunk, so that a reader may
 * trust encoding_stats to find chunks that are dictionary encoded throughout. (parquet.thrift,
 * ColumnMetaData)
 */
#include "file/write/chunk_meta_write.h"

#include <lamella/reader.h>

#include "base/error.h"

/*
 * Fills path_in_schema: the names from below the root down to the leaf, filled from the end because
 * fields know their parents. a.list.element has depth 3. The names are borrowed from the schema.
 */
lam_status lam_chunk_meta_path(const lam_field *leaf, lam_arena *arena,
                               lam_meta_bytes_list *ret_path, lam_error *error) {
    lam_bytes *names;
    LAM_TRY(LAM_ARENA_ARRAY(arena, leaf->depth, &names, error));
    const lam_field *field = leaf;
    for (size_t i = leaf->depth; i > 0; i--) {
        names[i - 1].data = (const uint8_t *)field->name;
        names[i - 1].size = field->name_size;
        field = lam_parent_of(field);
    }
    ret_path->items = names;
    ret_path->count = leaf->depth;
    return LAM_STATUS_OK;
}

/*
 * Fills ColumnMetaData.encodings, in ascending order: those of data pages, PLAIN for a dictionary
 * page, and RLE if the leaf has levels. A required flat leaf has none.
 */
static lam_status encodings_of(const lam_field *leaf, const lam_finished_chunk *chunk,
                               lam_arena *arena, lam_meta_i32_list *ret_encodings,
                               lam_error *error) {
    /* ALP has the highest number of all encodings that are written. */
    bool there[LAM_ENCODING_ALP + 1] = {false};
    int32_t *items;
    LAM_TRY(LAM_ARENA_ARRAY(arena, LAM_ENCODING_ALP + 1, &items, error));
    uint32_t count = 0;
    there[LAM_ENCODING_PLAIN] = chunk->has_dictionary_pages;
    there[LAM_ENCODING_RLE] = leaf->max_definition > 0; /* of all that repeats, too */
    for (int32_t encoding = 0; encoding <= LAM_ENCODING_ALP; encoding++)
        if (there[encoding] || chunk->page_counts[encoding] > 0)
            items[count++] = encoding;
    ret_encodings->items = items;
    ret_encodings->count = count;
    return LAM_STATUS_OK;
}

/* Appends one entry of encoding_stats; combinations without pages are left out. */
static void add_page_count(lam_meta_page_encoding_stats *stats, uint32_t *count, int32_t page_type,
                           lam_encoding encoding, uint32_t pages) {
    if (pages == 0)
        return;
    stats[*count].page_type = page_type;
    stats[*count].encoding = (int32_t)encoding;
    stats[*count].count = (int32_t)pages;
    (*count)++;
}

/*
 * Fills encoding_stats: the number of pages of each type and encoding, the dictionary page first.
 * All data pages of a chunk have one version.
 */
static lam_status encoding_stats_of(const lam_chunk_options *options,
                                    const lam_finished_chunk *chunk, lam_arena *arena,
                                    lam_meta_column *column, lam_error *error) {
    int32_t data = options->page_version == 1 ? LAM_PAGE_DATA : LAM_PAGE_DATA_V2;
    uint32_t count = 0;
    /* Room for every encoding and for the dictionary page. */
    lam_meta_page_encoding_stats *stats;
    LAM_TRY(LAM_ARENA_ARRAY(arena, LAM_ENCODING_ALP + 2, &stats, error));
    add_page_count(stats, &count, LAM_PAGE_DICTIONARY, LAM_ENCODING_PLAIN,
                   chunk->has_dictionary_pages);
    for (int encoding = 0; encoding <= LAM_ENCODING_ALP; encoding++)
        add_page_count(stats, &count, data, (lam_encoding)encoding, chunk->page_counts[encoding]);
    column->has |= LAM_META_COLUMN_HAS_ENCODING_STATS;
    column->encoding_stats.items = stats;
    column->encoding_stats.count = count;
    return LAM_STATUS_OK;
}

/*
 * Fills Statistics, SizeStatistics and, for geometries, GeospatialStatistics from what the chunk
 * writer summarised. A distinct count is known only if one dictionary held all values.
 */
static lam_status statistics_of(const lam_finished_chunk *chunk, lam_arena *arena,
                                lam_meta_column *column, lam_error *error) {
    lam_meta_statistics *statistics;
    LAM_TRY(LAM_ARENA_NEW(arena, &statistics, error));
    LAM_TRY(lam_chunk_summary_statistics(chunk->summary, arena, statistics, error));
    if (chunk->distinct_count >= 0) {
        statistics->has |= LAM_META_STATISTICS_HAS_DISTINCT_COUNT;
        statistics->distinct_count = chunk->distinct_count;
    }
    column->statistics = statistics;
    if (chunk->geo != NULL)
        LAM_TRY(
            lam_geo_summary_statistics(chunk->geo, arena, &column->geospatial_statistics, error));
    lam_meta_size_statistics *sizes;
    LAM_TRY(LAM_ARENA_NEW(arena, &sizes, error));
    LAM_TRY(lam_chunk_summary_sizes(chunk->summary, arena, sizes, error));
    if (sizes->has != 0)
        column->size_statistics = sizes;
    return LAM_STATUS_OK;
}

/*
 * num_values counts triples, nulls included; total_compressed_size counts page headers too, as
 * total_uncompressed_size does.
 */
lam_status lam_chunk_meta_fill(const lam_field *leaf, const lam_chunk_options *options,
                               const lam_finished_chunk *chunk, lam_arena *arena,
                               lam_meta_column *column, lam_error *error) {
    column->type = leaf->physical_type;
    column->codec = (int32_t)options->codec - 1; /* the format counts from 0 */
    column->num_values = (int64_t)chunk->value_count;
    column->total_uncompressed_size = (int64_t)chunk->uncompressed_size;
    column->total_compressed_size = (int64_t)(chunk->dictionary_page.size + chunk->data_pages.size);
    LAM_TRY(lam_chunk_meta_path(leaf, arena, &column->path_in_schema, error));
    LAM_TRY(encodings_of(leaf, chunk, arena, &column->encodings, error));
    LAM_TRY(encoding_stats_of(options, chunk, arena, column, error));
    if (chunk->summary != NULL && !options->no_statistics)
        LAM_TRY(statistics_of(chunk, arena, column, error));
    return LAM_STATUS_OK;
}
