/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a chunk reader, which three sources share: chunk_read.c opens and moves from page to
 * page, page_rows.c counts the rows of a page that may be skipped, chunk_batch.c decodes batches of
 * the open page.
 *
 *   walk -> page_reader -> page -> decoder, repetition and definition runs
 *   header  uncompressed   levels  values
 *
 * `triples` and `rows` count what was read or skipped of the chunk, `page_triples` and `page_rows`
 * the same of the open page. All grow when levels are read or skipped, never when values are.
 */
#ifndef LAM_CHUNK_CHUNK_READER_H
#define LAM_CHUNK_CHUNK_READER_H

#include "chunk/chunk.h"
#include "chunk/ghost_levels.h"
#include "encoding/decoder.h"
#include "page/page.h"

/* A reader; its groups of members follow the way of a page from the file to the caller. */
struct lam_chunk_reader {
    lam_allocator allocator;
    lam_chunk_source source;
    lam_meta_column column; /* of the source: its numbers, not what it points at */
    lam_value_layout layout;
    lam_codec_context *own_codecs; /* NULL if the source has one */
    lam_page_walk walk;
    lam_page_reader page_reader;

    /* The dictionary: its bytes, which byte arrays borrow, and its values as elements. */
    lam_buffer dictionary_bytes;
    void *dictionary_values;
    size_t dictionary_values_size;
    lam_dictionary dictionary;
    bool has_dictionary;

    const lam_meta_page_location *locations; /* of the offset index; NULL when it is not used */
    size_t page_count;
    size_t next_location; /* first location at or after the page in question */
    bool must_begin;      /* a location states the next page, so a record begins with it */

    lam_cached_chunk *cache_out;     /* receives pages that are left; or NULL */
    lam_cached_chunk *cache_in;      /* has pages of an earlier reader; or NULL */
    lam_page_rows_location location; /* of the page whose bytes the page reader holds */
    uint64_t dictionary_offset;      /* of the dictionary page's header */

    bool has_page;
    uint64_t page_offset;    /* of the open page's header */
    uint64_t page_bytes;     /* of all data pages opened so far, uncompressed */
    lam_ghost_levels ghosts; /* used if the source has_ghosts */
    lam_page page;
    lam_decoder decoder;
    bool decoding;         /* `decoder` has started on the page */
    uint32_t page_triples; /* levels read of the open page */
    uint32_t page_rows;
    size_t batch_values;    /* values of the last batch that are not read yet */
    size_t deferred_values; /* skipped values that are not decoded yet */
    lam_arena arena;        /* values that the decoder builds for the open page */

    bool failed;
    uint64_t triples; /* levels read or skipped, of the chunk */
    uint64_t rows;
    size_t batch_triples;
    uint8_t *repetition; /* `batch_triples` bytes each */
    uint8_t *definition;
    void *values; /* `batch_triples` elements; NULL until needed */
};

/*
 * Opens the next page with triples; there must be one. Data pages whose rows are all among the next
 * `*pass_rows` are skipped unread if their number is known; `*pass_rows` counts down, and if no
 * triple is left to read, no page is open.
 */
lam_status lam_chunk_next_page(lam_chunk_reader *reader, uint64_t *pass_rows, lam_error *error);

/*
 * True if the page after the open one begins with a record, as it does if the offset index knows
 * the open page. Asked after the last triple of a page; a true answer is checked against the levels
 * that follow.
 */
bool lam_chunk_page_ends_record(lam_chunk_reader *reader);

/* What is known of a page before it is opened; -1 where it is not known. */
typedef struct lam_page_row_count {
    int64_t triples;
    int64_t rows; /* records that begin in it */
} lam_page_row_count;

/*
 * Counts the triples and rows of the page that the walk moved past last. `stated` is the number of
 * rows that the offset index gives it, or -1; `passes` means that rows are to be skipped, so that
 * counting by the levels of the page is worth its time. Ends the life of the header's byte strings.
 */
lam_status lam_chunk_count_rows(lam_chunk_reader *reader, const lam_meta_page_header *header,
                                int64_t stated, bool passes, lam_page_row_count *ret_count,
                                lam_error *error);

/* Checks, after the last value, that the open page had the rows that the offset index states. */
lam_status lam_chunk_leave_page(lam_chunk_reader *reader, lam_error *error);

/* Checks that the chunk has no more rows than its row group, and at its end no fewer. */
lam_status lam_chunk_check_rows(const lam_chunk_reader *reader, lam_error *error);

/*
 * Checks after the last triple that no page with values follows. Bytes that are no page are
 * ignored: no value is lost with them.
 */
lam_status lam_chunk_check_rest(lam_chunk_reader *reader, lam_error *error);

/* Allocates the array of lent and skipped values if there is none yet. */
lam_status lam_chunk_need_values(lam_chunk_reader *reader, lam_error *error);

/* True if no page is open, or all levels of the open one were read. */
static inline bool lam_chunk_page_is_read(const lam_chunk_reader *reader) {
    return !reader->has_page || reader->page_triples == reader->page.value_count;
}

#endif
