/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LZ4, the deprecated codec, for reading only: three formats were written under its number.
 * (Compression.md, section "LZ4")
 */
#ifndef LAM_CODEC_CODEC_LZ4_H
#define LAM_CODEC_CODEC_LZ4_H

#include "base/buffer.h"

/*
 * Tries LZ4 frames, then Hadoop's blocks, then one bare block; the first that matches `in` and
 * `size` to the byte is taken. Allocates nothing.
 */
lam_status lam_lz4_decompress(lam_bytes in, uint8_t *out, size_t size, lam_error *error);

#endif
