/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels in plain C: the reference that every other version is checked against, and
 * the code that finishes their last few values. The functions follow the contract of kernel.h: no
 * alignment is required, no byte past the packed size and no element past `count` is read or
 * written. Where it is cheap they work on eight bytes at once in one 64-bit register, loaded little
 * endian on every machine, so the results do not depend on the byte order of the CPU.
 * kernel_plain_pack.c draws packed values; eight of width w fill w bytes, a group.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/wrap.h"
#include "kernel/kernel_versions.h"

/* Bytes that lam_fill_plain copies at once: small enough to stay in the L1 cache. */
enum { FILL_BLOCK = 2048 };

/* The same byte eight times. */
#define KERNEL_PLAIN_BYTES(x) ((x)*UINT64_C(0x0101010101010101))

/* --- Bytes of `width` bits ----------------------------------------------------------------- */

/*
 * Eight values of `width` bits are spread to eight bytes in three steps. Each step moves the upper
 * half of every lane into a lane of its own, half as wide:
 *
 *     hhhhgggg ffffeeee ddddcccc bbbbaaaa     width 4: the group in the low 32 bits
 *     -> lanes of 32 bits                     hgfe | dcba
 *     -> lanes of 16 bits                     hg | fe | dc | ba
 *     -> lanes of 8 bits                      h | g | f | e | d | c | b | a
 *
 * Packing takes the same steps in the opposite order and direction.
 */
/*
 * For each lane width: the bits of the lower and of the upper lane of a pair once they are apart.
 * For width 3, low8 is 0x0007000700070007 and high8 is 0x0700070007000700.
 */
typedef struct lane_masks {
    uint64_t low32, high32, low16, high16, low8, high8;
} lane_masks;

/* The masks of a width from 1 to 8; with 8 the shifts below are all 0. */
static LAM_ALWAYS_INLINE lane_masks lanes_of(unsigned width) {
    uint64_t four = ((uint64_t)1 << 4 * width) - 1;
    uint64_t two = ((uint64_t)1 << 2 * width) - 1;
    uint64_t one = ((uint64_t)1 << width) - 1;
    lane_masks masks;
    masks.low32 = four;
    masks.high32 = four << 32;
    masks.low16 = two * UINT64_C(0x0000000100000001);
    masks.high16 = masks.low16 << 16;
    masks.low8 = one * UINT64_C(0x0001000100010001);
    masks.high8 = masks.low8 << 8;
    return masks;
}

/* From the low 8 * width bits to eight bytes; bits above those of the group are masked out. */
static LAM_ALWAYS_INLINE uint64_t spread(uint64_t x, unsigned width, lane_masks masks) {
    x = (x & masks.low32) | (x << (32 - 4 * width) & masks.high32);
    x = (x & masks.low16) | (x << (16 - 2 * width) & masks.high16);
    return (x & masks.low8) | (x << (8 - width) & masks.high8);
}

/* The inverse of spread(): bits of a byte at or above `width` are dropped. */
static LAM_ALWAYS_INLINE uint64_t gather_lanes(uint64_t x, unsigned width, lane_masks masks) {
    x = (x & masks.low8) | (x & masks.high8) >> (8 - width);
    x = (x & masks.low16) | (x & masks.high16) >> (16 - 2 * width);
    return (x & masks.low32) | (x & masks.high32) >> (32 - 4 * width);
}

/* Loads up to eight bytes, little endian, where a full load would read too far. */
static uint64_t load_tail(const uint8_t *bytes, size_t size) {
    uint64_t x = 0;
    for (size_t i = 0; i < size; i++)
        x |= (uint64_t)bytes[i] << 8 * i;
    return x;
}

/* Stores the low `size` bytes of `x`, little endian. */
static void store_tail(uint8_t *bytes, size_t size, uint64_t x) {
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(x >> 8 * i);
}

/*
 * Unpacks bytes: with width 3, 88 C6 FA becomes 0 1 2 3 4 5 6 7. The first loop loads eight bytes
 * though a group has only `width`, so it ends while eight packed bytes are still left.
 */
void lam_unpack_u8_plain(const uint8_t *packed, unsigned width, size_t count, uint8_t *values) {
    if (width == 0) {
        if (count > 0)
            memset(values, 0, count);
        return;
    }
    /* Packed bytes that have not been read: the bound of the wide loads. */
    lane_masks masks = lanes_of(width);
    size_t left = lam_packed_size(count, width);
    while (count >= 8 && left >= 8) {
        lam_store_le64(values, spread(lam_load_le64(packed), width, masks));
        packed += width;
        left -= width;
        values += 8;
        count -= 8;
    }
    /* The last groups, loaded byte by byte; the very last one may be incomplete. */
    while (count > 0) {
        size_t some = count < 8 ? count : 8;
        size_t size = lam_packed_size(some, width);
        store_tail(values, some, spread(load_tail(packed, size), width, masks));
        packed += size;
        values += some;
        count -= some;
    }
}

/*
 * Packs bytes: with width 3, 0 1 2 3 4 5 6 7 becomes 88 C6 FA, and 9 is packed as 1 because only
 * the low bits count. Groups are stored as full words while eight bytes of output are left.
 */
void lam_pack_u8_plain(const uint8_t *values, unsigned width, size_t count, uint8_t *packed) {
    if (width == 0)
        return;
    lane_masks masks = lanes_of(width);
    size_t left = lam_packed_size(count, width);
    while (count >= 8 && left >= 8) {
        /* The bytes after the group become zeros here; the next group overwrites them. */
        lam_store_le64(packed, gather_lanes(lam_load_le64(values), width, masks));
        packed += width;
        left -= width;
        values += 8;
        count -= 8;
    }
    while (count > 0) {
        size_t some = count < 8 ? count : 8;
        size_t size = lam_packed_size(some, width);
        store_tail(packed, size, gather_lanes(load_tail(values, some), width, masks));
        packed += size;
        values += some;
        count -= some;
    }
}

/* --- Booleans ------------------------------------------------------------------------------ */

/*
 * Bit i is 1 when byte i is not 0: 00 07 00 00 00 00 00 80 gives 10000010. Adding 0x7F carries into
 * the top bit of each byte that has any of its other bits; a byte never carries into the next. The
 * product then moves bit 8 * i to bit 56 + i.
 */
LAM_WRAPS static LAM_ALWAYS_INLINE uint8_t nonzero_bytes(uint64_t x) {
    uint64_t ones = (((x & KERNEL_PLAIN_BYTES(0x7F)) + KERNEL_PLAIN_BYTES(0x7F)) | x) >> 7 &
                    KERNEL_PLAIN_BYTES(0x01);
    return (uint8_t)(ones * UINT64_C(0x0102040810204080) >> 56);
}

/* Packs booleans of a byte each, the first into the lowest bit; any byte but 0 is true. */
void lam_pack_bools_plain(const uint8_t *bools, size_t count, uint8_t *bits) {
    for (; count >= 8; count -= 8, bools += 8)
        *bits++ = nonzero_bytes(lam_load_le64(bools));
    if (count > 0)
        *bits = nonzero_bytes(load_tail(bools, count));
}

/* --- Elements ------------------------------------------------------------------------------ */

/* Repeats an element: AB twice is ABAB. The output itself is the source of the longer copies. */
void lam_fill_plain(const void *element, size_t size, size_t count, void *elements) {
    if (size == 0 || count == 0)
        return;
    if (size == 1) {
        memset(elements, *(const uint8_t *)element, count);
        return;
    }
    uint8_t *bytes = elements;
    size_t total = size * count;
    /*
     * Bytes 0 to `done` hold complete elements. Copies double up to a block that stays in the
     * nearest cache; a block is a multiple of `size`, so every copy starts at the start of an
     * element.
     */
    size_t block = size > FILL_BLOCK ? size : FILL_BLOCK / size * size;
    memcpy(bytes, element, size);
    for (size_t done = size; done < total;) {
        size_t step = done < block ? done : block;
        step = step < total - done ? step : total - done;
        memcpy(bytes + done, bytes, step);
        done += step;
    }
}

/* Copies by index; `size` is a constant in most calls, which makes the copy one or two moves. */
static LAM_ALWAYS_INLINE void gather_sized(const uint8_t *dictionary, size_t size,
                                           const uint32_t *indexes, size_t count, uint8_t *out) {
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * size, dictionary + indexes[i] * size, size);
}

/*
 * Elements of other sizes, by two copies that may overlap, each of half the size or a little more:
 * 7 bytes as bytes 0 to 3 and 3 to 6. Nothing beyond an element is read.
 */
static LAM_ALWAYS_INLINE void gather_halves(const uint8_t *dictionary, size_t size, size_t half,
                                            const uint32_t *indexes, size_t count, uint8_t *out) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t *element = dictionary + indexes[i] * size;
        memcpy(out + i * size, element, half);
        memcpy(out + i * size + size - half, element + size - half, half);
    }
}

/* All sizes but 0, 1, 2, 4, 8, 12, 16 and 32. */
static void gather_other(const uint8_t *dictionary, size_t size, const uint32_t *indexes,
                         size_t count, uint8_t *out) {
    if (size == 3)
        gather_halves(dictionary, size, 2, indexes, count, out);
    else if (size < 8)
        gather_halves(dictionary, size, 4, indexes, count, out);
    else if (size < 16)
        gather_halves(dictionary, size, 8, indexes, count, out);
    else if (size < 32)
        gather_halves(dictionary, size, 16, indexes, count, out);
    else
        gather_sized(dictionary, size, indexes, count, out);
}

/*
 * Looks elements up: indexes 2 0 2 in the dictionary A B C give C A C. The caller has checked the
 * indexes against the dictionary. The sizes with a loop of their own are levels and booleans (1),
 * numbers (2, 4, 8), INT96 (12), lam_bytes, UUIDs, views and decimals (16, 32).
 */
void lam_gather_plain(const void *dictionary, size_t size, const uint32_t *indexes, size_t count,
                      void *elements) {
    switch (size) {
    case 0:
        break;
    case 1:
        gather_sized(dictionary, 1, indexes, count, elements);
        break;
    case 2:
        gather_sized(dictionary, 2, indexes, count, elements);
        break;
    case 4:
        gather_sized(dictionary, 4, indexes, count, elements);
        break;
    case 8:
        gather_sized(dictionary, 8, indexes, count, elements);
        break;
    case 12:
        gather_sized(dictionary, 12, indexes, count, elements);
        break;
    case 16:
        gather_sized(dictionary, 16, indexes, count, elements);
        break;
    case 32:
        gather_sized(dictionary, 32, indexes, count, elements);
        break;
    default:
        gather_other(dictionary, size, indexes, count, elements);
        break;
    }
}

/* --- Scans --------------------------------------------------------------------------------- */

/* Counts the bytes that are equal to `value`, anywhere: 2 in 2 0 2 1 gives 2. */
LAM_WRAPS size_t lam_count_u8_plain(const uint8_t *values, size_t count, uint8_t value) {
    size_t equal = 0, at = 0;
    const uint64_t same = KERNEL_PLAIN_BYTES((uint64_t)value);
    for (; count - at >= 8; at += 8) {
        /*
         * Bytes that differ are not 0 after the exclusive or. Each becomes a 1, as in
         * nonzero_bytes(), and the product adds all eight in its top byte.
         */
        uint64_t x = lam_load_le64(values + at) ^ same;
        uint64_t differ = (((x & KERNEL_PLAIN_BYTES(0x7F)) + KERNEL_PLAIN_BYTES(0x7F)) | x) >> 7 &
                          KERNEL_PLAIN_BYTES(0x01);
        equal += 8 - (size_t)(differ * KERNEL_PLAIN_BYTES(0x01) >> 56);
    }
    for (; at < count; at++)
        equal += values[at] == value;
    return equal;
}

/* Counts the leading bytes that are equal to `value`: 2 in 2 2 0 2 gives 2. */
size_t lam_prefix_u8_plain(const uint8_t *values, size_t count, uint8_t value) {
    size_t at = 0;
    uint64_t eight = KERNEL_PLAIN_BYTES((uint64_t)value);
    while (count - at >= 8 && lam_load_le64(values + at) == eight)
        at += 8;
    while (at < count && values[at] == value)
        at++;
    return at;
}

/* The same for numbers, such as dictionary indexes. */
size_t lam_prefix_u32_plain(const uint32_t *values, size_t count, uint32_t value) {
    size_t at = 0;
    while (at < count && values[at] == value)
        at++;
    return at;
}

/* The largest of 1 3 2 is 3, of nothing 0: for levels and dictionary indexes, never negative. */
uint8_t lam_max_u8_plain(const uint8_t *values, size_t count) {
    uint8_t max = 0;
    for (size_t i = 0; i < count; i++)
        max = values[i] > max ? values[i] : max;
    return max;
}

uint32_t lam_max_u32_plain(const uint32_t *values, size_t count) {
    uint32_t max = 0;
    for (size_t i = 0; i < count; i++)
        max = values[i] > max ? values[i] : max;
    return max;
}

/* The table of plain C, which every CPU can run. */
const lam_kernels lam_kernels_plain = {
    .name = "plain",
    .unpack_u8 = lam_unpack_u8_plain,
    .unpack_u32 = lam_unpack_u32_plain,
    .unpack_u64 = lam_unpack_u64_plain,
    .pack_u8 = lam_pack_u8_plain,
    .pack_u32 = lam_pack_u32_plain,
    .pack_u64 = lam_pack_u64_plain,
    .pack_bools = lam_pack_bools_plain,
    .fill = lam_fill_plain,
    .gather = lam_gather_plain,
    .join_streams = lam_join_streams_plain,
    .split_streams = lam_split_streams_plain,
    .deltas_u32 = lam_deltas_u32_plain,
    .deltas_u64 = lam_deltas_u64_plain,
    .sum_u32 = lam_sum_u32_plain,
    .sum_u64 = lam_sum_u64_plain,
    .lower_u32 = lam_lower_u32_plain,
    .lower_u64 = lam_lower_u64_plain,
    .min_i32 = lam_min_i32_plain,
    .min_i64 = lam_min_i64_plain,
    .count_u8 = lam_count_u8_plain,
    .prefix_u8 = lam_prefix_u8_plain,
    .prefix_u32 = lam_prefix_u32_plain,
    .at_least_u8 = lam_at_least_u8_plain,
    .choose_bits = lam_choose_bits_plain,
    .count_before_32 = lam_count_before_32_plain,
    .count_before_64 = lam_count_before_64_plain,
    .spread = lam_spread_plain,
    .widen_big_endian = lam_widen_big_endian_plain,
    .is_utf8 = lam_is_utf8_plain,
    .match_u8 = lam_match_u8_plain,
    .max_u8 = lam_max_u8_plain,
    .max_u32 = lam_max_u32_plain,
    .widen_i32 = lam_widen_i32_plain,
    .widen_i64 = lam_widen_i64_plain,
    .widen_f32 = lam_widen_f32_plain,
    .widen_f64 = lam_widen_f64_plain,
};
