/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages: the unit of encoding and compression.
 *
 *   data page V1      header  codec( R D values )
 *   data page V2      header  R D codec( values )
 *   dictionary page   header  codec( values )
 *
 * R and D are repetition and definition levels as hybrid runs; levels whose maximum is 0 are left
 * out. In V1 each starts with its size, 4 bytes little endian; in V2 the header has the sizes, and
 * the values may stay uncompressed. (README.md of the format, section "Data Pages"; parquet.thrift,
 * DataPageHeaderV2)
 */
#ifndef LAM_PAGE_PAGE_H
#define LAM_PAGE_PAGE_H

#include <lamella/format.h>
#include <lamella/schema.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "codec/codec.h"
#include "encoding/rle.h"
#include "meta/metadata.h"
#include "page/page_compress.h"

/*
 * The encoded sections of a data page that is about to be written, with the counts for its header.
 */
typedef struct lam_page_sections {
    uint32_t value_count;  /* triples */
    uint32_t null_count;   /* triples without a value; written in V2 only */
    uint32_t row_count;    /* likewise; triples with repetition level 0 */
    lam_encoding encoding; /* of the values */
    lam_bytes repetition;  /* hybrid runs, empty when the maximum is 0 */
    lam_bytes definition;
    lam_bytes values;
} lam_page_sections;

/* How pages are written, and scratch memory that is reused from page to page. */
typedef struct lam_page_writer {
    int32_t version; /* 1 or 2 */
    bool crc;
    lam_page_compressor compressor; /* must be restarted with each chunk */
    lam_buffer body;                /* V1: levels and values before compression */
} lam_page_writer;

void lam_page_writer_init(lam_page_writer *writer, lam_codec codec, int32_t codec_level,
                          int32_t version, bool crc, lam_codec_context *codecs,
                          const lam_allocator *allocator);
void lam_page_writer_finish(lam_page_writer *writer);

/*
 * Appends a page, header and body, to `out`, and gives the number of bytes that it would have
 * without compression, header included. LIMIT when the page is larger than the format's 32-bit
 * sizes allow. On failure `out` may hold an incomplete page.
 */
lam_status lam_page_write_data(lam_page_writer *writer, const lam_page_sections *sections,
                               lam_buffer *out, uint64_t *ret_uncompressed, lam_error *error);
lam_status lam_page_write_dictionary(lam_page_writer *writer, uint32_t value_count,
                                     lam_bytes values, lam_buffer *out, uint64_t *ret_uncompressed,
                                     lam_error *error);

/* A data page that is open for reading. Its bytes are valid until the next page is opened. */
typedef struct lam_page {
    uint32_t value_count; /* triples */
    bool has_counts;      /* the header counts nulls and rows (V2) */
    int32_t null_count;   /* as the header states; unverified, only the levels are certain */
    int32_t row_count;    /* likewise */
    lam_encoding encoding;
    lam_rle_decoder repetition; /* of bit width 0 when there are no such levels */
    lam_rle_decoder definition;
    lam_bytes values; /* encoded; empty when there are no triples */
} lam_page;

/*
 * All that the pages of one column chunk are read with, and scratch memory that is reused from page
 * to page.
 */
typedef struct lam_page_reader {
    const lam_kernels *kernels;
    lam_codec codec;
    uint8_t max_repetition;
    uint8_t max_definition;
    bool verify_crc;        /* a wrong checksum is CORRUPT; false ignores it */
    bool hides_compression; /* is_compressed of V2 pages is ignored: all of them are compressed */
    uint64_t memory_limit;  /* bytes of one page, compressed or not */
    lam_codec_context *codecs; /* borrowed */
    lam_buffer body;           /* the uncompressed page */
    lam_buffer levels[2];      /* BIT_PACKED levels of the page, as hybrid runs */
} lam_page_reader;

void lam_page_reader_init(lam_page_reader *reader, const lam_kernels *kernels, lam_codec codec,
                          const lam_field *leaf, bool verify_crc, uint64_t memory_limit,
                          lam_codec_context *codecs, const lam_allocator *allocator);
void lam_page_reader_finish(lam_page_reader *reader);

/*
 * Gives the number of bytes of repetition levels, which are not compressed, at the beginning of a
 * V2 page; false when the header is of another kind, or the page cannot hold its levels.
 */
bool lam_page_find_repetition(const lam_meta_page_header *header, size_t *ret_size);

/*
 * How many bytes of a data page's body show its first repetition level; 0 if the codec gives none
 * without the complete page.
 */
size_t lam_page_begin_size(const lam_page_reader *reader, const lam_meta_page_header *header);
/*
 * Reads that level from as many bytes of the body, of a leaf that repeats; `*ret_known` is false if
 * they do not show it. NOMEM.
 */
lam_status lam_page_begin_read(const lam_page_reader *reader, const lam_meta_page_header *header,
                               lam_bytes prefix, bool *ret_known, uint8_t *ret_level,
                               lam_error *error);
/* The same from the page without compression, or its beginning; false if that has no level. */
bool lam_page_begin_level(const lam_page_reader *reader, const lam_meta_page_header *header,
                          lam_bytes plain, uint8_t *ret_level);

/*
 * Checks the sizes that a header states, before the body is fetched: CORRUPT when one is negative,
 * LIMIT when one is above the memory limit.
 */
lam_status lam_page_check_sizes(const lam_page_reader *reader, const lam_meta_page_header *header,
                                lam_error *error);

/*
 * Checks a data page of either version and gives it as it would be without compression: `body`
 * itself, or bytes in the reader's `body`, which is empty otherwise. `body` is the page as it is in
 * the file, of the header's compressed size, and is borrowed while the page is used. A page of no
 * triples is not uncompressed.
 */
lam_status lam_page_uncompress(lam_page_reader *reader, const lam_meta_page_header *header,
                               lam_bytes body, lam_bytes *ret_plain, lam_error *error);
/* Opens the bytes that lam_page_uncompress gave for the same header. */
lam_status lam_page_open(lam_page_reader *reader, const lam_meta_page_header *header,
                         lam_bytes plain, lam_page *ret_page, lam_error *error);
/* Does both. */
lam_status lam_page_read_data(lam_page_reader *reader, const lam_meta_page_header *header,
                              lam_bytes body, lam_page *ret_page, lam_error *error);

/*
 * Uncompresses a dictionary page, appends its PLAIN values to `values`, which owns them, and gives
 * the number of values that the header states.
 */
lam_status lam_page_read_dictionary(lam_page_reader *reader, const lam_meta_page_header *header,
                                    lam_bytes body, lam_buffer *values, uint32_t *ret_count,
                                    lam_error *error);
/*
 * Gives that number alone, from the header. Fails when the page is not a dictionary that can be
 * read.
 */
lam_status lam_page_count_dictionary(const lam_meta_page_header *header, uint32_t *ret_count,
                                     lam_error *error);

#endif
