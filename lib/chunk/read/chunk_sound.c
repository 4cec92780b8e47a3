/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out whether a chunk, as the footer describes it, needs a survey at all, or whether the
 * footer may be wrong.
 *
 *     | dict | data | data | data | ???
 *       what its readers read       bytes that no reader reads
 *
 * A chunk that a reader accepts is never sound by that alone. Bytes after the last page, or after
 * the last value of a page, may have been pages; and page headers have no checksum: one that states
 * other lengths of levels turns values into nulls, as its count of nulls shows. (parquet.thrift,
 * DataPageHeaderV2)
 */
#include "chunk/read/chunk_sound.h"

#include "base/error.h"
#include "base/thread/stop.h"
#include "chunk/read/cursor_state.h"
#include "chunk/read/page_walk.h"
#include "meta/page_header.h"

static bool is_of_bytes(lam_status status) {
    return status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
           status == LAM_STATUS_LIMIT;
}

/* What the headers of all data pages of a chunk say. */
typedef struct stated_pages_of {
    int64_t nulls; /* -1 if one states none, or in a nested column, for which writers differ */
    bool have_crcs;
} stated_pages_of;

static void add_stated(const lam_meta_page_header *header, stated_pages_of *stated) {
    const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
    bool states_nulls = header->type == LAM_PAGE_DATA_V2 && v2->num_nulls >= 0;
    stated->nulls = states_nulls && stated->nulls >= 0 ? stated->nulls + v2->num_nulls : -1;
    stated->have_crcs = stated->have_crcs && (header->has & LAM_META_PAGE_HEADER_HAS_CRC) != 0;
}

static lam_status read_headers(const lam_column_chunk *chunk, const lam_allocator *allocator,
                               stated_pages_of *ret_stated, lam_error *error) {
    lam_chunk_range range = {0, 0, 0};
    lam_page_walk walk;
    lam_status status = LAM_STATUS_OK;
    stated_pages_of stated = {chunk->leaf->max_repetition > 0 ? -1 : 0, true};
    LAM_TRY(lam_chunk_find(chunk->column, chunk->limit, &range, error));
    lam_page_walk_init(&walk, chunk->input, range, allocator);
    while (status == LAM_STATUS_OK && !lam_page_walk_at_end(&walk)) {
        lam_meta_page_header header;
        uint64_t offset;
        status = lam_stop_check(chunk->stop, error);
        if (status == LAM_STATUS_OK)
            status = lam_page_walk_next(&walk, &header, &offset, error);
        if (status == LAM_STATUS_OK && lam_page_header_is_data(&header))
            add_stated(&header, &stated);
    }
    lam_page_walk_finish(&walk);
    *ret_stated = stated;
    return status;
}

/* What the triples of a chunk are. */
typedef struct chunk_facts {
    int64_t nulls;
    bool is_odd;    /* some page has more than its header counts, maybe the beginning of the next */
    bool is_padded; /* some page has bytes after its levels */
} chunk_facts;

static lam_status read_triples(lam_column_cursor *cursor, chunk_facts *read, lam_error *error) {
    lam_triples triples = {.count = 1};
    while (triples.count > 0) {
        bool has_rest = false;
        LAM_TRY(lam_column_cursor_read(cursor, SIZE_MAX, &triples, error));
        read->nulls += (int64_t)(triples.count - triples.value_count);
        if (!cursor->page.is_open || !lam_page_decoder_is_read(&cursor->page))
            continue;
        LAM_TRY(lam_page_decoder_find_rest(&cursor->page, &has_rest, error));
        read->is_odd = read->is_odd || has_rest;
        read->is_padded = read->is_padded || lam_page_decoder_levels_have_rest(&cursor->page);
    }
    return LAM_STATUS_OK;
}

/* True when the statistics of a flat chunk count other nulls. */
static bool states_other_nulls(const lam_column_chunk *chunk, int64_t nulls) {
    const lam_meta_statistics *statistics = chunk->column->statistics;
    return statistics != NULL && (statistics->has & LAM_META_STATISTICS_HAS_NULL_COUNT) != 0 &&
           chunk->leaf->max_repetition == 0 && statistics->null_count != nulls;
}

lam_status lam_chunk_find_state(const lam_column_chunk *chunk, bool passes_unreadable,
                                const lam_allocator *allocator, lam_chunk_state *ret_state,
                                lam_error *error) {
    lam_column_cursor *cursor;
    chunk_facts read = {.nulls = 0};
    stated_pages_of stated = {-1, false};
    bool ends = false;
    lam_status status = lam_column_cursor_create(chunk, allocator, &cursor, error);
    if (status == LAM_STATUS_OK) {
        status = read_triples(cursor, &read, error);
        ends = lam_page_walk_at_end(&cursor->file.walk);
        lam_column_cursor_destroy(cursor);
    }
    if (status == LAM_STATUS_OK && ends)
        status = read_headers(chunk, allocator, &stated, error);
    /* If the checksum matches, bytes after the values are the page's own. */
    bool is_sound = status == LAM_STATUS_OK && ends && (!read.is_odd || stated.have_crcs) &&
                    (stated.nulls < 0 || stated.nulls == read.nulls);
    bool has_doubts = read.is_odd || read.is_padded || states_other_nulls(chunk, read.nulls);
    *ret_state = !is_sound ? LAM_CHUNK_DAMAGED : has_doubts ? LAM_CHUNK_DOUBTFUL : LAM_CHUNK_SOUND;
    bool is_passed = is_of_bytes(status) || (passes_unreadable && status == LAM_STATUS_IO);
    return is_passed ? LAM_STATUS_OK : status;
}
