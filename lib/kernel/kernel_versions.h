/*
 * The versions of each kernel. A table takes the plain C function where a special one does not pay,
 * and special versions leave their last few values to it.
 */
#ifndef LAM_KERNEL_KERNEL_VERSIONS_H
#define LAM_KERNEL_KERNEL_VERSIONS_H

#include "kernel/kernel.h"

#if defined(__GNUC__)
#define LAM_ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define LAM_ALWAYS_INLINE inline
#endif

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define LAM_KERNELS_X86 1
#else
#define LAM_KERNELS_X86 0
#endif

void lam_unpack_u8_plain(const uint8_t *packed, unsigned width, size_t count, uint8_t *values);
void lam_unpack_u32_plain(const uint8_t *packed, unsigned width, size_t count, uint32_t *values);
void lam_pack_u8_plain(const uint8_t *values, unsigned width, size_t count, uint8_t *packed);
void lam_pack_u32_plain(const uint32_t *values, unsigned width, size_t count, uint8_t *packed);
void lam_pack_bools_plain(const uint8_t *bools, size_t count, uint8_t *bits);
void lam_fill_plain(const void *element, size_t size, size_t count, void *elements);
void lam_gather_plain(const void *dictionary, size_t size, const uint32_t *indexes, size_t count,
                      void *elements);
size_t lam_count_u8_plain(const uint8_t *values, size_t count, uint8_t value);
size_t lam_prefix_u8_plain(const uint8_t *values, size_t count, uint8_t value);
size_t lam_prefix_u32_plain(const uint32_t *values, size_t count, uint32_t value);
uint8_t lam_max_u8_plain(const uint8_t *values, size_t count);
uint32_t lam_max_u32_plain(const uint32_t *values, size_t count);

extern const lam_kernels lam_kernels_plain;
#if LAM_KERNELS_X86
void lam_unpack_u8_avx2(const uint8_t *packed, unsigned width, size_t count, uint8_t *values);
void lam_unpack_u32_avx2(const uint8_t *packed, unsigned width, size_t count, uint32_t *values);
void lam_pack_u8_avx2(const uint8_t *values, unsigned width, size_t count, uint8_t *packed);
void lam_pack_bools_avx2(const uint8_t *bools, size_t count, uint8_t *bits);
size_t lam_count_u8_avx2(const uint8_t *values, size_t count, uint8_t value);
size_t lam_prefix_u8_avx2(const uint8_t *values, size_t count, uint8_t value);
size_t lam_prefix_u32_avx2(const uint32_t *values, size_t count, uint32_t value);
uint8_t lam_max_u8_avx2(const uint8_t *values, size_t count);
uint32_t lam_max_u32_avx2(const uint32_t *values, size_t count);
void lam_unpack_u8_avx512(const uint8_t *packed, unsigned width, size_t count, uint8_t *values);
void lam_unpack_u32_avx512(const uint8_t *packed, unsigned width, size_t count, uint32_t *values);

extern const lam_kernels lam_kernels_avx2;
extern const lam_kernels lam_kernels_avx512;
#endif

#endif
