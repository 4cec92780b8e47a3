/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Column chunks: the pages of one leaf in one row group, the dictionary page first if there is one.
 *
 *   chunk   [dictionary page] data page, data page, ...
 *
 * Writing starts with a dictionary and leaves it once it would pass its budget, or if the first
 * page shows that it does not pay; pages finished before stay dictionary encoded. Without a
 * dictionary, pages are PLAIN, or in a delta encoding where that is smaller, or as
 * numeric_encoding.h chooses.
 *
 * Reading has two forms over the same state: triples lent from the reader's memory (read,
 * read_rows), or batches whose levels and values are decoded into the caller's arrays (read_levels,
 * read_values). Pages whose rows are skipped stay compressed where something states how many rows
 * they have.
 */
#ifndef LAM_CHUNK_CHUNK_H
#define LAM_CHUNK_CHUNK_H

#include <lamella/record.h>
#include <lamella/stop.h>

#include "chunk/page_cache.h"
#include "codec/codec.h"
#include "encoding/decoder.h"
#include "io/window.h"
#include "meta/metadata.h"
#include "schema/tree.h"
#include "stats/chunk_summary.h"
#include "stats/geo_summary.h"

/* --- Writing ------------------------------------------------------------------------------- */

/* How the chunks of a leaf are written, with all defaults resolved. */
typedef struct lam_chunk_options {
    const lam_kernels *kernels; /* of the writer */
    lam_codec codec;            /* never DEFAULT */
    int32_t codec_level;
    int32_t page_version;
    uint64_t page_bytes;       /* at which pages end, as page_cut.h counts them */
    uint64_t page_rows;        /* at which pages end */
    uint64_t dictionary_bytes; /* of the dictionary page, uncompressed, at most */
    bool use_dictionary;
    bool use_deltas;       /* delta encodings, where they are smaller than PLAIN */
    bool use_streams;      /* BYTE_STREAM_SPLIT, likewise */
    bool use_wide_streams; /* the same for FIXED_LEN_BYTE_ARRAY */
    bool use_alp;
    bool crc;
    bool summarises; /* statistics are collected */
    bool float_total_order;
    bool int96_order;
    bool no_statistics; /* no counts and bounds in the footer, no column index */
    bool no_page_index; /* neither column index nor offset index */
    const lam_stop *stop;
} lam_chunk_options;

/* Gives the lam_meta_column_order_kind in which the bounds of a leaf are ordered. */
int32_t lam_chunk_column_order(const lam_field *leaf, const lam_chunk_options *options);

typedef struct lam_chunk_writer lam_chunk_writer;

/* Creates a writer with an open, empty chunk. Leaf and codecs are borrowed until destroy. */
lam_status lam_chunk_writer_create(const lam_field *leaf, const lam_chunk_options *options,
                                   lam_codec_context *codecs, const lam_allocator *allocator,
                                   lam_chunk_writer **ret_writer, lam_error *error);
void lam_chunk_writer_destroy(lam_chunk_writer *writer);

/*
 * Fixes the encoding of the values, before the first of them; see lam_writer_set_encoding. A
 * failure changes nothing.
 */
lam_status lam_chunk_writer_set_encoding(lam_chunk_writer *writer, lam_encoding encoding,
                                         lam_error *error);

/*
 * Requests a Bloom filter for each chunk, before the first value; see lam_writer_set_bloom_filter.
 * With `is_guess`, the filter is kept only if it seems useful: many values are distinct, and they
 * are not sorted, since the bounds of sorted pages exclude more. NOMEM.
 */
lam_status lam_chunk_writer_set_bloom(lam_chunk_writer *writer, double fpp, uint64_t distinct_count,
                                      bool is_guess, lam_error *error);

/*
 * Adds whole records. The pages depend on the records only, never on how the calls divide them.
 * Levels and counts are trusted; after a failure only destroy is allowed.
 */
lam_status lam_chunk_writer_write(lam_chunk_writer *writer, const lam_triples *triples,
                                  lam_error *error);

/* Gives the bytes of the finished pages, plus an estimate of the open page and the dictionary. */
uint64_t lam_chunk_writer_byte_count(const lam_chunk_writer *writer);

/*
 * A finished chunk: its bytes, borrowed until restart or destroy, and what the footer states of
 * them.
 */
typedef struct lam_finished_chunk {
    lam_bytes dictionary_page; /* empty when there is none */
    lam_bytes data_pages;
    uint64_t uncompressed_size; /* headers included */
    uint64_t value_count;       /* triples */
    uint64_t null_count;
    bool has_dictionary_pages;
    uint32_t page_counts[LAM_ENCODING_ALP + 1]; /* data pages in each encoding */
    int64_t distinct_count;                     /* -1 when it is not known */
    lam_bytes bloom;                            /* bitset of the Bloom filter, or empty */
    lam_chunk_summary *summary; /* NULL if none is collected; borrowed as the bytes are */
    const lam_geo_summary *geo; /* NULL if none is collected; borrowed likewise */
} lam_finished_chunk;

/* Ends the open page and the chunk; the next call is restart or destroy. */
lam_status lam_chunk_writer_end(lam_chunk_writer *writer, lam_finished_chunk *ret_chunk,
                                lam_error *error);
/* Starts the chunk of the next row group in the memory of the last one. */
void lam_chunk_writer_restart(lam_chunk_writer *writer);

/* --- Reading ------------------------------------------------------------------------------- */

/* The bytes of a chunk in the file, checked: they lie inside the input and before the footer. */
typedef struct lam_chunk_range {
    uint64_t offset;
    uint64_t size;
    uint64_t room; /* bytes between the end of the chunk and the footer */
} lam_chunk_range;

/*
 * Finds the bytes of a chunk. `limit` is the offset of the footer. CORRUPT if the numbers in the
 * footer contradict it; a chunk without values may state any offset and gives an empty range.
 */
lam_status lam_chunk_find(const lam_meta_column *column, uint64_t limit, lam_chunk_range *ret_range,
                          lam_error *error);

/*
 * A position that moves from page to page of a chunk. It reads headers; bodies only on request.
 * (The page headers of a chunk are a list without an index: each header states where the next one
 * begins.)
 */
typedef struct lam_page_walk {
    lam_window window;
    lam_arena arena;  /* the structs of the open header */
    uint64_t body;    /* offset of the body of the last page stepped over */
    uint64_t next;    /* offset of the next header, the end of that body */
    uint64_t room;    /* bytes by which the end may still move */
    uint64_t hidden;  /* bytes that the stated size of the chunk may leave out */
    bool header_only; /* the next page is likely skipped: read its header only */
} lam_page_walk;

void lam_page_walk_init(lam_page_walk *walk, const lam_input *input, lam_chunk_range range,
                        const lam_allocator *allocator);
void lam_page_walk_finish(lam_page_walk *walk);
/* True at the end of the chunk, according to its stated size. */
bool lam_page_walk_at_end(const lam_page_walk *walk);
/*
 * Moves the end of a chunk that lacks values, once. parquet-mr before 1.2.9 did not count the
 * header of the dictionary page in the size of a chunk (PARQUET-816), so the end moves by that
 * header's size. False if there is no such size, or no room before the footer.
 */
bool lam_page_walk_extend(lam_page_walk *walk);
/*
 * Reads the next header and moves past its page; gives the offset of the header, too. The structs
 * of the header are borrowed until the next call of this function, its byte strings until the body
 * is requested.
 */
lam_status lam_page_walk_next(lam_page_walk *walk, lam_meta_page_header *ret_header,
                              uint64_t *ret_offset, lam_error *error);
/* Gives the body of the page that `next` moved past, borrowed until the next call. */
lam_status lam_page_walk_body(lam_page_walk *walk, lam_bytes *ret_body, lam_error *error);
/* Gives the first `size` bytes of that body, which must have as many. */
lam_status lam_page_walk_prefix(lam_page_walk *walk, size_t size, lam_bytes *ret_prefix,
                                lam_error *error);

typedef struct lam_chunk_reader lam_chunk_reader;

/* What a reader needs of the file and of its footer. */
typedef struct lam_chunk_source {
    const lam_kernels *kernels; /* of the reader */
    const lam_input *input;
    const lam_field *leaf;
    const lam_meta_column *column;
    uint64_t limit;        /* offset of the footer */
    uint64_t row_count;    /* of the row group */
    uint64_t memory_limit; /* bytes of one uncompressed page, and of the dictionary */
    bool verify_crc;
    const lam_stop *stop;      /* NULL if reading is never stopped */
    lam_codec_context *codecs; /* of the thread that reads; NULL: the reader makes its own */
    bool hides_compression;    /* V2 pages are compressed whatever their headers state */
    bool has_ghosts;           /* levels hold elements that do not exist: drop them */
} lam_chunk_source;

/* Creates a reader, which reads nothing yet. All of `source` is borrowed until destroy. */
lam_status lam_chunk_reader_create(const lam_chunk_source *source, const lam_allocator *allocator,
                                   lam_chunk_reader **ret_reader, lam_error *error);
void lam_chunk_reader_destroy(lam_chunk_reader *reader);

/* Lends the next triples, as lam_column_reader_read does. */
lam_status lam_chunk_reader_read(lam_chunk_reader *reader, size_t max_triples,
                                 lam_triples *ret_triples, lam_error *error);
/*
 * Lends triples that begin at most `*rows` records, and counts `*rows` down by those that begin.
 * With 0 rows, gives the rest of the open record. A count of 0 means that the rows or the chunk
 * allow no more.
 */
lam_status lam_chunk_reader_read_rows(lam_chunk_reader *reader, size_t max_triples, uint64_t *rows,
                                      lam_triples *ret_triples, lam_error *error);

/*
 * The other form of reading: rows are counted, and levels and values are decoded into the caller's
 * arrays. A batch is some triples of one page; its levels are read first, then all of its values,
 * before the next batch.
 */
typedef struct lam_chunk_batch {
    size_t count;        /* triples */
    size_t value_count;  /* values, count minus the nulls */
    size_t row_count;    /* records that begin in the batch */
    bool has_repetition; /* levels were decoded; else all are 0 */
    bool has_definition; /* levels were decoded; else all are the leaf's maximum */
    bool is_dictionary;  /* the values are indexes into the chunk's dictionary */
} lam_chunk_batch;

/*
 * Reads the levels of the next batch: at most `max_triples`, which begin at most `max_rows`
 * records; with `max_rows` of 0, the rest of the open record. Each level array has room for
 * `max_triples` bytes, or may be NULL if the leaf's maximum is 0. A count of 0 means that the
 * bounds or the end of the chunk allow no more. CORRUPT as in lam_column_reader_read.
 */
lam_status lam_chunk_reader_read_levels(lam_chunk_reader *reader, size_t max_triples,
                                        uint64_t max_rows, uint8_t *repetition, uint8_t *definition,
                                        lam_chunk_batch *ret_batch, lam_error *error);
/*
 * Reads the next `count` values of the batch as elements of lam_triples.values; byte arrays are
 * borrowed until the next call on the reader.
 */
lam_status lam_chunk_reader_read_values(lam_chunk_reader *reader, size_t count, void *values,
                                        lam_error *error);
/*
 * Reads the next `count` values of a batch that is_dictionary as indexes, all of them checked
 * against the dictionary.
 */
lam_status lam_chunk_reader_read_indexes(lam_chunk_reader *reader, size_t count, uint32_t *indexes,
                                         lam_error *error);
/*
 * Reads the next `count` values of a batch that is_dictionary as `entries`, of `size` bytes each:
 * one for each entry of the dictionary, made of it by the caller.
 */
lam_status lam_chunk_reader_read_slots(lam_chunk_reader *reader, const void *entries, size_t size,
                                       size_t count, void *slots, lam_error *error);
/* Skips the next `count` values of the batch; they are decoded only if a later value needs it. */
lam_status lam_chunk_reader_skip_values(lam_chunk_reader *reader, size_t count, lam_error *error);
/*
 * Gives the end of the memory that holds the byte arrays of the last call; NULL if there is no
 * common end. A copy by whole registers may read past the end of a value up to there.
 */
const uint8_t *lam_chunk_reader_text_end(const lam_chunk_reader *reader);
/*
 * Takes memory for uncompressed data pages from an allocator of the caller's, unless pages come
 * from a cache or go there. Allowed before the first batch only; the allocator lives until destroy.
 */
void lam_chunk_reader_use_page_memory(lam_chunk_reader *reader, const lam_allocator *allocator);
/*
 * Gives the memory that the open page was uncompressed to, and how many triples the page has; empty
 * if it has none of its own, or was kept.
 */
lam_bytes lam_chunk_reader_page_memory(const lam_chunk_reader *reader, uint32_t *ret_triples);
/*
 * Makes that memory the caller's: the reader goes on to read in it, but never writes or frees it.
 */
void lam_chunk_reader_keep_page(lam_chunk_reader *reader);
/* Reads the dictionary page if the chunk begins with one. Allowed before the first batch only. */
lam_status lam_chunk_reader_load_dictionary(lam_chunk_reader *reader, lam_error *error);
/*
 * Gives the chunk's dictionary, which is known from the first batch on, or once it is loaded; NULL
 * if there is none. Borrowed.
 */
const lam_dictionary *lam_chunk_reader_dictionary(const lam_chunk_reader *reader);
/* Gives the uncompressed bytes of all data pages opened so far. */
uint64_t lam_chunk_reader_page_bytes(const lam_chunk_reader *reader);
/*
 * Gives the reader the locations of a sane offset index: where pages begin, and with which row;
 * borrowed until destroy. They are trusted to skip a page, unless the header of the page
 * contradicts them; where levels contradict them, reading fails with CORRUPT. (parquet.thrift,
 * OffsetIndex)
 */
void lam_chunk_reader_use_locations(lam_chunk_reader *reader,
                                    const lam_meta_page_location *locations, size_t page_count);
/*
 * Moves what the reader uncompresses to the cache, which is borrowed until destroy, if the cache
 * keeps pages of the leaf. Allowed before the first batch only. NOMEM.
 */
lam_status lam_chunk_reader_cache_pages(lam_chunk_reader *reader, lam_page_cache *cache,
                                        lam_error *error);
/* Moves the last page and the dictionary there, too; only destroy is allowed after that. NOMEM. */
lam_status lam_chunk_reader_cache_last_pages(lam_chunk_reader *reader, lam_error *error);
/*
 * Takes pages from the cache where it has them; it is borrowed until destroy. Allowed before the
 * first batch only.
 */
void lam_chunk_reader_use_cached_pages(lam_chunk_reader *reader, const lam_page_cache *cache);
/*
 * Skips `rows` whole rows, to their last triple; the chunk must have as many. Pages stay compressed
 * where their headers, the offset index or the repetition levels of a V2 page state enough.
 */
lam_status lam_chunk_reader_skip_rows(lam_chunk_reader *reader, uint64_t rows, lam_error *error);

#endif
