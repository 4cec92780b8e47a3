/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks text for UTF-8 with 256-bit registers, 32 bytes a step, by the method of Keiser and Lemire
 * ("Validating UTF-8 In Less Than One Instruction Per Byte", 2021). Each pair of neighbours, a byte
 * and the one before it, is looked up in three tables of 16 entries: by the high and the low half
 * of the first byte, and by the high half of the second. An entry has a bit for each fault that its
 * half allows; a fault is there if all three have its bit. What pairs cannot show is whether the
 * third and the fourth byte of a character continue it: two continuing bytes in a row must be there
 * exactly where a byte two before is E0 or more, or a byte three before is F0 or more.
 *
 * Zeros follow the end, so that a cut character is a fault like any other.
 */
#include "kernel/kernel_versions.h"

#if LAM_KERNELS_X86

#include <immintrin.h>
#include <string.h>

#define KERNEL_AVX2_TEXT __attribute__((target("avx2")))
#define KERNEL_AVX2_TEXT_INLINE static inline __attribute__((target("avx2"), always_inline))

/* The faults of a pair of bytes; the comments show the bits of both. */
enum {
    CUT = 1 << 0,       /* 11...... then 0....... or 11......: nothing continues a character */
    LOOSE = 1 << 1,     /* 0....... then 10......: continues no character */
    LONG_3 = 1 << 2,    /* 11100000 100.....: U+0000 to U+07FF in three bytes */
    LARGE = 1 << 3,     /* 11110100 1001...., 101.....; 11110101 and up: above U+10FFFF */
    SURROGATE = 1 << 4, /* 11101101 101.....: U+D800 to U+DFFF */
    LONG_2 = 1 << 5,    /* 1100000. 10......: ASCII in two bytes */
    LONG_4 = 1 << 6,    /* 11110000 1000....: U+0000 to U+FFFF in four bytes; and 1000.... after
                            11110101 and up, which is above U+10FFFF */
    TWO_RESTS = 1 << 7, /* 10...... twice: a fault unless a long character is there */
    ANY_LOW = CUT | LOOSE | TWO_RESTS /* faults that do not depend on the low half */
};

/* The entries of a table in both halves of a register, for a shuffle by nibbles. */
KERNEL_AVX2_TEXT_INLINE __m256i text_table(const uint8_t *entries) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)entries));
}

static const uint8_t first_high[16] = {LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       LOOSE,
                                       TWO_RESTS,
                                       TWO_RESTS,
                                       TWO_RESTS,
                                       TWO_RESTS,
                                       CUT | LONG_2,
                                       CUT,
                                       CUT | LONG_3 | SURROGATE,
                                       CUT | LARGE | LONG_4};

static const uint8_t first_low[16] = {ANY_LOW | LONG_2 | LONG_3 | LONG_4,
                                      ANY_LOW | LONG_2,
                                      ANY_LOW,
                                      ANY_LOW,
                                      ANY_LOW | LARGE,
                                      ANY_LOW | LARGE | LONG_4,
                                      ANY_LOW | LARGE | LONG_4,
                                      ANY_LOW | LARGE | LONG_4,
                                      ANY_LOW | LARGE | LONG_4,
                                      ANY_LOW | LARGE | LONG_4,
                                      ANY_LOW | LARGE | LONG_4,
                                      ANY_LOW | LARGE | LONG_4,
                                      ANY_LOW | LARGE | LONG_4,
                                      ANY_LOW | LARGE | LONG_4 | SURROGATE,
                                      ANY_LOW | LARGE | LONG_4,
                                      ANY_LOW | LARGE | LONG_4};

static const uint8_t second_high[16] = {CUT,
                                        CUT,
                                        CUT,
                                        CUT,
                                        CUT,
                                        CUT,
                                        CUT,
                                        CUT,
                                        LOOSE | TWO_RESTS | LONG_2 | LONG_3 | LONG_4,
                                        LOOSE | TWO_RESTS | LONG_2 | LONG_3 | LARGE,
                                        LOOSE | TWO_RESTS | LONG_2 | SURROGATE | LARGE,
                                        LOOSE | TWO_RESTS | LONG_2 | SURROGATE | LARGE,
                                        CUT,
                                        CUT,
                                        CUT,
                                        CUT};

/* Byte i becomes byte i - BACK: of `before` if the first bytes of `x` have no such one. */
#define BYTES_BACK(X, BEFORE, BACK)                                                                \
    _mm256_alignr_epi8(X, _mm256_permute2x128_si256(BEFORE, X, 0x21), 16 - (BACK))

/* The faults of 32 bytes that follow `before`: zero where there is none. */
KERNEL_AVX2_TEXT_INLINE __m256i text_faults(__m256i x, __m256i before) {
    const __m256i nibble = _mm256_set1_epi8(0x0F);
    __m256i first = BYTES_BACK(x, before, 1);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(first, 4), nibble);
    __m256i low = _mm256_and_si256(first, nibble);
    __m256i second = _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble);
    __m256i faults =
        _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(text_table(first_high), high),
                                          _mm256_shuffle_epi8(text_table(first_low), low)),
                         _mm256_shuffle_epi8(text_table(second_high), second));
    /* Saturated differences have the top bit where the byte is at least E0, or F0. */
    __m256i third = _mm256_subs_epu8(BYTES_BACK(x, before, 2), _mm256_set1_epi8(0xE0 - 0x80));
    __m256i fourth = _mm256_subs_epu8(BYTES_BACK(x, before, 3), _mm256_set1_epi8(0xF0 - 0x80));
    __m256i rests = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
    return _mm256_xor_si256(faults, rests);
}

KERNEL_AVX2_TEXT_INLINE __m256i load_text(const uint8_t *text) {
    return _mm256_loadu_si256((const void *)text);
}

/* Characters that the last three bytes begin and do not end: not zero if there is one. */
KERNEL_AVX2_TEXT_INLINE __m256i text_open(__m256i x) {
    const __m256i most = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          -1, (char)(0xF0 - 1), (char)(0xE0 - 1), (char)(0xC0 - 1));
    return _mm256_subs_epu8(x, most);
}

/* Steps of ASCII cost a test alone, four registers at once. */
KERNEL_AVX2_TEXT bool lam_is_utf8_avx2(const uint8_t *text, size_t size) {
    __m256i faults = _mm256_setzero_si256(), before = faults;
    uint8_t rest[32] = {0};
    while (size >= 32) {
        __m256i x = load_text(text);
        if (size >= 128) {
            __m256i last = load_text(text + 96);
            __m256i any = _mm256_or_si256(_mm256_or_si256(x, load_text(text + 32)),
                                          _mm256_or_si256(load_text(text + 64), last));
            if (_mm256_movemask_epi8(any) == 0) {
                faults = _mm256_or_si256(faults, text_open(before));
                before = last;
                text += 128;
                size -= 128;
                continue;
            }
        }
        faults = _mm256_or_si256(faults, text_faults(x, before));
        before = x;
        text += 32;
        size -= 32;
    }
    if (size > 0)
        memcpy(rest, text, size);
    faults = _mm256_or_si256(faults, text_faults(load_text(rest), before));
    return _mm256_testz_si256(faults, faults) != 0;
}

/* --- Bytes that match ---------------------------------------------------------------------- */

/* One bit for each of 64 bytes, the lower 32 first. */
KERNEL_AVX2_TEXT_INLINE uint64_t text_bits(__m256i low, __m256i high) {
    uint32_t low_bits = (uint32_t)_mm256_movemask_epi8(low);
    uint32_t high_bits = (uint32_t)_mm256_movemask_epi8(high);
    return low_bits | (uint64_t)high_bits << 32;
}

KERNEL_AVX2_TEXT void lam_match_u8_avx2(const uint8_t *bytes, size_t block_count, uint8_t first,
                                        uint8_t second, uint8_t third, uint64_t *either,
                                        uint64_t *others) {
    const __m256i firsts = _mm256_set1_epi8((char)first);
    const __m256i seconds = _mm256_set1_epi8((char)second);
    const __m256i thirds = _mm256_set1_epi8((char)third);
    for (size_t block = 0; block < block_count; block++, bytes += 64) {
        __m256i low = _mm256_loadu_si256((const void *)bytes);
        __m256i high = _mm256_loadu_si256((const void *)(bytes + 32));
        either[block] = text_bits(
            _mm256_or_si256(_mm256_cmpeq_epi8(low, firsts), _mm256_cmpeq_epi8(low, seconds)),
            _mm256_or_si256(_mm256_cmpeq_epi8(high, firsts), _mm256_cmpeq_epi8(high, seconds)));
        others[block] = text_bits(_mm256_cmpeq_epi8(low, thirds), _mm256_cmpeq_epi8(high, thirds));
    }
}

#endif
