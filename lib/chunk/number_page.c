#include "chunk/number_page.h"

#include "base/error.h"
#include "encoding/plain.h"
#include "kernel/kernel.h"

enum {
    LEAST = 1024,         /* values of a page that is worth a choice */
    SAMPLE_VALUES = 8192, /* that are looked at */
    GAIN = 32             /* a smaller page must save one part in so many */
};

void lam_number_page_init(lam_number_page *page, lam_value_layout layout,
                          lam_number_page_options options, lam_codec_context *codecs,
                          const lam_allocator *allocator) {
    memset(page, 0, sizeof *page);
    page->layout = layout;
    page->options = options;
    page->codecs = codecs;
    page->chosen = LAM_ENCODING_PLAIN;
    lam_buffer_init(&page->values, allocator);
    lam_buffer_init(&page->compressed, allocator);
}

void lam_number_page_finish(lam_number_page *page) {
    lam_encoder_finish(&page->alp);
    lam_buffer_finish(&page->values);
    lam_buffer_finish(&page->compressed);
}

void lam_number_page_restart(lam_number_page *page) {
    page->is_chosen = false;
}

/* --- The encodings ------------------------------------------------------------------------- */

static size_t element_size(const lam_number_page *page) {
    return lam_layout_size(page->layout);
}

/* Replaces `values` by the bytes of PLAIN values in streams. */
static lam_status split(const lam_number_page *page, lam_bytes plain, lam_buffer *values,
                        lam_error *error) {
    size_t size = element_size(page), count = plain.size / size;
    lam_buffer_clear(values);
    LAM_TRY(lam_buffer_reserve(values, plain.size, error));
    lam_kernels_get()->split_streams(plain.data, size, count, count, values->data);
    values->size = plain.size;
    return LAM_STATUS_OK;
}

/* The same in ALP. */
static lam_status write_alp(lam_number_page *page, lam_bytes plain, lam_buffer *values,
                            lam_error *error) {
    size_t count = plain.size / element_size(page);
    if (page->alp.writer == NULL)
        LAM_TRY(lam_encoder_init(&page->alp, LAM_ENCODING_ALP, page->layout, &values->allocator,
                                 error));
    /* PLAIN bytes are numbers of this machine but for their order, and this copy is aligned. */
    lam_buffer_clear(values);
    LAM_TRY(lam_buffer_append(values, plain.data, plain.size, error));
    lam_plain_swap(page->layout, values->data, count);
    LAM_TRY(lam_encoder_write(&page->alp, values->data, count, error));
    lam_buffer_clear(values);
    return lam_encoder_end_page(&page->alp, values, error);
}

static lam_status encode(lam_number_page *page, lam_encoding encoding, lam_bytes plain,
                         lam_buffer *values, lam_error *error) {
    if (encoding == LAM_ENCODING_ALP)
        return write_alp(page, plain, values, error);
    return split(page, plain, values, error);
}

/* --- The choice ---------------------------------------------------------------------------- */

static lam_status size_behind_codec(lam_number_page *page, lam_bytes bytes, size_t *ret_size,
                                    lam_error *error) {
    *ret_size = bytes.size;
    if (page->options.codec == LAM_CODEC_UNCOMPRESSED)
        return LAM_STATUS_OK;
    lam_buffer_clear(&page->compressed);
    LAM_TRY(lam_codec_compress(page->codecs, page->options.codec, page->options.codec_level, bytes,
                               &page->compressed, error));
    *ret_size = page->compressed.size < bytes.size ? page->compressed.size : bytes.size;
    return LAM_STATUS_OK;
}

/* Takes the encoding when it saves enough on the best so far. */
static lam_status try_encoding(lam_number_page *page, lam_encoding encoding, lam_bytes sample,
                               size_t *best, lam_error *error) {
    size_t size;
    LAM_TRY(encode(page, encoding, sample, &page->values, error));
    LAM_TRY(size_behind_codec(page, lam_buffer_bytes(&page->values), &size, error));
    if (size >= *best - *best / GAIN)
        return LAM_STATUS_OK;
    *best = size;
    page->chosen = encoding;
    return LAM_STATUS_OK;
}

static lam_status choose(lam_number_page *page, lam_bytes plain, lam_error *error) {
    bool is_float =
        page->layout.type == LAM_PHYSICAL_FLOAT || page->layout.type == LAM_PHYSICAL_DOUBLE;
    size_t best, most = SAMPLE_VALUES * element_size(page);
    lam_bytes sample = {plain.data, plain.size < most ? plain.size : most};
    page->is_chosen = true;
    page->chosen = LAM_ENCODING_PLAIN;
    LAM_TRY(size_behind_codec(page, sample, &best, error));
    /* As many bytes as PLAIN: only a codec sees a difference. */
    if (page->options.use_streams && page->options.codec != LAM_CODEC_UNCOMPRESSED)
        LAM_TRY(try_encoding(page, LAM_ENCODING_BYTE_STREAM_SPLIT, sample, &best, error));
    if (page->options.use_alp && is_float)
        LAM_TRY(try_encoding(page, LAM_ENCODING_ALP, sample, &best, error));
    return LAM_STATUS_OK;
}

static bool may_choose(const lam_number_page *page) {
    switch (page->layout.type) {
    case LAM_PHYSICAL_FLOAT:
    case LAM_PHYSICAL_DOUBLE:
        return page->options.use_streams || page->options.use_alp;
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_INT64:
        return page->options.use_streams;
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return page->options.use_wide_streams && page->layout.type_length > 1;
    default:
        return false;
    }
}

lam_status lam_number_page_encode(lam_number_page *page, lam_buffer *values,
                                  lam_encoding *ret_encoding, lam_error *error) {
    lam_bytes plain = lam_buffer_bytes(values);
    *ret_encoding = LAM_ENCODING_PLAIN;
    if (!may_choose(page) || (!page->is_chosen && plain.size < LEAST * element_size(page)))
        return LAM_STATUS_OK;
    if (!page->is_chosen)
        LAM_TRY(choose(page, plain, error));
    if (page->chosen == LAM_ENCODING_PLAIN)
        return LAM_STATUS_OK;
    LAM_TRY(encode(page, page->chosen, plain, &page->values, error));
    lam_buffer spare = *values;
    *values = page->values;
    page->values = spare;
    *ret_encoding = page->chosen;
    return LAM_STATUS_OK;
}
