/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes dictionaries and sorts numbers.
 *
 *     | header | count | offset 0 .. offset count | names |      `width` bytes each for numbers
 *
 * Takes the names one by one, after their count and total bytes are known, and gives the metadata
 * at the end of a buffer. The width is chosen once, from the larger of count and bytes, so that the
 * offsets and the names have their final positions from the start and two cursors fill them side by
 * side. The invariant: after name n both cursors are after name n. (VariantEncoding.md, "Metadata
 * encoding")
 */
#include "variant/value/variant_metadata.h"

#include "base/error.h"

/* Writes a little-endian number of `width` bytes and returns the position after it. */
static uint8_t *variant_metadata_put_number(uint8_t *at, uint64_t number, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        *at++ = (uint8_t)(number >> 8 * i);
    return at;
}

lam_status lam_variant_metadata_begin(lam_variant_metadata_writer *writer, size_t count,
                                      uint64_t bytes, bool is_sorted, lam_buffer *out,
                                      lam_error *error) {
    uint64_t largest = bytes > count ? bytes : count;
    if (largest > UINT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT, "variant: names of more than 2^32 - 1 bytes");
    unsigned width = lam_variant_width((uint32_t)largest);
    /* The header, the count, count + 1 offsets, the names. */
    uint64_t size = 1 + (uint64_t)width * ((uint64_t)count + 2) + bytes;
    if (size > SIZE_MAX)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu names", count);
    LAM_TRY(lam_buffer_reserve(out, (size_t)size, error));
    uint8_t *at = out->data + out->size;
    out->size += (size_t)size;
    is_sorted &= count > 0; /* the empty metadata of the specification is `01 00 00` */
    *at++ =
        (uint8_t)(LAM_VARIANT_VERSION | (is_sorted ? LAM_VARIANT_SORTED : 0) | (width - 1) << 6);
    at = variant_metadata_put_number(at, count, width);
    writer->width = width;
    writer->offset = 0;
    writer->offsets = variant_metadata_put_number(at, 0, width);
    writer->names = at + (count + 1) * width;
    return LAM_STATUS_OK;
}

/* The offset written here is the end of this name and the start of the next. */
void lam_variant_metadata_add(lam_variant_metadata_writer *writer, lam_bytes name) {
    if (name.size > 0)
        memcpy(writer->names + writer->offset, name.data, name.size);
    writer->offset += (uint32_t)name.size;
    writer->offsets = variant_metadata_put_number(writer->offsets, writer->offset, writer->width);
}
