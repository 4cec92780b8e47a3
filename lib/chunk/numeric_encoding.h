/*
 * Chooses PLAIN, BYTE_STREAM_SPLIT or ALP for the pages of numbers of a chunk, by trying each on
 * the first of them: the one that is smallest behind the codec wins.
 */
#ifndef LAM_CHUNK_NUMERIC_ENCODING_H
#define LAM_CHUNK_NUMERIC_ENCODING_H

#include "codec/codec.h"
#include "encoding/encoder.h"

typedef struct lam_numeric_encoding_options {
    lam_codec codec;
    int32_t codec_level;
    bool use_streams;      /* BYTE_STREAM_SPLIT of integers and floating-point numbers */
    bool use_wide_streams; /* ... of FIXED_LEN_BYTE_ARRAY, which fewer readers know */
    bool use_alp;
} lam_numeric_encoding_options;

typedef struct lam_numeric_encoding {
    lam_value_layout layout;
    lam_numeric_encoding_options options;
    lam_codec_context *codecs; /* borrowed */
    bool is_chosen;            /* for the open chunk */
    lam_encoding chosen;
    lam_encoder alp; /* its writer is NULL until it is used */
    lam_buffer values;
    lam_buffer compressed;
} lam_numeric_encoding;

void lam_numeric_encoding_init(lam_numeric_encoding *choice, lam_value_layout layout,
                               lam_numeric_encoding_options options, lam_codec_context *codecs,
                               const lam_allocator *allocator);
void lam_numeric_encoding_finish(lam_numeric_encoding *choice);
/* The next page is the first of a chunk. */
void lam_numeric_encoding_restart(lam_numeric_encoding *choice);

/*
 * Turns the value bytes of a PLAIN page into those of the encoding that is chosen for the chunk,
 * which may be PLAIN. NOMEM, or what the codec fails with.
 */
lam_status lam_numeric_encoding_encode(lam_numeric_encoding *choice, lam_buffer *values,
                                       lam_encoding *ret_encoding, lam_error *error);

#endif
