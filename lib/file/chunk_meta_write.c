#include "file/chunk_meta_write.h"

#include <lamella/reader.h>

#include "base/error.h"

/* The names from the root down to the leaf. */
static lam_status chunk_meta_path_of(const lam_field *leaf, lam_arena *arena,
                                     lam_meta_bytes_list *ret_path, lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_array(arena, leaf->depth, sizeof(lam_bytes), &memory, error));
    lam_bytes *names = memory;
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

/* The encodings that stand in the chunk: of values and of a dictionary, of levels. */
static lam_status encodings_of(const lam_field *leaf, const lam_finished_chunk *chunk,
                               lam_arena *arena, lam_meta_i32_list *ret_encodings,
                               lam_error *error) {
    bool there[LAM_ENCODING_ALP + 1] = {false};
    void *memory;
    LAM_TRY(lam_arena_array(arena, LAM_ENCODING_ALP + 1, sizeof(int32_t), &memory, error));
    int32_t *items = memory;
    uint32_t count = 0;
    there[LAM_ENCODING_PLAIN] = chunk->has_dictionary_pages;
    there[LAM_ENCODING_RLE] = leaf->max_definition > 0 || leaf->max_repetition > 0;
    for (int32_t encoding = 0; encoding <= LAM_ENCODING_ALP; encoding++)
        if (there[encoding] || chunk->page_counts[encoding] > 0)
            items[count++] = encoding;
    ret_encodings->items = items;
    ret_encodings->count = count;
    return LAM_STATUS_OK;
}

static void add_page_count(lam_meta_page_encoding_stats *stats, uint32_t *count, int32_t page_type,
                           lam_encoding encoding, uint32_t pages) {
    if (pages == 0)
        return;
    stats[*count].page_type = page_type;
    stats[*count].encoding = (int32_t)encoding;
    stats[*count].count = (int32_t)pages;
    (*count)++;
}

/* How many pages there are of each type and encoding. */
static lam_status encoding_stats_of(const lam_chunk_options *options,
                                    const lam_finished_chunk *chunk, lam_arena *arena,
                                    lam_meta_column *column, lam_error *error) {
    int32_t data = options->page_version == 1 ? LAM_PAGE_DATA : LAM_PAGE_DATA_V2;
    uint32_t count = 0;
    void *memory;
    LAM_TRY(lam_arena_array(arena, LAM_ENCODING_ALP + 2, sizeof(lam_meta_page_encoding_stats),
                            &memory, error));
    lam_meta_page_encoding_stats *stats = memory;
    add_page_count(stats, &count, LAM_PAGE_DICTIONARY, LAM_ENCODING_PLAIN,
                   chunk->has_dictionary_pages);
    for (int encoding = 0; encoding <= LAM_ENCODING_ALP; encoding++)
        add_page_count(stats, &count, data, (lam_encoding)encoding, chunk->page_counts[encoding]);
    column->has |= LAM_META_COLUMN_HAS_ENCODING_STATS;
    column->encoding_stats.items = stats;
    column->encoding_stats.count = count;
    return LAM_STATUS_OK;
}

static lam_status statistics_of(const lam_finished_chunk *chunk, lam_arena *arena,
                                lam_meta_column *column, lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_array(arena, 1, sizeof(lam_meta_statistics), &memory, error));
    lam_meta_statistics *statistics = memory;
    LAM_TRY(lam_chunk_summary_statistics(chunk->summary, arena, statistics, error));
    if (chunk->distinct_count >= 0) {
        statistics->has |= LAM_META_STATISTICS_HAS_DISTINCT_COUNT;
        statistics->distinct_count = chunk->distinct_count;
    }
    column->statistics = statistics;
    if (chunk->geo != NULL)
        LAM_TRY(
            lam_geo_summary_statistics(chunk->geo, arena, &column->geospatial_statistics, error));
    LAM_TRY(lam_arena_array(arena, 1, sizeof(lam_meta_size_statistics), &memory, error));
    lam_meta_size_statistics *sizes = memory;
    LAM_TRY(lam_chunk_summary_sizes(chunk->summary, arena, sizes, error));
    if (sizes->has != 0)
        column->size_statistics = sizes;
    return LAM_STATUS_OK;
}

lam_status lam_chunk_meta_fill(const lam_field *leaf, const lam_chunk_options *options,
                               const lam_finished_chunk *chunk, lam_arena *arena,
                               lam_meta_column *column, lam_error *error) {
    column->type = leaf->physical_type;
    column->codec = (int32_t)options->codec - 1; /* the format counts from 0 */
    column->num_values = (int64_t)chunk->value_count;
    column->total_uncompressed_size = (int64_t)chunk->uncompressed_size;
    column->total_compressed_size = (int64_t)(chunk->dictionary_page.size + chunk->data_pages.size);
    LAM_TRY(chunk_meta_path_of(leaf, arena, &column->path_in_schema, error));
    LAM_TRY(encodings_of(leaf, chunk, arena, &column->encodings, error));
    LAM_TRY(encoding_stats_of(options, chunk, arena, column, error));
    if (chunk->summary != NULL && !options->no_statistics)
        LAM_TRY(statistics_of(chunk, arena, column, error));
    return LAM_STATUS_OK;
}
