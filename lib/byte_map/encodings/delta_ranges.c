/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports streams of DELTA_BINARY_PACKED: header, blocks, miniblocks, groups of 8 differences.
 *
 *     deltas        delta_header delta_block*
 *     delta_header  varint: block size, miniblocks, values, first value
 *     delta_block   varint: smallest difference   bit widths   miniblock*
 *     miniblock     packed_group*    its texts are values, not differences
 *
 * The decoder, encoding/delta_binary_packed.c, checks headers and finds the end of a stream for
 * this walk, too. Takes bytes that may be no stream; the ranges of a stream always end with it or
 * with the bytes. (Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED = 5)")
 */
#include "byte_map/encodings/delta_ranges.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/wrap.h"
#include "byte_map/encodings/delta_strings.h"
#include "byte_map/encodings/hybrid_ranges.h"
#include "byte_map/walk/byte_text.h"
#include "encoding/delta_binary_packed.h"

enum { DELTA_GROUP = 8 };

/* A stream that is being walked. */
typedef struct delta_stream {
    lam_delta_decoder decoder; /* as its header opens it; its position is not used */
    size_t header;             /* bytes */
} delta_stream;

/* The walk from block to block. */
typedef struct delta_walk {
    lam_byte_view view; /* of the stream */
    size_t at;
    uint64_t last;  /* value before the next */
    uint64_t first; /* number of the next value */
    uint64_t left;  /* values */
} delta_walk;

/* The bytes of a varint in a view, which may end inside it; there may be more than 10. */
static size_t varint_size(lam_byte_view view, size_t at) {
    size_t size = 0;
    while (at + size < view.size && view.data[at + size] >= 0x80)
        size++;
    return at + size < view.size ? size + 1 : size;
}

/* Of at most 10 bytes, which the caller has checked. */
static uint64_t varint_at(lam_byte_view view, size_t at, size_t size) {
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number |= (uint64_t)(view.data[at + i] & 0x7F) << 7 * i;
    return number;
}

static uint64_t sign_extended(uint64_t number, unsigned bits) {
    return bits == 32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)number : number;
}

/* Reports a varint; a signed one is zigzag. */
static lam_status report_varint(lam_byte_walk *walk, lam_byte_view view, size_t *at,
                                const char *label, bool is_signed, unsigned bits,
                                lam_error *error) {
    size_t size = varint_size(view, *at);
    uint64_t number = varint_at(view, *at, size);
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_VARINT, view, *at, size);
    if (is_signed)
        number = sign_extended(lam_from_zigzag(number), bits);
    lam_byte_text_of_numbers(&number, 1, is_signed, &text);
    range.label = label;
    range.value = text.text;
    *at += size;
    return lam_byte_leaf(walk, &range, error);
}

static lam_status inside_of_header(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                   lam_error *error) {
    const delta_stream *stream = what;
    unsigned bits = stream->decoder.bits;
    size_t at = 0;
    LAM_TRY(report_varint(walk, view, &at, "block_size", false, bits, error));
    LAM_TRY(report_varint(walk, view, &at, "miniblocks", false, bits, error));
    LAM_TRY(report_varint(walk, view, &at, "values", false, bits, error));
    return report_varint(walk, view, &at, "first_value", true, bits, error);
}

/* --- Blocks -------------------------------------------------------------------------------- */

/* One miniblock of a block. */
typedef struct delta_miniblock {
    unsigned width;
    unsigned bits;
    uint64_t min_delta;
    uint64_t first;
    uint64_t used; /* values; differences after them are padding */
    uint64_t last;
} delta_miniblock;

static lam_status inside_of_miniblock(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                      lam_error *error) {
    const delta_miniblock *miniblock = what;
    uint64_t last = miniblock->last;
    lam_byte_packed packed = {.bit_width = miniblock->width,
                              .first = miniblock->first,
                              .count = miniblock->used,
                              .base = miniblock->min_delta,
                              .last = &last,
                              .bits = miniblock->bits};
    return lam_byte_groups(walk, view, &packed, error);
}

/* The sum of the differences of a miniblock that count, as the decoder has it. */
LAM_WRAPS static uint64_t sum_of(lam_byte_view view, const delta_miniblock *miniblock) {
    uint64_t sum = miniblock->used * miniblock->min_delta;
    for (uint64_t i = 0; i < miniblock->used * miniblock->width; i++)
        if ((view.data[i / 8] >> i % 8 & 1) != 0)
            sum += (uint64_t)1 << i % miniblock->width;
    return sum;
}

static lam_status report_miniblock(lam_byte_walk *walk, delta_walk *at, const delta_stream *stream,
                                   uint64_t min_delta, unsigned width, lam_error *error) {
    uint64_t values = stream->decoder.block_size / stream->decoder.mini_count;
    delta_miniblock miniblock = {
        width,   stream->decoder.bits, min_delta, at->first, at->left < values ? at->left : values,
        at->last};
    size_t size = (size_t)(values / DELTA_GROUP * width);
    lam_byte_view view = lam_byte_view_cut(at->view, at->at, size);
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_MINIBLOCK, view, 0, size);
    range.first = (int64_t)miniblock.first;
    range.count = (int64_t)miniblock.used;
    range.bit_width = (int32_t)width;
    range.is_expandable = size > 0;
    lam_byte_text text;
    if (size == 0) { /* each value follows from the one before by the minimum */
        uint64_t number = sign_extended(lam_wrap_add(at->last, min_delta), stream->decoder.bits);
        lam_byte_text_of_numbers(&number, 1, true, &text);
        range.value = text.text;
    }
    LAM_TRY(lam_byte_enter_view(walk, &range, view, inside_of_miniblock, &miniblock, error));
    at->last = lam_wrap_add(at->last, sum_of(view, &miniblock));
    at->first += miniblock.used;
    at->left -= miniblock.used;
    at->at += size;
    return LAM_STATUS_OK;
}

/* Bit widths, one byte for each miniblock; those of miniblocks without values may be anything. */
static lam_status report_widths(lam_byte_walk *walk, const delta_walk *at, uint32_t count,
                                lam_error *error) {
    uint64_t widths[DELTA_GROUP];
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_BIT_WIDTH, at->view, at->at, count);
    for (uint32_t i = 0; i < count && i < DELTA_GROUP; i++)
        widths[i] = at->view.data[at->at + i];
    lam_byte_text_of_numbers(widths, count < DELTA_GROUP ? count : DELTA_GROUP, false, &text);
    range.label = "of each miniblock";
    range.count = count;
    range.value = text.text;
    return lam_byte_leaf(walk, &range, error);
}

/* The bytes of a block, and whether all of them are there. */
static bool measure_block(const delta_walk *at, const delta_stream *stream, size_t *ret_size) {
    const lam_delta_decoder *decoder = &stream->decoder;
    uint64_t values = decoder->block_size / decoder->mini_count, left = at->left;
    size_t minimum = varint_size(at->view, at->at);
    size_t room = at->view.size - at->at - minimum;
    if (minimum == 0 || minimum > 10 || room < decoder->mini_count)
        return false;
    uint64_t size = 0;
    for (uint32_t i = 0; i < decoder->mini_count && left > 0; i++) {
        unsigned width = at->view.data[at->at + minimum + i];
        if (width > 64)
            return false;
        size += values / DELTA_GROUP * width;
        left -= left < values ? left : values;
    }
    *ret_size = minimum + decoder->mini_count + (size_t)size;
    return size <= room - decoder->mini_count;
}

/* Reports a block that was measured; the walk moves past it. */
static lam_status report_block_of(lam_byte_walk *walk, delta_walk *at, const delta_stream *stream,
                                  size_t size, lam_error *error) {
    const lam_delta_decoder *decoder = &stream->decoder;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_DELTA_BLOCK, at->view, at->at, size);
    uint64_t count = at->left < decoder->block_size ? at->left : decoder->block_size;
    bool inside;
    range.first = (int64_t)at->first;
    range.count = (int64_t)count;
    range.is_expandable = true;
    LAM_TRY(lam_byte_enter(walk, &range, &inside, error));
    size_t minimum = varint_size(at->view, at->at);
    uint64_t min_delta = lam_from_zigzag(varint_at(at->view, at->at, minimum));
    const uint8_t *widths = at->view.data + at->at + minimum;
    if (inside) {
        size_t next = at->at;
        LAM_TRY(report_varint(walk, at->view, &next, "min_delta", true, decoder->bits, error));
        at->at = next;
        LAM_TRY(report_widths(walk, at, decoder->mini_count, error));
        at->at += decoder->mini_count;
        for (uint32_t i = 0; i < decoder->mini_count && at->left > 0; i++)
            LAM_TRY(report_miniblock(walk, at, stream, min_delta, widths[i], error));
        lam_byte_leave(walk);
        return LAM_STATUS_OK;
    }
    /* Values after a block that is passed over are sums that have not been computed. */
    at->first += count;
    at->left -= count;
    at->at += size;
    return LAM_STATUS_OK;
}

static lam_status inside_of_stream(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                   lam_error *error) {
    const delta_stream *stream = what;
    lam_byte_range header = lam_byte_range_in(LAM_BYTE_DELTA_HEADER, view, 0, stream->header);
    delta_walk at = {view, stream->header, stream->decoder.last, 1, stream->decoder.left};
    size_t size;
    header.first = 0;
    header.count = stream->decoder.left > 0 ? 1 : 0;
    header.is_expandable = true;
    LAM_TRY(lam_byte_enter_view(walk, &header, lam_byte_view_cut(view, 0, stream->header),
                                inside_of_header, stream, error));
    at.left -= at.left > 0 ? 1 : 0; /* the first value is in the header */
    while (at.left > 0 && measure_block(&at, stream, &size))
        LAM_TRY(report_block_of(walk, &at, stream, size, error));
    return lam_byte_unknown(walk, view, at.at, view.size - at.at, error,
                            "the bytes end inside a block of differences");
}

/* --- Streams ------------------------------------------------------------------------------- */

lam_status lam_byte_deltas(lam_byte_walk *walk, lam_byte_view view, unsigned bits,
                           const char *label, size_t *ret_size, lam_delta_decoder *ret_decoder,
                           lam_error *error) {
    lam_error cause = lam_error_none();
    delta_stream stream;
    const uint8_t *end;
    *ret_size = view.size;
    ret_decoder->left = 0;
    if (view.size == 0)
        return LAM_STATUS_OK;
    if (lam_delta_decoder_init(&stream.decoder, lam_kernels_get(), bits,
                               (lam_bytes){view.data, view.size}, &cause) != LAM_STATUS_OK)
        return lam_byte_unknown(walk, view, 0, view.size, error, "%s", cause.message);
    stream.header = (size_t)(stream.decoder.next - view.data);
    if (lam_delta_find_end(&stream.decoder, &end, &cause) == LAM_STATUS_OK) {
        *ret_size = (size_t)(end - view.data);
        *ret_decoder = stream.decoder;
    }
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_DELTAS, view, 0, *ret_size);
    range.label = label;
    range.first = 0;
    range.count = stream.decoder.left;
    range.is_expandable = true;
    return lam_byte_enter_view(walk, &range, lam_byte_view_cut(view, 0, *ret_size),
                               inside_of_stream, &stream, error);
}

lam_status lam_byte_delta_binary_packed(lam_byte_walk *walk, lam_byte_view view,
                                        const lam_field *leaf, lam_error *error) {
    lam_delta_decoder decoder;
    size_t size;
    unsigned bits = lam_field_physical_type(leaf) == LAM_PHYSICAL_INT32 ? 32 : 64;
    LAM_TRY(lam_byte_deltas(walk, view, bits, NULL, &size, &decoder, error));
    return lam_byte_unknown(walk, view, size, view.size - size, error,
                            "bytes behind the last value");
}
