/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures a column chunk by its page headers: takes the footer's statements about the chunk, none
 * of them certain, and gives the bytes of its pages, and the size that they would have without
 * compression.
 *
 *     | other | dictionary | data | other | data  | padding
 *     <----- total_compressed_size ------> room ...
 *             <------------ measured ------------>
 *
 * The invariant: a measured chunk has the values that it claims, in pages whose headers can be
 * read, so that its bytes may be copied with the measured sizes. A wrong end is forgiven as readers
 * forgive it: it moves by the dictionary's header if values are missing (PARQUET-816), and bytes
 * after the last value are no pages of the chunk. (README.md of the format, "Column chunks")
 */
#include "file/write/chunk_measure.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/thread/stop.h"
#include "file/read/file_reader.h"
#include "meta/page_header.h"

/* A chunk on its way. */
typedef struct measuring {
    const lam_meta_column *column;
    lam_chunk_measure measure;
    uint64_t uncompressed; /* of all pages so far */
    uint64_t values;
    bool has_data;
} measuring;

static lam_status measure_dictionary(measuring *work, uint64_t offset, lam_error *error) {
    if (work->has_data || work->measure.dictionary != UINT64_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_DICTIONARY_PLACE,
                 "a dictionary page that is not the chunk's first page");
    work->measure.dictionary = offset;
    return LAM_STATUS_OK;
}

static lam_status measure_data(measuring *work, const lam_meta_page_header *header,
                               const lam_page_walk *walk, uint64_t offset, lam_error *error) {
    int32_t count = lam_page_header_count(header);
    uint64_t left = (uint64_t)work->column->num_values - work->values;
    if ((uint64_t)count > left)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_VALUES,
                 "a page of %" PRId32 " values, but the chunk has %" PRIu64 " left", count, left);
    if (!work->has_data)
        work->measure.first_data = offset;
    work->has_data = true;
    work->values += (uint64_t)count;
    work->measure.range.size = walk->next - work->measure.range.offset;
    work->measure.uncompressed_size = work->uncompressed;
    work->measure.denies_compression |=
        header->type == LAM_PAGE_DATA_V2 && !header->data_page_header_v2->is_compressed;
    const lam_meta_statistics *statistics = lam_page_header_statistics(header);
    work->measure.page_statistics |= statistics != NULL ? statistics->has : 0;
    return LAM_STATUS_OK;
}

/* Adds the size of a page of any type without compression. */
static void measure_size(measuring *work, const lam_meta_page_header *header,
                         const lam_page_walk *walk, uint64_t offset) {
    int32_t size = header->uncompressed_page_size;
    work->uncompressed += walk->body - offset + (size > 0 ? (uint64_t)size : 0);
}

/* Pages of other types are skipped, whatever they state, but count with their bytes. */
static lam_status measure_page(measuring *work, const lam_meta_page_header *header,
                               const lam_page_walk *walk, uint64_t offset, lam_error *error) {
    bool is_data = lam_page_header_is_data(header);
    if ((is_data || header->type == LAM_PAGE_DICTIONARY) &&
        (header->uncompressed_page_size < 0 || lam_page_header_count(header) < 0))
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_HEADER,
                 "a page has a negative size or number of values");
    if (!work->has_data && work->measure.dictionary == UINT64_MAX) { /* the pages so far are no
                                                                      * chunk */
        work->measure.range.offset = offset;
        work->uncompressed = 0;
    }
    measure_size(work, header, walk, offset);
    if (header->type == LAM_PAGE_DICTIONARY)
        return measure_dictionary(work, offset, error);
    return is_data ? measure_data(work, header, walk, offset, error) : LAM_STATUS_OK;
}

/*
 * After the last value only data pages without values are pages of the chunk; bytes that cannot be
 * read as a header end it.
 */
static lam_status measure_rest(measuring *work, lam_page_walk *walk, const lam_stop *stop,
                               lam_error *error) {
    while (!lam_page_walk_at_end(walk)) {
        lam_meta_page_header header;
        uint64_t offset;
        lam_error failure = lam_error_none();
        LAM_TRY(lam_stop_check(stop, error));
        lam_status status = lam_page_walk_next(walk, &header, &offset, &failure);
        if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_LIMIT)
            return LAM_STATUS_OK;
        if (status != LAM_STATUS_OK && error != NULL)
            *error = failure;
        LAM_TRY(status);
        measure_size(work, &header, walk, offset);
        if (lam_page_header_is_data(&header) && lam_page_header_count(&header) >= 0)
            status = measure_data(work, &header, walk, offset, error);
        if (status != LAM_STATUS_OK)
            lam_error_at_offset(error, offset);
        LAM_TRY(status);
    }
    return LAM_STATUS_OK;
}

static lam_status measure_values(measuring *work, lam_page_walk *walk, const lam_stop *stop,
                                 lam_error *error) {
    while (work->values < (uint64_t)work->column->num_values) {
        lam_meta_page_header header;
        uint64_t offset;
        LAM_TRY(lam_stop_check(stop, error));
        if (lam_page_walk_at_end(walk) && !lam_page_walk_extend(walk))
            LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_VALUES,
                     "the chunk ends after %" PRIu64 " of %" PRId64 " values", work->values,
                     work->column->num_values);
        LAM_TRY(lam_page_walk_next(walk, &header, &offset, error));
        lam_status status = measure_page(work, &header, walk, offset, error);
        if (status != LAM_STATUS_OK)
            lam_error_at_offset(error, offset);
        LAM_TRY(status);
    }
    return measure_rest(work, walk, stop, error);
}

/* Bodies are passed over: headers are far apart, and reading ahead does not pay. */
lam_status lam_chunk_measure_pages(const lam_reader *reader, const lam_meta_column *column,
                                   lam_chunk_range range, lam_chunk_measure *ret_measure,
                                   lam_error *error) {
    measuring work = {.column = column, .measure = {.range = range, .dictionary = UINT64_MAX}};
    lam_page_walk walk;
    work.measure.range.size = 0;
    lam_page_walk_init(&walk, &reader->input, range, &reader->allocator);
    walk.header_only = true;
    lam_status status = measure_values(&work, &walk, reader->stop, error);
    lam_page_walk_finish(&walk);
    LAM_TRY(status);
    const lam_chunk_range *pages = &work.measure.range;
    work.measure.range.room = range.offset + range.size + range.room - pages->offset - pages->size;
    *ret_measure = work.measure;
    return LAM_STATUS_OK;
}

/* A chunk begins with its dictionary page, if it has one: see lam_chunk_find. */
lam_chunk_measure lam_chunk_measure_stated(const lam_meta_column *column, lam_chunk_range range) {
    int64_t offset = (int64_t)range.offset, data = column->data_page_offset;
    bool has_dictionary = (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0 &&
                          column->dictionary_page_offset == offset && data != offset;
    return (lam_chunk_measure){
        .range = range,
        .uncompressed_size = (uint64_t)column->total_uncompressed_size,
        .first_data = data > 0 ? (uint64_t)data : range.offset,
        .dictionary = has_dictionary ? range.offset : UINT64_MAX,
    };
}
