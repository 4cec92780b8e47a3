/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The versions of each kernel, for the tables and the tests. A table takes the plain C function if
 * a special one does not pay, and special versions leave their last few values to it. kernel.h says
 * what each function does; a version adds nothing to that contract.
 */
#ifndef LAM_KERNEL_KERNEL_VERSIONS_H
#define LAM_KERNEL_KERNEL_VERSIONS_H

#include "kernel/kernel.h"

/* Inlining makes constants of arguments: without it a loop per width would be a call per group. */
#if defined(__GNUC__)
#define LAM_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define LAM_ALWAYS_INLINE inline
#endif

/*
 * The special versions take GCC's attribute `target`, so that they are compiled for their CPU while
 * the rest of the library stays runnable everywhere.
 */
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define LAM_KERNELS_X86 1
#else
#define LAM_KERNELS_X86 0
#endif

/* These use BMI2 on 64-bit registers, which only 64-bit programs have. */
#if LAM_KERNELS_X86 && defined(__x86_64__)
#define LAM_KERNELS_AVX512 1
#else
#define LAM_KERNELS_AVX512 0
#endif

enum { KERNEL_NARROW = 256 }; /* numbers at a time; a multiple of 8 */

/* Unpacks widths of up to 32 with a version for numbers of 32 bits, and widens them. */
static LAM_ALWAYS_INLINE void
kernel_unpack_widened(void (*unpack_u32)(const uint8_t *, unsigned, size_t, uint32_t *),
                      const uint8_t *packed, unsigned width, size_t count, uint64_t *values) {
    for (size_t at = 0; at < count; at += KERNEL_NARROW) {
        uint32_t narrow[KERNEL_NARROW];
        size_t some = count - at < KERNEL_NARROW ? count - at : KERNEL_NARROW;
        unpack_u32(packed + at / 8 * width, width, some, narrow);
        for (size_t i = 0; i < some; i++)
            values[at + i] = narrow[i];
    }
}

void lam_unpack_u8_plain(const uint8_t *packed, unsigned width, size_t count, uint8_t *values);
void lam_unpack_u32_plain(const uint8_t *packed, unsigned width, size_t count, uint32_t *values);
void lam_unpack_u64_plain(const uint8_t *packed, unsigned width, size_t count, uint64_t *values);
void lam_pack_u8_plain(const uint8_t *values, unsigned width, size_t count, uint8_t *packed);
void lam_pack_u32_plain(const uint32_t *values, unsigned width, size_t count, uint8_t *packed);
void lam_pack_u64_plain(const uint64_t *values, unsigned width, size_t count, uint8_t *packed);
void lam_pack_bools_plain(const uint8_t *bools, size_t count, uint8_t *bits);
void lam_fill_plain(const void *element, size_t size, size_t count, void *elements);
void lam_gather_plain(const void *dictionary, size_t size, const uint32_t *indexes, size_t count,
                      void *elements);
void lam_join_streams_plain(const uint8_t *streams, size_t stride, size_t size, size_t count,
                            void *elements);
void lam_split_streams_plain(const void *elements, size_t size, size_t count, size_t stride,
                             uint8_t *streams);
void lam_deltas_u32_plain(const uint32_t *values, size_t count, uint32_t before, uint32_t *deltas);
void lam_deltas_u64_plain(const uint64_t *values, size_t count, uint64_t before, uint64_t *deltas);
void lam_sum_u32_plain(uint32_t *values, size_t count, uint32_t step, uint32_t start);
void lam_sum_u64_plain(uint64_t *values, size_t count, uint64_t step, uint64_t start);
uint32_t lam_lower_u32_plain(uint32_t *values, size_t count, uint32_t base);
uint64_t lam_lower_u64_plain(uint64_t *values, size_t count, uint64_t base);
int32_t lam_min_i32_plain(const uint32_t *values, size_t count);
int64_t lam_min_i64_plain(const uint64_t *values, size_t count);
size_t lam_count_u8_plain(const uint8_t *values, size_t count, uint8_t value);
size_t lam_prefix_u8_plain(const uint8_t *values, size_t count, uint8_t value);
size_t lam_prefix_u32_plain(const uint32_t *values, size_t count, uint32_t value);
void lam_at_least_u8_plain(const uint8_t *values, size_t count, uint8_t least, uint8_t *bits);
size_t lam_choose_bits_plain(const uint8_t *bits, const uint8_t *chosen, size_t count,
                             uint8_t *result);
uint64_t lam_count_before_32_plain(const uint8_t *starts, const uint8_t *elements, size_t count,
                                   uint32_t base, uint32_t *counts);
uint64_t lam_count_before_64_plain(const uint8_t *starts, const uint8_t *elements, size_t count,
                                   uint64_t base, uint64_t *counts);
void lam_spread_plain(void *elements, size_t size, size_t present, const uint8_t *bits,
                      size_t count);
bool lam_widen_big_endian_plain(const uint8_t *bytes, size_t size, size_t count,
                                const uint64_t *bound, size_t slot_size, void *slots);
bool lam_is_utf8_plain(const uint8_t *text, size_t size);
void lam_match_u8_plain(const uint8_t *bytes, size_t block_count, uint8_t first, uint8_t second,
                        uint8_t third, uint64_t *either, uint64_t *others);
uint8_t lam_max_u8_plain(const uint8_t *values, size_t count);
uint32_t lam_max_u32_plain(const uint32_t *values, size_t count);
void lam_widen_i32_plain(const int32_t *values, size_t count, int32_t *min, int32_t *max);
void lam_widen_i64_plain(const int64_t *values, size_t count, int64_t *min, int64_t *max);
size_t lam_widen_f32_plain(const float *values, size_t count, float *min, float *max);
size_t lam_widen_f64_plain(const double *values, size_t count, double *min, double *max);

/* The tables; kernel.c offers the ones that the CPU can run. */
extern const lam_kernels lam_kernels_plain;
#if LAM_KERNELS_X86
void lam_unpack_u8_avx2(const uint8_t *packed, unsigned width, size_t count, uint8_t *values);
void lam_unpack_u32_avx2(const uint8_t *packed, unsigned width, size_t count, uint32_t *values);
void lam_unpack_u64_avx2(const uint8_t *packed, unsigned width, size_t count, uint64_t *values);
void lam_pack_u8_avx2(const uint8_t *values, unsigned width, size_t count, uint8_t *packed);
void lam_pack_bools_avx2(const uint8_t *bools, size_t count, uint8_t *bits);
void lam_join_streams_avx2(const uint8_t *streams, size_t stride, size_t size, size_t count,
                           void *elements);
void lam_split_streams_avx2(const void *elements, size_t size, size_t count, size_t stride,
                            uint8_t *streams);
void lam_deltas_u32_avx2(const uint32_t *values, size_t count, uint32_t before, uint32_t *deltas);
void lam_deltas_u64_avx2(const uint64_t *values, size_t count, uint64_t before, uint64_t *deltas);
void lam_sum_u32_avx2(uint32_t *values, size_t count, uint32_t step, uint32_t start);
void lam_sum_u64_avx2(uint64_t *values, size_t count, uint64_t step, uint64_t start);
uint32_t lam_lower_u32_avx2(uint32_t *values, size_t count, uint32_t base);
uint64_t lam_lower_u64_avx2(uint64_t *values, size_t count, uint64_t base);
int32_t lam_min_i32_avx2(const uint32_t *values, size_t count);
int64_t lam_min_i64_avx2(const uint64_t *values, size_t count);
size_t lam_count_u8_avx2(const uint8_t *values, size_t count, uint8_t value);
size_t lam_prefix_u8_avx2(const uint8_t *values, size_t count, uint8_t value);
size_t lam_prefix_u32_avx2(const uint32_t *values, size_t count, uint32_t value);
void lam_at_least_u8_avx2(const uint8_t *values, size_t count, uint8_t least, uint8_t *bits);
void lam_spread_avx2(void *elements, size_t size, size_t present, const uint8_t *bits,
                     size_t count);
bool lam_widen_big_endian_avx2(const uint8_t *bytes, size_t size, size_t count,
                               const uint64_t *bound, size_t slot_size, void *slots);
bool lam_is_utf8_avx2(const uint8_t *text, size_t size);
void lam_match_u8_avx2(const uint8_t *bytes, size_t block_count, uint8_t first, uint8_t second,
                       uint8_t third, uint64_t *either, uint64_t *others);
uint8_t lam_max_u8_avx2(const uint8_t *values, size_t count);
uint32_t lam_max_u32_avx2(const uint32_t *values, size_t count);
void lam_widen_i32_avx2(const int32_t *values, size_t count, int32_t *min, int32_t *max);
void lam_widen_i64_avx2(const int64_t *values, size_t count, int64_t *min, int64_t *max);
size_t lam_widen_f32_avx2(const float *values, size_t count, float *min, float *max);
size_t lam_widen_f64_avx2(const double *values, size_t count, double *min, double *max);

extern const lam_kernels lam_kernels_avx2;
#endif
#if LAM_KERNELS_AVX512
void lam_unpack_u8_avx512(const uint8_t *packed, unsigned width, size_t count, uint8_t *values);
void lam_unpack_u32_avx512(const uint8_t *packed, unsigned width, size_t count, uint32_t *values);
void lam_unpack_u64_avx512(const uint8_t *packed, unsigned width, size_t count, uint64_t *values);
void lam_at_least_u8_avx512(const uint8_t *values, size_t count, uint8_t least, uint8_t *bits);
size_t lam_choose_bits_avx512(const uint8_t *bits, const uint8_t *chosen, size_t count,
                              uint8_t *result);
uint64_t lam_count_before_32_avx512(const uint8_t *starts, const uint8_t *elements, size_t count,
                                    uint32_t base, uint32_t *counts);
uint64_t lam_count_before_64_avx512(const uint8_t *starts, const uint8_t *elements, size_t count,
                                    uint64_t base, uint64_t *counts);
void lam_spread_avx512(void *elements, size_t size, size_t present, const uint8_t *bits,
                       size_t count);

extern const lam_kernels lam_kernels_avx512;
#endif

#endif
