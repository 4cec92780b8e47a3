/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the encoder of each encoding, and holds those that are thin layers over others: PLAIN, RLE
 * booleans over hybrid runs, DELTA_BINARY_PACKED. Takes elements of lam_triples.values, in any
 * number of calls, and gives the value bytes of a page when it ends. The invariant: encoder->bytes
 * and the state hold the complete page until it is appended, and only then are cleared, so a failed
 * append leaves both the page and `out` as they were. Memory is kept from page to page.
 */
#include "encoding/encoder.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "encoding/alp.h"
#include "encoding/auto_encoder.h"
#include "encoding/byte_stream_split.h"
#include "encoding/delta_binary_packed.h"
#include "encoding/delta_byte_array.h"
#include "encoding/delta_length_byte_array.h"
#include "encoding/encoding.h"
#include "encoding/plain.h"

enum { ENCODER_LENGTH_SIZE = 4 };

/* Ends a page whose bytes are complete in encoder->bytes. */
static lam_status encoder_append_bytes(lam_encoder *encoder, lam_buffer *out, lam_error *error) {
    return lam_buffer_append(out, encoder->bytes.data, encoder->bytes.size, error);
}

/* --- PLAIN --------------------------------------------------------------------------------- */

/* The next page begins a byte of its own. */
static void restart_plain(lam_encoder *encoder) {
    encoder->bit = 0;
}

static const lam_value_writer plain_writer = {
    .write = lam_plain_write,
    .append = encoder_append_bytes,
    .restart = restart_plain,
};

/* --- RLE booleans -------------------------------------------------------------------------- */

/* The buffer is set with each call, because encoders are moved. */
static void start_runs(lam_encoder *encoder) {
    lam_rle_encoder_init(&encoder->runs, encoder->kernels, 1, NULL);
}

static lam_status write_runs(lam_encoder *encoder, const void *values, size_t count,
                             lam_error *error) {
    encoder->runs.out = &encoder->bytes; /* which has moved if the encoder has */
    return lam_rle_write_levels(&encoder->runs, values, count, error);
}

/*
 * Ends a page of booleans: the length of the runs, 4 bytes little endian, then the runs. The flush
 * closes the last run; repeated after a failure, it has no effect.
 */
static lam_status append_runs(lam_encoder *encoder, lam_buffer *out, lam_error *error) {
    encoder->runs.out = &encoder->bytes;
    LAM_TRY(lam_rle_encoder_flush(&encoder->runs, error));
    lam_bytes runs = lam_buffer_bytes(&encoder->bytes);
    if (runs.size > INT32_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "a page of %zu bytes", runs.size);
    LAM_TRY(lam_buffer_reserve(out, ENCODER_LENGTH_SIZE + runs.size, error));
    lam_store_le32(out->data + out->size, (uint32_t)runs.size);
    out->size += ENCODER_LENGTH_SIZE;
    return encoder_append_bytes(encoder, out, error);
}

/* Bytes besides the runs; the open run is not counted. */
static size_t encoder_count_runs(const lam_encoder *encoder) {
    (void)encoder;
    return ENCODER_LENGTH_SIZE;
}

static const lam_value_writer runs_writer = {
    .start = start_runs,
    .write = write_runs,
    .append = append_runs,
    .byte_count = encoder_count_runs,
};

/* --- DELTA_BINARY_PACKED ------------------------------------------------------------------- */

/* The state is a lam_delta_encoder, and encoder->bytes stays empty. */
static void start_deltas(lam_encoder *encoder) {
    unsigned bits = encoder->layout.type == LAM_PHYSICAL_INT32 ? 32 : 64;
    lam_delta_encoder_init(encoder->state, encoder->kernels, bits, &encoder->bytes.allocator);
}

static void finish_deltas(lam_encoder *encoder) {
    lam_delta_encoder_finish(encoder->state);
}

static lam_status write_deltas(lam_encoder *encoder, const void *values, size_t count,
                               lam_error *error) {
    return lam_delta_write(encoder->state, values, count, error);
}

static lam_status append_deltas(lam_encoder *encoder, lam_buffer *out, lam_error *error) {
    return lam_delta_append(encoder->state, out, error);
}

static void restart_deltas(lam_encoder *encoder) {
    lam_delta_restart(encoder->state);
}

static size_t count_deltas(const lam_encoder *encoder) {
    return lam_delta_byte_count(encoder->state);
}

static const lam_value_writer deltas_writer = {
    .state_size = sizeof(lam_delta_encoder),
    .start = start_deltas,
    .finish = finish_deltas,
    .write = write_deltas,
    .append = append_deltas,
    .restart = restart_deltas,
    .byte_count = count_deltas,
};

/* ------------------------------------------------------------------------------------------- */

/*
 * The writer of an encoding. NULL for BIT_PACKED, which is not written, and for the dictionary
 * encodings, whose indexes dictionary.h writes.
 */
static const lam_value_writer *writer_of(lam_encoding encoding) {
    switch (encoding) {
    case LAM_ENCODING_PLAIN:
        return &plain_writer;
    case LAM_ENCODING_RLE:
        return &runs_writer;
    case LAM_ENCODING_DELTA_BINARY_PACKED:
        return &deltas_writer;
    case LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
        return &lam_delta_length_writer;
    case LAM_ENCODING_DELTA_BYTE_ARRAY:
        return &lam_delta_strings_writer;
    case LAM_ENCODING_BYTE_STREAM_SPLIT:
        return &lam_byte_streams_writer;
    case LAM_ENCODING_ALP:
        return &lam_alp_writer;
    default:
        return NULL;
    }
}

/* The writer that chooses page by page; NULL for types that have only PLAIN to choose. */
static const lam_value_writer *choosing_writer_of(lam_physical_type type) {
    if (type == LAM_PHYSICAL_INT32 || type == LAM_PHYSICAL_INT64)
        return &lam_auto_integers_writer;
    return type == LAM_PHYSICAL_BYTE_ARRAY ? &lam_auto_bytes_writer : NULL;
}

/* Allocates the state and starts the writer; *encoder is written only once both have succeeded. */
static lam_status start_encoder(lam_encoder *encoder, const lam_encoder *fresh,
                                const lam_allocator *allocator, lam_error *error) {
    void *state;
    LAM_TRY(lam_alloc_array(allocator, 1, fresh->writer->state_size, &state, error));
    *encoder = *fresh;
    encoder->state = state;
    lam_buffer_init(&encoder->bytes, allocator);
    if (encoder->writer->start != NULL)
        encoder->writer->start(encoder);
    return LAM_STATUS_OK;
}

lam_status lam_encoder_init_choosing(lam_encoder *encoder, const lam_kernels *kernels,
                                     lam_value_layout layout, const lam_allocator *allocator,
                                     lam_error *error) {
    lam_encoder fresh = {.kernels = kernels, .encoding = LAM_ENCODING_PLAIN, .layout = layout};
    fresh.writer = choosing_writer_of(layout.type);
    if (fresh.writer == NULL)
        return lam_encoder_init(encoder, kernels, LAM_ENCODING_PLAIN, layout, allocator, error);
    fresh.is_deferred = true;
    lam_buffer_init(&fresh.bytes, allocator);
    *encoder = fresh;
    return LAM_STATUS_OK;
}

/* Starts an encoder that has waited for its first value. */
static lam_status start_deferred(lam_encoder *encoder, lam_error *error) {
    lam_encoder fresh = *encoder;
    lam_allocator allocator = encoder->bytes.allocator;
    fresh.is_deferred = false;
    return start_encoder(encoder, &fresh, &allocator, error);
}

lam_status lam_encoder_init(lam_encoder *encoder, const lam_kernels *kernels, lam_encoding encoding,
                            lam_value_layout layout, const lam_allocator *allocator,
                            lam_error *error) {
    if (!lam_encoding_takes(encoding, layout.type))
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s values cannot be in the encoding %s",
                 lam_encoding_type_name(layout.type), lam_encoding_name(encoding));
    lam_encoder fresh = {
        .writer = writer_of(encoding), .kernels = kernels, .encoding = encoding, .layout = layout};
    if (fresh.writer == NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ENCODING,
                 "writing the encoding %s is not supported", lam_encoding_name(encoding));
    return start_encoder(encoder, &fresh, allocator, error);
}

/* Does nothing to an encoder that is all zeros, and was never started. */
void lam_encoder_finish(lam_encoder *encoder) {
    if (encoder->writer == NULL)
        return;
    if (encoder->writer->finish != NULL && !encoder->is_deferred)
        encoder->writer->finish(encoder);
    lam_free(&encoder->bytes.allocator, encoder->state, encoder->writer->state_size);
    lam_buffer_finish(&encoder->bytes);
}

lam_status lam_encoder_write(lam_encoder *encoder, const void *values, size_t count,
                             lam_error *error) {
    if (count == 0)
        return LAM_STATUS_OK;
    if (encoder->is_deferred)
        LAM_TRY(start_deferred(encoder, error));
    return encoder->writer->write(encoder, values, count, error);
}

/* Clears the page only after it is appended: then no step is left that can fail. */
lam_status lam_encoder_end_page(lam_encoder *encoder, lam_buffer *out, lam_error *error) {
    if (encoder->is_deferred)
        LAM_TRY(start_deferred(encoder, error));
    LAM_TRY(encoder->writer->append(encoder, out, error));
    lam_buffer_clear(&encoder->bytes);
    if (encoder->writer->restart != NULL)
        encoder->writer->restart(encoder);
    return LAM_STATUS_OK;
}

size_t lam_encoder_byte_count(const lam_encoder *encoder) {
    size_t more = 0; /* also of an encoder that has waited: those that do begin with none */
    if (encoder->writer->byte_count != NULL && !encoder->is_deferred)
        more = encoder->writer->byte_count(encoder);
    return encoder->bytes.size + more;
}
