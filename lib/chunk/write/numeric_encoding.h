/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses PLAIN, BYTE_STREAM_SPLIT or ALP for the pages of numbers of a chunk, by trying each on
 * the first page that is large enough: the smallest after the codec is taken for the remainder of
 * the chunk.
 */
#ifndef LAM_CHUNK_WRITE_NUMERIC_ENCODING_H
#define LAM_CHUNK_WRITE_NUMERIC_ENCODING_H

#include "codec/codec.h"
#include "encoding/dictionary.h"
#include "encoding/encoder.h"

/* The encodings that the caller allows, and the codec that their output goes through. */
typedef struct lam_numeric_encoding_options {
    lam_codec codec;
    int32_t codec_level;
    bool use_streams;      /* BYTE_STREAM_SPLIT of integers and floating-point numbers */
    bool use_wide_streams; /* the same of FIXED_LEN_BYTE_ARRAY, which fewer readers support */
    bool use_alp;
} lam_numeric_encoding_options;

/* The choice of one chunk at a time, and scratch that is kept from page to page. */
typedef struct lam_numeric_encoding {
    const lam_kernels *kernels;
    lam_value_layout layout;
    lam_numeric_encoding_options options;
    lam_codec_context *codecs; /* borrowed */
    bool is_chosen;            /* the open chunk has its choice */
    lam_encoding chosen;
    lam_encoder alp;       /* its writer is NULL until it is used */
    lam_buffer values;     /* scratch: encoded values */
    lam_buffer compressed; /* scratch: the same after the codec */
} lam_numeric_encoding;

void lam_numeric_encoding_init(lam_numeric_encoding *choice, const lam_kernels *kernels,
                               lam_value_layout layout, lam_numeric_encoding_options options,
                               lam_codec_context *codecs, const lam_allocator *allocator);
void lam_numeric_encoding_finish(lam_numeric_encoding *choice);
/* Starts a chunk: its first large page makes the choice again. */
void lam_numeric_encoding_restart(lam_numeric_encoding *choice);

/*
 * Turns the value bytes of a PLAIN page into those of the chunk's encoding, which may be PLAIN:
 * then `values` stays as it is. NOMEM, or the codec's failure.
 */
lam_status lam_numeric_encoding_encode(lam_numeric_encoding *choice, lam_buffer *values,
                                       lam_encoding *ret_encoding, lam_error *error);

/*
 * Whether a page of integers that are in a dictionary takes fewer bytes as DELTA_BINARY_PACKED than
 * its indexes alone, as keys in order do: 7 7 7 8 8 9 9 9 has differences of one bit. NOMEM, or the
 * codec's failure.
 */
lam_status lam_numeric_encoding_try_deltas(lam_numeric_encoding *choice,
                                           const lam_dictionary *dictionary,
                                           const uint32_t *indexes, size_t count, bool *ret_pays,
                                           lam_error *error);

#endif
