/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels of the delta encodings with 256-bit registers: differences, the
 * subtraction of the smallest delta, and sums. Loads and stores are unaligned, of eight 32-bit or
 * four 64-bit values each, and only while as many values are left; the last ones take the plain
 * loop. The results are those of the plain versions because integer addition wraps and is
 * associative: the order in which a sum is formed does not change it. (Encodings.md, "Delta
 * Encoding")
 */
#include "base/wrap.h"
#include "kernel/kernel_versions.h"

#if LAM_KERNELS_X86

#include <immintrin.h>

#define KERNEL_AVX2_DELTA_AVX2 __attribute__((target("avx2")))
#define KERNEL_AVX2_DELTA_INLINE static inline __attribute__((target("avx2"), always_inline))

KERNEL_AVX2_DELTA_INLINE __m256i kernel_avx2_delta_load_256(const void *address) {
    return _mm256_loadu_si256(address);
}

KERNEL_AVX2_DELTA_INLINE void store_256(void *address, __m256i x) {
    _mm256_storeu_si256(address, x);
}

/* --- Differences --------------------------------------------------------------------------- */

/*
 * The values and the same values from one earlier on, by a second load that overlaps the first. The
 * first value has no predecessor in the array, so it is done before the loop.
 */
LAM_WRAPS KERNEL_AVX2_DELTA_AVX2 void lam_deltas_u32_avx2(const uint32_t *values, size_t count,
                                                          uint32_t before, uint32_t *deltas) {
    size_t i = 0;
    if (count > 0)
        deltas[i++] = values[0] - before;
    for (; count - i >= 8; i += 8)
        store_256(deltas + i, _mm256_sub_epi32(kernel_avx2_delta_load_256(values + i),
                                               kernel_avx2_delta_load_256(values + i - 1)));
    for (; i < count; i++)
        deltas[i] = values[i] - values[i - 1];
}

LAM_WRAPS KERNEL_AVX2_DELTA_AVX2 void lam_deltas_u64_avx2(const uint64_t *values, size_t count,
                                                          uint64_t before, uint64_t *deltas) {
    size_t i = 0;
    if (count > 0)
        deltas[i++] = values[0] - before;
    for (; count - i >= 4; i += 4)
        store_256(deltas + i, _mm256_sub_epi64(kernel_avx2_delta_load_256(values + i),
                                               kernel_avx2_delta_load_256(values + i - 1)));
    for (; i < count; i++)
        deltas[i] = values[i] - values[i - 1];
}

/* Each lane collects the bits of its own values; the lanes are combined at the end. */
KERNEL_AVX2_DELTA_AVX2 uint32_t lam_lower_u32_avx2(uint32_t *values, size_t count, uint32_t base) {
    const __m256i less = _mm256_set1_epi32((int)base);
    __m256i bits = _mm256_setzero_si256();
    for (; count >= 8; count -= 8, values += 8) {
        __m256i x = _mm256_sub_epi32(kernel_avx2_delta_load_256(values), less);
        store_256(values, x);
        bits = _mm256_or_si256(bits, x);
    }
    uint32_t lanes[8], all = lam_lower_u32_plain(values, count, base);
    store_256(lanes, bits);
    for (int i = 0; i < 8; i++)
        all |= lanes[i];
    return all;
}

KERNEL_AVX2_DELTA_AVX2 uint64_t lam_lower_u64_avx2(uint64_t *values, size_t count, uint64_t base) {
    const __m256i less = _mm256_set1_epi64x((long long)base);
    __m256i bits = _mm256_setzero_si256();
    for (; count >= 4; count -= 4, values += 4) {
        __m256i x = _mm256_sub_epi64(kernel_avx2_delta_load_256(values), less);
        store_256(values, x);
        bits = _mm256_or_si256(bits, x);
    }
    uint64_t lanes[4], all = lam_lower_u64_plain(values, count, base);
    store_256(lanes, bits);
    return all | lanes[0] | lanes[1] | lanes[2] | lanes[3];
}

KERNEL_AVX2_DELTA_AVX2 int32_t lam_min_i32_avx2(const uint32_t *values, size_t count) {
    __m256i min = _mm256_set1_epi32(INT32_MAX);
    for (; count >= 8; count -= 8, values += 8)
        min = _mm256_min_epi32(min, kernel_avx2_delta_load_256(values));
    uint32_t lanes[8];
    store_256(lanes, min);
    int32_t first = lam_min_i32_plain(lanes, 8), rest = lam_min_i32_plain(values, count);
    return first < rest ? first : rest;
}

/* AVX2 has no minimum of 64-bit lanes: a signed comparison chooses instead. */
KERNEL_AVX2_DELTA_AVX2 int64_t lam_min_i64_avx2(const uint64_t *values, size_t count) {
    __m256i min = _mm256_set1_epi64x(INT64_MAX);
    for (; count >= 4; count -= 4, values += 4) {
        __m256i x = kernel_avx2_delta_load_256(values);
        min = _mm256_blendv_epi8(min, x, _mm256_cmpgt_epi64(min, x));
    }
    uint64_t lanes[4];
    store_256(lanes, min);
    int64_t first = lam_min_i64_plain(lanes, 4), rest = lam_min_i64_plain(values, count);
    return first < rest ? first : rest;
}

/* --- Sums ---------------------------------------------------------------------------------- */

/*
 * Sums in three stages: within each half of 16 bytes, by adding the register to itself shifted by
 * one lane and by two; then the last sum of the lower half is added to all of the upper one; then
 * `before`, the last sum of the step before in all lanes.
 *
 *     lanes a b c d | e f g h
 *     by 1  a ab bc cd | e ef fg gh
 *     by 2  a ab abc abcd | e ef efg efgh
 *     half  a ab abc abcd | abcde ... abcdefgh
 *
 * Only the last addition to `before` waits for the step before; `total` does not depend on it.
 */
KERNEL_AVX2_DELTA_AVX2 void lam_sum_u32_avx2(uint32_t *values, size_t count, uint32_t step,
                                             uint32_t start) {
    const __m256i steps = _mm256_set1_epi32((int)step), last = _mm256_set1_epi32(7);
    __m256i before = _mm256_set1_epi32((int)start);
    size_t i = 0;
    for (; count - i >= 8; i += 8) {
        __m256i x = _mm256_add_epi32(kernel_avx2_delta_load_256(values + i), steps);
        x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
        x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
        __m256i low = _mm256_permute2x128_si256(x, x, 0x08); /* zeros, then the lower half */
        x = _mm256_add_epi32(x, _mm256_shuffle_epi32(low, 0xFF));
        __m256i total = _mm256_permutevar8x32_epi32(x, last);
        store_256(values + i, _mm256_add_epi32(x, before));
        before = _mm256_add_epi32(before, total);
    }
    lam_sum_u32_plain(values + i, count - i, step, (uint32_t)_mm256_cvtsi256_si32(before));
}

/* The same with two lanes a half: one shift, and the upper lane of the lower half. */
KERNEL_AVX2_DELTA_AVX2 void lam_sum_u64_avx2(uint64_t *values, size_t count, uint64_t step,
                                             uint64_t start) {
    const __m256i steps = _mm256_set1_epi64x((long long)step);
    __m256i before = _mm256_set1_epi64x((long long)start);
    size_t i = 0;
    for (; count - i >= 4; i += 4) {
        __m256i x = _mm256_add_epi64(kernel_avx2_delta_load_256(values + i), steps);
        x = _mm256_add_epi64(x, _mm256_slli_si256(x, 8));
        __m256i low = _mm256_permute2x128_si256(x, x, 0x08);
        x = _mm256_add_epi64(x, _mm256_unpackhi_epi64(low, low));
        __m256i total = _mm256_permute4x64_epi64(x, 0xFF);
        store_256(values + i, _mm256_add_epi64(x, before));
        before = _mm256_add_epi64(before, total);
    }
    /* All lanes of `before` are equal; 32-bit programs have no move of a 64-bit lane. */
    uint64_t lanes[4];
    store_256(lanes, before);
    lam_sum_u64_plain(values + i, count - i, step, lanes[0]);
}

#endif
