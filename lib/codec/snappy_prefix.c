/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decompresses the first bytes of a SNAPPY block; the library only decompresses complete blocks.
 * Takes the first elements, the last of them perhaps cut short, and gives as many bytes as these
 * make.
 *
 *   size of the output, varint | element ...
 *   tag     xxxxxx00  literal: x + 1 bytes follow; from x = 60 on, x - 59 bytes of length do first
 *           oooxxx01  copy of x + 4 bytes, from 256 o + the next byte bytes back
 *           xxxxxx10  copy of x + 1 bytes, from as far back as the next 2 bytes say, 11: 4 bytes
 *
 * No byte outside of either range is ever touched; an impossible element ends the output.
 * (Compression.md, section "SNAPPY")
 */
#include <string.h>

#include "codec/codec_snappy.h"

enum { LONG_LITERAL = 60, MAX_SIZE_BYTES = 5 };

/* Takes a number of up to 4 bytes, little endian; false if there are fewer. */
static bool take_number(lam_bytes *in, size_t bytes, size_t *ret_number) {
    *ret_number = 0;
    if (in->size < bytes)
        return false;
    for (size_t i = 0; i < bytes; i++)
        *ret_number |= (size_t)in->data[i] << 8 * i;
    in->data += bytes;
    in->size -= bytes;
    return true;
}

static bool snappy_take_size(lam_bytes *in) {
    size_t byte = 0x80;
    for (int i = 0; i < MAX_SIZE_BYTES && byte >= 0x80; i++)
        if (!take_number(in, 1, &byte))
            return false;
    return byte < 0x80;
}

/* Copies as much of a literal as there is; gives the new end of the output. */
static size_t snappy_literal(lam_bytes *in, size_t length, uint8_t *out, size_t given,
                             size_t size) {
    size_t some = size - given;
    some = some < length ? some : length;
    some = some < in->size ? some : in->size;
    memcpy(out + given, in->data, some);
    in->data += some;
    in->size -= some;
    return given + some;
}

static size_t snappy_copy(size_t back, size_t length, uint8_t *out, size_t given, size_t size) {
    for (size_t i = 0; i < length && given < size; i++, given++)
        out[given] = out[given - back];
    return given;
}

/* Decompresses one element; false if it ends the output. */
static bool snappy_element(lam_bytes *in, uint8_t *out, size_t *given, size_t size) {
    static const size_t offset_bytes[] = {0, 1, 2, 4};
    size_t tag, before = *given, length, back;
    if (!take_number(in, 1, &tag))
        return false;
    length = (tag >> 2) + 1;
    if ((tag & 3) == 0) {
        if (length > LONG_LITERAL && !take_number(in, length - LONG_LITERAL, &length))
            return false;
        length += (tag >> 2) >= LONG_LITERAL;
        *given = snappy_literal(in, length, out, before, size);
        return *given > before;
    }
    if (!take_number(in, offset_bytes[tag & 3], &back))
        return false;
    if ((tag & 3) == 1) {
        length = (tag >> 2 & 7) + 4;
        back |= tag >> 5 << 8;
    }
    if (back == 0 || back > before)
        return false;
    *given = snappy_copy(back, length, out, before, size);
    return true;
}

size_t lam_snappy_decompress_prefix(lam_bytes in, uint8_t *out, size_t size) {
    size_t given = 0;
    if (!snappy_take_size(&in))
        return 0;
    while (given < size && snappy_element(&in, out, &given, size)) {
    }
    return given;
}
