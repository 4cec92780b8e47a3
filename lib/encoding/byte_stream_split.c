/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes BYTE_STREAM_SPLIT: the first bytes of all values, then all second ones, and so
 * on. Numbers are little endian, so that the last stream has signs and exponents, which a codec
 * compresses well. (Encodings.md, "Byte Stream Split: (BYTE_STREAM_SPLIT = 9)")
 *
 *     AA BB CC DD  00 11 22 33  A3 B4 C5 D6   ->   AA 00 A3  BB 11 B4  CC 22 C5  DD 33 D6
 *     value 0      value 1      value 2            stream 0  stream 1  stream 2  stream 3
 *
 * The page has no header: the length of a stream is the page's size divided by a value's size.
 * Surplus bytes that are too few for another value leave that length unchanged, and only the end
 * check reports them; with as many as a value has or more, all streams but the first begin
 * elsewhere, so the values are wrong (see lam_decoder_end).
 */
#include "encoding/byte_stream_split.h"

#include "base/error.h"
#include "encoding/encoding.h"
#include "encoding/plain.h"
#include "kernel/kernel.h"

/* --- Reading ------------------------------------------------------------------------------- */

static lam_status byte_stream_split_fail_short(const lam_decoder *decoder, size_t count,
                                               lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu values in byte streams where %zu are left",
             count, decoder->streams.left);
}

/*
 * Joins values. decoder->next is the next byte of stream 0; the same byte of stream b is `count` *
 * b bytes further, so moving on by a value moves on in all streams.
 */
static lam_status read_streams(lam_decoder *decoder, size_t count, void *values, lam_error *error) {
    size_t size = lam_layout_size(decoder->layout);
    if (size == 0 || count == 0)
        return LAM_STATUS_OK;
    if (count > decoder->streams.left)
        return byte_stream_split_fail_short(decoder, count, error);
    decoder->kernels->join_streams(decoder->next, decoder->streams.count, size, count, values);
    lam_plain_swap(decoder->layout, values, count);
    decoder->next += count;
    decoder->streams.left -= count;
    return LAM_STATUS_OK;
}

/* Skips values without touching them. */
static lam_status skip_streams(lam_decoder *decoder, size_t count, lam_error *error) {
    if (lam_layout_size(decoder->layout) == 0)
        return LAM_STATUS_OK;
    if (count > decoder->streams.left)
        return byte_stream_split_fail_short(decoder, count, error);
    decoder->next += count;
    decoder->streams.left -= count;
    return LAM_STATUS_OK;
}

/* Reports values that have not been read, then surplus bytes. */
static lam_status byte_stream_split_read_end(const lam_decoder *decoder, lam_error *error) {
    if (decoder->streams.left > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu values in byte streams after the last one",
                 decoder->streams.left);
    if (decoder->streams.rest > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu bytes after the byte streams",
                 decoder->streams.rest);
    return LAM_STATUS_OK;
}

/* A FIXED_LEN_BYTE_ARRAY of length 0 has values without bytes: any number of them can be read. */
void lam_byte_streams_open(lam_decoder *decoder, lam_bytes bytes) {
    size_t size = lam_layout_size(decoder->layout);
    decoder->next = bytes.data;
    decoder->streams.count = size == 0 ? 0 : bytes.size / size;
    decoder->streams.left = decoder->streams.count;
    decoder->streams.rest = size == 0 ? bytes.size : bytes.size % size;
    decoder->read = read_streams;
    decoder->skip = skip_streams;
    decoder->read_end = byte_stream_split_read_end;
}

/* --- Writing ------------------------------------------------------------------------------- */

/*
 * Ends the page. The beginning of a stream depends on the number of values, which is unknown
 * before: the values are collected as PLAIN bytes and split here.
 */
static lam_status byte_stream_split_append(lam_encoder *encoder, lam_buffer *out,
                                           lam_error *error) {
    size_t size = lam_layout_size(encoder->layout), total = encoder->bytes.size;
    if (total == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_buffer_reserve(out, total, error));
    encoder->kernels->split_streams(encoder->bytes.data, size, total / size, total / size,
                                    out->data + out->size);
    out->size += total;
    return LAM_STATUS_OK;
}

const lam_value_writer lam_byte_streams_writer = {
    .write = lam_plain_write,
    .append = byte_stream_split_append,
};
