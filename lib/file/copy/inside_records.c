/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for pages that begin inside records: takes a chunk of a leaf that repeats, whoever wrote
 * it, and says whether a copy of its pages may keep the offset index, and whether there may be a
 * copy.
 *
 *     page of        without offset index     with one
 *     V1             begins anywhere          begins with a record
 *     V2             begins with a record     begins with a record
 *
 * Readers that believe the format lose the end of such records. Only pages that certainly do so are
 * found, so that a damaged or unreadable chunk is copied as it is. (parquet.thrift, OffsetIndex,
 * DataPageHeaderV2.num_rows)
 */
#include "file/copy/inside_records.h"

#include "base/error.h"
#include "base/thread/stop.h"
#include "chunk/read/page_peek.h"
#include "file/read/file_reader.h"
#include "meta/page_header.h"

/* One chunk on its way. */
typedef struct inside_search {
    lam_page_walk walk;
    lam_page_reader reader;
    bool has_index;
    uint64_t values_left;
    lam_inside_records found;
} inside_search;

static lam_status search_page(inside_search *search, const lam_meta_page_header *header,
                              lam_error *error) {
    int32_t count = lam_page_header_count(header);
    bool is_v2 = header->type == LAM_PAGE_DATA_V2, is_inside;
    if (!lam_page_header_is_data(header) || count <= 0)
        return LAM_STATUS_OK;
    uint64_t values = (uint64_t)count;
    search->values_left -= values < search->values_left ? values : search->values_left;
    if (!is_v2 && !search->has_index)
        return LAM_STATUS_OK;
    LAM_TRY(lam_page_peek_inside(&search->walk, &search->reader, header, &is_inside, error));
    search->found.by_index |= is_inside && search->has_index;
    search->found.in_v2 |= is_inside && is_v2;
    return LAM_STATUS_OK;
}

/* Ends at the last value, and at a page that cannot be read. */
static lam_status search_pages(inside_search *search, const lam_stop *stop, lam_error *error) {
    while (search->values_left > 0 && !search->found.in_v2) {
        lam_meta_page_header header;
        lam_error failure = lam_error_none();
        uint64_t offset;
        LAM_TRY(lam_stop_check(stop, error));
        if (lam_page_walk_at_end(&search->walk) && !lam_page_walk_extend(&search->walk))
            return LAM_STATUS_OK;
        lam_status status = lam_page_walk_next(&search->walk, &header, &offset, &failure);
        if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_LIMIT)
            return LAM_STATUS_OK;
        if (status != LAM_STATUS_OK && error != NULL)
            *error = failure;
        LAM_TRY(status);
        LAM_TRY(search_page(search, &header, error));
    }
    return LAM_STATUS_OK;
}

/* Codecs of the format are numbered from 0, those of lam_codec from 1; levels of V2 have none. */
static lam_codec codec_of(const lam_meta_column *column) {
    return column->codec < 0 || column->codec >= LAM_CODEC_LZ4_RAW ? LAM_CODEC_LZO
                                                                   : (lam_codec)(column->codec + 1);
}

lam_status lam_inside_records_find(const lam_reader *reader, const lam_field *leaf,
                                   const lam_meta_column_chunk *chunk, lam_chunk_range range,
                                   lam_inside_records *ret_found, lam_error *error) {
    const lam_meta_column *column = chunk->meta_data;
    inside_search search = {.has_index =
                                (chunk->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) != 0};
    lam_codec_context *codecs;
    *ret_found = search.found;
    if (leaf->max_repetition == 0 || column->num_values <= 0)
        return LAM_STATUS_OK;
    search.values_left = (uint64_t)column->num_values;
    LAM_TRY(lam_codec_context_create(&reader->allocator, &codecs, error));
    lam_page_walk_init(&search.walk, &reader->input, range, &reader->allocator);
    search.walk.header_only = true;
    lam_page_reader_init(&search.reader, lam_reader_kernels(reader), codec_of(column), leaf, false,
                         reader->memory_limit, codecs, &reader->allocator);
    lam_status status = search_pages(&search, reader->stop, error);
    lam_page_reader_finish(&search.reader);
    lam_page_walk_finish(&search.walk);
    lam_codec_context_destroy(codecs);
    LAM_TRY(status);
    *ret_found = search.found;
    return LAM_STATUS_OK;
}

lam_status lam_inside_records_refuse(const lam_inside_records *found, lam_error *error) {
    if (found->in_v2)
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED,
                 "V2 pages that begin inside records, which the format does not allow: write "
                 "the rows anew, as rewrite does");
    return LAM_STATUS_OK;
}
