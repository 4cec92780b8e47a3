/* SPDX-License-Identifier: Apache-2.0 */
/* ZSTD by libzstd. (Compression.md, section "ZSTD") */
#ifndef LAM_CODEC_CODEC_ZSTD_H
#define LAM_CODEC_CODEC_ZSTD_H

#include "base/buffer.h"

enum { LAM_ZSTD_LEVEL_DEFAULT = 3, LAM_ZSTD_LEVEL_MAX = 22 };

/* The library's contexts, made by the first use. */
typedef struct lam_zstd {
    const lam_allocator *allocator; /* borrowed; must not move while contexts exist */
    struct ZSTD_CCtx_s *compressor;
    struct ZSTD_DCtx_s *decompressor;
} lam_zstd;

void lam_zstd_finish(lam_zstd *zstd);
lam_status lam_zstd_compress(lam_zstd *zstd, int32_t level, lam_bytes in, lam_buffer *out,
                             lam_error *error);
lam_status lam_zstd_decompress(lam_zstd *zstd, lam_bytes in, uint8_t *out, size_t size,
                               lam_error *error);
/* Gives what the beginning of a frame decompresses to, at most `size` bytes. NOMEM. */
lam_status lam_zstd_decompress_prefix(const lam_allocator *allocator, lam_bytes in, uint8_t *out,
                                      size_t size, size_t *ret_size, lam_error *error);

#endif
