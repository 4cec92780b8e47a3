/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels of BYTE_STREAM_SPLIT with 256-bit registers: the bytes of elements to
 * streams of their own, and back. It is a transposition, done by interleaving registers; nothing is
 * computed, so the result equals the plain one byte for byte. A step takes 32 elements, the last up
 * to 31 are left to the plain version; loads and stores are unaligned and touch only bytes of their
 * step. (Encodings.md, "Byte Stream Split")
 */
#include "kernel/kernel_versions.h"

#if LAM_KERNELS_X86

#include <immintrin.h>
#include <string.h>

#define KERNEL_AVX2_STREAMS_AVX2 __attribute__((target("avx2")))
#define KERNEL_AVX2_STREAMS_INLINE static inline __attribute__((target("avx2"), always_inline))

/* Elements of a group, one for each byte of a half; and the registers of the longest element. */
enum { KERNEL_AVX2_STREAMS_GROUP = 16, MOST_REGISTERS = 16 };

/* Compilers keep an array of registers in registers only if its loops are unrolled. */
#define UNROLL _Pragma("GCC unroll 16")

/*
 * Sixteen elements of `size` bytes (2, 4, 8 or 16) fill `size` registers of 16 bytes. Interleaving
 * the bytes of the first half of the registers with those of the second half moves the byte at
 * address a of the first half to 2a, and its counterpart in the second half to 2a + 1: the bits of
 * the address rotate by one.
 *
 *     size 4, address of 6 bits:  elements  eeeebb    element, byte within it
 *                                 streams   bbeeee    byte, element
 *
 * So four rounds make streams of elements, and as many rounds as `size` has bits below its highest
 * one (log2) make elements of streams. The two halves of a 256-bit register are two such groups.
 */
KERNEL_AVX2_STREAMS_INLINE void interleave(__m256i *x, unsigned size, unsigned rounds) {
    __m256i y[MOST_REGISTERS];
    UNROLL
    for (unsigned round = 0; round < rounds; round++) {
        UNROLL
        for (unsigned i = 0; i < size / 2; i++) {
            y[2 * i] = _mm256_unpacklo_epi8(x[i], x[i + size / 2]);
            y[2 * i + 1] = _mm256_unpackhi_epi8(x[i], x[i + size / 2]);
        }
        UNROLL
        for (unsigned i = 0; i < size; i++)
            x[i] = y[i];
    }
}

/* Joins 32 elements per step; returns how many are done: all but fewer than 32. */
KERNEL_AVX2_STREAMS_INLINE size_t join_some(const uint8_t *streams, size_t stride, unsigned size,
                                            unsigned rounds, size_t count, uint8_t *elements) {
    size_t at = 0;
    for (; count - at >= 2 * KERNEL_AVX2_STREAMS_GROUP;
         at += 2 * KERNEL_AVX2_STREAMS_GROUP, elements += 2 * KERNEL_AVX2_STREAMS_GROUP * size) {
        __m256i x[MOST_REGISTERS];
        UNROLL
        for (unsigned i = 0; i < size; i++)
            x[i] = _mm256_loadu_si256((const void *)(streams + i * stride + at));
        interleave(x, size, rounds);
        UNROLL
        for (unsigned i = 0; i < size; i++) {
            uint8_t *low = elements + i * KERNEL_AVX2_STREAMS_GROUP,
                    *high = low + KERNEL_AVX2_STREAMS_GROUP * size;
            _mm_storeu_si128((void *)low, _mm256_castsi256_si128(x[i]));
            _mm_storeu_si128((void *)high, _mm256_extracti128_si256(x[i], 1));
        }
    }
    return at;
}

/*
 * The inverse. Register i has 16 bytes of one group in its lower half and those of the next group
 * in its upper half; in the end it has 32 bytes of stream i.
 */
KERNEL_AVX2_STREAMS_INLINE size_t split_some(const uint8_t *elements, unsigned size, size_t count,
                                             size_t stride, uint8_t *streams) {
    size_t at = 0;
    for (; count - at >= 2 * KERNEL_AVX2_STREAMS_GROUP;
         at += 2 * KERNEL_AVX2_STREAMS_GROUP, elements += 2 * KERNEL_AVX2_STREAMS_GROUP * size) {
        __m256i x[MOST_REGISTERS];
        UNROLL
        for (unsigned i = 0; i < size; i++) {
            const uint8_t *low = elements + i * KERNEL_AVX2_STREAMS_GROUP,
                          *high = low + KERNEL_AVX2_STREAMS_GROUP * size;
            x[i] = _mm256_castsi128_si256(_mm_loadu_si128((const void *)low));
            x[i] = _mm256_inserti128_si256(x[i], _mm_loadu_si128((const void *)high), 1);
        }
        interleave(x, size, 4);
        UNROLL
        for (unsigned i = 0; i < size; i++)
            _mm256_storeu_si256((void *)(streams + i * stride + at), x[i]);
    }
    return at;
}

/*
 * Elements of another size are joined in pieces of `width` bytes, the last two of which overlap:
 * for size 12 and width 8, bytes 0 to 7 and 4 to 11. The overlap is written twice with the same
 * bytes. Returns the number of elements done: all but fewer than 32.
 */
KERNEL_AVX2_STREAMS_INLINE size_t join_pieces(const uint8_t *streams, size_t stride, size_t size,
                                              unsigned width, unsigned rounds, size_t count,
                                              uint8_t *elements) {
    uint8_t pieces[2 * KERNEL_AVX2_STREAMS_GROUP * MOST_REGISTERS];
    size_t at = 0;
    for (; count - at >= 2 * KERNEL_AVX2_STREAMS_GROUP;
         at += 2 * KERNEL_AVX2_STREAMS_GROUP, elements += 2 * KERNEL_AVX2_STREAMS_GROUP * size) {
        for (size_t b = 0; b < size; b += width) {
            size_t first = b + width <= size ? b : size - width;
            join_some(streams + first * stride + at, stride, width, rounds,
                      2 * KERNEL_AVX2_STREAMS_GROUP, pieces);
            for (size_t i = 0; i < 2 * KERNEL_AVX2_STREAMS_GROUP; i++)
                memcpy(elements + i * size + first, pieces + i * width, width);
        }
    }
    return at;
}

/*
 * The inverse of join_pieces(); the streams of the overlap are written twice with the same bytes.
 */
KERNEL_AVX2_STREAMS_INLINE size_t split_pieces(const uint8_t *elements, size_t size, unsigned width,
                                               size_t count, size_t stride, uint8_t *streams) {
    uint8_t pieces[2 * KERNEL_AVX2_STREAMS_GROUP * MOST_REGISTERS];
    size_t at = 0;
    for (; count - at >= 2 * KERNEL_AVX2_STREAMS_GROUP;
         at += 2 * KERNEL_AVX2_STREAMS_GROUP, elements += 2 * KERNEL_AVX2_STREAMS_GROUP * size) {
        for (size_t b = 0; b < size; b += width) {
            size_t first = b + width <= size ? b : size - width;
            for (size_t i = 0; i < 2 * KERNEL_AVX2_STREAMS_GROUP; i++)
                memcpy(pieces + i * width, elements + i * size + first, width);
            split_some(pieces, width, 2 * KERNEL_AVX2_STREAMS_GROUP, stride,
                       streams + first * stride + at);
        }
    }
    return at;
}

/*
 * Finds the loop by size: the widest pieces that are not wider than an element. Size 1 is a copy,
 * which the plain version does, as it does the last elements of every size.
 */
KERNEL_AVX2_STREAMS_AVX2 void lam_join_streams_avx2(const uint8_t *streams, size_t stride,
                                                    size_t size, size_t count, void *elements) {
    size_t done = 0;
    if (size == 2)
        done = join_some(streams, stride, 2, 1, count, elements);
    else if (size == 4)
        done = join_some(streams, stride, 4, 2, count, elements);
    else if (size == 8)
        done = join_some(streams, stride, 8, 3, count, elements);
    else if (size == 16)
        done = join_some(streams, stride, 16, 4, count, elements);
    else if (size > 16)
        done = join_pieces(streams, stride, size, 16, 4, count, elements);
    else if (size > 8)
        done = join_pieces(streams, stride, size, 8, 3, count, elements);
    else if (size > 4)
        done = join_pieces(streams, stride, size, 4, 2, count, elements);
    else if (size > 2)
        done = join_pieces(streams, stride, size, 2, 1, count, elements);
    if (done < count)
        lam_join_streams_plain(streams + done, stride, size, count - done,
                               (uint8_t *)elements + done * size);
}

KERNEL_AVX2_STREAMS_AVX2 void lam_split_streams_avx2(const void *elements, size_t size,
                                                     size_t count, size_t stride,
                                                     uint8_t *streams) {
    size_t done = 0;
    if (size == 2)
        done = split_some(elements, 2, count, stride, streams);
    else if (size == 4)
        done = split_some(elements, 4, count, stride, streams);
    else if (size == 8)
        done = split_some(elements, 8, count, stride, streams);
    else if (size == 16)
        done = split_some(elements, 16, count, stride, streams);
    else if (size > 16)
        done = split_pieces(elements, size, 16, count, stride, streams);
    else if (size > 8)
        done = split_pieces(elements, size, 8, count, stride, streams);
    else if (size > 4)
        done = split_pieces(elements, size, 4, count, stride, streams);
    else if (size > 2)
        done = split_pieces(elements, size, 2, count, stride, streams);
    if (done < count)
        lam_split_streams_plain((const uint8_t *)elements + done * size, size, count - done, stride,
                                streams + done);
}

#endif
