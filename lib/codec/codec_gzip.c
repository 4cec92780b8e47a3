/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses and uncompresses GZIP with libdeflate. A page becomes one member. A page that is read
 * may be several members, one after the other, as concatenating writers make them: their outputs
 * are joined.
 *
 *   member   1F 8B 08, flags, ... | deflate blocks | CRC-32 of the output | its size modulo 2^32
 *
 * Members always fill the input and the output to the byte. libdeflate checks the CRC and the size
 * of each member. (Compression.md, section "GZIP"; RFC 1952, section 2.2)
 */
#include "codec/codec_gzip.h"

#include <libdeflate.h>

#include "base/error.h"

void lam_gzip_finish(lam_gzip *gzip) {
    libdeflate_free_compressor(gzip->compressor);
    libdeflate_free_decompressor(gzip->decompressor);
    gzip->compressor = NULL;
    gzip->decompressor = NULL;
}

/*
 * Makes the compressor of a level. libdeflate sizes it by its level, so another level needs another
 * one.
 */
static lam_status want_compressor(lam_gzip *gzip, int32_t level, lam_error *error) {
    if (gzip->compressor != NULL && gzip->level == level)
        return LAM_STATUS_OK;
    libdeflate_free_compressor(gzip->compressor);
    gzip->compressor = libdeflate_alloc_compressor(level);
    gzip->level = level;
    if (gzip->compressor == NULL)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a GZIP compressor");
    return LAM_STATUS_OK;
}

/* Reserves libdeflate's bound, with which compression cannot fail, and keeps what was written. */
lam_status lam_gzip_compress(lam_gzip *gzip, int32_t level, lam_bytes in, lam_buffer *out,
                             lam_error *error) {
    if (in.size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "%zu bytes are too many for GZIP", in.size);
    LAM_TRY(want_compressor(gzip, level == 0 ? LAM_GZIP_LEVEL_DEFAULT : level, error));
    size_t bound = libdeflate_gzip_compress_bound(gzip->compressor, in.size);
    LAM_TRY(lam_buffer_reserve(out, bound, error));
    const void *from = in.size > 0 ? in.data : (const uint8_t *)"";
    size_t written =
        libdeflate_gzip_compress(gzip->compressor, from, in.size, out->data + out->size, bound);
    /* unreachable: there is as much room as libdeflate may need */
    if (written == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "GZIP compression of %zu bytes failed", in.size);
    out->size += written;
    return LAM_STATUS_OK;
}

/*
 * Reads member by member. Each of them consumes at least its header, so the loop ends; each has
 * only the room that those before it left.
 */
lam_status lam_gzip_decompress(lam_gzip *gzip, lam_bytes in, uint8_t *out, size_t size,
                               lam_error *error) {
    /* A page of 0 bytes has no output, and the library wants a pointer that is not NULL. */
    uint8_t nothing[1];
    uint8_t *to = size > 0 ? out : nothing;
    size_t taken = 0, given = 0;
    if (gzip->decompressor == NULL)
        gzip->decompressor = libdeflate_alloc_decompressor();
    if (gzip->decompressor == NULL)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a GZIP decompressor");
    while (taken < in.size) {
        size_t member_in, member_out;
        enum libdeflate_result result =
            libdeflate_gzip_decompress_ex(gzip->decompressor, in.data + taken, in.size - taken,
                                          to + given, size - given, &member_in, &member_out);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
            LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "GZIP gives more than the %zu bytes stated",
                     size);
        if (result != LIBDEFLATE_SUCCESS)
            LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY,
                     "no GZIP member, or a damaged one, at byte %zu of %zu", taken, in.size);
        taken += member_in;
        given += member_out;
    }
    if (given != size)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "GZIP gives %zu bytes where %zu are stated",
                 given, size);
    return LAM_STATUS_OK;
}
