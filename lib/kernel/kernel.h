/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hot loops, behind one table of function pointers that is chosen once per process by CPU.
 *
 * Packed bits are those of Encodings.md, section "Run Length Encoding / Bit-Packing Hybrid": value
 * i takes bits i * width to (i + 1) * width - 1, counted from the least significant bit of the
 * first byte. `count` values take lam_packed_size(count, width) bytes, and no kernel reads or
 * writes a byte beyond that, or an element beyond `count`: neither side needs padding. Pointers
 * need no alignment beyond that of their type and may be NULL when nothing is to be read or
 * written; inputs and outputs do not overlap unless the kernel works in place. All versions of a
 * kernel give the same results.
 * The plain versions show small examples. No kernel allocates, and none can fail: sizes and indexes
 * are checked before they reach one.
 */
#ifndef LAM_KERNEL_KERNEL_H
#define LAM_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lam_kernels {
    const char *name; /* "plain", "avx2" or "avx512"; see lam_kernels_name() */

    /* Widths 0 to 8. */
    void (*unpack_u8)(const uint8_t *packed, unsigned width, size_t count, uint8_t *values);
    /* Widths 0 to 32. */
    void (*unpack_u32)(const uint8_t *packed, unsigned width, size_t count, uint32_t *values);
    /* Widths 0 to 64. */
    void (*unpack_u64)(const uint8_t *packed, unsigned width, size_t count, uint64_t *values);
    /* Take the low `width` bits of each value; the bits left in the last byte are 0. */
    void (*pack_u8)(const uint8_t *values, unsigned width, size_t count, uint8_t *packed);
    void (*pack_u32)(const uint32_t *values, unsigned width, size_t count, uint8_t *packed);
    void (*pack_u64)(const uint64_t *values, unsigned width, size_t count, uint8_t *packed);
    /* Bit i is 1 when byte i is not 0; the bits left in the last byte are 0. */
    void (*pack_bools)(const uint8_t *bools, size_t count, uint8_t *bits);

    /* Writes `count` copies of one element of `size` bytes. */
    void (*fill)(const void *element, size_t size, size_t count, void *elements);
    /*
     * Copies elements of `size` bytes by index; the caller has checked that every index is inside
     * the dictionary.
     */
    void (*gather)(const void *dictionary, size_t size, const uint32_t *indexes, size_t count,
                   void *elements);

    /*
     * Byte b of element i is streams[b * stride + i]; elements have `size` bytes, and `stride` is
     * at least `count`.
     */
    void (*join_streams)(const uint8_t *streams, size_t stride, size_t size, size_t count,
                         void *elements);
    void (*split_streams)(const void *elements, size_t size, size_t count, size_t stride,
                          uint8_t *streams);

    /*
     * Each value less the one before it; `before` precedes the first. All arithmetic here is modulo
     * 2^32 or 2^64.
     */
    void (*deltas_u32)(const uint32_t *values, size_t count, uint32_t before, uint32_t *deltas);
    void (*deltas_u64)(const uint64_t *values, size_t count, uint64_t before, uint64_t *deltas);
    /* The inverse, in place: value i becomes start + (step + value 0) + ... + (step + value i). */
    void (*sum_u32)(uint32_t *values, size_t count, uint32_t step, uint32_t start);
    void (*sum_u64)(uint64_t *values, size_t count, uint64_t step, uint64_t start);
    /* Subtracts `base` from each in place; returns the bitwise or of the results. */
    uint32_t (*lower_u32)(uint32_t *values, size_t count, uint32_t base);
    uint64_t (*lower_u64)(uint64_t *values, size_t count, uint64_t base);
    /* The smallest as two's complement numbers; INT32_MAX or INT64_MAX when there are none. */
    int32_t (*min_i32)(const uint32_t *values, size_t count);
    int64_t (*min_i64)(const uint64_t *values, size_t count);

    /* Counts the values equal to `value`, anywhere. */
    size_t (*count_u8)(const uint8_t *values, size_t count, uint8_t value);
    /* Counts the leading values equal to `value`, up to the first that differs. */
    size_t (*prefix_u8)(const uint8_t *values, size_t count, uint8_t value);
    size_t (*prefix_u32)(const uint32_t *values, size_t count, uint32_t value);
    /* Bit i is 1 when value i is at least `least`; the bits left in the last byte are 0. */
    void (*at_least_u8)(const uint8_t *values, size_t count, uint8_t least, uint8_t *bits);
    /*
     * Copies the bits where `chosen` has a 1, side by side; returns their number. The bits left in
     * the last byte are 0.
     */
    size_t (*choose_bits)(const uint8_t *bits, const uint8_t *chosen, size_t count,
                          uint8_t *result);
    /*
     * For each 1 in `starts`, writes `base` plus the number of ones that `elements` has before it:
     * list offsets. Returns how many ones `elements` has in all. The version of 32 bits is for
     * totals that the caller knows to fit.
     */
    uint64_t (*count_before_32)(const uint8_t *starts, const uint8_t *elements, size_t count,
                                uint32_t base, uint32_t *counts);
    uint64_t (*count_before_64)(const uint8_t *starts, const uint8_t *elements, size_t count,
                                uint64_t base, uint64_t *counts);
    /*
     * In place: moves the first `present` of `count` elements of `size` bytes, as many as there are
     * ones in `bits`, in order to where the ones are; the elements between become zeros.
     */
    void (*spread)(void *elements, size_t size, size_t present, const uint8_t *bits, size_t count);

    /*
     * Turns numbers of `size` bytes, 1 to 16, in two's complement with the highest byte first, into
     * numbers of the machine of `slot_size` bytes: 4, 8, 16 or 32, and at least `size`. False when
     * the magnitude of one is not below the bound: 128 bits, lowest limb first, and not 0. The
     * slots then have the numbers all the same.
     */
    bool (*widen_big_endian)(const uint8_t *bytes, size_t size, size_t count, const uint64_t *bound,
                             size_t slot_size, void *slots);

    /* Whether the bytes are complete characters of UTF-8, all of them (RFC 3629, section 4). */
    bool (*is_utf8)(const uint8_t *text, size_t size);

    /* The largest; 0 for none. */
    uint8_t (*max_u8)(const uint8_t *values, size_t count);
    uint32_t (*max_u32)(const uint32_t *values, size_t count);
    /*
     * Lowers *min and raises *max so that they bound the values, too. Neither may be a NaN on
     * entry; NaNs among the values have no effect, and the versions for floats return how many
     * there are. Either zero may become a bound.
     */
    void (*widen_i32)(const int32_t *values, size_t count, int32_t *min, int32_t *max);
    void (*widen_i64)(const int64_t *values, size_t count, int64_t *min, int64_t *max);
    size_t (*widen_f32)(const float *values, size_t count, float *min, float *max);
    size_t (*widen_f64)(const double *values, size_t count, double *min, double *max);

    /*
     * For each of `block_count` blocks of 64 bytes: bit i of its `either` is 1 when byte i is
     * `first` or `second`, of its `others` when it is `third`.
     */
    void (*match_u8)(const uint8_t *bytes, size_t block_count, uint8_t first, uint8_t second,
                     uint8_t third, uint64_t *either, uint64_t *others);
} lam_kernels;

/*
 * The fastest table that this CPU can run. May be called from any thread. Only a handle that is
 * made calls it, a reader, a writer or a check, and hands the table down to all that it opens.
 */
const lam_kernels *lam_kernels_get(void);

/* The tables that this CPU can run, slowest (plain C) first; NULL when out of range. */
const lam_kernels *lam_kernels_version(size_t index);

/* Bytes of `count` packed values. Cannot overflow for a `count` up to SIZE_MAX / 64. */
static inline size_t lam_packed_size(size_t count, unsigned width) {
    return count / 8 * width + (count % 8 * width + 7) / 8;
}

#endif
