/* Differences and sums, and the bytes of elements in streams of their own, in plain C. */
#include <string.h>

#include "kernel/kernel_versions.h"

/* --- Differences and sums ------------------------------------------------------------------ */

void lam_deltas_u32_plain(const uint32_t *values, size_t count, uint32_t before, uint32_t *deltas) {
    if (count > 0)
        deltas[0] = values[0] - before;
    for (size_t i = 1; i < count; i++)
        deltas[i] = values[i] - values[i - 1];
}

void lam_deltas_u64_plain(const uint64_t *values, size_t count, uint64_t before, uint64_t *deltas) {
    if (count > 0)
        deltas[0] = values[0] - before;
    for (size_t i = 1; i < count; i++)
        deltas[i] = values[i] - values[i - 1];
}

void lam_sum_u32_plain(uint32_t *values, size_t count, uint32_t step, uint32_t start) {
    for (size_t i = 0; i < count; i++)
        values[i] = start += step + values[i];
}

void lam_sum_u64_plain(uint64_t *values, size_t count, uint64_t step, uint64_t start) {
    for (size_t i = 0; i < count; i++)
        values[i] = start += step + values[i];
}

uint32_t lam_lower_u32_plain(uint32_t *values, size_t count, uint32_t base) {
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= values[i] -= base;
    return bits;
}

uint64_t lam_lower_u64_plain(uint64_t *values, size_t count, uint64_t base) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits |= values[i] -= base;
    return bits;
}

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

enum { TILE = 2048 }; /* bytes of elements that are gone through once for each of their bytes */

static LAM_ALWAYS_INLINE void join_sized(const uint8_t *streams, size_t stride, size_t size,
                                         size_t count, uint8_t *elements) {
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < size; b++)
            elements[i * size + b] = streams[b * stride + i];
    }
}

static LAM_ALWAYS_INLINE void split_sized(const uint8_t *elements, size_t size, size_t count,
                                          size_t stride, uint8_t *streams) {
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < size; b++)
            streams[b * stride + i] = elements[i * size + b];
    }
}

/* How many elements of any size are done at a time. */
static size_t tile_of(size_t size, size_t left) {
    size_t tile = size < TILE ? TILE / size : 1;
    return tile < left ? tile : left;
}

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
