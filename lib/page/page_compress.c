/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses the bodies of pages one by one, and tries from time to time whether ZSTD at level 1
 * does at least as well as the level that the caller requests.
 *
 *   data page   0   1   2  ...  15  16  17  ...       (of 4096 bytes or more)
 *   levels     both  the smaller   both  the smaller
 *
 * A page body becomes bytes borrowed from one of two buffers until the next call. The output always
 * depends only on the pages since the last restart, so a column chunk has the same bytes wherever
 * it is in the file. All codecs but ZSTD, and ZSTD at level 1, go straight to the codec.
 */
#include "page/page_compress.h"

#include "base/error.h"

/*
 * A trial costs one more compression at level 1, the cheapest one; one page in 16 keeps that
 * cost small.
 */
enum {
    TRIAL_EVERY = 16,  /* pages */
    LEAST_TRIED = 4096 /* bytes; shorter pages take too little time to matter */
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

/* The first page of each chunk is a trial: the counter starts at 0. */
void lam_page_compressor_restart(lam_page_compressor *compressor) {
    compressor->until_trial = 0;
    compressor->is_quick = false;
}

/* Compresses `in` with one level into `out`, which is cleared and keeps its memory. */
static lam_status compress(lam_page_compressor *compressor, int32_t level, lam_bytes in,
                           lam_buffer *out, lam_error *error) {
    lam_buffer_clear(out);
    return lam_codec_compress(compressor->codecs, compressor->codec, level, in, out, error);
}

/*
 * Neither uses nor updates the trial's outcome. A dictionary compresses unlike the indexes that
 * follow it, so that it would mislead them, and they it.
 */
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

/*
 * Compresses with both levels, hands out the smaller result and remembers the level for the next 15
 * pages. Level 1 wins a tie, because it is faster.
 */
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
    /* Other codecs, and level 1 itself, need no trial. */
    bool has_choice = compressor->codec == LAM_CODEC_ZSTD && compressor->level != 1;
    if (!has_choice || in.size < LEAST_TRIED)
        return lam_page_compress_alone(compressor, in, ret_out, error);
    /*
     * A trial keeps the result of the losing level until the next call: each level has its own
     * buffer.
     */
    if (compressor->until_trial == 0)
        return try_compress(compressor, in, ret_out, error);
    int32_t level = compressor->is_quick ? 1 : compressor->level;
    LAM_TRY(compress(compressor, level, in, &compressor->compressed, error));
    compressor->until_trial--;
    *ret_out = lam_buffer_bytes(&compressor->compressed);
    return LAM_STATUS_OK;
}
