/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the encoding of each page by its values: PLAIN, or a delta encoding that takes clearly
 * fewer bytes. Takes values, and keeps them as they are until the page ends; a sample of neighbours
 * rules out most pages that would not shrink, then the delta encoding is tried, and its bytes are
 * kept if they are few enough, else dropped and PLAIN is written. encoder->encoding is that of the
 * page just ended. The choice always depends on the page's values alone, so the bytes do not depend
 * on how the calls are split, and it cannot lose a value: both encodings hold any values.
 * (Encodings.md, "Delta Encoding", "Delta-length byte array", "Delta Strings")
 */
#include "encoding/auto_encoder.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/list.h"
#include "base/wrap.h"
#include "encoding/delta_binary_packed.h"
#include "encoding/delta_byte_array.h"
#include "encoding/plain.h"
#include "encoding/short_copy.h"

enum {
    /* The sample reads 33 values from each of 8 positions, fewer than a page of 1024 has. */
    AUTO_ENCODER_LEAST = 1024,       /* values of a page for which a choice pays */
    SAMPLES = 8,                     /* positions of a page that are sampled, ... */
    AUTO_ENCODER_SAMPLE_VALUES = 32, /* ... and differences at each */
    AUTO_ENCODER_LENGTH_SIZE = 4     /* in front of a byte array in PLAIN */
};

/* --- Integers ------------------------------------------------------------------------------ */

/*
 * Keeps the values in encoder->bytes, in the byte order of the machine. The state is a delta
 * encoder, which is empty until a page ends.
 */
static void start_integers(lam_encoder *encoder) {
    lam_delta_encoder_init(encoder->state, encoder->kernels,
                           8 * (unsigned)lam_layout_size(encoder->layout),
                           &encoder->bytes.allocator);
}

static void finish_integers(lam_encoder *encoder) {
    lam_delta_encoder_finish(encoder->state);
}

static lam_status write_integers(lam_encoder *encoder, const void *values, size_t count,
                                 lam_error *error) {
    size_t size;
    if (!lam_mul_size(count, lam_layout_size(encoder->layout), &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu values", count);
    return lam_buffer_append(&encoder->bytes, values, size, error);
}

/* The most that a delta encoding may take: less than a quarter saved is not worth its decoding. */
static size_t three_quarters(size_t size) {
    return size / 4 * 3;
}

/* Value `index` of either size; memcpy, as the buffer is one of bytes. */
static int64_t auto_encoder_value_at(const uint8_t *values, size_t size, size_t index) {
    int32_t short_value;
    int64_t long_value;
    if (size == sizeof long_value) {
        memcpy(&long_value, values + index * size, sizeof long_value);
        return long_value;
    }
    memcpy(&short_value, values + index * size, sizeof short_value);
    return short_value;
}

/*
 * Bits that the differences after position `first` would be packed with: those of their range, as a
 * miniblock's are. 10 12 14 16 gives 0, 10 11 20 21 gives 4 (the differences are 1 to 9). The
 * subtraction wraps, as it does in the encoding.
 */
LAM_WRAPS static unsigned bits_at(const uint8_t *values, size_t size, size_t first) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = first; i < first + AUTO_ENCODER_SAMPLE_VALUES; i++) {
        int64_t delta = (int64_t)((uint64_t)auto_encoder_value_at(values, size, i + 1) -
                                  (uint64_t)auto_encoder_value_at(values, size, i));
        least = delta < least ? delta : least;
        most = delta > most ? delta : most;
    }
    return lam_bit_width((uint64_t)most - (uint64_t)least);
}

/*
 * Estimates from the sample whether the differences are narrow enough, so that numbers that are far
 * from each other are not encoded in vain. The positions are evenly spread, the last one so that
 * its last difference is the last of the page or before it.
 */
static bool are_near(const uint8_t *values, size_t size, size_t count) {
    unsigned bits = 0;
    size_t step = (count - AUTO_ENCODER_SAMPLE_VALUES - 1) / (SAMPLES - 1);
    for (size_t i = 0; i < SAMPLES; i++)
        bits += bits_at(values, size, i * step);
    return bits < three_quarters(SAMPLES * 8 * size);
}

/* Ends the page. A delta page that turns out too long is cut off again from `out`. */
static lam_status append_integers(lam_encoder *encoder, lam_buffer *out, lam_error *error) {
    size_t size = lam_layout_size(encoder->layout), count = encoder->bytes.size / size;
    size_t before = out->size;
    if (count >= AUTO_ENCODER_LEAST && are_near(encoder->bytes.data, size, count)) {
        lam_delta_restart(encoder->state); /* a page that failed before may have left something */
        LAM_TRY(lam_delta_write(encoder->state, encoder->bytes.data, count, error));
        LAM_TRY(lam_delta_append(encoder->state, out, error));
        encoder->encoding = LAM_ENCODING_DELTA_BINARY_PACKED;
        if (out->size - before <= three_quarters(encoder->bytes.size))
            return LAM_STATUS_OK;
        out->size = before;
    }
    encoder->encoding = LAM_ENCODING_PLAIN;
    return lam_plain_append(encoder->layout, encoder->bytes.data, count, out, error);
}

const lam_value_writer lam_auto_integers_writer = {
    .state_size = sizeof(lam_delta_encoder),
    .start = start_integers,
    .finish = finish_integers,
    .write = write_integers,
    .append = append_integers,
};

/* --- Byte arrays --------------------------------------------------------------------------- */

/*
 * The state of a page of byte arrays: encoder->bytes has the bytes of all values back to back,
 * `lengths` their lengths. The two encoders are used when the page ends, and only their memory is
 * kept.
 */
typedef struct byte_arrays {
    LAM_LIST(uint32_t) lengths;
    lam_delta_encoder deltas;
    lam_prefix_encoder prefix_encoder;
} byte_arrays;

static void start_bytes(lam_encoder *encoder) {
    byte_arrays *state = encoder->state;
    LAM_LIST_INIT(&state->lengths, &encoder->bytes.allocator);
    lam_delta_encoder_init(&state->deltas, encoder->kernels, 32, &encoder->bytes.allocator);
    lam_prefix_encoder_init(&state->prefix_encoder, encoder->kernels, &encoder->bytes.allocator);
}

static void finish_bytes(lam_encoder *encoder) {
    byte_arrays *state = encoder->state;
    LAM_LIST_FINISH(&state->lengths);
    lam_delta_encoder_finish(&state->deltas);
    lam_prefix_encoder_finish(&state->prefix_encoder);
}

/* Adds up the sizes. A length is an INT32 in the delta encodings: longer values are refused. */
static lam_status sum_sizes(const lam_bytes *values, size_t count, size_t *ret_total,
                            lam_error *error) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i].size > INT32_MAX)
            LAM_FAIL(error, LAM_STATUS_LIMIT, "a byte array of %zu bytes; the maximum is %d",
                     values[i].size, INT32_MAX);
        /* unreachable: when a size has 64 bits, that takes 2^33 values of 2 GiB */
        if (!lam_add_size(total, values[i].size, &total))
            LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu byte arrays", count);
    }
    *ret_total = total;
    return LAM_STATUS_OK;
}

/*
 * Copies the values to `to` and their lengths to `lengths`. Adjacent values, as in an Arrow array
 * or a page, are copied together.
 */
static void auto_encoder_copy_values(const lam_bytes *values, size_t count, uint32_t *lengths,
                                     uint8_t *to) {
    for (size_t i = 0; i < count;) {
        const uint8_t *from = values[i].data;
        size_t size = values[i].size;
        lengths[i++] = (uint32_t)size;
        while (i < count && size > 0 && values[i].data == from + size) {
            size += values[i].size;
            lengths[i] = (uint32_t)values[i].size;
            i++;
        }
        lam_copy_short(to, from, size);
        to += size;
    }
}

static lam_status auto_encoder_write_bytes(lam_encoder *encoder, const void *values, size_t count,
                                           lam_error *error) {
    byte_arrays *state = encoder->state;
    size_t total;
    LAM_TRY(LAM_LIST_RESERVE(&state->lengths, count, error)); /* before values are read */
    LAM_TRY(sum_sizes(values, count, &total, error));
    LAM_TRY(lam_buffer_reserve(&encoder->bytes, total > 0 ? total : 1, error)); /* for `to` */
    auto_encoder_copy_values(values, count, state->lengths.items + state->lengths.count,
                             encoder->bytes.data + encoder->bytes.size);
    state->lengths.count += count;
    encoder->bytes.size += total;
    return LAM_STATUS_OK;
}

/* Writes the page as PLAIN: each length, then the bytes. */
static lam_status append_plain_bytes(const lam_encoder *encoder, const uint32_t *lengths,
                                     size_t count, lam_buffer *out, lam_error *error) {
    /* `lengths` is as long beside the bytes, so the sum is the size of something in memory. */
    size_t total = encoder->bytes.size + count * AUTO_ENCODER_LENGTH_SIZE;
    if (total == 0)
        return LAM_STATUS_OK;
    LAM_TRY(lam_buffer_reserve(out, total, error));
    const uint8_t *from = encoder->bytes.data;
    uint8_t *next = out->data + out->size;
    for (size_t i = 0; i < count; i++) {
        lam_store_le32(next, lengths[i]);
        lam_copy_short(next + AUTO_ENCODER_LENGTH_SIZE, from, lengths[i]);
        next += AUTO_ENCODER_LENGTH_SIZE + lengths[i];
        from = lengths[i] > 0 ? from + lengths[i] : from;
    }
    out->size += total;
    return LAM_STATUS_OK;
}

/*
 * Adds the bytes that 32 values share with the one before each to `*shared`, and their sizes to
 * `*total`. `bytes` and `lengths` begin at the value before the first of them.
 */
static void measure_shared(const uint8_t *bytes, const uint32_t *lengths, uint64_t *shared,
                           uint64_t *total) {
    lam_bytes last = {bytes, lengths[0]};
    for (size_t i = 1; i <= AUTO_ENCODER_SAMPLE_VALUES; i++) {
        lam_bytes next = {last.data + last.size, lengths[i]};
        *shared += lam_common_prefix(last, next);
        *total += next.size;
        last = next;
    }
}

/*
 * Estimates from the sample whether DELTA_BYTE_ARRAY pays: an eighth of the bytes is shared, and
 * two bytes a value, which pay for the prefix lengths and for the time of putting values together.
 * `bytes` moves on with the lengths that are passed over, as only they show where a value begins.
 */
static bool shares_prefixes(const uint8_t *bytes, const uint32_t *lengths, size_t count) {
    size_t step = (count - AUTO_ENCODER_SAMPLE_VALUES - 1) / (SAMPLES - 1), at = 0;
    uint64_t shared = 0, total = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        measure_shared(bytes, lengths + at, &shared, &total);
        for (size_t end = at + step; i + 1 < SAMPLES && at < end; at++)
            bytes += lengths[at];
    }
    return shared >= total / 8 && shared >= 2 * SAMPLES * AUTO_ENCODER_SAMPLE_VALUES;
}

/*
 * Ends the page. Tries DELTA_BYTE_ARRAY if prefixes are shared, then takes DELTA_LENGTH_BYTE_ARRAY,
 * whose lengths take less than the four bytes each of PLAIN: they would need 30 bits in every
 * miniblock for more, and a page of such long values exceeds any limit.
 */
static lam_status auto_encoder_append_bytes(lam_encoder *encoder, lam_buffer *out,
                                            lam_error *error) {
    byte_arrays *state = encoder->state;
    lam_bytes bytes = lam_buffer_bytes(&encoder->bytes);
    const uint32_t *lengths = state->lengths.items;
    size_t count = state->lengths.count, before = out->size;
    if (count >= AUTO_ENCODER_LEAST && shares_prefixes(bytes.data, lengths, count)) {
        LAM_TRY(
            lam_prefix_encoder_append(&state->prefix_encoder, bytes, lengths, count, out, error));
        encoder->encoding = LAM_ENCODING_DELTA_BYTE_ARRAY;
        if (out->size - before <= bytes.size)
            return LAM_STATUS_OK;
        out->size = before;
    }
    if (count >= AUTO_ENCODER_LEAST) {
        lam_delta_restart(&state->deltas);
        LAM_TRY(lam_delta_write(&state->deltas, lengths, count, error));
        LAM_TRY(lam_delta_append(&state->deltas, out, error));
        encoder->encoding = LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY;
        lam_status status = lam_buffer_append(out, bytes.data, bytes.size, error);
        out->size = status == LAM_STATUS_OK ? out->size : before;
        return status;
    }
    encoder->encoding = LAM_ENCODING_PLAIN;
    return append_plain_bytes(encoder, lengths, count, out, error);
}

static void restart_bytes(lam_encoder *encoder) {
    ((byte_arrays *)encoder->state)->lengths.count = 0;
}

static size_t count_bytes(const lam_encoder *encoder) {
    return ((const byte_arrays *)encoder->state)->lengths.count * sizeof(uint32_t);
}

const lam_value_writer lam_auto_bytes_writer = {
    .state_size = sizeof(byte_arrays),
    .start = start_bytes,
    .finish = finish_bytes,
    .write = auto_encoder_write_bytes,
    .append = auto_encoder_append_bytes,
    .restart = restart_bytes,
    .byte_count = count_bytes,
};
