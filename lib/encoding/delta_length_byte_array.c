/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes DELTA_LENGTH_BYTE_ARRAY: all lengths first, then all bytes. The views that are
 * read are back to back in the page, so they are never copied, and a codec sees texts without
 * numbers between them. (Encodings.md, "Delta-length byte array: (DELTA_LENGTH_BYTE_ARRAY = 6)")
 *
 *     page := lengths, as DELTA_BINARY_PACKED of INT32
 *             the bytes of all values, back to back
 *
 *     "Hello" "World" "Foobar" "ABCDEF"
 *
 *     80 01 04 04 0A   00 01 00 00 00   02 00 00 00   HelloWorldFoobarABCDEF
 *     header           a block: 0 1 0
 *
 * Lengths are signed in the format; read as unsigned, a negative one is longer than any page and
 * fails the check against the bytes left.
 */
#include "encoding/delta_length_byte_array.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "encoding/delta_binary_packed.h"
#include "encoding/short_copy.h"

enum {
    DELTA_LENGTH_BYTE_ARRAY_LENGTHS = 512
}; /* values whose lengths are read or written together, on the stack */

/* --- Reading ------------------------------------------------------------------------------- */

/* Makes views of the next `count` values, whose lengths are read. */
static lam_status take_views(lam_decoder *decoder, const uint32_t *lengths, size_t count,
                             lam_bytes *views, lam_error *error) {
    const uint8_t *next = decoder->next;
    for (size_t i = 0; i < count; i++) {
        size_t here = (size_t)(decoder->end - next);
        if (lengths[i] > here)
            LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                     "a byte array of length %" PRId32 " where %zu bytes are left",
                     (int32_t)lengths[i], here);
        views[i].data = next;
        views[i].size = lengths[i];
        next += lengths[i];
    }
    decoder->next = next;
    return LAM_STATUS_OK;
}

/*
 * Reads lengths and makes views, block by block; decoder->next is the first byte of the next value.
 */
static lam_status read_views(lam_decoder *decoder, size_t count, void *values, lam_error *error) {
    lam_bytes *views = values;
    uint32_t lengths[DELTA_LENGTH_BYTE_ARRAY_LENGTHS];
    while (count > 0) {
        size_t some =
            count < DELTA_LENGTH_BYTE_ARRAY_LENGTHS ? count : DELTA_LENGTH_BYTE_ARRAY_LENGTHS;
        LAM_TRY(lam_delta_read(&decoder->deltas, some, lengths, error));
        LAM_TRY(take_views(decoder, lengths, some, views, error));
        views += some;
        count -= some;
    }
    return LAM_STATUS_OK;
}

/* Reports values that have not been read, and bytes that belong to none. */
static lam_status delta_length_byte_array_read_end(const lam_decoder *decoder, lam_error *error) {
    if (decoder->deltas.left > 0 || decoder->next < decoder->end)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                 "%" PRIu32 " byte arrays, %zu bytes, after the last value", decoder->deltas.left,
                 (size_t)(decoder->end - decoder->next));
    return LAM_STATUS_OK;
}

/*
 * Finds where the lengths end and the bytes begin, without decoding the lengths. The decoder of the
 * lengths stays at their start.
 */
lam_status lam_delta_length_open(lam_decoder *decoder, lam_bytes bytes, lam_error *error) {
    LAM_TRY(lam_delta_decoder_init(&decoder->deltas, decoder->kernels, 32, bytes, error));
    LAM_TRY(lam_delta_find_end(&decoder->deltas, &decoder->next, error));
    decoder->end = decoder->deltas.end;
    decoder->read = read_views;
    decoder->read_end = delta_length_byte_array_read_end;
    return LAM_STATUS_OK;
}

/* --- Writing ------------------------------------------------------------------------------- */

/* The state is a lam_delta_encoder of the lengths; the bytes are in encoder->bytes. */
static void delta_length_byte_array_start(lam_encoder *encoder) {
    lam_delta_encoder_init(encoder->state, encoder->kernels, 32, &encoder->bytes.allocator);
}

static void delta_length_byte_array_finish(lam_encoder *encoder) {
    lam_delta_encoder_finish(encoder->state);
}

/*
 * Adds values: checks and sums the sizes, then adds the lengths, then copies. Room for the bytes is
 * reserved before any length is added, so the copies cannot fail.
 */
static lam_status delta_length_byte_array_write_some(lam_encoder *encoder, const lam_bytes *values,
                                                     size_t count, lam_error *error) {
    uint32_t lengths[DELTA_LENGTH_BYTE_ARRAY_LENGTHS];
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i].size > INT32_MAX)
            LAM_FAIL(error, LAM_STATUS_LIMIT, "a byte array of %zu bytes; the maximum is %d",
                     values[i].size, INT32_MAX);
        /* unreachable: when a size has 64 bits, that takes 2^33 values of 2 GiB */
        if (!lam_add_size(total, values[i].size, &total))
            LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu byte arrays", count);
        lengths[i] = (uint32_t)values[i].size;
    }
    lam_buffer *out = &encoder->bytes;
    LAM_TRY(lam_buffer_reserve(out, total, error));
    LAM_TRY(lam_delta_write(encoder->state, lengths, count, error));
    if (total == 0)
        return LAM_STATUS_OK;
    uint8_t *next = out->data + out->size;
    for (size_t i = 0; i < count; i++) {
        lam_copy_short(next, values[i].data, lengths[i]);
        next += lengths[i];
    }
    out->size += total;
    return LAM_STATUS_OK;
}

static lam_status delta_length_byte_array_write(lam_encoder *encoder, const void *values,
                                                size_t count, lam_error *error) {
    const lam_bytes *next = values;
    while (count > 0) {
        size_t some =
            count < DELTA_LENGTH_BYTE_ARRAY_LENGTHS ? count : DELTA_LENGTH_BYTE_ARRAY_LENGTHS;
        LAM_TRY(delta_length_byte_array_write_some(encoder, next, some, error));
        next += some;
        count -= some;
    }
    return LAM_STATUS_OK;
}

/* Ends the page; cuts the lengths off again when the bytes cannot be appended. */
static lam_status delta_length_byte_array_append(lam_encoder *encoder, lam_buffer *out,
                                                 lam_error *error) {
    size_t before = out->size;
    LAM_TRY(lam_delta_append(encoder->state, out, error));
    lam_status status = lam_buffer_append(out, encoder->bytes.data, encoder->bytes.size, error);
    if (status != LAM_STATUS_OK)
        out->size = before;
    return status;
}

static void delta_length_byte_array_restart(lam_encoder *encoder) {
    lam_delta_restart(encoder->state);
}

static size_t delta_length_byte_array_count(const lam_encoder *encoder) {
    return lam_delta_byte_count(encoder->state);
}

const lam_value_writer lam_delta_length_writer = {
    .state_size = sizeof(lam_delta_encoder),
    .start = delta_length_byte_array_start,
    .finish = delta_length_byte_array_finish,
    .write = delta_length_byte_array_write,
    .append = delta_length_byte_array_append,
    .restart = delta_length_byte_array_restart,
    .byte_count = delta_length_byte_array_count,
};
