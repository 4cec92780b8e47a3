/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the pages of a column chunk: takes the chunk's range, and writes all bytes at once, or, if
 * a header would be wrong in the new file, page by page with other headers (chunk_recompress.c).
 *
 * Offsets and sizes in the description are always those of the pages that were found, whatever the
 * old footer states. (parquet.thrift, ColumnMetaData)
 */
#include "base/error.h"
#include "file/copy/chunk_copy.h"

/* Offsets and sizes are those of the pages that were found. */
lam_status lam_chunk_copy_pages(lam_chunk_copy *copy, const lam_chunk_source *source,
                                lam_arena *arena, lam_meta_column *column,
                                lam_meta_column_chunk *chunk, lam_error *error) {
    const lam_chunk_measure *measure = &source->measure;
    if ((measure->page_statistics & lam_chunk_copy_untrue_statistics(copy, source)) != 0)
        return lam_chunk_copy_restate(copy, source, arena, column, chunk, error);
    uint64_t start = copy->writer->offset;
    lam_chunk_range range = source->range;
    int64_t shift = (int64_t)start - (int64_t)range.offset;
    LAM_TRY(lam_chunk_copy_describe(copy, source, arena, column, error));
    column->data_page_offset = (int64_t)start;
    column->total_compressed_size = (int64_t)range.size;
    if (range.size > 0) {
        column->data_page_offset = (int64_t)measure->first_data + shift;
        column->total_uncompressed_size = (int64_t)measure->uncompressed_size;
    }
    if (range.size > 0 && measure->dictionary != UINT64_MAX) {
        column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        column->dictionary_page_offset = (int64_t)measure->dictionary + shift;
    }
    *chunk = (lam_meta_column_chunk){.meta_data = column};
    LAM_TRY(lam_chunk_copy_range(copy, range.offset, range.size, error));
    return lam_chunk_copy_indexes(copy, source, &shift, chunk, error);
}
