/*
 * Encodings.md, section "Byte Stream Split: (BYTE_STREAM_SPLIT = 9)": the first bytes of all
 * values, then all second ones, and so on; numbers are little endian.
 *
 *     AA BB CC DD  00 11 22 33  A3 B4 C5 D6   ->   AA 00 A3  BB 11 B4  CC 22 C5  DD 33 D6
 *     value 0      value 1      value 2            stream 0  stream 1  stream 2  stream 3
 *
 * The streams end with the page, which is all that says how long each of them is. Bytes that are
 * too few for another value leave no doubt of that; as soon as there are enough, nobody can tell
 * where the streams begin.
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

static lam_status read_streams(lam_decoder *decoder, size_t count, void *values, lam_error *error) {
    size_t size = lam_layout_size(decoder->layout);
    if (size == 0 || count == 0)
        return LAM_STATUS_OK;
    if (count > decoder->streams.left)
        return byte_stream_split_fail_short(decoder, count, error);
    lam_kernels_get()->join_streams(decoder->next, decoder->streams.count, size, count, values);
    lam_plain_swap(decoder->layout, values, count);
    decoder->next += count;
    decoder->streams.left -= count;
    return LAM_STATUS_OK;
}

static lam_status skip_streams(lam_decoder *decoder, size_t count, lam_error *error) {
    if (lam_layout_size(decoder->layout) == 0)
        return LAM_STATUS_OK;
    if (count > decoder->streams.left)
        return byte_stream_split_fail_short(decoder, count, error);
    decoder->next += count;
    decoder->streams.left -= count;
    return LAM_STATUS_OK;
}

static lam_status byte_stream_split_read_end(const lam_decoder *decoder, lam_error *error) {
    if (decoder->streams.left > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu values in byte streams after the last one",
                 decoder->streams.left);
    if (decoder->streams.rest > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu bytes after the byte streams",
                 decoder->streams.rest);
    return LAM_STATUS_OK;
}

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

/* The number of values says where a stream begins: they are kept as PLAIN bytes until it is known.
 */
static lam_status byte_stream_split_append(lam_encoder *encoder, lam_buffer *out,
                                           lam_error *error) {
    size_t size = lam_layout_size(encoder->layout), total = encoder->bytes.size;
    if (total == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_buffer_reserve(out, total, error));
    lam_kernels_get()->split_streams(encoder->bytes.data, size, total / size, total / size,
                                     out->data + out->size);
    out->size += total;
    return LAM_STATUS_OK;
}

const lam_value_writer lam_byte_streams_writer = {
    .write = lam_plain_write,
    .append = byte_stream_split_append,
};
