/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GZIP with libdeflate: one member or several, nothing between or after them; neither zlib's
 * wrapper nor bare deflate. (Compression.md, section "GZIP"; RFC 1952)
 */
#ifndef LAM_CODEC_CODEC_GZIP_H
#define LAM_CODEC_CODEC_GZIP_H

#include "base/buffer.h"

enum { LAM_GZIP_LEVEL_DEFAULT = 6, LAM_GZIP_LEVEL_MAX = 12 };

/*
 * The library's contexts, made by the first use. They come from the C heap: libdeflate knows only
 * one allocator for the entire process, which has no state. A compressor takes 200 KiB to 9 MiB
 * depending on its level, a decompressor 11 KiB.
 */
typedef struct lam_gzip {
    struct libdeflate_compressor *compressor;
    struct libdeflate_decompressor *decompressor;
    int32_t level; /* of the compressor */
} lam_gzip;

void lam_gzip_finish(lam_gzip *gzip);
/* Writes one member. */
lam_status lam_gzip_compress(lam_gzip *gzip, int32_t level, lam_bytes in, lam_buffer *out,
                             lam_error *error);
lam_status lam_gzip_decompress(lam_gzip *gzip, lam_bytes in, uint8_t *out, size_t size,
                               lam_error *error);

#endif
