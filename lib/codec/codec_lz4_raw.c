/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses and uncompresses LZ4_RAW with liblz4: a page is one LZ4 block, without magic number,
 * sizes or checksum.
 *
 *   sequence   token | [literal length] | literals | distance, u16 LE | [copy length]
 *   block      sequence ..., the last one ends after its literals
 *
 * Takes and gives the bytes of one page. The block does not state its size, so the page's header
 * must, and a block always gives exactly that many bytes. (Compression.md, section "LZ4_RAW"; LZ4
 * Block Format)
 */
#include "codec/codec_lz4_raw.h"

#include <lz4.h>

#include "base/alloc.h"
#include "base/error.h"

enum { FASTEST_COMMON = 1 /* the library's default acceleration */ };

void lam_lz4_raw_finish(lam_lz4_raw *lz4) {
    lam_free(lz4->allocator, lz4->table, (size_t)LZ4_sizeofState());
    lz4->table = NULL;
}

/*
 * Takes the hash table from the caller's allocator; liblz4's plain call would put 16 KiB on the
 * stack.
 */
lam_status lam_lz4_raw_compress(lam_lz4_raw *lz4, lam_bytes in, lam_buffer *out, lam_error *error) {
    if (in.size > LZ4_MAX_INPUT_SIZE)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "%zu bytes are too many for LZ4_RAW", in.size);
    if (lz4->table == NULL)
        LAM_TRY(lam_alloc(lz4->allocator, (size_t)LZ4_sizeofState(), &lz4->table, error));
    int bound = LZ4_compressBound((int)in.size);
    LAM_TRY(lam_buffer_reserve(out, (size_t)bound, error));
    const char *from = in.size > 0 ? (const char *)in.data : "";
    int written = LZ4_compress_fast_extState(lz4->table, from, (char *)out->data + out->size,
                                             (int)in.size, bound, FASTEST_COMMON);
    /* unreachable: there is as much room as liblz4 may need */
    if (written <= 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "LZ4_RAW compression of %zu bytes failed", in.size);
    out->size += (size_t)written;
    return LAM_STATUS_OK;
}

/*
 * Even a block of no bytes has a token: 0 bytes of input are never a block. Sizes above 2^31 - 1
 * cannot be passed to liblz4, and no page header can state them.
 */
lam_status lam_lz4_raw_decompress(lam_bytes in, uint8_t *out, size_t size, lam_error *error) {
    char nothing[1];
    if (in.size == 0 || in.size > INT32_MAX || size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "an LZ4 block of %zu bytes for %zu", in.size,
                 size);
    int written = LZ4_decompress_safe((const char *)in.data, size > 0 ? (char *)out : nothing,
                                      (int)in.size, (int)size);
    if (written < 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY,
                 "a damaged LZ4 block, or one of more than %zu bytes", size);
    if ((size_t)written != size)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "LZ4_RAW gives %d bytes where %zu are stated",
                 written, size);
    return LAM_STATUS_OK;
}

size_t lam_lz4_raw_decompress_prefix(lam_bytes in, uint8_t *out, size_t size) {
    if (in.size == 0 || in.size > INT32_MAX || size > INT32_MAX)
        return 0;
    int written = LZ4_decompress_safe_partial((const char *)in.data, (char *)out, (int)in.size,
                                              (int)size, (int)size);
    return written > 0 ? (size_t)written : 0;
}
