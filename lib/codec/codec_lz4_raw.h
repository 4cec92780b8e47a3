/* SPDX-License-Identifier: Apache-2.0 */
/* LZ4_RAW by liblz4: one block without framing. (Compression.md, section "LZ4_RAW") */
#ifndef LAM_CODEC_CODEC_LZ4_RAW_H
#define LAM_CODEC_CODEC_LZ4_RAW_H

#include "base/buffer.h"

/* The compressor's hash table, made by the first use; decompression needs no memory. */
typedef struct lam_lz4_raw {
    const lam_allocator *allocator; /* borrowed */
    void *table;
} lam_lz4_raw;

void lam_lz4_raw_finish(lam_lz4_raw *lz4);
lam_status lam_lz4_raw_compress(lam_lz4_raw *lz4, lam_bytes in, lam_buffer *out, lam_error *error);
lam_status lam_lz4_raw_decompress(lam_bytes in, uint8_t *out, size_t size, lam_error *error);
/* Gives what the beginning of a block decompresses to, at most `size` bytes. */
size_t lam_lz4_raw_decompress_prefix(lam_bytes in, uint8_t *out, size_t size);

#endif
