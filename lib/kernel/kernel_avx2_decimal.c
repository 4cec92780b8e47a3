/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns big-endian numbers of up to 16 bytes into numbers of the machine with 256-bit registers,
 * two numbers a step. A shuffle reverses the bytes; its lanes above the number take the sign, which
 * a second shuffle spreads from the highest byte. The limits of both 64-bit halves are compared on
 * the way. They are exact if the number has no second half, and else a little too strict, at
 * numbers within 2^64 of the bound: if one is crossed, the plain version decides, so that all
 * versions give the same answer.
 *
 *     size 3, FF FF 38:   38 FF FF | FF FF FF FF FF ...
 */
#include "kernel/kernel_versions.h"

#if LAM_KERNELS_X86

#include <immintrin.h>
#include <string.h>

#define KERNEL_AVX2_DECIMAL __attribute__((target("avx2")))
#define KERNEL_AVX2_DECIMAL_INLINE static inline __attribute__((target("avx2"), always_inline))

/* Smallest and largest numbers of both halves, and how to reverse bytes. */
typedef struct number_steps {
    __m256i order; /* of the bytes; the top bit makes a zero */
    __m256i above; /* ones in the bytes above the number */
    __m256i least; /* of each half */
    __m256i most;
    bool repeats; /* the second half must repeat the sign of the first */
} number_steps;

/*
 * The limits for numbers of magnitude below `bound`. One half: the bound itself, if it has 63 bits.
 * Two halves: the second is from -bound[1] to bound[1] - 1, but if the bound has one half, the
 * second repeats the sign. A bound above all that the bytes can hold sets no limit.
 */
KERNEL_AVX2_DECIMAL_INLINE number_steps number_steps_of(size_t size, const uint64_t *bound) {
    int8_t order[16], above[16];
    int64_t least[2] = {INT64_MIN, INT64_MIN}, most[2] = {INT64_MAX, INT64_MAX};
    number_steps steps;
    steps.repeats = size > 8 && bound[1] == 0;
    if (bound[1] == 0 && bound[0] <= INT64_MAX) {
        most[0] = (int64_t)bound[0] - 1;
        least[0] = -most[0];
    } else if (bound[1] == 0 && size > 8) {
        most[0] = INT64_MIN; /* 10^19 has 64 bits: no number passes here */
    } else if (size > 8 && bound[1] <= INT64_MAX) {
        most[1] = (int64_t)bound[1] - 1;
        least[1] = -(int64_t)bound[1] + (bound[0] == 0);
    }
    for (size_t i = 0; i < 16; i++) {
        order[i] = (int8_t)(i < size ? (int)(size - 1 - i) : -1);
        above[i] = (int8_t)(i < size ? 0 : -1);
    }
    steps.order = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)order));
    steps.above = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)above));
    steps.least = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)least));
    steps.most = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)most));
    return steps;
}

/* Two numbers from addresses of their own, each in a half of the register. */
KERNEL_AVX2_DECIMAL_INLINE __m256i swap_two(const uint8_t *low, const uint8_t *high,
                                            const number_steps *steps) {
    __m256i x = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)low)),
                                        _mm_loadu_si128((const void *)high), 1);
    __m256i signs = _mm256_shuffle_epi8(x, _mm256_setzero_si256());
    signs = _mm256_and_si256(_mm256_cmpgt_epi8(_mm256_setzero_si256(), signs), steps->above);
    return _mm256_or_si256(_mm256_shuffle_epi8(x, steps->order), signs);
}

/* Ones where a limit is crossed. */
KERNEL_AVX2_DECIMAL_INLINE __m256i numbers_outside(__m256i x, const number_steps *steps) {
    __m256i outside =
        _mm256_or_si256(_mm256_cmpgt_epi64(x, steps->most), _mm256_cmpgt_epi64(steps->least, x));
    if (steps->repeats) {
        __m256i sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
        __m256i second = _mm256_unpackhi_epi64(x, x);
        outside =
            _mm256_or_si256(outside, _mm256_xor_si256(second, _mm256_unpacklo_epi64(sign, sign)));
    }
    return outside;
}

/* Stores the two numbers of a step, with the width of a slot. */
KERNEL_AVX2_DECIMAL_INLINE void store_two(__m256i x, size_t slot_size, uint8_t *slot) {
    __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);
    if (slot_size == 4) {
        int32_t narrow[2] = {_mm_cvtsi128_si32(low), _mm_cvtsi128_si32(high)};
        memcpy(slot, narrow, sizeof narrow);
    } else if (slot_size == 8) {
        _mm_storeu_si128((void *)slot, _mm_unpacklo_epi64(low, high));
    } else if (slot_size == 16) {
        _mm256_storeu_si256((void *)slot, x);
    } else {
        __m256i sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
        sign = _mm256_unpackhi_epi64(sign, sign);
        _mm256_storeu_si256((void *)slot, _mm256_permute2x128_si256(x, sign, 0x20));
        _mm256_storeu_si256((void *)(slot + 32), _mm256_permute2x128_si256(x, sign, 0x31));
    }
}

/*
 * Continues while the second number of a step has 16 bytes to load; the plain version does the
 * rest.
 */
KERNEL_AVX2_DECIMAL_INLINE bool widen_slots(const uint8_t *bytes, size_t size, size_t count,
                                            const uint64_t *bound, size_t slot_size, void *slots) {
    number_steps steps = number_steps_of(size, bound);
    __m256i outside = _mm256_setzero_si256();
    uint8_t *slot = slots;
    size_t left = count;
    const uint8_t *from = bytes;
    for (; left >= 2 && (left - 1) * size >= 16; left -= 2) {
        __m256i x = swap_two(from, from + size, &steps);
        outside = _mm256_or_si256(outside, numbers_outside(x, &steps));
        store_two(x, slot_size, slot);
        from += 2 * size;
        slot += 2 * slot_size;
    }
    if (_mm256_testz_si256(outside, outside) == 0)
        return lam_widen_big_endian_plain(bytes, size, count, bound, slot_size, slots);
    return lam_widen_big_endian_plain(from, size, left, bound, slot_size, slot);
}

/* A loop for each width of slots. */
KERNEL_AVX2_DECIMAL bool lam_widen_big_endian_avx2(const uint8_t *bytes, size_t size, size_t count,
                                                   const uint64_t *bound, size_t slot_size,
                                                   void *slots) {
    switch (slot_size) {
    case 4:
        return widen_slots(bytes, size, count, bound, 4, slots);
    case 8:
        return widen_slots(bytes, size, count, bound, 8, slots);
    case 16:
        return widen_slots(bytes, size, count, bound, 16, slots);
    default:
        return widen_slots(bytes, size, count, bound, 32, slots);
    }
}

#endif
