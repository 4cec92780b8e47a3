/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a column cursor, which three sources share: column_cursor.c reads batches,
 * cursor_pages.c moves from page to page, page_rows.c counts the rows of a page that may be
 * skipped.
 *
 * `triples` and `rows` count what was read or skipped of the chunk; they grow when levels are read
 * or skipped, never when values are.
 */
#ifndef LAM_CHUNK_READ_CURSOR_STATE_H
#define LAM_CHUNK_READ_CURSOR_STATE_H

#include "chunk/read/cached_source.h"
#include "chunk/read/column_cursor.h"
#include "chunk/read/derived_chunk.h"
#include "chunk/read/ghost_levels.h"
#include "chunk/read/page_source.h"

/* A cursor; its groups of members follow the way of a page from the file to the caller. */
struct lam_column_cursor {
    lam_allocator allocator;
    lam_column_chunk chunk;
    lam_meta_column column;        /* of the chunk: its numbers, not what it leads to */
    lam_codec_context *own_codecs; /* NULL if the chunk has one */

    lam_page_reader reader;
    lam_file_source file;
    lam_cached_source cached; /* used if source leads to it */
    lam_page_source *source;  /* the file's, or the cached one */

    lam_derived_chunk *derived;    /* owned; read in place of pages; or NULL */
    const uint8_t *derived_values; /* of its batch, those that are not read yet */

    /* The dictionary: its bytes, which byte arrays borrow, and its values as elements. */
    lam_buffer dictionary_bytes;
    void *dictionary_values;
    size_t dictionary_values_size;
    lam_dictionary dictionary;
    bool has_dictionary;

    const lam_meta_page_location *locations; /* of the offset index */
    size_t page_count;                       /* 0 if it is not used, or not any more */
    size_t next_location;                    /* first location at or after the page in question */
    bool has_decided_rows; /* by these locations, so that the cursor fails if they are wrong */
    bool rests_on_index;   /* rows of a page were counted by its location alone */
    bool must_begin;       /* ... of the last one, so that the next page begins with a record */
    bool next_begins;      /* the page after the open one does, as its levels show */
    uint64_t first_page;   /* offset of the first data page; UINT64_MAX before it was reached */

    lam_page_decoder page; /* the open one */
    uint64_t page_offset;  /* of its header */
    uint64_t page_bytes;   /* of all data pages opened so far, uncompressed */

    bool failed;
    bool is_between;  /* two records: no triple was read, or the last batch was empty */
    uint64_t triples; /* levels read or skipped, of the chunk */
    uint64_t rows;
    bool begins_inside;      /* of a record: the first triples continue one that is not all there */
    lam_ghost_levels ghosts; /* used if the chunk has_ghosts */
    lam_batch_room room;     /* of triples that are lent or skipped */
    size_t lent_most;        /* triples, for what entries of the dictionary lead to */
};

/*
 * Opens the next page with triples; there must be one. Data pages whose rows are all among the next
 * `*pass_rows` are skipped unread if their number is known; `*pass_rows` counts down, and if no
 * triple is left to read, no page is open.
 */
lam_status lam_cursor_next_page(lam_column_cursor *cursor, uint64_t *pass_rows, lam_error *error);

/*
 * Takes a dictionary page, which must be the first page: indexes before it would have no meaning.
 */
lam_status lam_cursor_read_dictionary(lam_column_cursor *cursor, const lam_source_page *page,
                                      lam_error *error);
/* Decodes the entries of a dictionary page, whose PLAIN bytes are the cursor's. */
lam_status lam_cursor_decode_dictionary(lam_column_cursor *cursor, uint32_t count,
                                        lam_error *error);
/* Reads the first page if it is a dictionary; else the next page is the first one again. */
lam_status lam_cursor_load_dictionary(lam_column_cursor *cursor, lam_error *error);

/*
 * Finds out, after the last triple of a page that the offset index knows, whether the page after it
 * begins with a record, and need not be opened to end the last one. If it does not, the index is
 * forgotten.
 */
lam_status lam_cursor_page_ends_record(lam_column_cursor *cursor, bool *ret_ends, lam_error *error);

/* What is known about a page before it is opened; -1 if unknown. */
typedef struct lam_page_row_count {
    int64_t triples;
    int64_t rows;        /* records that begin in it */
    uint8_t first_level; /* of the repetition levels, if they were read; else 0 */
} lam_page_row_count;

/*
 * Counts the triples and rows of the page whose header was read last. `stated` is the number of
 * rows that the offset index gives it, or -1; `passes` means that rows are to be skipped, so that
 * counting by the levels of the page is worth its time. Ends the life of the header's byte strings.
 */
lam_status lam_cursor_count_rows(lam_column_cursor *cursor, const lam_meta_page_header *header,
                                 int64_t stated, bool passes, lam_page_row_count *ret_count,
                                 lam_error *error);
/* Counts the rows of a page that is open, of a leaf that repeats, by its repetition levels. */
lam_status lam_cursor_count_open(lam_column_cursor *cursor, const lam_page *page,
                                 lam_page_row_count *ret_count, lam_error *error);

/* Checks that the first repetition level of a chunk begins a record; later ones may be any. */
lam_status lam_cursor_check_first(const lam_column_cursor *cursor, uint8_t level, lam_error *error);

/* Checks that the chunk has no more rows than its row group, and at its end no fewer. */
lam_status lam_cursor_check_rows(const lam_column_cursor *cursor, lam_error *error);

/*
 * Checks after the last triple that no page with values follows. Bytes that are no page are
 * ignored: no value is lost with them.
 */
lam_status lam_cursor_check_rest(lam_column_cursor *cursor, lam_error *error);

/* --- Derived chunks (derived_chunk.c) ------------------------------------------------------ */

/* Lends triples, as lam_column_cursor_read_rows. */
lam_status lam_cursor_read_derived(lam_column_cursor *cursor, size_t max_triples, uint64_t *rows,
                                   lam_triples *ret_triples, lam_error *error);
/* Copies the levels of a batch. */
lam_status lam_cursor_derived_batch(lam_column_cursor *cursor, const lam_batch_bounds *bounds,
                                    uint8_t *repetition, uint8_t *definition, lam_batch *ret_batch,
                                    lam_error *error);
/* Copies the next values of the batch; NULL skips them. */
void lam_cursor_derived_values(lam_column_cursor *cursor, size_t count, void *values);
lam_status lam_cursor_skip_derived(lam_column_cursor *cursor, uint64_t row, lam_error *error);

#endif
