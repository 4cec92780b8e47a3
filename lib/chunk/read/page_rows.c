/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the records that begin in a data page that may be skipped unread, by its header and the
 * offset index; -1 if the page has to be opened to know it.
 *
 *   flat leaf            as many as the page has triples
 *   repeated leaf, V1    as the offset index states, or unknown
 *   repeated leaf, V2    num_rows if the offset index agrees; else by the repetition levels
 *
 * num_rows alone is never trusted. Several writers count values there, or nothing, and to skip a
 * page with a wrong count loses rows or brings others in. The repetition levels of V2 pages come
 * first and are not compressed, so that they cost little. Nor do pages of such writers always begin
 * with a record, as V2 pages should. (parquet.thrift, DataPageHeaderV2)
 */
#include <inttypes.h>

#include "base/error.h"
#include "chunk/read/cursor_state.h"
#include "encoding/rle.h"
#include "kernel/kernel.h"
#include "meta/page_header.h"

/*
 * Reads one run of repetition levels, at most `left`: gives its length, and how many records begin
 * in it. A repeated run is one comparison whatever its length; a bit-packed one is decoded into the
 * cursor's array.
 */
static lam_status count_some(lam_column_cursor *cursor, lam_rle_decoder *runs, size_t left,
                             size_t *ret_count, size_t *ret_records, lam_error *error) {
    const lam_kernels *kernels = cursor->chunk.kernels;
    uint8_t max_level = cursor->chunk.leaf->max_repetition;
    size_t length;
    uint32_t level;
    bool packed;
    LAM_TRY(lam_rle_peek_run(runs, left, &length, &level, &packed, error));
    if (packed) {
        length = length < cursor->room.triples ? length : cursor->room.triples;
        /* unreachable: the run is open, and has as many values */
        LAM_TRY(lam_rle_read_levels(runs, length, cursor->room.repetition, error));
        level = kernels->max_u8(cursor->room.repetition, length);
        *ret_records = kernels->count_u8(cursor->room.repetition, length, 0);
    } else {
        lam_rle_pass(runs, length);
        *ret_records = level == 0 ? length : 0;
    }
    if (level > max_level)
        LAM_FAIL(error, LAM_ERROR_CODE_LEVELS_RANGE,
                 "repetition level %" PRIu32 " where the maximum is %u", level,
                 (unsigned)max_level);
    *ret_count = length;
    return LAM_STATUS_OK;
}

/* Counts the records that begin in `triples` levels, above 0, and finds out if the first does. */
static lam_status count_runs(lam_column_cursor *cursor, lam_rle_decoder runs, size_t triples,
                             lam_page_row_count *count, lam_error *error) {
    lam_rle_decoder start = runs;
    int64_t rows = 0;
    LAM_TRY(lam_rle_read_levels(&start, 1, &count->first_level, error));
    for (size_t left = triples; left > 0;) {
        size_t some, records;
        LAM_TRY(count_some(cursor, &runs, left, &some, &records, error));
        rows += (int64_t)records;
        left -= some;
    }
    count->rows = rows;
    return LAM_STATUS_OK;
}

/* Checks that the first level of a chunk begins a record, unless it may continue one. */
lam_status lam_cursor_check_first(const lam_column_cursor *cursor, uint8_t level,
                                  lam_error *error) {
    if (level != 0 && cursor->triples == 0 && !cursor->begins_inside)
        LAM_FAIL(error, LAM_ERROR_CODE_LEVELS_FIRST,
                 "the first repetition level of the chunk is %u, not 0", (unsigned)level);
    return LAM_STATUS_OK;
}

/*
 * Counts by the repetition levels of a V2 page; leaves -1 if the header makes no sense, so that
 * opening the page reports it. The levels are bounded by the memory limit before they are read.
 */
static lam_status count_by_levels(lam_column_cursor *cursor, const lam_meta_page_header *header,
                                  lam_page_row_count *count, lam_error *error) {
    lam_rle_decoder runs;
    lam_bytes bytes;
    size_t size = 0;
    int32_t triples = header->data_page_header_v2->num_values;
    if (triples <= 0 || !lam_page_find_repetition(header, &size) ||
        size > cursor->chunk.memory_limit)
        return LAM_STATUS_OK;
    LAM_TRY(lam_page_walk_prefix(&cursor->file.walk, size, &bytes, error));
    /* unreachable: levels have 8 bits at most */
    LAM_TRY(lam_rle_decoder_init(&runs, cursor->chunk.kernels, bytes,
                                 lam_bit_width(cursor->chunk.leaf->max_repetition), error));
    LAM_TRY(count_runs(cursor, runs, (size_t)triples, count, error));
    return lam_cursor_check_first(cursor, count->first_level, error);
}

lam_status lam_cursor_count_open(lam_column_cursor *cursor, const lam_page *page,
                                 lam_page_row_count *ret_count, lam_error *error) {
    lam_page_row_count count = {page->value_count, 0, 0};
    if (page->value_count > 0)
        LAM_TRY(count_runs(cursor, page->repetition, page->value_count, &count, error));
    *ret_count = count;
    return LAM_STATUS_OK;
}

/*
 * The levels of a V2 page are read if rows are to be skipped, or if the offset index contradicts
 * num_rows and one of them must be wrong.
 */
lam_status lam_cursor_count_rows(lam_column_cursor *cursor, const lam_meta_page_header *header,
                                 int64_t stated, bool passes, lam_page_row_count *ret_count,
                                 lam_error *error) {
    const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
    lam_page_row_count count = {lam_page_header_count(header), -1, 0};
    if (cursor->chunk.leaf->max_repetition == 0)
        count.rows = count.triples;
    else if (count.triples < 0 || header->type == LAM_PAGE_DATA || stated == v2->num_rows)
        count.rows = stated;
    else if (stated >= 0 || passes)
        LAM_TRY(count_by_levels(cursor, header, &count, error));
    *ret_count = count;
    return LAM_STATUS_OK;
}
