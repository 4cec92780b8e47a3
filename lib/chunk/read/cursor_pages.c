/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves a cursor from page to page: opens data pages or skips them, and gives dictionary pages to
 * cursor_dictionary.c. Takes the pages of its source, and gives the open page, from which
 * page_decoder.c decodes.
 *
 *   next_page   header -> dictionary: decode it, once, before all data pages
 *                      -> data page: count its rows, then skip it or open it
 *                      -> any other page: ignore it
 *
 * The invariant: the pages hold exactly the triples that the footer states, and their rows are
 * those of the row group. No count of the file is trusted alone: each page is checked against the
 * triples left, and the offset index against the rows and the levels that the pages have: if it is
 * wrong it is forgotten. (README.md of the format, "Column chunks")
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/thread/stop.h"
#include "chunk/read/cursor_state.h"
#include "chunk/read/page_peek.h"
#include "meta/page_header.h"

/* Checks that the chunk has as many triples left as a page states. */
static lam_status check_page_count(const lam_column_cursor *cursor, uint32_t count,
                                   lam_error *error) {
    uint64_t left = (uint64_t)cursor->chunk.column->num_values - cursor->triples;
    if (count > left)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_VALUES,
                 "a page of %" PRIu32 " values, but the chunk has %" PRIu64 " left", count, left);
    return LAM_STATUS_OK;
}

/*
 * Uncompresses and opens a data page. The rows of the page before it end where the next row begins,
 * which is known only now; the first triple of this one may continue the last record.
 */
static lam_status open_page(lam_column_cursor *cursor, const lam_source_page *next,
                            lam_error *error) {
    bool goes_on = cursor->chunk.leaf->max_repetition > 0 && cursor->rows > 0;
    lam_bytes plain;
    lam_page page;
    LAM_TRY(lam_page_source_leave(cursor->source, cursor->rows, error));
    LAM_TRY(lam_page_source_data(cursor->source, next, cursor->rows - goes_on, &plain, error));
    LAM_TRY(lam_page_open(&cursor->reader, &next->header, plain, &page, error));
    LAM_TRY(check_page_count(cursor, page.value_count, error));
    cursor->page_bytes += (uint64_t)next->header.uncompressed_page_size;
    cursor->page_offset = next->offset;
    lam_page_decoder_open(&cursor->page, &page,
                          cursor->has_dictionary ? &cursor->dictionary : NULL);
    return LAM_STATUS_OK;
}

/*
 * Gives the number of rows that the offset index states for the page at `offset`; -1 if it states
 * nothing. Pages come in the order of their offsets, so the search continues where the last one
 * ended. Rows of the last page end with the row group.
 */
static int64_t rows_by_index(lam_column_cursor *cursor, uint64_t offset) {
    while (cursor->next_location < cursor->page_count &&
           (uint64_t)cursor->locations[cursor->next_location].offset < offset)
        cursor->next_location++;
    size_t here = cursor->next_location;
    if (here >= cursor->page_count || (uint64_t)cursor->locations[here].offset != offset)
        return -1;
    int64_t end = here + 1 < cursor->page_count ? cursor->locations[here + 1].first_row_index
                                                : (int64_t)cursor->chunk.row_count;
    return end - cursor->locations[here].first_row_index;
}

/* True when a page has other rows than the offset index states; -1 if either is unknown. */
static bool is_miscounted(int64_t stated, int64_t rows) {
    return stated >= 0 && rows >= 0 && stated != rows;
}

/*
 * Moves back to the first data page, as if the chunk had not been read: `*pass_rows`, the rows to
 * be skipped, then counts from there.
 */
static void start_again(lam_column_cursor *cursor, uint64_t *pass_rows) {
    *pass_rows += cursor->rows;
    cursor->file.walk.next = cursor->first_page;
    cursor->triples = 0;
    cursor->rows = 0;
    cursor->rests_on_index = false;
    cursor->must_begin = false;
    lam_ghost_levels_init(&cursor->ghosts, cursor->chunk.leaf);
}

/* As lam_stop_check. A cursor that is stopped while it skips goes back: no rows are proven yet. */
static lam_status check_stop(lam_column_cursor *cursor, lam_error *error) {
    uint64_t unused = 0;
    lam_status status = lam_stop_check(cursor->chunk.stop, error);
    if (status != LAM_STATUS_OK && cursor->rests_on_index)
        start_again(cursor, &unused);
    return status;
}

/*
 * Fails if rows were chosen by the index, and it gives the page whose header was read last other
 * rows than it has. Not so if a record extends over one of its borders, as it may count with either
 * page: the code that chose rows has checked the borders on which they depend.
 */
static lam_status check_decided(lam_column_cursor *cursor, int64_t stated,
                                const lam_page_row_count *count, lam_error *error) {
    uint64_t left = (uint64_t)cursor->chunk.column->num_values - cursor->triples;
    bool begins = true;
    if (!cursor->has_decided_rows || !is_miscounted(stated, count->rows) || count->first_level != 0)
        return LAM_STATUS_OK;
    if (cursor->chunk.leaf->max_repetition > 0 && (uint64_t)count->triples < left)
        LAM_TRY(lam_page_peek_begins(&cursor->file.walk, &cursor->reader, cursor->chunk.stop,
                                     &begins, error));
    if (begins)
        LAM_FAIL(error, LAM_ERROR_CODE_OFFSET_INDEX_ROWS,
                 "the offset index gives %" PRId64 " rows to a page that has %" PRId64, stated,
                 count->rows);
    return LAM_STATUS_OK;
}

/*
 * Forgets the offset index, which a page contradicts, and goes back to that page, or to the first
 * one if rows were skipped by the index: they are counted again, by levels.
 */
static lam_status contradict_index(lam_column_cursor *cursor, const lam_source_page *page,
                                   int64_t stated, const lam_page_row_count *count,
                                   uint64_t *pass_rows, lam_error *error) {
    static const lam_page nothing;
    LAM_TRY(check_decided(cursor, stated, count, error));
    lam_page_decoder_open(&cursor->page, &nothing, NULL);
    cursor->page_count = 0;
    cursor->must_begin = false;
    cursor->file.walk.next = page->offset;
    if (cursor->rests_on_index)
        start_again(cursor, pass_rows);
    return LAM_STATUS_OK;
}

/*
 * With an offset index, pages begin with a record (parquet.thrift, OffsetIndex), but not those of
 * all writers.
 */
lam_status lam_cursor_page_ends_record(lam_column_cursor *cursor, bool *ret_ends,
                                       lam_error *error) {
    *ret_ends = cursor->next_begins;
    if (*ret_ends || !cursor->page.is_open || rows_by_index(cursor, cursor->page_offset) < 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_page_peek_begins(&cursor->file.walk, &cursor->reader, cursor->chunk.stop, ret_ends,
                                 error));
    cursor->next_begins = *ret_ends;
    if (!*ret_ends)
        cursor->page_count = 0;
    return LAM_STATUS_OK;
}

lam_status lam_cursor_check_rows(const lam_column_cursor *cursor, lam_error *error) {
    bool at_end = cursor->triples == (uint64_t)cursor->chunk.column->num_values;
    if (cursor->rows > cursor->chunk.row_count ||
        (at_end && cursor->rows != cursor->chunk.row_count))
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "the chunk has %s%" PRIu64 " rows, but its row group has %" PRIu64,
                 at_end ? "" : "at least ", cursor->rows, cursor->chunk.row_count);
    return LAM_STATUS_OK;
}

/* Counts the triples and rows of a page, which is not opened, as read. */
static lam_status pass_counted(lam_column_cursor *cursor, const lam_source_page *page,
                               const lam_page_row_count *count, bool by_index, lam_error *error) {
    static const lam_page nothing;
    LAM_TRY(check_page_count(cursor, (uint32_t)count->triples, error));
    cursor->page_offset = page->offset;
    lam_page_decoder_open(&cursor->page, &nothing, NULL);
    lam_ghost_levels_pass(&cursor->ghosts, 0);
    cursor->triples += (uint64_t)count->triples;
    cursor->rows += (uint64_t)count->rows;
    cursor->must_begin = by_index;
    cursor->rests_on_index |= by_index;
    return lam_cursor_check_rows(cursor, error);
}

/* Counts the rows of the open page, of a leaf that repeats, if the offset index counts. */
static lam_status count_open(lam_column_cursor *cursor, int64_t stated, lam_page_row_count *count,
                             lam_error *error) {
    if (cursor->chunk.leaf->max_repetition == 0 || (stated < 0 && !cursor->must_begin))
        return LAM_STATUS_OK;
    return lam_cursor_count_open(cursor, &cursor->page.page, count, error);
}

/* True when the page contradicts the offset index. */
static bool is_index_wrong(const lam_column_cursor *cursor, int64_t stated,
                           const lam_page_row_count *count) {
    return is_miscounted(stated, count->rows) || (cursor->must_begin && count->first_level != 0);
}

/*
 * Skips a data page if the caller passes rows and the page has no more than these, or opens it.
 *
 * A skipped page counts as read: its triples and rows are added, and no page is open. If the offset
 * index alone stated its rows, the next page that is opened must begin with a record, and have the
 * rows that are stated. A count of rows above that of triples is false and opens the page, whose
 * levels then show it.
 */
static lam_status take_page(lam_column_cursor *cursor, const lam_source_page *page,
                            uint64_t *pass_rows, lam_error *error) {
    lam_page_row_count count;
    int64_t stated = rows_by_index(cursor, page->offset);
    bool passes = *pass_rows > 0 && !cursor->chunk.has_sequels;
    bool repeats = cursor->chunk.leaf->max_repetition > 0;
    cursor->next_begins = false;
    if (cursor->first_page == UINT64_MAX)
        cursor->first_page = page->offset;
    LAM_TRY(lam_cursor_count_rows(cursor, &page->header, stated, passes, &count, error));
    if (is_index_wrong(cursor, stated, &count))
        return contradict_index(cursor, page, stated, &count, pass_rows, error);
    if (passes && count.rows >= 0 && count.rows <= count.triples &&
        (uint64_t)count.rows <= *pass_rows) {
        *pass_rows -= (uint64_t)count.rows;
        return pass_counted(cursor, page, &count, repeats && stated >= 0, error);
    }
    LAM_TRY(open_page(cursor, page, error));
    LAM_TRY(count_open(cursor, stated, &count, error));
    if (is_index_wrong(cursor, stated, &count))
        return contradict_index(cursor, page, stated, &count, pass_rows, error);
    cursor->must_begin = false;
    cursor->rests_on_index = false; /* it is proven, at both ends */
    return LAM_STATUS_OK;
}

/*
 * Pages without triples are opened and left at once, so the loop ends with triples to read, or with
 * the chunk. The walk ends at the chunk's stated size, extended once by the bytes that old writers
 * did not count.
 */
lam_status lam_cursor_next_page(lam_column_cursor *cursor, uint64_t *pass_rows, lam_error *error) {
    do {
        if (lam_page_walk_at_end(&cursor->file.walk) && !lam_page_walk_extend(&cursor->file.walk))
            LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_VALUES,
                     "the chunk ends after %" PRIu64 " of %" PRId64 " values", cursor->triples,
                     cursor->chunk.column->num_values);
        lam_source_page page;
        LAM_TRY(check_stop(cursor, error));
        LAM_TRY(lam_page_source_next(cursor->source, *pass_rows > 0, &page, error));
        lam_status status = LAM_STATUS_OK;
        if (page.header.type == LAM_PAGE_DICTIONARY)
            status = lam_cursor_read_dictionary(cursor, &page, error);
        else if (lam_page_header_is_data(&page.header))
            status = take_page(cursor, &page, pass_rows, error);
        if (status != LAM_STATUS_OK) {
            lam_error_at_offset(error, page.offset);
            return status;
        }
    } while (lam_page_decoder_is_read(&cursor->page) &&
             cursor->triples < (uint64_t)cursor->chunk.column->num_values);
    return LAM_STATUS_OK;
}

/*
 * Bytes that do not parse as a page header (CORRUPT, or LIMIT if it is too long) end the search
 * without a failure; input errors and cancellation are passed on.
 */
lam_status lam_cursor_check_rest(lam_column_cursor *cursor, lam_error *error) {
    while (!lam_page_walk_at_end(&cursor->file.walk)) {
        lam_meta_page_header header;
        uint64_t offset;
        lam_error failure = lam_error_none();
        LAM_TRY(lam_stop_check(cursor->chunk.stop, error));
        lam_status status = lam_page_walk_next(&cursor->file.walk, &header, &offset, &failure);
        if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_LIMIT)
            return LAM_STATUS_OK;
        if (status != LAM_STATUS_OK && error != NULL)
            *error = failure;
        LAM_TRY(status);
        int32_t count = lam_page_header_count(&header);
        if (lam_page_header_is_data(&header) && count > 0) {
            lam_error_set(error, LAM_ERROR_CODE_CHUNK_VALUES,
                          "a page of %" PRId32 " values after the last of the chunk's %" PRIu64,
                          count, cursor->triples);
            lam_error_at_offset(error, offset);
            return LAM_STATUS_CORRUPT;
        }
    }
    return LAM_STATUS_OK;
}
