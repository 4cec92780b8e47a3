#include "encoding/encoder.h"

#include "base/bytes.h"
#include "base/error.h"
#include "encoding/encoding.h"
#include "encoding/plain.h"

enum { LENGTH_SIZE = 4 };

lam_status lam_encoder_init(lam_encoder *encoder, lam_encoding encoding, lam_value_layout layout,
                            const lam_allocator *allocator, lam_error *error) {
    if (!lam_encoding_takes(encoding, layout.type))
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s values cannot be in the encoding %s",
                 lam_encoding_type_name(layout.type), lam_encoding_name(encoding));
    if (encoding != LAM_ENCODING_PLAIN && encoding != LAM_ENCODING_RLE)
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED, "writing the encoding %s is not supported",
                 lam_encoding_name(encoding));
    memset(encoder, 0, sizeof *encoder);
    encoder->encoding = encoding;
    encoder->layout = layout;
    lam_buffer_init(&encoder->bytes, allocator);
    lam_rle_encoder_init(&encoder->runs, 1, NULL);
    return LAM_STATUS_OK;
}

void lam_encoder_finish(lam_encoder *encoder) {
    lam_buffer_finish(&encoder->bytes);
}

lam_status lam_encoder_write(lam_encoder *encoder, const void *values, size_t count,
                             lam_error *error) {
    if (count == 0)
        return LAM_STATUS_OK;
    if (encoder->encoding == LAM_ENCODING_PLAIN)
        return lam_plain_write(encoder, values, count, error);
    encoder->runs.out = &encoder->bytes; /* the encoder may have moved */
    return lam_rle_write_levels(&encoder->runs, values, count, error);
}

/* RLE booleans have the length of their runs in front. */
static lam_status end_runs(lam_encoder *encoder, lam_buffer *out, lam_error *error) {
    encoder->runs.out = &encoder->bytes;
    LAM_TRY(lam_rle_encoder_flush(&encoder->runs, error));
    lam_bytes runs = lam_buffer_bytes(&encoder->bytes);
    if (runs.size > INT32_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "a page of %zu bytes", runs.size);
    LAM_TRY(lam_buffer_reserve(out, LENGTH_SIZE + runs.size, error));
    lam_store_le32(out->data + out->size, (uint32_t)runs.size);
    out->size += LENGTH_SIZE;
    return LAM_STATUS_OK;
}

lam_status lam_encoder_end_page(lam_encoder *encoder, lam_buffer *out, lam_error *error) {
    if (encoder->encoding == LAM_ENCODING_RLE)
        LAM_TRY(end_runs(encoder, out, error));
    LAM_TRY(lam_buffer_append(out, encoder->bytes.data, encoder->bytes.size, error));
    lam_buffer_clear(&encoder->bytes);
    encoder->bit = 0;
    return LAM_STATUS_OK;
}

size_t lam_encoder_byte_count(const lam_encoder *encoder) {
    return encoder->bytes.size + (encoder->encoding == LAM_ENCODING_RLE ? LENGTH_SIZE : 0);
}
