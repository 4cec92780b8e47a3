/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a column chunk: a position that moves forward over its rows, from page to page. All readers
 * of columns (records, filters, Arrow arrays, check) use this cursor.
 *
 *   page_source ---> page_decoder ---> column_cursor ---> triples, lent: read, read_rows
 *   headers, bodies  one page          rows, dictionary   batches:       read_levels, then
 *                                                                        read_values, _indexes or
 *                                                                        skip_values
 *
 * Rows are skipped by skip_to; pages whose rows are all skipped stay compressed if any metadata
 * state how many rows they have. Every error names the row group and the column. After a failed
 * read the cursor has no position: later calls are STATE.
 */
#ifndef LAM_CHUNK_READ_COLUMN_CURSOR_H
#define LAM_CHUNK_READ_COLUMN_CURSOR_H

#include <lamella/io.h>
#include <lamella/record.h>
#include <lamella/stop.h>

#include "chunk/read/page_cache.h"
#include "chunk/read/page_decoder.h"
#include "codec/codec.h"
#include "encoding/value_layout.h"
#include "meta/metadata.h"
#include "schema/tree.h"

/* A column chunk: what the file and its footer state about it. */
typedef struct lam_column_chunk {
    const lam_kernels *kernels; /* of the reader */
    const lam_input *input;
    const lam_field *leaf;
    const lam_meta_column *column;
    size_t row_group;      /* its number, for errors */
    uint64_t row_count;    /* of the row group */
    uint64_t limit;        /* offset of the footer */
    uint64_t memory_limit; /* bytes of one uncompressed page, and of the dictionary */
    bool verify_crc;
    const lam_stop *stop;      /* NULL if reading is never stopped */
    lam_codec_context *codecs; /* of the thread that reads; NULL: the cursor makes its own */
    bool hides_compression;    /* V2 pages are compressed whatever their headers state */
    bool has_sequels;          /* byte arrays go on from page to page: none is skipped */
    bool has_ghosts;           /* levels hold elements that do not exist: drop them */
} lam_column_chunk;

typedef struct lam_column_cursor lam_column_cursor;

/*
 * Creates a cursor, which reads nothing yet. What `chunk` leads to is borrowed until destroy,
 * except the column, whose numbers are copied.
 */
lam_status lam_column_cursor_create(const lam_column_chunk *chunk, const lam_allocator *allocator,
                                    lam_column_cursor **ret_cursor, lam_error *error);
void lam_column_cursor_destroy(lam_column_cursor *cursor);

/* --- Before the first row ------------------------------------------------------------------ */

/*
 * Gives the cursor the locations of a sane offset index: where pages begin, and with which row;
 * borrowed until destroy. They count the rows of pages that are skipped, if the page that is read
 * next begins with a record and has the rows that they state; else they are forgotten, and rows are
 * counted by levels. If they have decided, too, which rows are read, a page of other rows than they
 * state is CORRUPT, OFFSET_INDEX_ROWS. (parquet.thrift, OffsetIndex)
 */
void lam_column_cursor_use_locations(lam_column_cursor *cursor,
                                     const lam_meta_page_location *locations, size_t page_count,
                                     bool have_decided_rows);
/*
 * Keeps pages that the cursor uncompresses in the cache, which is borrowed until destroy, if the
 * cache keeps pages of the leaf. NOMEM.
 */
lam_status lam_column_cursor_keep_pages(lam_column_cursor *cursor, lam_page_cache *cache,
                                        lam_error *error);
/* Keeps the last page and the dictionary, too; only destroy is allowed after that. NOMEM. */
lam_status lam_column_cursor_keep_last_pages(lam_column_cursor *cursor, lam_error *error);
/* Takes pages from the cache if it has them; it is borrowed until destroy. */
void lam_column_cursor_take_pages(lam_column_cursor *cursor, const lam_page_cache *cache);
/*
 * Takes memory for uncompressed data pages from an allocator of the caller's, unless pages come
 * from a cache or go there. The allocator lives until destroy.
 */
void lam_column_cursor_use_page_memory(lam_column_cursor *cursor, const lam_allocator *allocator);
/* Reads the dictionary page if the chunk begins with one. */
lam_status lam_column_cursor_load_dictionary(lam_column_cursor *cursor, lam_error *error);

/* --- Rows ---------------------------------------------------------------------------------- */

/*
 * Skips to the beginning of a row, at or after the rows that were read, to the last triple; the
 * chunk must have as many rows before it. Pages stay compressed where their headers, the offset
 * index or the repetition levels of a V2 page state enough.
 */
lam_status lam_column_cursor_skip_to(lam_column_cursor *cursor, uint64_t row, lam_error *error);

/* Lends the next triples, as lam_column_reader_read does. */
lam_status lam_column_cursor_read(lam_column_cursor *cursor, size_t max_triples,
                                  lam_triples *ret_triples, lam_error *error);
/*
 * Lends triples that begin at most `*rows` records, and counts `*rows` down by those that begin.
 * With 0 rows, gives the rest of the open record. A count of 0 means that the rows or the chunk
 * allow no more.
 */
lam_status lam_column_cursor_read_rows(lam_column_cursor *cursor, size_t max_triples,
                                       uint64_t *rows, lam_triples *ret_triples, lam_error *error);
/*
 * The same, but lends values of a dictionary as indexes, uint32_t, all of them checked against the
 * dictionary; `*ret_indexes` says whether these are.
 */
lam_status lam_column_cursor_read_entries(lam_column_cursor *cursor, size_t max_triples,
                                          uint64_t *rows, lam_triples *ret_triples,
                                          bool *ret_indexes, lam_error *error);

/*
 * Reads the levels of the next batch: at most `max_triples`, which begin at most `max_rows`
 * records; with `max_rows` of 0, the rest of the open record. Each level array has room for
 * `max_triples` bytes, or may be NULL if the leaf's maximum is 0. All values of the batch are read
 * or skipped before the next one. A count of 0 means that the bounds or the end of the chunk allow
 * no more. CORRUPT as in lam_column_reader_read.
 */
lam_status lam_column_cursor_read_levels(lam_column_cursor *cursor, size_t max_triples,
                                         uint64_t max_rows, uint8_t *repetition,
                                         uint8_t *definition, lam_batch *ret_batch,
                                         lam_error *error);
/*
 * Reads the next `count` values of the batch as elements of lam_triples.values; byte arrays are
 * borrowed until the next call on the cursor.
 */
lam_status lam_column_cursor_read_values(lam_column_cursor *cursor, size_t count, void *values,
                                         lam_error *error);
/*
 * Reads the next `count` values of a batch that is_dictionary as indexes, all of them checked
 * against the dictionary.
 */
lam_status lam_column_cursor_read_indexes(lam_column_cursor *cursor, size_t count,
                                          uint32_t *indexes, lam_error *error);
/*
 * Reads the next `count` values of a batch that is_dictionary as `entries`, of `size` bytes each:
 * one for each entry of the dictionary, made of it by the caller.
 */
lam_status lam_column_cursor_read_slots(lam_column_cursor *cursor, const void *entries, size_t size,
                                        size_t count, void *slots, lam_error *error);
/* True if values of the batch may be picked, few or many. */
bool lam_column_cursor_can_pick(const lam_column_cursor *cursor, bool few);
/*
 * Reads the picked ones of the next `count` values, at least one, as one of the three calls above
 * does: `to` has picks, and values, indexes or entries. The others are skipped, unchecked.
 */
lam_status lam_column_cursor_pick(lam_column_cursor *cursor, size_t count,
                                  const lam_value_target *to, lam_error *error);
/* Skips the next `count` values of the batch; they are decoded only if a later value needs it. */
lam_status lam_column_cursor_skip_values(lam_column_cursor *cursor, size_t count, lam_error *error);

/*
 * Finds out whether the data page at an offset of the chunk begins with a record, of a leaf that
 * repeats; false if it is damaged. The cursor does not move, and must not have read anything.
 */
lam_status lam_column_cursor_page_begins(lam_column_cursor *cursor, uint64_t offset,
                                         bool *ret_begins, lam_error *error);

/* --- What was read ------------------------------------------------------------------------- */

/*
 * Gives the numbers of the footer about the chunk; lists and strings among them are not there any
 * more. Borrowed until destroy.
 */
const lam_meta_column *lam_column_cursor_metadata(const lam_column_cursor *cursor);

/* The end of the memory that holds the byte arrays of the last call: see page_decoder.h. */
const uint8_t *lam_column_cursor_text_end(const lam_column_cursor *cursor);
/*
 * Gives the chunk's dictionary, which is known from the first batch on, or once it is loaded; NULL
 * if there is none. Borrowed.
 */
const lam_dictionary *lam_column_cursor_dictionary(const lam_column_cursor *cursor);
/*
 * Gives the memory that the open page was uncompressed to, and how many triples the page has; empty
 * if it has none of its own, or was given up.
 */
lam_bytes lam_column_cursor_page_memory(const lam_column_cursor *cursor, uint32_t *ret_triples);
/*
 * Makes that memory the caller's: the cursor continues to read in it, but never writes or frees it.
 */
void lam_column_cursor_give_page(lam_column_cursor *cursor);
/* Gives the uncompressed bytes of all data pages opened so far. */
uint64_t lam_column_cursor_page_bytes(const lam_column_cursor *cursor);

#endif
