/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes DELTA_BINARY_PACKED: integers as bit-packed differences.
 *
 *     stream    := header block*
 *     header    := varint(values in a block)      a multiple of 128
 *                  varint(miniblocks in a block)  each of a multiple of 32 values
 *                  varint(values)
 *                  zigzag varint(first value)
 *     block     := zigzag varint(smallest difference)
 *                  a byte for each miniblock: its bit width
 *                  miniblock*
 *     miniblock := (difference - smallest) for each value, bit-packed, LSB first
 *
 *     7 5 3 1 2 3 4 5 in a block of 128 values, four miniblocks of 32:
 *
 *     80 01  04  08  0E   03   02 00 00 00   C0 3F 00 00 00 00 00 00
 *     128    4   8   7    -2   bit widths    0 0 0 3 3 3 3, padding to 32 values
 *
 * The last miniblock with values has full length, and those after it have no bytes, whatever their
 * bit widths say. All differences and sums are modulo 2^32 or 2^64, so any two values have a
 * difference. The header of a hostile page may state up to 2^31 values and miniblocks of any
 * length: no memory is allocated for them, and no byte is read before the bytes left are compared.
 * (Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED = 5)")
 */
#include "encoding/delta_binary_packed.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/wrap.h"
#include "encoding/rle.h"
#include "kernel/kernel.h"

enum {
    DELTA_BINARY_PACKED_GROUP = 8, /* packed values, which begin on a byte boundary */
    BLOCK_MULTIPLE = 128,
    MINI_MULTIPLE = 32,
    DELTA_SUMMED = 256, /* values read at once to add them up */
    MINIS = 4,          /* in a block that is written */
    MINI = LAM_DELTA_BLOCK / MINIS,
    MAX_WIDTH = 64,
    MAX_VARINT = 10,
    /* At most: 128 takes two bytes, 4 one, a count up to INT32_MAX five. */
    MAX_HEADER = 2 + 1 + 5 + MAX_VARINT,
    /* All differences with all their 64 bits: room for a block that is about to be written. */
    MAX_BLOCK = MAX_VARINT + MINIS + LAM_DELTA_BLOCK * 8
};

/* --- Numbers of variable length ------------------------------------------------------------ */

/*
 * Reads a number of seven bits a byte, the lowest first: E5 8E 26 is 624485. The tenth byte has one
 * bit left of the 64, so a larger one is corrupt.
 */
static lam_status read_varint(const uint8_t **next, const uint8_t *end, uint64_t *ret_value,
                              lam_error *error) {
    uint64_t value = 0;
    for (unsigned i = 0;; i++) {
        if (*next == end)
            LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "delta encoded values end inside a header");
        uint8_t byte = *(*next)++;
        if (i == MAX_VARINT - 1 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7F) << 7 * i;
        if (byte < 0x80) {
            *ret_value = value;
            return LAM_STATUS_OK;
        }
    }
    LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
             "a number of delta encoded values does not fit 64 bits");
}

static uint8_t *delta_binary_packed_put_varint(uint8_t *next, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        *next++ = (uint8_t)(value | 0x80);
    *next++ = (uint8_t)value;
    return next;
}

/* --- Reading ------------------------------------------------------------------------------- */

/*
 * Checks the header. Later code divides by `mini_count`, and divides a miniblock into groups of
 * eight values: both are safe from here on. Writers choose other blocks than 128 by 4, too.
 */
static lam_status delta_binary_packed_check_header(uint64_t block_size, uint64_t mini_count,
                                                   uint64_t count, lam_error *error) {
    if (block_size == 0 || block_size % BLOCK_MULTIPLE != 0 || block_size > UINT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "delta blocks of %" PRIu64 " values",
                 block_size);
    if (mini_count == 0 || block_size % mini_count != 0 ||
        block_size / mini_count % MINI_MULTIPLE != 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                 "%" PRIu64 " miniblocks in delta blocks of %" PRIu64 " values", mini_count,
                 block_size);
    if (count > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "%" PRIu64 " delta encoded values in one page",
                 count);
    return LAM_STATUS_OK;
}

/*
 * Reads the header. The first value becomes `last`, the value before the next one, though it is
 * itself the next one: is_first says so. *decoder is written on success only.
 */
lam_status lam_delta_decoder_init(lam_delta_decoder *decoder, const lam_kernels *kernels,
                                  unsigned bits, lam_bytes bytes, lam_error *error) {
    static const uint8_t nothing[1];
    lam_delta_decoder fresh = {.kernels = kernels, .bits = bits, .is_first = true};
    fresh.next = bytes.size > 0 ? bytes.data : nothing;
    fresh.end = fresh.next + bytes.size;
    if (bytes.size > 0) {
        uint64_t block_size, mini_count, count, first;
        LAM_TRY(read_varint(&fresh.next, fresh.end, &block_size, error));
        LAM_TRY(read_varint(&fresh.next, fresh.end, &mini_count, error));
        LAM_TRY(read_varint(&fresh.next, fresh.end, &count, error));
        LAM_TRY(read_varint(&fresh.next, fresh.end, &first, error));
        LAM_TRY(delta_binary_packed_check_header(block_size, mini_count, count, error));
        fresh.block_size = (uint32_t)block_size;
        fresh.mini_count = (uint32_t)mini_count;
        fresh.left = (uint32_t)count;
        fresh.last = lam_from_zigzag(first);
    }
    *decoder = fresh;
    return LAM_STATUS_OK;
}

/* Reads the smallest difference of the next block, and finds its bit widths. */
static lam_status open_block(lam_delta_decoder *decoder, lam_error *error) {
    uint64_t min_delta;
    LAM_TRY(read_varint(&decoder->next, decoder->end, &min_delta, error));
    if ((size_t)(decoder->end - decoder->next) < decoder->mini_count)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "a delta block ends inside its bit widths");
    decoder->min_delta = lam_from_zigzag(min_delta);
    decoder->widths = decoder->next;
    decoder->next += decoder->mini_count;
    decoder->minis_left = decoder->mini_count;
    return LAM_STATUS_OK;
}

/*
 * Opens a run: the next miniblock, and those after it in the block with the same width, whose bits
 * follow without a gap. One call of a kernel then takes up to an entire block.
 *
 *     widths 3 3 3 0, 96 values of 32 a miniblock left:   one run of 36 bytes
 */
static lam_status delta_binary_packed_open_run(lam_delta_decoder *decoder, lam_error *error) {
    if (decoder->minis_left == 0)
        LAM_TRY(open_block(decoder, error));
    uint64_t mini_size = decoder->block_size / decoder->mini_count;
    unsigned width = decoder->widths[0];
    if (width > MAX_WIDTH)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "bit width %u of delta encoded values", width);
    uint32_t minis = 1;
    /* Stops after the last value: the miniblocks that follow have widths but no bytes. */
    while (minis < decoder->minis_left && minis * mini_size < decoder->left &&
           decoder->widths[minis] == width)
        minis++;
    uint64_t size = minis * mini_size / DELTA_BINARY_PACKED_GROUP * width;
    if ((size_t)(decoder->end - decoder->next) < size)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                 "a delta block has %zu bytes where its miniblocks need %" PRIu64,
                 (size_t)(decoder->end - decoder->next), size);
    decoder->width = width;
    decoder->widths += minis;
    decoder->minis_left -= minis;
    decoder->packed = decoder->next;
    decoder->packed_at = 0;
    decoder->packed_left = minis * mini_size;
    decoder->next += size;
    return LAM_STATUS_OK;
}

/*
 * The differences of the open run, at most `count`; `left` keeps those of the padding from being
 * read.
 */
static size_t rest_of_miniblock(const lam_delta_decoder *decoder, size_t count) {
    return decoder->packed_left < count ? (size_t)decoder->packed_left : count;
}

static void delta_binary_packed_advance(lam_delta_decoder *decoder, size_t count) {
    decoder->packed_at += count;
    decoder->packed_left -= count;
    decoder->left -= (uint32_t)count;
}

/* The group of eight differences with number `at` of the open run, on a byte boundary. */
static const uint8_t *group_of(const lam_delta_decoder *decoder, uint64_t at) {
    return decoder->packed + at / DELTA_BINARY_PACKED_GROUP * decoder->width;
}

/*
 * Unpacks differences of more than 32 bits, which the format does not expect of INT32 values.
 * DuckDB writes them, because it subtracts in 64 bits. Their low 32 bits are the right difference.
 */
static void unpack_wide(const uint8_t *packed, unsigned width, size_t count, uint32_t *values,
                        const lam_kernels *kernels) {
    uint64_t wide[MINI_MULTIPLE];
    while (count > 0) {
        size_t some = count < MINI_MULTIPLE ? count : MINI_MULTIPLE;
        kernels->unpack_u64(packed, width, some, wide);
        for (size_t i = 0; i < some; i++)
            *values++ = (uint32_t)wide[i];
        packed += MINI_MULTIPLE / DELTA_BINARY_PACKED_GROUP * width;
        count -= some;
    }
}

static void unpack_32(const uint8_t *packed, unsigned width, size_t count, uint32_t *values,
                      const lam_kernels *kernels) {
    if (width <= 32)
        kernels->unpack_u32(packed, width, count, values);
    else
        unpack_wide(packed, width, count, values, kernels);
}

/*
 * Reads `count` values of the open run. A read may begin inside a group: that group is unpacked to
 * a copy, and its `head` last values are used; the others begin on a byte boundary. The kernel then
 * turns differences into values in place: value = value before + smallest difference + stored
 * number.
 */
static void read_run_32(lam_delta_decoder *decoder, size_t count, uint32_t *values,
                        const lam_kernels *kernels) {
    uint64_t at = decoder->packed_at;
    unsigned skip = (unsigned)(at % DELTA_BINARY_PACKED_GROUP);
    size_t head =
        skip == 0
            ? 0
            : (DELTA_BINARY_PACKED_GROUP - skip < count ? DELTA_BINARY_PACKED_GROUP - skip : count);
    if (head > 0) {
        uint32_t group[DELTA_BINARY_PACKED_GROUP];
        unpack_32(group_of(decoder, at), decoder->width, DELTA_BINARY_PACKED_GROUP, group, kernels);
        memcpy(values, group + skip, head * sizeof *values);
    }
    if (head < count)
        unpack_32(group_of(decoder, at + head), decoder->width, count - head, values + head,
                  kernels);
    kernels->sum_u32(values, count, (uint32_t)decoder->min_delta, (uint32_t)decoder->last);
    decoder->last = values[count - 1];
}

/* The same for INT64, for which no stored number is too wide. */
static void read_run_64(lam_delta_decoder *decoder, size_t count, uint64_t *values,
                        const lam_kernels *kernels) {
    uint64_t at = decoder->packed_at;
    unsigned skip = (unsigned)(at % DELTA_BINARY_PACKED_GROUP);
    size_t head =
        skip == 0
            ? 0
            : (DELTA_BINARY_PACKED_GROUP - skip < count ? DELTA_BINARY_PACKED_GROUP - skip : count);
    if (head > 0) {
        uint64_t group[DELTA_BINARY_PACKED_GROUP];
        kernels->unpack_u64(group_of(decoder, at), decoder->width, DELTA_BINARY_PACKED_GROUP,
                            group);
        memcpy(values, group + skip, head * sizeof *values);
    }
    if (head < count)
        kernels->unpack_u64(group_of(decoder, at + head), decoder->width, count - head,
                            values + head);
    kernels->sum_u64(values, count, decoder->min_delta, decoder->last);
    decoder->last = values[count - 1];
}

/*
 * Reads values: the first from the header, all others run by run. Fewer than `count` values left is
 * found before anything is read; a run that ends early is found when it is opened.
 */
lam_status lam_delta_read(lam_delta_decoder *decoder, size_t count, void *values,
                          lam_error *error) {
    const lam_kernels *kernels = decoder->kernels;
    uint32_t *values_32 = values;
    uint64_t *values_64 = values;
    size_t done = 0;
    if (count > decoder->left)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES,
                 "%zu delta encoded values where %" PRIu32 " are left", count, decoder->left);
    if (count > 0 && decoder->is_first) {
        decoder->is_first = false;
        decoder->left--;
        if (decoder->bits == 32)
            values_32[done++] = (uint32_t)decoder->last;
        else
            values_64[done++] = decoder->last;
    }
    while (done < count) {
        if (decoder->packed_left == 0)
            LAM_TRY(delta_binary_packed_open_run(decoder, error));
        size_t some = rest_of_miniblock(decoder, count - done);
        if (decoder->bits == 32)
            read_run_32(decoder, some, values_32 + done, kernels);
        else
            read_run_64(decoder, some, values_64 + done, kernels);
        delta_binary_packed_advance(decoder, some);
        done += some;
    }
    return LAM_STATUS_OK;
}

/*
 * Walks over the headers of all runs with a copy of the decoder. The cost is one step for a run,
 * not for a value, and every block consumes bytes of the page.
 */
lam_status lam_delta_find_end(const lam_delta_decoder *decoder, const uint8_t **ret_end,
                              lam_error *error) {
    lam_delta_decoder ahead = *decoder;
    if (ahead.is_first && ahead.left > 0) {
        ahead.is_first = false;
        ahead.left--;
    }
    while (ahead.left > 0) {
        if (ahead.packed_left == 0)
            LAM_TRY(delta_binary_packed_open_run(&ahead, error));
        delta_binary_packed_advance(&ahead, rest_of_miniblock(&ahead, ahead.left));
    }
    *ret_end = ahead.next;
    return LAM_STATUS_OK;
}

lam_status lam_delta_sum(const lam_delta_decoder *decoder, uint64_t *ret_sum, lam_error *error) {
    lam_delta_decoder ahead = *decoder;
    uint32_t values[DELTA_SUMMED];
    uint64_t sum = 0; /* of fewer than 2^32 values */
    for (size_t some; ahead.left > 0;) {
        some = ahead.left < DELTA_SUMMED ? ahead.left : DELTA_SUMMED;
        LAM_TRY(lam_delta_read(&ahead, some, values, error));
        for (size_t i = 0; i < some; i++)
            sum += values[i];
    }
    *ret_sum = sum;
    return LAM_STATUS_OK;
}

/* --- Writing ------------------------------------------------------------------------------- */

void lam_delta_encoder_init(lam_delta_encoder *encoder, const lam_kernels *kernels, unsigned bits,
                            const lam_allocator *allocator) {
    assert(bits == 32 || bits == 64);
    memset(encoder, 0, sizeof *encoder);
    encoder->kernels = kernels;
    encoder->bits = bits;
    lam_buffer_init(&encoder->blocks, allocator);
}

void lam_delta_encoder_finish(lam_delta_encoder *encoder) {
    lam_buffer_finish(&encoder->blocks);
}

void lam_delta_restart(lam_delta_encoder *encoder) {
    lam_buffer_clear(&encoder->blocks);
    encoder->count = 0;
    encoder->pending = 0;
}

/*
 * Writes a block of the first `count` of 32-bit differences at `next`; returns its end. Overwrites
 * the differences: the kernel subtracts the smallest and returns the bits in use, and the last
 * miniblock is filled up with zeros. Miniblocks without values get width 0 and no bytes.
 */
static uint8_t *put_block_32(const lam_kernels *kernels, uint32_t *deltas, unsigned count,
                             uint8_t *next) {
    int32_t min = kernels->min_i32(deltas, count);
    next = delta_binary_packed_put_varint(next, lam_to_zigzag((uint64_t)(int64_t)min));
    uint8_t *widths = next;
    memset(widths, 0, MINIS);
    next += MINIS;
    for (unsigned at = 0, mini = 0; at < count; at += MINI, mini++) {
        unsigned some = count - at < MINI ? count - at : MINI;
        uint32_t used = kernels->lower_u32(deltas + at, some, (uint32_t)min);
        memset(deltas + at + some, 0, (MINI - some) * sizeof *deltas);
        widths[mini] = (uint8_t)lam_bit_width(used);
        kernels->pack_u32(deltas + at, widths[mini], MINI, next);
        next += MINI / DELTA_BINARY_PACKED_GROUP * widths[mini];
    }
    return next;
}

/* The same for 64 bits. */
static uint8_t *put_block_64(const lam_kernels *kernels, uint64_t *deltas, unsigned count,
                             uint8_t *next) {
    int64_t min = kernels->min_i64(deltas, count);
    next = delta_binary_packed_put_varint(next, lam_to_zigzag((uint64_t)min));
    uint8_t *widths = next;
    memset(widths, 0, MINIS);
    next += MINIS;
    for (unsigned at = 0, mini = 0; at < count; at += MINI, mini++) {
        unsigned some = count - at < MINI ? count - at : MINI;
        uint64_t used = kernels->lower_u64(deltas + at, some, (uint64_t)min);
        memset(deltas + at + some, 0, (MINI - some) * sizeof *deltas);
        widths[mini] = (uint8_t)lam_bit_width(used);
        kernels->pack_u64(deltas + at, widths[mini], MINI, next);
        next += MINI / DELTA_BINARY_PACKED_GROUP * widths[mini];
    }
    return next;
}

/* Encodes the full block at the end of `blocks`, where the caller has reserved MAX_BLOCK. */
static void end_block(lam_delta_encoder *encoder) {
    uint8_t *next = encoder->blocks.data + encoder->blocks.size;
    uint8_t *end =
        encoder->bits == 32
            ? put_block_32(encoder->kernels, encoder->deltas.of_32, encoder->pending, next)
            : put_block_64(encoder->kernels, encoder->deltas.of_64, encoder->pending, next);
    encoder->blocks.size += (size_t)(end - next);
    encoder->pending = 0;
}

/* Adds differences to the open block, which has room for `count`, at least 1. */
static void add_deltas(lam_delta_encoder *encoder, const void *values, size_t count) {
    const lam_kernels *kernels = encoder->kernels;
    if (encoder->bits == 32) {
        const uint32_t *from = values;
        kernels->deltas_u32(from, count, (uint32_t)encoder->last,
                            encoder->deltas.of_32 + encoder->pending);
        encoder->last = from[count - 1];
    } else {
        const uint64_t *from = values;
        kernels->deltas_u64(from, count, encoder->last, encoder->deltas.of_64 + encoder->pending);
        encoder->last = from[count - 1];
    }
    encoder->pending += (unsigned)count;
}

/*
 * Adds values. Memory for a block is reserved before the differences that fill it are added, so
 * that `pending` stays below LAM_DELTA_BLOCK whenever this returns.
 */
lam_status lam_delta_write(lam_delta_encoder *encoder, const void *values, size_t count,
                           lam_error *error) {
    const uint8_t *next = values;
    size_t size = encoder->bits / 8, left = count;
    if (count > INT32_MAX - encoder->count)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "more than %" PRId32 " values in one page", INT32_MAX);
    if (count > 0 && encoder->count == 0) {
        encoder->last = encoder->bits == 32 ? *(const uint32_t *)values : *(const uint64_t *)values;
        encoder->first = encoder->last;
        encoder->count = 1;
        next += size;
        left--;
    }
    while (left > 0) {
        size_t room = LAM_DELTA_BLOCK - encoder->pending, some = left < room ? left : room;
        if (some == room)
            LAM_TRY(lam_buffer_reserve(&encoder->blocks, MAX_BLOCK, error));
        add_deltas(encoder, next, some);
        encoder->count += (uint32_t)some;
        if (some == room)
            end_block(encoder);
        next += some * size;
        left -= some;
    }
    return LAM_STATUS_OK;
}

/*
 * Writes header, full blocks and the open one. The open block is encoded from a copy, because
 * encoding spoils the differences and the page must survive a later failure of the caller.
 */
lam_status lam_delta_append(const lam_delta_encoder *encoder, lam_buffer *out, lam_error *error) {
    LAM_TRY(lam_buffer_reserve(out, MAX_HEADER + encoder->blocks.size + MAX_BLOCK, error));
    uint8_t *next = out->data + out->size;
    uint64_t first = encoder->count == 0 ? 0 : encoder->first;
    /* Sign extension: zigzag counts in 64 bits. */
    if (encoder->bits == 32)
        first = (uint64_t)(int64_t)(int32_t)(uint32_t)first;
    next = delta_binary_packed_put_varint(next, LAM_DELTA_BLOCK);
    next = delta_binary_packed_put_varint(next, MINIS);
    next = delta_binary_packed_put_varint(next, encoder->count);
    next = delta_binary_packed_put_varint(next, lam_to_zigzag(first));
    if (encoder->blocks.size > 0)
        memcpy(next, encoder->blocks.data, encoder->blocks.size);
    next += encoder->blocks.size;
    if (encoder->pending > 0 && encoder->bits == 32) {
        uint32_t deltas[LAM_DELTA_BLOCK];
        memcpy(deltas, encoder->deltas.of_32, sizeof deltas);
        next = put_block_32(encoder->kernels, deltas, encoder->pending, next);
    } else if (encoder->pending > 0) {
        uint64_t deltas[LAM_DELTA_BLOCK];
        memcpy(deltas, encoder->deltas.of_64, sizeof deltas);
        next = put_block_64(encoder->kernels, deltas, encoder->pending, next);
    }
    out->size = (size_t)(next - out->data);
    return LAM_STATUS_OK;
}

size_t lam_delta_byte_count(const lam_delta_encoder *encoder) {
    size_t open =
        encoder->pending == 0 ? 0 : MAX_VARINT + MINIS + encoder->pending * encoder->bits / 8;
    return MAX_HEADER + encoder->blocks.size + open;
}
