/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the kernels in plain C: the reference that every other version is checked against, and
 * the code that finishes their last few values. The functions follow the contract of kernel.h: no
 * alignment is required, no byte behind the packed size and no element behind `count` is read or
 * written. Where it is cheap they work on eight bytes at once in one 64-bit register, loaded little
 * endian on every machine, so the results do not depend on the byte order of the CPU.
 * (Encodings.md, "Run Length Encoding / Bit-Packing Hybrid")
 *
 *     values 0 1 2 3 4 5 6 7, width 3, first value in the lowest bits:
 *
 *     bytes   88        C6        FA
 *     bits    10001000  11000110  11111010
 *             22111000  54443332  77766655    the value that each bit belongs to
 *
 * Eight values of width w fill exactly w bytes: this group is the unit of all loops here.
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

/* Loads up to eight bytes, little endian, where a whole load would read too far. */
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
 * the low bits count. Groups are stored as whole words while eight bytes of output are left.
 */
void lam_pack_u8_plain(const uint8_t *values, unsigned width, size_t count, uint8_t *packed) {
    if (width == 0)
        return;
    lane_masks masks = lanes_of(width);
    size_t left = lam_packed_size(count, width);
    while (count >= 8 && left >= 8) {
        /* The bytes behind the group become zeros here; the next group overwrites them. */
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

/* --- Numbers of `width` bits --------------------------------------------------------------- */

/*
 * Loads a group of widths 1 to 7, which has fewer than eight bytes, without a loop. Two or three
 * loads overlap, and a byte that is loaded twice lands on itself: for width 6, bytes 0 to 3 and
 * bytes 2 to 5 shifted up by 16.
 */
static LAM_ALWAYS_INLINE uint64_t load_group(const uint8_t *packed, unsigned width) {
    if (width < 4)
        return packed[0] | (uint64_t)packed[width / 2] << width / 2 * 8 |
               (uint64_t)packed[width - 1] << (width - 1) * 8;
    unsigned rest = width - 4;
    return lam_load_le32(packed) | (uint64_t)lam_load_le32(packed + rest) << rest * 8;
}

/*
 * Value `at` of a group. `group` is its bytes as a number for widths below 8, and unused otherwise.
 * For width 17, value 3 is bits 51 to 67: eight bytes from byte 6 on, shifted down by 3.
 */
static LAM_ALWAYS_INLINE uint32_t kernel_plain_value_of_8(const uint8_t *packed, uint64_t group,
                                                          unsigned width, unsigned at) {
    uint64_t mask = ((uint64_t)1 << width) - 1;
    unsigned bit = at * width;
    if (width < 8)
        return (uint32_t)(group >> bit & mask);
    /*
     * Eight bytes hold a value of up to 32 bits wherever it starts. The start is moved back where
     * the load would pass the group's end; the shift, 64 - width at most, makes up for it.
     */
    unsigned byte = bit / 8 < width - 8 ? bit / 8 : width - 8;
    return (uint32_t)(lam_load_le64(packed + byte) >> (bit - 8 * byte) & mask);
}

/*
 * Unpacks one group. The calls are written out so that each has a constant `at`: with a constant
 * `width` every load address, shift and mask is known to the compiler.
 */
static LAM_ALWAYS_INLINE void kernel_plain_unpack_8(const uint8_t *packed, unsigned width,
                                                    uint32_t *values) {
    uint64_t group = width < 8 ? load_group(packed, width) : 0;
    values[0] = kernel_plain_value_of_8(packed, group, width, 0);
    values[1] = kernel_plain_value_of_8(packed, group, width, 1);
    values[2] = kernel_plain_value_of_8(packed, group, width, 2);
    values[3] = kernel_plain_value_of_8(packed, group, width, 3);
    values[4] = kernel_plain_value_of_8(packed, group, width, 4);
    values[5] = kernel_plain_value_of_8(packed, group, width, 5);
    values[6] = kernel_plain_value_of_8(packed, group, width, 6);
    values[7] = kernel_plain_value_of_8(packed, group, width, 7);
}

/*
 * Packs one group: collects bits from the low end up and stores 32 of them at a time. `count` is
 * below 32 between values, so a value of up to 32 bits always has room.
 */
typedef struct kernel_plain_bit_writer {
    uint64_t bits;
    unsigned count;
    uint8_t *next;
} kernel_plain_bit_writer;

/* Adds the low `width` bits of a value; stores a word when it is full. */
static LAM_ALWAYS_INLINE void kernel_plain_put_bits(kernel_plain_bit_writer *writer, uint32_t value,
                                                    unsigned width) {
    writer->bits |= (value & (((uint64_t)1 << width) - 1)) << writer->count;
    writer->count += width;
    if (writer->count >= 32) {
        lam_store_le32(writer->next, (uint32_t)writer->bits);
        writer->next += 4;
        writer->bits >>= 32;
        writer->count -= 32;
    }
}

/*
 * Packs one group. Eight values have 8 * width bits: whole words, and width % 4 bytes that are
 * stored last, so nothing behind the group is written.
 */
static LAM_ALWAYS_INLINE void kernel_plain_pack_8(const uint32_t *values, unsigned width,
                                                  uint8_t *packed) {
    kernel_plain_bit_writer writer = {0, 0, packed};
    kernel_plain_put_bits(&writer, values[0], width);
    kernel_plain_put_bits(&writer, values[1], width);
    kernel_plain_put_bits(&writer, values[2], width);
    kernel_plain_put_bits(&writer, values[3], width);
    kernel_plain_put_bits(&writer, values[4], width);
    kernel_plain_put_bits(&writer, values[5], width);
    kernel_plain_put_bits(&writer, values[6], width);
    kernel_plain_put_bits(&writer, values[7], width);
    for (unsigned i = 0; i < width % 4; i++)
        writer.next[i] = (uint8_t)(writer.bits >> 8 * i);
}

/*
 * One unpacking and one packing loop for each width from 1 to 32, in which all shifts and masks are
 * constants, and a table that finds them by width. Width 0 has no loop: its callers handle it.
 */
#define KERNEL_PLAIN_FROM_1(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8)
#define KERNEL_PLAIN_FROM_9(DO) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16)
#define KERNEL_PLAIN_FROM_17(DO) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24)
#define KERNEL_PLAIN_FROM_25(DO) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31) DO(32)
#define KERNEL_PLAIN_EACH_WIDTH(DO)                                                                \
    KERNEL_PLAIN_FROM_1(DO)                                                                        \
    KERNEL_PLAIN_FROM_9(DO) KERNEL_PLAIN_FROM_17(DO) KERNEL_PLAIN_FROM_25(DO)

#define KERNEL_PLAIN_LOOPS_OF_WIDTH(WIDTH)                                                         \
    static void kernel_plain_unpack_groups_##WIDTH(const uint8_t *packed, size_t groups,           \
                                                   uint32_t *values) {                             \
        for (size_t i = 0; i < groups; i++)                                                        \
            kernel_plain_unpack_8(packed + i * WIDTH, WIDTH, values + i * 8);                      \
    }                                                                                              \
    static void kernel_plain_pack_groups_##WIDTH(const uint32_t *values, size_t groups,            \
                                                 uint8_t *packed) {                                \
        for (size_t i = 0; i < groups; i++)                                                        \
            kernel_plain_pack_8(values + i * 8, WIDTH, packed + i * WIDTH);                        \
    }
KERNEL_PLAIN_EACH_WIDTH(KERNEL_PLAIN_LOOPS_OF_WIDTH)

#define KERNEL_PLAIN_UNPACK_OF_WIDTH(WIDTH) kernel_plain_unpack_groups_##WIDTH,
static void (*const kernel_plain_unpack_groups[33])(const uint8_t *, size_t, uint32_t *) = {
    NULL, KERNEL_PLAIN_EACH_WIDTH(KERNEL_PLAIN_UNPACK_OF_WIDTH)};

#define KERNEL_PLAIN_PACK_OF_WIDTH(WIDTH) kernel_plain_pack_groups_##WIDTH,
static void (*const kernel_plain_pack_groups[33])(const uint32_t *, size_t, uint8_t *) = {
    NULL, KERNEL_PLAIN_EACH_WIDTH(KERNEL_PLAIN_PACK_OF_WIDTH)};

/* Unpacks 32-bit numbers: whole groups in place, the last incomplete one through a padded copy. */
void lam_unpack_u32_plain(const uint8_t *packed, unsigned width, size_t count, uint32_t *values) {
    if (count == 0)
        return;
    if (width == 0) {
        memset(values, 0, count * sizeof *values);
        return;
    }
    size_t groups = count / 8, rest = count % 8;
    kernel_plain_unpack_groups[width](packed, groups, values);
    if (rest > 0) {
        /* A group of the widest values has 32 bytes; those behind the packed ones are zeros. */
        uint8_t last[32] = {0};
        uint32_t eight[8];
        memcpy(last, packed + groups * width, lam_packed_size(rest, width));
        kernel_plain_unpack_groups[width](last, 1, eight);
        memcpy(values + groups * 8, eight, rest * sizeof *values);
    }
}

/*
 * Packs the low `width` bits of 32-bit numbers: with width 12, 0x123 and 0x456 become 23 61 45. The
 * last incomplete group is filled up with zeros, and only its used bytes are copied out.
 */
void lam_pack_u32_plain(const uint32_t *values, unsigned width, size_t count, uint8_t *packed) {
    if (count == 0 || width == 0)
        return;
    size_t groups = count / 8, rest = count % 8;
    kernel_plain_pack_groups[width](values, groups, packed);
    if (rest > 0) {
        uint8_t last[32];
        uint32_t eight[8] = {0};
        memcpy(eight, values + groups * 8, rest * sizeof *values);
        kernel_plain_pack_groups[width](eight, 1, last);
        memcpy(packed + groups * width, last, lam_packed_size(rest, width));
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
     * Bytes 0 to `done` hold whole elements. Copies double up to a block that stays in the nearest
     * cache; a block is a multiple of `size`, so every copy starts at the start of an element.
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
