/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the pages of one chunk by their headers, for callers that inspect a file; no page is
 * uncompressed. Each header becomes a lam_page_info in which a number that this type of page does
 * not have is -1.
 *
 * The list ends with the chunk's stated size. Some writers did not count the header of the
 * dictionary page in that size (PARQUET-816): if the pages so far hold fewer triples than the
 * footer states, the walk may extend the chunk once. Headers are reported as they are, if they can
 * be decoded and their pages are in the chunk, so that a damaged value count is visible in the
 * list. (parquet.thrift, PageHeader)
 */
#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/thread/stop.h"
#include "chunk/read/page_walk.h"
#include "file/read/file_reader.h"
#include "file/read/statistics_info.h"
#include "meta/page_header.h"
#include "schema/leaf_error.h"

struct lam_page_list {
    lam_allocator allocator;
    size_t row_group;
    const lam_field *leaf;
    const lam_stop *stop;
    lam_page_walk walk;
    uint64_t values_left; /* triples by the footer's count, less those of the pages given */
};

/*
 * lam_chunk_find has refused negative counts and ranges outside of the file, so the cast of
 * num_values is safe. A chunk without values gives an empty list.
 */
lam_status lam_page_list_open(const lam_reader *reader, size_t row_group, size_t leaf_index,
                              lam_page_list **ret_list, lam_error *error) {
    lam_meta_column_chunk chunk;
    lam_chunk_range range;
    uint64_t values = 0;
    lam_chunk_room room;
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    lam_status status =
        lam_reader_find_column(reader, row_group, leaf_index, &arena, &chunk, error);
    if (status == LAM_STATUS_OK) {
        status = lam_chunk_find(chunk.meta_data, reader->footer.offset, &range, error);
        values = (uint64_t)chunk.meta_data->num_values;
        if (status != LAM_STATUS_OK)
            lam_error_at_leaf(error, row_group, lam_schema_leaf(reader->schema, leaf_index));
    }
    lam_arena_finish(&arena);
    LAM_TRY(status);
    lam_page_list *list;
    LAM_TRY(LAM_NEW(&reader->allocator, &list, error));
    list->allocator = reader->allocator;
    list->stop = reader->stop;
    list->row_group = row_group;
    list->leaf = lam_schema_leaf(reader->schema, leaf_index);
    list->values_left = values;
    lam_page_walk_init(&list->walk, &reader->input, range, &reader->allocator);
    *ret_list = list;
    return LAM_STATUS_OK;
}

/*
 * The members that every page has; all others absent. V1 pages have no flag of compression: they
 * are compressed as the chunk is.
 */
static lam_page_info common_info(const lam_meta_page_header *header, uint64_t offset,
                                 uint64_t header_size) {
    lam_page_info info = lam_page_info_default();
    info.type = (lam_page_type)header->type;
    info.offset = (int64_t)offset;
    info.header_size = (int32_t)header_size;
    info.compressed_size = header->compressed_page_size;
    info.uncompressed_size = header->uncompressed_page_size;
    info.value_count = lam_page_header_count(header);
    info.null_count = -1;
    info.row_count = -1;
    info.encoding = lam_page_header_encoding(header);
    info.definition_level_encoding = -1;
    info.repetition_level_encoding = -1;
    info.definition_level_bytes = -1;
    info.repetition_level_bytes = -1;
    info.is_compressed = true;
    info.statistics = lam_statistics_of(NULL);
    info.has_crc = (header->has & LAM_META_PAGE_HEADER_HAS_CRC) != 0;
    info.crc = (uint32_t)header->crc;
    return info;
}

/* V1: levels name their encodings, and their sizes are inside the body. */
static void fill_data_page(lam_page_info *info, const lam_meta_data_page_header *v1) {
    info->definition_level_encoding = v1->definition_level_encoding;
    info->repetition_level_encoding = v1->repetition_level_encoding;
    info->statistics = lam_statistics_of(v1->statistics);
}

/* V2: levels are always RLE, uncompressed, and of the stated sizes; nulls and rows are counted. */
static void fill_data_page_v2(lam_page_info *info, const lam_meta_data_page_header_v2 *v2) {
    info->null_count = v2->num_nulls;
    info->row_count = v2->num_rows;
    info->definition_level_bytes = v2->definition_levels_byte_length;
    info->repetition_level_bytes = v2->repetition_levels_byte_length;
    info->is_compressed = v2->is_compressed;
    info->statistics = lam_statistics_of(v2->statistics);
}

lam_status lam_page_list_next(lam_page_list *list, lam_page_info *ret_info, bool *ret_more,
                              lam_error *error) {
    LAM_TRY(LAM_INFO_CHECK(lam_page_info, ret_info, error));
    if (lam_page_walk_at_end(&list->walk) &&
        (list->values_left == 0 || !lam_page_walk_extend(&list->walk))) {
        *ret_more = false;
        return LAM_STATUS_OK;
    }
    lam_meta_page_header header;
    uint64_t offset;
    LAM_TRY(lam_stop_check(list->stop, error));
    lam_status status = lam_page_walk_next(&list->walk, &header, &offset, error);
    if (status != LAM_STATUS_OK) {
        lam_error_at_leaf(error, list->row_group, list->leaf);
        return status;
    }
    lam_page_info info = common_info(&header, offset, list->walk.body - offset);
    if (header.type == LAM_PAGE_DATA)
        fill_data_page(&info, header.data_page_header);
    if (header.type == LAM_PAGE_DATA_V2)
        fill_data_page_v2(&info, header.data_page_header_v2);
    /*
     * Counts the triples left; pages that claim more than the chunk has bring the number to 0, not
     * below.
     */
    if (info.type != LAM_PAGE_DICTIONARY && info.value_count > 0) {
        uint64_t count = (uint64_t)info.value_count;
        list->values_left -= count < list->values_left ? count : list->values_left;
    }
    *ret_more = true;
    return LAM_INFO_WRITE(lam_page_info, &info, ret_info, error);
}

void lam_page_list_close(lam_page_list *list) {
    if (list == NULL)
        return;
    lam_allocator allocator = list->allocator;
    lam_page_walk_finish(&list->walk);
    lam_free(&allocator, list, sizeof *list);
}
