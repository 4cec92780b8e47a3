/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports what the footer alone states about a file: schema, sizes, rows, key-value metadata, known
 * faults of its writer, row groups, and the main numbers of column chunks. No call here reads from
 * the input. chunk_details.c adds the less common statements.
 *
 * Takes a reader; numbers are given as stated, even if a page would contradict them; absent ones
 * are -1. Indexes are the caller's, so an index that is out of range is INVALID, or NULL if the
 * call returns a string. The file was checked at opening: each row group has a chunk per leaf and a
 * number of rows that is not negative.
 */
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "file/read/file_reader.h"
#include "meta/known_faults.h"

const lam_schema *lam_reader_schema(const lam_reader *reader) {
    return reader != NULL ? reader->schema : NULL;
}

uint64_t lam_reader_row_count(const lam_reader *reader) {
    return reader->row_count;
}

/*
 * Counts down `index` over the rows of the table that apply to this writer and concern something in
 * this file. A fault of Bloom filters is not listed for a file that has none, for example. A writer
 * without any needs no pass over the table. Without memory to search the file, a fault that applies
 * is reported.
 */
const char *lam_reader_known_fault(const lam_reader *reader, size_t index) {
    const lam_meta_file_view *meta = &reader->footer.meta;
    const char *text = NULL;
    lam_arena arena = lam_reader_chunk_arena(reader);
    for (size_t i = 0; reader->faults != 0 && text == NULL && i < lam_known_fault_count(); i++) {
        const lam_known_fault *fault = lam_known_fault_at(i);
        size_t unused;
        bool found;
        if (!lam_known_fault_applies(fault, meta->created_by))
            continue;
        if (lam_known_fault_find(fault, meta, reader->schema, &arena, &found, &unused, NULL) !=
            LAM_STATUS_OK)
            found = true;
        if (found && index == 0)
            text = fault->text;
        else if (found)
            index--;
    }
    lam_arena_finish(&arena);
    return text;
}

lam_status lam_reader_file_info(const lam_reader *reader, lam_file_info *ret_info,
                                lam_error *error) {
    lam_file_info info = lam_file_info_default();
    info.file_size = reader->file_size;
    info.memory_limit = reader->memory_limit;
    info.footer_size = reader->footer.size;
    info.version = reader->footer.meta.version;
    info.created_by = reader->created_by;
    info.key_value_count = reader->footer.meta.key_value_metadata.count;
    return LAM_INFO_WRITE(lam_file_info, &info, ret_info, error);
}

bool lam_reader_key_value(const lam_reader *reader, size_t index, const char **ret_key,
                          const char **ret_value) {
    if (index >= reader->footer.meta.key_value_metadata.count)
        return false;
    *ret_key = reader->keys[index];
    *ret_value = reader->values[index];
    return true;
}

size_t lam_reader_row_group_count(const lam_reader *reader) {
    return reader->footer.meta.row_groups.count;
}

lam_status lam_reader_row_group(const lam_reader *reader, size_t row_group,
                                lam_row_group_info *ret_info, lam_error *error) {
    if (row_group >= lam_reader_row_group_count(reader))
        LAM_FAIL(error, LAM_STATUS_INVALID, "no row group %zu: there are %zu", row_group,
                 lam_reader_row_group_count(reader));
    const lam_meta_row_group_view *group = lam_reader_row_group_view(reader, row_group);
    lam_row_group_info info = lam_row_group_info_default();
    bool has_size = (group->has & LAM_META_ROW_GROUP_HAS_TOTAL_COMPRESSED_SIZE) != 0;
    bool has_offset = (group->has & LAM_META_ROW_GROUP_HAS_FILE_OFFSET) != 0;
    info.row_count = (uint64_t)group->num_rows;
    info.total_byte_size = group->total_byte_size;
    info.total_compressed_size = has_size ? group->total_compressed_size : -1;
    info.file_offset = has_offset ? group->file_offset : -1;
    info.ordinal = (group->has & LAM_META_ROW_GROUP_HAS_ORDINAL) != 0 ? group->ordinal : -1;
    info.sorting_column_count = group->sorting_columns.count;
    return LAM_INFO_WRITE(lam_row_group_info, &info, ret_info, error);
}

/*
 * The encodings as a set. Numbers of 32 and above, which no version of the format defines, have no
 * bit; reading a page in one of them fails anyway.
 */
static uint32_t encoding_bits(const lam_meta_i32_list *encodings) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < encodings->count; i++)
        if (encodings->items[i] >= 0 && encodings->items[i] < 32)
            bits |= UINT32_C(1) << encodings->items[i];
    return bits;
}

/*
 * Copies counts and bounds. The deprecated fields, min and max, are compared signed whatever the
 * type means (parquet.thrift, Statistics); they are given only if the newer fields are absent.
 */
static void fill_statistics(const lam_meta_statistics *statistics, lam_column_chunk_info *info) {
    info->null_count = -1;
    info->distinct_count = -1;
    if (statistics == NULL)
        return;
    uint32_t has = statistics->has;
    if ((has & LAM_META_STATISTICS_HAS_NULL_COUNT) != 0)
        info->null_count = statistics->null_count;
    if ((has & LAM_META_STATISTICS_HAS_DISTINCT_COUNT) != 0)
        info->distinct_count = statistics->distinct_count;
    if ((has & LAM_META_STATISTICS_HAS_MIN_VALUE) != 0)
        info->min_value = statistics->min_value;
    else if ((has & LAM_META_STATISTICS_HAS_MIN) != 0)
        info->min_value = statistics->min;
    if ((has & LAM_META_STATISTICS_HAS_MAX_VALUE) != 0)
        info->max_value = statistics->max_value;
    else if ((has & LAM_META_STATISTICS_HAS_MAX) != 0)
        info->max_value = statistics->max;
}

/* Bounds are strings, which the reader lends; the info has no other pointers. */
static lam_column_chunk_info info_of_chunk(const lam_meta_column_chunk *chunk,
                                           const lam_field *leaf) {
    const lam_meta_column *column = chunk->meta_data;
    lam_column_chunk_info info = lam_column_chunk_info_default();
    info.leaf = leaf;
    /*
     * The format counts codecs from 0, UNCOMPRESSED; lam_codec begins with DEFAULT. 7 is LZ4_RAW.
     */
    info.codec = column->codec >= 0 && column->codec <= 7 ? (lam_codec)(column->codec + 1)
                                                          : LAM_CODEC_DEFAULT;
    info.codec_number = column->codec;
    info.encodings = encoding_bits(&column->encodings);
    info.value_count = column->num_values;
    info.total_uncompressed_size = column->total_uncompressed_size;
    info.total_compressed_size = column->total_compressed_size;
    info.data_page_offset = column->data_page_offset;
    info.dictionary_page_offset = (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0
                                      ? column->dictionary_page_offset
                                      : -1;
    info.bloom_filter_offset = (column->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) != 0
                                   ? column->bloom_filter_offset
                                   : -1;
    info.offset_index_offset = (chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) != 0
                                   ? chunk->offset_index_offset
                                   : -1;
    info.column_index_offset = (chunk->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) != 0
                                   ? chunk->column_index_offset
                                   : -1;
    fill_statistics(column->statistics, &info);
    return info;
}

lam_status lam_reader_column_chunk(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                   lam_column_chunk_info *ret_info, lam_error *error) {
    lam_status status;
    lam_meta_column_chunk chunk;
    lam_column_chunk_info info;
    lam_chunk_room room;
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    LAM_TRY_OUT(lam_reader_find_column(reader, row_group, leaf_index, &arena, &chunk, error));
    info = info_of_chunk(&chunk, lam_schema_leaf(reader->schema, leaf_index));
    status = LAM_INFO_WRITE(lam_column_chunk_info, &info, ret_info, error);
out:
    lam_arena_finish(&arena);
    return status;
}
