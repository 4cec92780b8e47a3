/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes hybrid runs: repeated values, and packed groups of eight values. (Encodings.md,
 * "Run Length Encoding / Bit-Packing Hybrid (RLE = 3)")
 *
 *     stream   := run*
 *     run      := repeated | packed
 *     repeated := varint(length << 1)       value, ceil(bit_width / 8) bytes, little endian
 *     packed   := varint(groups << 1 | 1)   groups * bit_width bytes: 8 values each, LSB first
 *
 *     bit width 3, the value 5 ten times, then 0 1 2 3 4 5 6 7:
 *
 *     14          05       03            88       C6       FA
 *     10 << 1     value    1 << 1 | 1    10001000 11000110 11111010
 *                                        ccbbbaaa feeedddc hhhgggff
 *
 * A run states its number of values, which may be 2^31 in five bytes: values are only made as they
 * are requested. The decoder is between runs, or inside one of `left` values; the encoder is
 * between groups, or inside one. Its runs depend on the values alone, not on the calls that bring
 * them.
 */
#include "encoding/rle.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

enum {
    RLE_GROUP = 8,            /* values packed together */
    MAX_PACKED_GROUPS = 8191, /* whose header has two bytes: 8191 << 1 | 1 has 14 bits */
    SHORT_PACKED_GROUPS = 63, /* whose header has one byte */
    MAX_VARINT_32 = 5,
    SHORT_RUN = 16 /* values that one fill of fixed size writes */
};

/* Longest run that readers must be able to take. */
static const uint64_t MAX_RUN = INT32_MAX;

/* --- Reading ------------------------------------------------------------------------------- */

lam_status lam_rle_decoder_init(lam_rle_decoder *decoder, const lam_kernels *kernels,
                                lam_bytes bytes, unsigned bit_width, lam_error *error) {
    if (bit_width > 32)
        LAM_FAIL(error, LAM_ERROR_CODE_RLE_RUNS, "bit width %u of hybrid runs is above 32",
                 bit_width);
    static const uint8_t nothing[1];
    memset(decoder, 0, sizeof *decoder);
    decoder->next = bytes.size > 0 ? bytes.data : nothing;
    decoder->end = decoder->next + bytes.size;
    decoder->bit_width = bit_width;
    decoder->kernels = kernels;
    return LAM_STATUS_OK;
}

/*
 * Reads a header that may have several bytes. Zeros in the upper bits of the fifth are allowed, a
 * sixth byte is not.
 */
static lam_status read_long_header(const uint8_t **next, const uint8_t *end, uint32_t *ret_header,
                                   lam_error *error) {
    uint64_t header = 0;
    for (unsigned i = 0; i < MAX_VARINT_32; i++) {
        if (*next == end)
            LAM_FAIL(error, LAM_ERROR_CODE_RLE_RUNS, "hybrid runs end before the last value");
        uint8_t byte = *(*next)++;
        header |= (uint64_t)(byte & 0x7F) << 7 * i;
        if (byte < 0x80) {
            if (header > UINT32_MAX)
                break;
            *ret_header = (uint32_t)header;
            return LAM_STATUS_OK;
        }
    }
    LAM_FAIL(error, LAM_ERROR_CODE_RLE_RUNS, "header of a hybrid run does not fit 32 bits");
}

static inline lam_status rle_read_header(const uint8_t **next, const uint8_t *end,
                                         uint32_t *ret_header, lam_error *error) {
    if (*next < end && **next < 0x80) {
        *ret_header = *(*next)++;
        return LAM_STATUS_OK;
    }
    return read_long_header(next, end, ret_header, error);
}

/* Opens a packed run of `groups` groups at `next`. */
static void open_packed(lam_rle_decoder *decoder, const uint8_t *next, uint32_t groups) {
    unsigned width = decoder->bit_width;
    size_t here = (size_t)(decoder->end - next);
    uint64_t values = (uint64_t)groups * RLE_GROUP;
    uint64_t size = (uint64_t)groups * width;
    if (size > here) {
        /*
         * Some writers cut the last run after the values in use. As many values as the bytes hold
         * can be read; width is not 0 here, as the size would be 0, too.
         */
        size = here;
        values = (uint64_t)here * 8 / width;
    }
    decoder->packed = next;
    decoder->packed_at = 0;
    decoder->left = values;
    decoder->next = next + size;
}

/*
 * Opens a repeated run. A value above the bit width is corrupt: as a level it could exceed the
 * maximum.
 */
static lam_status open_repeated(lam_rle_decoder *decoder, const uint8_t *next, uint32_t length,
                                lam_error *error) {
    unsigned width = decoder->bit_width;
    size_t size = (width + 7) / 8;
    if ((size_t)(decoder->end - next) < size)
        LAM_FAIL(error, LAM_ERROR_CODE_RLE_RUNS, "hybrid runs end inside a repeated value");
    uint32_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)next[i] << 8 * i;
    if (width < 32 && value >> width != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_RLE_RUNS, "repeated value %u does not fit %u bits", value,
                 width);
    decoder->packed = NULL;
    decoder->value = value;
    decoder->left = length;
    decoder->next = next + size;
    return LAM_STATUS_OK;
}

/* Opens the next run that holds a value. A failure leaves the decoder where it was. */
static lam_status rle_open_run(lam_rle_decoder *decoder, lam_error *error) {
    const uint8_t *next = decoder->next;
    uint32_t header = 0;
    LAM_TRY(rle_read_header(&next, decoder->end, &header, error));
    uint32_t length = header >> 1;
    if (length == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_RLE_RUNS, "hybrid run of length 0");
    if ((header & 1) == 0)
        return open_repeated(decoder, next, length, error);
    open_packed(decoder, next, length);
    if (decoder->left == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_RLE_RUNS, "hybrid runs end before the last value");
    return LAM_STATUS_OK;
}

/* Reads value `at` of a packed run, touching only the bytes that hold it, at most five. */
static uint32_t packed_value(const uint8_t *packed, unsigned width, uint64_t at) {
    uint64_t first = at * width / 8;
    unsigned shift = (unsigned)(at * width % 8);
    uint64_t bits = 0;
    for (unsigned i = 0; i < (shift + width + 7) / 8; i++)
        bits |= (uint64_t)packed[first + i] << 8 * i;
    return (uint32_t)(bits >> shift & (((uint64_t)1 << width) - 1));
}

/* Values before the next group of the open bit-packed run, at most `count`. */
static size_t values_to_boundary(const lam_rle_decoder *decoder, size_t count) {
    size_t head = (size_t)((RLE_GROUP - decoder->packed_at % RLE_GROUP) % RLE_GROUP);
    return head < count ? head : count;
}

/*
 * Reads values of the open packed run: one by one up to the next group, the others by a kernel,
 * which must start on a byte boundary.
 */
static void read_packed_levels(const lam_rle_decoder *decoder, size_t count, uint8_t *levels,
                               const lam_kernels *kernels) {
    unsigned width = decoder->bit_width;
    size_t head = values_to_boundary(decoder, count);
    for (size_t i = 0; i < head; i++)
        levels[i] = (uint8_t)packed_value(decoder->packed, width, decoder->packed_at + i);
    const uint8_t *groups = decoder->packed + (decoder->packed_at + head) / RLE_GROUP * width;
    if (head < count)
        kernels->unpack_u8(groups, width, count - head, levels + head);
}

static void read_packed_indexes(const lam_rle_decoder *decoder, size_t count, uint32_t *indexes,
                                const lam_kernels *kernels) {
    unsigned width = decoder->bit_width;
    size_t head = values_to_boundary(decoder, count);
    for (size_t i = 0; i < head; i++)
        indexes[i] = packed_value(decoder->packed, width, decoder->packed_at + i);
    const uint8_t *groups = decoder->packed + (decoder->packed_at + head) / RLE_GROUP * width;
    if (head < count)
        kernels->unpack_u32(groups, width, count - head, indexes + head);
}

void lam_rle_pass(lam_rle_decoder *decoder, size_t count) {
    decoder->left -= count;
    decoder->packed_at += count; /* unused in a repeated run */
}

/*
 * Fills a run. A short one is filled to 16 values, a fixed number that is a single store, if the
 * array has `room` for them: the values after the run overwrite the surplus.
 */
static inline void fill_levels(uint8_t *levels, uint32_t value, size_t count, size_t room) {
    if (count <= SHORT_RUN && room >= SHORT_RUN)
        memset(levels, (int)value, SHORT_RUN);
    else
        memset(levels, (int)value, count);
}

static inline void rle_fill_indexes(uint32_t *indexes, uint32_t value, size_t count, size_t room,
                                    const lam_kernels *kernels) {
    if (count <= SHORT_RUN && room >= SHORT_RUN) {
        for (size_t i = 0; i < SHORT_RUN; i++)
            indexes[i] = value;
    } else {
        kernels->fill(&value, sizeof value, count, indexes);
    }
}

/* One step for each run, or the piece of it that is read; a level is at most 8 bits wide. */
lam_status lam_rle_read_levels(lam_rle_decoder *decoder, size_t count, uint8_t *levels,
                               lam_error *error) {
    assert(decoder->bit_width <= 8);
    const lam_kernels *kernels = decoder->kernels;
    while (count > 0) {
        if (decoder->left == 0)
            LAM_TRY(rle_open_run(decoder, error));
        size_t some = decoder->left < count ? (size_t)decoder->left : count;
        if (decoder->packed != NULL)
            read_packed_levels(decoder, some, levels, kernels);
        else
            fill_levels(levels, decoder->value, some, count);
        lam_rle_pass(decoder, some);
        levels += some;
        count -= some;
    }
    return LAM_STATUS_OK;
}

lam_status lam_rle_read_indexes(lam_rle_decoder *decoder, size_t count, uint32_t *indexes,
                                lam_error *error) {
    const lam_kernels *kernels = decoder->kernels;
    while (count > 0) {
        if (decoder->left == 0)
            LAM_TRY(rle_open_run(decoder, error));
        size_t some = decoder->left < count ? (size_t)decoder->left : count;
        if (decoder->packed != NULL)
            read_packed_indexes(decoder, some, indexes, kernels);
        else
            rle_fill_indexes(indexes, decoder->value, some, count, kernels);
        lam_rle_pass(decoder, some);
        indexes += some;
        count -= some;
    }
    return LAM_STATUS_OK;
}

lam_status lam_rle_peek_run(lam_rle_decoder *decoder, size_t count, size_t *ret_length,
                            uint32_t *ret_value, bool *ret_packed, lam_error *error) {
    if (count > 0 && decoder->left == 0)
        LAM_TRY(rle_open_run(decoder, error));
    *ret_length = decoder->left < count ? (size_t)decoder->left : count;
    *ret_packed = decoder->packed != NULL;
    *ret_value = decoder->packed != NULL ? 0 : decoder->value;
    return LAM_STATUS_OK;
}

lam_status lam_rle_skip(lam_rle_decoder *decoder, size_t count, lam_error *error) {
    while (count > 0) {
        if (decoder->left == 0)
            LAM_TRY(rle_open_run(decoder, error));
        size_t some = decoder->left < count ? (size_t)decoder->left : count;
        lam_rle_pass(decoder, some);
        count -= some;
    }
    return LAM_STATUS_OK;
}

/* --- Writing ------------------------------------------------------------------------------- */

/*
 * The values of one call: an array of bytes or of 32-bit numbers. Only the functions below differ.
 */
typedef struct source {
    const uint8_t *levels; /* or NULL */
    const uint32_t *indexes;
    const lam_kernels *kernels;
} source;

static uint32_t source_value(const source *from, size_t at) {
    return from->levels != NULL ? from->levels[at] : from->indexes[at];
}

/* How many values from `at` on are equal to `value`. */
static size_t source_prefix(const source *from, size_t at, size_t count, uint32_t value) {
    if (from->levels == NULL)
        return from->kernels->prefix_u32(from->indexes + at, count, value);
    return from->kernels->prefix_u8(from->levels + at, count, (uint8_t)value);
}

static void source_pack(const source *from, size_t at, size_t count, unsigned width,
                        uint8_t *packed) {
    if (from->levels != NULL)
        from->kernels->pack_u8(from->levels + at, width, count, packed);
    else
        from->kernels->pack_u32(from->indexes + at, width, count, packed);
}

/* True for a group of eight equal bytes: rotated by one byte, they are the same number. */
static bool equal_levels(const uint8_t *group) {
    uint64_t eight = lam_load_le64(group);
    return (eight << 8 | eight >> 56) == eight;
}

static bool equal_indexes(const uint32_t *group) {
    uint32_t differ = 0;
    for (unsigned i = 1; i < RLE_GROUP; i++)
        differ |= group[i] ^ group[0];
    return differ == 0;
}

/*
 * Counts the leading groups, from `at` on, that all consist of one value, the first of them: 0 to
 * `groups`, which is at least 1. A group of several values is not counted.
 */
static size_t source_equal_groups(const source *from, size_t at, size_t groups) {
    size_t equal = 0;
    if (from->levels != NULL) {
        const uint8_t *first = from->levels + at;
        if (equal_levels(first))
            for (equal = 1;
                 equal < groups && memcmp(first + equal * RLE_GROUP, first, RLE_GROUP) == 0;)
                equal++;
    } else {
        const uint32_t *first = from->indexes + at;
        const size_t size = RLE_GROUP * sizeof *first;
        if (equal_indexes(first))
            for (equal = 1; equal < groups && memcmp(first + equal * RLE_GROUP, first, size) == 0;)
                equal++;
    }
    return equal;
}

/*
 * Counts the groups from `at` on that are packed whatever follows: up to the first group where
 * `least` groups of one value begin, which are a repeated run, or where they might, because fewer
 * than `least` groups are left.
 */
static size_t source_packed_groups(const source *from, size_t at, size_t groups, size_t least) {
    size_t packed = 0;
    while (packed < groups) {
        size_t most = groups - packed < least ? groups - packed : least;
        size_t equal = source_equal_groups(from, at + packed * RLE_GROUP, most);
        if (equal == most)
            break;
        packed += equal > 0 ? equal : 1;
    }
    return packed;
}

void lam_rle_encoder_init(lam_rle_encoder *encoder, const lam_kernels *kernels, unsigned bit_width,
                          lam_buffer *out) {
    assert(bit_width <= 32);
    memset(encoder, 0, sizeof *encoder);
    encoder->bit_width = bit_width;
    encoder->out = out;
    encoder->kernels = kernels;
}

static size_t value_size(const lam_rle_encoder *encoder) {
    return (encoder->bit_width + 7) / 8;
}

/*
 * The shortest repeated run that is written between packed ones. It costs its header, its value,
 * and the header of the packed run that may follow; packed, a group costs bit_width bytes. Width 1:
 * three bytes, so at least four groups, 32 values. Widths 2 and 3: two groups. From 4 on: one.
 */
static uint64_t min_repeated(const lam_rle_encoder *encoder) {
    size_t cost = 2 + value_size(encoder);
    size_t groups = encoder->bit_width == 0 ? 1 : cost / encoder->bit_width + 1;
    return groups * RLE_GROUP;
}

/* Writes a number of seven bits a byte, the lowest first; returns its bytes. */
static size_t rle_put_varint(uint8_t *bytes, uint64_t value) {
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    return size;
}

/*
 * Writes the header of the open packed run, for which one byte is reserved. A run of more than 63
 * groups needs two, so its bytes move up by one.
 */
static lam_status close_packed(lam_rle_encoder *encoder, lam_error *error) {
    if (encoder->packed_groups == 0)
        return LAM_STATUS_OK;
    lam_buffer *out = encoder->out;
    if (encoder->packed_groups > SHORT_PACKED_GROUPS) {
        LAM_TRY(lam_buffer_reserve(out, 1, error));
        uint8_t *body = out->data + encoder->packed_header + 1;
        memmove(body + 1, body, out->size - encoder->packed_header - 1);
        out->size++;
    }
    rle_put_varint(out->data + encoder->packed_header, (uint64_t)encoder->packed_groups << 1 | 1);
    encoder->packed_groups = 0;
    return LAM_STATUS_OK;
}

/*
 * Adds `count` values as full groups to packed runs; only the last group of a stream is incomplete,
 * and is filled up with zeros. A run that has MAX_PACKED_GROUPS is closed and another one opened.
 */
static lam_status add_packed(lam_rle_encoder *encoder, const source *from, size_t at, size_t count,
                             lam_error *error) {
    lam_buffer *out = encoder->out;
    unsigned width = encoder->bit_width;
    while (count > 0) {
        size_t room = (size_t)(MAX_PACKED_GROUPS - encoder->packed_groups) * RLE_GROUP;
        size_t some = count < room ? count : room;
        size_t groups = (some + RLE_GROUP - 1) / RLE_GROUP;
        LAM_TRY(lam_buffer_reserve(out, 1 + groups * width, error));
        if (encoder->packed_groups == 0)
            encoder->packed_header = out->size++;
        uint8_t *last = out->data + out->size + (groups - 1) * width;
        memset(last, 0, width);
        source_pack(from, at, some, width, out->data + out->size);
        out->size += groups * width;
        encoder->packed_groups += (unsigned)groups;
        if (encoder->packed_groups == MAX_PACKED_GROUPS)
            LAM_TRY(close_packed(encoder, error));
        at += some;
        count -= some;
    }
    return LAM_STATUS_OK;
}

static lam_status add_group(lam_rle_encoder *encoder, lam_error *error) {
    source group = {NULL, encoder->group, encoder->kernels};
    LAM_TRY(add_packed(encoder, &group, 0, encoder->group_size, error));
    encoder->group_size = 0;
    return LAM_STATUS_OK;
}

/* Writes the counted values as repeated runs, of at most MAX_RUN values each. */
static lam_status write_repeated(lam_rle_encoder *encoder, lam_error *error) {
    uint64_t mask = ((uint64_t)1 << encoder->bit_width) - 1;
    LAM_TRY(close_packed(encoder, error));
    while (encoder->run_length > 0) {
        uint64_t length = encoder->run_length < MAX_RUN ? encoder->run_length : MAX_RUN;
        uint8_t bytes[MAX_VARINT_32 + 4];
        size_t header_size = rle_put_varint(bytes, length << 1);
        lam_store_le32(bytes + header_size, (uint32_t)(encoder->run_value & mask));
        LAM_TRY(lam_buffer_append(encoder->out, bytes, header_size + value_size(encoder), error));
        encoder->run_length -= length;
    }
    return LAM_STATUS_OK;
}

/*
 * Called when the value changes: the counted values become a run of their own, or, when they are
 * too few, packed groups and the beginning of `group`.
 */
static lam_status end_equal_values(lam_rle_encoder *encoder, lam_error *error) {
    if (encoder->run_length >= min_repeated(encoder))
        return write_repeated(encoder, error);
    uint32_t equal[RLE_GROUP];
    for (unsigned i = 0; i < RLE_GROUP; i++)
        equal[i] = encoder->run_value;
    source group = {NULL, equal, encoder->kernels};
    for (; encoder->run_length >= RLE_GROUP; encoder->run_length -= RLE_GROUP)
        LAM_TRY(add_packed(encoder, &group, 0, RLE_GROUP, error));
    memcpy(encoder->group, equal, sizeof equal);
    encoder->group_size = (unsigned)encoder->run_length;
    encoder->run_length = 0;
    return LAM_STATUS_OK;
}

/* Adds values to the group that is begun, and packs it once it is full. */
static lam_status fill_group(lam_rle_encoder *encoder, const source *from, size_t at, size_t count,
                             size_t *ret_taken, lam_error *error) {
    size_t taken = 0;
    while (encoder->group_size < RLE_GROUP && taken < count)
        encoder->group[encoder->group_size++] = source_value(from, at + taken++);
    if (encoder->group_size == RLE_GROUP)
        LAM_TRY(add_group(encoder, error));
    *ret_taken = taken;
    return LAM_STATUS_OK;
}

/*
 * Adds values. Between groups (group_size 0) equal values are only counted; a group is begun by the
 * first value that differs from those counted. So every decision depends on the values alone: the
 * third branch only takes shortcuts for full groups that the first two would pack as well.
 *
 *     width 1, 1 x 30, 0 0:   30 are too few for a run: three groups of 1, and 1 1 1 1 1 1 0 0
 *     width 1, 1 x 32, 0 0:   a repeated run of 32, then 0 is counted
 */
static lam_status write_values(lam_rle_encoder *encoder, const source *from, size_t count,
                               lam_error *error) {
    size_t at = 0, taken;
    while (at < count) {
        if (encoder->group_size > 0) {
            LAM_TRY(fill_group(encoder, from, at, count - at, &taken, error));
            at += taken;
        } else if (encoder->run_length > 0) {
            taken = source_prefix(from, at, count - at, encoder->run_value);
            encoder->run_length += taken;
            at += taken;
            if (at < count)
                LAM_TRY(end_equal_values(encoder, error));
        } else {
            size_t least = (size_t)min_repeated(encoder) / RLE_GROUP;
            taken = source_packed_groups(from, at, (count - at) / RLE_GROUP, least) * RLE_GROUP;
            LAM_TRY(add_packed(encoder, from, at, taken, error));
            at += taken;
            if (at < count) {
                encoder->run_value = source_value(from, at++);
                encoder->run_length = 1;
            }
        }
    }
    return LAM_STATUS_OK;
}

lam_status lam_rle_write_levels(lam_rle_encoder *encoder, const uint8_t *levels, size_t count,
                                lam_error *error) {
    source from = {levels, NULL, encoder->kernels};
    return count == 0 ? LAM_STATUS_OK : write_values(encoder, &from, count, error);
}

lam_status lam_rle_write_indexes(lam_rle_encoder *encoder, const uint32_t *indexes, size_t count,
                                 lam_error *error) {
    source from = {NULL, indexes, encoder->kernels};
    return count == 0 ? LAM_STATUS_OK : write_values(encoder, &from, count, error);
}

lam_status lam_rle_write_run(lam_rle_encoder *encoder, uint32_t value, uint64_t count,
                             lam_error *error) {
    uint32_t equal[RLE_GROUP];
    for (unsigned i = 0; i < RLE_GROUP; i++)
        equal[i] = value;
    source from = {NULL, equal, encoder->kernels};
    if (count > 0 && encoder->group_size == 0 && encoder->run_length > 0 &&
        encoder->run_value != value)
        LAM_TRY(end_equal_values(encoder, error));
    if (count > 0 && encoder->group_size > 0) {
        size_t taken;
        LAM_TRY(fill_group(encoder, &from, 0, count < RLE_GROUP ? (size_t)count : RLE_GROUP, &taken,
                           error));
        count -= taken;
    }
    if (count > 0) {
        encoder->run_value = value;
        encoder->run_length += count;
    }
    return LAM_STATUS_OK;
}

lam_status lam_rle_encoder_flush(lam_rle_encoder *encoder, lam_error *error) {
    if (encoder->group_size > 0)
        LAM_TRY(add_group(encoder, error));
    if (encoder->run_length > 0) {
        /*
         * The last equal values are written in whichever way takes fewer bytes. That is repeated if
         * no packed run is open: the header of a new one and a group are at least as long.
         */
        uint64_t groups = (encoder->run_length + RLE_GROUP - 1) / RLE_GROUP;
        uint64_t packed = groups * encoder->bit_width;
        uint64_t repeated = 1 + value_size(encoder);
        bool is_open = encoder->packed_groups > 0;
        if (encoder->run_length >= min_repeated(encoder) || !is_open || repeated < packed)
            LAM_TRY(write_repeated(encoder, error));
        else
            LAM_TRY(end_equal_values(encoder, error));
        if (encoder->group_size > 0)
            LAM_TRY(add_group(encoder, error));
    }
    return close_packed(encoder, error);
}
