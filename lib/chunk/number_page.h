/*
 * Pages of numbers that are PLAIN for want of something better: in BYTE_STREAM_SPLIT or ALP where a
 * look at the first such page of a chunk says that these are smaller behind the codec.
 */
#ifndef LAM_CHUNK_NUMBER_PAGE_H
#define LAM_CHUNK_NUMBER_PAGE_H

#include "codec/codec.h"
#include "encoding/encoder.h"

typedef struct lam_number_page_options {
    lam_codec codec;
    int32_t codec_level;
    bool use_streams;      /* BYTE_STREAM_SPLIT of integers and floating-point numbers */
    bool use_wide_streams; /* ... of FIXED_LEN_BYTE_ARRAY, which fewer readers know */
    bool use_alp;
} lam_number_page_options;

typedef struct lam_number_page {
    lam_value_layout layout;
    lam_number_page_options options;
    lam_codec_context *codecs; /* borrowed */
    bool is_chosen;            /* for the open chunk */
    lam_encoding chosen;
    lam_encoder alp; /* its writer is NULL until it is used */
    lam_buffer values;
    lam_buffer compressed;
} lam_number_page;

void lam_number_page_init(lam_number_page *page, lam_value_layout layout,
                          lam_number_page_options options, lam_codec_context *codecs,
                          const lam_allocator *allocator);
void lam_number_page_finish(lam_number_page *page);
/* The next page is the first of a chunk. */
void lam_number_page_restart(lam_number_page *page);

/*
 * Turns the value bytes of a PLAIN page into those of the encoding that is chosen for the chunk,
 * which may be PLAIN. NOMEM, or what the codec fails with.
 */
lam_status lam_number_page_encode(lam_number_page *page, lam_buffer *values,
                                  lam_encoding *ret_encoding, lam_error *error);

#endif
