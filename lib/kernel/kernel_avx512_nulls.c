/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels of nulls and lists with 512-bit registers, and with BMI2 for bits:
 * compares that give bitmaps, pext for choosing bits, and expand for moving values apart, each of
 * which is one instruction here and a loop or a table elsewhere. Bitmaps are loaded and stored by
 * words of 64 bits, byte by byte at their end, and values under masks, so no byte outside of the
 * arrays is touched, and no alignment is needed. kernel_plain_nulls.c shows examples of each.
 */
#include "kernel/kernel_versions.h"

#if LAM_KERNELS_AVX512

#include <immintrin.h>
#include <string.h>

#define KERNEL_AVX512_NULLS_AVX512                                                                 \
    __attribute__((target("avx512f,avx512bw,avx512vl,bmi,bmi2,popcnt")))
#define KERNEL_AVX512_NULLS_INLINE                                                                 \
    static inline                                                                                  \
        __attribute__((target("avx512f,avx512bw,avx512vl,bmi,bmi2,popcnt"), always_inline))

KERNEL_AVX512_NULLS_INLINE uint64_t first_bits(size_t count) {
    return count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

/*
 * Loads bits `at` to `at` + 63, with 0 for those from `count` on. `at` is a multiple of 8 and less
 * than `count`. The machine is little endian, so a copy of eight bytes is the word.
 */
KERNEL_AVX512_NULLS_INLINE uint64_t kernel_avx512_nulls_load_bits(const uint8_t *bits, size_t at,
                                                                  size_t count) {
    uint64_t x = 0;
    if (count - at >= 64)
        memcpy(&x, bits + at / 8, 8);
    else
        for (size_t i = 0; i < (count - at + 7) / 8; i++)
            x |= (uint64_t)bits[at / 8 + i] << 8 * i;
    return x & first_bits(count - at);
}

/* 64 levels per step; the comparison yields the word of the bitmap itself. */
KERNEL_AVX512_NULLS_AVX512 void lam_at_least_u8_avx512(const uint8_t *values, size_t count,
                                                       uint8_t least, uint8_t *bits) {
    const __m512i floor = _mm512_set1_epi8((char)least);
    for (; count >= 64; count -= 64, values += 64, bits += 8) {
        uint64_t word = _mm512_cmpge_epu8_mask(_mm512_loadu_si512(values), floor);
        memcpy(bits, &word, sizeof word);
    }
    if (count > 0) {
        __mmask64 lanes = first_bits(count);
        __m512i x = _mm512_maskz_loadu_epi8(lanes, values);
        uint64_t word = _mm512_mask_cmpge_epu8_mask(lanes, x, floor);
        memcpy(bits, &word, (count + 7) / 8);
    }
}

/*
 * As in kernel_plain_nulls.c, with pext in place of six steps of shifts: `open` has `used` bits
 * that wait for a full word.
 */
KERNEL_AVX512_NULLS_AVX512 size_t lam_choose_bits_avx512(const uint8_t *bits, const uint8_t *chosen,
                                                         size_t count, uint8_t *result) {
    uint64_t open = 0; /* bits that do not fill a word yet */
    unsigned used = 0;
    size_t total = 0;
    for (size_t at = 0; at < count; at += 64) {
        uint64_t mask = kernel_avx512_nulls_load_bits(chosen, at, count);
        uint64_t x = _pext_u64(kernel_avx512_nulls_load_bits(bits, at, count), mask);
        unsigned some = (unsigned)_mm_popcnt_u64(mask);
        total += some;
        open |= x << used;
        used += some;
        if (used >= 64) {
            memcpy(result, &open, 8);
            result += 8;
            used -= 64;
            open = used > 0 ? x >> (some - used) : 0;
        }
    }
    if (used > 0) /* without bits `result` may be NULL */
        memcpy(result, &open, (used + 7) / 8);
    return total;
}

/*
 * Writes `base` plus the ones of `elements` before each 1 of `starts`. blsmsk has the bits up to
 * the lowest 1 of a word, which shifted by one are those below it; blsr clears that 1.
 */
#define KERNEL_AVX512_NULLS_COUNT_BEFORE(TYPE)                                                     \
    uint64_t all = base;                                                                           \
    for (size_t at = 0; at < count; at += 64) {                                                    \
        uint64_t start = kernel_avx512_nulls_load_bits(starts, at, count),                         \
                 element = kernel_avx512_nulls_load_bits(elements, at, count);                     \
        for (; start != 0; start = _blsr_u64(start))                                               \
            *counts++ =                                                                            \
                (TYPE)(all + (uint64_t)_mm_popcnt_u64(element & (_blsmsk_u64(start) >> 1)));       \
        all += (uint64_t)_mm_popcnt_u64(element);                                                  \
    }                                                                                              \
    return all - base;

KERNEL_AVX512_NULLS_AVX512 uint64_t lam_count_before_32_avx512(
    const uint8_t *starts, const uint8_t *elements, size_t count, uint32_t base,
    uint32_t *counts){KERNEL_AVX512_NULLS_COUNT_BEFORE(uint32_t)}

KERNEL_AVX512_NULLS_AVX512 uint64_t
    lam_count_before_64_avx512(const uint8_t *starts, const uint8_t *elements, size_t count,
                               uint64_t base,
                               uint64_t *counts){KERNEL_AVX512_NULLS_COUNT_BEFORE(uint64_t)}

/*
 * 16 elements per step from the back, the first step with the incomplete lanes. A step loads just
 * the elements that it moves, and expand puts them where the mask has ones. They are at or before
 * the slots that it writes, and all are loaded before any is stored.
 */
KERNEL_AVX512_NULLS_AVX512
    static void kernel_avx512_nulls_spread_4(uint32_t *elements, size_t present,
                                             const uint8_t *bits, size_t count) {
    for (size_t at = (count + 15) / 16 * 16; at > present;) {
        at -= 16;
        size_t lanes = count - at < 16 ? count - at : 16;
        __mmask16 mask = (__mmask16)kernel_avx512_nulls_load_bits(bits, at, at + lanes);
        unsigned some = (unsigned)_mm_popcnt_u32(mask);
        present -= some;
        __m512i x = _mm512_maskz_loadu_epi32((__mmask16)first_bits(some), elements + present);
        _mm512_mask_storeu_epi32(elements + at, (__mmask16)first_bits(lanes),
                                 _mm512_maskz_expand_epi32(mask, x));
    }
}

KERNEL_AVX512_NULLS_AVX512 static void kernel_avx512_nulls_spread_8(uint64_t *elements,
                                                                    size_t present,
                                                                    const uint8_t *bits,
                                                                    size_t count) {
    for (size_t at = (count + 7) / 8 * 8; at > present;) {
        at -= 8;
        size_t lanes = count - at < 8 ? count - at : 8;
        __mmask8 mask = (__mmask8)(bits[at / 8] & first_bits(lanes));
        unsigned some = (unsigned)_mm_popcnt_u32(mask);
        present -= some;
        __m512i x = _mm512_maskz_loadu_epi64((__mmask8)first_bits(some), elements + present);
        _mm512_mask_storeu_epi64(elements + at, (__mmask8)first_bits(lanes),
                                 _mm512_maskz_expand_epi64(mask, x));
    }
}

void lam_spread_avx512(void *elements, size_t size, size_t present, const uint8_t *bits,
                       size_t count) {
    if (size == 4)
        kernel_avx512_nulls_spread_4(elements, present, bits, count);
    else if (size == 8)
        kernel_avx512_nulls_spread_8(elements, present, bits, count);
    else
        lam_spread_plain(elements, size, present, bits, count);
}

#endif
