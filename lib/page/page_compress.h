/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses the pages of a chunk, with the ZSTD level that serves them best.
 *
 * A level of ZSTD above 1 searches harder for repetition. In pages whose encoding has left little
 * of it, the search finds short matches, which take more room than the literals that they replace,
 * and most of the time. So now and then a page is also compressed with level 1, and if the result
 * is not larger, the pages that follow use level 1.
 */
#ifndef LAM_PAGE_PAGE_COMPRESS_H
#define LAM_PAGE_PAGE_COMPRESS_H

#include "codec/codec.h"

/* Codec, level and the outcome of the last trial. */
typedef struct lam_page_compressor {
    lam_codec codec;
    int32_t level;             /* as the caller asked for it */
    lam_codec_context *codecs; /* borrowed */
    unsigned until_trial;      /* pages before both levels are tried again */
    bool is_quick;             /* in the last trial level 1 was not larger */
    lam_buffer compressed;     /* the result with the level in use */
    lam_buffer quick;          /* the result with level 1, in a trial */
} lam_page_compressor;

void lam_page_compressor_init(lam_page_compressor *compressor, lam_codec codec, int32_t level,
                              lam_codec_context *codecs, const lam_allocator *allocator);
void lam_page_compressor_finish(lam_page_compressor *compressor);
/* Forgets the trials of other chunks, so that chunks do not depend on each other. */
void lam_page_compressor_restart(lam_page_compressor *compressor);

/*
 * Compresses the body of a data page. `*ret_out` is borrowed until the next call; it is `in` itself
 * when the codec is UNCOMPRESSED.
 */
lam_status lam_page_compress(lam_page_compressor *compressor, lam_bytes in, lam_bytes *ret_out,
                             lam_error *error);
/*
 * Does the same with the caller's level, for a page that tells nothing about others: a dictionary.
 */
lam_status lam_page_compress_alone(lam_page_compressor *compressor, lam_bytes in,
                                   lam_bytes *ret_out, lam_error *error);

#endif
