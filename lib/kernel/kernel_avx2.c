/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels of bits and scans with 256-bit registers, for x86 processors since 2013,
 * and the table of AVX2. All loads and stores are unaligned ones. A load of 16 or 32 bytes may pass
 * the bytes that it needs, so each loop of packed bits runs only while such a load still ends
 * inside the packed bytes, and the plain version does the rest. That starts at a group of eight
 * values, on a byte boundary, so the two halves join without a shift. The results are the same
 * because every lane takes the steps that the plain version takes for one value; sums, maxima and
 * counts do not depend on the order in which lanes are combined.
 */
#include "kernel/kernel_versions.h"

#if LAM_KERNELS_X86

#include <immintrin.h>
#include <string.h>

#define KERNEL_AVX2 __attribute__((target("avx2")))
#define KERNEL_AVX2_INLINE static inline __attribute__((target("avx2"), always_inline))

KERNEL_AVX2_INLINE __m256i kernel_avx2_load_256(const void *address) {
    return _mm256_loadu_si256(address);
}

/* Loads two halves of 16 bytes from different addresses: AVX2 shuffles bytes only within a half. */
KERNEL_AVX2_INLINE __m256i load_halves(const uint8_t *low, const uint8_t *high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const void *)low)),
                                   _mm_loadu_si128((const void *)high), 1);
}

/* --- Bytes of `width` bits ----------------------------------------------------------------- */

/*
 * The three steps of kernel_plain.c, on four groups of eight values at once: a group in each 64-bit
 * lane. The shift distances depend on the width, so they are in registers, not constants.
 */
typedef struct steps {
    __m256i low32, high32, low16, high16, low8, high8;
    __m128i by32, by16, by8;
} steps;

/* The masks of lane_masks in kernel_plain.c, repeated in all four lanes; widths 2 to 8. */
KERNEL_AVX2_INLINE steps steps_of(unsigned width) {
    long long four = (long long)(((uint64_t)1 << 4 * width) - 1);
    int two = (int)(((uint64_t)1 << 2 * width) - 1);
    short one = (short)((1u << width) - 1);
    steps s;
    s.low32 = _mm256_set1_epi64x(four);
    s.high32 = _mm256_slli_epi64(s.low32, 32);
    s.low16 = _mm256_set1_epi32(two);
    s.high16 = _mm256_slli_epi64(s.low16, 16);
    s.low8 = _mm256_set1_epi16(one);
    s.high8 = _mm256_slli_epi64(s.low8, 8);
    s.by32 = _mm_cvtsi32_si128((int)(32 - 4 * width));
    s.by16 = _mm_cvtsi32_si128((int)(16 - 2 * width));
    s.by8 = _mm_cvtsi32_si128((int)(8 - width));
    return s;
}

/* One step of unpacking: the upper half of each lane moves up into a lane of its own. */
KERNEL_AVX2_INLINE __m256i step_up(__m256i x, __m256i low, __m256i high, __m128i by) {
    return _mm256_or_si256(_mm256_and_si256(x, low),
                           _mm256_and_si256(_mm256_sll_epi64(x, by), high));
}

/* One step of packing, the inverse. */
KERNEL_AVX2_INLINE __m256i step_down(__m256i x, __m256i low, __m256i high, __m128i by) {
    return _mm256_or_si256(_mm256_and_si256(x, low),
                           _mm256_srl_epi64(_mm256_and_si256(x, high), by));
}

/*
 * A shuffle that puts bytes 0 to 7 and `width` to `width` + 7 of each half into its two lanes: the
 * bytes of two groups. The bytes of the next group in the upper end of a lane are masked out later.
 */
KERNEL_AVX2_INLINE __m256i two_groups(unsigned width) {
    __m256i order = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4,
                                     5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    long long second = (long long)(width * UINT64_C(0x0101010101010101));
    return _mm256_add_epi8(order, _mm256_setr_epi64x(0, second, 0, second));
}

/*
 * A shuffle that puts the first `width` bytes of both lanes of each half side by side. For width 3:
 * 0 1 2, 8 9 10, and bytes that do not matter.
 */
KERNEL_AVX2_INLINE __m256i join_groups(unsigned width) {
    __m128i position = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m128i is_second = _mm_cmpgt_epi8(position, _mm_set1_epi8((char)(width - 1)));
    __m128i skip = _mm_and_si128(is_second, _mm_set1_epi8((char)(8 - width)));
    return _mm256_broadcastsi128_si256(_mm_add_epi8(position, skip));
}

/*
 * Expands bit i of the four bytes at `bits` to byte i, 0 or 1: each byte is repeated eight times,
 * and each copy is tested for one bit.
 */
KERNEL_AVX2_INLINE __m256i bits_to_bytes(const uint8_t *bits) {
    int32_t word;
    memcpy(&word, bits, sizeof word);
    const __m256i byte_of = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2,
                                             2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit_of = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(word), byte_of);
    __m256i clear = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of), bit_of);
    return _mm256_and_si256(clear, _mm256_set1_epi8(1));
}

/*
 * 32 values per step. The two halves come from bytes 0 and 2 * width of the four groups; the second
 * load ends at 2 * width + 16, which must not pass the packed bytes. Width 1 takes a shorter way
 * that reads exactly four bytes; width 0 is left to the plain version.
 */
KERNEL_AVX2 void lam_unpack_u8_avx2(const uint8_t *packed, unsigned width, size_t count,
                                    uint8_t *values) {
    size_t left = width == 0 ? 0 : lam_packed_size(count, width);
    if (width == 1) {
        for (; count >= 32; count -= 32, packed += 4, values += 32)
            _mm256_storeu_si256((void *)values, bits_to_bytes(packed));
    } else if (count >= 32 && left >= 2 * width + 16) {
        steps s = steps_of(width);
        __m256i spread_bytes = two_groups(width);
        do {
            __m256i x = load_halves(packed, packed + 2 * width);
            x = _mm256_shuffle_epi8(x, spread_bytes);
            x = step_up(x, s.low32, s.high32, s.by32);
            x = step_up(x, s.low16, s.high16, s.by16);
            x = step_up(x, s.low8, s.high8, s.by8);
            _mm256_storeu_si256((void *)values, x);
            packed += 4 * width;
            left -= 4 * width;
            values += 32;
            count -= 32;
        } while (count >= 32 && left >= 2 * width + 16);
    }
    lam_unpack_u8_plain(packed, width, count, values);
}

/*
 * 32 values per step, with the condition of unpacking: the second store ends at 2 * width + 16. For
 * width 1 the shift moves the lowest bit of each byte to where movemask takes it.
 */
KERNEL_AVX2 void lam_pack_u8_avx2(const uint8_t *values, unsigned width, size_t count,
                                  uint8_t *packed) {
    size_t left = width == 0 ? 0 : lam_packed_size(count, width);
    if (width == 1) {
        for (; count >= 32; count -= 32, packed += 4, values += 32) {
            int bits = _mm256_movemask_epi8(_mm256_slli_epi16(kernel_avx2_load_256(values), 7));
            memcpy(packed, &bits, sizeof bits);
        }
    } else if (count >= 32 && left >= 2 * width + 16) {
        steps s = steps_of(width);
        __m256i join_bytes = join_groups(width);
        do {
            __m256i x = kernel_avx2_load_256(values);
            x = step_down(x, s.low8, s.high8, s.by8);
            x = step_down(x, s.low16, s.high16, s.by16);
            x = step_down(x, s.low32, s.high32, s.by32);
            x = _mm256_shuffle_epi8(x, join_bytes);
            /* The bytes that the stores put after the groups are overwritten by the next ones. */
            _mm_storeu_si128((void *)packed, _mm256_castsi256_si128(x));
            _mm_storeu_si128((void *)(packed + 2 * width), _mm256_extracti128_si256(x, 1));
            packed += 4 * width;
            left -= 4 * width;
            values += 32;
            count -= 32;
        } while (count >= 32 && left >= 2 * width + 16);
    }
    lam_pack_u8_plain(values, width, count, packed);
}

/* 32 bytes per step: compared with 0, whose mask is inverted, so that any byte but 0 is true. */
KERNEL_AVX2 void lam_pack_bools_avx2(const uint8_t *bools, size_t count, uint8_t *bits) {
    for (; count >= 32; count -= 32, bools += 32, bits += 4) {
        __m256i is_zero = _mm256_cmpeq_epi8(kernel_avx2_load_256(bools), _mm256_setzero_si256());
        int word = ~_mm256_movemask_epi8(is_zero);
        memcpy(bits, &word, sizeof word);
    }
    lam_pack_bools_plain(bools, count, bits);
}

/* --- Numbers of `width` bits --------------------------------------------------------------- */

enum {
    KERNEL_AVX2_WIDEST_IN_4_BYTES = 25
}; /* such values are within four bytes wherever they start */

/*
 * Unpacks eight values per step. Values 0 to 3 come from the 16 bytes at the group's start, 4 to 7
 * from the 16 bytes at byte width / 2: bit 4 * width, or four bits below it when the width is odd,
 * for which `odd` adds them again. A shuffle puts the four bytes that hold a value into its lane,
 * where they are shifted down by the value's first bit, and masked. The second load ends at half +
 * 16.
 *
 *     width 3, value 5: bit 15 of the group; half = 1, so bit 7 of the upper half:
 *     its bytes 0 to 3, shifted by 7
 */
KERNEL_AVX2_INLINE void unpack_narrow(const uint8_t **packed, unsigned width, size_t *count,
                                      size_t left, uint32_t **values) {
    const uint8_t *from = *packed;
    uint32_t *to = *values;
    size_t groups = *count / 8, half = width / 2;
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3);
    __m256i odd = _mm256_setr_epi32(0, 0, 0, 0, (int)(width % 2 * 4), (int)(width % 2 * 4),
                                    (int)(width % 2 * 4), (int)(width % 2 * 4));
    /* The first bit of each value, from the start of its half. */
    __m256i bit = _mm256_add_epi32(_mm256_mullo_epi32(lane, _mm256_set1_epi32((int)width)), odd);
    __m256i shift = _mm256_and_si256(bit, _mm256_set1_epi32(7));
    __m256i byte = _mm256_srli_epi32(bit, 3);
    const __m256i repeat = _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0,
                                            0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    /* Bytes byte, byte + 1, byte + 2, byte + 3 for each lane. */
    __m256i order =
        _mm256_add_epi8(_mm256_shuffle_epi8(byte, repeat), _mm256_set1_epi32(0x03020100));
    __m256i mask = _mm256_set1_epi32((int)((1u << width) - 1));
    for (; groups > 0 && left >= half + 16; groups--) {
        __m256i x = _mm256_shuffle_epi8(load_halves(from, from + half), order);
        x = _mm256_and_si256(_mm256_srlv_epi32(x, shift), mask);
        _mm256_storeu_si256((void *)to, x);
        from += width;
        left -= width;
        to += 8;
        *count -= 8;
    }
    *packed = from;
    *values = to;
}

/*
 * Values wider than 25 bits do not fit four bytes at every start, and below 16 values setting up
 * the registers does not pay: both take the plain loops.
 */
KERNEL_AVX2 void lam_unpack_u32_avx2(const uint8_t *packed, unsigned width, size_t count,
                                     uint32_t *values) {
    if (width > 0 && width <= KERNEL_AVX2_WIDEST_IN_4_BYTES && count >= 16)
        unpack_narrow(&packed, width, &count, lam_packed_size(count, width), &values);
    lam_unpack_u32_plain(packed, width, count, values);
}

KERNEL_AVX2 void lam_unpack_u64_avx2(const uint8_t *packed, unsigned width, size_t count,
                                     uint64_t *values) {
    if (width <= 32)
        kernel_unpack_widened(lam_unpack_u32_avx2, packed, width, count, values);
    else
        lam_unpack_u64_plain(packed, width, count, values);
}

/* --- Scans --------------------------------------------------------------------------------- */

/* Counts by bytes: a comparison gives -1 where values are equal, which is subtracted. */
KERNEL_AVX2 size_t lam_count_u8_avx2(const uint8_t *values, size_t count, uint8_t value) {
    const __m256i same = _mm256_set1_epi8((char)value);
    __m256i total = _mm256_setzero_si256();
    while (count >= 32) {
        /*
         * A byte counts up to 255 equal values before the bytes are summed; the sum of absolute
         * differences from 0 adds them up in 64-bit lanes, which cannot overflow.
         */
        size_t rounds = count / 32 < 255 ? count / 32 : 255;
        __m256i each = _mm256_setzero_si256();
        for (size_t i = 0; i < rounds; i++)
            each = _mm256_sub_epi8(each,
                                   _mm256_cmpeq_epi8(kernel_avx2_load_256(values + 32 * i), same));
        total = _mm256_add_epi64(total, _mm256_sad_epu8(each, _mm256_setzero_si256()));
        values += 32 * rounds;
        count -= 32 * rounds;
    }
    uint64_t lanes[4];
    _mm256_storeu_si256((void *)lanes, total);
    uint64_t sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
    return (size_t)sum + lam_count_u8_plain(values, count, value);
}

/* 32 bytes per step; the first that differs is the lowest 1 of the inverted mask. */
KERNEL_AVX2 size_t lam_prefix_u8_avx2(const uint8_t *values, size_t count, uint8_t value) {
    const __m256i same = _mm256_set1_epi8((char)value);
    size_t at = 0;
    for (; count - at >= 32; at += 32) {
        __m256i equal = _mm256_cmpeq_epi8(kernel_avx2_load_256(values + at), same);
        unsigned differ = ~(unsigned)_mm256_movemask_epi8(equal);
        if (differ != 0)
            return at + (unsigned)__builtin_ctz(differ);
    }
    return at + lam_prefix_u8_plain(values + at, count - at, value);
}

/* Eight numbers per step; the mask has four bits for each. */
KERNEL_AVX2 size_t lam_prefix_u32_avx2(const uint32_t *values, size_t count, uint32_t value) {
    const __m256i same = _mm256_set1_epi32((int)value);
    size_t at = 0;
    for (; count - at >= 8; at += 8) {
        __m256i equal = _mm256_cmpeq_epi32(kernel_avx2_load_256(values + at), same);
        unsigned differ = ~(unsigned)_mm256_movemask_epi8(equal);
        if (differ != 0)
            return at + (unsigned)__builtin_ctz(differ) / 4;
    }
    return at + lam_prefix_u32_plain(values + at, count - at, value);
}

/* The largest of each lane, then the largest of the 32 lanes and the remaining values. */
KERNEL_AVX2 uint8_t lam_max_u8_avx2(const uint8_t *values, size_t count) {
    __m256i max = _mm256_setzero_si256();
    for (; count >= 32; count -= 32, values += 32)
        max = _mm256_max_epu8(max, kernel_avx2_load_256(values));
    uint8_t lanes[32];
    _mm256_storeu_si256((void *)lanes, max);
    uint8_t first = lam_max_u8_plain(lanes, sizeof lanes);
    uint8_t rest = lam_max_u8_plain(values, count);
    return first > rest ? first : rest;
}

/* The same with two registers, so that one step need not wait for the one before. */
KERNEL_AVX2 uint32_t lam_max_u32_avx2(const uint32_t *values, size_t count) {
    __m256i max = _mm256_setzero_si256(), other = max;
    for (; count >= 16; count -= 16, values += 16) {
        max = _mm256_max_epu32(max, kernel_avx2_load_256(values));
        other = _mm256_max_epu32(other, kernel_avx2_load_256(values + 8));
    }
    uint32_t lanes[8];
    _mm256_storeu_si256((void *)lanes, _mm256_max_epu32(max, other));
    uint32_t first = lam_max_u32_plain(lanes, 8);
    uint32_t rest = lam_max_u32_plain(values, count);
    return first > rest ? first : rest;
}

const lam_kernels lam_kernels_avx2 = {
    .name = "avx2",
    .unpack_u8 = lam_unpack_u8_avx2,
    .unpack_u32 = lam_unpack_u32_avx2,
    .unpack_u64 = lam_unpack_u64_avx2,
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
    .at_least_u8 = lam_at_least_u8_avx2,
    .choose_bits = lam_choose_bits_plain,
    .count_before_32 = lam_count_before_32_plain,
    .count_before_64 = lam_count_before_64_plain,
    .spread = lam_spread_avx2,
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
