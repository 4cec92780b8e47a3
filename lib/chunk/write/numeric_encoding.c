/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries encodings of numbers on a sample and encodes pages in the one that won: the value bytes of
 * a PLAIN page become bytes of the same values in that encoding.
 *
 *   PLAIN               a0 a1 a2 a3  b0 b1 b2 b3  c0 c1 c2 c3
 *   BYTE_STREAM_SPLIT   a0 b0 c0  a1 b1 c1  a2 b2 c2  a3 b3 c3
 *
 * The invariant: a chunk makes one choice, on the first page of 1,024 values or more; smaller pages
 * before it stay PLAIN. What counts is the size after the codec, because streams are as long as
 * PLAIN and only compress better. Whether integers in a dictionary would rather be differences is
 * tried here, too. (Encodings.md, "Byte Stream Split", "ALP", "Delta Encoding")
 */
#include "chunk/write/numeric_encoding.h"

#include "base/error.h"
#include "base/wrap.h"
#include "encoding/delta_binary_packed.h"
#include "encoding/plain.h"
#include "encoding/rle.h"
#include "kernel/kernel.h"

enum {
    NUMERIC_ENCODING_LEAST = 1024,         /* values that a page needs to make the choice */
    NUMERIC_ENCODING_SAMPLE_VALUES = 8192, /* values that the choice is made on, at most */
    DELTA_SAMPLES = 8,        /* positions of a page where differences are sampled, ... */
    DELTA_SAMPLE_VALUES = 32, /* ... and differences at each */
    GAIN = 32                 /* an encoding must save 1/32 of the best size so far */
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
     * which aligns them, and swapped if the machine is big-endian. The encoder keeps its own copy
     * of them.
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
 * Gives the size of bytes after the codec. If that is larger than before, the size before counts:
 * V2 pages may stay uncompressed.
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

/* --- Differences or a dictionary ----------------------------------------------------------- */

/* Gives value `index` of the page, of 4 or 8 bytes. */
static int64_t indexed_value(const lam_numeric_encoding *choice, const void *entries,
                             const uint32_t *indexes, size_t index) {
    return element_size(choice) == sizeof(int64_t)
               ? ((const int64_t *)entries)[indexes[index]]
               : (int64_t)((const int32_t *)entries)[indexes[index]];
}

/*
 * Estimates from 32 differences at each of eight positions whether they are less than half as wide
 * as indexes, so that few pages are encoded in vain. The subtraction wraps, as in the encoding.
 */
static bool differences_are_narrow(const lam_numeric_encoding *choice,
                                   const lam_dictionary *dictionary, const uint32_t *indexes,
                                   size_t count) {
    size_t step = (count - DELTA_SAMPLE_VALUES - 1) / (DELTA_SAMPLES - 1), bits = 0;
    for (size_t i = 0; i < DELTA_SAMPLES; i++) {
        int64_t least = INT64_MAX, most = INT64_MIN;
        int64_t last = indexed_value(choice, dictionary->values, indexes, i * step);
        for (size_t j = 1; j <= DELTA_SAMPLE_VALUES; j++) {
            int64_t next = indexed_value(choice, dictionary->values, indexes, i * step + j);
            int64_t delta = (int64_t)lam_wrap_subtract((uint64_t)next, (uint64_t)last);
            least = delta < least ? delta : least;
            most = delta > most ? delta : most;
            last = next;
        }
        bits += lam_bit_width(lam_wrap_subtract((uint64_t)most, (uint64_t)least));
    }
    return 2 * bits < DELTA_SAMPLES * lam_bit_width(dictionary->count - 1);
}

/* Writes the values of a page as differences to choice->values; `numbers` is scratch. */
static lam_status write_differences(lam_numeric_encoding *choice, const lam_dictionary *dictionary,
                                    const uint32_t *indexes, size_t count, lam_buffer *numbers,
                                    lam_error *error) {
    size_t size = element_size(choice);
    lam_delta_encoder deltas;
    LAM_TRY(lam_buffer_reserve(numbers, count * size, error));
    choice->kernels->gather(dictionary->values, size, indexes, count, numbers->data);
    lam_delta_encoder_init(&deltas, choice->kernels, 8 * (unsigned)size, &choice->values.allocator);
    lam_status status = lam_delta_write(&deltas, numbers->data, count, error);
    lam_buffer_clear(&choice->values);
    if (status == LAM_STATUS_OK)
        status = lam_delta_append(&deltas, &choice->values, error);
    lam_delta_encoder_finish(&deltas);
    return status;
}

/*
 * Compares both ways before the codec, where differences must take half at most, and after it. The
 * entries are not counted: later pages may share them.
 */
static lam_status try_differences(lam_numeric_encoding *choice, const lam_dictionary *dictionary,
                                  const uint32_t *indexes, size_t count, lam_buffer *scratch,
                                  bool *ret_pays, lam_error *error) {
    size_t differences, rest;
    LAM_TRY(write_differences(choice, dictionary, indexes, count, scratch, error));
    lam_buffer_clear(scratch);
    LAM_TRY(lam_dictionary_write_indexes(choice->kernels, indexes, count, dictionary->count,
                                         scratch, error));
    *ret_pays = false;
    if (choice->values.size > scratch->size / 2)
        return LAM_STATUS_OK;
    LAM_TRY(size_behind_codec(choice, lam_buffer_bytes(&choice->values), &differences, error));
    LAM_TRY(size_behind_codec(choice, lam_buffer_bytes(scratch), &rest, error));
    *ret_pays = differences < rest;
    return LAM_STATUS_OK;
}

lam_status lam_numeric_encoding_try_deltas(lam_numeric_encoding *choice,
                                           const lam_dictionary *dictionary,
                                           const uint32_t *indexes, size_t count, bool *ret_pays,
                                           lam_error *error) {
    bool is_integer =
        choice->layout.type == LAM_PHYSICAL_INT32 || choice->layout.type == LAM_PHYSICAL_INT64;
    *ret_pays = false;
    if (!is_integer || count < NUMERIC_ENCODING_LEAST ||
        !differences_are_narrow(choice, dictionary, indexes, count))
        return LAM_STATUS_OK;
    lam_buffer scratch;
    lam_buffer_init(&scratch, &choice->values.allocator);
    lam_status status =
        try_differences(choice, dictionary, indexes, count, &scratch, ret_pays, error);
    lam_buffer_finish(&scratch);
    return status;
}
