/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements unpacking with 512-bit registers and byte permutes (AVX-512 VBMI), and the table of
 * that version, which takes all others from AVX2 and the plain version. Masked loads and stores
 * never touch the bytes that they mask out, not even to fault: each step loads exactly the bytes of
 * its values, and the last values take the same instructions under a shorter mask. Nothing needs to
 * be aligned. The results are the same because each lane gets the bits of its value and no others:
 * both versions only move bits.
 */
#include "kernel/kernel_versions.h"

#if LAM_KERNELS_AVX512

#include <immintrin.h>

#define KERNEL_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#define KERNEL_AVX512_INLINE                                                                       \
    static inline __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi"), always_inline))

/* A mask of the first `count` of 64 lanes, or of all of them; a shift by 64 is undefined. */
KERNEL_AVX512_INLINE __mmask64 first_64(size_t count) {
    return count >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << count) - 1;
}

/* The same of 16 lanes, but not of all. */
KERNEL_AVX512_INLINE __mmask16 first_16(size_t count) {
    return (__mmask16)((1u << count) - 1);
}

/*
 * Unpacks 64 values per step. A permute puts the `width` bytes of each group of eight values into a
 * 64-bit lane (byte 8 * g + j comes from byte g * width + j), where one instruction picks eight
 * bits for each value, from bit i * width on. The bits above the value are masked out.
 */
KERNEL_AVX512 void lam_unpack_u8_avx512(const uint8_t *packed, unsigned width, size_t count,
                                        uint8_t *values) {
    const __m512i lane = _mm512_setr_epi32(
        0, 0, 0x00010001, 0x00010001, 0x00020002, 0x00020002, 0x00030003, 0x00030003, 0x00040004,
        0x00040004, 0x00050005, 0x00050005, 0x00060006, 0x00060006, 0x00070007, 0x00070007);
    /*
     * The first byte of each group, up to 7 * 8 = 56, in 16-bit lanes, then in both of their bytes.
     */
    __m512i start = _mm512_mullo_epi16(lane, _mm512_set1_epi16((short)width));
    start = _mm512_or_si512(start, _mm512_slli_epi16(start, 8));
    const uint64_t to_7 = UINT64_C(0x0706050403020100);
    /* Up to 56 + 7; bytes of the next group are permuted as well, and never picked. */
    __m512i order = _mm512_add_epi8(start, _mm512_set1_epi64((long long)to_7));
    /* 0, width, 2 * width, ... 7 * width as bytes: at most 56, so the product never carries. */
    __m512i bits = _mm512_set1_epi64((long long)(to_7 * width));
    __m512i mask = _mm512_set1_epi8((char)((1u << width) - 1));
    const __mmask64 whole = first_64(8 * width);
    for (; count >= 64; count -= 64, packed += 8 * width, values += 64) {
        __m512i x = _mm512_maskz_loadu_epi8(whole, packed);
        x = _mm512_multishift_epi64_epi8(bits, _mm512_permutexvar_epi8(order, x));
        _mm512_storeu_si512(values, _mm512_and_si512(x, mask));
    }
    if (count > 0) {
        __m512i x = _mm512_maskz_loadu_epi8(first_64(lam_packed_size(count, width)), packed);
        x = _mm512_multishift_epi64_epi8(bits, _mm512_permutexvar_epi8(order, x));
        _mm512_mask_storeu_epi8(values, first_64(count), _mm512_and_si512(x, mask));
    }
}

enum {
    KERNEL_AVX512_WIDEST_IN_4_BYTES = 25
}; /* such values are within four bytes wherever they start */

/*
 * Unpacks 16 values per step: a permute puts the four bytes that hold a value into its lane, where
 * they are shifted down by the value's first bit and masked. 16 values have 2 * width bytes, up to
 * 50.
 */
KERNEL_AVX512 void lam_unpack_u32_avx512(const uint8_t *packed, unsigned width, size_t count,
                                         uint32_t *values) {
    if (width > KERNEL_AVX512_WIDEST_IN_4_BYTES) {
        lam_unpack_u32_plain(packed, width, count, values);
        return;
    }
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i repeat =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12));
    __m512i bit = _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)width));
    __m512i shift = _mm512_and_si512(bit, _mm512_set1_epi32(7));
    __m512i byte = _mm512_shuffle_epi8(_mm512_srli_epi32(bit, 3), repeat);
    __m512i order = _mm512_add_epi8(byte, _mm512_set1_epi32(0x03020100));
    __m512i mask = _mm512_set1_epi32((int)((1u << width) - 1));
    const __mmask64 whole = first_64(2 * width);
    for (; count >= 16; count -= 16, packed += 2 * width, values += 16) {
        __m512i x = _mm512_maskz_loadu_epi8(whole, packed);
        x = _mm512_srlv_epi32(_mm512_permutexvar_epi8(order, x), shift);
        _mm512_storeu_si512(values, _mm512_and_si512(x, mask));
    }
    if (count > 0) {
        __m512i x = _mm512_maskz_loadu_epi8(first_64(lam_packed_size(count, width)), packed);
        x = _mm512_srlv_epi32(_mm512_permutexvar_epi8(order, x), shift);
        _mm512_mask_storeu_epi32(values, first_16(count), _mm512_and_si512(x, mask));
    }
}

KERNEL_AVX512 void lam_unpack_u64_avx512(const uint8_t *packed, unsigned width, size_t count,
                                         uint64_t *values) {
    if (width <= 32)
        kernel_unpack_widened(lam_unpack_u32_avx512, packed, width, count, values);
    else
        lam_unpack_u64_plain(packed, width, count, values);
}

const lam_kernels lam_kernels_avx512 = {
    .name = "avx512",
    .unpack_u8 = lam_unpack_u8_avx512,
    .unpack_u32 = lam_unpack_u32_avx512,
    .unpack_u64 = lam_unpack_u64_avx512,
    .pack_u8 = lam_pack_u8_avx2,
    .pack_u32 = lam_pack_u32_plain,
    .pack_u64 = lam_pack_u64_plain,
    .pack_bools = lam_pack_bools_avx2,
    .fill = lam_fill_plain,
    .gather = lam_gather_plain,
    .join_streams = lam_join_streams_avx2,
    .split_streams = lam_split_streams_avx2,
    .deltas_u32 = lam_deltas_u32_avx2,
    .deltas_u64 = lam_deltas_u64_avx2,
    .sum_u32 = lam_sum_u32_avx2,
    .sum_u64 = lam_sum_u64_avx2,
    .lower_u32 = lam_lower_u32_avx2,
    .lower_u64 = lam_lower_u64_avx2,
    .min_i32 = lam_min_i32_avx2,
    .min_i64 = lam_min_i64_avx2,
    .count_u8 = lam_count_u8_avx2,
    .prefix_u8 = lam_prefix_u8_avx2,
    .prefix_u32 = lam_prefix_u32_avx2,
    .at_least_u8 = lam_at_least_u8_avx512,
    .choose_bits = lam_choose_bits_avx512,
    .count_before_32 = lam_count_before_32_avx512,
    .count_before_64 = lam_count_before_64_avx512,
    .spread = lam_spread_avx512,
    .widen_big_endian = lam_widen_big_endian_avx2,
    .is_utf8 = lam_is_utf8_avx2,
    .match_u8 = lam_match_u8_avx2,
    .max_u8 = lam_max_u8_avx2,
    .max_u32 = lam_max_u32_avx2,
    .widen_i32 = lam_widen_i32_avx2,
    .widen_i64 = lam_widen_i64_avx2,
    .widen_f32 = lam_widen_f32_avx2,
    .widen_f64 = lam_widen_f64_avx2,
};

#endif
