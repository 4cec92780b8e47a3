/*
 * Compression of the pages of a chunk, with the level that serves them best.
 *
 * A level of ZSTD above 1 searches more for what comes again. In pages whose encoding has left
 * little of that, the search finds short matches, which take more room than the literals that they
 * stand for, and most of the time. So a page now and then is compressed with level 1, too, and
 * where that is not larger, it is the level of the pages that follow.
 */
#ifndef LAM_PAGE_PAGE_COMPRESS_H
#define LAM_PAGE_PAGE_COMPRESS_H

#include "codec/codec.h"

typedef struct lam_page_compressor {
    lam_codec codec;
    int32_t level;             /* as the caller wants it */
    lam_codec_context *codecs; /* borrowed */
    unsigned until_trial;      /* pages */
    bool is_quick;             /* level 1 is not larger */
    lam_buffer compressed;
    lam_buffer quick;
} lam_page_compressor;

void lam_page_compressor_init(lam_page_compressor *compressor, lam_codec codec, int32_t level,
                              lam_codec_context *codecs, const lam_allocator *allocator);
void lam_page_compressor_finish(lam_page_compressor *compressor);
/* What was seen in other chunks counts no more, so that chunks do not depend on each other. */
void lam_page_compressor_restart(lam_page_compressor *compressor);

/*
 * Compresses the body of a data page. `*ret_out` is borrowed until the next call, and `in` itself
 * where the codec is UNCOMPRESSED.
 */
lam_status lam_page_compress(lam_page_compressor *compressor, lam_bytes in, lam_bytes *ret_out,
                             lam_error *error);
/* The same with the caller's level, for a page that says nothing of others: a dictionary. */
lam_status lam_page_compress_alone(lam_page_compressor *compressor, lam_bytes in,
                                   lam_bytes *ret_out, lam_error *error);

#endif
