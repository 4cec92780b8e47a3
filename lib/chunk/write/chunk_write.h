/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes column chunks: the pages of one leaf in one row group, the dictionary page first if there
 * is one.
 *
 *   chunk   [dictionary page] data page, data page, ...
 *
 * A chunk starts with a dictionary and leaves it once it would pass its budget, or if the first
 * page shows that it does not pay; pages finished before stay dictionary encoded. Without a
 * dictionary, pages are PLAIN, or in a delta encoding if that is smaller, or as numeric_encoding.h
 * chooses.
 */
#ifndef LAM_CHUNK_WRITE_CHUNK_WRITE_H
#define LAM_CHUNK_WRITE_CHUNK_WRITE_H

#include <lamella/record.h>
#include <lamella/stop.h>

#include "codec/codec.h"
#include "schema/tree.h"
#include "stats/chunk_summary.h"
#include "stats/geo_summary.h"

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
    bool use_deltas;       /* delta encodings, if they are smaller than PLAIN */
    bool use_streams;      /* BYTE_STREAM_SPLIT, likewise */
    bool use_wide_streams; /* the same for FIXED_LEN_BYTE_ARRAY */
    bool use_alp;
    bool crc;
    bool summarises; /* statistics are collected */
    bool float_total_order;
    bool int96_order;
    bool no_statistics; /* no counts and bounds in the footer, no column index */
    bool no_page_index; /* neither column index nor offset index */
    bool is_bounded;    /* memory is scarce: a chunk's memory is given back when it has ended */
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
 * failure has no effect.
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
 * Adds complete records. The pages depend on the records only, never on how the calls divide them.
 * Levels and counts are trusted; after a failure only destroy is allowed.
 */
lam_status lam_chunk_writer_write(lam_chunk_writer *writer, const lam_triples *triples,
                                  lam_error *error);

/* Gives the bytes of the finished pages, plus an estimate of the open page and the dictionary. */
uint64_t lam_chunk_writer_byte_count(const lam_chunk_writer *writer);

/*
 * A finished chunk: its bytes, borrowed until restart or destroy, and what the footer states about
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

#endif
