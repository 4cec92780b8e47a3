#include "page/page_compress.h"

#include "base/error.h"

enum {
    TRIAL_EVERY = 16,  /* pages */
    LEAST_TRIED = 4096 /* bytes; shorter pages take no time to speak of */
};

void lam_page_compressor_init(lam_page_compressor *compressor, lam_codec codec, int32_t level,
                              lam_codec_context *codecs, const lam_allocator *allocator) {
    compressor->codec = codec;
    compressor->level = level;
    compressor->codecs = codecs;
    lam_buffer_init(&compressor->compressed, allocator);
    lam_buffer_init(&compressor->quick, allocator);
    lam_page_compressor_restart(compressor);
}

void lam_page_compressor_finish(lam_page_compressor *compressor) {
    lam_buffer_finish(&compressor->compressed);
    lam_buffer_finish(&compressor->quick);
}

void lam_page_compressor_restart(lam_page_compressor *compressor) {
    compressor->until_trial = 0;
    compressor->is_quick = false;
}

static lam_status compress(lam_page_compressor *compressor, int32_t level, lam_bytes in,
                           lam_buffer *out, lam_error *error) {
    lam_buffer_clear(out);
    return lam_codec_compress(compressor->codecs, compressor->codec, level, in, out, error);
}

lam_status lam_page_compress_alone(lam_page_compressor *compressor, lam_bytes in,
                                   lam_bytes *ret_out, lam_error *error) {
    if (compressor->codec == LAM_CODEC_UNCOMPRESSED) {
        *ret_out = in;
        return LAM_STATUS_OK;
    }
    LAM_TRY(compress(compressor, compressor->level, in, &compressor->compressed, error));
    *ret_out = lam_buffer_bytes(&compressor->compressed);
    return LAM_STATUS_OK;
}

/* With both levels; the smaller one is given. */
static lam_status try_compress(lam_page_compressor *compressor, lam_bytes in, lam_bytes *ret_out,
                               lam_error *error) {
    LAM_TRY(compress(compressor, compressor->level, in, &compressor->compressed, error));
    LAM_TRY(compress(compressor, 1, in, &compressor->quick, error));
    compressor->is_quick = compressor->quick.size <= compressor->compressed.size;
    compressor->until_trial = TRIAL_EVERY - 1;
    *ret_out =
        lam_buffer_bytes(compressor->is_quick ? &compressor->quick : &compressor->compressed);
    return LAM_STATUS_OK;
}

lam_status lam_page_compress(lam_page_compressor *compressor, lam_bytes in, lam_bytes *ret_out,
                             lam_error *error) {
    bool has_choice = compressor->codec == LAM_CODEC_ZSTD && compressor->level != 1;
    if (!has_choice || in.size < LEAST_TRIED)
        return lam_page_compress_alone(compressor, in, ret_out, error);
    if (compressor->until_trial == 0)
        return try_compress(compressor, in, ret_out, error);
    int32_t level = compressor->is_quick ? 1 : compressor->level;
    LAM_TRY(compress(compressor, level, in, &compressor->compressed, error));
    compressor->until_trial--;
    *ret_out = lam_buffer_bytes(&compressor->compressed);
    return LAM_STATUS_OK;
}
