/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels of nulls with 256-bit registers: levels to bitmaps, and values moved apart
 * to their slots, which is done by a table with the shuffle of each nibble of bits. The format's
 * values have no gaps, Arrow's have one element per slot. The invariant of moving in place, from
 * the back: the remaining elements are at or before their slots, so a step never overwrites an
 * element that a later one needs.
 *
 *     nibble 1011 (slots 0, 1 and 3 present), elements A B C x:   A B 0 C
 *     ranks 0 1 2 2, and lane 2 is masked to zero
 */
#include "kernel/kernel_versions.h"

#if LAM_KERNELS_X86

#include <immintrin.h>
#include <string.h>

#define KERNEL_AVX2_NULLS_AVX2 __attribute__((target("avx2")))
#define KERNEL_AVX2_NULLS_INLINE static inline __attribute__((target("avx2"), always_inline))

/*
 * 32 levels per step. AVX2 has no unsigned comparison of bytes: x is at least `floor` when it is
 * the larger of the two.
 */
KERNEL_AVX2_NULLS_AVX2 void lam_at_least_u8_avx2(const uint8_t *values, size_t count, uint8_t least,
                                                 uint8_t *bits) {
    const __m256i floor = _mm256_set1_epi8((char)least);
    for (; count >= 32; count -= 32, values += 32, bits += 4) {
        __m256i x = _mm256_loadu_si256((const void *)values);
        int word = _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(x, floor), x));
        memcpy(bits, &word, sizeof word);
    }
    lam_at_least_u8_plain(values, count, least, bits);
}

/* The ranks of a nibble: for each of its bits, how many ones are below it; and all its ones. */
#define RANKS_4(b) 0, (b)&1, ((b)&1) + ((b) >> 1 & 1), ((b)&1) + ((b) >> 1 & 1) + ((b) >> 2 & 1)
#define ONES_4(b) (((b)&1) + ((b) >> 1 & 1) + ((b) >> 2 & 1) + ((b) >> 3 & 1))

/* By nibble: the element that each of four lanes takes, counted from the first of the step. */
static const int32_t ranks_4[16][4] = {{RANKS_4(0)},  {RANKS_4(1)},  {RANKS_4(2)},  {RANKS_4(3)},
                                       {RANKS_4(4)},  {RANKS_4(5)},  {RANKS_4(6)},  {RANKS_4(7)},
                                       {RANKS_4(8)},  {RANKS_4(9)},  {RANKS_4(10)}, {RANKS_4(11)},
                                       {RANKS_4(12)}, {RANKS_4(13)}, {RANKS_4(14)}, {RANKS_4(15)}};
static const uint8_t ones_4[16] = {
    ONES_4(0), ONES_4(1), ONES_4(2),  ONES_4(3),  ONES_4(4),  ONES_4(5),  ONES_4(6),  ONES_4(7),
    ONES_4(8), ONES_4(9), ONES_4(10), ONES_4(11), ONES_4(12), ONES_4(13), ONES_4(14), ONES_4(15)};

/*
 * Moves four elements of 4 bytes to their lanes by a nibble of bits; the other lanes become zeros.
 */
KERNEL_AVX2_NULLS_INLINE __m128i spread_four_4(const uint32_t *from, unsigned nibble,
                                               __m128i bit_of_lane) {
    __m128i x = _mm_loadu_si128((const void *)from);
    __m128i order = _mm_loadu_si128((const void *)ranks_4[nibble]);
    __m128i bits = _mm_and_si128(_mm_set1_epi32((int)nibble), bit_of_lane);
    x = _mm_castps_si128(_mm_permutevar_ps(_mm_castsi128_ps(x), order));
    return _mm_and_si128(x, _mm_cmpeq_epi32(bits, bit_of_lane));
}

/*
 * The same for 8 bytes. AVX2 permutes 64-bit lanes by a constant only, so each rank becomes the two
 * 32-bit lanes 2 * rank and 2 * rank + 1.
 */
KERNEL_AVX2_NULLS_INLINE __m256i spread_four_8(const uint64_t *from, unsigned nibble,
                                               __m256i bit_of_lane) {
    __m256i x = _mm256_loadu_si256((const void *)from);
    __m256i rank = _mm256_cvtepi32_epi64(_mm_loadu_si128((const void *)ranks_4[nibble]));
    __m256i low = _mm256_slli_epi64(rank, 1);
    __m256i order =
        _mm256_or_si256(low, _mm256_slli_epi64(_mm256_add_epi64(low, _mm256_set1_epi64x(1)), 32));
    __m256i bits = _mm256_and_si256(_mm256_set1_epi64x((long long)nibble), bit_of_lane);
    x = _mm256_permutevar8x32_epi32(x, order);
    return _mm256_and_si256(x, _mm256_cmpeq_epi64(bits, bit_of_lane));
}

/*
 * Four elements per step from the back, after the count % 4 last ones, so that each nibble is
 * complete. A step reads four elements from its first one on, which is at or before its slots: the
 * surplus is inside the array, too. It ends when `present` equals `at`: all slots below are present
 * and in place.
 */
KERNEL_AVX2_NULLS_AVX2 static void kernel_avx2_nulls_spread_4(uint32_t *elements, size_t present,
                                                              const uint8_t *bits, size_t count) {
    const __m128i bit_of_lane = _mm_setr_epi32(1, 2, 4, 8);
    size_t tail = count % 4, at = count - tail;
    for (size_t i = count; i > at;) {
        i--;
        uint32_t bit = bits[i / 8] >> i % 8 & 1;
        present -= bit;
        elements[i] = bit != 0 ? elements[present] : 0;
    }
    while (at > present) {
        at -= 4;
        unsigned nibble = bits[at / 8] >> at % 8 & 15;
        present -= ones_4[nibble];
        __m128i x = spread_four_4(elements + present, nibble, bit_of_lane);
        _mm_storeu_si128((void *)(elements + at), x);
    }
}

KERNEL_AVX2_NULLS_AVX2 static void kernel_avx2_nulls_spread_8(uint64_t *elements, size_t present,
                                                              const uint8_t *bits, size_t count) {
    const __m256i bit_of_lane = _mm256_setr_epi64x(1, 2, 4, 8);
    size_t tail = count % 4, at = count - tail;
    for (size_t i = count; i > at;) {
        i--;
        uint64_t bit = bits[i / 8] >> i % 8 & 1;
        present -= bit;
        elements[i] = bit != 0 ? elements[present] : 0;
    }
    while (at > present) {
        at -= 4;
        unsigned nibble = bits[at / 8] >> at % 8 & 15;
        present -= ones_4[nibble];
        __m256i x = spread_four_8(elements + present, nibble, bit_of_lane);
        _mm256_storeu_si256((void *)(elements + at), x);
    }
}

void lam_spread_avx2(void *elements, size_t size, size_t present, const uint8_t *bits,
                     size_t count) {
    if (size == 4)
        kernel_avx2_nulls_spread_4(elements, present, bits, count);
    else if (size == 8)
        kernel_avx2_nulls_spread_8(elements, present, bits, count);
    else
        lam_spread_plain(elements, size, present, bits, count);
}

#endif
