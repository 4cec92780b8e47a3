/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes ALP pages: floating-point numbers as decimal integers that are bit-packed, and
 * the numbers that no integer gives back as exceptions. (AlpEncoding.md, "Page Layout"; all numbers
 * are little endian)
 *
 *     page    mode (0)  integer encoding (0)  log2(vector size)  count, 4 bytes
 *             offset of each vector from here, 4 bytes
 *             vector*
 *     vector  exponent  factor  number of exceptions, 2 bytes
 *             frame, 4 or 8 bytes   bit width
 *             (integer - frame) for each value, bit-packed, LSB first
 *             position of each exception in the vector, 2 bytes
 *             value of each exception, 4 or 8 bytes
 *
 *     1500.0  NaN  2500.0  333.5 as one vector of at most 1024 values:
 *
 *     00 00 0A  04 00 00 00   04 00 00 00
 *     04 03  01 00   07 0D 00 00 00 00 00 00  0F   8 bytes    01 00   00 00 00 00 00 00 F8 7F
 *     scale          3335                     15   packed     1       NaN
 *
 * The packed integer of an exception is ignored. Vectors follow each other without gaps in the
 * order of their offsets, which the reader demands: a page cannot make it read the same bytes
 * twice. A vector is decoded completely when its first value is requested. Every number comes back
 * bit for bit, NaNs and -0.0 included.
 */
#include "encoding/alp.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/error.h"
#include "encoding/alp_decimal.h"
#include "encoding/alp_scale.h"
#include "encoding/encoding.h"
#include "encoding/rle.h"
#include "kernel/kernel.h"

enum {
    HEADER_SIZE = 7,
    OFFSET_SIZE = 4,
    POSITION_SIZE = 2,
    SCALE_SIZE = 4, /* exponent, factor, number of exceptions */
    /* Vectors of 8 to 32768 values may be read; those written have 1024. */
    MIN_VECTOR_LOG2 = 3,
    MAX_VECTOR_LOG2 = 15,
    VECTOR_LOG2 = 10, /* of the vectors that are written */
    VECTOR = 1 << VECTOR_LOG2,
    ALP_BLOCK = 256, /* integers that are unpacked and converted together, full groups of 8 */
    /*
     * A vector at its longest: all values packed with all their bits, and all of them exceptions,
     * too. is_wasteful() keeps vectors below that; the bound only sizes buffers.
     */
    MAX_VECTOR_SIZE = SCALE_SIZE + 8 + 1 + VECTOR * (8 + POSITION_SIZE + 8)
};

/* --- Reading ------------------------------------------------------------------------------- */

/* The state of reading a page, in the decoder's arena. decoder->next is the next vector. */
typedef struct alp_reader {
    const uint8_t *offsets; /* of the vectors; counted from here */
    size_t vector_size;
    size_t vector;    /* the next one to decode */
    size_t undecoded; /* values from that vector on */
    uint8_t *buffer;  /* a vector that is read in pieces; NULL until the first */
    size_t buffer_at;
    size_t buffer_left;
} alp_reader;

/* A vector of the page, its sections not decoded. Integers are `frame` plus the packed numbers. */
typedef struct alp_vector {
    lam_alp_scale scale;
    uint64_t frame;
    unsigned width;
    size_t exceptions;
    const uint8_t *packed;
    const uint8_t *positions;
    const uint8_t *values;
} alp_vector;

/*
 * Checks the numbers of a vector's header, which size all that follows: scales index tables of
 * powers, and the width goes to a kernel.
 */
static lam_status check_vector(const alp_vector *vector, unsigned bits, size_t count,
                               lam_error *error) {
    unsigned most = bits == 32 ? LAM_ALP_MAX_EXPONENT_32 : LAM_ALP_MAX_EXPONENT_64;
    if (vector->scale.exponent > most || vector->scale.factor > vector->scale.exponent)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "an ALP vector of exponent %u and factor %u",
                 vector->scale.exponent, vector->scale.factor);
    if (vector->width > bits)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                 "bit width %u of an ALP vector of %u-bit values", vector->width, bits);
    if (vector->exceptions > count)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu exceptions in an ALP vector of %zu values",
                 vector->exceptions, count);
    return LAM_STATUS_OK;
}

/*
 * Finds the sections of the next vector, which has `count` values, and steps over it. It must be
 * where its offset says, and all sections must be inside the page.
 */
static lam_status take_vector(lam_decoder *decoder, size_t count, alp_vector *ret_vector,
                              lam_error *error) {
    const alp_reader *reader = decoder->state;
    size_t size = lam_layout_size(decoder->layout), header = SCALE_SIZE + size + 1;
    const uint8_t *next = decoder->next;
    size_t here = (size_t)(decoder->end - next);
    uint32_t offset = lam_load_le32(reader->offsets + reader->vector * OFFSET_SIZE);
    if (offset != (size_t)(next - reader->offsets))
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "an ALP vector at offset %" PRIu32 " is at %zu",
                 offset, (size_t)(next - reader->offsets));
    if (here < header)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "ALP values end inside the header of a vector");
    alp_vector vector = {.scale = {next[0], next[1]}, .exceptions = lam_load_le16(next + 2)};
    next += SCALE_SIZE;
    vector.frame = size == 4 ? lam_load_le32(next) : lam_load_le64(next);
    vector.width = next[size];
    vector.packed = next + size + 1;
    LAM_TRY(check_vector(&vector, (unsigned)size * 8, count, error));
    /* At most 2^15 values of 8 bytes and as many exceptions of 10: no overflow in 32 bits. */
    size_t packed = lam_packed_size(count, vector.width);
    size_t needed = packed + vector.exceptions * (POSITION_SIZE + size);
    if (needed > here - header)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "an ALP vector of %zu bytes where %zu are left",
                 header + needed, here);
    vector.positions = vector.packed + packed;
    vector.values = vector.positions + vector.exceptions * POSITION_SIZE;
    decoder->next = vector.packed + needed;
    *ret_vector = vector;
    return LAM_STATUS_OK;
}

/*
 * Decodes the integers of a vector in blocks that stay in cache. A block begins at a group of
 * eight, hence on a byte boundary.
 */
static void convert_floats(const lam_kernels *kernels, const alp_vector *vector, size_t count,
                           float *numbers) {
    uint32_t integers[ALP_BLOCK];
    for (size_t at = 0, some; at < count; at += some) {
        some = count - at < ALP_BLOCK ? count - at : ALP_BLOCK;
        kernels->unpack_u32(vector->packed + at / 8 * vector->width, vector->width, some, integers);
        lam_alp_to_floats(integers, some, (uint32_t)vector->frame, vector->scale, numbers + at);
    }
}

/* The same for 64 bits. */
static void convert_doubles(const lam_kernels *kernels, const alp_vector *vector, size_t count,
                            double *numbers) {
    uint64_t integers[ALP_BLOCK];
    for (size_t at = 0, some; at < count; at += some) {
        some = count - at < ALP_BLOCK ? count - at : ALP_BLOCK;
        kernels->unpack_u64(vector->packed + at / 8 * vector->width, vector->width, some, integers);
        lam_alp_to_doubles(integers, some, vector->frame, vector->scale, numbers + at);
    }
}

/*
 * Overwrites the values at the positions of the exceptions. The positions are not required to rise;
 * of two exceptions at one position the last one counts.
 */
static lam_status patch(const alp_vector *vector, lam_physical_type type, size_t count,
                        void *numbers, lam_error *error) {
    for (size_t i = 0; i < vector->exceptions; i++) {
        size_t at = lam_load_le16(vector->positions + i * POSITION_SIZE);
        if (at >= count)
            LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                     "an exception at %zu in an ALP vector of %zu values", at, count);
        if (type == LAM_PHYSICAL_FLOAT) {
            uint32_t bits = lam_load_le32(vector->values + i * 4);
            memcpy((uint8_t *)numbers + at * 4, &bits, sizeof bits);
        } else {
            uint64_t bits = lam_load_le64(vector->values + i * 8);
            memcpy((uint8_t *)numbers + at * 8, &bits, sizeof bits);
        }
    }
    return LAM_STATUS_OK;
}

/* Values of the next vector: a full vector but for the last, which may be shorter. */
static size_t next_count(const alp_reader *reader) {
    return reader->undecoded < reader->vector_size ? reader->undecoded : reader->vector_size;
}

/* Decodes the next vector to `numbers`, which has room for next_count() values. */
static lam_status decode_vector(lam_decoder *decoder, void *numbers, lam_error *error) {
    alp_reader *reader = decoder->state;
    size_t count = next_count(reader);
    alp_vector vector;
    LAM_TRY(take_vector(decoder, count, &vector, error));
    if (decoder->layout.type == LAM_PHYSICAL_FLOAT)
        convert_floats(decoder->kernels, &vector, count, numbers);
    else
        convert_doubles(decoder->kernels, &vector, count, numbers);
    LAM_TRY(patch(&vector, decoder->layout.type, count, numbers, error));
    reader->vector++;
    reader->undecoded -= count;
    return LAM_STATUS_OK;
}

/* Decodes the next vector to the buffer, for reads that end inside it. */
static lam_status fill_buffer(lam_decoder *decoder, lam_error *error) {
    alp_reader *reader = decoder->state;
    size_t count = next_count(reader);
    if (reader->buffer == NULL) {
        /* No later vector is longer, so this buffer serves the entire page. */
        void *memory;
        LAM_TRY(lam_arena_alloc(decoder->arena, count * lam_layout_size(decoder->layout), &memory,
                                error));
        reader->buffer = memory;
    }
    LAM_TRY(decode_vector(decoder, reader->buffer, error));
    reader->buffer_at = 0;
    reader->buffer_left = count;
    return LAM_STATUS_OK;
}

/* Reads values: complete vectors straight to `values`, the others through the buffer. */
static lam_status read_alp(lam_decoder *decoder, size_t count, void *values, lam_error *error) {
    alp_reader *reader = decoder->state;
    size_t size = lam_layout_size(decoder->layout);
    uint8_t *element = values;
    if (count > reader->buffer_left + reader->undecoded)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu ALP values where %zu are left", count,
                 reader->buffer_left + reader->undecoded);
    /* The buffer is emptied before the next vector is decoded, so the values stay in order. */
    for (size_t some; count > 0; count -= some) {
        if (reader->buffer_left == 0 && count >= next_count(reader)) {
            some = next_count(reader);
            LAM_TRY(decode_vector(decoder, element, error));
        } else {
            if (reader->buffer_left == 0)
                LAM_TRY(fill_buffer(decoder, error));
            some = reader->buffer_left < count ? reader->buffer_left : count;
            memcpy(element, reader->buffer + reader->buffer_at * size, some * size);
            reader->buffer_at += some;
            reader->buffer_left -= some;
        }
        element += some * size;
    }
    return LAM_STATUS_OK;
}

/* Fails when the page has more values than the caller has read. */
static lam_status alp_read_end(const lam_decoder *decoder, lam_error *error) {
    const alp_reader *reader = decoder->state;
    if (reader->buffer_left + reader->undecoded > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu ALP values after the last one",
                 reader->buffer_left + reader->undecoded);
    return LAM_STATUS_OK;
}

/*
 * Checks the page header. Another mode is a compression that this version does not read; another
 * integer encoding or vector size is not defined at all.
 */
static lam_status alp_read_header(const uint8_t *header, unsigned *ret_log2, size_t *ret_count,
                                  lam_error *error) {
    if (header[0] != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ENCODING,
                 "ALP compression mode %u is not supported", header[0]);
    if (header[1] != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "ALP integer encoding %u", header[1]);
    if (header[2] < MIN_VECTOR_LOG2 || header[2] > MAX_VECTOR_LOG2)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "ALP vectors of 2^%u values", header[2]);
    uint32_t count = lam_load_le32(header + 3);
    if (count > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%" PRId32 " ALP values", (int32_t)count);
    *ret_log2 = header[2];
    *ret_count = count;
    return LAM_STATUS_OK;
}

lam_status lam_alp_open(lam_decoder *decoder, lam_bytes bytes, lam_error *error) {
    alp_reader *reader;
    LAM_TRY(LAM_ARENA_NEW(decoder->arena, &reader, error));
    decoder->state = reader;
    decoder->read = read_alp;
    decoder->read_end = alp_read_end;
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    if (bytes.size < HEADER_SIZE)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "ALP values end inside their header");
    unsigned log2;
    LAM_TRY(alp_read_header(bytes.data, &log2, &reader->undecoded, error));
    reader->vector_size = (size_t)1 << log2;
    size_t vectors = (reader->undecoded + reader->vector_size - 1) >> log2;
    size_t here = bytes.size - HEADER_SIZE;
    if (vectors > here / OFFSET_SIZE)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%zu ALP vectors in %zu bytes", vectors, here);
    reader->offsets = bytes.data + HEADER_SIZE;
    decoder->next = reader->offsets + vectors * OFFSET_SIZE;
    decoder->end = bytes.data + bytes.size;
    return LAM_STATUS_OK;
}

/* --- Writing ------------------------------------------------------------------------------- */

/*
 * The state of writing a page. encoder->bytes has the vectors that are full, encoded; offsets are
 * counted from the first vector until the page ends, since the number of vectors, which precedes
 * them, is unknown before.
 */
typedef struct alp_writer {
    lam_buffer offsets; /* of those vectors, uint32_t */
    lam_alp_picker picker;
    uint32_t count;   /* values in all */
    unsigned pending; /* values that wait for their vector to be full */
    union {
        float floats[VECTOR];
        double doubles[VECTOR];
    } values;
} alp_writer;

static void alp_start(lam_encoder *encoder) {
    alp_writer *writer = encoder->state;
    lam_buffer_init(&writer->offsets, &encoder->bytes.allocator);
}

static void alp_finish(lam_encoder *encoder) {
    alp_writer *writer = encoder->state;
    lam_buffer_finish(&writer->offsets);
}

/* The next page begins like the first one, so its bytes depend on its values only. */
static void alp_restart(lam_encoder *encoder) {
    static const lam_alp_picker nothing;
    alp_writer *writer = encoder->state;
    lam_buffer_clear(&writer->offsets);
    writer->picker = nothing;
    writer->count = 0;
    writer->pending = 0;
}

/*
 * The position of a value that is no exception; there is at least one. Positions of exceptions
 * rise, so it is the first one that they skip: 0 1 3 gives 2.
 */
static size_t first_regular(const uint16_t *exceptions, size_t found) {
    size_t at = 0;
    while (at < found && exceptions[at] == at)
        at++;
    return at;
}

/*
 * True when the packed integers cost more bits than they save: those of an exception, a position
 * and a value, for each other number. Then every number is stored as an exception, and none is
 * packed.
 */
static bool is_wasteful(size_t count, unsigned width, size_t found, unsigned bits) {
    return count * width > (count - found) * (POSITION_SIZE * 8 + bits);
}

static size_t all_exceptions(uint16_t *exceptions, size_t count) {
    for (size_t i = 0; i < count; i++)
        exceptions[i] = (uint16_t)i;
    return count;
}

/* Writes the first four bytes of a vector. */
static uint8_t *put_scale(uint8_t *next, lam_alp_scale scale, size_t found) {
    next[0] = scale.exponent;
    next[1] = scale.factor;
    lam_store_le16(next + 2, (uint16_t)found);
    return next + SCALE_SIZE;
}

static uint8_t *put_positions(uint8_t *next, const uint16_t *exceptions, size_t found) {
    for (size_t i = 0; i < found; i++)
        lam_store_le16(next + i * POSITION_SIZE, exceptions[i]);
    return next + found * POSITION_SIZE;
}

/*
 * Encodes a vector of floats at `next`, which has MAX_VECTOR_SIZE bytes of room; returns its end.
 * Exceptions get the integer of another value, so that they do not widen the packed ones. `frame`
 * is the smallest integer: packed numbers are never negative.
 */
static uint8_t *put_floats(const lam_kernels *kernels, lam_alp_picker *picker, const float *numbers,
                           size_t count, uint8_t *next) {
    uint32_t integers[VECTOR];
    uint16_t exceptions[VECTOR];
    lam_alp_scale scale = lam_alp_pick_32(picker, numbers, count);
    size_t found = lam_alp_from_floats(numbers, count, scale, integers, exceptions);
    uint32_t filler = found == count ? 0 : integers[first_regular(exceptions, found)];
    for (size_t i = 0; i < found; i++)
        integers[exceptions[i]] = filler;
    uint32_t frame = (uint32_t)kernels->min_i32(integers, count);
    unsigned width = lam_bit_width(kernels->lower_u32(integers, count, frame));
    if (is_wasteful(count, width, found, 32)) {
        found = all_exceptions(exceptions, count);
        width = 0;
    }
    next = put_scale(next, scale, found);
    lam_store_le32(next, frame);
    next[4] = (uint8_t)width;
    next += 5;
    kernels->pack_u32(integers, width, count, next);
    next = put_positions(next + lam_packed_size(count, width), exceptions, found);
    for (size_t i = 0; i < found; i++, next += 4) {
        uint32_t bits;
        memcpy(&bits, &numbers[exceptions[i]], sizeof bits);
        lam_store_le32(next, bits);
    }
    return next;
}

/* The same for doubles. */
static uint8_t *put_doubles(const lam_kernels *kernels, lam_alp_picker *picker,
                            const double *numbers, size_t count, uint8_t *next) {
    uint64_t integers[VECTOR];
    uint16_t exceptions[VECTOR];
    lam_alp_scale scale = lam_alp_pick_64(picker, numbers, count);
    size_t found = lam_alp_from_doubles(numbers, count, scale, integers, exceptions);
    uint64_t filler = found == count ? 0 : integers[first_regular(exceptions, found)];
    for (size_t i = 0; i < found; i++)
        integers[exceptions[i]] = filler;
    uint64_t frame = (uint64_t)kernels->min_i64(integers, count);
    unsigned width = lam_bit_width(kernels->lower_u64(integers, count, frame));
    if (is_wasteful(count, width, found, 64)) {
        found = all_exceptions(exceptions, count);
        width = 0;
    }
    next = put_scale(next, scale, found);
    lam_store_le64(next, frame);
    next[8] = (uint8_t)width;
    next += 9;
    kernels->pack_u64(integers, width, count, next);
    next = put_positions(next + lam_packed_size(count, width), exceptions, found);
    for (size_t i = 0; i < found; i++, next += 8) {
        uint64_t bits;
        memcpy(&bits, &numbers[exceptions[i]], sizeof bits);
        lam_store_le64(next, bits);
    }
    return next;
}

/* Appends a vector to `out`, which has room for it. */
static void put_vector(const lam_encoder *encoder, lam_alp_picker *picker, const void *values,
                       size_t count, lam_buffer *out) {
    uint8_t *next = out->data + out->size;
    uint8_t *end = encoder->layout.type == LAM_PHYSICAL_FLOAT
                       ? put_floats(encoder->kernels, picker, values, count, next)
                       : put_doubles(encoder->kernels, picker, values, count, next);
    out->size += (size_t)(end - next);
}

/* Appends a full vector to encoder->bytes. Fails with LIMIT if its offset would pass INT32_MAX. */
static lam_status add_vector(lam_encoder *encoder, const void *values, lam_error *error) {
    alp_writer *writer = encoder->state;
    if (encoder->bytes.size > INT32_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "a page of %zu bytes", encoder->bytes.size);
    uint32_t offset = (uint32_t)encoder->bytes.size;
    LAM_TRY(lam_buffer_reserve(&encoder->bytes, MAX_VECTOR_SIZE, error));
    LAM_TRY(lam_buffer_append(&writer->offsets, &offset, sizeof offset, error));
    put_vector(encoder, &writer->picker, values, VECTOR, &encoder->bytes);
    return LAM_STATUS_OK;
}

/*
 * Adds values to the page. Full vectors are encoded from the caller's memory when they are aligned
 * to the vectors of the page; other values wait in `values` until theirs is full.
 */
static lam_status alp_write(lam_encoder *encoder, const void *values, size_t count,
                            lam_error *error) {
    alp_writer *writer = encoder->state;
    size_t size = lam_layout_size(encoder->layout);
    uint8_t *pending = (uint8_t *)&writer->values;
    const uint8_t *next = values;
    if (count > INT32_MAX - writer->count)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "more than %" PRId32 " values in one page", INT32_MAX);
    for (size_t left = count, some; left > 0; left -= some) {
        some = VECTOR - writer->pending < left ? VECTOR - writer->pending : left;
        if (some == VECTOR) {
            LAM_TRY(add_vector(encoder, next, error));
        } else {
            memcpy(pending + writer->pending * size, next, some * size);
            if (writer->pending + some == VECTOR)
                LAM_TRY(add_vector(encoder, pending, error));
            writer->pending = (unsigned)((writer->pending + some) % VECTOR);
        }
        writer->count += (uint32_t)some;
        next += some * size;
    }
    return LAM_STATUS_OK;
}

/*
 * Writes the page: header, offsets, full vectors, and the last short one, which is encoded now with
 * a copy of the picker. Nothing of the encoder changes, so a failed append can be repeated.
 */
static lam_status alp_append(lam_encoder *encoder, lam_buffer *out, lam_error *error) {
    const alp_writer *writer = encoder->state;
    lam_alp_picker picker = writer->picker;
    size_t whole = writer->offsets.size / sizeof(uint32_t), vectors = whole + (writer->pending > 0);
    size_t total = encoder->bytes.size;
    LAM_TRY(lam_buffer_reserve(out, HEADER_SIZE + vectors * OFFSET_SIZE + total + MAX_VECTOR_SIZE,
                               error));
    uint8_t *next = out->data + out->size;
    next[0] = next[1] = 0;
    next[2] = VECTOR_LOG2;
    lam_store_le32(next + 3, writer->count);
    next += HEADER_SIZE;
    for (size_t i = 0; i < vectors; i++) {
        /* The short vector follows the full ones. All offsets grow by the bytes of the offsets. */
        uint32_t offset = (uint32_t)total;
        if (i < whole)
            memcpy(&offset, writer->offsets.data + i * sizeof offset, sizeof offset);
        lam_store_le32(next + i * OFFSET_SIZE, offset + (uint32_t)(vectors * OFFSET_SIZE));
    }
    next += vectors * OFFSET_SIZE;
    if (total > 0)
        memcpy(next, encoder->bytes.data, total);
    out->size = (size_t)(next - out->data) + total;
    if (writer->pending > 0)
        put_vector(encoder, &picker, &writer->values, writer->pending, out);
    return LAM_STATUS_OK;
}

/* Values that wait are counted as they are; encoder->bytes is counted by the caller. */
static size_t alp_byte_count(const lam_encoder *encoder) {
    const alp_writer *writer = encoder->state;
    return HEADER_SIZE + writer->offsets.size + writer->pending * lam_layout_size(encoder->layout);
}

const lam_value_writer lam_alp_writer = {
    .state_size = sizeof(alp_writer),
    .start = alp_start,
    .finish = alp_finish,
    .write = alp_write,
    .append = alp_append,
    .restart = alp_restart,
    .byte_count = alp_byte_count,
};
