/*
 * Column chunks: the pages of one leaf in one row group, a dictionary page in front when there is
 * one.
 *
 *     chunk   [dictionary page] data page, data page, ...
 *
 * Writing tries a dictionary first and goes on without as soon as the dictionary passes its budget,
 * or when the first page shows that it does not pay; pages written before stay dictionary encoded.
 * Without dictionary, pages are PLAIN, or in a delta encoding where that is smaller, or as
 * numeric_encoding.h has it.
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

typedef struct lam_chunk_options {
    lam_codec codec; /* never DEFAULT */
    int32_t codec_level;
    int32_t page_version;
    uint64_t page_bytes;
    uint64_t page_rows;
    uint64_t dictionary_bytes;
    bool use_dictionary;
    bool use_deltas;  /* where they are smaller than PLAIN */
    bool use_streams; /* BYTE_STREAM_SPLIT likewise */
    bool use_wide_streams;
    bool use_alp;
    bool crc;
    bool summarises; /* levels and values are counted and bounded */
    bool float_total_order;
    bool int96_order;
    bool no_statistics; /* no counts and bounds in the footer, no column index */
    bool no_page_index; /* neither column index nor offset index */
    const lam_stop *stop;
} lam_chunk_options;

/* The lam_meta_column_order_kind in which the values of a leaf are bounded. */
int32_t lam_chunk_column_order(const lam_field *leaf, const lam_chunk_options *options);

typedef struct lam_chunk_writer lam_chunk_writer;

/* Leaf and codecs are borrowed until destroy. */
lam_status lam_chunk_writer_create(const lam_field *leaf, const lam_chunk_options *options,
                                   lam_codec_context *codecs, const lam_allocator *allocator,
                                   lam_chunk_writer **ret_writer, lam_error *error);
void lam_chunk_writer_destroy(lam_chunk_writer *writer);

/*
 * Settles how values are written, before the first of them; see lam_writer_set_encoding. On failure
 * nothing is changed.
 */
lam_status lam_chunk_writer_set_encoding(lam_chunk_writer *writer, lam_encoding encoding,
                                         lam_error *error);

/*
 * Makes a Bloom filter of each chunk, before the first value; see lam_writer_set_bloom_filter. One
 * that is a guess is kept only when it looks useful: many values are distinct, and they are not
 * sorted, which bounds of pages tell more of. NOMEM.
 */
lam_status lam_chunk_writer_set_bloom(lam_chunk_writer *writer, double fpp, uint64_t distinct_count,
                                      bool is_guess, lam_error *error);

/*
 * Adds whole records. The pages depend on the records only, never on how the calls are split.
 * Levels and counts are the caller's word; after a failure only destroy is allowed.
 */
lam_status lam_chunk_writer_write(lam_chunk_writer *writer, const lam_triples *triples,
                                  lam_error *error);

/* Bytes of finished pages, and an estimate of the open page and the dictionary. */
uint64_t lam_chunk_writer_byte_count(const lam_chunk_writer *writer);

/* A finished chunk: its bytes, borrowed until restart or destroy, and what they are. */
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
    lam_chunk_summary *summary; /* NULL when nobody wants one; borrowed as the bytes are */
    const lam_geo_summary *geo; /* likewise, where there are no geometries */
} lam_finished_chunk;

/* Ends the open page and the chunk; the next call is restart or destroy. */
lam_status lam_chunk_writer_end(lam_chunk_writer *writer, lam_finished_chunk *ret_chunk,
                                lam_error *error);
/* Starts the chunk of the next row group, with the memory of the last one. */
void lam_chunk_writer_restart(lam_chunk_writer *writer);

/* --- Reading ------------------------------------------------------------------------------- */

/* Where a chunk lies in the file, checked: the range is inside the input and before the footer. */
typedef struct lam_chunk_range {
    uint64_t offset;
    uint64_t size;
    uint64_t room; /* bytes between its end and the footer */
} lam_chunk_range;

/*
 * Finds the bytes of a chunk. `limit` is where its file's footer starts. CORRUPT when the footer's
 * numbers cannot be; a chunk without values may lie anywhere and gives an empty range.
 */
lam_status lam_chunk_find(const lam_meta_column *column, uint64_t limit, lam_chunk_range *ret_range,
                          lam_error *error);

/* Steps over the pages of a chunk without opening them. */
typedef struct lam_page_walk {
    lam_window window;
    lam_arena arena;  /* what the open header points at */
    uint64_t body;    /* offset of the body of the last page stepped over */
    uint64_t next;    /* offset of the next header, the end of that body */
    uint64_t room;    /* how far the end may be moved */
    uint64_t hidden;  /* bytes that the stated size of the chunk may not count */
    bool header_only; /* the next page will likely be passed over: read no more than its header */
} lam_page_walk;

void lam_page_walk_init(lam_page_walk *walk, const lam_input *input, lam_chunk_range range,
                        const lam_allocator *allocator);
void lam_page_walk_finish(lam_page_walk *walk);
/* True when there is no byte of the chunk left, as far as its stated size goes. */
bool lam_page_walk_at_end(const lam_page_walk *walk);
/*
 * For a chunk that lacks values at its end. parquet-mr before 1.2.9 did not count the header of the
 * dictionary page in the size of a chunk (PARQUET-816): moves the end by as many bytes, once. False
 * when there is nothing to move it by.
 */
bool lam_page_walk_extend(lam_page_walk *walk);
/*
 * Reads the next header and steps over its page; gives the header's offset too. The structs of the
 * header are borrowed until the next step, its byte strings until the body is asked for.
 */
lam_status lam_page_walk_next(lam_page_walk *walk, lam_meta_page_header *ret_header,
                              uint64_t *ret_offset, lam_error *error);
/* The body of the page that `next` stepped over, borrowed until the next call. */
lam_status lam_page_walk_body(lam_page_walk *walk, lam_bytes *ret_body, lam_error *error);
/* The same of the first `size` bytes, of those that the body has. */
lam_status lam_page_walk_prefix(lam_page_walk *walk, size_t size, lam_bytes *ret_prefix,
                                lam_error *error);

typedef struct lam_chunk_reader lam_chunk_reader;

typedef struct lam_chunk_source {
    const lam_input *input;
    const lam_field *leaf;
    const lam_meta_column *column;
    uint64_t limit;        /* where the footer starts */
    uint64_t row_count;    /* of the row group */
    uint64_t memory_limit; /* bytes of one uncompressed page, and of the dictionary */
    bool verify_crc;
    const lam_stop *stop;      /* NULL: never */
    lam_codec_context *codecs; /* of the thread that reads; NULL: the chunk has its own */
    bool hides_compression;    /* V2 pages are compressed, whatever their headers say */
    bool has_ghosts;           /* elements of lists that are not there: they are passed over */
} lam_chunk_source;

/* All of `source` is borrowed until destroy. Reads nothing yet. */
lam_status lam_chunk_reader_create(const lam_chunk_source *source, const lam_allocator *allocator,
                                   lam_chunk_reader **ret_reader, lam_error *error);
void lam_chunk_reader_destroy(lam_chunk_reader *reader);

/* As lam_column_reader_read. */
lam_status lam_chunk_reader_read(lam_chunk_reader *reader, size_t max_triples,
                                 lam_triples *ret_triples, lam_error *error);
/*
 * The same of triples that begin at most `*rows` records, which is counted down; with 0 rows, what
 * is left of the record that is open. A count of 0 says that the rows or the chunk allow no more.
 */
lam_status lam_chunk_reader_read_rows(lam_chunk_reader *reader, size_t max_triples, uint64_t *rows,
                                      lam_triples *ret_triples, lam_error *error);

/*
 * The other way to read: rows are counted, and levels and values go straight to where they are
 * wanted. A batch is some triples of one page; its levels are read first, and all its values before
 * the next batch.
 */
typedef struct lam_chunk_batch {
    size_t count;        /* triples */
    size_t value_count;  /* values, count minus the nulls */
    size_t row_count;    /* records that begin in the batch */
    bool has_repetition; /* levels were written; else all are 0 */
    bool has_definition; /* levels were written; else all are the leaf's maximum */
    bool is_dictionary;  /* the values are indexes into the chunk's dictionary */
} lam_chunk_batch;

/*
 * Reads the levels of the next batch: at most `max_triples`, which begin at most `max_rows` records;
 * with `max_rows` of 0, what is left of the record that is open. Each level array has room for
 * `max_triples` bytes, or may be NULL when the leaf's maximum is 0. A count of 0 says that the
 * bounds or the end of the chunk allow no more. CORRUPT as in lam_column_reader_read.
 */
lam_status lam_chunk_reader_read_levels(lam_chunk_reader *reader, size_t max_triples,
                                        uint64_t max_rows, uint8_t *repetition, uint8_t *definition,
                                        lam_chunk_batch *ret_batch, lam_error *error);
/*
 * The next `count` values of the batch, as elements of lam_triples.values; byte arrays are borrowed
 * until the next call on the reader.
 */
lam_status lam_chunk_reader_read_values(lam_chunk_reader *reader, size_t count, void *values,
                                        lam_error *error);
/* The same of a batch that is_dictionary, as indexes, each of which is inside the dictionary. */
lam_status lam_chunk_reader_read_indexes(lam_chunk_reader *reader, size_t count, uint32_t *indexes,
                                         lam_error *error);
/* Passes over the next `count` values of the batch. */
lam_status lam_chunk_reader_skip_values(lam_chunk_reader *reader, size_t count, lam_error *error);
/*
 * How far memory may be read from where any of the byte arrays of the last call begins; NULL when
 * that is known of none. A copy of whole registers needs not stop at a value's end then.
 */
const uint8_t *lam_chunk_reader_text_end(const lam_chunk_reader *reader);
/* Before the first batch: reads the dictionary page, when the chunk begins with one. */
lam_status lam_chunk_reader_load_dictionary(lam_chunk_reader *reader, lam_error *error);
/*
 * The chunk's dictionary, known from the first batch on, or once it is loaded; NULL when there is
 * none. Borrowed.
 */
const lam_dictionary *lam_chunk_reader_dictionary(const lam_chunk_reader *reader);
/* Bytes of all data pages that were opened so far, uncompressed. */
uint64_t lam_chunk_reader_page_bytes(const lam_chunk_reader *reader);
/*
 * Tells where pages begin and with which row, as a sane offset index has it; borrowed until
 * destroy. It is believed where a page is passed over, unless the page's header says otherwise;
 * where levels show that it is wrong, reading fails with CORRUPT. (parquet.thrift, OffsetIndex)
 */
void lam_chunk_reader_use_locations(lam_chunk_reader *reader,
                                    const lam_meta_page_location *locations, size_t page_count);
/*
 * Before the first batch: what the reader uncompresses goes to the cache, borrowed until destroy,
 * when it keeps pages of the leaf. NOMEM.
 */
lam_status lam_chunk_reader_cache_pages(lam_chunk_reader *reader, lam_page_cache *cache,
                                        lam_error *error);
/* The last page and the dictionary go there; only destroy is allowed after that. NOMEM. */
lam_status lam_chunk_reader_cache_last_pages(lam_chunk_reader *reader, lam_error *error);
/* Before the first batch: pages that are in the cache, borrowed until destroy, are taken from it. */
void lam_chunk_reader_use_cached_pages(lam_chunk_reader *reader, const lam_page_cache *cache);
/*
 * Passes over rows, whole ones to their last triple, and not more than there are. Pages are not
 * even uncompressed where their headers, the offset index or the levels in front of them say
 * enough.
 */
lam_status lam_chunk_reader_skip_rows(lam_chunk_reader *reader, uint64_t rows, lam_error *error);

#endif
