#include "encoding/auto_encoder.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "encoding/delta_binary_packed.h"
#include "encoding/delta_byte_array.h"
#include "encoding/plain.h"
#include "encoding/short_copy.h"

enum {
    AUTO_ENCODER_LEAST = 1024,       /* values of a page that is worth a choice */
    SAMPLES = 8,                     /* places of a page that are looked at, ... */
    AUTO_ENCODER_SAMPLE_VALUES = 32, /* ... and differences at each */
    AUTO_ENCODER_LENGTH_SIZE = 4     /* in front of a byte array in PLAIN */
};

/* --- Integers ------------------------------------------------------------------------------ */

/* The values are in encoder->bytes as numbers of this machine, the state is for the differences. */
static void start_integers(lam_encoder *encoder) {
    lam_delta_encoder_init(encoder->state, 8 * (unsigned)lam_layout_size(encoder->layout),
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

/* The most that is worth while. */
static size_t three_quarters(size_t size) {
    return size / 4 * 3;
}

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

/* Bits that each of the differences at one place would be packed with. */
static unsigned bits_at(const uint8_t *values, size_t size, size_t first) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = first; i < first + AUTO_ENCODER_SAMPLE_VALUES; i++) {
        int64_t delta = (int64_t)((uint64_t)auto_encoder_value_at(values, size, i + 1) -
                                  (uint64_t)auto_encoder_value_at(values, size, i));
        least = delta < least ? delta : least;
        most = delta > most ? delta : most;
    }
    return lam_bit_width((uint64_t)most - (uint64_t)least);
}

/* A quick look, so that numbers that are far from each other are not encoded in vain. */
static bool are_near(const uint8_t *values, size_t size, size_t count) {
    unsigned bits = 0;
    size_t step = (count - AUTO_ENCODER_SAMPLE_VALUES - 1) / (SAMPLES - 1);
    for (size_t i = 0; i < SAMPLES; i++)
        bits += bits_at(values, size, i * step);
    return bits < three_quarters(SAMPLES * 8 * size);
}

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

/* The bytes of all values are in encoder->bytes, back to back. */
typedef struct byte_arrays {
    lam_buffer lengths; /* uint32_t */
    lam_delta_encoder deltas;
    lam_prefix_encoder prefix_encoder;
} byte_arrays;

static void start_bytes(lam_encoder *encoder) {
    byte_arrays *state = encoder->state;
    lam_buffer_init(&state->lengths, &encoder->bytes.allocator);
    lam_delta_encoder_init(&state->deltas, 32, &encoder->bytes.allocator);
    lam_prefix_encoder_init(&state->prefix_encoder, &encoder->bytes.allocator);
}

static void finish_bytes(lam_encoder *encoder) {
    byte_arrays *state = encoder->state;
    lam_buffer_finish(&state->lengths);
    lam_delta_encoder_finish(&state->deltas);
    lam_prefix_encoder_finish(&state->prefix_encoder);
}

static lam_status sum_sizes(const lam_bytes *values, size_t count, size_t *ret_total,
                            lam_error *error) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i].size > INT32_MAX)
            LAM_FAIL(error, LAM_STATUS_LIMIT, "a byte array of %zu bytes; the maximum is %d",
                     values[i].size, INT32_MAX);
        if (!lam_add_size(total, values[i].size, &total))
            LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu byte arrays", count);
    }
    *ret_total = total;
    return LAM_STATUS_OK;
}

/* Values that lie side by side are copied together. */
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
    lam_buffer *lengths = &((byte_arrays *)encoder->state)->lengths;
    size_t lengths_size, total;
    if (!lam_mul_size(count, sizeof(uint32_t), &lengths_size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu byte arrays", count);
    LAM_TRY(sum_sizes(values, count, &total, error));
    LAM_TRY(lam_buffer_reserve(lengths, lengths_size, error));
    LAM_TRY(lam_buffer_reserve(&encoder->bytes, total > 0 ? total : 1, error)); /* for `to` */
    auto_encoder_copy_values(values, count, (uint32_t *)(void *)(lengths->data + lengths->size),
                             encoder->bytes.data + encoder->bytes.size);
    lengths->size += lengths_size;
    encoder->bytes.size += total;
    return LAM_STATUS_OK;
}

static lam_status append_plain_bytes(const lam_encoder *encoder, const uint32_t *lengths,
                                     size_t count, lam_buffer *out, lam_error *error) {
    size_t total;
    if (!lam_add_size(encoder->bytes.size, count * AUTO_ENCODER_LENGTH_SIZE, &total))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu byte arrays", count);
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

/* What the values at one place share with those before them is added to `*shared`. */
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
 * A quick look: what is shared pays for the numbers that say how much it is, and for the time of
 * putting values together again.
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

static lam_status auto_encoder_append_bytes(lam_encoder *encoder, lam_buffer *out,
                                            lam_error *error) {
    byte_arrays *state = encoder->state;
    lam_bytes bytes = lam_buffer_bytes(&encoder->bytes);
    const uint32_t *lengths = (const uint32_t *)(const void *)state->lengths.data;
    size_t count = state->lengths.size / sizeof *lengths, before = out->size;
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
        if (out->size - before < count * AUTO_ENCODER_LENGTH_SIZE) {
            lam_status status = lam_buffer_append(out, bytes.data, bytes.size, error);
            out->size = status == LAM_STATUS_OK ? out->size : before;
            return status;
        }
        out->size = before;
    }
    encoder->encoding = LAM_ENCODING_PLAIN;
    return append_plain_bytes(encoder, lengths, count, out, error);
}

static void restart_bytes(lam_encoder *encoder) {
    lam_buffer_clear(&((byte_arrays *)encoder->state)->lengths);
}

static size_t count_bytes(const lam_encoder *encoder) {
    return ((const byte_arrays *)encoder->state)->lengths.size;
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
