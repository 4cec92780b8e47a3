/* SPDX-License-Identifier: Apache-2.0 */
/* SNAPPY by libsnappy: raw blocks without framing. (Compression.md, section "SNAPPY") */
#ifndef LAM_CODEC_CODEC_SNAPPY_H
#define LAM_CODEC_CODEC_SNAPPY_H

#include "base/buffer.h"

lam_status lam_snappy_compress(lam_bytes in, lam_buffer *out, lam_error *error);
lam_status lam_snappy_decompress(lam_bytes in, uint8_t *out, size_t size, lam_error *error);
/* Gives what the beginning of a block decompresses to, at most `size` bytes. */
size_t lam_snappy_decompress_prefix(lam_bytes in, uint8_t *out, size_t size);

#endif
