/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels of the delta encodings and of BYTE_STREAM_SPLIT in plain C. All integers
 * are unsigned and wrap modulo 2^32 or 2^64, so that the difference of any two values exists, and a
 * sum over the differences gives back the values whatever overflowed on the way. Encodings.md,
 * "Delta Encoding", demands that of DELTA_BINARY_PACKED; "Byte Stream Split" describes the streams
 * of bytes:
 *
 *     elements of 4 bytes   AA AB AC AD   BA BB BC BD   CA CB CC CD
 *     streams               AA BA CA   AB BB CB   AC BC CC   AD BD CD
 */
#include <string.h>

#include "base/wrap.h"
#include "kernel/kernel_versions.h"

/* --- Differences and sums ------------------------------------------------------------------ */

/*
 * Subtracts from each value the one before it: 7 5 3 4 after 8 gives -1 -2 -2 1 (the negative ones
 * as their two's complement).
 */
LAM_WRAPS void lam_deltas_u32_plain(const uint32_t *values, size_t count, uint32_t before,
                                    uint32_t *deltas) {
    if (count > 0)
        deltas[0] = values[0] - before;
    for (size_t i = 1; i < count; i++)
        deltas[i] = values[i] - values[i - 1];
}

LAM_WRAPS void lam_deltas_u64_plain(const uint64_t *values, size_t count, uint64_t before,
                                    uint64_t *deltas) {
    if (count > 0)
        deltas[0] = values[0] - before;
    for (size_t i = 1; i < count; i++)
        deltas[i] = values[i] - values[i - 1];
}

/*
 * The inverse, with the smallest delta of a block as `step`: 1 0 0 3 with step -2 after 8 gives 7 5
 * 3 4. The sum runs in place and is serial: each value waits for the one before.
 */
LAM_WRAPS void lam_sum_u32_plain(uint32_t *values, size_t count, uint32_t step, uint32_t start) {
    for (size_t i = 0; i < count; i++)
        values[i] = start += step + values[i];
}

LAM_WRAPS void lam_sum_u64_plain(uint64_t *values, size_t count, uint64_t step, uint64_t start) {
    for (size_t i = 0; i < count; i++)
        values[i] = start += step + values[i];
}

/*
 * Subtracts the smallest delta and collects the bits in use: -1 -2 -2 1 less -2 becomes 1 0 0 3 and
 * returns 3. The bit width of a miniblock is that of the result.
 */
LAM_WRAPS uint32_t lam_lower_u32_plain(uint32_t *values, size_t count, uint32_t base) {
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= values[i] -= base;
    return bits;
}

LAM_WRAPS uint64_t lam_lower_u64_plain(uint64_t *values, size_t count, uint64_t base) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= values[i] -= base;
    return bits;
}

/* The smallest as signed numbers; the largest number of the type for no values at all. */
int32_t lam_min_i32_plain(const uint32_t *values, size_t count) {
    int32_t min = INT32_MAX;
    for (size_t i = 0; i < count; i++)
        min = (int32_t)values[i] < min ? (int32_t)values[i] : min;
    return min;
}

int64_t lam_min_i64_plain(const uint64_t *values, size_t count) {
    int64_t min = INT64_MAX;
    for (size_t i = 0; i < count; i++)
        min = (int64_t)values[i] < min ? (int64_t)values[i] : min;
    return min;
}

/* --- Streams of bytes ---------------------------------------------------------------------- */

enum { TILE = 2048 }; /* bytes of elements per tile, which stay in L1 for `size` passes */

/* Byte b of element i comes from stream b; `size` is a constant, and the inner loop is unrolled. */
static LAM_ALWAYS_INLINE void join_sized(const uint8_t *streams, size_t stride, size_t size,
                                         size_t count, uint8_t *elements) {
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < size; b++)
            elements[i * size + b] = streams[b * stride + i];
    }
}

/* The inverse of join_sized(). */
static LAM_ALWAYS_INLINE void split_sized(const uint8_t *elements, size_t size, size_t count,
                                          size_t stride, uint8_t *streams) {
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < size; b++)
            streams[b * stride + i] = elements[i * size + b];
    }
}

/* Elements of the next tile: TILE bytes, but at least one element and at most those left. */
static size_t tile_of(size_t size, size_t left) {
    size_t tile = size < TILE ? TILE / size : 1;
    return tile < left ? tile : left;
}

/*
 * Elements of any other size, stream by stream within a tile: the inner loop has two pointers,
 * where a loop over the bytes of an element would touch `size` cache lines for each element.
 */
static void join_any(const uint8_t *streams, size_t stride, size_t size, size_t count,
                     uint8_t *elements) {
    for (size_t at = 0, tile; at < count; at += tile) {
        tile = tile_of(size, count - at);
        for (size_t b = 0; b < size; b++) {
            const uint8_t *from = streams + b * stride + at;
            uint8_t *to = elements + at * size + b;
            for (size_t i = 0; i < tile; i++)
                to[i * size] = from[i];
        }
    }
}

/* The inverse of join_any(). */
static void split_any(const uint8_t *elements, size_t size, size_t count, size_t stride,
                      uint8_t *streams) {
    for (size_t at = 0, tile; at < count; at += tile) {
        tile = tile_of(size, count - at);
        for (size_t b = 0; b < size; b++) {
            const uint8_t *from = elements + at * size + b;
            uint8_t *to = streams + b * stride + at;
            for (size_t i = 0; i < tile; i++)
                to[i] = from[i * size];
        }
    }
}

/*
 * Puts elements together: with stride 3 and size 2, the streams 01 02 03 and 0A 0B 0C become 01 0A,
 * 02 0B, 03 0C. The stride lets a caller read a range of elements out of longer streams.
 */
void lam_join_streams_plain(const uint8_t *streams, size_t stride, size_t size, size_t count,
                            void *elements) {
    if (size == 0 || count == 0)
        return;
    if (size == 1)
        memcpy(elements, streams, count);
    else if (size == 2)
        join_sized(streams, stride, 2, count, elements);
    else if (size == 4)
        join_sized(streams, stride, 4, count, elements);
    else if (size == 8)
        join_sized(streams, stride, 8, count, elements);
    else
        join_any(streams, stride, size, count, elements);
}

/* Takes elements apart; the stride lets a caller write a range of longer streams. */
void lam_split_streams_plain(const void *elements, size_t size, size_t count, size_t stride,
                             uint8_t *streams) {
    if (size == 0 || count == 0)
        return;
    if (size == 1)
        memcpy(streams, elements, count);
    else if (size == 2)
        split_sized(elements, 2, count, stride, streams);
    else if (size == 4)
        split_sized(elements, 4, count, stride, streams);
    else if (size == 8)
        split_sized(elements, 8, count, stride, streams);
    else
        split_any(elements, size, count, stride, streams);
}
