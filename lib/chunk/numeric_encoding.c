/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries encodings of numbers on a sample and encodes pages in the one that won. In come the value
 * bytes of a PLAIN page; out go those of the same values, and their encoding.
 *
 *   PLAIN               a0 a1 a2 a3  b0 b1 b2 b3  c0 c1 c2 c3
 *   BYTE_STREAM_SPLIT   a0 b0 c0  a1 b1 c1  a2 b2 c2  a3 b3 c3
 *
 * The invariant: a chunk makes one choice, on the first page of 1,024 values or more; smaller pages
 * before it stay PLAIN. What counts is the size after the codec, because streams are as long as
 * PLAIN and only compress better. (Encodings.md, "Byte Stream Split", "ALP")
 */
#include "chunk/numeric_encoding.h"

#include "base/error.h"
#include "encoding/plain.h"
#include "kernel/kernel.h"

enum {
    NUMERIC_ENCODING_LEAST = 1024,         /* values that a page needs to make the choice */
    NUMERIC_ENCODING_SAMPLE_VALUES = 8192, /* values that the choice is made on, at most */
    GAIN = 32                              /* an encoding must save 1/32 of the best size so far */
};

void lam_numeric_encoding_init(lam_numeric_encoding *choice, const lam_kernels *kernels,
                               lam_value_layout layout, lam_numeric_encoding_options options,
                               lam_codec_context *codecs, const lam_allocator *allocator) {
    memset(choice, 0, sizeof *choice);
    choice->kernels = kernels;
    choice->layout = layout;
    choice->options = options;
    choice->codecs = codecs;
    choice->chosen = LAM_ENCODING_PLAIN;
    lam_buffer_init(&choice->values, allocator);
    lam_buffer_init(&choice->compressed, allocator);
}

void lam_numeric_encoding_finish(lam_numeric_encoding *choice) {
    lam_encoder_finish(&choice->alp);
    lam_buffer_finish(&choice->values);
    lam_buffer_finish(&choice->compressed);
}

void lam_numeric_encoding_restart(lam_numeric_encoding *choice) {
    choice->is_chosen = false;
}

/* --- The encodings ------------------------------------------------------------------------- */

static size_t element_size(const lam_numeric_encoding *choice) {
    return lam_layout_size(choice->layout);
}

/* Writes PLAIN values as BYTE_STREAM_SPLIT to `values`. */
static lam_status numeric_encoding_split(const lam_numeric_encoding *choice, lam_bytes plain,
                                         lam_buffer *values, lam_error *error) {
    size_t size = element_size(choice), count = plain.size / size;
    lam_buffer_clear(values);
    LAM_TRY(lam_buffer_reserve(values, plain.size, error));
    choice->kernels->split_streams(plain.data, size, count, count, values->data);
    values->size = plain.size;
    return LAM_STATUS_OK;
}

/* Writes PLAIN values as ALP to `values`. The encoder is made by the first chunk that tries it. */
static lam_status write_alp(lam_numeric_encoding *choice, lam_bytes plain, lam_buffer *values,
                            lam_error *error) {
    size_t count = plain.size / element_size(choice);
    if (choice->alp.writer == NULL)
        LAM_TRY(lam_encoder_init(&choice->alp, choice->kernels, LAM_ENCODING_ALP, choice->layout,
                                 &values->allocator, error));
    /*
     * PLAIN is little-endian, and the encoder takes numbers of this machine: so they are copied,
     * which aligns them, and swapped where the machine is big-endian. The encoder keeps its own
     * copy of them.
     */
    lam_buffer_clear(values);
    LAM_TRY(lam_buffer_append(values, plain.data, plain.size, error));
    lam_plain_swap(choice->layout, values->data, count);
    LAM_TRY(lam_encoder_write(&choice->alp, values->data, count, error));
    lam_buffer_clear(values);
    return lam_encoder_end_page(&choice->alp, values, error);
}

/* Writes PLAIN values in one of the two other encodings. */
static lam_status numeric_encoding_encode(lam_numeric_encoding *choice, lam_encoding encoding,
                                          lam_bytes plain, lam_buffer *values, lam_error *error) {
    if (encoding == LAM_ENCODING_ALP)
        return write_alp(choice, plain, values, error);
    return numeric_encoding_split(choice, plain, values, error);
}

/* --- The choice ---------------------------------------------------------------------------- */

/*
 * Gives the size of bytes after the codec. Where that is larger than before, the size before
 * counts: V2 pages may stay uncompressed.
 */
static lam_status size_behind_codec(lam_numeric_encoding *choice, lam_bytes bytes, size_t *ret_size,
                                    lam_error *error) {
    *ret_size = bytes.size;
    if (choice->options.codec == LAM_CODEC_UNCOMPRESSED)
        return LAM_STATUS_OK;
    lam_buffer_clear(&choice->compressed);
    LAM_TRY(lam_codec_compress(choice->codecs, choice->options.codec, choice->options.codec_level,
                               bytes, &choice->compressed, error));
    *ret_size = choice->compressed.size < bytes.size ? choice->compressed.size : bytes.size;
    return LAM_STATUS_OK;
}

/* Tries an encoding on the sample, and takes it if it saves enough on the best size so far. */
static lam_status try_encoding(lam_numeric_encoding *choice, lam_encoding encoding,
                               lam_bytes sample, size_t *best, lam_error *error) {
    size_t size;
    LAM_TRY(numeric_encoding_encode(choice, encoding, sample, &choice->values, error));
    LAM_TRY(size_behind_codec(choice, lam_buffer_bytes(&choice->values), &size, error));
    if (size >= *best - *best / GAIN)
        return LAM_STATUS_OK;
    *best = size;
    choice->chosen = encoding;
    return LAM_STATUS_OK;
}

/* Chooses the encoding of the chunk on the beginning of a page. */
static lam_status numeric_encoding_choose(lam_numeric_encoding *choice, lam_bytes plain,
                                          lam_error *error) {
    bool is_float =
        choice->layout.type == LAM_PHYSICAL_FLOAT || choice->layout.type == LAM_PHYSICAL_DOUBLE;
    size_t best, most = NUMERIC_ENCODING_SAMPLE_VALUES * element_size(choice);
    lam_bytes sample = {plain.data, plain.size < most ? plain.size : most};
    choice->is_chosen = true;
    choice->chosen = LAM_ENCODING_PLAIN;
    LAM_TRY(size_behind_codec(choice, sample, &best, error));
    /* Streams have as many bytes as PLAIN: only a codec makes a difference. */
    if (choice->options.use_streams && choice->options.codec != LAM_CODEC_UNCOMPRESSED)
        LAM_TRY(try_encoding(choice, LAM_ENCODING_BYTE_STREAM_SPLIT, sample, &best, error));
    if (choice->options.use_alp && is_float)
        LAM_TRY(try_encoding(choice, LAM_ENCODING_ALP, sample, &best, error));
    return LAM_STATUS_OK;
}

/*
 * True if the options leave a choice for the type. A FIXED_LEN_BYTE_ARRAY of one byte is one stream
 * either way; booleans and byte arrays cannot be split.
 */
static bool may_choose(const lam_numeric_encoding *choice) {
    switch (choice->layout.type) {
    case LAM_PHYSICAL_FLOAT:
    case LAM_PHYSICAL_DOUBLE:
        return choice->options.use_streams || choice->options.use_alp;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return choice->options.use_streams;
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return choice->options.use_wide_streams && choice->layout.type_length > 1;
    default:
        return false;
    }
}

/*
 * Encodes into scratch and exchanges the two buffers, so that both keep their memory for the next
 * page.
 */
lam_status lam_numeric_encoding_encode(lam_numeric_encoding *choice, lam_buffer *values,
                                       lam_encoding *ret_encoding, lam_error *error) {
    lam_bytes plain = lam_buffer_bytes(values);
    *ret_encoding = LAM_ENCODING_PLAIN;
    if (!may_choose(choice) ||
        (!choice->is_chosen && plain.size < NUMERIC_ENCODING_LEAST * element_size(choice)))
        return LAM_STATUS_OK;
    if (!choice->is_chosen)
        LAM_TRY(numeric_encoding_choose(choice, plain, error));
    if (choice->chosen == LAM_ENCODING_PLAIN)
        return LAM_STATUS_OK;
    LAM_TRY(numeric_encoding_encode(choice, choice->chosen, plain, &choice->values, error));
    lam_buffer spare = *values;
    *values = choice->values;
    choice->values = spare;
    *ret_encoding = choice->chosen;
    return LAM_STATUS_OK;
}
