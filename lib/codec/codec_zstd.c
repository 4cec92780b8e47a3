/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses and uncompresses ZSTD with libzstd. A page becomes one frame that states its content
 * size. A page that is read may be several frames, one after the other, which the library joins.
 *
 * The invariant: both contexts live on the caller's allocator and serve one page after the other,
 * so that a page does not pay for making them; no page affects the bytes of the next.
 * (Compression.md, section "ZSTD"; RFC 8878)
 */
#include "codec/codec_zstd.h"

/* The library declares contexts on the caller's allocator only with this. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"
#include "codec/codec_memory.h"

/* Wraps the allocator; the casts drop a const that the library cannot express. */
static ZSTD_customMem memory_of(const lam_allocator *allocator) {
    ZSTD_customMem memory = {lam_codec_memory_allocate, lam_codec_memory_release,
                             (void *)(uintptr_t)allocator};
    return memory;
}

void lam_zstd_finish(lam_zstd *zstd) {
    ZSTD_freeCCtx(zstd->compressor);
    ZSTD_freeDCtx(zstd->decompressor);
    zstd->compressor = NULL;
    zstd->decompressor = NULL;
}

/* Turns the library's error into ours: NOMEM if it had no memory, `otherwise` for all others. */
static lam_status codec_zstd_fail(size_t code, int otherwise, const char *what, lam_error *error) {
    bool memory = ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation;
    LAM_FAIL(error, memory ? (int)LAM_STATUS_NOMEM : otherwise, "ZSTD %s: %s", what,
             ZSTD_getErrorName(code));
}

/* Reserves the library's bound, with which compression cannot fail for lack of room. */
lam_status lam_zstd_compress(lam_zstd *zstd, int32_t level, lam_bytes in, lam_buffer *out,
                             lam_error *error) {
    if (zstd->compressor == NULL)
        zstd->compressor = ZSTD_createCCtx_advanced(memory_of(zstd->allocator));
    if (zstd->compressor == NULL)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a ZSTD compressor");
    size_t bound = ZSTD_compressBound(in.size);
    if (ZSTD_isError(bound))
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "%zu bytes are too many for ZSTD", in.size);
    LAM_TRY(lam_buffer_reserve(out, bound, error));
    size_t written = ZSTD_compressCCtx(zstd->compressor, out->data + out->size, bound, in.data,
                                       in.size, level == 0 ? LAM_ZSTD_LEVEL_DEFAULT : level);
    if (ZSTD_isError(written))
        return codec_zstd_fail(written, LAM_STATUS_INVALID, "compression", error);
    out->size += written;
    return LAM_STATUS_OK;
}

/*
 * The library stops at `size` bytes and fails if there are more; a frame that states 2^60 bytes
 * costs nothing, because no memory is sized by it.
 */
lam_status lam_zstd_decompress(lam_zstd *zstd, lam_bytes in, uint8_t *out, size_t size,
                               lam_error *error) {
    if (zstd->decompressor == NULL)
        zstd->decompressor = ZSTD_createDCtx_advanced(memory_of(zstd->allocator));
    if (zstd->decompressor == NULL)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a ZSTD decompressor");
    size_t written = ZSTD_decompressDCtx(zstd->decompressor, out, size, in.data, in.size);
    if (ZSTD_isError(written))
        return codec_zstd_fail(written, LAM_ERROR_CODE_PAGE_BODY, "decompression", error);
    if (written != size)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "ZSTD gives %zu bytes where %zu are stated",
                 written, size);
    return LAM_STATUS_OK;
}

/*
 * A stream decodes complete blocks, and holds as much of a frame as its window: its memory is freed
 * at once.
 */
lam_status lam_zstd_decompress_prefix(const lam_allocator *allocator, lam_bytes in, uint8_t *out,
                                      size_t size, size_t *ret_size, lam_error *error) {
    ZSTD_inBuffer from = {in.data, in.size, 0};
    ZSTD_outBuffer to = {out, size, 0};
    ZSTD_DCtx *decompressor = ZSTD_createDCtx_advanced(memory_of(allocator));
    if (decompressor == NULL)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a ZSTD decompressor");
    size_t code = ZSTD_decompressStream(decompressor, &to, &from);
    ZSTD_freeDCtx(decompressor);
    if (ZSTD_isError(code) && ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        return codec_zstd_fail(code, LAM_ERROR_CODE_PAGE_BODY, "decompression", error);
    *ret_size = ZSTD_isError(code) ? 0 : to.pos;
    return LAM_STATUS_OK;
}
