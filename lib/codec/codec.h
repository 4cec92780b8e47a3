/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses and uncompresses complete pages. A codec context keeps the contexts of the libraries
 * from page to page; any number of threads may share it. (Compression.md)
 */
#ifndef LAM_CODEC_CODEC_H
#define LAM_CODEC_CODEC_H

#include <lamella/common.h>
#include <lamella/format.h>

#include "base/buffer.h"

typedef struct lam_codec_context lam_codec_context;

lam_status lam_codec_context_create(const lam_allocator *allocator, lam_codec_context **ret_context,
                                    lam_error *error);
void lam_codec_context_destroy(lam_codec_context *context);

/*
 * UNSUPPORTED if this build cannot read (write) the codec; the message names it, and the build
 * option that is missing. INVALID for a level that the codec does not have.
 */
lam_status lam_codec_check_read(lam_codec codec, lam_error *error);
lam_status lam_codec_check_write(lam_codec codec, int32_t level, lam_error *error);

/*
 * Appends the compressed form of `in` to `out`; level 0 is the codec's default. `codec` is never
 * DEFAULT.
 */
lam_status lam_codec_compress(lam_codec_context *context, lam_codec codec, int32_t level,
                              lam_bytes in, lam_buffer *out, lam_error *error);

/*
 * Decompresses `in` into exactly `size` bytes at `out`. CORRUPT if the bytes are not of that codec,
 * or give fewer or more bytes. Never writes beyond `out + size`.
 */
lam_status lam_codec_decompress(lam_codec_context *context, lam_codec codec, lam_bytes in,
                                uint8_t *out, size_t size, lam_error *error);

/*
 * The bytes of a compressed page that are enough for the first LAM_CODEC_PREFIX of the page itself,
 * unless it is very large; 0 for a codec that gives none without all of them.
 */
enum { LAM_CODEC_PREFIX = 16 };
size_t lam_codec_prefix_input(lam_codec codec);
/*
 * Decompresses the beginning of a page, when `in` has that many of its bytes, or all: gives at most
 * `size` bytes, up to LAM_CODEC_PREFIX. Fewer, or none, if `in` does not give more. NOMEM.
 */
lam_status lam_codec_decompress_prefix(lam_codec_context *context, lam_codec codec, lam_bytes in,
                                       uint8_t *out, size_t size, size_t *ret_size,
                                       lam_error *error);

#endif
