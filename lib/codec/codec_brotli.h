/* SPDX-License-Identifier: Apache-2.0 */
/* BROTLI by libbrotli: one stream. (Compression.md, section "BROTLI"; RFC 7932) */
#ifndef LAM_CODEC_CODEC_BROTLI_H
#define LAM_CODEC_CODEC_BROTLI_H

#include "base/buffer.h"

/*
 * The levels are the library's qualities. Quality 0 cannot be chosen, because level 0 is the
 * default.
 */
enum { LAM_BROTLI_LEVEL_DEFAULT = 5, LAM_BROTLI_LEVEL_MAX = 11 };

/*
 * The library's state serves one stream and cannot be used again, so it is not kept from page to
 * page: each call allocates from `allocator` and frees it all.
 */
lam_status lam_brotli_compress(const lam_allocator *allocator, int32_t level, lam_bytes in,
                               lam_buffer *out, lam_error *error);
lam_status lam_brotli_decompress(const lam_allocator *allocator, lam_bytes in, uint8_t *out,
                                 size_t size, lam_error *error);
/* Gives what the beginning of a stream decompresses to, at most `size` bytes. NOMEM. */
lam_status lam_brotli_decompress_prefix(const lam_allocator *allocator, lam_bytes in, uint8_t *out,
                                        size_t size, size_t *ret_size, lam_error *error);

#endif
