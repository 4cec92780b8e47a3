/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels that extend bounds with 256-bit registers. Two registers hold the minima
 * and two the maxima, so that an instruction does not wait for the one before: 16 values of 32 bits
 * or eight of 64 bits per step, by unaligned loads, and only while as many are left. All lanes
 * start at the bounds that the caller gives. At the end their lanes, and then the last values, go
 * through the plain version. The results are the same because a minimum does not depend on the
 * order of its values, up to which of two equal zeros is kept, which kernel.h leaves open.
 */
#include "kernel/kernel_versions.h"

#if LAM_KERNELS_X86

#include <immintrin.h>

#define KERNEL_AVX2_EXTREMES_AVX2 __attribute__((target("avx2")))
#define KERNEL_AVX2_EXTREMES_INLINE static inline __attribute__((target("avx2"), always_inline))

KERNEL_AVX2_EXTREMES_INLINE __m256i kernel_avx2_extremes_load_256(const void *address) {
    return _mm256_loadu_si256(address);
}

/* --- Integers ------------------------------------------------------------------------------ */

KERNEL_AVX2_EXTREMES_AVX2 void lam_widen_i32_avx2(const int32_t *values, size_t count, int32_t *min,
                                                  int32_t *max) {
    __m256i low[2], high[2];
    low[0] = low[1] = _mm256_set1_epi32(*min);
    high[0] = high[1] = _mm256_set1_epi32(*max);
    for (; count >= 16; count -= 16, values += 16) {
        __m256i a = kernel_avx2_extremes_load_256(values),
                b = kernel_avx2_extremes_load_256(values + 8);
        low[0] = _mm256_min_epi32(low[0], a);
        low[1] = _mm256_min_epi32(low[1], b);
        high[0] = _mm256_max_epi32(high[0], a);
        high[1] = _mm256_max_epi32(high[1], b);
    }
    int32_t lanes[16];
    _mm256_storeu_si256((void *)lanes, _mm256_min_epi32(low[0], low[1]));
    _mm256_storeu_si256((void *)(lanes + 8), _mm256_max_epi32(high[0], high[1]));
    lam_widen_i32_plain(lanes, 16, min, max);
    lam_widen_i32_plain(values, count, min, max);
}

/* AVX2 compares 64-bit lanes but has no minimum or maximum of them. */
KERNEL_AVX2_EXTREMES_INLINE __m256i min_64(__m256i a, __m256i b) {
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

KERNEL_AVX2_EXTREMES_INLINE __m256i kernel_avx2_extremes_max_64(__m256i a, __m256i b) {
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

KERNEL_AVX2_EXTREMES_AVX2 void lam_widen_i64_avx2(const int64_t *values, size_t count, int64_t *min,
                                                  int64_t *max) {
    __m256i low[2], high[2];
    low[0] = low[1] = _mm256_set1_epi64x(*min);
    high[0] = high[1] = _mm256_set1_epi64x(*max);
    for (; count >= 8; count -= 8, values += 8) {
        __m256i a = kernel_avx2_extremes_load_256(values),
                b = kernel_avx2_extremes_load_256(values + 4);
        low[0] = min_64(low[0], a);
        low[1] = min_64(low[1], b);
        high[0] = kernel_avx2_extremes_max_64(high[0], a);
        high[1] = kernel_avx2_extremes_max_64(high[1], b);
    }
    int64_t lanes[8];
    _mm256_storeu_si256((void *)lanes, min_64(low[0], low[1]));
    _mm256_storeu_si256((void *)(lanes + 4), kernel_avx2_extremes_max_64(high[0], high[1]));
    lam_widen_i64_plain(lanes, 8, min, max);
    lam_widen_i64_plain(values, count, min, max);
}

/* --- Floats -------------------------------------------------------------------------------- */

/*
 * The instructions for the minimum and maximum of floats return their second operand when either is
 * a NaN. The bounds so far are that operand, and they are never NaNs, so a NaN among the values has
 * no effect. NaNs are rare: one comparison of a with b finds out whether either register has any,
 * and only then are they counted.
 */

KERNEL_AVX2_EXTREMES_AVX2 size_t lam_widen_f32_avx2(const float *values, size_t count, float *min,
                                                    float *max) {
    __m256 low[2], high[2];
    size_t nans = 0;
    low[0] = low[1] = _mm256_set1_ps(*min);
    high[0] = high[1] = _mm256_set1_ps(*max);
    for (; count >= 16; count -= 16, values += 16) {
        __m256 a = _mm256_loadu_ps(values), b = _mm256_loadu_ps(values + 8);
        low[0] = _mm256_min_ps(a, low[0]);
        low[1] = _mm256_min_ps(b, low[1]);
        high[0] = _mm256_max_ps(a, high[0]);
        high[1] = _mm256_max_ps(b, high[1]);
        int either = _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q));
        if (either != 0)
            nans += (unsigned)__builtin_popcount(
                        (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, a, _CMP_UNORD_Q))) +
                    (unsigned)__builtin_popcount(
                        (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(b, b, _CMP_UNORD_Q)));
    }
    float lanes[16];
    _mm256_storeu_ps(lanes, _mm256_min_ps(low[0], low[1]));
    _mm256_storeu_ps(lanes + 8, _mm256_max_ps(high[0], high[1]));
    lam_widen_f32_plain(lanes, 16, min, max);
    return nans + lam_widen_f32_plain(values, count, min, max);
}

KERNEL_AVX2_EXTREMES_AVX2 size_t lam_widen_f64_avx2(const double *values, size_t count, double *min,
                                                    double *max) {
    __m256d low[2], high[2];
    size_t nans = 0;
    low[0] = low[1] = _mm256_set1_pd(*min);
    high[0] = high[1] = _mm256_set1_pd(*max);
    for (; count >= 8; count -= 8, values += 8) {
        __m256d a = _mm256_loadu_pd(values), b = _mm256_loadu_pd(values + 4);
        low[0] = _mm256_min_pd(a, low[0]);
        low[1] = _mm256_min_pd(b, low[1]);
        high[0] = _mm256_max_pd(a, high[0]);
        high[1] = _mm256_max_pd(b, high[1]);
        int either = _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_UNORD_Q));
        if (either != 0)
            nans += (unsigned)__builtin_popcount(
                        (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, a, _CMP_UNORD_Q))) +
                    (unsigned)__builtin_popcount(
                        (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(b, b, _CMP_UNORD_Q)));
    }
    double lanes[8];
    _mm256_storeu_pd(lanes, _mm256_min_pd(low[0], low[1]));
    _mm256_storeu_pd(lanes + 4, _mm256_max_pd(high[0], high[1]));
    lam_widen_f64_plain(lanes, 8, min, max);
    return nans + lam_widen_f64_plain(values, count, min, max);
}

#endif
