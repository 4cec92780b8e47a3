/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the bit widths of differences: integers of 32 bits are packed with at most 32 bits, and so
 * are the lengths before byte arrays. Wider miniblocks can still be read, because all sums are
 * modulo 2^32: a warning.
 *
 *   DELTA_BINARY_PACKED       stream                          INT32 only; INT64 may use 64 bits
 *   DELTA_LENGTH_BYTE_ARRAY   stream of lengths, bytes
 *   DELTA_BYTE_ARRAY          stream of prefix lengths, stream of suffix lengths, bytes
 *
 * Takes a page that has been decoded without failure. (Encodings.md, section "Delta Encoding
 * (DELTA_BINARY_PACKED = 5)")
 */
#include "check/chunk/check_delta.h"

#include "base/error.h"
#include "encoding/delta_binary_packed.h"

enum { WIDEST = 32, SOME = 256 }; /* bits; values that are decoded at once */

/*
 * Gives the largest bit width of the miniblocks that hold values, and where the stream ends; false
 * when it does not decode, which is reported elsewhere.
 */
static bool find_width(const lam_kernels *kernels, lam_bytes bytes, unsigned *ret_width,
                       const uint8_t **ret_end) {
    uint32_t values[SOME];
    lam_delta_decoder decoder;
    unsigned width = 0;
    /* unreachable: the page has been read, and so has this header */
    if (lam_delta_decoder_init(&decoder, kernels, WIDEST, bytes, NULL) != LAM_STATUS_OK)
        return false;
    while (decoder.left > 0) {
        /*
         * Reading one value opens the next run of miniblocks of one width, which decoder.width then
         * is; the remainder of that run has no other width and is read in larger steps, but never
         * beyond it.
         */
        size_t count = decoder.packed_left > 0 ? SOME : 1;
        count = count < decoder.packed_left || count == 1 ? count : (size_t)decoder.packed_left;
        count = count < decoder.left ? count : decoder.left;
        if (lam_delta_read(&decoder, count, values, NULL) != LAM_STATUS_OK)
            return false;
        width = decoder.width > width ? decoder.width : width;
    }
    *ret_width = width;
    *ret_end = decoder.next;
    return true;
}

/* How many streams of 32-bit integers a page of the encoding begins with. */
static unsigned count_streams(const lam_chunk_check *chunk, lam_encoding encoding) {
    if (encoding == LAM_ENCODING_DELTA_BINARY_PACKED)
        return chunk->layout.type == LAM_PHYSICAL_INT32 ? 1 : 0;
    if (encoding == LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY)
        return 1;
    return encoding == LAM_ENCODING_DELTA_BYTE_ARRAY ? 2 : 0;
}

lam_status lam_check_delta_widths(lam_chunk_check *chunk, const lam_page *page,
                                  lam_check_location location) {
    lam_bytes bytes = page->values;
    for (unsigned left = count_streams(chunk, page->encoding); left > 0; left--) {
        unsigned width;
        const uint8_t *end;
        if (chunk->reported[LAM_RULE_DELTA_WIDTH] ||
            !find_width(chunk->checker->kernels, bytes, &width, &end))
            return LAM_STATUS_OK;
        /* The second stream of DELTA_BYTE_ARRAY follows the first. */
        bytes.size -= (size_t)(end - bytes.data);
        bytes.data = end;
        if (width <= WIDEST)
            continue;
        chunk->reported[LAM_RULE_DELTA_WIDTH] = true;
        return lam_check_report(
            chunk->checker, LAM_RULE_DELTA_WIDTH, location, "%s are packed with %u bits",
            page->encoding == LAM_ENCODING_DELTA_BINARY_PACKED ? "integers of 32 bits"
                                                               : "lengths of byte arrays",
            width);
    }
    return LAM_STATUS_OK;
}
