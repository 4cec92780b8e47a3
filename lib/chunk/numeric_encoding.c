#include "chunk/numeric_encoding.h"

#include "base/error.h"
#include "encoding/plain.h"
#include "kernel/kernel.h"

enum {
    NUMERIC_ENCODING_LEAST = 1024,         /* values of a page that is worth a choice */
    NUMERIC_ENCODING_SAMPLE_VALUES = 8192, /* that are looked at */
    GAIN = 32                              /* a smaller page must save one part in so many */
};

void lam_numeric_encoding_init(lam_numeric_encoding *choice, lam_value_layout layout,
                               lam_numeric_encoding_options options, lam_codec_context *codecs,
                               const lam_allocator *allocator) {
    memset(choice, 0, sizeof *choice);
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

/* Replaces `values` by the bytes of PLAIN values in streams. */
static lam_status numeric_encoding_split(const lam_numeric_encoding *choice, lam_bytes plain,
                                         lam_buffer *values, lam_error *error) {
    size_t size = element_size(choice), count = plain.size / size;
    lam_buffer_clear(values);
    LAM_TRY(lam_buffer_reserve(values, plain.size, error));
    lam_kernels_get()->split_streams(plain.data, size, count, count, values->data);
    values->size = plain.size;
    return LAM_STATUS_OK;
}

/* The same in ALP. */
static lam_status write_alp(lam_numeric_encoding *choice, lam_bytes plain, lam_buffer *values,
                            lam_error *error) {
    size_t count = plain.size / element_size(choice);
    if (choice->alp.writer == NULL)
        LAM_TRY(lam_encoder_init(&choice->alp, LAM_ENCODING_ALP, choice->layout, &values->allocator,
                                 error));
    /* PLAIN bytes are numbers of this machine but for their order, and this copy is aligned. */
    lam_buffer_clear(values);
    LAM_TRY(lam_buffer_append(values, plain.data, plain.size, error));
    lam_plain_swap(choice->layout, values->data, count);
    LAM_TRY(lam_encoder_write(&choice->alp, values->data, count, error));
    lam_buffer_clear(values);
    return lam_encoder_end_page(&choice->alp, values, error);
}

static lam_status numeric_encoding_encode(lam_numeric_encoding *choice, lam_encoding encoding,
                                          lam_bytes plain, lam_buffer *values, lam_error *error) {
    if (encoding == LAM_ENCODING_ALP)
        return write_alp(choice, plain, values, error);
    return numeric_encoding_split(choice, plain, values, error);
}

/* --- The choice ---------------------------------------------------------------------------- */

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

/* Takes the encoding when it saves enough on the best so far. */
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

static lam_status numeric_encoding_choose(lam_numeric_encoding *choice, lam_bytes plain,
                                          lam_error *error) {
    bool is_float =
        choice->layout.type == LAM_PHYSICAL_FLOAT || choice->layout.type == LAM_PHYSICAL_DOUBLE;
    size_t best, most = NUMERIC_ENCODING_SAMPLE_VALUES * element_size(choice);
    lam_bytes sample = {plain.data, plain.size < most ? plain.size : most};
    choice->is_chosen = true;
    choice->chosen = LAM_ENCODING_PLAIN;
    LAM_TRY(size_behind_codec(choice, sample, &best, error));
    /* As many bytes as PLAIN: only a codec sees a difference. */
    if (choice->options.use_streams && choice->options.codec != LAM_CODEC_UNCOMPRESSED)
        LAM_TRY(try_encoding(choice, LAM_ENCODING_BYTE_STREAM_SPLIT, sample, &best, error));
    if (choice->options.use_alp && is_float)
        LAM_TRY(try_encoding(choice, LAM_ENCODING_ALP, sample, &best, error));
    return LAM_STATUS_OK;
}

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
